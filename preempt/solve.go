package preempt

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Solve finds the best legal set of candidates whose leaving makes room for the gang, in the order of costs of the problem. For candidates
// that leave one by one it is exact; elsewhere branch and bound finds the best set if the steps suffice, and says so.
func Solve(p Problem) Solution {
	p.Steps = cmp.Or(p.Steps, 1000)
	s := newSearch(&p)
	return s.solve()
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
		switch c {
		case gang.CostHighestPriority:
			d.lowerCeiling(s.prefix(place))
		case gang.CostStrategy:
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
	lower    *Cost // a bound from where the search ended too early
}

// begin finds the best set of all, if that is not known.
func (d *driver) begin() {
	if !d.base.ok {
		d.base = d.at(d.ceilings[len(d.ceilings)-1], d.strategy)
		d.judge(&d.base)
	}
}

// judge notes whether a search came to its end.
func (d *driver) judge(f *found) {
	if !f.proven && d.proven {
		d.proven = false
		if f.bound != nil {
			bound := d.costOf(f.bound)
			d.lower = &bound
		}
	}
}

// lowerCeiling finds the lowest priority that no victim is above, while the first numbers of the key stay as they are.
func (d *driver) lowerCeiling(prefix int) {
	if prefix > 0 {
		if d.begin(); !d.base.ok {
			return
		}
		d.limit = d.base.key[:prefix]
	}
	for _, ceiling := range d.ceilings {
		f := d.at(ceiling, d.strategy)
		d.judge(&f)
		if f.ok && (prefix == 0 || slices.Compare(f.key[:prefix], d.limit) <= 0) {
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
	out := Solution{Found: d.base.ok, Gone: d.base.set, Strategy: d.strategy, Proven: d.proven && (d.base.proven || !d.base.ok), Steps: d.steps}
	if !d.base.ok {
		return out
	}
	d.reset()
	if !out.Proven {
		out.Gone = d.spare(out.Gone, d.strategy)
	}
	out.Cost = d.cost(out.Gone)
	out.LowerBound = out.Cost
	switch {
	case out.Proven:
	case d.lower != nil:
		out.LowerBound = *d.lower
	default: // only what the strategy buys is not known
		out.LowerBound.Unknown, out.LowerBound.LostWork = 0, 0
	}
	return out
}

// at is the best set without candidates of gangs above a priority.
func (s *search) at(ceiling int64, strategy int) found {
	s.ceiling = ceiling
	s.reset()
	for pos := range s.curves {
		s.curves[pos] = s.curveOn(int32(pos))
	}
	s.base = slices.Clone(s.curves)
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
	var list []int64
	for i := range s.Candidates {
		list = append(list, s.Gangs[s.Candidates[i].Gang].Priority)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 0 || !s.hasRoom(list[len(list)-1], strategy) {
		return nil
	}
	i, _ := slices.BinarySearchFunc(list, 0, func(ceiling int64, _ int) int {
		if s.hasRoom(ceiling, strategy) {
			return 1
		}
		return -1
	})
	return list[i:]
}

// hasRoom says whether the gang would fit if every candidate up to a priority were gone, were there nothing but slots.
func (s *search) hasRoom(ceiling int64, strategy int) bool {
	st := &s.Strategies[strategy]
	slots := make([]int64, len(s.Nodes))
	for pos := range s.Nodes {
		slots[pos] = s.slotsBelow(int32(pos), ceiling)
	}
	for d := range s.Tiers[st.Gang] {
		lo, end := s.interval(st.Gang, int32(d))
		if (s.First > s.Last || lo <= s.First && s.Last < end) && s.takes(st, slots, lo, end) {
			return true
		}
	}
	return false
}

// slotsBelow are the slots of a node if every candidate up to a priority is gone.
func (s *search) slotsBelow(pos int32, ceiling int64) int64 {
	n := &s.Nodes[pos]
	if n.Free == nil {
		return 0
	}
	free := append(s.freeRoom[:0], n.Free...)
	s.freeRoom = free
	var without []int32
	for i := s.on[pos]; i < s.on[pos+1]; i++ {
		c := &s.Candidates[i]
		if s.Gangs[c.Gang].Priority <= ceiling {
			addTo(free, c.Amounts)
			if s.Slots != nil {
				without = append(without, i)
			}
		}
	}
	return s.slots(pos, free, without)
}

// takes says whether the slots of an interval hold the gang.
func (s *search) takes(st *Strategy, slots []int64, lo, end int32) bool {
	if len(s.Groups) == 0 || len(st.Groups) == 0 {
		return sum(slots[lo:end]) >= s.Units
	}
	full, short := s.Units/s.Groups[0], s.Units%s.Groups[0]
	var groups int64
	fits := short == 0
	for d := s.first(st.Groups[0], lo); int(d) < len(s.Tiers[st.Groups[0]]); d++ {
		from, to := s.interval(st.Groups[0], d)
		if from >= end {
			break
		}
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
	for d := s.first(st.Groups[i+1], lo); int(d) < len(s.Tiers[st.Groups[i+1]]); d++ {
		from, to := s.interval(st.Groups[i+1], d)
		if from >= end {
			break
		}
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
