package moves

import "slices"

// Two units share anew those who are in them: how many of each gang are in the first one, so that the fewest gangs lie across their borders, then at the least cost. A
// knapsack in the members of the first unit and the gangs across the border of each.

// mostPartners bounds the units with which one shares anew, and pairWork the numbers that are compared for it.
const (
	mostPartners = 8
	pairWork     = 1 << 20
)

// sharing is such a question.
type sharing struct {
	b      *borders
	x, y   int32
	gangs  []int32
	ways   [][]way
	most   [2]int // gangs across the border of each that are told apart
	room   int    // of the first one
	least  int    // members of the first one
	picked [][]int32
}

// way is how many of a gang are in the first unit.
type way struct {
	members int64
	across  [2]bool
	cost    Cost
	in      []Held
}

// share lets two units share anew, as long as that is better: those with too many gangs across their borders, and those from which somebody has moved.
func (b *borders) share() {
	for better := true; better; {
		better = false
		for x := range b.on {
			if u := int32(x); b.beyond(u) > 0 || b.isMoved(u) {
				better = b.shareWith(u) || better
			}
			if b.spent() {
				return
			}
		}
	}
}

// isMoved says whether a gang in a unit has moved.
func (b *borders) isMoved(u int32) bool {
	return slices.ContainsFunc(b.on[u], func(g int32) bool { return !slices.Equal(b.at[g], b.p.Gangs[g].Was) })
}

// shareWith lets a unit share with the one with which that is best.
func (b *borders) shareWith(x int32) bool {
	var best [][]Held
	var of []int32
	gain, cheaper := 0, Cost{}
	now := b.cost()
	for _, y := range b.partners(x) {
		s := b.sharing(x, y)
		then, less, cost := s.best()
		if then == nil || less == gain && best != nil && !cost.less(cheaper) || less < gain {
			continue
		}
		if less == 0 && !cost.less(s.costNow()) {
			continue
		}
		if sum := minus(now, s.costNow()).plus(cost); b.p.Most > 0 && sum.Members > b.p.Most {
			continue
		}
		best, of, gain, cheaper = then, s.gangs, less, cost
	}
	for i, g := range of {
		b.at[g] = best[i]
	}
	if best != nil {
		b.list()
	}
	return best != nil
}

func minus(a, b Cost) Cost { return Cost{a.Lost - b.Lost, a.Members - b.Members, a.Gangs - b.Gangs} }

