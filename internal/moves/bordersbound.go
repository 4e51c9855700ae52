package moves

import "slices"

// Of the gangs across the border of a unit each one too many either leaves it, or all of it is in there then. Who goes into a unit takes what is free there, or somebody
// else leaves.

// mostCrossing is of how many gangs across the border of a unit all choices are looked at.
const mostCrossing = 8

// bound is the least that it costs that no gangs are left beyond two across a border: what it costs in the unit where that is most, or, if that is more, in units that have no such gang
// in common, which adds up.
func (b *borders) bound() (bound Cost) {
	type unit struct {
		at   int32
		cost Cost
	}
	var units []unit
	free := int64(0)
	for u := range b.on {
		free += max(0, b.free(int32(u)))
	}
	for u := range b.on {
		at := int32(u)
		if b.beyond(at) == 0 {
			continue
		}
		var gangs []crossing
		for _, g := range b.on[u] {
			if in := b.at[g]; len(in) > 1 {
				gangs = append(gangs, crossing{b.p.Gangs[g].Lost, Members(in, at), total(in)})
			}
		}
		units = append(units, unit{at, apart(gangs, b.beyond(at))})
		if len(gangs) <= mostCrossing {
			here := max(0, b.free(at))
			bound = higher(bound, leastApart(gangs, b.beyond(at), here, free-here, Cost{}, 0, 0))
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return b.cost.Compare(a.cost) })
	sum, counted := Cost{}, map[int32]bool{}
	for _, of := range units {
		isAcross := func(g int32) bool { return len(b.at[g]) > 1 }
		if slices.ContainsFunc(b.on[of.at], func(g int32) bool { return isAcross(g) && counted[g] }) {
			continue
		}
		for _, g := range b.on[of.at] {
			counted[g] = isAcross(g)
		}
		sum = sum.plus(of.cost)
	}
	return higher(bound, sum)
}

func higher(a, b Cost) Cost {
	if a.less(b) {
		return b
	}
	return a
}

// crossing is a gang across the border of a unit: how many of it are there, and in all.
type crossing struct{ lost, here, all int64 }

// apart is what it costs at least that so many of some gangs are not across the border, as if there were room everywhere.
func apart(gangs []crossing, many int) (sum Cost) {
	var costs []Cost
	for _, g := range gangs {
		costs = append(costs, Cost{g.lost, min(g.here, g.all-g.here), 1})
	}
	slices.SortFunc(costs, Cost.Compare)
	for _, c := range costs[:min(many, len(costs))] {
		sum = sum.plus(c)
	}
	return sum
}

// leastApart is the same where so much is free in the unit, and elsewhere, beside those of whom so many leave it, and come into it: as many have to make room as there is none for.
func leastApart(gangs []crossing, many int, here, elsewhere int64, cost Cost, leave, come int64) Cost {
	if many == 0 {
		cost.Members = max(leave, come-here) + max(come, leave-elsewhere)
		if cost.Members > leave+come {
			cost.Gangs++ // none of these: who leaves does not come back
		}
		return cost
	}
	best := never
	for i, g := range gangs {
		with := cost.plus(Cost{g.lost, 0, 1})
		for _, way := range [][2]int64{{g.here, 0}, {0, g.all - g.here}} {
			if c := leastApart(gangs[i+1:], many-1, here, elsewhere, with, leave+way[0], come+way[1]); c.less(best) {
				best = c
			}
		}
	}
	return best
}
