package quota

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/muster-sched/muster"
)

// State is a tree, what there is in total, and what is used and asked for. It is immutable and safe for concurrent use;
// the methods that change something return a new state, which shares all but the path from the quota to the root.
type State struct {
	*terms
	root *node
	lent *atomic.Pointer[[]int64] // see lending
	// What pending gangs could start with, see [State.WithFirm]. told: the whole queue is known.
	firm map[int32][]int64
	told bool
}

func newLent() *atomic.Pointer[[]int64] { return &atomic.Pointer[[]int64]{} }

// terms are what depends on the tree and the total alone, by id, then resource.
type terms struct {
	*Tree
	total                 []int64
	most, secured, weighs []int64 // maximum, guarantee, weight
	bounded               []bool  // whether the maximum is its own or inherited, and not the total
}

// node is a quota with what is below it, at one time. The root has the quotas at the top below it.
type node struct {
	kids []*node
	// By resource. Those of an inner quota are sums over its leaves; want and claim are what it asks of its parent.
	used, pinned, demand, want, claim []int64
	shares                            atomic.Pointer[shares]
}

// shares is what the children get of a budget, by child, then resource.
type shares struct{ budget, got []int64 }

// State begins with nothing in use. A resource that the total lacks is 0; those that no quota governs are left out. A negative total is an
// [muster.InvalidError]. O(n k).
func (t *Tree) State(total muster.Resources) (*State, error) {
	s := &State{terms: &terms{Tree: t}, lent: newLent()}
	s.root = s.empty(-1)
	return s.WithTotal(total)
}

func (t *Tree) empty(id int32) *node {
	n := t.newNode()
	for kid := range t.kidsOf(id) {
		n.kids = append(n.kids, t.empty(kid))
	}
	return n
}

func (t *Tree) newNode() *node {
	k := len(t.resources)
	all := make([]int64, 5*k)
	return &node{used: all[:k], pinned: all[k : 2*k], demand: all[2*k : 3*k], want: all[3*k : 4*k], claim: all[4*k:]}
}

// WithTotal is the state with another total. O(n k).
func (s *State) WithTotal(total muster.Resources) (*State, error) {
	if err := total.Validate("total"); err != nil {
		return nil, err
	}
	next := &State{terms: s.Tree.termsOf(s.Tree.vector(total)), lent: newLent(), firm: s.firm, told: s.told}
	next.root = next.again(-1, s.root)
	return next, nil
}

// again is a quota with all below it, its claims worked out anew.
func (s *State) again(id int32, old *node) *node {
	n := s.newNode()
	copy(n.used, old.used)
	copy(n.pinned, old.pinned)
	copy(n.demand, old.demand)
	n.kids = slices.Clone(old.kids)
	for i, kid := range n.kids {
		n.kids[i] = s.again(s.kid(id, i), kid)
	}
	s.sum(id, n)
	return n
}

// vector is amounts by the tree's resources.
func (t *Tree) vector(r muster.Resources) []int64 {
	v := make([]int64, len(t.resources))
	for i, name := range t.resources {
		v[i] = r[name]
	}
	return v
}

func (t *Tree) termsOf(total []int64) *terms {
	n := len(t.min)
	m := &terms{Tree: t, total: total, most: make([]int64, n), secured: make([]int64, n), weighs: make([]int64, n), bounded: make([]bool, n)}
	for id := range int32(len(t.specs)) {
		for r := range t.resources {
			at, up := t.at(id, r), t.parent[id]
			switch {
			case t.max[at] != missing:
				m.most[at], m.bounded[at] = t.max[at], true
			case up >= 0:
				m.most[at], m.bounded[at] = m.most[t.at(up, r)], m.bounded[t.at(up, r)]
			default:
				m.most[at] = total[r]
			}
			if m.weighs[at] = t.weight[at]; m.weighs[at] == missing {
				m.weighs[at] = m.most[at]
			}
		}
	}
	for id := int32(len(t.specs)) - 1; id >= 0; id-- {
		for r := range t.resources {
			at, below := t.at(id, r), int64(0)
			for kid := t.first[id]; kid < t.end[id]; kid++ {
				below = plus(below, m.secured[t.at(kid, r)])
			}
			m.secured[at] = min(m.most[at], max(0, t.min[at], t.guaranteed[at], below))
		}
	}
	return m
}

// kidsOf iterates over the children of a quota, of the root for -1.
func (t *Tree) kidsOf(id int32) func(yield func(int32) bool) {
	first, end := int32(0), t.top
	if id >= 0 {
		first, end = t.first[id], t.end[id]
	}
	return func(yield func(int32) bool) {
		for kid := first; kid < end && yield(kid); kid++ {
		}
	}
}

// kid is the i-th child.
func (t *Tree) kid(id int32, i int) int32 {
	if id < 0 {
		return int32(i)
	}
	return t.first[id] + int32(i)
}

// place is the inverse of kid.
func (t *Tree) place(id int32) int {
	if up := t.parent[id]; up >= 0 {
		return int(id - t.first[up])
	}
	return int(id)
}

