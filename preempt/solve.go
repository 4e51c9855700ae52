package preempt

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/muster-sched/muster/gang"
)

// Solve finds the best legal set of candidates whose leaving makes room for the gang, in the order of costs of the problem. For candidates
// that leave one by one it is exact; elsewhere branch and bound finds the best set if the steps suffice, and says so.
func Solve(p Problem) Solution {
	p.Steps = cmp.Or(p.Steps, defaultSteps(len(p.Nodes)))
	s := newSearch(&p)
	return s.solve()
}

// defaultSteps is more where a step costs little, so that small clusters are searched to the end.
func defaultSteps(nodes int) int {
	return 5_000 * min(12, max(1, 1_024/max(1, nodes)))
}

// solve settles the keys that do not add up, the highest priority and the strategy, in the order in which they count: each as low as it can be
// while what counts more stays as good.
func (s *search) solve() Solution {
	d := driver{search: s, strategy: len(s.Strategies) - 1, proven: true}
	d.ceilings = s.ceilingsFor(d.strategy)
	if len(d.ceilings) == 0 {
		return Solution{Proven: true}
	}
	for place, c := range s.layout.order {
		if c == gang.CostHighestPriority {
			d.lowerCeiling(s.prefix(place), s.layout.constant(place, len(s.Guaranteed) > 0))
		}
		if c == gang.CostStrategy {
			d.tighten(s.prefix(place + 1))
		}
	}
	return d.solution()
}

// driver is a search whose ceiling and strategy are found one after the other.
type driver struct {
	*search
	ceilings []int64
	base     found // the best so far
	strategy int
	proven   bool
	lower    []int64 // a bound from where the search ended too early
}

// begin finds the best set of all, if that is not known.
func (d *driver) begin() {
	if !d.base.ok {
		d.base = d.at(d.ceilings[len(d.ceilings)-1], d.strategy)
		d.judge(&d.base)
		if d.lower != nil { // nobody looked below the highest ceiling
			d.lower = slices.Clone(d.lower)
			d.lower[d.prefix(slices.Index(d.layout.order, gang.CostHighestPriority))] = d.layout.least
		}
	}
}

// judge notes whether a search came to its end.
func (d *driver) judge(f *found) {
	if !f.proven && d.proven {
		d.proven, d.lower = false, f.bound
	}
}

// lowerCeiling finds the lowest priority that no victim is above, while the first numbers of the key stay as they are; constant: they
// always do.
func (d *driver) lowerCeiling(prefix int, constant bool) {
	if !constant {
		if d.begin(); !d.base.ok {
			return
		}
		d.limit = d.base.key[:prefix]
	}
	for _, ceiling := range d.ceilings {
		f := d.at(ceiling, d.strategy)
		d.judge(&f)
		if f.ok && (constant || slices.Compare(f.key[:prefix], d.limit) <= 0) {
			d.base = f
			break
		}
	}
	d.limit = nil
}

// tighten finds the best strategy, while the first numbers of the key stay as they are.
func (d *driver) tighten(prefix int) {
	d.begin()
	if !d.base.ok {
		return
	}
	d.limit = d.base.key[:prefix]
	for st := range d.strategy {
		f := d.best(st)
		if f.ok && slices.Compare(f.key[:prefix], d.limit) <= 0 {
			d.base, d.strategy = f, st
			break
		}
		d.proven = d.proven && f.proven
	}
	d.limit = nil
}

func (d *driver) solution() Solution {
	out := Solution{Found: d.base.ok, Gone: d.base.set, Proven: d.proven && (d.base.proven || !d.base.ok), Steps: d.steps}
	if !d.base.ok {
		return out
	}
	if !out.Proven {
		out.Gone = d.spareAtAll(d.spare(&d.base, d.strategy))
	}
	out.Strategy = d.strategy
	key := d.keyOf(out.Gone)
	out.Cost = d.costOf(key)
	out.LowerBound = out.Cost
	if !out.Proven {
		out.LowerBound = d.costOf(d.bound(key))
	}
	return out
}

// keyOf is the key of a set by itself.
func (d *driver) keyOf(set []int32) []int64 {
	d.ceiling = math.MinInt64
	for _, i := range set {
		d.ceiling = max(d.ceiling, d.Gangs[d.Candidates[i].Gang].Priority)
	}
	return d.key(d.weightOf(set), set)
}

// spareAtAll takes off a set what the strategy alone asks for, if that counts less than what is spared, until there is no more.
func (d *driver) spareAtAll(set []int32) []int32 {
	if d.Exact {
		return set
	}
	n := d.prefix(slices.Index(d.layout.order, gang.CostStrategy))
	for _, unit := range d.spareable(set) {
		less := without(set, unit)
		if less == nil || slices.Compare(d.keyOf(less)[:n], d.keyOf(set)[:n]) >= 0 || !d.legal(less) {
			continue
		}
		if _, ok := d.Fits(less, len(d.Strategies)-1); !ok {
			continue
		}
		for st := d.strategy; st < len(d.Strategies); st++ {
			if _, ok := d.Fits(less, st); ok {
				d.strategy = st
				return d.spareAtAll(less)
			}
		}
	}
	return set
}

