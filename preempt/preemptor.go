// Whose members a gang may evict, gang by gang: docs/order.md, section 6, "Candidates" and "Legal sets" (reclaim).

package preempt

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// Preemptor is a gang that asks for room. Its methods say whose members it may evict, as far as that does not depend on
// the minima of their gangs. The zero value, and nil, is a gang of priority 0 without a quota. Limit writes the
// preemptor; everything else only reads it, and may run at the same time.
type Preemptor struct {
	// Priority of the gang.
	Priority int64
	// Ask is what the gang takes of its quota; without a quota only priorities decide.
	Ask quota.Ask
	// Quotas are those of the cluster, nil if there are none.
	Quotas *quota.State
	// Within is the quota at or below which victims must be; empty: they may be anywhere.
	Within string
}

// hasQuota says whether quotas have a say in what the gang takes.
func (p *Preemptor) hasQuota() bool { return p != nil && p.Quotas != nil && p.Ask.Quota != "" }

// Limit finds the topmost quota whose limit refuses the gang, whole being its demand, and keeps victims within that
// quota. False if a min refuses the gang, which no victim can help. Errors as for [quota.State.Refusals]. O(d k) for
// d quotas on the path of the gang's and k resources, once the shares there are known.
//
// order: victims.5
func (p *Preemptor) Limit(whole quota.Ask, limit quota.Limit) (bool, error) {
	if !p.hasQuota() {
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

// Reclaims says whether quotas decide about members of a quota, and not their priority: both sides have a quota, and
// not the same one. O(1).
func (p *Preemptor) Reclaims(quota string) bool {
	return p.hasQuota() && quota != "" && quota != p.Ask.Quota
}

// Reaches says whether members of a gang of some priority, in a quota, can be candidates at all. O(d) for quotas d
// levels deep.
//
// order: victims.2
func (p *Preemptor) Reaches(priority int64, quota string) bool {
	if p == nil {
		return priority < 0
	}
	if p.Within != "" && (quota == "" || p.Quotas == nil || !p.Quotas.Below(quota, p.Within)) {
		return false
	}
	return p.Reclaims(quota) || priority < p.Priority
}

// OverMin says whether a quota is over its min, and all above it up to where it meets the preemptor's are, in a
// resource that the preemptor asks for and that leaves; see [quota.State.OverMin]. False without quotas. O(d k) for
// quotas d levels deep and k resources.
func (p *Preemptor) OverMin(quota string, held muster.Resources) (resource string, ok bool) {
	if p == nil || p.Quotas == nil {
		return "", false
	}
	return p.Quotas.OverMin(quota, p.Ask.Quota, p.Ask.Request, held)
}

// Legal says whether quotas let all of these leave together; see [quota.State.Reclaims], also for its cost in O().
// Always without quotas.
func (p *Preemptor) Legal(evictions []quota.Eviction) bool {
	if !p.hasQuota() {
		return true
	}
	legal, err := p.Quotas.Reclaims(p.Ask, evictions)
	return legal && err == nil
}
