package topology_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/topology"
)

// draw writes a tree as text: a line for each domain with its tier and its own nodes, then what is beside the tree.
func draw(t *topology.Tree) string {
	var b strings.Builder
	for _, l := range t.Layers() {
		fmt.Fprintf(&b, "layer %d %s\n", l.Tier, l.Name)
	}
	for d := range t.All() {
		name := t.Name(d)
		if d == topology.Root {
			name = "*"
		}
		fmt.Fprintf(&b, "%s%s %d", strings.Repeat("  ", len(t.Path(d))), name, t.Tier(d))
		first, last := t.Nodes(d)
		for n := first; n < last; n++ {
			if t.Leaf(n) == d {
				fmt.Fprintf(&b, " %s", t.NodeName(n))
			}
		}
		b.WriteString("\n")
	}
	for _, n := range t.Outside() {
		fmt.Fprintf(&b, "outside %s\n", n)
	}
	for _, n := range t.Absent() {
		fmt.Fprintf(&b, "absent %s\n", n)
	}
	return b.String()
}

// lines drops the indentation that a raw string has for its surroundings.
func lines(text string) string {
	text = strings.Trim(text, "\n\t ") + "\n"
	return strings.ReplaceAll(text, "\n\t\t\t", "\n")
}

// refused checks that every part of the error is an InvalidError and returns them, one a line.
func refused(t require.TestingT, err error) string {
	require.Error(t, err)
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok, "not joined: %v", err)
	for _, e := range joined.Unwrap() {
		var invalid *muster.InvalidError
		require.ErrorAs(t, e, &invalid)
	}
	return err.Error() + "\n"
}

// drawSpec draws a random topology: up to four tiers, some missing on a branch, names from a small set so that one name
// stands on many paths, domains without nodes.
func drawSpec(t *rapid.T) topology.Spec {
	next := 0
	var below func(tier int, label string) []topology.Domain
	below = func(tier int, label string) []topology.Domain {
		var domains []topology.Domain
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "r1", "r2", "r9", "r10", "r010"}), 0, 4, rapid.ID[string]).Draw(t, label)
		for _, name := range names {
			d := topology.Domain{Name: name, Tier: rapid.IntRange(1, tier).Draw(t, "tier")}
			if d.Tier > 1 && rapid.Bool().Draw(t, "inner") {
				d.Children = below(d.Tier-1, label+"/"+name)
			} else {
				for range rapid.IntRange(0, 3).Draw(t, "nodes") {
					d.Nodes = append(d.Nodes, fmt.Sprint("node-", next))
					next++
				}
			}
			domains = append(domains, d)
		}
		return domains
	}
	return topology.Spec{
		Layers:  []topology.Layer{{Name: "rack", Tier: 1}, {Name: "node"}},
		Roots:   below(4, "roots"),
		Outside: []string{"x-10", "x-9"}, Absent: []string{"y"},
	}
}

// shuffle returns the domains and nodes of a spec in another order, all the way down.
func shuffle(r *rand.Rand, domains []topology.Domain) []topology.Domain {
	out := permuted(r, domains)
	for i := range out {
		out[i].Children = shuffle(r, out[i].Children)
		out[i].Nodes = permuted(r, out[i].Nodes)
	}
	return out
}

func permuted[T any](r *rand.Rand, in []T) []T {
	out := make([]T, len(in))
	for i, j := range r.Perm(len(in)) {
		out[i] = in[j]
	}
	return out
}

func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

func newTree(t require.TestingT, spec topology.Spec) *topology.Tree {
	tree, err := topology.New(spec)
	require.NoError(t, err)
	return tree
}
