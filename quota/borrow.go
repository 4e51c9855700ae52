package quota

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
)

// Pending is a gang in a queue, as far as quotas look at it.
type Pending struct {
	// Quota is a leaf.
	Quota string
	// Member is what one member asks for.
	Member muster.Resources
	// Members wait; at least MinMember of them must start together (0: all).
	Members, MinMember int
}

// WithFirm tells what the pending gangs of a quota, or below it, could start with out of its guarantee. [Borrow] keeps no
// more of the guarantee for them. Without it all demand counts. It is of this state: later ones know nothing of it. Errors as
// for [State.Use], but the quota may have children. O(firm).
func (s *State) WithFirm(quota string, amounts muster.Resources) (*State, error) {
	s = s.orEmpty()
	id, ok := s.tree.byName[quota]
	if !ok {
		return nil, &muster.InvalidError{Field: "quota", Value: quota, Reason: "unknown quota"}
	}
	if err := amounts.Validate("quota " + quota + ".firm"); err != nil {
		return nil, err
	}
	firm := maps.Clone(s.firm)
	if firm == nil {
		firm = map[int32][]int64{}
	}
	firm[id] = s.tree.vector(amounts)
	return s.withFirm(firm, s.told), nil
}

// WithQueue is WithFirm for all quotas: it tells which gangs are pending, in the order of the queue. Demand is told apart from
// it. The argument is not kept. An unknown quota or one with children is an [muster.InvalidError]. O(gangs * depth * k), and
// the shares of the quotas above them.
func (s *State) WithQueue(queue []Pending) (*State, error) {
	s = s.orEmpty()
	firm, left := map[int32][]int64{}, map[int32][]int64{}
	for i, g := range queue {
		id, err := s.tree.leaf(g.Quota, "demand", nil)
		if err != nil {
			return nil, fmt.Errorf("queue[%d]: %w", i, err)
		}
		member := s.tree.vector(g.Member)
		for ; id >= 0; id = s.tree.parent[id] {
			if firm[id] == nil {
				firm[id], left[id] = make([]int64, len(member)), s.securedLeft(id)
			}
			s.start(id, g, member, firm[id], left[id])
		}
	}
	return s.withFirm(firm, true), nil
}

func (s *State) withFirm(firm map[int32][]int64, told bool) *State {
	next := *s
	next.firm, next.told, next.lent = firm, told, newLent()
	return &next
}

// securedLeft is what is left of the guarantee of a quota, or of its share where that is less.
func (s *State) securedLeft(id int32) []int64 {
	left, n := make([]int64, len(s.tree.resources)), s.node(id)
	for r, runtime := range s.runtime(id) {
		left[r] = max(0, min(s.tree.secured[s.tree.at(id, r)], runtime)-n.used()[r])
	}
	return left
}

// start takes as many members of a gang as fit out of what is left, if these are enough to start.
func (s *State) start(id int32, g Pending, member, firm, left []int64) {
	n := int64(g.Members)
	for r, amount := range member {
		if amount > 0 && s.tree.governs(id, r) {
			n = min(n, left[r]/amount)
		}
	}
	least := int64(g.MinMember)
	if least == 0 {
		least = int64(g.Members)
	}
	if n < least {
		return
	}
	for r, amount := range member {
		if s.tree.governs(id, r) {
			firm[r] += n * amount
			left[r] -= n * amount
		}
	}
}

// lending is what every quota claims, by id, then resource, if others may take what it cannot use: what it uses, what its children
// so claim, and of its guarantee what somebody could start with.
func (s *State) lending() []int64 {
	if known := s.lent.Load(); known != nil {
		return *known
	}
	claims := make([]int64, len(s.tree.most))
	s.lend(-1, s.root, claims)
	s.lent.Store(&claims)
	return claims
}

func (s *State) lend(id int32, n *node, claims []int64) {
	t := s.tree
	for i, kid := range n.kids {
		s.lend(t.kid(id, i), kid, claims)
	}
	if id < 0 {
		return
	}
	firm, ok := s.firm[id]
	if !ok && s.told {
		firm = make([]int64, len(n.used()))
	} else if !ok {
		firm = n.demand()
	}
	for r := range n.used() {
		below := int64(0)
		for i := range n.kids {
			below = plus(below, claims[t.at(t.kid(id, i), r)])
		}
		at := t.at(id, r)
		most := max(n.used()[r], below, min(plus(n.used()[r], firm[r]), t.secured[at]))
		claims[at] = t.claimOf(id, r, min(t.most[at], most))
	}
}

// borrow raises the limits of a path to its shares if all others lend what they cannot use.
func (s *State) borrow(q *question) {
	t := s.tree
	lent, k := s.lending(), len(t.resources)
	q.lent = slices.Grow(q.lent[:0], len(q.ids)*k)[:len(q.ids)*k]
	for i := range slices.Backward(q.ids) {
		s.claimBeside(q, i, lent)
	}
	budget := s.total
	for i, id := range q.ids {
		up, own := t.parent[id], part(q.lent, i, k)
		first := t.kid(up, 0)
		q.got = append(q.got[:0], lent[t.at(first, 0):t.at(first+int32(t.kids(up)), 0)]...)
		copy(part(q.got, t.place(id), k), own)
		s.divide(up, budget, q.got)
		copy(own, part(q.got, t.place(id), k))
		budget = own
	}
	for i, limits := range q.limits {
		own := part(q.lent, i, k)
		for r := range own {
			own[r] = max(own[r], limits[r])
		}
		q.limits[i] = own
	}
}

// claimBeside works out what the i-th quota of a path claims, where its children beside the path lend.
func (s *State) claimBeside(q *question, i int, lent []int64) {
	t := s.tree
	id, n, k := q.ids[i], q.nodes[i], len(t.resources)
	claim := part(q.lent, i, k)
	for r := range claim {
		if claim[r] = 0; len(n.kids) == 0 {
			claim[r] = plus(n.used()[r], n.demand()[r])
		}
	}
	for j, kid := range n.kids {
		other := t.of(lent, t.kid(id, j))
		if t.kid(id, j) == q.ids[i+1] {
			other = part(q.lent, i+1, k)
		}
		for r, used := range kid.used() {
			claim[r] = plus(claim[r], max(other[r], used))
		}
	}
	for r := range claim {
		claim[r] = t.claimOf(id, r, min(t.most[t.at(id, r)], claim[r]))
	}
}
