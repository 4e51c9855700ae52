package validity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// amounts are devices and milli-CPU; what is 0 is not named.
func amounts(gpus, cpu int64) muster.Resources {
	r := muster.Resources{}
	if gpus > 0 {
		r["gpu"] = gpus
	}
	if cpu > 0 {
		r[muster.CPU] = cpu
	}
	return r
}

func placed(policy numa.Policy, shares ...numa.Share) *numa.Placed {
	return &numa.Placed{Policy: policy, Shares: shares}
}

func share(zone int, gpus, cpu int64) numa.Share {
	return numa.Share{Zone: zone, Resources: amounts(gpus, cpu)}
}

// zonedCase is what the cases below change: two members on n0, one beside the other.
type zonedCase struct {
	node    *cluster.Node
	spec    cluster.Spec
	req     gang.Request
	running *cluster.Running // leaves, has a device of zone 0
	first   *placement.Assignment
	second  *placement.Assignment
	waits   []placement.Waited
}

// zonedPair is a node with zones 0, 1 and 3 of four devices and 4.5 CPUs each, where a member leaves and is not waited
// for, and two restricted members of six devices and four whole CPUs.
func zonedPair() *zonedCase {
	z := &zonedCase{}
	node := cluster.Node{Name: "n0", Allocatable: amounts(12, 13500), NUMA: &cluster.NUMA{}}
	for _, id := range []int{3, 0, 1} {
		node.NUMA.Zones = append(node.NUMA.Zones, numa.Zone{ID: id, Allocatable: amounts(4, 4500)})
	}
	z.spec.Nodes = []cluster.Node{node}
	z.node = &z.spec.Nodes[0]
	z.spec.Running = []cluster.Running{{
		Gang: "x", Member: "x-0", Node: "n0", Resources: amounts(1, 0), Leaving: true, NUMA: placed(numa.BestEffort, share(0, 1, 0)),
	}}
	z.running = &z.spec.Running[0]
	z.req = gang.Request{
		Name:    "job",
		Shape:   gang.Shape{Resources: amounts(5, 4000), NUMA: gang.NUMA{Policy: numa.Restricted, CPUs: numa.WholeCPUs}},
		Members: []gang.Member{{Name: "a"}, {Name: "b"}},
	}
	z.req.Shape.Resources[muster.Memory] = 1 // has no zones
	node.Allocatable[muster.Memory] = 2
	return z
}

func (z *zonedCase) result() *placement.Result {
	res := &placement.Result{
		Gang: "job", Tier: 0, Layer: "node", Domain: []string{"n0"}, Strategy: "node", StrategyNumber: 1,
		Assignments: []placement.Assignment{
			{Member: "a", Rank: 0, Group: -1, Node: "n0", NUMA: placed(numa.Restricted, share(0, 3, 0), share(1, 2, 4000))},
			{Member: "b", Rank: 1, Group: -1, Node: "n0", NUMA: placed(numa.Restricted, share(1, 2, 0), share(3, 3, 4000))},
		},
	}
	z.first, z.second = &res.Assignments[0], &res.Assignments[1]
	return res
}

func (z *zonedCase) wait() {
	z.waits = []placement.Waited{{MemberRef: cluster.MemberRef{Gang: "x", Member: "x-0"}, Node: "n0"}}
}