// sum works out what a quota has below it and claims, from its children.
func (s *State) sum(id int32, n *node) {
	if len(n.kids) > 0 {
		clear(n.used)
		clear(n.pinned)
		clear(n.demand)
	}
	clear(n.want)
	for _, kid := range n.kids {
		for r := range n.used {
			n.used[r], n.pinned[r], n.demand[r] = plus(n.used[r], kid.used[r]), plus(n.pinned[r], kid.pinned[r]), plus(n.demand[r], kid.demand[r])
			n.want[r] = plus(n.want[r], max(kid.claim[r], kid.used[r]))
		}
	}
	if id < 0 {
		return
	}
	for r := range n.used {
		if len(n.kids) == 0 {
			n.want[r] = plus(n.used[r], n.demand[r])
		}
		n.want[r] = min(s.most[s.at(id, r)], n.want[r])
		n.claim[r] = s.claimOf(id, r, n.want[r])
	}
}

// claimOf is what a quota that wants so much claims of its parent: who does not lend keeps the guarantee.
func (t *terms) claimOf(id int32, r int, want int64) int64 {
	if t.specs[id].Keeps {
		return max(want, t.secured[t.at(id, r)])
	}
	return want
}

// change replaces a leaf, and all above it.
func (s *State) change(id int32, f func(n *node) error) (*State, error) {
	n, err := s.changed(-1, s.root, s.ids(id), f)
	if err != nil {
		return nil, err
	}
	return &State{terms: s.terms, root: n, lent: newLent(), firm: s.firm, told: s.told}, nil
}

// changed copies a node and replaces what lies on the path below it.
func (s *State) changed(id int32, old *node, path []int32, f func(n *node) error) (*node, error) {
	n := s.newNode()
	if len(path) > 0 {
		at := s.place(path[0])
		kid, err := s.changed(path[0], old.kids[at], path[1:], f)
		if err != nil {
			return nil, err
		}
		n.kids = slices.Clone(old.kids)
		n.kids[at] = kid
	} else {
		copy(n.used, old.used)
		copy(n.pinned, old.pinned)
		copy(n.demand, old.demand)
		if err := f(n); err != nil {
			return nil, err
		}
	}
	s.sum(id, n)
	return n, nil
}

// ids is the path from the top down to a quota.
func (t *Tree) ids(id int32) []int32 {
	var ids []int32
	for ; id >= 0; id = t.parent[id] {
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// leaf finds a quota that members can be in; the error names the field that is given for it.
func (t *Tree) leaf(name, field string, amounts muster.Resources) (int32, error) {
	id, ok := t.byName[name]
	if !ok {
		return -1, &muster.InvalidError{Field: "quota", Value: name, Reason: "unknown quota"}
	}
	if t.first[id] < t.end[id] {
		var d defects
		for _, resource := range amounts.Names() {
			d.add(name, field+"."+resource, amounts[resource], "members can only be in a quota without children")
		}
		if len(d) == 0 {
			d.add(name, field, "", "members can only be in a quota without children")
		}
		return -1, errors.Join(d...)
	}
	return id, nil
}

// Use adds to what a leaf uses; pinned is the part of it that is not preemptible. Resources that no quota governs are left
// out. An unknown quota, one with children, a negative amount, a pinned part above the whole and a sum that overflows are
// each an [muster.InvalidError]. O(path * children * k).
func (s *State) Use(quota string, used, pinned muster.Resources) (*State, error) {
	return s.add(quota, used, pinned, 1)
}

// Release is the inverse of Use; to release more than is in use is an error. Cost as for Use.
func (s *State) Release(quota string, used, pinned muster.Resources) (*State, error) {
	return s.add(quota, used, pinned, -1)
}

func (s *State) add(quota string, used, pinned muster.Resources, sign int64) (*State, error) {
	if err := used.Validate("quota " + quota + ".used"); err != nil {
		return nil, err
	}
	if err := pinned.Validate("quota " + quota + ".nonPreemptible"); err != nil {
		return nil, err
	}
	id, err := s.leaf(quota, "used", used)
	if err != nil {
		return nil, err
	}
	return s.change(id, func(n *node) error {
		for r, name := range s.resources {
			bad := func(field string, amount int64, reason string) error {
				return &muster.InvalidError{Field: "quota " + quota + "." + field + "." + name, Value: fmt.Sprint(amount), Reason: reason}
			}
			u, p := used[name], pinned[name]
			switch {
			case p > u:
				return bad("nonPreemptible", p, "above what is used")
			case sign > 0 && u > math.MaxInt64-n.used[r]:
				return bad("used", u, "the sum overflows")
			case sign < 0 && u > n.used[r]:
				return bad("used", u, "more than is in use")
			case sign < 0 && (p > n.pinned[r] || u-p > n.used[r]-n.pinned[r]):
				return bad("nonPreemptible", p, "more than is in use, of it or of the rest")
			}
			n.used[r] += sign * u
			n.pinned[r] += sign * p
		}
		return nil
	})
}

// WithDemand is the state in which so much is pending in a leaf, not placed. Errors and cost as for Use.
func (s *State) WithDemand(quota string, demand muster.Resources) (*State, error) {
	if err := demand.Validate("quota " + quota + ".demand"); err != nil {
		return nil, err
	}
	id, err := s.leaf(quota, "demand", demand)
	if err != nil {
		return nil, err
	}
	return s.change(id, func(n *node) error {
		copy(n.demand, s.vector(demand))
		return nil
	})
}
