// Which gangs end at the least cost, where these are not the fewest gangs?

package remedies

import "github.com/muster-sched/muster/internal/snapshot"

// ends is what it costs that gangs end, by their places.
type ends struct{ members, lost []int64 }

func endsOf(gangs []*snapshot.GangMembers, lost map[string]int64) (e ends) {
	for _, g := range gangs {
		n := int64(0)
		for _, m := range g.Members.All() {
			if !m.IsDaemon() && !m.Leaving {
				n++
			}
		}
		e.members, e.lost = append(e.members, n), append(e.lost, lost[g.Name])
	}
	return e
}

// lostBy is the work that is lost if some gangs end.
func (e *ends) lostBy(set []int32) (sum int64) {
	for _, g := range set {
		sum += e.lost[g]
	}
	return sum
}

// price is what a gang costs by an order of costs, in one number, and what a set must cost less than. exact: no two costs that differ are one number.
type price struct {
	of    func(gang int32) int64
	below int64
	exact bool
}

// byMembers is the number of members, then of gangs, below that of members of a set.
func (e *ends) byMembers(set []int32) price {
	weight, sum := int64(len(e.members)+1), int64(0)
	for _, g := range set {
		sum += e.members[g]
	}
	if sum == int64(len(set)) {
		return price{} // no gang has fewer than one
	}
	return price{func(g int32) int64 { return e.members[g]*weight + 1 }, sum * weight, true} // as many members and no gang
}

// mostPrice bounds what a set costs in one number, times the members and gangs there are.
const mostPrice = 1 << 57

// byLost is the lost work, then the members, then the gangs, below so much lost work. Work is counted in larger units where it is too much for one number.
func (e *ends) byLost(most int64) price {
	if most == 0 {
		return price{}
	}
	weight, all := int64(len(e.members)+1), int64(1)
	for _, n := range e.members {
		all += n
	}
	unit := int64(1)
	for most/unit+1 > mostPrice/(all*weight)/(all+weight) {
		if unit *= 2; unit > most {
			return price{}
		}
	}
	of := func(g int32) int64 { return (e.lost[g]/unit*all+e.members[g])*weight + 1 }
	return price{of, most / unit * all * weight, unit == 1}
}

// cheaper is a set of gangs that costs least, by amounts, of those below a price; nil if amounts tell of none, or it does not help.
func (f *Search) cheaper(at state, r *rooms, c *choice, by price) *chosen {
	least, below, best := r.exact && by.exact, by.below, []int32(nil)
	if below == 0 {
		return nil
	}
	for i, p := range r.scopes(c) {
		e := c.ending(&p)
		if i == mostDomains || e == nil {
			least = false
			break
		}
		some, known := f.cheapest(e, func(g int) int64 { return by.of(p.elements[g]) }, make([]bool, e.gangs), 0, below)
		if least = least && known; len(some) == 0 {
			continue
		}
		best, below = pick(p.elements, some), 0
		for _, g := range best {
			below += by.of(g)
		}
	}
	if best == nil {
		return nil
	}
	plan := f.after(at, c.edit(best))
	if plan == nil {
		return nil
	}
	return &chosen{best, least, plan}
}
