package frontsets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/keys"
)

// Fronts hold much that decides nothing. Mostly two numbers of a child are enough to find the best set: its slots of the
// first role, which are to be few, and the weight of its heaviest vector, of which the set must have enough. The best set
// by these is the best of all if it holds the vector, since every set that does has the slots and the weight.

// twoNumbers finds the best set of n children by their slots and heaviest vectors.
type twoNumbers struct {
	children []int   // in the order of paths
	weights  []int64 // by place in children: of the heaviest vector
	missing  int64   // the weight that the set must have
	slots    int64   // and the slots of the first role
	groups   []slotGroup
	rows     [][]weightRow // by number of groups, then by number of children
	spare    []int64
}

// slotGroup are the children with equal slots.
type slotGroup struct {
	slots   int64
	members []int   // places in children
	top     []int64 // by number: the weight of so many, the heaviest
	below   int     // children of the groups before
}

// weightRow has the most weight of so many children of some groups, by the sum of their slots from lo on; -1: none.
type weightRow struct {
	lo   int64
	most []int64
}

// at is the most weight with a sum of slots, -1 if there are no such children.
func (r *weightRow) at(slots int64) int64 {
	if i := slots - r.lo; i >= 0 && i < int64(len(r.most)) {
		return r.most[i]
	}
	return -1
}

// mostWeightCells bounds the table of one choice.
const mostWeightCells = 1 << 18

// byTwoNumbers is the best of the smallest sets, of at least `least` children; not ok if two numbers do
// not suffice to know it, or the table would be too large. O(classes of slots * children * slots).
//
// Same answer as order: roles.9, faster.
func (p *frontProgram) byTwoNumbers(others []int, least int) (set []int, ok bool) {
	c := p.c
	if c.Space.Exact || !features.ByTwoNumbers.Takes(c.Features) {
		return nil, false
	}
	t := twoNumbers{children: others, missing: p.scale.Of(c.Want), slots: int64(c.Want[0])}
	for _, child := range others {
		it := &c.Items[child]
		if it.Keys != (keys.Values{}) || int64(it.Front.Most(0)) > it.Slots {
			return nil, false
		}
		t.weights = append(t.weights, p.scale.Most(it.Front))
	}
	t.group(c.Items)
	for n := least; n <= len(others); n++ {
		cells := t.fill(n)
		if c.Left.Spend(cells / 64); cells > mostWeightCells || c.Left.Spent() {
			return nil, false
		}
		if slots, ok := t.fewest(n); ok {
			set = t.firstOf(t.numbers(n, slots))
			return set, p.holds(set)
		}
	}
	return nil, false
}

// holds says whether a set is known to hold the vector.
func (p *frontProgram) holds(set []int) bool {
	sum := p.c.Space.Zero
	for _, child := range set {
		if sum = p.c.Space.Sum(p.c.Items[child].Front, sum); p.c.Space.Forgot {
			return false
		}
	}
	return p.c.Space.Holds(sum, p.c.Want)
}

// group finds the groups, fewest slots first.
func (t *twoNumbers) group(items []Item) {
	order := make([]int, len(t.children))
	for i := range order {
		order[i] = i
	}
	slots := func(i int) int64 { return items[t.children[i]].Slots }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(slots(a), slots(b)), cmp.Compare(t.weights[b], t.weights[a]))
	})
	for n, i := range order {
		if n == 0 || slots(i) > t.groups[len(t.groups)-1].slots {
			t.groups = append(t.groups, slotGroup{slots: slots(i), top: []int64{0}, below: n})
		}
		g := &t.groups[len(t.groups)-1]
		g.members, g.top = append(g.members, i), append(g.top, g.top[len(g.top)-1]+t.weights[i])
	}
}

// fill makes the table for sets of n children, group after group. It returns the number of its cells times the ways to
// come there; a table that would be too large is not made.
func (t *twoNumbers) fill(n int) (cells int64) {
	t.rows = slices.Grow(t.rows[:0], len(t.groups)+1)
	first := make([]weightRow, n+1)
	first[0].most = []int64{0}
	t.rows = append(t.rows, first)
	for _, g := range t.groups {
		before, rows := t.rows[len(t.rows)-1], make([]weightRow, n+1)
		end := g.below + len(g.members) // children of the groups so far
		for k := max(0, n-(len(t.children)-end)); k <= min(n, end); k++ {
			lo, hi, ways := bounds(before, &g, k)
			if cells += ways * (hi - lo + 1); cells > mostWeightCells {
				return cells
			}
			if hi >= lo {
				rows[k] = t.row(before, &g, k, lo, hi)
			}
		}
		t.rows = append(t.rows, rows)
	}
	return cells
}

