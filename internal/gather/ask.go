// Package gather answers: where does a gang of one shape in equal groups go? [Engine] searches: it cuts members into
// groups (ask), tries strategies, tightest first, until sums show a domain that holds them, takes the best domain, and
// hands the members down, level by level, to the best children.
//
// The rules are pages 1 to 5 of docs/order. A function that is here only for speed names the rules whose answer it
// gives.
//
// Who may write: the plan that owns the scratch. The index and the snapshot are only read.
package gather

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/sets"
)

// ask is a problem with the number of new members decided, cut into groups: which whole groups, which short one and
// which units of begun groups are to be placed? The members are the first pending ones in rank order.
type ask struct {
	m       *model.Model
	scratch *scratch
	slots   model.SlotTable // that the ask may use: without nodes outside the tree, as long as the tree has room
	members int64           // new ones
	// sizes of the group levels, outermost first, then 1 for single members: the units that are placed.
	sizes []int64
	full  int64 // new groups of the outermost level that are whole; without groups the members
	short int64 // members of a new short last group; 0: there is none
	begun []begunGroup
	// settled is, by level, the highest tier that the running members of one group reach already; 0 at least.
	settled  []int32
	features features.Set
	rules    keys.Rules // of the policy
	// indexed counts whole groups by the index; nil unless there is an index, one level of groups, and none is begun.
	// only has the sums of the strategy at hand, if these need no tables.
	indexed *index.GroupSums
	nested  *index.Nested // the same for several levels
	only    sums
	gap     gap
	scores  map[int32]int64 // host score by position, as far as asked for
	// capped: limits bound the members of domains, which then have more slots in their children than by themselves.
	capped bool
	broken bool     // members that run break a limit already
	keys   keys.Set // that may tell places apart; 0: not yet asked for
	// groups has, by level, how many groups have running members below a vertex; nil where no limit counts groups.
	groups []layout.Tally
	layers *layers // below the children of domains, if these count; else nil
	// groupsFrom is one above the place in the view's Tiers of the lowest tier down to which whole groups are tried on the largest domains; 0: they are not.
	groupsFrom int
	alone      *ask  // for the same members without groups, once asked for
	additions  int64 // that the searches for the narrowest span have left
	// beyond is how many new members must lie outside the tree, because the tree has no slots for them.
	beyond int64
}

// begunGroup is a group of which some members run and others are placed.
type begunGroup struct {
	level int
	lca   layout.Vertex // the lowest vertex above its running members
	need  int64         // units of the next level that are placed: whole inner groups, or members
	// ranks are the first ranks of these units, ascending.
	ranks []int
}

// newAsk cuts the first n pending members into groups. O(n + running).
//
// order: groups.1
func newAsk(m *model.Model, slots model.SlotTable, n int) *ask {
	r := scratchOf(m)
	a := &r.ask
	if r.asked { // the first ask of a problem lies in the scratch, and may still be in use
		a = &ask{}
	}
	r.asked = true
	*a = ask{m: m, scratch: r, slots: slots, members: int64(n), rules: keys.RulesOf(m.Policy), capped: m.Limits.CountMembers()}
	for _, l := range m.Levels {
		a.sizes = append(a.sizes, l.Size)
	}
	a.sizes = append(a.sizes, 1)
	a.settled = make([]int32, len(m.Levels))
	switch {
	case len(m.Levels) == 0:
		a.full = a.members
	case m.Running.Len() == 0:
		a.full, a.short = a.members/a.sizes[0], a.members%a.sizes[0]
	default:
		a.cut()
	}
	if m.Limits != nil && m.Running.Len() > 0 {
		a.countGroups()
		a.broken = m.Room.Broken() || a.groupsBroken()
	}
	a.findGap()
	a.stayInTree()
	a.features = m.Features() | features.Short.When(a.short > 0) | features.Begun.When(len(a.begun) > 0) | features.Beyond.When(a.beyond > 0) |
		features.Flat.When(a.slots.Flat != nil) | features.Uncounted.When(a.groups != nil)
	if a.lookDown(); a.layers != nil {
		a.features |= features.Layers
	}
	a.count()
	return a
}

// has says whether the ask has a feature.
func (a *ask) has(f features.Set) bool { return a.features.Has(f) }

// keySet are the keys that may tell places apart.
func (a *ask) keySet() keys.Set {
	if a.keys == 0 {
		a.keys = keys.Of(a.features)
	}
	return a.keys
}

// takes says whether a shortcut may be taken for this ask.
func (a *ask) takes(s features.Shortcut) bool { return s.Takes(a.features) }

// count makes the index count whole groups, if there are any.
//
// Same answer as order: strategy.4, faster.
func (a *ask) count() {
	if len(a.m.Levels) == 0 || !a.takes(features.CountGroups) {
		return
	}
	if len(a.m.Levels) == 1 {
		a.indexed = a.groupsOf(0)
		return
	}
	levels := make([]*index.GroupSums, len(a.m.Levels))
	for i := range levels {
		levels[i] = a.groupsOf(i)
	}
	a.nested = index.NewNested(a.slots.Ix, levels)
}

