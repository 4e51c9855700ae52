package numa_test

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

// reference is the rules once more, by enumeration of every mask and every split. It shares no code with the package.
// Zones are in order of ids, amounts small.
type reference struct {
	zones     []numa.Zone
	used      []muster.Resources
	hosts     []numa.Hosts // by zone, those of keeps included
	keeps     []numa.Hosts // by zone: for whom it is kept; nil: for nobody
	member    numa.Member
	policy    numa.Policy // effective
	distances bool
}

// asked are the zoned resources that the member asks for.
func (r *reference) asked() []string {
	var names []string
	for _, name := range r.member.Resources.Names() {
		reported := slices.ContainsFunc(r.zones, func(z numa.Zone) bool { _, ok := z.Allocatable[name]; return ok })
		if r.member.Resources[name] > 0 && reported {
			names = append(names, name)
		}
	}
	return names
}

// floor leaves whole pieces of CPU.
func (r *reference) floor(name string, amount int64) int64 {
	piece := int64(1)
	switch r.member.CPUs {
	case numa.WholeCPUs:
		piece = 1000
	case numa.WholeCores:
		piece = int64(max(1, r.member.ThreadsPerCore)) * 1000
	}
	if name != muster.CPU {
		piece = 1
	}
	return amount / piece * piece
}

func (r *reference) capacity(name string, z int) int64 {
	return r.floor(name, r.zones[z].Allocatable[name])
}

func (r *reference) free(name string, z int) int64 {
	return r.floor(name, r.zones[z].Allocatable[name]-r.used[z][name])
}

// total sums over the zones of a mask.
func (r *reference) total(mask int, of func(string, int) int64, name string) (sum int64) {
	for z := range r.zones {
		if mask>>z&1 == 1 {
			sum += of(name, z)
		}
	}
	return sum
}

func (r *reference) covers(mask int, of func(string, int) int64) bool {
	return !slices.ContainsFunc(r.asked(), func(name string) bool { return r.total(mask, of, name) < r.member.Resources[name] })
}

// width is w*.
func (r *reference) width() int {
	best := 0
	for mask := 1; mask < 1<<len(r.zones); mask++ {
		if w := bits.OnesCount(uint(mask)); r.covers(mask, r.capacity) && (best == 0 || w < best) {
			best = w
		}
	}
	return best
}

// clean says whether the mask keeps members of one zone and spanning ones apart.
func (r *reference) clean(mask int) bool { return r.apart(mask, r.hosts) }

func (r *reference) apart(mask int, hosts []numa.Hosts) bool {
	for z, h := range hosts {
		switch {
		case mask>>z&1 == 0:
		case mask&(mask-1) != 0 && h&numa.HostsSingle != 0:
			return false
		case r.policy == numa.SingleNUMANode && h&numa.HostsSpanning != 0:
			return false
		}
	}
	return true
}

// allowed says whether the exclusivity of the member, and of those for whom zones are kept, lets it have a mask.
func (r *reference) allowed(mask int) bool {
	return r.apart(mask, r.keeps) && (r.member.Exclusive == numa.Preferred || r.clean(mask))
}

// every allows all masks.
func every(int) bool { return true }

// masks lists what the width and the exclusivity allow, whatever is free.
func (r *reference) masks(allowed func(mask int) bool) []int {
	var list []int
	wanted := r.width()
	for mask := 1; mask < 1<<len(r.zones); mask++ {
		w := bits.OnesCount(uint(mask))
		switch {
		case r.policy == numa.SingleNUMANode && w != 1:
		case r.policy == numa.Restricted && w != wanted:
		case !allowed(mask):
		default:
			list = append(list, mask)
		}
	}
	return list
}

// utilisation with one more member on the mask.
func (r *reference) utilisation(mask int) *big.Rat {
	sum, names := new(big.Rat), r.asked()
	for _, name := range names {
		has := r.total(mask, r.capacity, name)
		sum.Add(sum, big.NewRat(has-r.total(mask, r.free, name)+r.member.Resources[name], has))
	}
	return sum.Quo(sum, big.NewRat(int64(len(names)), 1))
}

// score in millionths of a point, rounded down.
func (r *reference) score(mask int) int64 {
	if !r.clean(mask) {
		return 0
	}
	points := new(big.Rat).Mul(r.utilisation(mask), big.NewRat(10, 1))
	points.Add(points, big.NewRat(int64(100-10*bits.OnesCount(uint(mask))), 1))
	points.Mul(points, big.NewRat(1_000_000, 1))
	return new(big.Int).Div(points.Num(), points.Denom()).Int64()
}

func (r *reference) distance(mask int) (sum int64) {
	for i, a := range r.zones {
		for j, b := range r.zones {
			if mask>>i&1 == 1 && mask>>j&1 == 1 {
				sum += a.Distances[b.ID]
			}
		}
	}
	return sum
}

