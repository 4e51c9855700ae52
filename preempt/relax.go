package preempt

import (
	"cmp"
	"iter"
	"slices"
)

// survey finds the domains of the gang's tier in which there is room if enough candidates leave, and what that costs, the cheapest first. Where candidates
// do not depend on each other, those that cannot be the cheapest are left out. O(nodes) for the curves that are not known, then what merging costs.
func (s *search) survey(st *Strategy) {
	s.domains = s.domains[:0]
	for lo, end := range s.roomy(st) {
		s.domains = append(s.domains, domain{lo: lo, end: end, cost: s.least(lo, end)})
	}
	if s.coupled && s.knownTier != st.Gang {
		clear(s.known) // what gangs cost was split over other domains
		s.knownTier = st.Gang
	}
	order := func(a, b domain) int { return cmp.Or(a.cost.compare(&b.cost), cmp.Compare(a.lo, b.lo)) }
	slices.SortFunc(s.domains, order)
	best := impossible
	for i := range s.domains {
		d := &s.domains[i]
		if !s.coupled && best.less(&d.cost) {
			s.domains = s.domains[:i]
			break
		}
		d.cost = s.domainCost(st, d.lo, d.end)
		if d.cost.less(&best) {
			best = d.cost
		}
	}
	slices.SortFunc(s.domains, order)
}

// least bounds from below what room in an interval costs: so many candidates must leave as the slots that are lacking take at the best.
func (s *search) least(lo, end int32) (w weight) {
	var free, gain int64
	for pos := lo; pos < end; pos++ {
		if s.slotsLeft[pos] == 0 {
			continue
		}
		of, at := s.countOf(pos)
		free += of.freeSlots[at]
		gain = max(gain, of.gains[at])
	}
	if lack := s.Units - free; lack > 0 && gain > 0 && !s.coupled {
		s.layout.fields[members].put(&w, uint64((lack+gain-1)/gain))
	}
	return w
}

// know finds the curves of an interval within a domain of the gang's tier.
func (s *search) know(lo, end int32) {
	for pos := lo; pos < end; pos++ {
		if !s.known[pos] {
			s.known[pos] = true
			switch s.curves[pos] = nil; {
			case s.slotsLeft[pos] == 0:
			case s.classes != nil:
				s.curves[pos] = s.classes.curveOf(s.classOf[pos])
			default:
				s.curves[pos] = s.curveOn(pos, lo, end)
			}
		}
	}
}

// interval is where a domain of a tier begins and ends.
func (s *search) interval(tier int, d int32) (lo, end int32) {
	starts := s.Tiers[tier]
	if int(d)+1 < len(starts) {
		return starts[d], starts[d+1]
	}
	return starts[d], s.positions
}

// first is the place of the domain of a tier that begins at a position, or holds it.
func (s *search) first(tier int, pos int32) int32 {
	i, exact := slices.BinarySearch(s.Tiers[tier], pos)
	if !exact {
		i--
	}
	return int32(i)
}

// within iterates over the domains of a tier that lie in an interval.
func (s *search) within(tier int, lo, end int32) iter.Seq2[int32, int32] {
	return func(yield func(from, to int32) bool) {
		for d := s.first(tier, lo); int(d) < len(s.Tiers[tier]); d++ {
			from, to := s.interval(tier, d)
			if from >= end || !yield(from, to) {
				return
			}
		}
	}
}

// room is how many units there are at most within an interval.
func (s *search) room(lo, end int32) int64 {
	var n int64
	for _, c := range s.curves[lo:end] {
		if c != nil {
			n += int64(len(c.cost) - 1)
		}
	}
	return n
}

// domainCost is what room for the gang costs within an interval; impossible if there is none.
func (s *search) domainCost(st *Strategy, lo, end int32) weight {
	s.know(lo, end)
	s.steps += 1 + int(end-lo)/4
	if len(st.Groups) == 0 {
		return at(s.merger.merge(s.curves[lo:end], s.Units), s.Units)
	}
	full, short := s.Units/s.Groups[0], s.Units%s.Groups[0]
	if short == 0 {
		return at(s.merger.merge(s.groupCurves(st, 0, lo, end), full), full)
	}
	whole, beside := s.withShort(st, lo, end)
	cost, _ := cheapest(whole, beside, full)
	return cost
}

func at(costs []weight, n int64) weight {
	if n < int64(len(costs)) {
		return costs[n]
	}
	return impossible
}

// groupCurves are the curves of the domains of level i within an interval, in groups of that level.
func (s *search) groupCurves(st *Strategy, i int, lo, end int32) []*curve {
	var out []*curve
	for from, to := range s.within(st.Groups[i], lo, end) {
		out = append(out, s.groupCurve(st, i, from, to))
	}
	return out
}

// groupCurve is the curve of one domain in groups of level i.
func (s *search) groupCurve(st *Strategy, i int, lo, end int32) *curve {
	if s.room(lo, end) < s.Groups[i] {
		return nil
	}
	costs, size := s.inner(st, i, lo, end)
	var out []weight
	for n := int64(0); n*size < int64(len(costs)); n++ {
		out = append(out, costs[n*size])
	}
	if len(out) < 2 {
		return nil
	}
	return newCurve(out)
}

