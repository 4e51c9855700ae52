package index

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/topology"
)

// Every number of an index is what counting by hand gives.
func TestIndexEqualsCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, aligned := draw(t, 4, true), rapid.Bool().Draw(t, "aligned")
		c.check(t, c.build(t, aligned), aligned)
	})
}

// An index that follows another is the one that is made anew, and the one before stays.
func TestRecountedIndexEqualsCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, aligned := draw(t, 4, true), rapid.Bool().Draw(t, "aligned")
		of := drawGrouping(t, c)
		var clock cow.Clock
		ix := c.build(t, aligned)
		for range rapid.IntRange(1, 3).Draw(t, "snapshots") {
			if rapid.Bool().Draw(t, "asked") {
				ix.GroupsOf(&clock, 4, of)
			}
			next, after, changed := &counted{c.view, slices.Clone(c.slots), slices.Clone(c.state), c.caps}, &Index{}, []int32(nil)
			for pos := range c.slots {
				if rapid.IntRange(0, 2).Draw(t, "changes") == 0 {
					next.slots[pos], next.state[pos] = c.drawSlots(t), rapid.Int32Range(0, 1).Draw(t, "zones")
					changed = append(changed, c.view.Node(int32(pos)))
				}
			}
			alike := next.alike
			if !aligned {
				alike = nil
			}
			require.True(t, after.Recount(ix, changed, func(id int32) int32 { return next.slots[c.view.At(id)] }, alike))
			next.check(t, after, aligned)
			next.checkGroups(t, after, after.GroupsOf(&clock, 4, of), of)
			c.check(t, ix, aligned)
			c.checkGroups(t, ix, ix.GroupsOf(&clock, 4, of), of)
			c, ix = next, after
		}
	})
}

// check compares all numbers of slots.
func (c *counted) check(t require.TestingT, ix *Index, aligned bool) {
	v := c.view
	for x := range layout.Vertex(v.NumDomains()) + v.Nodes {
		require.Equal(t, c.held(x), ix.At(x))
		if v.IsNode(x) {
			require.Equal(t, c.slots[v.Position(x)], ix.Slots.At(v.Position(x)))
			continue
		}
		if kids := c.children(x); len(kids) > 0 {
			sums := ix.SumsOf(x)
			checkSums(t, &sums, each(kids, c.held))
			require.Equal(t, v.IsNode(kids[0]), sums.Nodes != nil)
		}
		var bits uint64
		for _, pos := range c.positions(x) {
			bits |= 1 << min(c.slots[pos], 63)
		}
		require.Equal(t, bits, ix.Values.At(x))
		c.checkRows(t, ix, x)
		for i, tier := range v.TiersBelow(v.TierOf(x)) {
			most := each(c.domains(tier, x), c.held)
			require.Equal(t, slices.Max(append(most, 0)), int64(ix.Most[i].At(x)))
			c.checkTops(t, ix, i, x)
		}
		if aligned {
			c.checkAlike(t, x, ix.Alike.At(x))
		}
	}
	for i, tier := range v.SwitchTiers() {
		all := each(c.domains(tier, layout.Root), c.held)
		for n := range int64(12) {
			require.Equal(t, slices.ContainsFunc(all, func(m int64) bool { return m > n }), ix.HasDomain(tier, n+1), "tier %d at %d", tier, i)
		}
	}
	require.True(t, ix.HasDomain(v.RootTop, math.MaxInt64), "nothing is known of all together")
}

// checkSums compares the sums of the largest of some numbers.
func checkSums(t require.TestingT, sums *ChildSums, of []int64) {
	require.EqualValues(t, len(of), sums.Len)
	require.EqualValues(t, 0, sums.Child(0))
	sorted := slices.Sorted(slices.Values(of))
	slices.Reverse(sorted)
	largest := []int64{0} // sums of none, of the largest one, ...
	for n, value := range sorted {
		largest = append(largest, largest[n]+value)
		require.Equal(t, largest[n+1], sums.Of(int32(n+1)))
		require.Equal(t, value, sums.Child(int32(n+1)))
	}
	total := largest[len(of)]
	for _, n := range append(slices.Compact(sorted), 0, 1, 2, total-1, total, total+1) {
		least := 0
		for n > largest[least] && least < len(of) {
			least++
		}
		count, sum := sums.Fewest(n)
		require.EqualValues(t, least, count, "fewest of %v for %d", of, n)
		require.Equal(t, largest[least], sum)
		larger := slices.DeleteFunc(slices.Clone(of), func(m int64) bool { return m < n })
		require.EqualValues(t, len(larger), sums.AtLeast(n), "of %v no smaller than %d", of, n)
	}
}

// checkRows compares, for a domain whose children hold nodes, what each of these holds in a few.
func (c *counted) checkRows(t require.TestingT, ix *Index, x layout.Vertex) {
	for n := range int32(4) {
		at := ix.Row(x, n+1, 9)
		require.EqualValues(t, -1, ix.Row(x, n+1, math.MaxInt16+1))
		if at < 0 {
			continue
		}
		for i, k := range c.children(x) {
			most := best(each(c.children(k), c.held), int(n)+1)
			require.Equal(t, min(most, math.MaxInt16), int64(ix.Rows.At(at+int32(i))))
		}
		over, ok := ix.Over(nil, x, int64(n+1), 9)
		require.True(t, ok)
		for i, k := range c.children(x) {
			var sum int64
			for _, slots := range each(c.children(k), c.held) {
				sum += max(0, slots-int64(n)-1)
			}
			require.EqualValues(t, min(sum, math.MaxInt16), over[i], "above %d", n+1)
		}
	}
	_, ok := ix.Over(nil, x, 1, math.MaxInt16+1)
	require.False(t, ok)
	_, ok = ix.Over(nil, x, OverSize+1, 9)
	require.False(t, ok)
}

