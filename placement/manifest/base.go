package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/budgets"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// base is what gangs refer to, and does not depend on them: nodes with their zones, topologies, classes, quotas, budgets.
type base struct {
	opt Options

	objects    *object.Set
	notices    *object.Notices
	amounts    amounts.Amounts
	nodes      nodes.Nodes
	zones      nodes.Zones
	trees      trees.Trees
	priorities priorities.All
	quotas     quotas.All
	budgets    budgets.All

	localQueues map[string]bool           // of Kueue, by `namespace/name`
	runtimes    map[string]*object.Object // of TrainJobs, see runtimeName

	queues, keys map[string]bool // that gangs use, if that was known before they are read
}

// newBase will read the objects of a set.
func newBase(opt Options, objects *object.Set, notices *object.Notices) *base {
	b := &base{opt: opt, objects: objects, notices: notices, amounts: amounts.Amounts{}, localQueues: map[string]bool{}, runtimes: map[string]*object.Object{}}
	b.nodes = nodes.New(b.amounts)
	b.zones = nodes.NewZones(b.amounts, notices, &b.nodes)
	b.trees = trees.New(objects, notices, opt.KeepGoing, opt.Topology, opt.Trees, opt.Layers)
	b.quotas = quotas.New(opt.KeepGoing, b.amounts)
	return b
}

// read reads what gangs refer to, but for the quotas: these are built when it is known which Queues gangs name.
func (b *base) read() {
	each(b.objects, clusterKinds, b)
	b.nodes.Index()
	b.zones.Place()
	b.trees.Build(b.nodes.Labeled)
}

// told is what is worth saying of the base: of its objects, and of the trees of its nodes.
func (b *base) told() object.Notices { return slices.Concat(*b.notices, b.trees.Notices()) }

// each reads all objects of some kinds, in the order of the input. Those of one name that contradict each other all have a
// defect; of a kind that the rest can do without one is enough.
func each[T any](objects *object.Set, kinds map[string]func(T, *object.Object), of T) {
	for _, o := range objects.List {
		if read := kinds[o.Group+"/"+o.Kind]; read != nil && o.Name != "" && (!o.Twin || !spareable[o.Kind]) {
			read(of, o)
		}
	}
}

// clusterKinds are read before gangs, by API group and kind.
var clusterKinds = map[string]func(*base, *object.Object){
	"/Node": func(b *base, o *object.Object) { b.nodes.ReadNode(o) },
	"topology.node.k8s.io/NodeResourceTopology":        func(b *base, o *object.Object) { b.zones.ReadZones(o) },
	"scheduling.k8s.io/PriorityClass":                  func(b *base, o *object.Object) { b.priorities.Read(o) },
	"kueue.x-k8s.io/Topology":                          func(b *base, o *object.Object) { b.trees.ReadLevels(o) },
	"kai.scheduler/Topology":                           func(b *base, o *object.Object) { b.trees.ReadLevels(o) },
	"topology.volcano.sh/HyperNode":                    func(b *base, o *object.Object) { b.trees.ReadHyperNode(o) },
	"scheduling.koordinator.sh/ClusterNetworkTopology": func(b *base, o *object.Object) { b.trees.ReadNetworkTopology(o) },
	"/" + object.TreeKind:                              func(b *base, o *object.Object) { b.trees.ReadTree(o) },
	"/ConfigMap":                                       func(b *base, o *object.Object) { b.trees.ReadConfigMap(o) },
	"scheduling.sigs.k8s.io/ElasticQuota":              func(b *base, o *object.Object) { b.quotas.ReadElasticQuota(o) },
	quotas.PerNamespace + "/ElasticQuota":              func(b *base, o *object.Object) { b.quotas.ReadElasticQuota(o) },
	quotas.Volcano + "/Queue":                          func(b *base, o *object.Object) { b.quotas.ReadQueue(o) },
	"scheduling.koordinator.sh/Reservation":            (*base).readReservation,
	"kueue.x-k8s.io/LocalQueue":                        func(b *base, o *object.Object) { b.localQueues[o.FullName()] = true },
	"kueue.x-k8s.io/WorkloadPriorityClass":             func(b *base, o *object.Object) { b.priorities.ReadOfWorkloads(o) },
	quotas.KAI + "/Queue":                              func(b *base, o *object.Object) { b.quotas.ReadQueue(o) },
	"trainer.kubeflow.org/ClusterTrainingRuntime":      (*base).readRuntime,
	"trainer.kubeflow.org/TrainingRuntime":             (*base).readRuntime,
	"policy/PodDisruptionBudget":                       func(b *base, o *object.Object) { b.budgets.Read(o) },
}

// classKinds are those of them that are read one by one, by API group and kind.
var classKinds = map[string]bool{"scheduling.k8s.io/PriorityClass": true, "kueue.x-k8s.io/WorkloadPriorityClass": true}

// readRuntime keeps what TrainJobs refer to; of two of one name the first.
func (b *base) readRuntime(o *object.Object) {
	if name := runtimeName(o.Kind, o.Namespace, o.Name); b.runtimes[name] == nil {
		b.runtimes[name] = o
	}
}

// readReservation counts an object that holds capacity which nobody here knows of.
func (b *base) readReservation(o *object.Object) {
	b.objects.Skip(o.Kind, o.Version)
	if b.opt.Strict {
		o.Note(&object.Defect{Line: o.Root.Line, Reason: "not modelled"})
	}
}

// spareable are the kinds without whose objects the rest can be planned: those that depend on them are refused.
var spareable = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "Topology": true, "HyperNode": true, "ClusterNetworkTopology": true, object.TreeKind: true,
	"ConfigMap": true, "ElasticQuota": true, "Queue": true,
}
