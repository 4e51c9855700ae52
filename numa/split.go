package numa

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
)

// group is a number of members on one mask.
type group struct {
	mask    Mask
	members int64
}

// Split places that many members on the node together and returns, for each, what [Occupancy.Add] takes. Nil if they do not
// fit ([Need.Slots] counts how many do), or if there are none.
//
// The members are placed like [Need.Fit] and [Need.Shares] place them one after the other, except Restricted members of
// several zones, where a wrong split strands the next: of these, as many take the best mask as leave room for all the
// others, then the next mask, by order of rules on the node as it is, and a flow gives each mask its part of each zone.
// O(members * fit), or O(search of Slots + 2^n + members * n k) for Restricted members of several zones.
func (q *Need) Split(node *Occupancy, members int) []Placed {
	q, node = q.orNowhere(), node.orEmpty()
	if members <= 0 || q.Slots(node).Slots < int64(members) {
		return nil
	}
	placed := make([]Placed, members)
	for i := range placed {
		placed[i].Policy = q.policy
	}
	if !q.Zoned() {
		return placed
	}
	free := slices.Clone(q.freeOf(node, nil))
	if q.policy == Restricted && q.width > 1 {
		q.together(placed, q.arrange(node, free, int64(members)), free)
		return placed
	}
	for i := range placed {
		s := search{need: q, free: free}
		if s.run(node, q.open); !s.found {
			s.run(node, q.allowed)
		}
		placed[i].Shares = q.drain(free, s.mask)
	}
	return placed
}

// Shares is what a lone member gets of the zones of a mask: it drains them in order of their ids. Nil if they have not
// enough free, or if the member is not placed on zones. The list is the caller's. O(n k).
func (q *Need) Shares(node *Occupancy, mask Mask) []Share {
	q, node = q.orNowhere(), node.orEmpty()
	if !q.Zoned() || node.zones != q.zones && !node.zones.Equal(q.zones) {
		return nil
	}
	n, free := len(q.zones.ids), slices.Clone(q.freeOf(node, nil))
	mask &= full(n)
	for r, amount := range q.amounts {
		if sum(free[r*n:r*n+n], mask) < amount {
			return nil
		}
	}
	return q.drain(free, mask)
}

// drain takes one member off what is free, zone by zone. The mask has room.
func (q *Need) drain(free []int64, mask Mask) []Share {
	n := len(q.zones.ids)
	left := slices.Clone(q.amounts)
	var shares []Share
	for ; mask != 0; mask &= mask - 1 {
		z := mask.first()
		share := Share{Zone: q.zones.ids[z], Resources: muster.Resources{}}
		for r, column := range q.columns {
			if amount := min(left[r], free[r*n+z]); amount > 0 {
				share.Resources[q.zones.names[column]] = amount
				left[r] -= amount
				free[r*n+z] -= amount
			}
		}
		if len(share.Resources) > 0 {
			shares = append(shares, share)
		}
	}
	return shares
}

// arrange finds which masks of w* zones the members take; as many members fit.
func (q *Need) arrange(node *Occupancy, free []int64, members int64) []group {
	zones := q.allowed(node, 2)
	p := packing{left: make([]int64, 1<<zones.Width()), greedy: zones.Width() > fewZones, target: members}
	p.masks = p.fill(q, free, zones, nil)
	p.x, p.answer = make([]int64, len(p.masks)), make([]int64, len(p.masks))
	asCounted := p.masks
	p.masks = q.ranked(node, free, asCounted, zones)
	if p.search(); p.best < members {
		// The count tried the masks as they come: what it found is found again, and may be more than is asked for.
		p.masks, p.best = asCounted, 0
		p.count(q.withinTotals(node))
	}
	var groups []group
	for i, x := range p.answer {
		if x = min(x, members); x > 0 {
			groups = append(groups, group{mask: spreadOver(p.masks[i], zones), members: x})
			members -= x
		}
	}
	return groups
}

