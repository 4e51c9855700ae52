package reference

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// specOf reads lines such as `s0/l0: n0=4 n1=2`: a path of domains and its nodes with their slots. Layers are named
// from the lowest up; a domain's tier is its distance from the lowest layer.
func specOf(t *testing.T, layers string, lines ...string) cluster.Spec {
	names := strings.Fields(layers)
	var spec topology.Spec
	for i, name := range names {
		spec.Layers = append(spec.Layers, topology.Layer{Name: name, Tier: i + 1})
	}
	var out cluster.Spec
	for _, line := range lines {
		path, cells, _ := strings.Cut(line, ":")
		var nodes []string
		for _, cell := range strings.Fields(cells) {
			name, slots, _ := strings.Cut(cell, "=")
			n, err := strconv.ParseInt(slots, 10, 64)
			require.NoError(t, err)
			nodes = append(nodes, name)
			out.Nodes = append(out.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": n}})
		}
		addPath(&spec.Roots, strings.Split(path, "/"), len(names), nodes)
	}
	tree, err := topology.New(spec)
	require.NoError(t, err)
	out.Trees = []cluster.NamedTree{{Tree: tree}}
	return out
}

func addPath(domains *[]topology.Domain, path []string, tier int, nodes []string) {
	i := 0
	for i < len(*domains) && (*domains)[i].Name != path[0] {
		i++
	}
	if i == len(*domains) {
		*domains = append(*domains, topology.Domain{Name: path[0], Tier: tier})
	}
	if d := &(*domains)[i]; len(path) == 1 {
		d.Nodes = nodes
	} else {
		addPath(&d.Children, path[1:], tier-1, nodes)
	}
}

// job is a gang of members that take one slot each, in groups of these sizes.
func job(members int, sizes ...int) gang.Request {
	req := gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("job-%d", i)})
	}
	for _, size := range sizes {
		req.Groups = append(req.Groups, gang.Groups{Size: size})
	}
	return req
}

// nodes of an answer in rank order.
func nodes(a *Answer) string {
	var out []string
	for _, x := range a.Assignments {
		out = append(out, x.Node)
	}
	return strings.Join(out, " ")
}

// blocks of one node each, with so many slots.
func blocks(sizes ...int) []string {
	var lines []string
	for i, n := range sizes {
		lines = append(lines, fmt.Sprintf("s0/b%d: n%d=%d", i, i, n))
	}
	return lines
}

var preferSpine = []gang.Rule{{Layer: "spine", Strength: gang.PreferGather}}

// byHand are cases worked out on paper.
var byHand = []struct {
	name   string
	spec   []string
	req    gang.Request
	gather []gang.Rule
	policy gang.Policy
	domain string
	worth  []int
	nodes  string
}{
	{
		name: "eleven over ten, six, five take six and five", spec: blocks(10, 6, 5), req: job(11),
		domain: "s0", worth: []int{2}, nodes: "n1 n1 n1 n1 n1 n1 n2 n2 n2 n2 n2",
	},
	{
		name: "thirteen over 12, 8, 5, 4 take 8 and 5", spec: blocks(12, 8, 5, 4), req: job(13),
		domain: "s0", worth: []int{2}, nodes: "n1 n1 n1 n1 n1 n1 n1 n1 n2 n2 n2 n2 n2",
	},
	{
		name: "equal sums: the set whose largest child is smallest", spec: []string{"s0/b0: n0=8 n1=2 n2=6 n3=4"},
		req: job(10), domain: "s0/b0", worth: []int{1}, nodes: "n2 n2 n2 n2 n2 n2 n3 n3 n3 n3",
	},
	{
		name: "a block that holds all, the smallest", spec: blocks(12, 8, 5, 4), req: job(4),
		domain: "s0/b3/n3", worth: []int{0}, nodes: "n3 n3 n3 n3",
	},
	{
		name: "pairs whole on a node beat pairs spread in a block", spec: []string{"s0/b0: n0=1 n1=2 n2=2 n3=1"},
		req: job(4, 2), domain: "s0/b0", worth: []int{1, 0}, nodes: "n1 n1 n2 n2",
	},
	{
		name: "one triple whole in a unit beats fewer units with none whole",
		spec: []string{
			"l1/u1: a1=1 a2=1", "l1/u2: a3=1 a4=1", "l1/u3: a5=1 a6=1",
			"l2/u1: b1=1 b2=1 b3=1", "l2/u2: b4=1", "l2/u3: b5=1", "l2/u4: b6=1",
		},
		req: job(6, 3), domain: "l2", worth: []int{2, 2}, nodes: "b1 b2 b3 b4 b5 b6",
	},
	{
		name: "seven in triples over units of five and two: one triple must split",
		spec: []string{"l1/u1: n1=1 n2=1 n3=1 n4=1 n5=1", "l1/u2: n6=1 n7=1"},
		req:  job(7, 3), domain: "l1", worth: []int{2, 2}, nodes: "n1 n2 n3 n4 n5 n6 n7",
	},
	{
		name: "the short last group goes where it fits",
		spec: []string{"l1/u1: n1=1 n2=1", "l1/u2: n3=1", "l1/u3: n4=1 n5=1"},
		req:  job(5, 2), domain: "l1", worth: []int{2, 1}, nodes: "n1 n2 n4 n5 n3",
	},
	{
		name: "spread fills evenly", spec: blocks(3, 3, 3), req: job(5), policy: gang.Spread,
		gather: preferSpine, domain: "s0", worth: []int{2}, nodes: "n0 n0 n0 n1 n1",
	},
	{
		name: "only the spine is worth having: the smaller spine, not the single node",
		spec: []string{"s0/b0: n0=4 n1=1", "s1/b1: n2=1 n3=1"}, req: job(2),
		gather: preferSpine, domain: "s1", worth: []int{2}, nodes: "n2 n3",
	},
	{
		name: "natural order", spec: []string{"s0/b0: n10=1 n9=1 n8=1"}, req: job(2),
		domain: "s0/b0", worth: []int{1}, nodes: "n8 n9",
	},
	{
		name: "one spine beats whole pairs across spines",
		spec: []string{
			"s0/b0: n0=1 n1=1 n2=1", "s0/b1: n3=1 n4=0", "s1/b2: n5=1 n6=1 n7=1", "s1/b3: n8=0 n9=0 n10=0 n11=0",
		},
		req: job(4, 2), domain: "s0", worth: []int{2, 2}, nodes: "n0 n1 n2 n3",
	},
	{
		name: "a last group that fits beside no full group has a child of its own", policy: gang.Spread,
		spec: []string{"s0/b0: n0=4 n1=3 n2=3"}, req: job(5, 3), gather: preferSpine,
		domain: "s0", worth: []int{2, 0}, nodes: "n0 n0 n0 n1 n1",
	},
}

