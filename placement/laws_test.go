package placement_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// What is freed never makes a gang that fits one that does not, and never makes its tiers worse.
func TestWhatIsFreedHarmsNoPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		strict := rapid.Bool().Draw(t, "compare tiers")
		if strict {
			wantAllNow(&spec, req)
		}
		freer, ok := free(t, spec, req)
		if !ok {
			t.Skip("nothing can be freed")
		}
		before, err := placement.Plan(newCluster(t, spec), req)
		if err != nil {
			return
		}
		after, err := placement.Plan(newCluster(t, freer), req)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(after.Assignments), len(before.Assignments)*bit(len(before.WaitsFor) == 0))
		if strict {
			require.LessOrEqual(t, slices.Compare(tiers(&spec, req, after), tiers(&spec, req, before)), 0,
				"before %v, after %v", before, after)
		}
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// wantAllNow asks for all members, on what is free now, as tight as can be.
func wantAllNow(spec *cluster.Spec, req *gang.Request) {
	req.MinMember = 0
	for i := range spec.Running {
		spec.Running[i].Leaving = false
	}
	soft := func(r gang.Rule) bool { return r.Strength == gang.PreferGather }
	req.Gather = slices.DeleteFunc(req.Gather, soft)
	for i := range req.Groups {
		req.Groups[i].Gather = slices.DeleteFunc(req.Groups[i].Gather, soft)
	}
}

// free takes away a member of another gang, or opens a node.
func free(t *rapid.T, spec cluster.Spec, req *gang.Request) (cluster.Spec, bool) {
	var moves []func()
	freer := spec
	freer.Nodes = slices.Clone(spec.Nodes)
	for i := range spec.Running {
		if spec.Running[i].Gang != req.Name {
			moves = append(moves, func() { freer.Running = without(spec.Running, i) })
		}
	}
	for i, n := range spec.Nodes {
		if n.Cordoned || n.NotReady || len(n.Taints) > 0 {
			moves = append(moves, func() {
				freer.Nodes[i].Cordoned, freer.Nodes[i].NotReady, freer.Nodes[i].Taints = false, false, nil
			})
		}
	}
	if len(moves) == 0 {
		return spec, false
	}
	rapid.SampledFrom(moves).Draw(t, "freed")()
	return freer, true
}

// tiers is what plans of a gang without preferences are compared by first.
func tiers(spec *cluster.Spec, req *gang.Request, res *placement.Result) []int {
	net, _ := validity.NewNetwork(spec, req)
	outside := 0
	for _, a := range res.Assignments {
		outside += bit(net.Smallest([]string{a.Node}).Outside)
	}
	return append([]int{outside, res.Tier}, res.GroupTiers...)
}

// Amounts have no unit: a thousand times as much of everything gives the same plan.
func TestScaleChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		shapes := shapesOf(req)
		for _, s := range shapes {
			s.NUMA.CPUs = "" // whole CPUs are a unit
		}
		want := plan(newCluster(t, spec), req)
		k := rapid.SampledFrom([]int64{2, 3, 1000, 1 << 40}).Draw(t, "scale")
		scaled := func(r muster.Resources) muster.Resources {
			out := muster.Resources{}
			for name, amount := range r {
				out[name] = k * amount
			}
			return out
		}
		spec.Nodes, spec.Running = slices.Clone(spec.Nodes), slices.Clone(spec.Running)
		for i := range spec.Nodes {
			spec.Nodes[i].Allocatable = scaled(spec.Nodes[i].Allocatable)
			spec.Nodes[i].NUMA = scaledZones(spec.Nodes[i].NUMA, scaled)
		}
		for i := range spec.Running {
			spec.Running[i].Resources = scaled(spec.Running[i].Resources)
			spec.Running[i].NUMA = scaledShares(spec.Running[i].NUMA, scaled)
		}
		if want.Result != nil {
			for i, a := range want.Result.Assignments {
				want.Result.Assignments[i].NUMA = scaledShares(a.NUMA, scaled)
			}
		}
		for _, s := range shapes {
			s.Resources = scaled(s.Resources)
		}
		require.Equal(t, want, plan(newCluster(t, spec), req))
	})
}

