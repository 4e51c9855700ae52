package manifest

import (
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// reader reads the gangs of a set of objects, part by part. Each part knows the parts that it names, and no other.
type reader struct {
	base *base

	objects *object.Set
	notices object.Notices
	trees   trees // of the base, and those that are made for keys
	pods    pods
	gangs   gangs
	owners  ownerReader
	inTree  inTree
	running []cluster.Running
	demand  map[string]muster.Resources
	bound   map[string]counted
	held    nodes.Held
}

// newReader will read gangs that refer to a base.
func newReader(b *base, objects *object.Set) *reader {
	r := &reader{base: b, objects: objects, bound: map[string]counted{}, held: nodes.Held{}}
	r.trees = b.trees.forGangs()
	r.pods = pods{amounts: b.amounts, quotas: &b.quotas, zones: &b.zones, held: r.held, notices: &r.notices}
	r.gangs = gangs{objects: objects, notices: &r.notices, byName: map[string]*draft{}, covered: map[string]*draft{}}
	r.inTree = inTree{
		trees: &r.trees, gangs: &r.gangs, notices: &r.notices,
		groups: map[string]*nested{}, above: map[string]*nested{}, workloads: map[string]*object.Object{},
	}
	r.gangs.inTree = &r.inTree
	r.owners = ownerReader{objects: objects, runtimes: b.runtimes, trees: &r.trees, pods: &r.pods, priorities: &b.priorities, gangs: &r.gangs}
	return r
}

// link reads gangs and gives all pods to theirs.
func (r *reader) link() {
	each(r.objects, gangKinds, r)
	r.inTree.declare()
	r.owners.readAll()
	r.gangs.follow()
	r.gangs.assignPods(r.pods.list)
	r.gangs.countOver(r.pods.over)
	r.gangs.dropCovered()
}

// gangKinds are read when the base is known, by API group and kind.
var gangKinds = map[string]func(*reader, *object.Object){
	"/Pod":                                func(r *reader, o *object.Object) { r.pods.readPod(o) },
	"scheduling.sigs.k8s.io/PodGroup":     (*reader).readSigPodGroup,
	"scheduling.x-k8s.io/PodGroup":        (*reader).readSigPodGroup,
	"scheduling.koordinator.sh/PodGroup":  (*reader).readSigPodGroup,
	"scheduling.volcano.sh/PodGroup":      (*reader).readVolcanoPodGroup,
	"scheduling.run.ai/PodGroup":          (*reader).readKAIPodGroup,
	"batch.volcano.sh/Job":                (*reader).readVolcanoJob,
	"batch/Job":                           (*reader).readJob,
	"kueue.x-k8s.io/Workload":             (*reader).readWorkload,
	"scheduling.k8s.io/PodGroup":          func(r *reader, o *object.Object) { r.inTree.readGroup(o) },
	"scheduling.k8s.io/CompositePodGroup": func(r *reader, o *object.Object) { r.inTree.readGroup(o) },
	"scheduling.k8s.io/Workload":          func(r *reader, o *object.Object) { r.inTree.readWorkload(o) },
}

// outcome is what a reading found.
type outcome struct {
	waiting []queued
	running []cluster.Running
	demand  map[string]muster.Resources // by quota
	bound   map[string]counted          // by budget
	keys    map[string]bool             // that no topology has
	held    nodes.Held
	empty   []string
	notices []string
	// fatal are defects that fail the whole input, spared those that do not.
	fatal, spared []object.Located
}

// queued is a gang that waits, with what tells its place in the queue.
type queued struct {
	gang    Gang
	created time.Time
	uid     string
}

// outcome tells what was found, when all gangs are finished.
func (r *reader) outcome(waiting []*draft) *outcome {
	out := &outcome{running: r.running, demand: r.demand, bound: r.bound, keys: r.trees.used, held: r.held, notices: r.notices}
	for _, d := range waiting {
		out.waiting = append(out.waiting, queued{d.result, d.created, d.uid})
	}
	for _, d := range r.gangs.drafts {
		if d.isGroup() && !d.done && len(d.pods)+len(d.promised) == 0 {
			out.empty = append(out.empty, d.obj.Title())
		}
	}
	out.fatal, out.spared = defects(r.objects, r.base.opt.KeepGoing, waiting)
	return out
}
