// Sets of candidates: which are legal, and what of one may be spared alone. docs/order.md, section 6, "Legal sets".

package preempt

import "slices"

// byGang counts the candidates of a set by gang.
func (m *model) byGang(set []int32) map[int32]int {
	count := map[int32]int{}
	for _, i := range set {
		count[m.problem.Candidates[i].Gang]++
	}
	return count
}

// broken says whether a gang neither runs on without so many of its members nor are these all of it.
func (g *Gang) broken(n int) bool { return g.Ends && n > g.Surplus && n < g.Running }

// completed is a set with all members of the gangs that it breaks. False if some of these may not leave. It is the set
// itself if it breaks none.
func (m *model) completed(set []int32, ceiling int64) ([]int32, bool) {
	out := set
	for g, n := range m.byGang(set) {
		of := &m.problem.Gangs[g]
		if !of.broken(n) {
			continue
		}
		if !of.Whole || of.Priority > ceiling {
			return nil, false
		}
		out = slices.Concat(out, m.ofGang[g])
	}
	if len(out) > len(set) {
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out, true
}

// allowed says whether quotas let a set leave.
func (m *model) allowed(set []int32) bool { return m.problem.Legal == nil || m.problem.Legal(set) }

// legal says whether gangs and quotas let a set leave.
func (m *model) legal(set []int32) bool {
	for g, n := range m.byGang(set) {
		if m.problem.Gangs[g].broken(n) {
			return false
		}
	}
	return m.allowed(set)
}

// without is a set without a part of it, which is ascending; nil if the part is not all in it.
func without(set, part []int32) []int32 {
	less := slices.DeleteFunc(slices.Clone(set), func(i int32) bool {
		_, is := slices.BinarySearch(part, i)
		return is
	})
	if len(less)+len(part) != len(set) {
		return nil
	}
	return less
}

// sorted are the candidates of two sets, ascending; what is in both comes twice.
func sorted(a, b []int32) []int32 {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return out
}

// spareable are the parts of a set that may stay alone: its units, then, of gangs that leave whole, as many neighbours
// as must run together, since the others may leave all the same.
func (m *model) spareable(set []int32) [][]int32 {
	units := m.unitsOf(set)
	for _, unit := range units {
		of := m.gang(unit[0])
		if !of.Ends || len(unit) < of.Running || of.Surplus == 0 {
			continue
		}
		for i := range of.Surplus + 1 {
			units = append(units, unit[i:i+of.Running-of.Surplus])
		}
	}
	return units
}

// unitsOf parts a set into what leaves or stays by itself: candidates, and gangs that leave whole. What costs most comes
// first.
func (m *model) unitsOf(set []int32) [][]int32 {
	type unit struct {
		of  []int32
		key []int64
	}
	count, seen := m.byGang(set), map[int32]bool{}
	units := make([]unit, 0, len(set))
	add := func(of []int32) { units = append(units, unit{of, m.key(m.weightOf(of), of, 0)}) }
	for at, i := range set {
		g := m.problem.Candidates[i].Gang
		switch of := &m.problem.Gangs[g]; {
		case !of.Ends || count[g] < of.Running:
			add(set[at : at+1 : at+1])
		case !seen[g]:
			seen[g] = true
			add(m.ofGang[g])
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return -slices.Compare(a.key, b.key) })
	out := make([][]int32, len(units))
	for n := range units {
		out[n] = units[n].of
	}
	return out
}
