// Room: what units cost on the places for given prices, and who is taken for them.

package cover

import (
	"cmp"
	"slices"
)

// room makes units at the least price. It writes its own lists.
type room struct {
	problem *Problem
	order   [][]int32 // by place: kinds one after the other, the cheapest first
	curve   [][]int64 // by place and units
	pick    [][]int32 // by place and units: the option
	total   []int64   // by units: the least price
	choice  []int32   // by place and units: how many are there
	taken   []bool    // by member
	sums    []int64   // by place: what options add up
	units   []unit    // buffer
	here    []int32   // by place: units, a buffer
	work    int       // numbers that are compared to split units
	next    []int64   // by units: total with one place more, a buffer
	fewest  []int64   // by place: fewer units up to there leave too many to those behind
	byUnits [][]int32 // by place: options, those that make most first
	kindOf  []int32   // by member: its kind, of all of all places
	kinds   []int32   // by place: its first kind
	away    []int32   // by kind: how many are gone
}

func newRoom(p *Problem) room {
	r := room{problem: p, total: make([]int64, p.Units+1), taken: make([]bool, len(p.Members))}
	for i := range p.Places {
		of := &p.Places[i]
		most, sums := int64(0), int64(0)
		for _, o := range of.Options {
			most, sums = max(most, min(o.Units, p.Units)), sums+1
			for _, n := range o.Count {
				sums += 1 + int64(n)
			}
		}
		r.sums = append(r.sums, sums)
		r.order = append(r.order, slices.Concat(of.Kinds...))
		r.curve, r.pick = append(r.curve, make([]int64, most+1)), append(r.pick, make([]int32, most+1))
	}
	r.fewest = make([]int64, len(p.Places))
	behind := int64(0)
	for i, curve := range slices.Backward(r.curve) {
		r.fewest[i] = max(0, p.Units-behind)
		behind += int64(len(curve)) - 1
	}
	reached := int64(0)
	for i, curve := range r.curve {
		reached = min(p.Units, reached+int64(len(curve))-1)
		r.work += int(max(0, reached-r.fewest[i])+1) * len(curve)
	}
	r.here, r.next = make([]int32, len(p.Places)), make([]int64, p.Units+1)
	r.sortOptions()
	return r
}

// sortOptions lists the options of each place by their units, and numbers the kinds of all places.
func (r *room) sortOptions() {
	r.kindOf = make([]int32, len(r.problem.Members))
	for i := range r.problem.Places {
		of := &r.problem.Places[i]
		list := make([]int32, len(of.Options))
		for o := range list {
			list[o] = int32(o)
		}
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(of.Options[b].Units, of.Options[a].Units) })
		r.byUnits = append(r.byUnits, list)
		r.kinds = append(r.kinds, int32(len(r.away)))
		for _, kind := range of.Kinds {
			for _, m := range kind {
				r.kindOf[m] = int32(len(r.away))
			}
			r.away = append(r.away, 0)
		}
	}
}

// make finds the least price of all units; impossible if there is no room. Who is taken for it is marked. It says how
// many numbers were compared.
func (r *room) make(price []int64) (cost int64, work int) {
	convex := true
	for i := range r.problem.Places {
		r.value(i, price)
		convex = convex && isConvex(r.curve[i])
		work += int(r.sums[i]) + len(r.curve[i])
	}
	clear(r.taken)
	if convex {
		cost = r.greedy()
		return cost, 8 * work
	}
	return r.split(), work + r.work
}

// isConvex says whether no unit costs less than the one before.
func isConvex(curve []int64) bool {
	for u := 2; u < len(curve); u++ {
		if curve[u]-curve[u-1] < curve[u-1]-curve[u-2] {
			return false
		}
	}
	return true
}

// unit is one unit more on a place.
type unit struct {
	cost  int64
	place int32
}

// greedy takes the cheapest units of convex curves.
func (r *room) greedy() (cost int64) {
	r.units = r.units[:0]
	for i, curve := range r.curve {
		for u := 1; u < len(curve); u++ {
			if each := curve[u] - curve[u-1]; curve[u] < impossible {
				r.units = append(r.units, unit{each, int32(i)})
			}
		}
		cost += curve[0]
	}
	if int64(len(r.units)) < r.problem.Units {
		return impossible
	}
	slices.SortFunc(r.units, func(a, b unit) int { // units of one place can change places
		if a.cost != b.cost {
			return cmp.Compare(a.cost, b.cost)
		}
		return cmp.Compare(a.place, b.place)
	})
	clear(r.here)
	for _, u := range r.units[:r.problem.Units] {
		cost += u.cost
		r.here[u.place]++
	}
	for i, here := range r.here {
		r.mark(i, here)
	}
	return cost
}

