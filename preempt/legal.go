package preempt

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// Preemptor is a gang that asks for room. Its methods say whose members it may evict, as far as that does not depend on their gangs' minima.
type Preemptor struct {
	Priority int64
	// Ask is what it takes of its quota; without a quota only priorities decide.
	Ask quota.Ask
	// Quotas are those of the cluster, nil if there are none.
	Quotas *quota.State
	// Within is the quota at or below which its victims must be; empty: they may be anywhere.
	Within string
}

// Limit finds the topmost quota whose limit refuses the gang, all of which counts as demand, and keeps victims within that. False if a min refuses
// it, which no victim can help. Errors as for [quota.State.Refusals].
func (p *Preemptor) Limit(whole quota.Ask, limit quota.Limit) (bool, error) {
	if p.Ask.Quota == "" {
		return true, nil
	}
	state, err := p.Quotas.Wanting(whole)
	if err != nil {
		return false, err
	}
	refusals, err := state.Refusals(p.Ask, limit)
	if err != nil {
		return false, err
	}
	for _, r := range refusals {
		if r.Rule == quota.RuleMin {
			return false, nil
		}
		p.Within = r.Quota
	}
	return true, nil
}

// Reclaims says whether the quotas decide about members of one, and not their priority: where both sides have one, and not the same.
func (p *Preemptor) Reclaims(quota string) bool {
	return quota != "" && p.Ask.Quota != "" && quota != p.Ask.Quota
}

// Reaches says whether members of a gang of some priority in a quota can be candidates at all.
func (p *Preemptor) Reaches(priority int64, quota string) bool {
	if p.Within != "" && (quota == "" || !p.Quotas.Below(quota, p.Within)) {
		return false
	}
	return p.Reclaims(quota) || priority < p.Priority
}

// OverMin says whether a quota is over its min, and all above it up to where it meets the preemptor's are, in a resource that the preemptor asks for and
// that leaves; see [quota.State.OverMin].
func (p *Preemptor) OverMin(quota string, held muster.Resources) (resource string, ok bool) {
	return p.Quotas.OverMin(quota, p.Ask.Quota, p.Ask.Request, held)
}

// Legal says whether quotas let all of these leave together; see [quota.State.Reclaims].
func (p *Preemptor) Legal(evictions []quota.Eviction) bool {
	if p.Ask.Quota == "" {
		return true
	}
	legal, err := p.Quotas.Reclaims(p.Ask, evictions)
	return legal && err == nil
}