func TestReferenceByHand(t *testing.T) {
	for _, tc := range byHand {
		t.Run(tc.name, func(t *testing.T) {
			tc.req.Gather, tc.req.Policy = tc.gather, tc.policy
			a, err := Solve(Input{Spec: specOf(t, "block spine", tc.spec...), Request: tc.req})
			require.NoError(t, err)
			require.True(t, a.Placed)
			assert.Equal(t, tc.domain, strings.Join(a.Domain, "/"))
			assert.Equal(t, tc.worth, a.Worth)
			assert.Equal(t, tc.nodes, nodes(a))
		})
	}
}

func TestReferenceRules(t *testing.T) {
	spec := specOf(t, "block spine", "s0/b0: n1=5 n2=5", "s0/b1: n3=7 n4=7")
	multiple := job(12)
	multiple.Gather = []gang.Rule{{Layer: "0", Multiple: 3}, {Layer: "block", Multiple: 4}}
	a, err := Solve(Input{Spec: spec, Request: multiple})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"n3": 6, "n4": 6}, a.Counts, "three per node and four per block")

	must := job(15)
	must.Gather = []gang.Rule{{Layer: "block", Strength: gang.MustGather}}
	a, err = Solve(Input{Spec: spec, Request: must})
	require.NoError(t, err)
	assert.Equal(t, &Answer{Wanted: 15, Fits: 14}, a)

	must.MinMember = 9
	a, err = Solve(Input{Spec: spec, Request: must})
	require.NoError(t, err)
	assert.Equal(t, 14, a.Members, "members before tier")

	late := job(2)
	spec.Running = []cluster.Running{{
		Gang: "job", Member: "job-9", Node: "n1", Resources: muster.Resources{"gpu": 4},
	}, {
		Gang: "x", Member: "x-0", Node: "n2", Resources: muster.Resources{"gpu": 5}, Leaving: true,
	}, {
		Gang: "x", Member: "x-1", Node: "n4", Resources: muster.Resources{"gpu": 7},
	}}
	a, err = Solve(Input{Spec: spec, Request: late})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"n1": 1, "n3": 1}, a.Counts, "beside the sibling, then in the tightest domain")

	late.Gather = []gang.Rule{{Layer: "block", Strength: gang.MustGather}}
	a, err = Solve(Input{Spec: spec, Request: late})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"n1": 1, "n2": 1}, a.Counts)
	waited := placement.Waited{MemberRef: cluster.MemberRef{Gang: "x", Member: "x-0"}, Node: "n2"}
	assert.Equal(t, []placement.Waited{waited}, a.WaitsFor)
}

