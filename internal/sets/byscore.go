package sets

import (
	"cmp"
	"slices"
)

// bestByScore is the set of nodes with the largest score as it will be filled, nil if none of this size will do.
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
		// The short group takes room of its own in this node and the set may be full, or that of a whole group.
		for _, spare := range []int64{0, 1} {
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

// scoreProgram goes through nodes in fill order. Each takes as much as it can while those after it keep a unit, so a
// state is what is left to give and to choose.
type scoreProgram struct {
	picker *picker
	order  []int
	must   map[int]bool
	memo   map[scoreState]*scorePick
	rest   int   // the node of the short group, -1: none
	spare  int64 // 0: the nodes hold exactly the whole groups beside it; 1: more than those
}

type scoreState struct {
	at, extra int
	left      int64 // units that the nodes from here on take
	need      int64 // units that they must at least have room for, where there is a short group
}

type scorePick struct {
	at             int
	taken          bool
	friends, zones int64
	score          Score
	next           *scorePick
}

// run finds the best set with so many nodes beside those that must be in; need is the room that it must have.
func (p *scoreProgram) run(size int, need int64) *scorePick {
	p.memo = map[scoreState]*scorePick{}
	if p.rest < 0 {
		need = 0
	}
	return p.solve(scoreState{0, size, p.picker.c.Units, need})
}

func (p *scoreProgram) solve(st scoreState) *scorePick {
	if st.at == len(p.order) {
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
			skip := &scorePick{at: st.at, friends: next.friends, zones: next.zones, score: next.score, next: next}
			if best == nil || p.compare(skip, best) < 0 {
				best = skip
			}
		}
	}
	p.memo[st] = best
	return best
}

// take gives a node as much as it can hold while every one after it keeps what it must. Nodes after that of the short
// group that could hold it as well are in no set: it goes to the last, unless it is all that its node can take.
func (p *scoreProgram) take(st scoreState, i int) *scorePick {
	it := &p.picker.c.Items[i]
	extra, room := st.extra, it.Hi
	if !p.must[i] {
		extra--
	}
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
	need := st.need - it.Hi
	if p.spare > 0 || p.rest < 0 {
		need = max(0, need)
	}
	next := p.solve(scoreState{st.at + 1, extra, st.left - n, need})
	if next == nil {
		return nil
	}
	score := p.picker.c.scoreOf(i, n, i == p.rest)
	return &scorePick{
		at: st.at, taken: true, next: next,
		friends: next.friends + it.Friends, zones: next.zones + it.Zones, score: next.score.Plus(score),
	}
}

// least is what a node of the set takes at least.
func (p *scoreProgram) least(i int) int64 {
	if i == p.rest {
		return p.picker.c.Items[i].Lo
	}
	return max(1, p.picker.c.Items[i].Lo)
}

// after is what the nodes from a place on must keep if so many of those that need not be in are chosen.
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

// compare prefers the affinity key, then fewer zones, then the host's score, that of the zones, and the order of paths.
func (p *scoreProgram) compare(a, b *scorePick) int {
	if c := cmp.Or(
		cmp.Compare(b.friends, a.friends), cmp.Compare(a.zones, b.zones),
		cmp.Compare(b.score.Host, a.score.Host), cmp.Compare(b.score.Zones, a.score.Zones),
	); c != 0 {
		return c
	}
	return comparePlaces(p.chosen(a), p.chosen(b))
}

func (p *scoreProgram) chosen(k *scorePick) []int {
	var out []int
	for ; k.next != nil; k = k.next {
		if k.taken {
			out = append(out, p.order[k.at])
		}
	}
	return out
}
