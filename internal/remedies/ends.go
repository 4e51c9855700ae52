// Which gangs would have to end so that a domain has room, as far as amounts tell?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster/internal/cover"
	"github.com/muster-sched/muster/internal/snapshot"
)

// ending is that question: the nodes of a domain on which some of the gangs of a scope are, and what these hold there.
type ending struct {
	needs  int64   // units that are lacking
	gangs  int     // places in the list of elements
	amount []int64 // by what is needed, of a unit
	nodes  []endingNode
	sums   []int64 // memory
}

// endingNode is a node on which some of them are.
type endingNode struct {
	free  []int64 // by what is needed
	units int64   // that fit now
	parts []endingPart
}

// endingPart is what a gang holds on a node of what is needed.
type endingPart struct {
	gang int32
	held []int64
}

// ending brings a scope inside; nil: amounts do not tell who must end. With whoever may leave anyway being gone, no set fits of which
// amounts say that it does not. O(members of the gangs * what is needed).
func (r *rooms) ending(p *scope, gangs []*snapshot.GangMembers) *ending {
	if r.rough || r.company != nil || r.p.Model.RoleOf != nil || p.needs <= 0 {
		return nil
	}
	e, at := &ending{needs: p.needs, gangs: len(p.elements), sums: make([]int64, len(r.p.Room.Needs))}, map[int32]int{}
	for _, n := range r.p.Room.Needs {
		e.amount = append(e.amount, n.Amount)
	}
	for k, g := range p.elements {
		r.byNode.Each(r.p.Snapshot, gangs[g].Members.All(), func(id int32, on []*snapshot.Member) {
			if d, ok := r.domainOf(r.p.Model.View.At(id)); !ok || d != p.domain || !r.takes(id) {
				return
			}
			held := r.held(on)
			if held == nil {
				return
			}
			i, known := at[id]
			if !known {
				i = len(e.nodes)
				at[id] = i
				e.nodes = append(e.nodes, r.endingNode(id))
			}
			e.nodes[i].parts = append(e.nodes[i].parts, endingPart{int32(k), held})
		})
	}
	for i := range e.nodes {
		e.nodes[i].units = e.with(&e.nodes[i], nil)
	}
	return e
}

func (r *rooms) endingNode(id int32) (n endingNode) {
	spare := r.spare(id)
	for _, need := range r.p.Room.Needs {
		n.free = append(n.free, r.p.Room.Slots().FreeOf(id, need, spare))
	}
	return n
}

// held is what the end of members frees of what is needed; nil: nothing that is not counted as free already.
func (r *rooms) held(members []*snapshot.Member) (held []int64) {
	for _, m := range members {
		if m.IsDaemon() || m.Leaving && r.p.Room.LeavingGone || r.evicts && m.MayLeave() {
			continue
		}
		for i, n := range r.p.Room.Needs {
			if n.ID >= 0 && m.Class.Holds[n.ID] > 0 {
				if held == nil {
					held = make([]int64, len(r.p.Room.Needs))
				}
				held[i] += m.Class.Holds[n.ID]
			}
		}
	}
	return held
}

// with bounds the units on a node without the gangs that are gone; nil: none is.
func (e *ending) with(n *endingNode, gone []bool) int64 {
	clear(e.sums)
	for _, p := range n.parts {
		if gone != nil && gone[p.gang] {
			for i, amount := range p.held {
				e.sums[i] += amount
			}
		}
	}
	return e.unitsOf(n, e.sums)
}

func (e *ending) unitsOf(n *endingNode, more []int64) int64 {
	units := int64(mostUnits)
	for i, free := range n.free {
		if free != snapshot.Boundless {
			free += more[i]
		}
		units = min(units, max(0, free)/e.amount[i])
	}
	return units
}

// mostUnits bounds the units that a node is said to have room for.
const mostUnits = 1 << 24

// may says whether there may be room without the gangs that are gone.
func (e *ending) may(gone []bool) bool {
	left := e.needs
	for i := range e.nodes {
		left -= e.with(&e.nodes[i], gone) - e.nodes[i].units
	}
	return left <= 0
}

// Bounds on the search for a cheapest set: combinations of what gangs hold on one node; its steps, and what one costs beside members and
// nodes that are looked at.
const (
	endingCombinations = 1 << 10
	endingSteps        = 128
	endingWork         = 32
	mostEnding         = 1 << 11 // gangs, and units that are lacking
)

// cheapest is a set of gangs that costs least, beside those that are gone, of those from one on; nil: there is none, or none was found.
// known: there is none that costs less, or none below a cost.
func (f *Search) cheapest(e *ending, cost func(gang int) int64, gone []bool, from int32, below int64) (set []int32, known bool) {
	if e.gangs > mostEnding || e.needs > mostEnding || f.spent() {
		return nil, false
	}
	p := cover.Problem{Units: e.needs, Gangs: make([]cover.Gang, e.gangs), Below: below, Steps: endingSteps}
	for g := range p.Gangs {
		p.Gangs[g] = cover.Gang{Whole: true, End: min(cost(g), below)}
	}
	for i := range e.nodes {
		members := len(p.Members)
		place, more, ok := e.place(&p, &e.nodes[i], gone, from)
		if !ok {
			return nil, false
		}
		if p.Units -= more; len(place.Options) > 1 {
			p.Places = append(p.Places, place)
		} else {
			p.Members = p.Members[:members] // whoever ends, the node has no room for one unit more
		}
		f.share.Packing.Spend(int64(len(place.Options)))
	}
	if p.Units <= 0 {
		return []int32{}, true
	}
	found := cover.Solve(&p)
	f.share.Packing.Spend(int64(found.Steps+1) * endingWork)
	for _, m := range found.Gone {
		set = append(set, p.Members[m].Gang)
	}
	slices.Sort(set)
	return slices.Compact(set), found.Bound == found.Cost
}