// ranked orders masks as Fit does: those that violate no exclusivity first, then the closest, the most used, the
// smallest.
func (q *Need) ranked(node *Occupancy, free []int64, masks []Mask, zones Mask) []Mask {
	s, open := search{need: q, free: free}, q.open(node, 2)
	return slices.SortedFunc(slices.Values(masks), func(a, b Mask) int {
		x, y := spreadOver(a, zones), spreadOver(b, zones)
		return cmp.Or(
			cmp.Compare(min(1, x&^open), min(1, y&^open)),
			cmp.Compare(q.zones.distanceOf(x), q.zones.distanceOf(y)),
			s.compareUse(y, x),
			cmp.Compare(x, y),
		)
	})
}

// spreadOver turns positions among some zones into positions among all.
func spreadOver(positions, zones Mask) (m Mask) {
	for ; positions != 0; positions >>= 1 {
		if positions&1 != 0 {
			m |= zones & -zones
		}
		zones &= zones - 1
	}
	return m
}

// together gives the members of the groups their shares, resource by resource. The members of a group take what the flow
// gives the group, one after the other, zone by zone.
func (q *Need) together(placed []Placed, groups []group, free []int64) {
	n := len(q.zones.ids)
	amounts := make([][MaxZones]muster.Resources, len(placed)) // by member and zone
	for r, column := range q.columns {
		flow := pour(groups, q.amounts[r], free[r*n:r*n+n])
		next := 0
		for g := range groups {
			for range groups[g].members {
				hand(&flow[g], q.amounts[r], q.zones.names[column], &amounts[next])
				next++
			}
		}
	}
	for i := range placed {
		for z, resources := range amounts[i] {
			if resources != nil {
				placed[i].Shares = append(placed[i].Shares, Share{Zone: q.zones.ids[z], Resources: resources})
			}
		}
	}
}

// hand takes an amount off what flows from the zones, in order, and notes it by zone.
func hand(flow *[MaxZones]int64, amount int64, name string, to *[MaxZones]muster.Resources) {
	for z := range flow {
		part := min(amount, flow[z])
		if part == 0 {
			continue
		}
		if to[z] == nil {
			to[z] = muster.Resources{}
		}
		to[z][name] = part
		flow[z] -= part
		amount -= part
	}
}

// pour finds, for one resource, what each group takes of each zone, by augmenting paths: a group takes what is free in
// its zones, in order, and where nothing is left makes others move to their other zones. What is free is used up.
func pour(groups []group, amount int64, free []int64) [][MaxZones]int64 {
	flow := make([][MaxZones]int64, len(groups))
	for g := range groups {
		for left := groups[g].members * amount; left > 0; {
			moved := augment(groups, flow, free, g, left)
			if moved == 0 {
				break // not enough: callers have counted
			}
			left -= moved
		}
	}
	return flow
}

// augment moves up to `most` along a shortest path from a group to a zone where something is free.
func augment(groups []group, flow [][MaxZones]int64, free []int64, from int, most int64) int64 {
	type step struct{ group, zone int } // the group takes more of this zone, having left the one of the step before
	var came [MaxZones]step
	seen := groups[from].mask
	queue := make([]int, 0, MaxZones)
	for m := seen; m != 0; m &= m - 1 {
		came[m.first()] = step{from, -1}
		queue = append(queue, m.first())
	}
	for i := 0; i < len(queue); i++ {
		z := queue[i]
		if free[z] > 0 {
			most = min(most, free[z])
			for at := z; came[at].zone >= 0; at = came[at].zone {
				most = min(most, flow[came[at].group][came[at].zone])
			}
			free[z] -= most
			for at := z; at >= 0; at = came[at].zone {
				flow[came[at].group][at] += most
				if came[at].zone >= 0 {
					flow[came[at].group][came[at].zone] -= most
				}
			}
			return most
		}
		for g := range groups {
			if flow[g][z] == 0 {
				continue
			}
			for m := groups[g].mask &^ seen; m != 0; m &= m - 1 {
				came[m.first()] = step{g, z}
				queue = append(queue, m.first())
			}
			seen |= groups[g].mask
		}
	}
	return 0
}