// shapesOf lists the shapes of a request, each once.
func shapesOf(req *gang.Request) []*gang.Shape {
	shapes := []*gang.Shape{&req.Shape}
	for _, m := range req.Members {
		if m.Shape != nil && !slices.Contains(shapes, m.Shape) {
			shapes = append(shapes, m.Shape)
		}
	}
	return shapes
}

func scaledZones(n *cluster.NUMA, scaled func(muster.Resources) muster.Resources) *cluster.NUMA {
	if n == nil {
		return nil
	}
	out := deepCopy(*n)
	for i := range out.Zones {
		out.Zones[i].Allocatable = scaled(out.Zones[i].Allocatable)
	}
	for i := range out.InUse {
		out.InUse[i].Used = scaled(out.InUse[i].Used)
	}
	return &out
}

func scaledShares(p *numa.Placed, scaled func(muster.Resources) muster.Resources) *numa.Placed {
	if p == nil {
		return nil
	}
	out := deepCopy(*p)
	for i := range out.Shares {
		out.Shares[i].Resources = scaled(out.Shares[i].Resources)
	}
	return &out
}

// Apply then Release is the identity, and in between the members run where the plan put them.
func TestReleaseUndoesApply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		res, err := placement.Plan(c, req)
		if err != nil || len(res.WaitsFor) > 0 {
			return
		}
		reqs := further(req)
		applied, err := c.Apply(res)
		require.NoError(t, err)
		at := map[string]string{}
		for r := range applied.Running() {
			if r.Gang == req.Name {
				at[r.Member] = r.Node
			}
		}
		var names []string
		for _, a := range res.Assignments {
			require.Equal(t, a.Node, at[a.Member])
			names = append(names, a.Member)
		}
		require.NoError(t, validity.CheckSnapshot(validity.Describe(applied)))
		shown := stateOf(applied).Spec
		shown.NUMAExclusive = spec.NUMAExclusive
		requireSame(t, newCluster(t, shown), applied, reqs[1:], "applied, and built from what that shows")

		names = rapid.Permutation(names).Draw(t, "released")
		released, err := applied.Release(req.Name, names...)
		require.NoError(t, err)
		requireSame(t, c, released, reqs, "released by name")
		if len(at) == len(names) {
			released, err = applied.Release(req.Name)
			require.NoError(t, err)
			requireSame(t, c, released, reqs, "released as a whole")
		}
	})
}

// The order in which nodes, members, trees and their parts are given means nothing.
func TestOrderOfInputMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		c := newCluster(t, spec)
		other, mixed := *req, cluster.Spec{NUMAExclusive: spec.NUMAExclusive}
		mixed.Nodes = rapid.Permutation(spec.Nodes).Draw(t, "nodes")
		mixed.Running = rapid.Permutation(spec.Running).Draw(t, "running")
		for i, n := range mixed.Nodes {
			if n.NUMA != nil {
				zones := deepCopy(*n.NUMA)
				zones.Zones = rapid.Permutation(zones.Zones).Draw(t, "zones")
				mixed.Nodes[i].NUMA = &zones
			}
		}
		other.Members = rapid.Permutation(req.Members).Draw(t, "members")
		for _, named := range rapid.Permutation(spec.Trees).Draw(t, "trees") {
			tree := named.Tree.Spec()
			tree.Layers = rapid.Permutation(tree.Layers).Draw(t, "layers")
			tree.Roots = mixDomains(t, tree.Roots)
			mixed.Trees = append(mixed.Trees, cluster.NamedTree{Name: named.Name, Tree: newTree(t, tree)})
		}
		again := newCluster(t, mixed)
		require.Equal(t, plan(c, req), plan(again, &other))
		if len(spec.Trees) == 0 || mixed.Trees[0].Name == spec.Trees[0].Name { // Nodes lists them as they stand in the first tree
			require.Equal(t, inOrder(stateOf(c).Spec.Nodes), inOrder(stateOf(again).Spec.Nodes))
		}
		require.Equal(t, stateOf(c).Spec.Running, stateOf(again).Spec.Running)
	})
}

