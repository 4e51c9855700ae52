package preempt

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// byGang counts the candidates of a set by gang.
func (s *search) byGang(set []int32) map[int32]int {
	count := map[int32]int{}
	for _, i := range set {
		count[s.Candidates[i].Gang]++
	}
	return count
}

// broken says whether a gang can neither run on without so many of its members nor are these all of it.
func (g *Gang) broken(n int) bool { return g.Ends && n > g.Surplus && n < g.Running }

// weightOf is what a set costs by all that adds up; gangs end of which everybody leaves.
func (s *search) weightOf(set []int32) (w weight) {
	for _, i := range set {
		own := s.alone(i)
		w.add(&own)
	}
	for g, n := range s.byGang(set) {
		if of := &s.Gangs[g]; of.Ends && n == of.Running {
			s.layout.fields[ended].put(&w, 1)
		}
	}
	s.layout.fields[budgets].put(&w, uint64(s.breaches(set)))
	return w
}

// breaches counts the candidates that break a budget, in natural order of gang and name.
func (s *search) breaches(set []int32) (n int) {
	if len(s.Budgets) == 0 {
		return 0
	}
	var counted []int32
	for _, i := range set {
		if len(s.kind(i).Budgets) > 0 {
			counted = append(counted, i)
		}
	}
	slices.SortFunc(counted, func(a, b int32) int {
		return int(s.Candidates[a].Order) - int(s.Candidates[b].Order)
	})
	left := slices.Clone(s.Budgets)
	for _, i := range counted {
		broken := false
		for _, b := range s.kind(i).Budgets {
			left[b]--
			broken = broken || left[b] < 0
		}
		if broken {
			n++
		}
	}
	return n
}

// key are the costs of a set in their order, as numbers that compare: what its weight says, the priority that nobody is above, and what it
// takes below the min of quotas.
func (s *search) key(w weight, set []int32) []int64 {
	out := make([]int64, 0, 12)
	for _, c := range s.layout.order {
		switch c {
		case gang.CostHighestPriority:
			out = append(out, s.ceiling)
		case gang.CostBelowMin:
			if len(s.Guaranteed) > 0 {
				out = append(out, s.BelowMin(set)...)
			}
		default:
			for _, i := range additiveOf(c) {
				out = append(out, int64(s.layout.fields[i].get(&w)))
			}
		}
	}
	return out
}

// completed completes a set: of gangs that neither run on without their part in it nor can leave so many, all leave. False if some may not.
func (s *search) completed(set []int32) ([]int32, bool) {
	out := set
	for g, n := range s.byGang(set) {
		of := &s.Gangs[g]
		if !of.broken(n) {
			continue
		}
		if !of.Whole || of.Priority > s.ceiling {
			return nil, false
		}
		out = slices.Concat(out, s.of[g])
	}
	if len(out) > len(set) {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out, true
}

// legal says whether gangs and quotas let a set leave.
func (s *search) legal(set []int32) bool {
	all, ok := s.completed(set)
	return ok && len(all) == len(set) && (s.Legal == nil || s.Legal(set))
}

// spare takes off a set what need not leave: gangs that leave whole and single candidates, what costs most first.
func (s *search) spare(f *found, strategy int) []int32 {
	if s.Exact {
		return s.spareIn(f.set, &s.Strategies[strategy], f.domain)
	}
	set := f.set
	for _, unit := range s.spareable(set) {
		less := without(set, unit)
		if less == nil || !s.legal(less) {
			continue
		}
		if _, ok := s.Fits(less, strategy); ok {
			set = less
		}
	}
	return set
}

// without is a set without some of its candidates; nil if they are not all in it.
func without(set, unit []int32) []int32 {
	less := slices.DeleteFunc(slices.Clone(set), func(i int32) bool { return slices.Contains(unit, i) })
	if len(less)+len(unit) != len(set) {
		return nil
	}
	return less
}

// spareable are the units of a set, then, of gangs that leave whole, as many neighbours as must run together: the others may leave all the same.
func (s *search) spareable(set []int32) [][]int32 {
	units := s.unitsOf(set)
	for _, unit := range units {
		of := &s.Gangs[s.Candidates[unit[0]].Gang]
		if !of.Ends || len(unit) < of.Running || of.Surplus == 0 {
			continue
		}
		for i := range of.Surplus + 1 {
			units = append(units, unit[i:i+of.Running-of.Surplus])
		}
	}
	return units
}

// unitsOf parts a set into what may be spared alone: candidates, and gangs that leave whole, what costs most first.
func (s *search) unitsOf(set []int32) [][]int32 {
	count, seen := s.byGang(set), map[int32]bool{}
	var units [][]int32
	for _, i := range set {
		g := s.Candidates[i].Gang
		if !s.Gangs[g].Ends || count[g] < s.Gangs[g].Running {
			units = append(units, []int32{i})
			continue
		}
		if !seen[g] {
			seen[g] = true
			units = append(units, s.of[g])
		}
	}
	slices.SortStableFunc(units, func(a, b []int32) int {
		return -slices.Compare(s.key(s.weightOf(a), a), s.key(s.weightOf(b), b))
	})
	return units
}

// costOf reads a key.
func (s *search) costOf(key []int64) (out Cost) {
	next := func() int64 {
		n := key[0]
		key = key[1:]
		return n
	}
	for _, c := range s.layout.order {
		switch c {
		case gang.CostBudgets:
			out.Budgets = int(next())
		case gang.CostHighestPriority:
			out.HighestPriority = next()
		case gang.CostBelowMin:
			for _, name := range s.Guaranteed {
				if n := next(); n > 0 {
					if out.BelowMin == nil {
						out.BelowMin = muster.Resources{}
					}
					out.BelowMin[name] = n
				}
			}
		case gang.CostGangsEnded:
			out.GangsEnded = int(next())
		case gang.CostMembers:
			out.Members = int(next())
		case gang.CostPrioritySum:
			out.PrioritySum = next()
		case gang.CostStrategy:
			next() // outside the tree
		case gang.CostLostWork:
			out.Unknown, out.LostWork = int(next()), next()
		}
	}
	out.PrioritySum += int64(out.Members) * s.layout.least
	return out
}
