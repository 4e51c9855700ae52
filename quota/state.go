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
// the methods that change something return a new state, which shares all but the path from the quota to the root. A nil
// State and the zero one have no quotas, and nothing to divide.
type State struct {
	tree  *Tree
	total []int64
	root  *node
	lent  *atomic.Pointer[[]int64] // see lending
	// What pending gangs could start with, see [State.WithFirm]; later states do not know it. told: the whole queue is known.
	firm map[int32][]int64
	told bool
}

func newLent() *atomic.Pointer[[]int64] { return &atomic.Pointer[[]int64]{} }

// nothing stands for a nil state and the zero one.
var nothing = &State{tree: &noQuotas, root: noQuotas.nodes(), lent: newLent()}

func (s *State) orEmpty() *State {
	if s == nil || s.tree == nil {
		return nothing
	}
	return s
}

// node is a quota with what is below it, at one time. The root has the quotas at the top below it.
type node struct {
	kids    []*node
	amounts []int64 // of five kinds, each by resource
	shares  atomic.Pointer[shares]
}

// kinds of amounts. Those of an inner quota are sums over its leaves; want and claim are what it asks of its parent, whatever there is in
// total.
const kinds = 5

func (n *node) used() []int64   { return part(n.amounts, 0, len(n.amounts)/kinds) }
func (n *node) pinned() []int64 { return part(n.amounts, 1, len(n.amounts)/kinds) }
func (n *node) demand() []int64 { return part(n.amounts, 2, len(n.amounts)/kinds) }
func (n *node) want() []int64   { return part(n.amounts, 3, len(n.amounts)/kinds) }
func (n *node) claim() []int64  { return part(n.amounts, 4, len(n.amounts)/kinds) }

// shares is what the children get of a budget, by child, then resource.
type shares struct{ budget, got []int64 }

// State begins with nothing in use. A resource that the total lacks is 0; those that no quota governs are left out. A negative total is an
// [muster.InvalidError]. O(n k).
func (t *Tree) State(total muster.Resources) (*State, error) {
	t = t.orEmpty()
	return (&State{tree: t, root: t.nodes()}).WithTotal(total)
}

// Tree is the quotas that the state is of. O(1).
func (s *State) Tree() *Tree { return s.orEmpty().tree }

// Quotas lists the names as [Tree.Quotas] does. The list is the caller's. O(n).
func (s *State) Quotas() []string { return s.Tree().Quotas() }

// Spec finds a quota by name, see [Tree.Spec]. O(1).
func (s *State) Spec(name string) (Spec, bool) { return s.Tree().Spec(name) }

// Has says whether there is a quota of this name. O(1).
func (s *State) Has(name string) bool { return s.Tree().Has(name) }

// IsLeaf says whether members may be in the quota, see [Tree.IsLeaf]. O(1).
func (s *State) IsLeaf(name string) bool { return s.Tree().IsLeaf(name) }

// Below says whether a quota is another one or lies below it, see [Tree.Below]. O(depth).
func (s *State) Below(name, above string) bool { return s.Tree().Below(name, above) }

// WithTotal is the state with another total. What quotas claim does not depend on it, only what they get. O(k).
func (s *State) WithTotal(total muster.Resources) (*State, error) {
	s = s.orEmpty()
	if err := total.Validate("total"); err != nil {
		return nil, err
	}
	return &State{tree: s.tree, total: s.tree.vector(total), root: s.root, lent: newLent()}, nil
}

// nodes is all quotas with nothing in use.
func (t *Tree) nodes() *node {
	n, size := len(t.specs), kinds*len(t.resources)
	nodes, pointers, amounts := make([]node, n+1), make([]*node, n), make([]int64, (n+1)*size)
	for i := range nodes {
		nodes[i].amounts = part(amounts, i, size)
		if i < n {
			pointers[i] = &nodes[i]
		}
	}
	root := &nodes[n]
	root.kids = pointers[:t.top:t.top]
	for id := range n {
		nodes[id].kids = pointers[t.first[id]:t.end[id]:t.end[id]]
	}
	for id := int32(n) - 1; id >= 0; id-- {
		t.sum(id, &nodes[id])
	}
	t.sum(-1, root)
	return root
}

// vector is amounts by the tree's resources.
func (t *Tree) vector(r muster.Resources) []int64 {
	v := make([]int64, len(t.resources))
	for i, name := range t.resources {
		v[i] = r[name]
	}
	return v
}

// kid is the i-th child.
func (t *Tree) kid(id int32, i int) int32 {
	if id < 0 {
		return int32(i)
	}
	return t.first[id] + int32(i)
}

// kids is how many children there are.
func (t *Tree) kids(id int32) int {
	if id < 0 {
		return int(t.top)
	}
	return int(t.end[id] - t.first[id])
}

// place is the inverse of kid.
func (t *Tree) place(id int32) int {
	if up := t.parent[id]; up >= 0 {
		return int(id - t.first[up])
	}
	return int(id)
}