// partners are the units with which one may share: those that have a gang across its border as well, or where one of its members was, then those with the most room.
func (b *borders) partners(x int32) (out []int32) {
	add := func(u int32) {
		if u != x && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	for _, g := range b.on[x] {
		for _, of := range [][]Held{b.at[g], b.p.Gangs[g].Was} {
			for _, held := range of {
				add(held.Unit)
			}
		}
	}
	type unit struct {
		at   int32
		free int64
	}
	var units []unit
	for u := range b.on {
		units = append(units, unit{int32(u), b.free(int32(u))})
	}
	b.work += len(units)
	slices.SortStableFunc(units, func(a, b unit) int { return int(min(1, max(-1, b.free-a.free))) })
	for _, u := range units[:min(len(units), mostPartners)] {
		add(u.at)
	}
	return out
}

// sharing asks how two units share.
func (b *borders) sharing(x, y int32) *sharing {
	s := &sharing{b: b, x: x, y: y, gangs: slices.Clone(b.on[x])}
	for _, g := range b.on[y] {
		if !slices.Contains(s.gangs, g) {
			s.gangs = append(s.gangs, g)
		}
	}
	all := int64(0)
	for _, g := range s.gangs {
		s.ways = append(s.ways, s.waysOf(g))
		all += Members(b.at[g], x) + Members(b.at[g], y)
	}
	s.room, s.least = int(max(0, min(b.room[x], all))), int(max(0, all-b.room[y]))
	for i, u := range []int32{x, y} {
		s.most[i] = max(mostAcross-b.fixed[u], b.across(u), 0)
	}
	return s
}

// waysOf lists how a gang may share the two: one that lies in one of them stays whole, and nobody goes where it would get wider.
func (s *sharing) waysOf(g int32) (out []way) {
	b, in := s.b, s.b.at[g]
	inX, inY := Members(in, s.x), Members(in, s.y)
	rest := slices.DeleteFunc(slices.Clone(in), func(h Held) bool { return h.Unit == s.x || h.Unit == s.y })
	least, most, step := int64(0), inX+inY, int64(1)
	switch home := b.tree.over(in[0].Unit, in[len(in)-1].Unit, 0); {
	case len(in) == 1:
		step = most
	case !b.tree.has(home, s.x) || !b.tree.has(home, s.y):
		least, most = inX, inX
	}
	for n := least; n <= most; n += step {
		w := way{members: n, in: slices.Clone(rest)}
		for _, held := range []Held{{s.x, n}, {s.y, inX + inY - n}} {
			if held.Members > 0 {
				w.in = append(w.in, held)
			}
		}
		slices.SortFunc(w.in, func(a, b Held) int { return int(a.Unit - b.Unit) })
		w.across = [2]bool{n > 0 && len(w.in) > 1, n < inX+inY && len(w.in) > 1}
		w.cost = b.costOf(g, w.in)
		out = append(out, w)
	}
	return out
}

// costNow is what those in the two cost as they are.
func (s *sharing) costNow() (sum Cost) {
	for _, g := range s.gangs {
		sum = sum.plus(s.b.costOf(g, s.b.at[g]))
	}
	return sum
}

// best is where each of the gangs is in the best way to share, how many fewer gangs too many lie across the borders then, and what that costs; nil: it was not looked for.
func (s *sharing) best() (then [][]Held, less int, cost Cost) {
	states, all := (s.room+1)*(s.most[0]+1)*(s.most[1]+1), 0
	for _, ways := range s.ways {
		all += len(ways)
	}
	if all == 0 || states > pairWork/all {
		return nil, 0, Cost{}
	}
	s.b.work += states * all
	costs := s.fill(states)
	at, few := -1, 0
	for i, c := range costs {
		members, across := s.read(i)
		if c == never || members < s.least {
			continue
		}
		n := 0
		for k, u := range []int32{s.x, s.y} {
			n += max(0, across[k]+s.b.fixed[u]-mostAcross)
		}
		if at < 0 || n < few || n == few && c.less(costs[at]) {
			at, few = i, n
		}
	}
	if at < 0 {
		return nil, 0, Cost{} // where more are in them than there is room for
	}
	then = make([][]Held, len(s.gangs))
	for i, state := len(s.gangs)-1, at; i >= 0; i-- {
		w := &s.ways[i][s.picked[i][state]]
		then[i], state = w.in, state-s.step(w)
	}
	return then, s.b.beyond(s.x) + s.b.beyond(s.y) - few, costs[at]
}

// fill is by state, members of the first unit and gangs across both borders, what that costs at least: never, if it cannot be.
func (s *sharing) fill(states int) []Cost {
	costs := slices.Repeat([]Cost{never}, states)
	costs[0] = Cost{}
	for _, ways := range s.ways {
		next, picked := slices.Repeat([]Cost{never}, states), make([]int32, states)
		for i, c := range costs {
			if c == never {
				continue
			}
			members, across := s.read(i)
			for k := range ways {
				w := &ways[k]
				if members+int(w.members) > s.room || across[0]+one(w.across[0]) > s.most[0] || across[1]+one(w.across[1]) > s.most[1] {
					continue
				}
				to := i + s.step(w)
				if sum := c.plus(w.cost); sum.less(next[to]) {
					next[to], picked[to] = sum, int32(k)
				}
			}
		}
		costs, s.picked = next, append(s.picked, picked)
	}
	return costs
}

// step is how much further a state is with a way of a gang.
func (s *sharing) step(w *way) int {
	return (int(w.members)*(s.most[0]+1)+one(w.across[0]))*(s.most[1]+1) + one(w.across[1])
}

func (s *sharing) read(state int) (members int, across [2]int) {
	across[1], state = state%(s.most[1]+1), state/(s.most[1]+1)
	return state / (s.most[0] + 1), [2]int{state % (s.most[0] + 1), across[1]}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