// before compares two masks with room.
func (r *reference) before(a, b int) bool {
	if x, y := r.clean(a), r.clean(b); x != y {
		return x
	}
	if x, y := bits.OnesCount(uint(a)), bits.OnesCount(uint(b)); x != y {
		return x < y
	}
	if x, y := r.distance(a), r.distance(b); x != y {
		return x < y
	}
	if c := r.utilisation(a).Cmp(r.utilisation(b)); c != 0 {
		return c > 0
	}
	return a < b
}

// fit is the best mask; 0 and the cause if there is none.
func (r *reference) fit() (int, numa.Cause) {
	best := 0
	for _, mask := range r.masks(r.allowed) {
		if r.covers(mask, r.free) && (best == 0 || r.before(mask, best)) {
			best = mask
		}
	}
	if best != 0 {
		return best, ""
	}
	if slices.ContainsFunc(r.masks(every), func(m int) bool { return r.covers(m, r.free) }) {
		return 0, numa.CauseExclusive
	}
	return 0, numa.CauseCapacity
}

// left is what is left of one resource in every zone.
type left [8]int64

// slots places copies one by one, in every way: every mask, and for every resource every split.
func (r *reference) slots() int {
	var start []map[left]bool // by resource: what may be left
	for _, name := range r.asked() {
		var free left
		for z := range r.zones {
			free[z] = r.free(name, z)
		}
		start = append(start, map[left]bool{free: true})
	}
	return r.more(start, r.masks(r.allowed))
}

// more is how many copies go on these masks. Copies are alike, so the masks of later ones do not come earlier.
func (r *reference) more(states []map[left]bool, masks []int) int {
	most := 0
next:
	for i, mask := range masks {
		var after []map[left]bool
		for j, name := range r.asked() {
			unit := r.unit(name)
			to := map[left]bool{}
			for from := range states[j] {
				splits(from, mask, 0, r.member.Resources[name], unit, to)
			}
			if len(to) == 0 {
				continue next
			}
			after = append(after, to)
		}
		most = max(most, 1+r.more(after, masks[i:]))
	}
	return most
}

// unit is a divisor of every amount of the resource.
func (r *reference) unit(name string) int64 {
	if name == muster.CPU {
		return 500
	}
	return 1
}

// splits collects what may be left after an amount is taken from the zones of a mask.
func splits(from left, mask, z int, amount, unit int64, to map[left]bool) {
	switch {
	case amount == 0:
		to[from] = true
	case 1<<z > mask:
	case mask>>z&1 == 0:
		splits(from, mask, z+1, amount, unit, to)
	default:
		for part := int64(0); part <= min(amount, from[z]); part += unit {
			after := from
			after[z] -= part
			splits(after, mask, z+1, amount-part, unit, to)
		}
	}
}

// merge visits the cross product of the hints of all lists.
func merge(zones *numa.Zones, policy numa.Policy, lists [][]numa.Hint, closest bool, distance func(int) int64) numa.Merged {
	all := numa.Mask(1<<zones.Len() - 1)
	if policy == "" {
		return numa.Merged{Admit: true, Mask: all}
	}
	single := policy == numa.SingleNUMANode
	var choices [][]numa.Hint
	wanted := 0
	for _, list := range lists {
		switch {
		case list == nil:
			list = []numa.Hint{{Preferred: true}}
		case len(list) == 0:
			list = []numa.Hint{{}}
		}
		narrowest := 0
		var kept []numa.Hint
		for _, h := range list {
			if single && !(h.Preferred && h.Mask.Width() <= 1) {
				continue
			}
			kept = append(kept, h)
			if h.Mask != 0 && (narrowest == 0 || h.Mask.Width() < narrowest) {
				narrowest = h.Mask.Width()
			}
		}
		choices = append(choices, kept)
		wanted = max(wanted, narrowest)
	}
	best, found := numa.Merged{Mask: all}, false
	better := func(a, b numa.Merged) bool {
		if a.Preferred != b.Preferred {
			return a.Preferred
		}
		x, y := a.Mask.Width(), b.Mask.Width()
		if x != y {
			switch {
			case a.Preferred:
				return x < y
			case x == wanted || y == wanted:
				return x == wanted
			case (x < wanted) != (y < wanted):
				return x < wanted
			case x < wanted:
				return x > y
			}
			return x < y
		}
		if d, e := distance(int(a.Mask)), distance(int(b.Mask)); closest && !single && d != e {
			return d < e
		}
		return a.Mask < b.Mask
	}
	var visit func(i int, mask, same numa.Mask, preferred bool)
	visit = func(i int, mask, same numa.Mask, preferred bool) {
		if i == len(choices) {
			if got := (numa.Merged{Mask: mask, Preferred: preferred}); mask != 0 && (!found || better(got, best)) {
				best, found = got, true
			}
			return
		}
		for _, h := range choices[i] {
			if h.Mask == 0 {
				visit(i+1, mask, same, preferred && h.Preferred)
				continue
			}
			visit(i+1, mask&h.Mask, h.Mask, preferred && h.Preferred && (same == 0 || same == h.Mask))
		}
	}
	visit(0, all, 0, true)
	best.Admit = best.Preferred || policy == numa.BestEffort
	return best
}