// checkTops compares the slots of the largest children of one domain of the tier at place i.
func (c *counted) checkTops(t require.TestingT, ix *Index, i int, x layout.Vertex) {
	if i == 0 || len(c.view.Layers) > PairedLayers {
		if i > 0 {
			require.EqualValues(t, ix.Most[i].At(x), ix.MostInTop(i, x, 1))
		}
		return
	}
	for _, n := range []int{1, 2, 3, 4, TopSize} {
		var most int64
		for _, d := range c.domains(c.view.Tiers[i], x) {
			if c.view.IsNode(d) {
				most = max(most, c.held(d))
			} else {
				most = max(most, min(c.held(d), best(each(c.children(d), c.held), n)))
			}
		}
		require.Equal(t, most, ix.MostInTop(i, x, int64(n)), "of %d children in tier %d", n, c.view.Tiers[i])
	}
}

// checkAlike compares what is said of the nodes below x for gangs that are aligned.
func (c *counted) checkAlike(t require.TestingT, x layout.Vertex, got int32) {
	with := slices.DeleteFunc(c.positions(x), func(pos int32) bool { return c.slots[pos] == 0 })
	switch {
	case len(with) == 0:
		require.Zero(t, got)
	case slices.ContainsFunc(with, func(pos int32) bool { return !c.alike(pos, with[0]) }):
		require.EqualValues(t, -1, got)
	default:
		require.Contains(t, with, got-1)
	}
}

// The domains with so many slots come in the order of paths, though the number rises on the way.
func TestDomainsWithSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t, 4, true)
		ix := c.build(t, false)
		tier := rapid.Int32Range(0, c.view.RootTop).Draw(t, "tier")
		first, rises := rapid.Int64Range(0, 9).Draw(t, "least"), rapid.Int64Range(0, 2).Draw(t, "rises")
		most := rapid.IntRange(1, 9).Draw(t, "taken")
		var want []layout.Vertex
		least := first
		for _, d := range c.domains(tier, layout.Root) {
			if c.held(d) >= least && len(want) < most {
				want, least = append(want, d), least+rises
			}
		}
		var got []layout.Vertex
		least = first
		for d := range ix.DomainsWith(tier, func() int64 { return least }) {
			got, least = append(got, d), least+rises
			if len(got) == most {
				break
			}
		}
		require.Equal(t, want, got)
	})
}

// Trees of more layers than are paired, and domains wider than the tables and pages, are counted too.
func TestDeepAndWideTrees(t *testing.T) {
	for _, wide := range []int{1, 40, 600} {
		roots := []topology.Domain{}
		var names []string
		for range 2 {
			leaf := topology.Domain{Tier: 1}
			for range wide {
				names = append(names, "n-"+string(rune('a'+len(names)%26))+"-"+string(rune('0'+len(names)/26%10))+string(rune('0'+len(names)/260)))
				leaf.Nodes = append(leaf.Nodes, names[len(names)-1])
			}
			for tier := 2; wide == 1 && tier <= PairedLayers+1; tier++ {
				leaf = topology.Domain{Tier: tier, Children: []topology.Domain{leaf}}
			}
			roots = append(roots, leaf)
		}
		for i := range roots {
			name(&roots[i], string(rune('a'+i)))
		}
		tree, err := topology.New(topology.Spec{Roots: roots})
		require.NoError(t, err)
		c := &counted{view: layout.New("tree", tree, names, orderOf(tree, names))}
		for pos := range c.view.Nodes {
			c.slots, c.state = append(c.slots, (7*pos)%5+1), append(c.state, 0)
		}
		ix := c.build(t, true)
		require.Equal(t, wide > 1, ix.Tops != nil)
		c.check(t, ix, true)
		of := Grouping{Size: 2}
		c.checkGroups(t, ix, newGroupSums(ix, of), of)
		var next Index
		c.slots[0] = 9
		require.True(t, next.Recount(ix, []int32{c.view.Node(0)}, func(int32) int32 { return 9 }, c.alike))
		c.check(t, &next, true)
	}
}

// name names a domain and all below it.
func name(d *topology.Domain, as string) {
	d.Name = as
	for i := range d.Children {
		name(&d.Children[i], as+"x")
	}
}

// Domains that changed come with all domains above them, lower ones first.
func TestDomainsWithAllAboveThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawView(t, 4)
		chosen := rapid.SliceOfN(rapid.Int32Range(0, int32(v.NumDomains())-1), 0, 6).Draw(t, "domains")
		want := []layout.Vertex{}
		for x := layout.Vertex(v.NumDomains()) - 1; x >= 0; x-- {
			if slices.ContainsFunc(chosen, func(d layout.Vertex) bool { return v.Contains(x, d) }) {
				want = append(want, x)
			}
		}
		require.Equal(t, want, append([]layout.Vertex{}, withAbove(v, slices.Clone(chosen))...))
		for i, tier := range v.SwitchTiers() {
			end := 0
			for x := range layout.Vertex(v.NumDomains()) {
				if x > 0 && v.Tier[v.Parent[x]] > tier {
					end = int(x) + 1
				}
			}
			require.Equal(t, end, kidsUpTo(v, i))
		}
	})
}