// bound is a key that no set is under: what is known from where the search ended too early, up to the first number that is less than the set's;
// what counts less says nothing beside it. Where only the strategy is not proven, what counts more is as good as can be.
func (d *driver) bound(key []int64) []int64 {
	out := make([]int64, len(key))
	out[d.prefix(slices.Index(d.layout.order, gang.CostHighestPriority))] = d.layout.least
	if d.lower == nil {
		n := d.prefix(slices.Index(d.layout.order, gang.CostStrategy))
		copy(out, key[:n])
		return out
	}
	for i := range key {
		out[i] = d.lower[i]
		if out[i] != key[i] {
			break
		}
	}
	return out
}

// at is the best set without candidates of gangs above a priority.
func (s *search) at(ceiling int64, strategy int) found {
	s.ceiling = ceiling
	clear(s.known)
	s.count()
	return s.best(strategy)
}

// prefix is how many numbers of a key stand for the first costs.
func (s *search) prefix(places int) int {
	n := 0
	for _, c := range s.layout.order[:places] {
		switch c {
		case gang.CostHighestPriority:
			n++
		case gang.CostBelowMin:
			n += len(s.Guaranteed)
		default:
			n += len(additiveOf(c))
		}
	}
	return n
}

// ceilingsFor lists the priorities of candidates' gangs, ascending, from the first on at which there is room without any that are not above.
func (s *search) ceilingsFor(strategy int) []int64 {
	seen := map[int64]bool{}
	for i, priority := range s.above {
		if i == 0 || priority != s.above[i-1] {
			seen[priority] = true
		}
	}
	list := slices.Sorted(maps.Keys(seen))
	i := sort.Search(len(list), func(i int) bool {
		s.ceiling = list[i]
		s.count()
		return s.hasRoom(strategy)
	})
	return list[i:]
}

// count finds the slots of every node with and without its candidates up to the ceiling. O(nodes + candidates).
func (s *search) count() {
	if s.classes != nil {
		s.countByClass()
		return
	}
	if s.slotsLeft == nil {
		s.slotsLeft, s.freeSlots, s.gains = make([]int64, len(s.Nodes)), make([]int64, len(s.Nodes)), make([]int64, len(s.Nodes))
		s.kindGains = make([]int64, len(s.Holdings))
		for k := range s.Holdings {
			s.kindGains[k] = s.gain(s.Holdings[k].Amounts)
		}
	}
	for pos := range int32(len(s.Nodes)) {
		s.slotsLeft[pos] = s.countOn(pos)
	}
}

// gain is how many slots amounts make at most.
func (s *search) gain(amounts []int64) (n int64) {
	if s.Slots != nil {
		return s.Units
	}
	for r, want := range s.Request {
		if want > 0 {
			n = max(n, (amounts[r]-1)/want+1)
		}
	}
	return n
}

// countOn finds the slots of a node without its candidates up to the ceiling, and notes those with them.
func (s *search) countOn(pos int32) int64 {
	n := &s.Nodes[pos]
	if n.Free == nil {
		return 0
	}
	s.freeSlots[pos] = s.slots(pos, n.Free, nil)
	free, without, gain := append(s.freeRoom[:0], n.Free...), []int32(nil), int64(0)
	s.freeRoom = free
	for i := s.on[pos]; i < s.on[pos+1]; i++ {
		if !s.below(i) {
			continue
		}
		kind := s.Candidates[i].Holding
		addTo(free, s.Holdings[kind].Amounts)
		if gain = max(gain, s.kindGains[kind]); s.Slots != nil {
			without = append(without, i)
		}
	}
	s.gains[pos] = gain
	return s.slots(pos, free, without)
}

// hasRoom says whether the gang would fit if every candidate up to the ceiling were gone, were there nothing but slots.
func (s *search) hasRoom(strategy int) bool {
	for range s.roomy(&s.Strategies[strategy]) {
		return true
	}
	return false
}

// roomy iterates over the domains of the gang's tier that hold its running members and, without the candidates up to the ceiling, the gang.
func (s *search) roomy(st *Strategy) iter.Seq2[int32, int32] {
	return func(yield func(lo, end int32) bool) {
		for lo, end := range s.within(st.Gang, 0, s.positions) {
			if (s.First > s.Last || lo <= s.First && s.Last < end) && s.takes(st, s.slotsLeft, lo, end) && !yield(lo, end) {
				return
			}
		}
	}
}

// takes says whether the slots of an interval hold the gang.
func (s *search) takes(st *Strategy, slots []int64, lo, end int32) bool {
	if len(s.Groups) == 0 || len(st.Groups) == 0 {
		return sum(slots[lo:end]) >= s.Units
	}
	full, short := s.Units/s.Groups[0], s.Units%s.Groups[0]
	var groups int64
	fits := short == 0
	for from, to := range s.within(st.Groups[0], lo, end) {
		groups += s.groupsIn(st, 0, slots, from, to)
		fits = fits || sum(slots[from:to])%s.Groups[0] >= short
	}
	return groups > full || groups == full && fits
}

// groupsIn is how many groups of level i an interval holds, which is a domain of their tier.
func (s *search) groupsIn(st *Strategy, i int, slots []int64, lo, end int32) int64 {
	if i+1 == len(s.Groups) {
		return sum(slots[lo:end]) / s.Groups[i]
	}
	var inner int64
	for from, to := range s.within(st.Groups[i+1], lo, end) {
		inner += s.groupsIn(st, i+1, slots, from, to)
	}
	return inner / (s.Groups[i] / s.Groups[i+1])
}

func sum(list []int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}
