package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/problem"
)

// forMostMembers is the cast of the best content that can be placed; nil if there is none.
func (s *search) forMostMembers() *search {
	var last *search
	in := selectionsOf(s.p).most(func(in problem.Selection) bool {
		try := s.forSelection(in)
		if try.p.Admitted == 0 || !try.possible() {
			return false
		}
		last = try
		return true
	})
	switch {
	case in == nil:
		return nil
	case !slices.Equal(last.p.Parts.Selection, in):
		return s.forSelection(in)
	}
	return last
}

// bestWithMost is the best plan for as many new members as there is room for, nil if not even the least fit.
func (s *search) bestWithMost() *problem.Outcome {
	if most := s.forMostMembers(); most != nil {
		return most.best()
	}
	return nil
}

// sortByRole lets ranks follow the tree, whoever came first: among the members of a role that lie in one group, and in none in it.
func sortByRole(p *problem.Problem, positions []int32) {
	innermost, n := make([]int, p.Ranks), 0
	var walk func(a *problem.Part, group int)
	walk = func(a *problem.Part, group int) {
		if !a.Bundle {
			n++
			group = n
		}
		for _, rank := range a.Ranks {
			innermost[rank] = group
		}
		for _, b := range a.Parts {
			walk(b, group)
		}
	}
	walk(p.Gang, 0)
	of := map[[2]int][]int{} // places in pending
	for i, m := range p.Pending {
		key := [2]int{innermost[m.Rank], int(p.Role(i))}
		of[key] = append(of[key], i)
	}
	for _, list := range of {
		at := make([]int32, len(list))
		for k, i := range list {
			at[k] = positions[i]
		}
		slices.Sort(at)
		for k, i := range list {
			positions[i] = at[k]
		}
	}
}
