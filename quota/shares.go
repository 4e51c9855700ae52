package quota

import (
	"slices"
	"sync"

	"github.com/muster-sched/muster"
)

// Share is how much a quota may use now, of the resources that it governs; nil for an unknown quota. The map is the caller's.
// What was worked out once is kept with the state. O(depth * k), the first time O(n log n) for the children on the path.
func (s *State) Share(quota string) muster.Resources {
	s = s.orEmpty()
	id, ok := s.tree.byName[quota]
	if !ok {
		return nil
	}
	out := muster.Resources{}
	for r, amount := range s.runtime(id) {
		if s.tree.governs(id, r) {
			out[s.tree.resources[r]] = amount
		}
	}
	return out
}

// runtime is the share of a quota by resource, to be read only.
func (s *State) runtime(id int32) []int64 {
	if id < 0 {
		return s.total
	}
	up := s.tree.parent[id]
	return part(s.sharesOf(up, s.node(up), s.runtime(up)).got, s.tree.place(id), len(s.tree.resources))
}

// part is the i-th k amounts.
func part(amounts []int64, i, k int) []int64 { return amounts[i*k : i*k+k : i*k+k] }

// node finds a quota. O(depth).
func (s *State) node(id int32) *node {
	if id < 0 {
		return s.root
	}
	return s.node(s.tree.parent[id]).kids[s.tree.place(id)]
}

// sharesOf divides a budget among the children of a quota.
func (s *State) sharesOf(id int32, n *node, budget []int64) *shares {
	if known := n.shares.Load(); known != nil && slices.Equal(known.budget, budget) {
		return known
	}
	k := len(budget)
	sh := &shares{budget: budget, got: make([]int64, len(n.kids)*k)}
	for i, kid := range n.kids {
		copy(part(sh.got, i, k), kid.claim())
	}
	s.divide(id, budget, sh.got)
	n.shares.Store(sh)
	return sh
}

// divide turns what the children of a quota claim, by child, then resource, into what they get. Each gets its floor, the guarantee as
// far as it is claimed; what is left is shared by weight. If the budget cannot pay the floors, these are scaled: they are shared by
// guarantee.
func (s *State) divide(id int32, budget, amounts []int64) {
	t := s.tree
	w := sharings.Get().(*sharing)
	defer sharings.Put(w)
	n, k, first := t.kids(id), len(budget), t.kid(id, 0)
	w.list = slices.Grow(w.list[:0], n)[:n]
	for r, left := range budget {
		floors := int64(0)
		for i := range w.list {
			at := t.at(first+int32(i), r)
			claim := amounts[i*k+r]
			floor := min(s.guarantee(at, r), claim)
			w.list[i] = claimant{weight: s.weighs(at, r), cap: claim - floor, place: i}
			amounts[i*k+r] = floor
			floors = plus(floors, floor)
		}
		if floors < left {
			left -= floors
		} else { // scaled
			for i := range w.list {
				w.list[i].weight, w.list[i].cap, amounts[i*k+r] = s.guarantee(t.at(first+int32(i), r), r), amounts[i*k+r], 0
			}
		}
		w.share(left)
		for i := range w.list {
			amounts[w.list[i].place*k+r] += w.list[i].got
		}
	}
}

// weighs is the weight of the quota at a place.
func (s *State) weighs(at, r int) int64 {
	if s.tree.weight[at] == missing {
		return s.total[r]
	}
	return s.tree.weight[at]
}

// guarantee is that of the quota at a place.
func (s *State) guarantee(at, r int) int64 { return s.bounds(at, r, s.tree.secured[at]) }

// bounds holds an amount of the quota at a place down to the total, if there is no maximum. Where amounts are only added up and shared
// out, it is enough to do so at the end.
func (s *State) bounds(at, r int, amount int64) int64 {
	if s.tree.bounded[at] {
		return amount
	}
	return min(amount, s.total[r])
}

var sharings = sync.Pool{New: func() any { return &sharing{} }}

// Shares works out the shares of all quotas, and calls yield, if it is not nil, with each, parents before their children. The
// maps are the caller's. What did not change since an earlier state is not worked out again. O(n k), and O(n log n) for
// children whose budget or claims changed.
func (s *State) Shares(yield func(quota string, share muster.Resources)) {
	s = s.orEmpty()
	s.shareAll(-1, s.root, s.total)
	if yield == nil {
		return
	}
	for id := range s.tree.specs {
		name := s.tree.specs[id].Name
		yield(name, s.Share(name))
	}
}

func (s *State) shareAll(id int32, n *node, budget []int64) {
	sh := s.sharesOf(id, n, budget)
	for i, kid := range n.kids {
		if id := s.tree.kid(id, i); s.tree.kids(id) > 0 {
			s.shareAll(id, kid, part(sh.got, i, len(budget)))
		}
	}
}