// isCounted says whether the index counts whole groups.
func (a *ask) isCounted() bool { return a.indexed != nil || a.nested != nil }

// counted has the whole groups of a level as if no other level were there: with others no more fit. They are counted.
func (a *ask) counted(i int) *index.GroupSums {
	if a.nested != nil {
		return a.nested.Levels[i]
	}
	return a.indexed
}

// unitsOf is the number of units of level i in the new whole groups.
func (a *ask) unitsOf(i int) int64 { return a.full * a.sizes[0] / a.sizes[i] }

// stayInTree keeps members off the nodes outside the tree if the tree has slots for all of them; else it counts how
// many must lie outside.
//
// order: strategy.1
func (a *ask) stayInTree() {
	if a.slots.At(layout.Root) < 0 { // some vertex cannot complete its multiple
		return
	}
	outside := a.slots.At(a.m.View.Outside)
	inside := a.slots.At(layout.Root) - outside
	if a.beyond = max(0, a.members-a.m.Forced[layout.Root]-inside); a.beyond == 0 && outside != 0 {
		a.slots = insideTree(&a.slots, a.m.View)
	}
}

// findGap finds the gap of the ask. Without a running member on one side that side has no bound. O(log running).
func (a *ask) findGap() {
	if a.members != 1 || a.m.Running.Len() == 0 || a.m.Multiple != nil {
		return
	}
	g := gap{0, a.m.View.Nodes - 1, true}
	behind := a.m.Running.Before(a.m.Pending[0])
	if behind > 0 {
		g.first = a.m.Running.At(behind - 1)
	}
	if behind < a.m.Running.Len() {
		g.last = a.m.Running.At(behind)
	}
	if g.open = g.first <= g.last; g.open {
		a.gap = g
	}
}

// insideTree is the table in which the nodes outside the tree have no slots. O(1) with an index, else O(vertices).
func insideTree(t *model.SlotTable, v *layout.View) model.SlotTable {
	if t.Flat == nil {
		return model.SlotTable{Ix: t.Ix, Inside: cmp.Or(t.Inside, -1)}
	}
	flat := slices.Clone(t.Flat)
	lo, end := v.Kids(v.Outside)
	clear(flat[lo:end])
	flat[layout.Root] -= flat[v.Outside]
	flat[v.Outside] = 0
	return model.SlotTable{Flat: flat}
}

// cut sorts the groups of a gang with running members into whole new ones, the short one, begun ones and settled ones.
// Begun groups come in the order in which they look for their homes in a level: the smallest need first, then the
// lowest rank. O(levels * members), but for running members in blocks before the first pending one.
func (a *ask) cut() {
	lo, total := 0, len(a.m.Pending)+a.m.Running.Len()
	leading, blocks := a.m.Running.Leading()
	for i := range a.settled {
		members, tier, outside := blocks.Reached(i, leading)
		if lo = members; outside && a.m.Hard {
			tier = a.m.View.RootTop
		}
		a.settled[i] = tier
	}
	for ; lo < total; lo += int(a.sizes[0]) {
		whole, short, _ := a.cutGroup(0, lo, min(lo+int(a.sizes[0]), total))
		a.full += whole
		a.short += short
	}
	slices.SortStableFunc(a.begun, func(x, y begunGroup) int {
		return cmp.Or(cmp.Compare(x.need, y.need), cmp.Compare(x.ranks[0], y.ranks[0]))
	})
}

// cutGroup looks at the group of level i with the ranks [lo, hi). It returns 1 whole if all its members are placed now,
// with their first rank, or the members of a short group. Otherwise it returns zeros and notes what a begun group
// needs.
//
// order: groups.2
func (a *ask) cutGroup(i, lo, hi int) (whole, short int64, ranks []int) {
	placed := a.ranksIn(lo, hi)
	lca, runs := a.m.Running.LowestIn(a.m.View, lo, hi)
	switch {
	case len(placed) == 0:
		if runs > 0 {
			a.settled[i] = max(a.settled[i], a.settledTier(lca))
		}
		for at := lo; at < hi && i+1 < len(a.m.Levels); at += int(a.sizes[i+1]) {
			a.cutGroup(i+1, at, min(at+int(a.sizes[i+1]), hi)) // nothing is placed: this settles the inner groups
		}
		return 0, 0, nil
	case runs == 0 && int64(len(placed)) == a.sizes[i]:
		return 1, 0, placed[:1]
	case runs == 0:
		return 0, int64(len(placed)), nil
	}
	a.settled[i] = max(a.settled[i], a.settledTier(lca))
	g := begunGroup{level: i, lca: lca}
	if i+1 == len(a.m.Levels) {
		g.need, g.ranks = int64(len(placed)), placed
	} else {
		for at := lo; at < hi; at += int(a.sizes[i+1]) {
			n, _, first := a.cutGroup(i+1, at, min(at+int(a.sizes[i+1]), hi))
			g.need += n
			g.ranks = append(g.ranks, first...)
		}
	}
	if g.need > 0 { // else all that is placed lies in inner groups that are begun themselves
		a.begun = append(a.begun, g)
	}
	return 0, 0, nil
}