// While a gang of one shape waits it has no further members if it has multiples, though there is room for two of them.
func TestNoFurtherMembersWithMultiples(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=4 n2=2"), Request: job(6)}
	in.Spec.Running = []cluster.Running{{Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{"gpu": 4}, Leaving: true}}
	in.Request.MinMember, in.Request.Gather = 4, []gang.Rule{{Layer: "block", Strength: gang.PreferGather}}
	a, err := Solve(in)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"n1": 4, "n2": 2}, a.Counts)

	in.Request.Gather = append(in.Request.Gather, gang.Rule{Layer: "0", Multiple: 2})
	a, err = Solve(in)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"n1": 4}, a.Counts)
}

// While x-0 is there, the first member of the unit would find the zone with the device as good as the other one, and leave no CPU there to the second.
// Once it is gone each goes where it does not disturb, which would be possible before. So the unit waits.
func TestUnitWaitsForTheZonesOfItsFirstMember(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=1"), Request: job(2, 2)}
	cpus := func(n int64) muster.Resources { return muster.Resources{muster.CPU: 1000 * n} }
	in.Spec.Nodes[0].Allocatable[muster.CPU] = 4000
	in.Spec.Nodes[0].NUMA = &cluster.NUMA{Zones: []numa.Zone{
		{ID: 0, Allocatable: muster.Resources{muster.CPU: 2000, "gpu": 1}}, {ID: 1, Allocatable: cpus(1)},
	}}
	in.Spec.Running = []cluster.Running{{
		Gang: "x", Member: "x-0", Node: "n1", Resources: cpus(1), Leaving: true,
		NUMA: &numa.Placed{Policy: numa.BestEffort, Shares: []numa.Share{{Zone: 0, Resources: cpus(1)}}},
	}, {Gang: "x", Member: "x-1", Node: "n1", Resources: cpus(1), Leaving: true}}
	in.Request.Groups[0].Gather = []gang.Rule{{Layer: "0", Strength: gang.MustGather}}
	for i, amounts := range []muster.Resources{cpus(1), {muster.CPU: 1000, "gpu": 1}} {
		in.Request.Members[i].Shape = &gang.Shape{Resources: amounts, NUMA: gang.NUMA{Policy: numa.SingleNUMANode}}
	}
	want, err := Solve(in)
	require.NoError(t, err)
	require.Len(t, want.WaitsFor, 1)
	res, err := plan(in, &in.Request)
	require.NoError(t, difference(in, want, res, err))

	res.WaitsFor = append(res.WaitsFor, placement.Waited{MemberRef: cluster.MemberRef{Gang: "x", Member: "x-1"}, Node: "n1"})
	require.ErrorContains(t, difference(in, want, res, nil), "waits for x x-1 without need", "it has no share of the zones")

	in.Request.Groups = nil // the one with the device finds a zone before the other
	res, err = plan(in, &in.Request)
	require.NoError(t, err)
	require.Empty(t, res.WaitsFor)
	require.NoError(t, waitsWithoutNeed(&in, res))
	res.WaitsFor = want.WaitsFor
	require.ErrorContains(t, waitsWithoutNeed(&in, res), "waits for x-0 without need")
}

// Who must lie in one zone, and may beside others, comes first: while x-0 is there into zone 0, where one of the two others needs both devices then.
func TestRolesWaitForTheZonesOfTheFirst(t *testing.T) {
	in := Input{Spec: specOf(t, "block spine", "s0/b0: n1=7"), Request: job(3)}
	devices := func(n int64) muster.Resources { return muster.Resources{"gpu": n} }
	in.Spec.Nodes[0].NUMA = &cluster.NUMA{Zones: []numa.Zone{{ID: 0, Allocatable: devices(4)}, {ID: 1, Allocatable: devices(3)}}}
	in.Spec.Running = []cluster.Running{{
		Gang: "x", Member: "x-0", Node: "n1", Resources: muster.Resources{}, Leaving: true,
		NUMA: &numa.Placed{Policy: numa.BestEffort, Shares: []numa.Share{{Zone: 0, Resources: devices(2)}}},
	}}
	for i := range in.Request.Members {
		shape := gang.Shape{Resources: devices(2), NUMA: gang.NUMA{Policy: numa.BestEffort}}
		if i == 2 {
			shape = gang.Shape{Resources: devices(1), NUMA: gang.NUMA{Policy: numa.SingleNUMANode, Exclusive: numa.Preferred}}
		}
		in.Request.Members[i].Shape = &shape
	}
	want, err := Solve(in)
	require.NoError(t, err)
	require.Len(t, want.WaitsFor, 1)
	res, err := plan(in, &in.Request)
	require.NoError(t, difference(in, want, res, err))
	require.NoError(t, waitsWithoutNeed(&in, res))
}
