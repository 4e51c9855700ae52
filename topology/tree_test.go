package topology_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

type domains = []topology.Domain

func TestNew(t *testing.T) {
	tree := newTree(t, topology.Spec{
		Layers: []topology.Layer{{Name: "zone", Tier: 4}, {Name: "host"}, {Name: "rack", Tier: 1}, {Name: "unused", Tier: 3}},
		Roots: domains{
			{Name: "z10", Tier: 2},
			{Name: "z9", Tier: 4, Children: domains{
				{Name: "r2", Tier: 1, Nodes: []string{"n10", "n9", "n10"}},
				{Name: "r1", Tier: 1},
			}},
			{Name: "z11", Tier: 1, Nodes: []string{"n1"}},
		},
		Outside: []string{"o10", "o9"}, Absent: []string{"gone"},
	})
	require.Equal(t, lines(`
			layer 1 rack
			layer 2 
			layer 3 unused
			layer 4 zone
			* 5
			  z9 4
			    r1 1
			    r2 1 n9 n10
			  z10 2
			  z11 1 n1
			outside o9
			outside o10
			absent gone
	`), draw(tree))
	require.Equal(t, 6, tree.Len())
	require.Equal(t, 3, tree.NumNodes())
	require.Equal(t, 5, tree.RootTier())
	require.Equal(t, "host", tree.NodeLayer())
	require.Equal(t, "host", tree.LayerName(0))
	require.Equal(t, "rack", tree.LayerName(1))
	require.Equal(t, "", tree.LayerName(2))
	require.Equal(t, "", tree.LayerName(9))
	for name, want := range map[string]topology.Layer{"host": {Name: "host"}, "zone": {Name: "zone", Tier: 4}} {
		got, ok := tree.Layer(name)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	for _, name := range []string{"", "block"} {
		_, ok := tree.Layer(name)
		require.False(t, ok, "%q", name)
	}
	_, ok := tree.Find("z9", "r3")
	require.False(t, ok)
	_, ok = tree.Node("n11")
	require.False(t, ok)
}

func TestNewOfNothing(t *testing.T) {
	tree := newTree(t, topology.Spec{})
	require.Equal(t, "* 1\n", draw(tree))
	require.Equal(t, topology.Root, tree.LCA())
	_, ok := tree.Node("")
	require.False(t, ok)
}

func TestNewWithoutSwitches(t *testing.T) {
	tree := newTree(t, topology.Spec{Nodes: []string{"n10", "n2"}})
	require.Equal(t, "* 1 n2 n10\n", draw(tree))
	require.Equal(t, topology.Root, tree.LCA(0))
	require.Equal(t, 2, tree.Distance(0, 1))
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		spec topology.Spec
		want string
	}{
		{"tiers out of order", topology.Spec{Roots: domains{{Name: "z", Tier: 2, Children: domains{{Name: "r", Tier: 2}, {Name: "s", Tier: 0}}}}}, `
			domain z/r "2": tier is not below its parent's, 2
			domain z/s "0": tier is below 1
		`},
		{"tiers out of range", topology.Spec{Roots: domains{{Name: "a", Tier: 1 << 20}, {Name: "b", Tier: -1}}}, `
			domain a "1048576": tier out of range
			domain b "-1": tier is below 1
		`},
		{"names", topology.Spec{Roots: domains{{Name: "r", Tier: 1}, {Name: "", Tier: 1}, {Name: "r", Tier: 1, Nodes: []string{""}}}}, `
			domain : a domain has no name
			domain r: a node has no name
			domain r: duplicate name
		`},
		{"mixed members", topology.Spec{Roots: domains{{Name: "z", Tier: 2, Nodes: []string{"n"}, Children: domains{{Name: "r", Tier: 1}}}}}, `
			domain z: mixed members: child domains and nodes in one domain
		`},
		{"nodes beside roots", topology.Spec{Nodes: []string{"n"}, Roots: domains{{Name: "r", Tier: 1}}}, `
			the root: mixed members: child domains and nodes in one domain
		`},
		{"node in three leaves", topology.Spec{Roots: domains{
			{Name: "c", Tier: 1, Nodes: []string{"n"}}, {Name: "a", Tier: 1, Nodes: []string{"n"}}, {Name: "b", Tier: 1, Nodes: []string{"n"}},
		}}, `
			domain b "n": node in two leaves, the other is domain a
			domain c "n": node in two leaves, the other is domain a
		`},
		{"layers", topology.Spec{Layers: []topology.Layer{{"a", 1}, {"b", 1}, {"c", 2}, {"c", 3}, {"d", -1}, {"e", 1 << 20}}}, `
			layer b "1": tier has the name a already
			layer c "3": duplicate name: it is the layer of tier 2
			layer d "-1": tier out of range
			layer e "1048576": tier out of range
		`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := topology.New(c.spec)
			require.Equal(t, lines(c.want), refused(t, err))
			slices.Reverse(c.spec.Roots)
			slices.Reverse(c.spec.Layers)
			_, err = topology.New(c.spec)
			require.Equal(t, lines(c.want), refused(t, err), "with the input reversed")
		})
	}
}

