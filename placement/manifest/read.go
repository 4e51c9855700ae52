package manifest

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// Read reads all files together; the order of files and of objects changes nothing but the order of errors. All
// defects are reported, joined, each an [*Error]; a document that cannot be parsed is one. Unknown kinds and unknown
// fields are no defects. O(bytes + n log n) for n objects; the files are not kept.
func Read(files []File, opt Options) (*Input, error) {
	r := newReader(opt, isRead)
	for _, f := range files {
		r.objects.readFile(f)
	}
	r.each(clusterKinds)
	labeled := r.nodes.index()
	r.zones.placeZones()
	r.trees.build(labeled)
	r.each(gangKinds)
	r.owners.readAll()
	r.zones.countUnknown()
	waiting := r.waiting()
	if err := r.fatal(waiting); err != nil {
		return nil, err
	}
	return r.input(waiting), nil
}

// fatal joins the defects that fail the whole input: all but, with KeepGoing, those of waiting gangs.
func (r *reader) fatal(waiting []*draft) error {
	kept := map[*object]bool{}
	if r.opt.KeepGoing {
		for _, d := range waiting {
			for _, o := range d.objects() {
				kept[o] = true
			}
		}
	}
	return r.objects.errors(kept)
}

// input is what was read, for the caller.
func (r *reader) input(waiting []*draft) *Input {
	input := &Input{Notices: r.notices, Spec: cluster.Spec{
		Trees: r.trees.list, Nodes: r.nodes.list, Running: r.running,
		Quotas: r.quotas.tree, Demand: r.quotas.demand, Budgets: r.budgets.list,
	}}
	for _, d := range waiting {
		input.Gangs = append(input.Gangs, d.result)
	}
	for s, n := range r.objects.skipped {
		input.Skipped = append(input.Skipped, Skipped{s.Kind, s.APIVersion, n})
	}
	slices.SortFunc(input.Skipped, func(a, b Skipped) int {
		return cmp.Or(muster.CompareNatural(a.Kind, b.Kind), muster.CompareNatural(a.APIVersion, b.APIVersion))
	})
	return input
}

// handlers read one object each, by API group and kind.
type handlers map[string]func(*reader, *object)

// isRead says whether objects of an API group and kind are read.
func isRead(group, kind string) bool {
	name := group + "/" + kind
	return clusterKinds[name] != nil || gangKinds[name] != nil || isOwner(group, kind) || runtimes[name]
}

// each reads all objects of some kinds, in the order of the input.
func (r *reader) each(kinds handlers) {
	for _, o := range r.objects.list {
		if read := kinds[o.group+"/"+o.kind]; read != nil && !o.twin {
			read(r, o)
		}
	}
}

// clusterKinds are read first, because gangs refer to them.
var clusterKinds = handlers{
	"/Node": func(r *reader, o *object) { r.nodes.readNode(o) },
	"topology.node.k8s.io/NodeResourceTopology":        func(r *reader, o *object) { r.zones.readZones(o) },
	"scheduling.k8s.io/PriorityClass":                  func(r *reader, o *object) { r.priorities.readPriorityClass(o) },
	"kueue.x-k8s.io/Topology":                          func(r *reader, o *object) { r.trees.readLevels(o) },
	"kai.scheduler/Topology":                           func(r *reader, o *object) { r.trees.readLevels(o) },
	"topology.volcano.sh/HyperNode":                    func(r *reader, o *object) { r.trees.readHyperNode(o) },
	"scheduling.koordinator.sh/ClusterNetworkTopology": func(r *reader, o *object) { r.trees.readNetworkTopology(o) },
	"/" + treeKind:                                     func(r *reader, o *object) { r.trees.readTree(o) },
	"/ConfigMap":                                       func(r *reader, o *object) { r.trees.readConfigMap(o) },
	"scheduling.sigs.k8s.io/ElasticQuota":              func(r *reader, o *object) { r.quotas.readElasticQuota(o) },
	perNamespace + "/ElasticQuota":                     func(r *reader, o *object) { r.quotas.readElasticQuota(o) },
	volcanoQueues + "/Queue":                           func(r *reader, o *object) { r.quotas.readQueue(o) },
	"kueue.x-k8s.io/LocalQueue":                        func(r *reader, o *object) { r.localQueues[o.fullName()] = true },
	"kueue.x-k8s.io/WorkloadPriorityClass":             func(r *reader, o *object) { r.priorities.readWorkloadClass(o) },
	kaiQueues + "/Queue":                               func(r *reader, o *object) { r.quotas.readQueue(o) },
}

// gangKinds are read when the trees are known.
var gangKinds = handlers{
	"/Pod":                               func(r *reader, o *object) { r.pods.readPod(o) },
	"scheduling.sigs.k8s.io/PodGroup":    (*reader).readSigPodGroup,
	"scheduling.x-k8s.io/PodGroup":       (*reader).readSigPodGroup,
	"scheduling.koordinator.sh/PodGroup": (*reader).readSigPodGroup,
	"scheduling.volcano.sh/PodGroup":     (*reader).readVolcanoPodGroup,
	"scheduling.run.ai/PodGroup":         (*reader).readKAIPodGroup,
	"batch.volcano.sh/Job":               (*reader).readVolcanoJob,
	"batch/Job":                          (*reader).readJob,
	"kueue.x-k8s.io/Workload":            (*reader).readWorkload,
	"policy/PodDisruptionBudget":         func(r *reader, o *object) { r.budgets.readBudget(o) },
}