// sum works out what a quota has below it and claims, from its children.
func (t *Tree) sum(id int32, n *node) {
	used, pinned, demand, want, claim := n.used(), n.pinned(), n.demand(), n.want(), n.claim()
	if len(n.kids) > 0 {
		clear(n.amounts)
	}
	for _, kid := range n.kids {
		kidUsed, kidPinned, kidDemand, kidClaim := kid.used(), kid.pinned(), kid.demand(), kid.claim()
		for r := range used {
			used[r], pinned[r], demand[r] = plus(used[r], kidUsed[r]), plus(pinned[r], kidPinned[r]), plus(demand[r], kidDemand[r])
			want[r] = plus(want[r], max(kidClaim[r], kidUsed[r]))
		}
	}
	if id < 0 {
		return
	}
	for r := range used {
		if len(n.kids) == 0 {
			want[r] = plus(used[r], demand[r])
		}
		want[r] = min(t.most[t.at(id, r)], want[r])
		claim[r] = t.claimOf(id, r, want[r])
	}
}

// claimOf is what a quota that wants so much claims of its parent: who does not lend keeps the guarantee.
func (t *Tree) claimOf(id int32, r int, want int64) int64 {
	if t.specs[id].Keeps {
		return max(want, t.secured[t.at(id, r)])
	}
	return want
}

// change replaces a leaf, and all above it.
func (s *State) change(id int32, f func(n *node) error) (*State, error) {
	n, err := s.changed(-1, s.root, s.tree.ids(id), f)
	if err != nil {
		return nil, err
	}
	return &State{tree: s.tree, total: s.total, root: n, lent: newLent()}, nil
}

// changed copies a node and replaces what lies on the path below it.
func (s *State) changed(id int32, old *node, path []int32, f func(n *node) error) (*node, error) {
	n := &node{amounts: make([]int64, len(old.amounts))}
	if len(path) > 0 {
		at := s.tree.place(path[0])
		kid, err := s.changed(path[0], old.kids[at], path[1:], f)
		if err != nil {
			return nil, err
		}
		n.kids = slices.Clone(old.kids)
		n.kids[at] = kid
	} else {
		copy(n.amounts, old.amounts)
		if err := f(n); err != nil {
			return nil, err
		}
	}
	s.tree.sum(id, n)
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
	s = s.orEmpty()
	return s.add(quota, used, pinned, 1)
}

// Release is the inverse of Use; to release more than is in use is an error. O(path * children * k).
func (s *State) Release(quota string, used, pinned muster.Resources) (*State, error) {
	s = s.orEmpty()
	return s.add(quota, used, pinned, -1)
}

func (s *State) add(quota string, used, pinned muster.Resources, sign int64) (*State, error) {
	if err := used.Validate("quota " + quota + ".used"); err != nil {
		return nil, err
	}
	if err := pinned.Validate("quota " + quota + ".nonPreemptible"); err != nil {
		return nil, err
	}
	id, err := s.tree.leaf(quota, "used", used)
	if err != nil {
		return nil, err
	}
	return s.change(id, func(n *node) error {
		hasUsed, hasPinned := n.used(), n.pinned()
		for r, name := range s.tree.resources {
			bad := func(field string, amount int64, reason string) error {
				return &muster.InvalidError{Field: "quota " + quota + "." + field + "." + name, Value: fmt.Sprint(amount), Reason: reason}
			}
			u, p := used[name], pinned[name]
			switch {
			case p > u:
				return bad("nonPreemptible", p, "above what is used")
			case sign > 0 && u > math.MaxInt64-hasUsed[r]:
				return bad("used", u, "the sum overflows")
			case sign < 0 && u > hasUsed[r]:
				return bad("used", u, "more than is in use")
			case sign < 0 && (p > hasPinned[r] || u-p > hasUsed[r]-hasPinned[r]):
				return bad("nonPreemptible", p, "more than is in use, of it or of the rest")
			}
			hasUsed[r] += sign * u
			hasPinned[r] += sign * p
		}
		return nil
	})
}

// Usage is what is in use and pending in a quota, of the resources that some quota governs: all that is in use, the part of it that is not
// preemptible, and the demand; sums over the leaves below it. Nil for an unknown quota. The maps are the caller's. O(depth + k).
func (s *State) Usage(quota string) (used, pinned, demand muster.Resources) {
	s = s.orEmpty()
	id, ok := s.tree.byName[quota]
	if !ok {
		return nil, nil, nil
	}
	n := s.node(id)
	used, pinned, demand = muster.Resources{}, muster.Resources{}, muster.Resources{}
	for r, name := range s.tree.resources {
		used[name], pinned[name], demand[name] = n.used()[r], n.pinned()[r], n.demand()[r]
	}
	return used, pinned, demand
}

// WithDemand is the state in which so much is pending in a leaf, not placed. Errors as for
// [State.Use]. O(path * children * k).
func (s *State) WithDemand(quota string, demand muster.Resources) (*State, error) {
	s = s.orEmpty()
	if err := demand.Validate("quota " + quota + ".demand"); err != nil {
		return nil, err
	}
	id, err := s.tree.leaf(quota, "demand", demand)
	if err != nil {
		return nil, err
	}
	return s.change(id, func(n *node) error {
		copy(n.demand(), s.tree.vector(demand))
		return nil
	})
}

// Total is what there is to divide, of the resources that some quota governs. The map is the caller's. O(k).
func (s *State) Total() muster.Resources {
	s = s.orEmpty()
	total := muster.Resources{}
	for r, name := range s.tree.resources {
		total[name] = s.total[r]
	}
	return total
}
