package numa

import (
	"errors"
	"fmt"
	"math"
)

// Hint says that a resource could be taken from the zones of Mask, and whether its provider likes that.
type Hint struct {
	// Mask is the zones; empty: any zones will do.
	Mask Mask
	// Preferred says that the provider likes it.
	Preferred bool
}

// Merged is what the hints of several providers come to.
type Merged struct {
	// Admit says that the policy lets the member in.
	Admit bool
	// Preferred says that every provider prefers the mask.
	Preferred bool
	// Mask is the zones on which the providers agree; all zones where nothing constrains them.
	Mask Mask
}

// Merge merges the hints of providers, one list a resource, in the manner of the kubelet's topology manager: choose one
// hint of each list; the result is the intersection of their masks, unless it is empty, and is preferred if all chosen
// hints are and those that have a mask have the same. A nil list is a provider without wishes; an empty one, that is
// not nil, a provider that sees no possibility: any zones, not preferred. SingleNUMANode looks at preferred hints of one
// zone or of any zones alone.
//
// The best result is preferred; the narrowest of these; of results that are not preferred, one that is as wide as the
// largest over the lists of the narrowest width in the list, else the widest below, else the narrowest above; then, if
// `closest` is set and the policy is not SingleNUMANode, the one with the smallest sum of distances; then the smallest
// mask. Where there is no result it is all zones, not preferred. BestEffort admits any result, Restricted and
// SingleNUMANode preferred ones; without a policy every member is admitted, and nothing is merged.
//
// The choices are never enumerated: a set of masks is a function on the subsets of zones, the intersections of two sets
// are counted by multiplying, for every mask, how many supersets of it each set has, and inverting the sum over
// supersets. O(hints + lists * n 2^n), nothing is allocated up to 8 zones. A mask with zones that the node lacks and an
// unknown policy are an [muster.InvalidError].
func (t *Zones) Merge(policy Policy, lists [][]Hint, closest bool) (Merged, error) {
	t = t.orEmpty()
	all := full(len(t.ids))
	if err := checkHints(policy, lists, all); err != nil {
		return Merged{}, err
	}
	if policy == "" {
		return Merged{Admit: true, Mask: all}, nil
	}
	m := merger{zones: t, lists: lists, single: policy == SingleNUMANode, closest: closest && policy != SingleNUMANode}
	var room [2 << fewZones]uint64
	tables := room[:]
	if len(t.ids) > fewZones {
		tables = make([]uint64, 2<<len(t.ids))
	}
	best, preferred := m.agreed(tables)
	if !preferred && !m.single {
		best = m.other(tables)
	}
	return Merged{Admit: preferred || policy == BestEffort, Preferred: preferred, Mask: best}, nil
}

func checkHints(policy Policy, lists [][]Hint, all Mask) error {
	var d defects
	if !policy.Known() {
		d.add("policy", policy, "unknown policy")
	}
	for i, list := range lists {
		named := Mask(0)
		for _, h := range list {
			named |= h.Mask
		}
		if named&^all == 0 {
			continue
		}
		for j, h := range list {
			if h.Mask&^all != 0 {
				d.add(fmt.Sprintf("hints[%d][%d].Mask", i, j), fmt.Sprintf("%b", h.Mask), "the node has no such zone")
			}
		}
	}
	return errors.Join(d...)
}

// merger looks for the best result.
type merger struct {
	zones   *Zones
	lists   [][]Hint
	single  bool // hints of one zone and of any zones alone
	closest bool
}

// agreed is the best preferred result: a mask that every list prefers, or has a preferred hint of any zones instead.
func (m *merger) agreed(lists []uint64) (Mask, bool) {
	last := uint64(0)     // lists that must have the mask, so far; `lists` says by mask how many have it, without a gap
	candidates := m.lists // any list that must have the mask has all of them
	for i, list := range m.lists {
		if anywhere(list) {
			continue
		}
		candidates = m.lists[i : i+1]
		last++
		some := false
		for _, h := range list {
			if h.Preferred && lists[h.Mask] == last-1 {
				lists[h.Mask]++
				some = true
			}
		}
		if !some {
			return full(len(m.zones.ids)), false
		}
	}
	best, found := full(len(m.zones.ids)), last == 0
	for _, list := range candidates {
		for _, h := range list {
			if !h.Preferred || h.Mask == 0 || lists[h.Mask] != last || m.single && h.Mask.Width() > 1 {
				continue
			}
			if !found || m.better(h.Mask, best, h.Mask.Width(), best.Width()) {
				best, found = h.Mask, true
			}
		}
	}
	return best, found
}

