// Package manyshapes answers: where does a gang without groups go whose members have so many shapes that fronts (package
// front) would be too long? Package packing decides whether a domain holds it; here domains are tried, best first.
//
// The rule is roles.12 of docs/order/7-shapes.md. A [Search] belongs to one plan and is not safe for concurrent use.
package manyshapes

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/packing"
	"github.com/muster-sched/muster/internal/steps"
)

// Search is the search for such a gang. Fill in the exported fields, then call Begin.
type Search struct {
	M     *model.Model
	Asks  [][]int64       // amounts that one member asks for, by role, then by need
	Want  front.Vector    // all new members, by role
	Slots model.SlotTable // of the first role
	// Vertices that can change places are of one class; those of nodes come first, and are their kinds.
	Kinds []packing.Kind
	Of    []int32 // by vertex
	// ChildrenOf lists the children of a class of domains, at the root those in the tree: class << 32 | their number.
	ChildrenOf func(class int32) []int64
	Left       *steps.Budget

	packer *packing.Packer
	counts map[int32][]packing.Count // nodes below a domain of a class, outside ones left out
	known  map[layout.Vertex]placing
	// unsure: of some domain it is not known whether it holds the gang.
	unsure bool
}

// Begin makes the search ready.
func (k *Search) Begin() {
	k.counts, k.known = map[int32][]packing.Count{}, map[layout.Vertex]placing{}
	k.packer = packing.New(k.Asks, k.Kinds, k.Want, k.Left)
}

// Sequences are the orders of roles in which nodes are best filled.
func (k *Search) Sequences() [][]int { return k.packer.Sequences() }

// placing says where members go in a domain.
type placing struct {
	verdict packing.Verdict
	at      []int32   // positions of nodes
	on      [][]int32 // by node: members of each role; nil: none
	outside int64     // members outside the tree
}

// Plans iterates over the domains that are found to hold the gang, best first: by tier, then by anchors, the least number
// of children that may hold it, and slots, as roles.8 has them. It ends with unsure if a domain may have been missed.
//
// order: roles.12
func (k *Search) Plans() iter.Seq[*model.Answer] {
	return func(yield func(*model.Answer) bool) {
		tried := map[layout.Vertex]bool{}
		for _, t := range k.M.Gather.Worths {
			unsure := k.unsure // of a tighter tier; other domains of this one are no better
			for _, d := range k.ranked(t, tried) {
				plan := k.planIn(d.at)
				if plan.verdict != packing.Fits {
					continue
				}
				tried[d.at] = true
				// Fewer might lie outside the tree in another packing.
				*k.M.Doubt = *k.M.Doubt || unsure || plan.outside > 0
				if !yield(k.outcome(d.at, t, plan)) {
					return
				}
				*k.M.Left = *front.NewBudget(k.M.Steps, k.M.Stop) // for the next one
			}
		}
		*k.M.Doubt = *k.M.Doubt || k.unsure
	}
}

// rankedDomain is a domain that may hold the gang, with the least number of its children that may.
type rankedDomain struct {
	at       layout.Vertex
	children int
}

// ranked lists the domains of a tier that may hold the gang, best first.
func (k *Search) ranked(t int32, tried map[layout.Vertex]bool) []rankedDomain {
	var list []rankedDomain
	for _, d := range k.M.Candidates(t) {
		if tried[d] || k.isOutside(d) || k.Refuses(d) && d != layout.Root {
			continue
		}
		list = append(list, rankedDomain{d, k.leastChildren(d, k.Want)})
	}
	slices.SortFunc(list, k.compareDomains)
	return list
}

// compareDomains compares by the keys and the least number of children, slots being those of the first role, then by paths.
//
// order: roles.12
func (k *Search) compareDomains(a, b rankedDomain) int {
	m := k.M
	return cmp.Or(
		m.CompareDomains(keys.Of(m.Features()), &k.Slots, a.at, b.at, a.children, b.children),
		m.View.ComparePaths(a.at, b.at),
	)
}

// isOutside says whether a domain is one of the nodes outside the tree, where a gang lies only beside a full tree.
func (k *Search) isOutside(d layout.Vertex) bool {
	return d != layout.Root && k.M.View.Contains(k.M.View.Outside, d)
}

// Refuses says whether the nodes of a domain, inside the tree, certainly cannot hold the gang.
func (k *Search) Refuses(d layout.Vertex) bool { return k.refuses(d, k.Want) }

// refuses says whether the nodes of a domain, inside the tree, cannot hold members.
func (k *Search) refuses(d layout.Vertex, want front.Vector) bool {
	return k.packer.Refuses(k.countsOf(k.Of[d]), want)
}

// countsOf counts the nodes below a domain by kind: at the root those in the tree.
func (k *Search) countsOf(class int32) []packing.Count {
	if int(class) < len(k.Kinds) {
		return []packing.Count{{Kind: class, N: 1}}
	}
	if list, ok := k.counts[class]; ok {
		return list
	}
	sum := map[int32]int64{}
	for _, child := range k.ChildrenOf(class) {
		for _, c := range k.countsOf(int32(child >> 32)) {
			sum[c.Kind] += c.N * (child & math.MaxInt32)
		}
	}
	list := make([]packing.Count, 0, len(sum))
	for kind, n := range sum {
		list = append(list, packing.Count{Kind: kind, N: n})
	}
	slices.SortFunc(list, func(a, b packing.Count) int { return cmp.Compare(a.Kind, b.Kind) })
	k.counts[class] = list
	return list
}