// inOrder lists the zones of nodes by their ids.
func inOrder(nodes []cluster.Node) []cluster.Node {
	for i, n := range nodes {
		if n.NUMA != nil {
			zones := deepCopy(*n.NUMA)
			slices.SortFunc(zones.Zones, func(a, b numa.Zone) int { return a.ID - b.ID })
			nodes[i].NUMA = &zones
		}
	}
	return nodes
}

// Nodes outside a tree follow the order of their names, wherever other trees have them.
func TestNodesOutsideFollowTheirNames(t *testing.T) {
	spec := cluster.Spec{}
	first := []topology.Domain{{Name: "d1", Tier: 1, Nodes: []string{"n10"}}, {Name: "d2", Tier: 1, Nodes: []string{"n9"}}}
	spec.Trees = []cluster.NamedTree{
		{Name: "first", Tree: newTree(t, topology.Spec{Roots: first})},
		{Name: "second", Tree: newTree(t, topology.Spec{Nodes: []string{"n1"}})},
	}
	for _, name := range []string{"n10", "n9"} {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(1)})
	}
	req := job(1)
	req.Tree = "first"
	require.Equal(t, "n10", mustPlan(t, newCluster(t, spec), req).Assignments[0].Node)
	req.Tree = "second"
	require.Equal(t, "n9", mustPlan(t, newCluster(t, spec), req).Assignments[0].Node)
}

func mixDomains(t *rapid.T, domains []topology.Domain) []topology.Domain {
	if len(domains) == 0 {
		return nil
	}
	domains = rapid.Permutation(domains).Draw(t, "domains")
	for i := range domains {
		domains[i].Children = mixDomains(t, domains[i].Children)
		if len(domains[i].Nodes) > 0 {
			domains[i].Nodes = rapid.Permutation(domains[i].Nodes).Draw(t, "nodes")
		}
	}
	return domains
}

// Plan changes neither argument, and equal arguments give an equal answer; the maps of a spec are the caller's again
// once the cluster is built.
func TestPlanIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		specBefore, reqBefore := deepCopy(spec), deepCopy(*req)
		c := newCluster(t, spec)
		before := stateOf(c)
		want := plan(c, req)
		for range 3 {
			require.Equal(t, want, plan(c, req))
		}
		for range placement.Candidates(c, req) {
		}
		require.Equal(t, specBefore, deepCopy(spec))
		require.Equal(t, reqBefore, deepCopy(*req))
		require.Equal(t, before, stateOf(c))

		for i := range spec.Nodes {
			clear(spec.Nodes[i].Allocatable)
			spec.Nodes[i].Name = ""
		}
		for i := range spec.Running {
			clear(spec.Running[i].Resources)
		}
		clear(spec.Trees)
		require.Equal(t, before, stateOf(c))
		require.Equal(t, want, plan(c, req))
	})
}

// deepCopy copies what a value refers to; functions become nil, and trees, which never change, are shared.
func deepCopy[T any](from T) T {
	return deepValue(reflect.ValueOf(from)).Interface().(T)
}

func deepValue(from reflect.Value) reflect.Value {
	to := reflect.New(from.Type()).Elem()
	switch {
	case from.Kind() == reflect.Func:
	case from.Kind() == reflect.Struct:
		for i := range from.NumField() {
			to.Field(i).Set(deepValue(from.Field(i)))
		}
	case from.Kind() == reflect.Slice && !from.IsNil():
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			to.Index(i).Set(deepValue(from.Index(i)))
		}
	case from.Kind() == reflect.Map && !from.IsNil():
		to.Set(reflect.MakeMap(from.Type()))
		for _, key := range from.MapKeys() {
			to.SetMapIndex(key, deepValue(from.MapIndex(key)))
		}
	case from.Kind() == reflect.Pointer && !from.IsNil() && from.Type() != reflect.TypeFor[*topology.Tree]():
		to.Set(reflect.New(from.Type().Elem()))
		to.Elem().Set(deepValue(from.Elem()))
	default:
		to.Set(from)
	}
	return to
}