// anywhere says whether a provider would like any zones.
func anywhere(list []Hint) bool {
	for _, h := range list {
		if h.Preferred && h.Mask == 0 {
			return true
		}
	}
	return list == nil
}

// better compares results by rank, smaller first, then by distance and as numbers.
func (m *merger) better(a, b Mask, rankA, rankB int) bool {
	if rankA != rankB {
		return rankA < rankB
	}
	if m.closest {
		if x, y := m.zones.distanceOf(a), m.zones.distanceOf(b); x != y {
			return x < y
		}
	}
	return a < b
}

// other is the best result where none is preferred; all zones if there is none at all.
func (m *merger) other(tables []uint64) Mask {
	n := len(m.zones.ids)
	all, size := full(n), 1<<n
	results, list := tables[:size], tables[size:2*size] // by mask, summed over supersets until the end
	ways := uint64(1)                                   // bounds the number of choices so far
	largest := 0                                        // over the lists, of the narrowest width in the list
	for i, hints := range m.lists {
		if i == 0 { // nothing to intersect with
			list = results
		}
		clear(list)
		count, narrowest := read(hints, list, all)
		if narrowest <= n {
			largest = max(largest, narrowest)
		}
		if ways > math.MaxInt64/count { // forget how many choices make a mask
			subtractSupersets(results)
			for s := range results {
				results[s] = min(1, results[s])
			}
			addSupersets(results)
			ways = uint64(size)
		}
		ways *= count
		addSupersets(list)
		if i == 0 {
			list = tables[size : 2*size]
			continue
		}
		product := results[:len(list)]
		for s, count := range list {
			product[s] *= count
		}
	}
	if len(m.lists) > 0 {
		subtractSupersets(results)
	}
	best, rank, found := all, 0, false
	for mask, count := range results {
		if count == 0 || mask == 0 {
			continue
		}
		a := Mask(mask)
		if r := away(a, largest); !found || r <= rank && m.better(a, best, r, rank) {
			best, rank, found = a, r, true
		}
	}
	return best
}

// read marks the masks of a list, and returns a bound of their number and the narrowest width; more than all zones if no
// hint has a mask.
func read(hints []Hint, list []uint64, all Mask) (count uint64, narrowest int) {
	narrowest = MaxZones + 1
	for _, h := range hints {
		if h.Mask == 0 {
			list[all] = 1
			continue
		}
		list[h.Mask] = 1
		narrowest = min(narrowest, h.Mask.Width())
	}
	if len(hints) == 0 {
		list[all] = 1
	}
	return uint64(min(len(list), len(hints)+1)), narrowest
}

// away ranks widths: the wanted one, then what is narrower, the widest first, then what is wider.
func away(m Mask, wanted int) int {
	if w := m.Width(); w > wanted {
		return w
	}
	return wanted - m.Width() - MaxZones
}

// addSupersets makes of a number for every mask the sum over its supersets. The first three zones are done for eight
// masks at a time.
func addSupersets(table []uint64) {
	first := 1
	for rest := table; len(rest) >= 8; rest = rest[8:] {
		t := (*[8]uint64)(rest)
		t[0], t[2], t[4], t[6] = t[0]+t[1], t[2]+t[3], t[4]+t[5], t[6]+t[7]
		t[0], t[1], t[4], t[5] = t[0]+t[2], t[1]+t[3], t[4]+t[6], t[5]+t[7]
		t[0], t[1], t[2], t[3] = t[0]+t[4], t[1]+t[5], t[2]+t[6], t[3]+t[7]
		first = 8
	}
	for bit := first; bit < len(table); bit *= 2 {
		for at := 0; at < len(table); at += 2 * bit {
			without, with := table[at:at+bit], table[at+bit:at+2*bit]
			for s := range min(len(with), len(without)) {
				without[s] += with[s]
			}
		}
	}
}

// subtractSupersets undoes addSupersets.
func subtractSupersets(table []uint64) {
	first := 1
	for rest := table; len(rest) >= 8; rest = rest[8:] {
		t := (*[8]uint64)(rest)
		t[0], t[2], t[4], t[6] = t[0]-t[1], t[2]-t[3], t[4]-t[5], t[6]-t[7]
		t[0], t[1], t[4], t[5] = t[0]-t[2], t[1]-t[3], t[4]-t[6], t[5]-t[7]
		t[0], t[1], t[2], t[3] = t[0]-t[4], t[1]-t[5], t[2]-t[6], t[3]-t[7]
		first = 8
	}
	for bit := first; bit < len(table); bit *= 2 {
		for at := 0; at < len(table); at += 2 * bit {
			without, with := table[at:at+bit], table[at+bit:at+2*bit]
			for s := range min(len(with), len(without)) {
				without[s] -= with[s]
			}
		}
	}
}
