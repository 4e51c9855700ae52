package manifest

import (
	"cmp"
	"errors"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Read reads all files together; the order of files and of objects changes nothing but the order of errors. All
// defects are reported, joined, each an [*Error]; a document that cannot be parsed is one. Unknown kinds and unknown
// fields are no defects. O(bytes + n log n) for n objects; the files are not kept.
func Read(files []File, opt Options) (*Input, error) {
	r := newReader(opt, isRead)
	for _, f := range files {
		r.objects.ReadFile(f.Name, f.Data, f.Open)
	}
	r.objects.MakeUpNames()
	r.each(clusterKinds)
	labeled := r.nodes.Index()
	r.zones.Place()
	r.trees.build(labeled)
	r.each(gangKinds)
	r.inTree.declare()
	r.owners.readAll()
	r.zones.CountUnknown()
	waiting := r.waiting()
	fatal, spared := r.defects(waiting)
	if len(fatal) > 0 {
		return nil, errors.Join(fatal...)
	}
	input := r.input(waiting)
	input.Defects = spared
	return input, nil
}

// defects are those that fail the whole input and, with KeepGoing, those that do not: of documents, nodes, quotas and
// topologies. Those of waiting gangs are the gangs' then, and neither.
func (r *reader) defects(waiting []*draft) (fatal, spared []error) {
	if !r.opt.KeepGoing {
		return sortErrors(r.objects.Errors(nil)), nil
	}
	kept := map[*object.Object]bool{}
	for _, d := range waiting {
		for _, o := range d.objects() {
			kept[o] = true
		}
	}
	var without, with []object.Located
	for _, e := range r.objects.Errors(kept) {
		if e.Of == nil || e.Of.Name == "" || spareable[e.Of.Kind] {
			with = append(with, e)
		} else {
			without = append(without, e)
		}
	}
	return sortErrors(without), sortErrors(with)
}

// spareable are the kinds without whose objects the rest can be planned: those that depend on them are refused.
var spareable = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "Topology": true, "HyperNode": true, "ClusterNetworkTopology": true, object.TreeKind: true,
	"ConfigMap": true, "ElasticQuota": true, "Queue": true,
}

// input is what was read, for the caller.
func (r *reader) input(waiting []*draft) *Input {
	input := &Input{Notices: r.notices, Spec: cluster.Spec{
		Trees: r.trees.all(), Nodes: r.nodes.List, Running: r.running,
		Quotas: r.quotas.tree, Demand: r.quotas.demand, Budgets: r.budgets.list,
	}}
	for _, d := range waiting {
		input.Gangs = append(input.Gangs, d.result)
	}
	input.Unread = r.quotas.unread
	for _, d := range r.gangs.drafts {
		if d.isGroup() && !d.done && len(d.pods)+len(d.promised) == 0 {
			input.Empty = append(input.Empty, d.obj.Title())
		}
	}
	slices.SortFunc(input.Empty, muster.CompareNatural)
	for s, n := range r.objects.Skipped {
		input.Skipped = append(input.Skipped, Skipped{s.Kind, s.Version, n})
	}
	slices.SortFunc(input.Skipped, func(a, b Skipped) int {
		return cmp.Or(muster.CompareNatural(a.Kind, b.Kind), muster.CompareNatural(a.APIVersion, b.APIVersion))
	})
	return input
}

// handlers read one object each, by API group and kind.
type handlers map[string]func(*reader, *object.Object)

// isRead says whether objects of an API group and kind are read.
func isRead(group, kind string) bool {
	name := group + "/" + kind
	return clusterKinds[name] != nil || gangKinds[name] != nil || isOwner(group, kind) || runtimes[name]
}

// each reads all objects of some kinds, in the order of the input. Those of one name that contradict each other all have a
// defect; of a kind that the rest can do without one is enough.
func (r *reader) each(kinds handlers) {
	for _, o := range r.objects.List {
		if read := kinds[o.Group+"/"+o.Kind]; read != nil && o.Name != "" && (!o.Twin || !spareable[o.Kind]) {
			read(r, o)
		}
	}
}

// clusterKinds are read first, because gangs refer to them.
var clusterKinds = handlers{
	"/Node": func(r *reader, o *object.Object) { r.nodes.ReadNode(o) },
	"topology.node.k8s.io/NodeResourceTopology":        func(r *reader, o *object.Object) { r.zones.ReadZones(o) },
	"scheduling.k8s.io/PriorityClass":                  func(r *reader, o *object.Object) { r.priorities.readPriorityClass(o) },
	"kueue.x-k8s.io/Topology":                          func(r *reader, o *object.Object) { r.trees.readLevels(o) },
	"kai.scheduler/Topology":                           func(r *reader, o *object.Object) { r.trees.readLevels(o) },
	"topology.volcano.sh/HyperNode":                    func(r *reader, o *object.Object) { r.trees.readHyperNode(o) },
	"scheduling.koordinator.sh/ClusterNetworkTopology": func(r *reader, o *object.Object) { r.trees.readNetworkTopology(o) },
	"/" + object.TreeKind:                              func(r *reader, o *object.Object) { r.trees.readTree(o) },
	"/ConfigMap":                                       func(r *reader, o *object.Object) { r.trees.readConfigMap(o) },
	"scheduling.sigs.k8s.io/ElasticQuota":              func(r *reader, o *object.Object) { r.quotas.readElasticQuota(o) },
	perNamespace + "/ElasticQuota":                     func(r *reader, o *object.Object) { r.quotas.readElasticQuota(o) },
	volcanoQueues + "/Queue":                           func(r *reader, o *object.Object) { r.quotas.readQueue(o) },
	"scheduling.koordinator.sh/Reservation":            (*reader).readReservation,
	"kueue.x-k8s.io/LocalQueue":                        func(r *reader, o *object.Object) { r.localQueues[o.FullName()] = true },
	"kueue.x-k8s.io/WorkloadPriorityClass":             func(r *reader, o *object.Object) { r.priorities.readWorkloadClass(o) },
	kaiQueues + "/Queue":                               func(r *reader, o *object.Object) { r.quotas.readQueue(o) },
}

// readReservation counts an object that holds capacity which nobody here knows of.
func (r *reader) readReservation(o *object.Object) {
	r.objects.Skip(o.Kind, o.Version)
	if r.opt.Strict {
		o.Note(&object.Defect{Line: o.Root.Line, Reason: "not modelled"})
	}
}

// gangKinds are read when the trees are known.
var gangKinds = handlers{
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
	"policy/PodDisruptionBudget":          func(r *reader, o *object.Object) { r.budgets.readBudget(o) },
}
