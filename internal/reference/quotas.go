package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// refusedByQuota counts the members, of the highest ranks, that the gang's quota does not admit beside all others, with the whole gang
// counted as demand.
func refusedByQuota(in *Input) (int, error) {
	req := &in.Request
	if req.Quota == "" {
		return 0, nil
	}
	state, err := validity.QuotaState(&in.Spec)
	if err != nil {
		return 0, err
	}
	if state, err = state.Wanting(validity.Ask(req, req.Members)); err != nil {
		return 0, err
	}
	ranks := validity.Ranks(req, validity.Own(&in.Spec, req))
	members := slices.SortedFunc(slices.Values(req.Members), func(a, b gang.Member) int { return ranks[a.Name] - ranks[b.Name] })
	for n := len(members); n > 0; n-- {
		refusal, err := state.Admit(validity.Ask(req, members[:n]), req.QuotaLimit)
		if err != nil {
			return 0, err
		}
		if refusal == nil {
			return len(members) - n, nil
		}
	}
	return len(members), nil
}

// most is the largest number of new members that the quota admits.
func (s *solver) most() int { return len(s.in.Request.Members) - s.in.refused }
