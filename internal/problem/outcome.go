// What is known of a plan before it is told: is it proven, how many must run, where is everybody?

package problem

import (
	"slices"

	"github.com/muster-sched/muster/quota"
)

// RefusedTogether is the state of the quotas that refuses all new members at once; nil if they are admitted together,
// or if the gang has no quota. All of them count as demand in that state. Admitted is all units until the engine
// asks the state for fewer.
//
// order: howmany.3
func RefusedTogether(p *Problem) (*quota.State, error) {
	p.Model.Admitted = len(p.Model.Pending)
	if err := p.Snapshot.CheckQuota("request.Quota", p.Request.Quota); err != nil || p.Request.Quota == "" {
		return nil, err
	}
	whole := p.Asks(len(p.Model.Pending))
	state, err := p.Snapshot.Quotas.Wanting(whole)
	if err != nil {
		return nil, err
	}
	refusal, err := state.Admit(whole, p.Request.QuotaLimit)
	if err == nil && refusal != nil && leaveOut(p, state) {
		p.wants = &whole
		refusal, err = state.Admit(p.Asks(len(p.Model.Pending)), p.Request.QuotaLimit)
	}
	if err != nil || refusal == nil {
		return nil, err
	}
	return state, nil
}

// ProvenBest says whether nothing better was left out: no search ran out of steps, and zones were counted exactly.
// Cost of ZonesProven.
func (p *Problem) ProvenBest() bool {
	if p.whole != nil { // there the strategy was found, and that is what proofs are about
		return p.whole.ProvenBest()
	}
	if p.Model.Doubt != nil && *p.Model.Doubt {
		return false
	}
	return p.Room.Proven()
}

// GangLeast is the number of members that must run together once the gang is placed. A gang of one that declares no
// minimum is a plain pod: 0.
func (p *Problem) GangLeast() int {
	n := len(p.Model.Pending) + len(p.Model.Running)
	switch {
	case p.Request.MinMember > 0 || n == 1:
		return p.Request.MinMember
	case p.InParts():
		return p.Parts.MustRun
	}
	return n
}

// AllByRank has the position of each member by rank, new ones at these positions; -1: neither placed nor running.
func (p *Problem) AllByRank(positions []int32) []int32 {
	at := p.Model.PositionsByRank()
	for i, pos := range positions {
		at[p.Model.Pending[i]] = pos
	}
	return at
}

// ReachedByGroups is, by level, the highest tier that any group reaches: that of the lowest vertex above its members,
// running ones included. O(members + groups * tiers) for each level.
func (p *Problem) ReachedByGroups(positions []int32) []int32 {
	if p.InParts() {
		return reachedByParts(p, p.AllByRank(positions))
	}
	return p.Model.ReachedByGroups(positions)
}

// CauseForAll is the cause for which a node takes no member of the first role, empty if it takes one of any role.
func CauseForAll(roles []*Problem, cause func(one *Problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *Problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}
