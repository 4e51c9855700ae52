package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/quota"
)

// refusedByQuota counts the members, of the highest ranks, that the gang's quota does not admit beside all others, with the whole gang
// counted as demand.
func refusedByQuota(in *Input) (int, error) {
	return refusedAmong(in, validity.Lowest(&in.Spec, &in.Request, len(in.Request.Members)))
}

// refusedAmong is refusedByQuota where only these members, in rank order, are to be placed.
func refusedAmong(in *Input, members []gang.Member) (int, error) {
	for n := len(members); n > 0; n-- {
		refusals, err := refusalsOf(in, members[:n])
		if err != nil {
			return 0, err
		}
		if len(refusals) == 0 {
			return len(members) - n, nil
		}
	}
	return len(members), nil
}

// refusalsOf is all that the gang's quota has against some members, with the whole gang counted as demand.
func refusalsOf(in *Input, members []gang.Member) ([]quota.Refusal, error) {
	req := &in.Request
	if req.Quota == "" {
		return nil, nil
	}
	state, err := validity.QuotaState(&in.Spec)
	if err != nil {
		return nil, err
	}
	if state, err = state.Wanting(validity.Ask(req, req.Members)); err != nil {
		return nil, err
	}
	return state.Refusals(validity.Ask(req, members), req.QuotaLimit)
}

// guaranteedSets lists, for a gang of one shape without groups, the first set of each size by rank of which the quota guarantees the
// members that are not preemptible, the largest first; nil if it guarantees those of the least number of the lowest ranks. O(2^members).
func guaranteedSets(in *Input, least int) [][]gang.Member {
	all := validity.Lowest(&in.Spec, &in.Request, len(in.Request.Members))
	if in.Request.Quota == "" || least == 0 || least >= len(all) || len(validity.Levels(&in.Request, len(all))) > 0 {
		return nil
	}
	known := map[[2]int]bool{}
	guaranteed := func(set []gang.Member) bool {
		key := [2]int{len(set), 0}
		for _, m := range set {
			key[1] += bit(m.NonPreemptible)
		}
		if _, ok := known[key]; !ok {
			refusals, err := refusalsOf(in, set)
			byMin := func(r quota.Refusal) bool { return r.Rule == quota.RuleMin }
			known[key] = err == nil && !slices.ContainsFunc(refusals, byMin)
		}
		return known[key]
	}
	if guaranteed(all[:least]) {
		return nil
	}
	sets := [][]gang.Member{nil}
	for n := len(all); n > 0; n-- {
		if set := firstSet(in, all, n, guaranteed); set != nil {
			sets = append(sets, set)
		}
	}
	if len(sets) > 1 {
		sets = sets[1:]
	}
	return sets
}

// firstSet is the first set of n members, by the lower rank where two differ, of which something holds; nil: there is none.
func firstSet(in *Input, all []gang.Member, n int, holds func([]gang.Member) bool) (first []gang.Member) {
	var look func(set, rest []gang.Member)
	look = func(set, rest []gang.Member) {
		in.spend()
		if len(set) == n && holds(set) {
			first = slices.Clone(set)
		}
		for i := 0; first == nil && i < len(rest) && len(set) < n; i++ {
			look(append(set, rest[i]), rest[i+1:])
		}
	}
	look(nil, all)
	return first
}

// solveSets is solve for the largest set that fits, else for the largest of all, where the least number may wait.
func solveSets(in Input, least int, sets [][]gang.Member) (*Answer, error) {
	for i, set := range append(slices.Clip(sets), sets[0]) {
		few, waits := in, i == len(sets)
		if len(set) < least && !waits {
			continue
		}
		few.Request.Members = set
		if !waits {
			few.Request.MinMember, few.now = 0, true
		}
		var err error
		if few.refused, err = refusedAmong(&in, set); err != nil {
			return nil, err
		}
		if waits && len(set) < least {
			few.Request.Members, few.refused = in.Request.Members, len(in.Request.Members)-len(set)+few.refused
		}
		a, err := solve(few)
		if err != nil {
			return nil, err
		}
		if a.Placed || waits {
			return a.ofAll(&in, least), nil
		}
	}
	panic("the last one is tried in any case")
}

// ofAll gives an answer about some members the ranks that they have among all.
func (a *Answer) ofAll(in *Input, least int) *Answer {
	ranks := validity.Ranks(&in.Request, validity.Own(&in.Spec, &in.Request))
	for i := range a.Assignments {
		a.Assignments[i].Rank = ranks[a.Assignments[i].Member]
	}
	a.Wanted = least
	return a
}

// most is the largest number of new members that the quota admits.
func (s *solver) most() int { return len(s.in.Request.Members) - s.in.refused }
