package outcome

import (
	"slices"

	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
)

// This file answers: where are the groups of a gang once it is placed, and who is in them?

// GangLeast is the number of members that must run together once the gang is placed. A gang of one that declares no
// minimum is a plain pod: 0.
func GangLeast(p *problem.Problem) int {
	n := len(p.Model.Pending) + p.Model.Running.Len()
	switch {
	case p.Request.MinMember > 0 || n == 1:
		return p.Request.MinMember
	case !p.InParts():
		return n
	case p.Parts.Minimal == nil:
		return 0
	}
	return p.Parts.Minimal.Size() + p.Model.Running.Len()
}

// AllByRank has the position of each member by rank, new ones at these positions; -1: neither placed nor running.
func AllByRank(p *problem.Problem, positions []int32) []int32 {
	at := p.Model.PositionsByRank()
	for i, pos := range positions {
		at[p.Model.Pending[i]] = pos
	}
	return at
}

// ReachedByGroups is, by level, the highest tier that any group reaches: that of the lowest vertex above its members,
// running ones included. O(members + groups * tiers) for each level; of parts, O(parts * members).
func ReachedByGroups(p *problem.Problem, positions []int32) (out []int32) {
	if !p.InParts() {
		return p.Model.ReachedByGroups(positions)
	}
	at := AllByRank(p, positions)
	p.Model.Gang.Each(func(a *model.Part) {
		if a.Level == 0 || a.Bundle {
			return
		}
		if len(out) < a.Level {
			out = append(out, 0)
		}
		if x := p.Model.View.LowestOf(a.All(), at); x >= 0 {
			out[a.Level-1] = max(out[a.Level-1], p.Model.View.TierOf(x))
		}
	})
	return out
}

// Memberships are, by rank, the innermost part of the request that a member is in, empty if in none, and the groups that it is in, outermost
// first: their numbers on each level, in the order of the request. Members of one part share their groups. O(members + parts * levels).
func Memberships(p *problem.Problem) (parts []string, groups [][]int) {
	parts, groups = make([]string, p.Model.Ranks), make([][]int, p.Model.Ranks)
	var numbered []int // by level: the groups so far
	var walk func(a *model.Part, part string, in []int)
	walk = func(a *model.Part, part string, in []int) {
		for _, rank := range a.Ranks {
			parts[rank], groups[rank] = part, in
		}
		for _, b := range a.Parts {
			part, in := part, in
			if !p.Called.IsCut(b) {
				part = p.Called.Label(b)
			}
			if !b.Bundle {
				level := len(in)
				if level == len(numbered) {
					numbered = append(numbered, 0)
				}
				in = append(slices.Clip(in), numbered[level])
				numbered[level]++
			}
			walk(b, part, in)
		}
	}
	walk(p.Model.Gang, "", nil)
	return parts, groups
}