// split finds the least price number by number, place by place, of as many units as leave not too many to the places
// behind.
func (r *room) split() int64 {
	n := r.problem.Units
	for u := range r.total {
		r.total[u] = impossible
	}
	r.total[0] = 0
	reached := int64(0)
	for i := range r.problem.Places {
		curve, choice, next := r.curve[i], r.choiceAt(i), r.next
		reached = min(n, reached+int64(len(curve))-1)
		from := r.fewest[i]
		for u := from; u <= reached; u++ {
			next[u], choice[u] = impossible, 0
		}
		for here, price := range curve {
			lo := max(from, int64(here))
			if price >= impossible || lo > reached {
				break
			}
			before, to, of := r.total[lo-int64(here):reached+1-int64(here)], next[lo:reached+1], choice[lo:reached+1]
			for u, cost := range before {
				if cost += price; cost < to[u] {
					to[u], of[u] = cost, int32(here)
				}
			}
		}
		if from <= reached {
			copy(r.total[from:reached+1], next[from:reached+1])
		}
	}
	if r.total[n] >= impossible {
		return impossible
	}
	u := n
	for i := len(r.problem.Places) - 1; i >= 0; i-- {
		here := r.choiceAt(i)[u]
		u -= int64(here)
		r.mark(i, here)
	}
	return r.total[n]
}

// choiceAt is how many units a place has, by units.
func (r *room) choiceAt(i int) []int32 {
	n := int(r.problem.Units + 1)
	if r.choice == nil {
		r.choice = make([]int32, len(r.problem.Places)*n)
	}
	return r.choice[i*n : (i+1)*n]
}

// mark marks who is taken for so many units of a place.
func (r *room) mark(i int, here int32) {
	of, from := &r.problem.Places[i], int32(0)
	for k, count := range of.Options[r.pick[i][here]].Count {
		for _, m := range r.order[i][from : from+count] {
			r.taken[m] = true
		}
		from += int32(len(of.Kinds[k]))
	}
}

// value finds the curve of a place.
func (r *room) value(i int, price []int64) {
	of, curve, pick := &r.problem.Places[i], r.curve[i], r.pick[i]
	from := 0
	for _, kind := range of.Kinds {
		list := r.order[i][from : from+len(kind)]
		for a := 1; a < len(list); a++ { // few, and nearly sorted
			for b := a; b > 0 && (price[list[b]] < price[list[b-1]] || price[list[b]] == price[list[b-1]] && list[b] < list[b-1]); b-- {
				list[b], list[b-1] = list[b-1], list[b]
			}
		}
		from += len(kind)
	}
	for u := range curve {
		curve[u] = impossible
	}
	for o := range of.Options {
		option := &of.Options[o]
		cost, from := int64(0), int32(0)
		for k, count := range option.Count {
			for _, m := range r.order[i][from : from+count] {
				cost = min(impossible, cost+price[m])
			}
			from += int32(len(of.Kinds[k]))
		}
		if u := min(option.Units, r.problem.Units); cost < curve[u] {
			curve[u], pick[u] = cost, int32(o)
		}
	}
	for u := len(curve) - 2; u >= 0; u-- {
		if curve[u+1] < curve[u] {
			curve[u], pick[u] = curve[u+1], pick[u+1]
		}
	}
}

// leave notes who is gone.
func (r *room) leave(gone []bool) {
	clear(r.away)
	for m, kind := range r.kindOf {
		if gone[m] {
			r.away[kind]++
		}
	}
}

// unitsOn is how many units a place holds as leave noted.
func (r *room) unitsOn(i int) int64 {
	of, away := &r.problem.Places[i], r.away[r.kinds[i]:]
	for _, o := range r.byUnits[i] {
		if option := &of.Options[o]; option.within(away) {
			return max(0, option.Units)
		}
	}
	return 0
}

// within says whether so many of each kind are enough.
func (o *Option) within(away []int32) bool {
	for k, count := range o.Count {
		if count > away[k] {
			return false
		}
	}
	return true
}
