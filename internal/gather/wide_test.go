package gather

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/spec"
	"github.com/muster-sched/muster/topology"
)

// wide is a tree of equal spines, leaves and units, with the slots of their nodes.
type wide struct {
	fan   [4]int // spines, leaves of a spine, units of a leaf, nodes of a unit
	slots []int64
	most  [4]int // members of a gang without groups in a domain of a tier; 0: any number
	units int    // that it may use; 0: any number
}

// drawWide draws some hundred nodes at most, filled.
func drawWide(t *rapid.T) (w wide) {
	nodes := 1
	for i, most := range []int{3, 4, 6, 6} {
		w.fan[i] = rapid.IntRange(1, most).Draw(t, "children")
		nodes *= w.fan[i]
	}
	full := rapid.IntRange(0, 5).Draw(t, "full")
	for range nodes {
		w.slots = append(w.slots, int64(max(0, rapid.IntRange(-full, 6).Draw(t, "slots"))))
	}
	for tier := range w.most {
		if rapid.IntRange(0, 2).Draw(t, "apart") == 0 {
			w.most[tier] = rapid.IntRange(1, []int{4, 9, 20, 50}[tier]).Draw(t, "most")
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "within") == 0 {
		w.units = rapid.IntRange(2, 8).Draw(t, "units")
		w.most[2], w.most[3] = 0, 0 // the engine takes no such limits above units
	}
	return w
}

// domains are those of a layer; nodes are named by their place.
func (w *wide) domains(layer int, names *[]string) (list []topology.Domain) {
	for range w.fan[layer] {
		d := topology.Domain{Name: fmt.Sprintf("d-%d", len(list)), Tier: 3 - layer}
		if layer < 2 {
			d.Children = w.domains(layer+1, names)
		} else {
			for range w.fan[3] {
				name := fmt.Sprintf("n-%d", len(*names))
				*names, d.Nodes = append(*names, name), append(d.Nodes, name)
			}
		}
		list = append(list, d)
	}
	return list
}

// model is that of a gang in groups of a size if it is above 1, else with the limits.
func (w *wide) model(t require.TestingT, members, size int) *model.Model {
	var names []string
	roots := w.domains(0, &names)
	if size > 1 {
		return wideIn(t, roots, names, w.slots, members, size)
	}
	m := wideIn(t, roots, names, w.slots, members, size)
	m.Limits = w.limits()
	return m
}

// limits are those of a gang without groups.
func (w *wide) limits() *limits.Limits {
	l := &limits.Limits{Alone: -1}
	for tier, most := range w.most {
		if most > 0 {
			l.Apart = append(l.Apart, index.Cap{Tier: int32(tier), Most: int64(most)})
		}
	}
	if w.units > 0 {
		l.Within = []index.Cap{{Tier: 1, Most: int64(w.units)}}
	}
	if len(l.Apart)+len(l.Within) == 0 {
		return nil
	}
	return l
}

// wideIn is the model of such a gang in a topology, with the slots of its nodes.
func wideIn(t require.TestingT, roots []topology.Domain, names []string, slots []int64, members, size int) *model.Model {
	tree, err := topology.New(topology.Spec{Roots: roots})
	require.NoError(t, err)
	m := &model.Model{View: layout.New("tree", tree, names, nil), Policy: gang.BestFit, LCA: -1, Least: members, Admitted: members, Memory: &model.Memory{}}
	for rank := range members {
		m.Pending = append(m.Pending, rank)
	}
	m.Gather = model.Gather{Must: m.View.RootTop, Own: -1, Worths: m.View.Tiers}
	if size > 1 {
		m.Levels = append(m.Levels, model.Level{Size: int64(size), Gather: m.Gather})
	}
	r := &spec.Room{
		Takes: slots, Scores: make([]int64, len(names)), Others: make([]bool, len(names)), Kind: make([]int, len(names)), Kinds: make([]spec.ZoneKind, 1),
		Wastes: make([]int64, len(names)), Indexed: true,
	}
	r.Of(m)
	return m
}

// A leaf may have nodes and no units. Groups in its units are not counted then.
func TestWideGangsInUnevenTrees(t *testing.T) {
	defer func() { lookedDown = mostLookedDown }()
	lookedDown = 0
	unit := func(name string, nodes ...string) topology.Domain {
		return topology.Domain{Name: name, Tier: 1, Nodes: nodes}
	}
	leaf := func(name string, of ...topology.Domain) topology.Domain {
		return topology.Domain{Name: name, Tier: 2, Children: of}
	}
	roots := []topology.Domain{
		{Name: "s0", Tier: 3, Children: []topology.Domain{leaf("l0", unit("u0", "n0", "n1"), unit("u1", "n2"))}},
		{Name: "s1", Tier: 3, Children: []topology.Domain{leaf("l1", unit("u2", "n3", "n4"), unit("u3", "n5", "n6")), {Name: "l2", Tier: 2, Nodes: []string{"n7"}}}},
	}
	m := wideIn(t, roots, []string{"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}, []int64{1, 1, 1, 1, 1, 1, 1, 1}, 6, 2)
	a := Search(m)
	require.NotNil(t, a)
	require.NoError(t, spec.Valid(m, a))
	require.Equal(t, []int{2, 2}, widths(m, a), "spines and leaves")
	require.Equal(t, []int32{1}, m.ReachedByGroups(a.Positions))
}

// holds are the units of a size that each domain of a layer holds, from the root down to units of the tree, each whole in one of these.
func (w *wide) holds(size int) (by [4][]int) {
	for i, n := range w.slots {
		if i%w.fan[3] == 0 {
			by[3] = append(by[3], 0)
		}
		by[3][len(by[3])-1] += w.atMost(0, int(n), size)
	}
	for i := range by[3] {
		by[3][i] = w.atMost(1, by[3][i], size) / size
	}
	for k := 2; k >= 0; k-- {
		for i, n := range by[k+1] {
			if i%w.fan[k] == 0 {
				by[k] = append(by[k], 0)
			}
			by[k][len(by[k])-1] += n
		}
		for i := range by[k] {
			by[k][i] = w.atMost(4-k, by[k][i], size)
		}
	}
	return by
}

// atMost is n, or fewer where there is a limit for members of a domain of a tier.
func (w *wide) atMost(tier, n, size int) int {
	if size > 1 || tier >= len(w.most) || w.most[tier] == 0 {
		return n
	}
	return min(n, w.most[tier])
}

// least has, for each number of units up to most, the fewest children of a domain of a layer, then the fewest grandchildren, that hold them.
func (w *wide) least(by *[4][]int, layer, d, most int) (out [][]int) {
	out = make([][]int, most+1)
	out[0] = make([]int, min(2, 3-layer))
	for c := d * w.fan[layer]; c < (d+1)*w.fan[layer]; c++ {
		next := slices.Clone(out)
		for taken, before := range out {
			for n := 1; n <= by[layer+1][c] && taken+n <= most && before != nil; n++ {
				span := slices.Clone(before)
				if span[0]++; len(span) > 1 {
					span[1] += w.fewest(by[layer+2], w.fan[layer+1], c, n)
				}
				if at := &next[taken+n]; *at == nil || slices.Compare(span, *at) < 0 {
					*at = span
				}
			}
		}
		out = next
	}
	return out
}

// fewest is how many children of a domain hold n units.
func (w *wide) fewest(below []int, fan, d, n int) (count int) {
	list := slices.Sorted(slices.Values(below[d*fan : (d+1)*fan]))
	for i := len(list) - 1; n > 0; i-- {
		n, count = n-list[i], count+1
	}
	return count
}

// Of gangs that are too large for all layers at once, members and groups that lie in one unit each and not on one node use as few children, and as few
// grandchildren, as any domain of the tier allows.
func TestSpansOfWideGangs(t *testing.T) {
	defer func() { lookedDown = mostLookedDown }()
	lookedDown = 0
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWide(t)
		size := rapid.SampledFrom([]int{1, 7, 8, 10}).Draw(t, "size of groups")
		by := w.holds(size)
		if by[0][0] == 0 {
			return
		}
		units := rapid.IntRange(1, min(by[0][0], 150/size)).Draw(t, "groups")
		m := w.model(t, units*size, size)
		a := Search(m)
		if w.units > 0 && size == 1 && a == nil {
			return
		}
		require.NotNil(t, a)
		require.NoError(t, spec.Valid(m, a))
		layer := 4 - m.View.TierIndex(m.View.TierOf(a.Domain))
		if layer > 2 || layer < 0 || layer < 2 && m.Limits.CountDomains() {
			return // units stand for the children
		}
		var least []int
		for d, room := range by[layer] {
			if room >= units {
				if span := w.least(&by, layer, d, units)[units]; layer == 2 && m.Limits.CountDomains() && span[0] > w.units {
					continue
				} else if least == nil || slices.Compare(span, least) < 0 {
					least = span
				}
			}
		}
		if least == nil || size > 1 && m.ReachedByGroups(a.Positions)[0] > 1 {
			return // groups are split between units
		}
		compared++
		require.Equal(t, least, widths(m, a)[:len(least)])
	})
	t.Logf("%d compared", compared)
}

// Members of groups that no domain below the gang's holds whole lie as those of a gang without groups: in as few children, and as few grandchildren, as can
// be, in the domain and below the domains that hold groups.
func TestSpansOfWideGangsInSplitGroups(t *testing.T) {
	defer func() { lookedDown = mostLookedDown }()
	lookedDown = 0
	compared, deeper := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWide(t)
		w.most, w.units = [4]int{}, 0
		by := w.holds(1)
		layer := rapid.IntRange(0, 2).Draw(t, "layer") // whose domains hold groups, and no lower ones do
		size := slices.Max(by[layer+1]) + rapid.IntRange(1, 3).Draw(t, "more")
		whole := w.holds(1)
		for d, room := range by[layer] {
			whole[layer][d] = room / size
		}
		for k := layer - 1; k >= 0; k-- {
			clear(whole[k])
			for d, n := range whole[k+1] {
				whole[k][d/w.fan[k]] += n
			}
		}
		if whole[0][0] == 0 {
			return
		}
		groups := rapid.IntRange(1, whole[0][0]).Draw(t, "groups")
		m := w.model(t, groups*size, size)
		a := Search(m)
		require.NotNil(t, a)
		require.NoError(t, spec.Valid(m, a))
		var least []int
		for d, room := range by[layer] {
			var positions []int32 // of the members in this domain
			for _, pos := range a.Positions {
				if int(pos)/(len(w.slots)/len(by[layer])) == d {
					positions = append(positions, pos)
				}
			}
			n := len(positions)
			if n > 0 {
				here := w.least(&by, layer, d, n)[n]
				require.Equal(t, here, widths(m, &model.Answer{Domain: m.View.Named(m.View.Lowest([]int32{int32(d * len(w.slots) / len(by[layer])), int32((d+1)*len(w.slots)/len(by[layer])) - 1})), Positions: positions})[:len(here)])
				deeper++
			}
			if span := w.least(&by, layer, d, min(room, groups*size)); groups == 1 && room >= size && (least == nil || slices.Compare(span[size], least) < 0) {
				least = span[size]
			}
		}
		if groups == 1 {
			require.Equal(t, least, widths(m, a)[:len(least)])
			compared++
		}
	})
	t.Logf("%d compared among domains, %d within", compared, deeper)
}