// place is a node as a place: those who hold the same are of one kind. more are the units beside those that fit now once those are gone
// who are. Not ok if there are too many combinations.
func (e *ending) place(p *cover.Problem, n *endingNode, gone []bool, from int32) (place cover.Place, more int64, ok bool) {
	var kinds []*endingPart
	for i := range n.parts {
		part := &n.parts[i]
		if gone[part.gang] || part.gang < from {
			continue
		}
		k := slices.IndexFunc(kinds, func(o *endingPart) bool { return slices.Equal(o.held, part.held) })
		if k < 0 {
			k, kinds, place.Kinds = len(kinds), append(kinds, part), append(place.Kinds, nil)
		}
		place.Kinds[k] = append(place.Kinds[k], int32(len(p.Members)))
		p.Members = append(p.Members, cover.Member{Gang: part.gang})
	}
	combinations := 1
	for _, kind := range place.Kinds {
		if combinations *= len(kind) + 1; combinations > endingCombinations {
			return place, 0, false
		}
	}
	at := endingNode{free: n.without(gone)}
	clear(e.sums)
	before := e.unitsOf(&at, e.sums)
	units := make([]int64, combinations)
	for c := range units {
		clear(e.sums)
		for k, rest := 0, c; k < len(kinds); k++ {
			n := int64(rest % (len(place.Kinds[k]) + 1))
			rest /= len(place.Kinds[k]) + 1
			for i, amount := range kinds[k].held {
				e.sums[i] += n * amount
			}
		}
		units[c] = e.unitsOf(&at, e.sums) - before
		if count, least := leastOf(units, place.Kinds, c); least {
			place.Options = append(place.Options, cover.Option{Units: units[c], Count: count})
		}
	}
	short := e.shortest(&at)
	for _, kind := range kinds {
		place.Sizes = append(place.Sizes, 1+min(kind.held[short], mostUnits*e.amount[short])*840/e.amount[short])
	}
	return place, before - n.units, true
}

// without is what is free on a node once some gangs are gone.
func (n *endingNode) without(gone []bool) []int64 {
	free := slices.Clone(n.free)
	for _, part := range n.parts {
		for i := range free {
			if gone[part.gang] && free[i] != snapshot.Boundless {
				free[i] += part.held[i]
			}
		}
	}
	return free
}

// shortest is what bounds the units on a node.
func (e *ending) shortest(n *endingNode) (best int) {
	for i, free := range n.free {
		if free/e.amount[i] < n.free[best]/e.amount[best] {
			best = i
		}
	}
	return best
}

// leastOf reads a number in mixed radix, and says whether one less of any kind makes fewer units.
func leastOf(units []int64, kinds [][]int32, at int) (count []int32, least bool) {
	least = true
	stride, rest := 1, at
	for _, kind := range kinds {
		n := rest % (len(kind) + 1)
		count, least = append(count, int32(n)), least && (n == 0 || units[at-stride] < units[at])
		rest, stride = rest/(len(kind)+1), stride*(len(kind)+1)
	}
	return count, least
}

// fewestEnding is the first by name of the smallest sets that may suffice by amounts; nil if none was found. least: no set of fewer elements
// may. named: no set of as many elements before it by name may.
func (f *Search) fewestEnding(e *ending, byName bool) (set []int32, least, named bool) {
	one := func(int) int64 { return 1 }
	set, least = f.cheapest(e, one, make([]bool, e.gangs), 0, int64(e.gangs)+1)
	if len(set) == 0 || !byName {
		return set, least, true
	}
	named = least
	gone := make([]bool, e.gangs)
	for next, k := int32(0), 0; k < len(set); next++ {
		if next == set[k] || e.swaps(set, k, next, gone) {
			set[k] = next
			gone[next] = true
			k++
			slices.Sort(set[k:])
			continue
		}
		gone[next] = true
		rest, known := f.cheapest(e, one, gone, next+1, int64(len(set)-k))
		if gone[next] = false; rest == nil {
			named = named && known
			continue
		}
		gone[next] = true
		set[k] = next
		set = append(set[:k+1], rest...)
		k++
	}
	return set, least, named
}

// swaps lets another gang end in place of one of a set from the k-th on, if that may suffice.
func (e *ending) swaps(set []int32, k int, next int32, gone []bool) bool {
	for i := k; i < len(set); i++ {
		was := set[i]
		set[i] = next
		for _, g := range set[k:] {
			gone[g] = true
		}
		ok := e.may(gone)
		for _, g := range set[k:] {
			gone[g] = false
		}
		if ok {
			set[k], set[i] = next, set[k]
			return true
		}
		set[i] = was
	}
	return false
}