func TestNewCountsARepeatedNodeOnce(t *testing.T) {
	require.Equal(t, "* 1 n\n", draw(newTree(t, topology.Spec{Nodes: []string{"n", "n"}})))
}

func TestNewChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		spec := drawSpec(rt)
		mix := func() domains { return shuffle(rand.New(rand.NewPCG(seed, 0)), spec.Roots) }
		roots := mix()
		newTree(rt, topology.Spec{Roots: roots})
		require.Equal(rt, mix(), roots)
	})
}

func TestNewKeepsNothing(t *testing.T) {
	spec := topology.Spec{Roots: domains{{Name: "r", Tier: 1, Nodes: []string{"n1", "n2"}}}, Outside: []string{"o"}, Absent: []string{"g"}}
	tree := newTree(t, spec)
	before := draw(tree)
	spec.Roots[0].Name, spec.Roots[0].Nodes[0], spec.Outside[0], spec.Absent[0] = "x", "x", "x", "x"
	tree.Layers()[0].Tier = 7
	require.Equal(t, before, draw(tree))
}

func TestDistance(t *testing.T) {
	tree := newTree(t, topology.Spec{Roots: domains{
		{Name: "z", Tier: 2, Children: domains{{Name: "r1", Tier: 1, Nodes: []string{"a", "b"}}, {Name: "r2", Tier: 1, Nodes: []string{"c"}}}},
		{Name: "y", Tier: 2, Children: domains{{Name: "r1", Tier: 1, Nodes: []string{"d"}}}},
	}})
	node := func(name string) topology.NodeID {
		n, ok := tree.Node(name)
		require.True(t, ok)
		return n
	}
	require.Equal(t, 0, tree.Distance(node("a"), node("a")))
	require.Equal(t, 2, tree.Distance(node("a"), node("b")))
	require.Equal(t, 4, tree.Distance(node("a"), node("c")))
	require.Equal(t, 6, tree.Distance(node("a"), node("d")))
	// A rack of one zone to a node of another: the node is one hop below its rack.
	rack, _ := tree.Find("z", "r1")
	require.Equal(t, 5, tree.DomainDistance(rack, tree.Leaf(node("d")))+1)
}

func TestIDsAreDenseAndIntervalsNested(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree := newTree(rt, drawSpec(rt))
		seen := 0
		for d := range topology.DomainID(tree.Len()) {
			first, last := tree.Nodes(d)
			require.LessOrEqual(rt, first, last)
			next := first // children share their parent's nodes without a gap
			for c, end := tree.Children(d); c < end; c++ {
				require.Equal(rt, d, tree.Parent(c))
				require.Greater(rt, c, d)
				require.Less(rt, tree.Tier(c), max(tree.Tier(d), tree.RootTier()))
				from, to := tree.Nodes(c)
				require.Equal(rt, next, from)
				next = to
				seen++
			}
			for n := next; n < last; n++ {
				require.Equal(rt, d, tree.Leaf(n))
			}
			if next > first {
				require.Equal(rt, last, next, "a domain with child domains has no node of its own")
			}
		}
		require.Equal(rt, tree.Len()-1, seen)
		first, last := tree.Nodes(topology.Root)
		require.Equal(rt, topology.NodeID(0), first)
		require.Equal(rt, topology.NodeID(tree.NumNodes()), last)
	})
}