// settledTier is the tier that the running members of a group reach. Nodes outside the tree satisfy no hard rule, so
// there it is the root's.
//
// order: tree.1
func (a *ask) settledTier(lca layout.Vertex) int32 {
	if a.m.Hard && a.m.View.Contains(a.m.View.Outside, lca) {
		return a.m.View.RootTop
	}
	return a.m.View.TierOf(lca)
}

// ranksIn lists the ranks of the members placed now within [lo, hi); the slice is the model's. O(log members).
func (a *ask) ranksIn(lo, hi int) []int {
	placed := a.m.Pending[:a.members]
	from, _ := slices.BinarySearch(placed, lo)
	n, _ := slices.BinarySearch(placed[from:], hi)
	return placed[from : from+n : from+n]
}

// ratio is how many units of the next level make one of level i.
func (a *ask) ratio(i int) int64 { return a.sizes[i] / a.sizes[i+1] }

// bottom is the level of single members.
func (a *ask) bottom() int { return len(a.sizes) - 1 }

// zonesTell says whether the children of x are nodes of an aligned gang that zones may tell apart: not if the index
// knows that all of them with slots are alike.
func (a *ask) zonesTell(x layout.Vertex) bool {
	lo, _ := a.m.View.Kids(x)
	return a.has(features.Aligned) && a.m.View.IsNode(lo) && (a.slots.Flat != nil || a.slots.Ix.Alike.At(x) < 0)
}

// nodesTell says whether the children of x are nodes that more than slots may tell apart.
func (a *ask) nodesTell(x layout.Vertex) bool {
	lo, _ := a.m.View.Kids(x)
	return a.zonesTell(x) || a.has(features.Wasteful) && a.m.View.IsNode(lo)
}

// scratch is the memory of a search that no result keeps. The plans of a lineage take turns with a few of them.
type scratch struct {
	ask     ask  // the first of the problem
	asked   bool // it is taken
	picks   []chosen
	wide    [2][]chosen // two layers of vertices
	slots   []int32     // of children
	used    []int32     // members that run in these
	least   sets.LeastSum
	left    []int64 // what nodes that are not in use hold, or runs of vertices
	taken   []taken
	groups  sets.LeastGroups
	prices  prices
	layers  layers
	kids    []children // by depth below the candidate
	choice  []*choice  // by the same
	depth   int        // lists of kids in use
	units   []int64
	carved  int             // of units
	counted []int64         // slots of domains that are counted
	domains []layout.Vertex // these domains
	list    []int32         // positions of members
	listed  int             // of list
}

// enter goes one level down and returns room for the children there.
func (r *scratch) enter() children {
	if r.depth++; r.depth > len(r.kids) {
		r.kids = append(r.kids, children{items: make([]sets.Item, 0, 64), of: make([]child, 0, 64)})
		r.choice = append(r.choice, &choice{narrower: new(sets.Narrower)})
	}
	kids := &r.kids[r.depth-1]
	return children{items: kids.items[:0], of: kids.of[:0]}
}

// keep takes back the children of the current depth, whose room may have grown, for the next time.
func (r *scratch) keep(kids children) { r.kids[r.depth-1] = kids }

// carve returns n zeros that stay the caller's until Reset.
func (r *scratch) carve(n int) []int64 {
	if r.carved+n > len(r.units) {
		r.units, r.carved = make([]int64, max(256, 2*len(r.units), n)), 0
	}
	u := r.units[r.carved : r.carved+n : r.carved+n]
	r.carved += n
	clear(u)
	return u
}

// positions returns an empty list with room for n positions and one more.
func (r *scratch) positions(n int64) []int32 {
	n++
	if r.listed+int(n) > len(r.list) {
		r.list, r.listed = make([]int32, max(256, 2*len(r.list), int(n))), 0
	}
	at := r.listed
	r.listed += int(n)
	return r.list[at:at:r.listed]
}

// scratchOf is the scratch of the searches of a plan, made if there is none.
func scratchOf(m *model.Model) *scratch {
	r, ok := m.Memory.Search.(*scratch)
	if !ok {
		r = &scratch{}
		m.Memory.Search = r
	}
	return r
}

// Reset makes the scratch ready for another problem. Nothing in it refers to the snapshot any more.
func (r *scratch) Reset() {
	r.ask, r.asked = ask{}, false
	r.depth, r.carved, r.listed = 0, 0, 0
	r.picks, r.taken = r.picks[:0], r.taken[:0]
	if len(r.layers.tables) > 0 {
		r.layers.forgetTables()
	}
	r.layers = layers{tables: r.layers.tables}
	clear(r.prices.kids[:cap(r.prices.kids)])
}
