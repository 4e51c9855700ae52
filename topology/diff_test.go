package topology_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

func place(tier int, path ...string) topology.Place { return topology.Place{Path: path, Tier: tier} }

func TestDiff(t *testing.T) {
	leaf := func(name string, nodes ...string) topology.Domain {
		return topology.Domain{Name: name, Tier: 1, Nodes: nodes}
	}
	spine := func(name string, leaves ...topology.Domain) topology.Domain {
		return topology.Domain{Name: name, Tier: 2, Children: leaves}
	}
	before := spec(spine("s1", leaf("l1", "a", "b"), leaf("l2", "c", "d")), spine("s2", leaf("l3", "e", "f")))
	for name, c := range map[string]struct {
		after topology.Spec
		want  topology.Difference
	}{
		"nothing": {before, topology.Difference{}},
		"a node moves": {
			spec(spine("s1", leaf("l1", "a"), leaf("l2", "c", "d")), spine("s2", leaf("l3", "b", "e", "f"))),
			topology.Difference{Moved: []topology.Move{{Node: "b", From: []string{"s1", "l1"}, To: []string{"s2", "l3"}}}},
		},
		"a leaf is renamed": {
			spec(spine("s1", leaf("lead", "a", "b"), leaf("l2", "c", "d")), spine("s2", leaf("l3", "e", "f"))),
			topology.Difference{Renamed: []topology.Renaming{{Old: []string{"s1", "l1"}, New: []string{"s1", "lead"}}}},
		},
		"a spine is renamed, with what is below it": {
			spec(spine("S", leaf("l1", "a", "b"), leaf("l2", "c", "d")), spine("s2", leaf("l3", "e", "f"))),
			topology.Difference{Renamed: []topology.Renaming{{Old: []string{"s1"}, New: []string{"S"}}}},
		},
		"a leaf hangs elsewhere": {
			spec(spine("s1", leaf("l1", "a", "b")), spine("s2", leaf("l2", "c", "d"), leaf("l3", "e", "f"))),
			topology.Difference{Renamed: []topology.Renaming{{Old: []string{"s1", "l2"}, New: []string{"s2", "l2"}}}},
		},
		"a leaf comes, and one goes with its nodes": {
			spec(spine("s1", leaf("l1", "a", "b"), leaf("l2", "c", "d")), spine("s3", leaf("l4", "g"))),
			topology.Difference{
				Added: []topology.Place{place(2, "s3"), place(1, "s3", "l4")}, Removed: []topology.Place{place(2, "s2"), place(1, "s2", "l3")},
				AddedNodes: []string{"g"}, RemovedNodes: []string{"e", "f"},
			},
		},
		"a leaf is split": {
			spec(spine("s1", leaf("l1", "a", "b"), leaf("l2", "c"), leaf("l2b", "d")), spine("s2", leaf("l3", "e", "f"))),
			topology.Difference{
				Added: []topology.Place{place(1, "s1", "l2b")},
				Moved: []topology.Move{{Node: "d", From: []string{"s1", "l2"}, To: []string{"s1", "l2b"}}},
			},
		},
		"everything goes": {
			spec(),
			topology.Difference{
				Removed:      []topology.Place{place(2, "s1"), place(1, "s1", "l1"), place(1, "s1", "l2"), place(2, "s2"), place(1, "s2", "l3")},
				RemovedNodes: []string{"a", "b", "c", "d", "e", "f"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			one, err := topology.New(before)
			require.NoError(t, err)
			other, err := topology.New(c.after)
			require.NoError(t, err)
			got := topology.Diff(one, other)
			got.Layers = false // of which an empty tree has none
			require.Equal(t, c.want, got)
		})
	}
	named, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "leaf", Tier: 1}}, Roots: before.Roots})
	require.NoError(t, err)
	one, err := topology.New(before)
	require.NoError(t, err)
	require.Equal(t, topology.Difference{Layers: true}, topology.Diff(one, named))
	got := topology.Diff(nil, nil)
	require.True(t, got.IsEmpty())
}

func spec(roots ...topology.Domain) topology.Spec { return topology.Spec{Roots: roots} }

// Whatever changes, what is told leads from the old tree to the new one: a node that is in neither list is in the same domain, renamed or
// not; there and back are each other's mirror.
func TestDiffTellsAll(t *testing.T) {
	drawn := func(t *rapid.T) *topology.Tree {
		var spec topology.Spec
		used := map[string]bool{}
		for _, s := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"s1", "s2", "s3"}), 1, 3, rapid.ID[string]).Draw(t, "spines") {
			root := topology.Domain{Name: s, Tier: 2}
			for _, l := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"l1", "l2", "l3"}), 1, 3, rapid.ID[string]).Draw(t, "leaves") {
				leaf := topology.Domain{Name: l, Tier: 1}
				for _, n := range rapid.SliceOfN(rapid.SampledFrom(strings.Split("abcdefgh", "")), 0, 4).Draw(t, "nodes") {
					if !used[n] {
						used[n] = true
						leaf.Nodes = append(leaf.Nodes, n)
					}
				}
				root.Children = append(root.Children, leaf)
			}
			spec.Roots = append(spec.Roots, root)
		}
		tree, err := topology.New(spec)
		require.NoError(t, err)
		return tree
	}
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawn(t), drawn(t)
		d, back := topology.Diff(before, after), topology.Diff(after, before)
		require.Equal(t, before.Equal(after), d.IsEmpty())
		require.Equal(t, d.AddedNodes, back.RemovedNodes)
		require.Equal(t, d.RemovedNodes, back.AddedNodes)
		require.Len(t, before.Outside(), 0)
		renamed := map[string]string{}
		for _, r := range d.Renamed {
			renamed[fmt.Sprint(r.Old)] = fmt.Sprint(r.New)
		}
		for n := range topology.NodeID(before.NumNodes()) {
			name := before.NodeName(n)
			now, ok := after.Node(name)
			told := slices.ContainsFunc(d.Moved, func(m topology.Move) bool { return m.Node == name })
			if !ok || told {
				require.Equal(t, !ok, slices.Contains(d.RemovedNodes, name))
				continue
			}
			from, to := before.Path(before.Leaf(n)), after.Path(after.Leaf(now))
			if !slices.Equal(from, to) {
				_, is := renamed[fmt.Sprint(from)]
				_, above := renamed[fmt.Sprint(from[:1])]
				require.True(t, is || above, "%s: %v is %v", name, from, to)
			}
		}
		require.Equal(t, before.Len()+len(d.Added)-len(d.Removed), after.Len())
		require.True(t, slices.IsSortedFunc(d.Moved, func(a, b topology.Move) int { return muster.CompareNatural(a.Node, b.Node) }))
	})
}