// membersIn bounds the members that a domain takes, by their number alone.
func (k *Search) membersIn(x layout.Vertex) (n int64) {
	for _, c := range k.countsOf(k.Of[x]) {
		n += c.N * k.packer.Most(c.Kind)
	}
	return n
}

// children lists the children of a domain, in the tree, in fill order (roles.10).
func (k *Search) children(d layout.Vertex) []layout.Vertex {
	v := k.M.View
	lo, end := v.Kids(d)
	if d == layout.Root {
		end = v.Outside
	}
	list := make([]layout.Vertex, 0, end-lo)
	for x := lo; x < end; x++ {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b layout.Vertex) int {
		return cmp.Or(
			cmp.Compare(k.M.Siblings.At(b), k.M.Siblings.At(a)), cmp.Compare(k.Slots.At(b), k.Slots.At(a)), cmp.Compare(a, b),
		)
	})
	return list
}

// leastChildren is a number of children that no fewer hold members, by their number alone.
func (k *Search) leastChildren(d layout.Vertex, want front.Vector) int {
	if k.M.View.IsNode(d) {
		return 0
	}
	var rooms []int64
	for _, x := range k.children(d) {
		rooms = append(rooms, k.membersIn(x))
	}
	slices.Sort(rooms)
	left, n := want.Total(), 0
	for i := len(rooms) - 1; i >= 0 && left > 0; i-- {
		left, n = left-rooms[i], n+1
	}
	return n
}

// planIn finds where the gang goes in a domain, once.
func (k *Search) planIn(d layout.Vertex) placing {
	plan, ok := k.known[d]
	if !ok {
		if plan = k.place(d, k.Want); plan.verdict != packing.Fits && d == layout.Root {
			plan = k.placeBeyond(plan)
		}
		k.known[d] = plan
		k.unsure = k.unsure || plan.verdict == packing.Unknown
	}
	return plan
}

// place finds where members go in a domain, inside the tree: into as few of its children, in fill order, as take them one
// after the other; else, with prices, into all of them.
func (k *Search) place(d layout.Vertex, want front.Vector) placing {
	if k.refuses(d, want) {
		return placing{verdict: packing.FitsNot}
	}
	at, ends := k.nodesOf(d)
	kinds := k.kindsAt(at)
	try := func(n int) (placing, bool) {
		on, ok := k.packer.Fill(kinds[:n], want)
		return placing{verdict: packing.Fits, at: at[:n], on: on}, ok
	}
	everywhere, ok := try(len(at))
	if !ok {
		on, verdict := k.packer.Decide(kinds, want)
		return placing{verdict: verdict, at: at, on: on}
	}
	least := max(0, k.leastChildren(d, want)-1)
	if least < len(ends) {
		n := least + sort.Search(len(ends)-least-1, func(i int) bool { _, ok := try(ends[least+i]); return ok })
		if fewer, ok := try(ends[n]); ok {
			return fewer
		}
	}
	return everywhere
}

// nodesOf lists the nodes of a domain, child by child in fill order, and where each child ends.
func (k *Search) nodesOf(d layout.Vertex) (at []int32, ends []int) {
	v := k.M.View
	if v.IsNode(d) {
		return []int32{v.Position(d)}, nil
	}
	for _, x := range k.children(d) {
		for pos := v.First(x); pos < v.EndOf(x); pos++ {
			at = append(at, pos)
		}
		ends = append(ends, len(at))
	}
	return at, ends
}

// kindsAt are the classes of nodes.
func (k *Search) kindsAt(at []int32) []int32 {
	kinds := make([]int32, len(at))
	for i, pos := range at {
		kinds[i] = k.Of[k.M.View.NodeVertex(pos)]
	}
	return kinds
}

// placeBeyond places the gang in the whole tree and the nodes outside it, which come last. inside is the answer without
// these.
func (k *Search) placeBeyond(inside placing) placing {
	v := k.M.View
	first := v.FirstPos[v.Outside]
	if first == v.Nodes || k.M.Hard {
		return inside
	}
	at, _ := k.nodesOf(layout.Root)
	for pos := first; pos < v.Nodes; pos++ {
		at = append(at, pos)
	}
	kinds := k.kindsAt(at)
	plan := placing{at: at}
	var ok bool
	if plan.on, ok = k.packer.Fill(kinds, k.Want); ok {
		plan.verdict = packing.Fits
	} else {
		plan.on, plan.verdict = k.packer.Decide(kinds, k.Want)
	}
	for i, some := range plan.on {
		if at[i] >= first {
			plan.outside += front.Vector(some).Total()
		}
	}
	return plan
}

// outcome gives the members of each role their positions, in rank order.
//
// order: roles.11
func (k *Search) outcome(d layout.Vertex, tier int32, plan placing) *model.Answer {
	byRole := make([][]int32, len(k.Want))
	for i, some := range plan.on {
		for r, n := range some {
			for range n {
				byRole[r] = append(byRole[r], plan.at[i])
			}
		}
	}
	for _, list := range byRole {
		slices.Sort(list)
	}
	positions := make([]int32, len(k.M.Pending))
	for i := range positions {
		r := k.M.Role(i)
		positions[i], byRole[r] = byRole[r][0], byRole[r][1:]
	}
	return &model.Answer{Of: k.M, Domain: d, Tier: tier, Positions: positions}
}
