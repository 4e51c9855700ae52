package sets

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/keys"
)

// mostStates bounds the states of the program.
const mostStates = 1 << 20

// keepScorable says whether the program is small enough. Where it is not, of nodes that differ in nothing but scores and
// paths only those with the highest host scores stay in the pool, as many as are picked; where that does not help, scores
// decide last, as sets.7 has it. O(pool * log).
//
// order: sets.6
func (k *picker) keepScorable(size int) bool {
	if k.states(size) <= mostStates {
		return true
	}
	type alike struct {
		lo, hi, rest int64
		keys         keys.Values
	}
	best := slices.Clone(k.pool)
	score := func(i int) int64 { return k.c.scoreOf(i, 1, false).Host }
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(score(j), score(i)) })
	taken, stays := map[alike]int{}, map[int]bool{}
	for _, i := range best {
		it := &k.c.Items[i]
		key := alike{it.Lo, it.Hi, it.WithRest, it.Keys}
		if taken[key]++; taken[key] <= size {
			stays[i] = true
		}
	}
	k.pool = slices.DeleteFunc(best, func(i int) bool { return !stays[i] })
	slices.Sort(k.pool)
	return k.states(size) <= mostStates
}

// states bounds the states of all runs of the program.
func (k *picker) states(size int) int64 {
	n := int64(len(k.core) + len(k.pool))
	runs := int64(1)
	if k.c.Short {
		runs = 1 + 2*n
	}
	sum := int64(1)
	for _, f := range []int64{n, int64(size) + 1, k.c.Units + 1, runs} {
		if sum *= min(f, mostStates+1); sum > mostStates {
			return sum // before it overflows
		}
	}
	return sum
}

// bestByScore is the best set of size nodes beside the core under ByScore, each node scored for the members that it
// will be filled with; nil if no such set does. The node of the short group is not known before, so the program runs
// for each node that could be it. O(nodes) runs of the program then, else one.
//
// order: sets.6
func (k *picker) bestByScore(size int) []int {
	order := slices.Concat(k.core, k.pool)
	slices.SortStableFunc(order, k.c.compareFill)
	p := scoreProgram{picker: k, order: order, must: map[int]bool{}, rest: -1}
	for _, i := range k.core {
		p.must[i] = true
	}
	var best *scorePick
	if !k.c.Short {
		best = p.run(size, k.c.Units)
	}
	for _, i := range order {
		if !k.c.holdsShort(&k.c.Items[i]) {
			continue
		}
		// 0: the short group takes room of its own in this node, and the others are full. Else its place is to spare, so
		// that any node of the set that holds the short group can be its node.
		for _, spare := range []int64{0, k.c.Place} {
			p.rest, p.spare = i, spare
			if q := p.run(size, k.c.Units+spare); q != nil && (best == nil || p.compare(q, best) < 0) {
				best = q
			}
		}
	}
	if best == nil {
		return nil
	}
	return slices.DeleteFunc(p.chosen(best), func(i int) bool { return p.must[i] })
}

// scoreProgram goes through nodes in fill order and decides only whether a node is in the set. What it takes follows:
// as much as it can while those after it keep a unit. So a state is the units left to give and the nodes left to
// choose. Only the best choice from a state need be kept, as in [picker]. O(nodes * size * units) states without a
// short group; with one, times the units that are still needed.
type scoreProgram struct {
	picker *picker
	order  []int        // the core and the pool, in fill order
	must   map[int]bool // the core
	memo   map[scoreState]*scorePick
	rest   int   // the node of the short group, -1: none
	spare  int64 // with a short group, 0: the set has room for exactly the units; else for at least so many more
}

type scoreState struct {
	at, extra int   // the place in the order; nodes still to choose beside the core
	left      int64 // units that the nodes from here on take
	need      int64 // units that they must have room for, the short group apart; 0 without a short group
}

// scorePick is the best choice from one place in the order on. The sums are those of the whole choice.
type scorePick struct {
	at    int
	taken bool // the node at this place is in the set
	sums  keys.Values
	score Score
	next  *scorePick // nil at the end
}