func TestIDsFollowPaths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree := newTree(rt, drawSpec(rt))
		for d := topology.DomainID(1); int(d) < tree.Len(); d++ {
			a, b := tree.Path(d-1), tree.Path(d)
			require.True(rt, len(a) < len(b) || len(a) == len(b) && muster.ComparePaths(a, b) < 0)
		}
		for n := topology.NodeID(1); int(n) < tree.NumNodes(); n++ {
			a := append(tree.Path(tree.Leaf(n-1)), tree.NodeName(n-1))
			b := append(tree.Path(tree.Leaf(n)), tree.NodeName(n))
			require.Negative(rt, muster.ComparePaths(a, b))
		}
		var walked [][]string
		for d := range tree.All() {
			walked = append(walked, tree.Path(d))
		}
		require.Len(rt, walked, tree.Len())
		require.True(rt, slices.IsSortedFunc(walked, muster.ComparePaths))
	})
}

func TestFindOfPathIsTheDomain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree := newTree(rt, drawSpec(rt))
		for d := range topology.DomainID(tree.Len()) {
			got, ok := tree.Find(tree.Path(d)...)
			require.True(rt, ok)
			require.Equal(rt, d, got)
		}
		for n := range topology.NodeID(tree.NumNodes()) {
			got, ok := tree.Node(tree.NodeName(n))
			require.True(rt, ok)
			require.Equal(rt, n, got)
		}
	})
}

func TestLCAIsTheLongestCommonPath(t *testing.T) {
	common := func(paths ...[]string) []string {
		for i := 0; ; i++ {
			for _, p := range paths {
				if i == len(p) || p[i] != paths[0][i] {
					return paths[0][:i]
				}
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		tree := newTree(rt, drawSpec(rt))
		if tree.NumNodes() == 0 {
			return
		}
		nodes := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, tree.NumNodes()-1), func(i int) topology.NodeID { return topology.NodeID(i) }), 1, 5).Draw(rt, "nodes")
		var paths [][]string
		for _, n := range nodes {
			paths = append(paths, tree.Path(tree.Leaf(n)))
		}
		want := fmt.Sprint(common(paths...))
		require.Equal(rt, want, fmt.Sprint(tree.Path(tree.LCA(nodes...))))

		a, b := nodes[0], nodes[len(nodes)-1]
		pa, pb := paths[0], paths[len(paths)-1]
		top := common(pa, pb)
		require.Equal(rt, fmt.Sprint(top), fmt.Sprint(tree.Path(tree.Above(tree.Leaf(a), tree.Leaf(b)))))
		hops := len(pa) + len(pb) - 2*len(top)
		require.Equal(rt, hops, tree.DomainDistance(tree.Leaf(a), tree.Leaf(b)))
		if a != b {
			hops += 2
		}
		require.Equal(rt, hops, tree.Distance(a, b))
		require.Equal(rt, hops, tree.Distance(b, a))
	})
}

func TestPermutedInputGivesAnEqualTree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec, r := drawSpec(rt), drawRand(rt)
		want := draw(newTree(rt, spec))
		spec.Roots = shuffle(r, spec.Roots)
		spec.Layers, spec.Outside = permuted(r, spec.Layers), permuted(r, spec.Outside)
		require.Equal(rt, want, draw(newTree(rt, spec)))
	})
}

func TestAllStopsWhereTheCallerStops(t *testing.T) {
	tree := newTree(t, topology.Spec{Roots: domains{{Name: "a", Tier: 1}, {Name: "b", Tier: 1}}})
	n := 0
	for range tree.All() {
		if n++; n == 2 {
			break
		}
	}
	require.Equal(t, 2, n)
}
