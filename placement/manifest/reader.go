package manifest

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// reader is what the files say, part by part. Each part knows the parts that it names, and no other.
type reader struct {
	opt Options

	objects    object.Set
	notices    object.Notices
	amounts    amounts.Amounts
	nodes      nodes.Nodes
	zones      nodes.Zones
	trees      trees
	priorities priorities
	quotas     quotas
	pods       pods
	gangs      gangs
	owners     ownerReader
	inTree     inTree
	budgets    budgets
	running    []cluster.Running

	localQueues map[string]bool // of Kueue, by `namespace/name`
}

func newReader(opt Options, isRead func(group, kind string) bool) *reader {
	r := &reader{opt: opt, amounts: amounts.Amounts{}, localQueues: map[string]bool{}}
	r.objects = object.NewSet(isRead, &r.notices)
	r.nodes = nodes.New(r.amounts, &r.notices)
	r.zones = nodes.NewZones(r.amounts, &r.notices, &r.nodes)
	r.trees = trees{goOn: opt.KeepGoing, preferred: opt.Topology, objects: &r.objects, notices: &r.notices}
	r.quotas = quotas{goOn: opt.KeepGoing, amounts: r.amounts}
	r.pods = pods{amounts: r.amounts, zones: &r.zones, quotas: &r.quotas}
	r.gangs = gangs{objects: &r.objects, notices: &r.notices, byName: map[string]*draft{}, covered: map[string]*draft{}}
	r.inTree = inTree{
		trees: &r.trees, gangs: &r.gangs, notices: &r.notices,
		groups: map[string]*nested{}, above: map[string]*nested{}, workloads: map[string]*object.Object{},
	}
	r.gangs.inTree = &r.inTree
	r.owners = ownerReader{objects: &r.objects, trees: &r.trees, pods: &r.pods, priorities: &r.priorities, gangs: &r.gangs}
	return r
}