// run finds the best set with size nodes beside the core; need is the room, in units, that the set must have.
func (p *scoreProgram) run(size int, need int64) *scorePick {
	p.memo = map[scoreState]*scorePick{}
	if p.rest < 0 {
		need = 0 // without a short group all units given is enough
	}
	return p.solve(scoreState{0, size, p.picker.c.Units, need})
}

// solve is the best choice from a state on, nil if there is none. The node at hand is taken or passed over.
func (p *scoreProgram) solve(st scoreState) *scorePick {
	if st.at == len(p.order) {
		// With spare 0 more room than the need is refused: that is the other case.
		if st.extra > 0 || st.left > 0 || st.need > 0 || p.rest >= 0 && p.spare == 0 && st.need < 0 {
			return nil
		}
		return &scorePick{at: st.at}
	}
	if best, ok := p.memo[st]; ok {
		return best
	}
	i := p.order[st.at]
	best := p.take(st, i)
	if !p.must[i] && i != p.rest {
		if next := p.solve(scoreState{st.at + 1, st.extra, st.left, st.need}); next != nil {
			skip := &scorePick{at: st.at, sums: next.sums, score: next.score, next: next}
			if best == nil || p.compare(skip, best) < 0 {
				best = skip
			}
		}
	}
	p.memo[st] = best
	return best
}

// take gives a node as much as it can hold while every node after it keeps its least; nil if the node cannot be in the
// set. The short group goes to the last node in fill order that can hold it (short.2). So behind its node no other that
// could hold it as well is taken, unless the short group is all that its node can take.
func (p *scoreProgram) take(st scoreState, i int) *scorePick {
	it := &p.picker.c.Items[i]
	extra, room := st.extra, it.Hi
	if !p.must[i] {
		extra--
	}
	// With spare 0 a later node could hold the short group only at the cost of no unit; else of its place.
	seen := p.rest >= 0 && p.picker.c.Items[p.rest].Hi > 0 && slices.Contains(p.order[:st.at], p.rest)
	if extra < 0 || seen && (p.picker.c.freeShort(it) || p.spare > 0 && p.picker.c.holdsShort(it)) {
		return nil
	}
	if i == p.rest {
		room = it.WithRest
	}
	n := min(room, st.left-p.after(st.at+1, extra))
	if n < p.least(i) {
		return nil
	}
	need := st.need - it.Hi // below 0 only with spare 0, where it means too much room
	if p.spare > 0 || p.rest < 0 {
		need = max(0, need)
	}
	next := p.solve(scoreState{st.at + 1, extra, st.left - n, need})
	if next == nil {
		return nil
	}
	score := p.picker.c.scoreOf(i, n, i == p.rest)
	return &scorePick{at: st.at, taken: true, next: next, sums: next.sums.With(1, &it.Keys), score: next.score.Plus(score)}
}

// least is the fewest units of a node in the set: one, but none beside the short group, or its lower bound.
func (p *scoreProgram) least(i int) int64 {
	if i == p.rest {
		return p.picker.c.Items[i].Lo
	}
	return p.picker.c.Items[i].least()
}

// after is the sum of the least units of the nodes from a place on, with extra nodes beside the core among them.
// O(nodes).
func (p *scoreProgram) after(at, extra int) int64 {
	sum := int64(extra)
	for _, i := range p.order[at:] {
		if p.must[i] {
			sum += p.least(i)
		} else if i == p.rest {
			sum-- // it is one of the chosen, and needs no unit
		}
	}
	return sum
}

// compare goes by the keys, with the host score in place of slots, then by the NUMA score, and then by the order of paths.
func (p *scoreProgram) compare(a, b *scorePick) int {
	if c := cmp.Or(
		a.sums.Compare(&b.sums, 0, keys.Packing), cmp.Compare(b.score.Host, a.score.Host),
		a.sums.Compare(&b.sums, keys.Packing+1, keys.Count), cmp.Compare(b.score.Zones, a.score.Zones),
	); c != 0 {
		return c
	}
	return comparePlaces(p.chosen(a), p.chosen(b))
}

// chosen lists the nodes of a choice, in fill order.
func (p *scoreProgram) chosen(k *scorePick) []int {
	var out []int
	for ; k.next != nil; k = k.next {
		if k.taken {
			out = append(out, p.order[k.at])
		}
	}
	return out
}
