// What slots on one node cost: who may leave it, at which price, and the cheapest combinations of them.

package preempt

import (
	"cmp"
	"slices"
)

// item is what leaves a node at once: one candidate, or all of a gang that are there and only leave together.
type item struct {
	amounts []int64
	weight  weight
	shape   int32 // items of equal shape give back the same; below 0: no other is like it
	tag     int32
	first   int32   // candidate
	rest    []int32 // candidates of the same gang on the node
}

// pricer finds what slots on a node cost, as things are decided. It writes its buffers, and wholeGangs for a climb.
type pricer struct {
	model  *model
	state  *state
	nodes  *nodes
	budget *stepBudget
	// wholeGangs says that a gang costs on each of its nodes what it costs whole, and not only its share.
	wholeGangs bool
	items      []item
	mix        mix // of the node that is looked at; its lists are used again for the next one
}

func newPricer(m *model, s *state, n *nodes, b *stepBudget) pricer {
	return pricer{model: m, state: s, nodes: n, budget: b}
}

// curveOn finds the cheapest way to have every number of slots on a node, gangs being shared out over an interval; nil
// if it takes no unit. O(combinations of its items), of which there are maxCombinations at most.
func (r *pricer) curveOn(node, lo, end int32) *curve {
	m := r.mixOf(node, lo, end)
	if m == nil {
		return nil
	}
	m.tryAll()
	if len(m.best) == 0 {
		return nil
	}
	cost := make([]weight, len(m.best)+1)
	copy(cost[1:], m.best)
	for n := len(cost) - 2; n > 0; n-- { // who makes more slots makes fewer as well
		if cost[n+1].less(&cost[n]) {
			cost[n] = cost[n+1]
		}
	}
	if r.model.problem.Nodes[node].Outside {
		for n := 1; n < len(cost); n++ {
			r.model.layout.put(&cost[n], outsideUnits, uint64(n))
		}
	}
	return newCurve(cost)
}

// takenFor lists the candidates that leave a node for so many slots, at the price that its curve says.
func (r *pricer) takenFor(node, lo, end int32, slots int64, price weight) []int32 {
	if r.model.problem.Nodes[node].Outside {
		var w weight
		r.model.layout.put(&w, outsideUnits, uint64(slots))
		price = price.minus(&w)
	}
	if price == (weight{}) {
		return nil
	}
	m := r.mixOf(node, lo, end)
	if m == nil {
		return nil
	}
	m.wanted, m.price = slots, price
	m.tryAll()
	return m.found
}

// mixOf is a node as things are decided, and what may still leave it. Nil if it takes no unit. It is valid until the
// next call.
func (r *pricer) mixOf(node, lo, end int32) *mix {
	free, gone := r.nodes.freeWithout(node, func(i int32) bool { return r.state.of(i) == leaving })
	if free == nil {
		return nil
	}
	m := &r.mix
	*m = mix{
		capacity: &r.nodes.capacity, most: r.combinations(), node: node, free: free, gone: gone, items: r.itemsOn(node, lo, end),
		taken: m.taken[:0], best: m.best[:0], sum: m.sum[:0], before: m.before[:0],
	}
	return m
}

// combinations is how many are tried on a node. Where Problem.Slots is asked for each that takes long, so that it counts
// as steps, and ends with them; candidates that leave one by one are worth it.
func (r *pricer) combinations() int {
	if r.nodes.capacity.ask == nil || !r.model.coupled {
		return maxCombinations
	}
	r.budget.used += r.nodes.capacity.asked / (2 * asksInStep)
	r.nodes.capacity.asked %= 2 * asksInStep
	return max(worthPruning, min(maxCombinations, (r.budget.most-r.budget.used)/2))
}

// itemsOn lists what may still leave a node, those side by side that give back the same, the cheapest first. The slice
// is valid until the next call.
func (r *pricer) itemsOn(node, lo, end int32) []item {
	out, p := r.items[:0], r.model.problem
	for i, behind := r.model.on(node); i < behind; i++ {
		if !r.state.mayLeave(i) {
			continue
		}
		h := r.model.holding(i)
		if r.asOne(i) {
			if r.model.gang(i).Whole {
				out = r.bundle(out, i, lo, end)
			}
			continue
		}
		w := r.model.alone(i)
		if r.state.breaks(h) {
			r.model.layout.put(&w, brokenBudgets, 1)
		}
		out = append(out, item{amounts: h.Amounts, weight: w, shape: r.model.shapes[p.Candidates[i].Holding], tag: h.Tag, first: i})
	}
	r.items = out
	byTag := r.nodes.capacity.ask != nil
	for i := 1; i < len(out); i++ { // there are few
		for j := i; j > 0 && out[j].compare(&out[j-1], byTag) < 0; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// compare orders items by what they give back, then by cost, then by candidate. Tags tell apart what gives back the same
// amounts only where Problem.Slots decides.
func (a *item) compare(b *item, byTag bool) int {
	if c := cmp.Compare(a.shape, b.shape); c != 0 {
		return c
	}
	if c := cmp.Compare(a.tag, b.tag); c != 0 && byTag {
		return c
	}
	return cmp.Or(a.weight.compare(&b.weight), cmp.Compare(a.first, b.first))
}

// bundle adds a candidate of a gang that only leaves whole to the item that holds the others of it on the node.
func (r *pricer) bundle(out []item, i, lo, end int32) []item {
	h, g := r.model.holding(i), r.model.problem.Candidates[i].Gang
	breaks := r.state.breaks(h)
	at := slices.IndexFunc(out, func(o item) bool { return o.shape == -1-g })
	if at < 0 {
		w := r.gangOn(g, lo, end)
		if breaks {
			r.model.layout.put(&w, brokenBudgets, 1)
		}
		return append(out, item{amounts: h.Amounts, weight: w, shape: -1 - g, first: i})
	}
	b := &out[at]
	total := slices.Clone(b.amounts)
	addTo(total, h.Amounts)
	b.amounts, b.rest = total, append(slices.Clip(b.rest), i)
	if breaks {
		r.model.layout.put(&b.weight, brokenBudgets, 1)
	}
	return out
}

// gangOn is what a gang that only leaves whole costs on each of its nodes.
func (r *pricer) gangOn(g, lo, end int32) weight {
	if r.wholeGangs {
		return r.state.restOf(g)
	}
	return r.model.share(g, lo, end)
}

// asOne says whether a candidate leaves its node only together with the others of its gang there: always if the gang
// only leaves whole; while gangs cost what they cost whole, also if more of it are there than its surplus.
func (r *pricer) asOne(i int32) bool {
	c, of := &r.model.problem.Candidates[i], r.model.gang(i)
	if r.model.allOrNone(c.Gang) || !of.Ends || !r.wholeGangs {
		return r.model.allOrNone(c.Gang)
	}
	n := 0
	for j, end := r.model.on(c.Position); j < end; j++ {
		if r.model.problem.Candidates[j].Gang == c.Gang && r.state.candidates[j] == open {
			n++
		}
	}
	return n > of.Surplus-r.state.goneOf[c.Gang]
}
