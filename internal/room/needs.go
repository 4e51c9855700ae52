// What do the members of a unit ask for together, and how many fit below vertices?

package room

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
)

// SumNeeds adds up the resources of a unit's members, in natural order of names. Needs of 0 are left out.
func (r *Room) SumNeeds() error {
	r.waster = waster{}         // it follows from the needs
	if r.Request.Slots != nil { // amounts are not compared
		r.Needs = nil
		return nil
	}
	if len(r.Shapes) == 1 && r.readNeeds() {
		return nil
	}
	r.Needs = nil
	sum := map[string]int64{}
	for _, s := range r.Shapes {
		for name, amount := range s.Resources {
			if amount > math.MaxInt64-sum[name] {
				return muster.Invalid("request.Members.Shape.Resources."+name, amount, "the sum of a group overflows")
			}
			sum[name] += amount
		}
	}
	for i, name := range r.Snapshot.Lineage.Resources {
		if sum[name] > 0 {
			r.Needs = append(r.Needs, Need{ID: i, Amount: sum[name], Name: name})
		}
		delete(sum, name)
	}
	for name, amount := range sum {
		if amount > 0 {
			r.Needs = append(r.Needs, Need{ID: -1, Amount: amount, Name: name})
		}
	}
	slices.SortFunc(r.Needs, func(a, b Need) int { return muster.CompareNatural(a.Name, b.Name) })
	return nil
}

// readNeeds is SumNeeds for units of one member all of whose resources some node has, without a map; false for others.
func (r *Room) readNeeds() bool {
	asked := 0
	for _, amount := range r.Shapes[0].Resources {
		if amount > 0 {
			asked++
		}
	}
	r.Needs = make([]Need, 0, asked)
	for i, name := range r.Snapshot.Lineage.Resources { // in natural order
		if amount := r.Shapes[0].Resources[name]; amount > 0 {
			r.Needs = append(r.Needs, Need{ID: i, Amount: amount, Name: name})
		}
	}
	return len(r.Needs) == asked
}

// sumSlots adds the nodes' slots up the tree, in place: those of nodes are given, those of domains are written. With
// multiples it takes off the members that running ones force there, and floors the rest. O(vertices).
//
// order: multiples.1
func (k Slots) sumSlots(slots []int64) {
	n := layout.Vertex(k.r.Model.View.NumDomains())
	if k.r.Model.Multiple != nil || k.r.Model.Limits.CountMembers() {
		for x := n; int(x) < len(slots); x++ {
			slots[x] = min(slots[x], k.leaves(x))
			if k.r.Model.Multiple != nil {
				k.floorSlots(slots, x, k.r.Model.Forced[x])
			}
		}
	}
	for x := n - 1; x >= 0; x-- { // children have higher ids than their parents
		// The slots of the children are already without the members forced below: here only those are taken off that
		// x is forced to take beyond them.
		var sum, below int64
		lo, end := k.r.Model.View.Kids(x)
		for c := lo; c < end; c++ {
			sum = max(noSlots, sum+slots[c])
			if k.r.Model.Forced != nil {
				below += k.r.Model.Forced[c]
			}
		}
		slots[x] = min(sum, k.leaves(x))
		if k.r.Model.Multiple != nil {
			k.floorSlots(slots, x, k.r.Model.Forced[x]-below)
		}
	}
}

// leaves is the number of new members that limits leave for x. A vertex within a domain of the layer takes no more than the domain.
// O(limits * tiers).
//
// order: limits.2
func (k Slots) leaves(x layout.Vertex) int64 {
	most, v := int64(math.MaxInt64), k.r.Model.View
	for _, c := range k.r.Model.Limits.Caps() {
		if v.TierOf(x) <= c.Tier {
			most = min(most, max(0, c.Most-k.r.Model.Siblings.At(v.Highest(x, c.Tier))))
		}
	}
	return most
}

// noSlots, at a vertex without room for the members forced there, outweighs the slots of all other nodes: then
// nothing fits in any domain above it. A quarter of the range leaves room to add two.
const noSlots = math.MinInt64 / 4

// floorSlots takes forced members off the slots of a vertex and floors the rest to its parent's Unit. The root has no
// parent, and nothing is floored there.
func (k Slots) floorSlots(slots []int64, x layout.Vertex, forced int64) {
	if slots[x] -= forced; slots[x] < 0 {
		slots[x] = noSlots
		return
	}
	if up := k.r.Model.View.Above(x); up >= 0 {
		slots[x] -= slots[x] % k.r.Model.Unit(up)
	}
}
