// Room: what units cost on the places for given prices, and who is taken for them.

package cover

import "slices"

// room makes units at the least price. It writes its own lists.
type room struct {
	problem *Problem
	order   [][]int32 // by place: kinds one after the other, the cheapest first
	curve   [][]int64 // by place and units
	pick    [][]int32 // by place and units: the option
	total   []int64   // by units: the least price
	choice  []int32   // by place and units: how many are there
	taken   []bool    // by member
}

func newRoom(p *Problem) room {
	r := room{problem: p, total: make([]int64, p.Units+1), taken: make([]bool, len(p.Members))}
	for i := range p.Places {
		of := &p.Places[i]
		most := int64(0)
		for _, o := range of.Options {
			most = max(most, min(o.Units, p.Units))
		}
		r.order = append(r.order, slices.Concat(of.Kinds...))
		r.curve, r.pick = append(r.curve, make([]int64, most+1)), append(r.pick, make([]int32, most+1))
	}
	r.choice = make([]int32, len(p.Places)*int(p.Units+1))
	return r
}

// make finds the least price of all units; impossible if there is no room. Who is taken for it is marked.
func (r *room) make(price []int64) int64 {
	n := r.problem.Units
	for u := range r.total {
		r.total[u] = impossible
	}
	r.total[0] = 0
	reached := int64(0)
	for i := range r.problem.Places {
		r.value(i, price)
		curve, choice := r.curve[i], r.choice[int64(i)*(n+1):int64(i+1)*(n+1)]
		reached = min(n, reached+int64(len(curve))-1)
		for u := reached; u >= 0; u-- { // totals below are still those without this place
			best, at := int64(impossible), int32(0)
			for here := range min(u+1, int64(len(curve))) {
				if c := r.total[u-here] + curve[here]; c < best {
					best, at = c, int32(here)
				}
			}
			r.total[u], choice[u] = best, at
		}
	}
	clear(r.taken)
	if r.total[n] < impossible {
		r.mark()
	}
	return r.total[n]
}

// mark walks back through what was chosen.
func (r *room) mark() {
	u := r.problem.Units
	for i := len(r.problem.Places) - 1; i >= 0; i-- {
		here := r.choice[int64(i)*(r.problem.Units+1)+u]
		u -= int64(here)
		of, from := &r.problem.Places[i], int32(0)
		for k, count := range of.Options[r.pick[i][here]].Count {
			for _, m := range r.order[i][from : from+count] {
				r.taken[m] = true
			}
			from += int32(len(of.Kinds[k]))
		}
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

// unitsOn is how many units a place holds with some gone.
func (r *room) unitsOn(i int, gone []bool) (units int64) {
	of := &r.problem.Places[i]
	for o := range of.Options {
		option := &of.Options[o]
		if option.Units <= units {
			continue
		}
		enough := true
		for k, count := range option.Count {
			for _, m := range of.Kinds[k] {
				if gone[m] {
					count--
				}
			}
			enough = enough && count <= 0
		}
		if enough {
			units = option.Units
		}
	}
	return units
}
