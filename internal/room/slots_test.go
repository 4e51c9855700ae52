// Are slots what the definition says, and the same from an index, on any snapshot and by any way?

package room_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/layout"
)

// checkSlots compares the slots of all vertices with the definition.
func checkSlots(t require.TestingT, a *asked, got func(x layout.Vertex) int64) {
	v := a.Model.View
	takes := make([]int64, v.Nodes)
	for pos := range v.Nodes {
		if a.node(a.name(pos)) != nil {
			takes[pos] = a.takes(t, a.name(pos))
		}
	}
	for x := range layout.Vertex(v.NumDomains()) + v.Nodes {
		var fit []int64 // beyond what is forced there
		for _, n := range a.below(x, takes) {
			if up := v.Above(x); n >= a.Model.Forced.At(x) && (up < 0 || (n+a.Model.Siblings.At(x))%a.Model.Unit(up) == 0) {
				fit = append(fit, n-a.Model.Forced.At(x))
			}
		}
		if len(fit) == 0 {
			require.Negative(t, got(x), "%s has no room for members that are forced there", a.vertex(x))
		} else {
			require.Equal(t, slices.Max(fit), got(x), a.vertex(x))
		}
	}
}

// The slots of a node follow from what it has, what refuses it, limits and zones; those of a domain are the most that may be below it.
func TestSlotsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		a.Spared = draws.Chance(t, 20, "without nodes for others")
		slots := a.Slots().Count()
		checkSlots(t, a, func(x layout.Vertex) int64 { return slots[x] })
	})
}

// An index gives the slots that a count gives.
func TestTableEqualsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		a.Spared = draws.Chance(t, 20, "without nodes for others")
		sameTable(t, a)
		inside := a.Inside != layout.Root && a.Model.Limits != nil // counted for the request alone
		if a.Allowed == nil && !inside && a.Model.Running.Len() == 0 && (a.Request.Eligible == nil || a.Request.Class != "") {
			table := a.Nodes().Table()
			require.NotNil(t, table.Ix, "there is an index of the shape")
		}
	})
}

// sameTable compares the slots of a table with those of a count by another room.
func sameTable(t require.TestingT, a *asked) {
	table, slots := a.Nodes().Table(), a.again(t).Slots().Count()
	for x := range slots {
		require.Equal(t, slots[x], table.At(layout.Vertex(x)), a.vertex(layout.Vertex(x)))
	}
}

// drawChange draws a change of a cluster: members leave, are gone, or come, and nodes become others.
func drawChange(t *rapid.T, spec *cluster.Spec) cluster.Delta {
	d := cluster.Delta{Observed: true}
	for _, r := range spec.Running {
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
		switch rapid.IntRange(0, 5).Draw(t, "member") {
		case 0:
			d.Remove = append(d.Remove, ref)
			if rapid.Bool().Draw(t, "comes back") {
				r.Node = rapid.SampledFrom(spec.Nodes).Draw(t, "node").Name
				r.NUMA, r.Leaving = nil, rapid.Bool().Draw(t, "leaving")
				d.Place = append(d.Place, r)
			}
		case 1:
			d.Leaving = append(d.Leaving, ref)
		}
	}
	for _, n := range spec.Nodes {
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			n.Cordoned = !n.Cordoned
		case 1:
			n.Allocatable[draws.Device]++
		case 2:
			n.Taints = nil
		case 3:
			n.Labels = map[string]string{"kind": "b"}
		default:
			continue
		}
		d.SetNodes = append(d.SetNodes, n)
	}
	return d
}

// The slots on a later snapshot are what they are without the earlier ones, whoever asked before: requests that differ in one thing share
// no index unless their slots are the same.
func TestIndexFollowsSnapshots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		c := a.Snapshot
		for range rapid.IntRange(2, 4).Draw(t, "snapshots") {
			for range rapid.IntRange(1, 3).Draw(t, "requests") {
				req := *a.Request
				shape := *a.Shapes[0]
				next := onSnapshot(t, c, &req, append(slices.Clone(a.Shapes[:len(a.Shapes)-1]), &shape)...)
				next.Allowed, next.Model.Hard = a.Allowed, a.Model.Hard
				next.limit(a.Model.Limits)
				switch rapid.IntRange(0, 5).Draw(t, "what differs") {
				case 0:
					req.Exclude = []string{next.name(0)}
				case 1:
					next.LeavingGone = true
				case 2:
					next.Spared = true
				case 3:
					shape.NUMA = draws.NUMA(t)
					next.AlignAnew()
				case 4:
					shape.Selector = map[string]string{"kind": "b"}
				}
				sameTable(t, next)
			}
			var err error
			c, err = c.Update(drawChange(t, &onSnapshot(t, c, a.Request).spec))
			require.NoError(t, err)
		}
	})
}

// With multiples a vertex has as many slots as it takes beyond the members that complete what runs there; where it lacks room for
// these, nothing fits.
func TestSlotsWithMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		m := a.Model
		tier, every := rapid.Int32Range(0, m.View.RootTop-1).Draw(t, "tier"), rapid.Int64Range(2, 3).Draw(t, "multiple")
		for at := range m.View.RootTop + 1 {
			one := int64(1)
			if at >= tier {
				one = every
			}
			m.Multiple = append(m.Multiple, one)
		}
		a.limit(nil) // members under both are placed as parts are
		if m.Running.Len() > 0 {
			m.Forced = layout.Tally{}
			force(a, layout.Root)
		}
		table := a.Nodes().Table()
		checkSlots(t, a, table.At)
	})
}

// force notes how many members must come below a vertex: at least those of its children, and as many as complete its own multiple.
func force(a *asked, x layout.Vertex) int64 {
	m, least := a.Model, int64(0)
	if m.Siblings.At(x) == 0 {
		return 0
	}
	if !m.View.IsNode(x) {
		lo, end := m.View.Kids(x)
		for c := lo; c < end; c++ {
			least += force(a, c)
		}
	}
	if up := m.View.Above(x); up >= 0 {
		for (m.Siblings.At(x)+least)%m.Unit(up) != 0 {
			least++
		}
	}
	m.Forced[x] = least
	return least
}