// bounds are the least and the largest sum of slots of k children, and the number of ways to divide them between a group
// and those before it.
func bounds(before []weightRow, g *slotGroup, k int) (lo, hi, ways int64) {
	lo, hi = 0, -1
	for c := range min(k, len(g.members)) + 1 {
		row := &before[k-c]
		if len(row.most) == 0 {
			continue
		}
		from, to := row.lo+int64(c)*g.slots, row.lo+int64(len(row.most)-1)+int64(c)*g.slots
		if ways++; ways == 1 {
			lo, hi = from, to
		}
		lo, hi = min(lo, from), max(hi, to)
	}
	return lo, hi, ways
}

// row is the most weight of k children of a group and those before it.
func (t *twoNumbers) row(before []weightRow, g *slotGroup, k int, lo, hi int64) weightRow {
	out := weightRow{lo: lo, most: carve(&t.spare, int(hi-lo+1))}
	for i := range out.most {
		out.most[i] = -1
	}
	for c := range min(k, len(g.members)) + 1 {
		row := &before[k-c]
		into := out.most[max(0, row.lo+int64(c)*g.slots-lo):]
		for i, w := range row.most {
			if w >= 0 {
				into[i] = max(into[i], w+g.top[c])
			}
		}
	}
	return out
}

// carve is front.Carve for numbers.
func carve(spare *[]int64, n int) []int64 {
	if n > len(*spare) {
		*spare = make([]int64, max(n, 512))
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	return out
}

// fewest is the least sum of slots of n children that have the weight.
func (t *twoNumbers) fewest(n int) (slots int64, ok bool) {
	row := &t.rows[len(t.groups)][n]
	for i, w := range row.most {
		if s := row.lo + int64(i); w >= t.missing && s >= t.slots {
			return s, true
		}
	}
	return 0, false
}

// numbers says how many children of each group the set has: of the largest as few as can be, then of the next.
func (t *twoNumbers) numbers(n int, slots int64) []int {
	out, missing := make([]int, len(t.groups)), t.missing
	for i := len(t.groups) - 1; i >= 0; i-- {
		g := &t.groups[i]
		for c := range min(n, len(g.members)) + 1 {
			w := t.rows[i][n-c].at(slots - int64(c)*g.slots)
			if w >= 0 && w+g.top[c] >= missing {
				out[i], n, slots, missing = c, n-c, slots-int64(c)*g.slots, missing-g.top[c]
				break
			}
		}
	}
	return out
}

// firstOf is the first set in the order of paths with so many children of each group that has the weight: each child in
// turn is taken if the heaviest of those that follow make up the rest.
func (t *twoNumbers) firstOf(numbers []int) (set []int) {
	groupOf, rest := make([]int, len(t.children)), int64(0)
	for i, g := range t.groups {
		for _, m := range g.members {
			groupOf[m] = i
		}
		rest += g.top[numbers[i]]
	}
	have := int64(0)
	for i, child := range t.children {
		g := &t.groups[groupOf[i]]
		n := numbers[groupOf[i]]
		if n == 0 {
			continue
		}
		with, without := t.heaviest(g, n-1, i), t.heaviest(g, n, i)
		others := rest - t.heaviest(g, n, i-1)
		if with >= 0 && (have+t.weights[i]+others+with >= t.missing || without < 0) {
			set, have, rest = append(set, child), have+t.weights[i], others+with
			numbers[groupOf[i]]--
			continue
		}
		rest = others + without
	}
	return set
}

// heaviest is the weight of the n heaviest children of a group behind a place; -1 if there are fewer.
func (t *twoNumbers) heaviest(g *slotGroup, n, behind int) (w int64) {
	for _, m := range g.members { // heaviest first
		if n == 0 {
			break
		}
		if m > behind {
			w, n = w+t.weights[m], n-1
		}
	}
	if n > 0 {
		return -1
	}
	return w
}
