package quota

// Raise says what would raise the share of a quota.
type Raise string

const (
	// RaiseDemand says that the quota gets all that it claims: more work would raise its share.
	RaiseDemand Raise = "demand"
	// RaiseMax says that it gets its maximum, and could use more.
	RaiseMax Raise = "max"
	// RaiseWeight says that it gets its guarantee and nothing else, its weight being 0.
	RaiseWeight Raise = "weight"
	// RaiseBudget says that its siblings need the rest: a larger share of its parent (at the top, more in total), or a larger
	// guarantee or weight of its own would raise its share.
	RaiseBudget Raise = "budget"
)

// Terms is how the share of a quota comes about, for one resource that it governs.
type Terms struct {
	// Resource is what all amounts are of.
	Resource string
	// Min and Max as they count: a missing minimum is 0, a missing maximum that of the parent, at the top the total.
	Min, Max int64
	// Guarantee is the larger of the minimum, of what is guaranteed, and of the guarantees of the children, within the maximum.
	Guarantee int64
	// Used, Pinned and Demand are sums over the leaves.
	Used, Pinned, Demand int64
	// Want is what it could use within its maximum, Claim what it asks of its parent, Floor what it gets of that before others.
	Want, Claim, Floor int64
	// Weight is its part of what is left beyond all floors, by the side of those of its siblings.
	Weight int64
	// Share is what it may use now.
	Share int64
	// Raise says what would raise the share.
	Raise Raise
}

// Explain says how the share of a quota comes about, by resource in natural order; nil for an unknown quota. The list is the
// caller's. O(depth * k), the first time as for [State.Share].
func (s *State) Explain(quota string) []Terms {
	s = s.orEmpty()
	id, ok := s.tree.byName[quota]
	if !ok {
		return nil
	}
	var out []Terms
	n, share := s.node(id), s.runtime(id)
	for r, resource := range s.tree.resources {
		if !s.tree.governs(id, r) {
			continue
		}
		at := s.tree.at(id, r)
		t := Terms{
			Resource: resource, Min: max(0, s.tree.min[at]), Max: s.bounds(at, r, s.tree.most[at]), Guarantee: s.guarantee(at, r),
			Used: n.used()[r], Pinned: n.pinned()[r], Demand: n.demand()[r],
			Want: s.bounds(at, r, n.want()[r]), Claim: s.bounds(at, r, n.claim()[r]),
			Weight: s.weighs(at, r), Share: share[r], Raise: RaiseBudget,
		}
		t.Floor = min(t.Guarantee, t.Claim)
		switch {
		case t.Share == t.Claim && t.Want == t.Max:
			t.Raise = RaiseMax
		case t.Share == t.Claim:
			t.Raise = RaiseDemand
		case t.Weight == 0 && t.Share == t.Floor:
			t.Raise = RaiseWeight
		}
		out = append(out, t)
	}
	return out
}