// inner are the costs within a domain of level i in units of the next level, of which size make one of level i.
func (s *search) inner(st *Strategy, i int, lo, end int32) (costs []weight, size int64) {
	if i+1 == len(s.Groups) {
		return s.merger.merge(s.curves[lo:end], s.Units), s.Groups[i]
	}
	inner := s.groupCurves(st, i+1, lo, end)
	return s.merger.merge(inner, s.Units/s.Groups[i+1]), s.Groups[i] / s.Groups[i+1]
}

// withShort are, for the domains of the only level, the curves in whole groups, and those in whole groups beside the short one.
func (s *search) withShort(st *Strategy, lo, end int32) (whole, beside []*curve) {
	size, short := s.Groups[0], s.Units%s.Groups[0]
	for from, to := range s.within(st.Groups[0], lo, end) {
		costs := s.merger.merge(s.curves[from:to], s.Units)
		var a, b []weight
		for n := int64(0); n*size < int64(len(costs)); n++ {
			a = append(a, costs[n*size])
			if n*size+short < int64(len(costs)) {
				b = append(b, costs[n*size+short])
			}
		}
		whole, beside = append(whole, &curve{cost: a}), append(beside, &curve{cost: b})
	}
	return whole, beside
}

// cheapest is the least cost of so many whole groups and the short one, and where that is.
func cheapest(whole, beside []*curve, full int64) (weight, int) {
	// without and with are the costs with the short group still to place, and placed; before keeps the former for every place.
	without, with := []weight{{}}, []weight(nil)
	best, where := impossible, -1
	for i := range whole {
		next := combine(without, whole[i].cost, full, nil)
		placed := []weight(nil)
		if len(beside[i].cost) > 0 {
			placed = combine(without, beside[i].cost, full, nil)
		}
		if len(with) > 0 {
			placed = lower(placed, combine(with, whole[i].cost, full, nil))
		}
		without, with = next, placed
	}
	if cost := at(with, full); cost != impossible {
		best = cost
		where = shortPlace(whole, beside, full, best)
	}
	return best, where
}

// lower is the lesser of two lists of costs, point by point.
func lower(a, b []weight) []weight {
	if len(a) < len(b) {
		a, b = b, a
	}
	for k := range b {
		if b[k].less(&a[k]) {
			a[k] = b[k]
		}
	}
	return a
}

// shortPlace is the first place of the short group at which the whole costs so much.
func shortPlace(whole, beside []*curve, full int64, cost weight) int {
	for i := range whole {
		if len(beside[i].cost) == 0 {
			continue
		}
		acc := beside[i].cost
		if int64(len(acc)) > full+1 {
			acc = acc[:full+1]
		}
		for j := range whole {
			if j != i {
				acc = combine(acc, whole[j].cost, full, nil)
			}
		}
		if at(acc, full) == cost {
			return i
		}
	}
	return -1
}

// taken lists the candidates that leave in the relaxed solution beside those that are gone for sure.
func (s *search) taken(st *Strategy, d domain) []int32 {
	var out []int32
	s.spread(spreading{st, d, &out}, 0, d.lo, d.end, s.Units)
	slices.Sort(out)
	return out
}

// spreading is a strategy and a domain of the gang's tier, and where the candidates go that leave for it.
type spreading struct {
	*Strategy
	domain domain
	out    *[]int32
}

// spread adds the candidates that leave for so many units, whole groups of level i, within an interval.
func (s *search) spread(to spreading, i int, lo, end int32, units int64) {
	st := to.Strategy
	if i == len(st.Groups) {
		for _, sh := range s.merger.split(s.curves[lo:end], units) {
			pos := lo + sh.at
			*to.out = append(*to.out, s.takenFor(pos, to.domain.lo, to.domain.end, sh.units, s.curves[pos].cost[sh.units])...)
		}
		return
	}
	full, short := units/s.Groups[i], units%s.Groups[i]
	curves, where := s.groupCurves(st, i, lo, end), -1
	if short > 0 {
		whole, beside := s.withShort(st, lo, end)
		_, where = cheapest(whole, beside, full)
		curves = whole
		curves[where] = beside[where]
	}
	tier := st.Groups[i]
	base := s.first(tier, lo)
	inPlace := make([]int64, len(curves))
	for _, sh := range s.splitFrom(curves, full, where) {
		inPlace[sh.at] = sh.units * s.Groups[i]
	}
	for at, n := range inPlace {
		if at == where {
			n += short
		}
		if n > 0 {
			from, behind := s.interval(tier, base+int32(at))
			s.spread(to, i+1, from, behind, n)
		}
	}
}

// splitFrom is merger.split where one place, if it is not -1, costs something without any whole group.
func (s *search) splitFrom(curves []*curve, units int64, where int) []share {
	if where < 0 {
		return s.merger.split(curves, units)
	}
	own := curves[where].cost
	base := own[0]
	less := make([]weight, len(own))
	for k := range own {
		less[k] = own[k].minus(&base)
	}
	curves[where] = &curve{cost: less}
	return s.merger.split(curves, units)
}
