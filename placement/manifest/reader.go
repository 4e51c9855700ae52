package manifest

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/budgets"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// reader reads the gangs of a set of objects, part by part. Each part knows the parts that it names, and no other.
type reader struct {
	base *base

	objects    *object.Set
	notices    *object.Notices
	trees      *trees.Lookup
	priorities *priorities.All
	rules      rules
	pods       pods
	gangs      gangs
	owners     ownerReader
	inTree     inTree
	running    []cluster.Running
	ending     []string // see Input.Ending
	standings  []standing
	demand     map[string]muster.Resources
	bound      budgets.Counts
	held       nodes.Held
	apart      apart.Gangs
	keepApart  bool            // some pods do
	twins      map[string]bool // what was told of nodes that are closed for pods of which there are several
}

// newReader will read gangs that refer to a base, beside others that name so many label keys which no topology has.
func newReader(b *base, objects *object.Set, notices *object.Notices, others map[string]bool) *reader {
	r := &reader{base: b, objects: objects, notices: notices, bound: budgets.Counts{}, held: nodes.Held{}}
	r.trees, r.priorities = b.trees.Lookup(others), b.priorities.For(objects.Names)
	r.rules = rules{r.trees}
	r.pods = pods{amounts: b.amounts, quotas: &b.quotas, zones: &b.zones, held: r.held, notices: notices, reports: r.reports}
	r.gangs = gangs{objects: objects, notices: notices, byName: map[string]*draft{}, leftBy: map[*member.Member]*draft{}, covered: map[string]*draft{}}
	r.inTree = inTree{
		trees: r.trees, gangs: &r.gangs, notices: notices,
		groups: map[string]*nested{}, above: map[string]*nested{}, workloads: map[string][]*object.Object{},
	}
	r.gangs.inTree = &r.inTree
	r.owners = ownerReader{objects: objects, runtimes: b.runtimes, rules: &r.rules, pods: &r.pods, priorities: r.priorities, gangs: &r.gangs}
	return r
}

// reports says whether a node says how much of a resource it has.
func (r *reader) reports(resource string) bool {
	r.objects.Names.Ask(object.ResourceName(resource))
	return r.base.nodes.Reports(resource)
}

// link reads gangs and gives all pods to theirs.
func (r *reader) link() {
	each(r.objects, gangKinds, r)
	r.readVariants()
	r.inTree.declare()
	r.owners.readAll()
	r.gangs.follow()
	r.gangs.assignPods(r.pods.list)
	r.gangs.countOver(r.pods.over)
	r.gangs.dropCovered()
	for _, d := range r.gangs.drafts {
		d.findOwners(r.objects, &r.base.quotas)
	}
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

// queuesUsed are the Queues that some gang names, and those above them, by API group and name.
func (r *reader) queuesUsed() map[string]bool {
	if !r.base.quotas.HasQueues() {
		return nil
	}
	used := map[string]bool{}
	for _, d := range r.gangs.drafts {
		d.adoptJob()
		for _, m := range slices.Concat(d.pods, d.promised) {
			for _, n := range d.queueNames(m) {
				r.base.quotas.Use(n, used)
			}
		}
	}
	return used
}

// outcome tells what was found, when all gangs are finished.
func (r *reader) outcome(waiting []*draft) *outcome {
	out := &outcome{running: r.running, standings: r.standings, demand: r.demand, bound: r.bound, keys: r.trees.Used, held: r.held, notices: *r.notices}
	out.gangs, out.apart, out.ending = r.gangs.drafts, r.keepApart, r.ending
	for i := range r.standings {
		r.trees.EnterIn(&r.standings[i].request, nil)
	}
	for _, d := range waiting {
		r.trees.EnterIn(&d.result.Request, d.result.Err)
		d.result.Created, d.result.UID, d.result.Plain = d.created, d.uid, d.plain
		if len(d.pods) > 0 {
			d.result.namespace = d.pods[0].Obj.Namespace
		}
		out.waiting, out.holds = append(out.waiting, d.result), append(out.holds, r.holds(d)...)
	}
	for _, d := range r.gangs.drafts {
		if d.isGroup() && !d.done && len(d.pods)+len(d.promised) == 0 {
			out.empty = append(out.empty, d.obj.Title())
		}
	}
	out.owners = r.ownerNames()
	if r.objects != r.base.objects { // which tells of its own
		out.unknown = r.objects.Unknown()
	}
	out.fatal, out.spared = defects(r.objects, r.base.opt.KeepGoing, waiting)
	return out
}