func TestCheckSeesDefectsOfZones(t *testing.T) {
	z := zonedPair()
	res := z.result()
	require.NoError(t, validity.Check(z.spec, &z.req, res))
	single := func(z *zonedCase) { // both members in one zone each
		z.req.Shape.NUMA.Policy, z.req.Shape.Resources = numa.SingleNUMANode, amounts(2, 0)
		z.first.NUMA, z.second.NUMA = placed(numa.SingleNUMANode, share(0, 2, 0)), placed(numa.SingleNUMANode, share(1, 2, 0))
	}
	for _, tc := range []struct {
		want  string // empty: valid
		spoil func(z *zonedCase)
	}{
		{"a has another NUMA policy than the node", func(z *zonedCase) { z.node.NUMA.Policy = numa.BestEffort }},
		{"", func(z *zonedCase) { z.node.NUMA.Policy = numa.Restricted }},
		{"", func(z *zonedCase) { z.req.Shape.NUMA.Policy, z.node.NUMA.Policy = "", numa.Restricted }},
		{"a has zones although no policy applies", func(z *zonedCase) { z.req.Shape.NUMA.Policy = "" }},
		{"", func(z *zonedCase) { z.req.Shape.NUMA.Policy, z.first.NUMA, z.second.NUMA = "", nil, nil }},
		{"nothing that it asks for has zones", func(z *zonedCase) { z.req.Shape.Resources = muster.Resources{muster.Memory: 1} }},
		{"", func(z *zonedCase) {
			z.req.Shape.Resources, z.first.NUMA, z.second.NUMA = muster.Resources{muster.Memory: 1}, nil, nil
		}},
		{"and the node no zones", func(z *zonedCase) {
			z.req.Shape.Resources, z.first.NUMA, z.second.NUMA = muster.Resources{muster.Memory: 1}, nil, nil
			z.node.NUMA.Zones = nil
		}},
		{"and the node no zones", func(z *zonedCase) { z.node.NUMA = nil }},
		{"b is not placed under Restricted", func(z *zonedCase) { z.second.NUMA = nil }},
		{"b is not placed under Restricted", func(z *zonedCase) { z.second.NUMA.Policy = numa.BestEffort }},
		{"zone 2, which the node lacks", func(z *zonedCase) { z.first.NUMA.Shares[1].Zone = 2 }},
		{"a has a share of zone 0 behind one of zone 0", func(z *zonedCase) { z.first.NUMA.Shares[1].Zone = 0 }},
		{"a share of nothing of zone 3", func(z *zonedCase) {
			z.first.NUMA.Shares = append(z.first.NUMA.Shares, share(3, 0, 0))
		}},
		{"a has 1 memory of zone 0", func(z *zonedCase) { z.first.NUMA.Shares[0].Resources[muster.Memory] = 1 }},
		{"a has -1 gpu of zone 0", func(z *zonedCase) { z.first.NUMA.Shares[0].Resources["gpu"] = -1 }},
		{"a has 4 gpu of the zones, want 5", func(z *zonedCase) { z.first.NUMA.Shares[0].Resources["gpu"] = 2 }},
		{"a has 0 cpu of the zones, want 4000", func(z *zonedCase) { delete(z.first.NUMA.Shares[1].Resources, muster.CPU) }},
		{"a finds too little gpu in zone 0", func(z *zonedCase) { z.first.NUMA.Shares = []numa.Share{share(0, 4, 4000), share(1, 1, 0)} }},
		{"", func(z *zonedCase) {
			z.first.NUMA.Shares = []numa.Share{share(0, 4, 4000), share(1, 1, 0)}
			z.spec.Running = nil
		}},
		{"b finds too little gpu in zone 1", func(z *zonedCase) { z.second.NUMA.Shares = []numa.Share{share(1, 3, 0), share(3, 2, 4000)} }},
		{"b finds too little gpu in zone 3", func(z *zonedCase) {
			z.node.NUMA.InUse = []numa.Occupied{{ID: 3, Used: amounts(2, 0)}}
		}},
		{"a finds too little cpu in zone 0", func(z *zonedCase) {
			z.first.NUMA.Shares = []numa.Share{share(0, 3, 4500), share(1, 2, 0)}
			z.req.Shape.Resources[muster.CPU] = 4500
		}},
		{"b finds too little cpu in zone 3", func(z *zonedCase) {
			z.req.Shape.NUMA = gang.NUMA{Policy: numa.Restricted, CPUs: numa.WholeCores, ThreadsPerCore: 3}
			z.req.Shape.Resources[muster.CPU] = 3000
			z.first.NUMA.Shares = []numa.Share{share(0, 3, 0), share(1, 2, 3000)}
			z.second.NUMA.Shares = []numa.Share{share(1, 2, 0), share(3, 3, 3000)}
			z.node.NUMA.InUse = []numa.Occupied{{ID: 3, Used: amounts(0, 2000)}}
		}},
		{"a has shares of 3 zones, an empty node needs 2", func(z *zonedCase) {
			z.first.NUMA.Shares = []numa.Share{share(0, 3, 0), share(1, 1, 4000), share(3, 1, 0)}
		}},
		{"an empty node needs 1", func(z *zonedCase) {
			z.req.Shape.Resources, z.first.NUMA.Shares = amounts(4, 0), []numa.Share{share(0, 3, 0), share(1, 1, 0)}
		}},
		{"an empty node needs 2", func(z *zonedCase) { // CPUs of whole pieces alone count in the empty node as well
			z.req.Shape.Resources, z.first.NUMA.Shares = amounts(1, 4500), []numa.Share{share(3, 1, 4500)}
		}},
		{"", func(z *zonedCase) {
			z.req.Shape.NUMA.Policy, z.first.NUMA.Policy, z.second.NUMA.Policy = numa.BestEffort, numa.BestEffort, numa.BestEffort
			z.first.NUMA.Shares = []numa.Share{share(0, 3, 0), share(1, 1, 4000), share(3, 1, 0)}
		}},
		{"", single},
		{"a has shares of 2 zones, want one", func(z *zonedCase) {
			single(z)
			z.first.NUMA.Shares = []numa.Share{share(0, 1, 0), share(1, 1, 0)}
		}},
		{"a spans zone 0, which hosts a member of one zone", func(z *zonedCase) { z.running.NUMA.Policy = numa.SingleNUMANode }},
		{"b spans zone 3, which hosts a member of one zone", func(z *zonedCase) {
			z.node.NUMA.InUse = []numa.Occupied{{ID: 3, Hosts: numa.HostsSingle}}
		}},
		{"", func(z *zonedCase) {
			z.running.NUMA.Policy, z.req.Shape.NUMA.Exclusive = numa.SingleNUMANode, numa.Preferred
		}},
		{"", func(z *zonedCase) { z.running.NUMA.Policy, z.spec.NUMAExclusive = numa.SingleNUMANode, numa.Preferred }},
		{"a spans zone 0", func(z *zonedCase) { // the member's own word counts
			z.running.NUMA.Policy, z.spec.NUMAExclusive = numa.SingleNUMANode, numa.Preferred
			z.req.Shape.NUMA.Exclusive = numa.Required
		}},
		{"a spans zone 0", func(z *zonedCase) { // members that take the node's policy are strict
			z.running.NUMA.Policy, z.spec.NUMAExclusive = numa.SingleNUMANode, numa.Preferred
			z.req.Shape.NUMA.Policy, z.node.NUMA.Policy = "", numa.Restricted
		}},
		{"", func(z *zonedCase) { // unless they say otherwise
			z.running.NUMA.Policy, z.req.Shape.NUMA.Exclusive = numa.SingleNUMANode, numa.Preferred
			z.req.Shape.NUMA.Policy, z.node.NUMA.Policy = "", numa.Restricted
		}},
		{"a has zone 0, which hosts a member that spans zones", func(z *zonedCase) {
			single(z)
			z.running.NUMA.Shares = []numa.Share{share(0, 1, 0), share(3, 1, 0)}
		}},
		{"", func(z *zonedCase) { // a share of nothing is none
			single(z)
			z.running.NUMA.Shares = []numa.Share{share(0, 1, 0), share(3, 0, 0)}
		}},
		{"b has zone 1, which hosts a member that spans zones", func(z *zonedCase) { // a new one before it
			z.req.Members[1].Shape = &gang.Shape{Resources: amounts(1, 0), NUMA: gang.NUMA{Policy: numa.SingleNUMANode}}
			z.second.NUMA = placed(numa.SingleNUMANode, share(1, 1, 0))
		}},
		{"waits for x x-0 without need", func(z *zonedCase) { z.wait() }},
		{"", func(z *zonedCase) {
			z.wait()
			z.running.NUMA.Policy = numa.SingleNUMANode
		}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			z := zonedPair()
			res := z.result()
			tc.spoil(z)
			res.WaitsFor = z.waits
			err := validity.Check(z.spec, &z.req, res)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

// Units of several shapes come into the zones one after the other: a member may have the whole CPUs that those before it leave, however those of its
// shape would come at once.
func TestMembersOfUnitsComeOneAfterTheOther(t *testing.T) {
	node := cluster.Node{Name: "n0", Allocatable: amounts(2, 4500), NUMA: &cluster.NUMA{}}
	for id := range 3 {
		node.NUMA.Zones = append(node.NUMA.Zones, numa.Zone{ID: id, Allocatable: amounts(0, 1500)})
	}
	cpus := &gang.Shape{Resources: amounts(0, 1500), NUMA: gang.NUMA{Policy: numa.BestEffort, CPUs: numa.WholeCPUs}}
	device := &gang.Shape{Resources: amounts(1, 0)}
	req := &gang.Request{
		Name:    "job",
		Groups:  []gang.Groups{{Size: 2, Gather: []gang.Rule{{Layer: "0", Strength: gang.MustGather}}}},
		Members: []gang.Member{{Name: "a", Shape: cpus}, {Name: "b", Shape: device}, {Name: "c", Shape: cpus}, {Name: "d", Shape: device}},
	}
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "d", Tier: 1, Nodes: []string{"n0"}}}})
	require.NoError(t, err)
	spec := cluster.Spec{Nodes: []cluster.Node{node}, Trees: []cluster.NamedTree{{Name: "t", Tree: tree}}}
	check := func(first, second []numa.Share) error {
		on := func(member string, rank int, p *numa.Placed) placement.Assignment {
			return placement.Assignment{Member: member, Rank: rank, Group: rank / 2, Node: "n0", NUMA: p}
		}
		return validity.Check(spec, req, &placement.Result{
			Gang: "job", Tree: "t", Tier: 0, Layer: "node", Domain: []string{"d", "n0"}, Strategy: "node/node", StrategyNumber: 1, GroupTiers: []int{0},
			Assignments: []placement.Assignment{
				on("a", 0, placed(numa.BestEffort, first...)), on("b", 1, nil), on("c", 2, placed(numa.BestEffort, second...)), on("d", 3, nil),
			},
		})
	}
	first := []numa.Share{share(0, 0, 1000), share(1, 0, 500)}
	require.NoError(t, check(first, []numa.Share{share(1, 0, 1000), share(2, 0, 500)}))
	require.ErrorContains(t, check(first, []numa.Share{share(0, 0, 500), share(1, 0, 1000)}), "c finds too little cpu in zone 0")
}

// Groups of one shape are no units, whatever their size: their members come at once.
func TestGroupsOfOneShapeComeAtOnce(t *testing.T) {
	node := cluster.Node{Name: "n0", Allocatable: amounts(0, 3000), NUMA: &cluster.NUMA{Zones: []numa.Zone{{Allocatable: amounts(0, 3000)}}}}
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{{Name: "d", Tier: 1, Nodes: []string{"n0"}}}})
	require.NoError(t, err)
	spec := cluster.Spec{Nodes: []cluster.Node{node}, Trees: []cluster.NamedTree{{Name: "t", Tree: tree}}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	req := &gang.Request{
		Name: "job", Members: []gang.Member{{Name: "a"}, {Name: "b"}},
		Shape:  gang.Shape{Resources: amounts(0, 1500), NUMA: gang.NUMA{Policy: numa.BestEffort, CPUs: numa.WholeCPUs}},
		Groups: []gang.Groups{{Size: 1, Gather: []gang.Rule{{Layer: "0", Strength: gang.MustGather}}}},
	}
	res, err := placement.Plan(c, req)
	require.NoError(t, err)
	require.NoError(t, validity.Check(spec, req, res))
}
