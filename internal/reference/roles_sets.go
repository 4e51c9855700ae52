package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// wants counts members by role.
func (s *roleSolver) wants(members []gang.Member) []int {
	want := make([]int, len(s.roles))
	for i := range members {
		want[s.role(validity.ShapeOf(&s.solver.in.Request, &members[i]))]++
	}
	return want
}

// admits asks the quota for members beside those placed before.
func (s *roleSolver) admits(members []gang.Member) bool {
	if s.quota == nil {
		return true
	}
	req := &s.solver.in.Request
	refusal, err := s.quota.Admit(validity.Ask(req, slices.Concat(s.placed, members)), req.QuotaLimit)
	return err == nil && refusal == nil
}

func (s *roleSolver) fits(members []gang.Member) bool {
	return s.admits(members) && len(s.allowed(members)) > 0
}

// lowest lists the sets of the lowest ranks that the rules allow in number, smallest first.
func (s *roleSolver) lowest() (sets [][]gang.Member) {
	for n := 1; n <= len(s.pending); n++ {
		if s.solver.admissible(n) {
			sets = append(sets, s.pending[:n])
		}
	}
	return sets
}

// elastic holds if some of the members may be left out.
func (s *roleSolver) elastic() bool {
	req := &s.solver.in.Request
	return len(s.solver.levels) == 0 && req.MinMember > 0 && req.MinMember < len(s.pending)+len(s.solver.own)
}

// anybody lists the sets of members of any ranks that the rules allow in number, smallest first, of equals those of lower ranks. Of those
// that take the same of nodes and quota it has the first.
func (s *roleSolver) anybody() (sets [][]gang.Member) {
	if !s.elastic() {
		return nil
	}
	for bits := 1; bits < 1<<len(s.pending); bits++ {
		var set []gang.Member
		for i, m := range s.pending {
			if bits>>i&1 == 1 {
				set = append(set, m)
			}
		}
		if s.solver.admissible(len(set)) {
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, func(a, b []gang.Member) int {
		byRank := func(x, y gang.Member) int { return cmp.Compare(s.ranks[x.Name], s.ranks[y.Name]) }
		return cmp.Or(cmp.Compare(len(a), len(b)), slices.CompareFunc(a, b, byRank))
	})
	known := map[string]bool{}
	return slices.DeleteFunc(sets, func(set []gang.Member) bool {
		pinned := slices.DeleteFunc(slices.Clone(set), func(m gang.Member) bool { return !m.NonPreemptible })
		key := fmt.Sprint(s.wants(set), s.wants(pinned))
		defer func() { known[key] = true }()
		return known[key]
	})
}

// largestFit is the best set of so many members or more that can be placed; nil if there is none.
func (s *roleSolver) largestFit(least int) (best []gang.Member) {
	for _, sets := range [][][]gang.Member{s.lowest(), s.anybody()} {
		slices.SortStableFunc(sets, func(a, b []gang.Member) int { return cmp.Compare(len(b), len(a)) })
		if i := slices.IndexFunc(sets, func(set []gang.Member) bool { return len(set) >= least && s.fits(set) }); i >= 0 {
			return sets[i]
		}
	}
	return nil
}

// leastFit is the first set of so many members, or more where multiples want it, that can be placed; nil if there is none.
func (s *roleSolver) leastFit(least int) []gang.Member {
	for _, set := range slices.Concat(s.lowest(), s.anybody()) {
		if len(set) >= least && s.fits(set) {
			return set
		}
	}
	return nil
}

// fitsThough is the number of members that could be placed of a gang that is refused: by the quota alone, if that refuses it, else by
// the nodes alone.
func (s *roleSolver) fitsThough(least int) (most int) {
	sets := s.lowest()
	if s.elastic() {
		sets = s.anybody()
	}
	refused := slices.ContainsFunc(sets, func(set []gang.Member) bool { return len(set) >= least })
	for _, set := range sets {
		if s.admits(set) {
			refused, most = refused && len(set) < least, len(set)
		}
	}
	if refused {
		return most
	}
	if !s.plain() {
		sets = s.lowest()
	}
	most = 0
	for _, set := range sets {
		if len(set) <= least && len(s.allowed(set)) > 0 {
			most = len(set)
		}
	}
	return most
}

// plain holds if no rule is on the numbers of members.
func (s *roleSolver) plain() bool {
	l := &s.solver.limits
	return !validity.HasMultiples(&s.solver.in.Request) && len(l.apart)+len(l.within) == 0
}
