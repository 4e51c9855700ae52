package placement

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/preempt"
	"github.com/muster-sched/muster/quota"
)

// findCandidates lists the members that may leave, by position. Whether they may together is another question.
func (e *evicting) findCandidates() {
	e.gone = e.ownGone()
	budgets := map[string]int32{}
	for i, b := range e.c.budgets {
		budgets[b.Name] = int32(i)
		e.Budgets = append(e.Budgets, b.Allowed)
	}
	reclaims, reclaimable := e.c.quotas != nil && e.req.Quota != "", map[string]bool{}
	var gangs []*gangMembers
	n := 0
	e.c.gangs.Ascend(func(g *gangMembers) bool {
		if g.staying > 0 && !e.isOwn(g.name) && (reclaims || g.priority < e.req.Priority) {
			gangs, n = append(gangs, g), n+len(g.members)
		}
		return true
	})
	e.Gangs, e.Candidates, e.members = make([]preempt.Gang, 0, len(gangs)), make([]preempt.Candidate, 0, n), make([]*member, 0, n)
	for _, g := range gangs {
		e.addGang(g, budgets, reclaimable)
	}
	e.sortByPosition()
}

// sortByPosition puts candidates in the order of positions, those of one node in natural order of gang and name.
func (e *evicting) sortByPosition() {
	next := make([]int32, e.v.nodes+1)
	for i := range e.Candidates {
		next[e.Candidates[i].Position+1]++
	}
	for pos := range e.v.nodes {
		next[pos+1] += next[pos]
	}
	candidates, members := make([]preempt.Candidate, len(e.members)), make([]*member, len(e.members))
	for i := range e.Candidates {
		c := &e.Candidates[i]
		c.Order = int32(i)
		at := next[c.Position]
		next[c.Position]++
		candidates[at], members[at] = *c, e.members[i]
	}
	e.Candidates, e.members = candidates, members
}

// addGang adds a gang's candidates. Those of a gang that could not leave whole, and has no surplus, are none.
func (e *evicting) addGang(g *gangMembers, budgets map[string]int32, reclaimable map[string]bool) {
	of := preempt.Gang{Priority: g.priority, Running: int(g.staying), Surplus: int(g.staying), Ends: g.least > 0}
	if of.Ends {
		of.Surplus = max(0, int(g.staying-g.least))
	}
	first := len(e.members)
	for _, m := range g.members {
		if !m.mayLeave() || !e.preemptor.Reaches(of.Priority, m.quota) {
			continue
		}
		e.Lowest, e.Latest = min(e.Lowest, of.Priority), max(e.Latest, m.started)
		if !e.preemptor.Reclaims(m.quota) || e.mayReclaim(g, m, reclaimable) {
			e.members = append(e.members, m)
			e.Candidates = append(e.Candidates, e.candidate(m, budgets))
		}
	}
	of.Whole = len(e.members)-first == of.Running
	if len(e.members) == first || !of.Whole && of.Surplus == 0 {
		e.members, e.Candidates = e.members[:first], e.Candidates[:first]
		return
	}
	e.Gangs = append(e.Gangs, of)
}

// mayReclaim says whether a member of another quota may be a victim, as far as that depends on no other gang: by what leaves its quota if its gang
// leaves whole.
func (e *evicting) mayReclaim(g *gangMembers, m *member, reclaimable map[string]bool) bool {
	reach, known := reclaimable[m.quota]
	if !known {
		reach, _ = e.c.quotas.MayReclaim(e.preemptor.Ask, m.quota, e.gone)
		reclaimable[m.quota] = reach
	}
	if !reach {
		return false
	}
	held := muster.Resources{}
	for _, o := range g.members {
		if o == m || g.least > 0 && !o.leaving && o.quota == m.quota {
			held.Add(e.c.held(o.holds))
		}
	}
	_, over := e.preemptor.OverMin(m.quota, held)
	return over
}

// ownGone is what members of the gang's own quota hold that may leave.
func (e *evicting) ownGone() muster.Resources {
	sum := muster.Resources{}
	if e.req.Quota == "" {
		return sum
	}
	e.c.gangs.Ascend(func(g *gangMembers) bool {
		for _, m := range g.members {
			if !e.isOwn(g.name) && g.priority < e.req.Priority && m.mayLeave() && m.quota == e.req.Quota {
				sum.Add(e.c.held(m.holds))
			}
		}
		return true
	})
	return sum
}

func (e *evicting) candidate(m *member, budgets map[string]int32) preempt.Candidate {
	return preempt.Candidate{Position: e.v.at(m.node), Gang: int32(len(e.Gangs)), Started: m.started, Holding: e.kindOf(m, budgets)}
}

// kindKey is what candidates of different kinds differ in.
type kindKey struct {
	holds   *int64
	quota   string
	placed  *numa.Placed
	budgets string
}

// kindOf finds the kind of a member, if need be a new one.
func (e *evicting) kindOf(m *member, budgets map[string]int32) int32 {
	plain := m.quota == "" && m.placed == nil && len(m.budgets) == 0
	if kind, ok := e.plain[&m.holds[0]]; ok && plain {
		return kind
	}
	key := kindKey{&m.holds[0], m.quota, m.placed, strings.Join(m.budgets, "\x00")}
	if kind, ok := e.kinds[key]; ok {
		return kind
	}
	if plain {
		e.plain[&m.holds[0]] = int32(len(e.Holdings))
	}
	k := preempt.Holding{Amounts: make([]int64, len(e.needs)), Tag: e.tagOf(m)}
	for r, need := range e.needs {
		if need.id >= 0 {
			k.Amounts[r] = m.holds[need.id]
		}
	}
	for _, name := range m.budgets {
		if b, ok := budgets[name]; ok {
			k.Budgets = append(k.Budgets, b)
		}
	}
	slices.Sort(k.Budgets)
	k.Budgets = slices.Compact(k.Budgets)
	kind := int32(len(e.Holdings))
	e.Holdings, e.kinds[key] = append(e.Holdings, k), kind
	return kind
}

// tagOf tells quotas and zones apart.
func (e *evicting) tagOf(m *member) int32 {
	key := kindKey{quota: m.quota, placed: m.placed}
	tag, ok := e.tags[key]
	if !ok {
		tag = int32(len(e.tags))
		e.tags[key] = tag
	}
	return tag
}

// withQuotas adds what quotas say of sets.
func (e *evicting) withQuotas() {
	if e.req.Quota != "" {
		e.Legal = func(gone []int32) bool { return e.preemptor.Legal(e.evictions(gone)) }
	}
	names := map[string]bool{}
	for _, q := range e.c.quotas.Quotas() {
		spec, _ := e.c.quotas.Spec(q)
		for name, amount := range spec.Min {
			if amount > 0 {
				names[name] = true
			}
		}
	}
	e.Guaranteed = slices.SortedFunc(maps.Keys(names), muster.CompareResources)
	e.BelowMin = func(gone []int32) []int64 {
		out := make([]int64, len(e.Guaranteed))
		if len(gone) == 0 {
			return out
		}
		taken, _ := e.c.quotas.BelowMin(e.preemptor.Ask, e.evictions(gone)) // an error is impossible: they use what they hold
		for i, name := range e.Guaranteed {
			out[i] = taken[name]
		}
		return out
	}
}

// evictions are what leaves quotas by a set: gangs that leave whole are one each.
func (e *evicting) evictions(gone []int32) []quota.Eviction {
	count := map[int32]int{}
	for _, i := range gone {
		count[e.Candidates[i].Gang]++
	}
	var out []quota.Eviction
	whole := map[int32]map[string]int{} // by gang and quota, the place in out
	for _, i := range gone {
		m, g := e.members[i], e.Candidates[i].Gang
		held := e.c.held(m.holds)
		if of := &e.Gangs[g]; !of.Ends || count[g] < of.Running {
			out = append(out, quota.Eviction{Quota: m.quota, Held: held})
			continue
		}
		if at, ok := whole[g][m.quota]; ok {
			out[at].Held.Add(held)
			continue
		}
		if whole[g] == nil {
			whole[g] = map[string]int{}
		}
		whole[g][m.quota] = len(out)
		out = append(out, quota.Eviction{Quota: m.quota, Held: held})
	}
	return out
}

// heldWith is what leaves its quota at once with a candidate of a set.
func (e *evicting) heldWith(i int32, gone []int32) muster.Resources {
	m, g := e.members[i], e.Candidates[i].Gang
	sum, count := muster.Resources{}, 0
	for _, j := range gone {
		if e.Candidates[j].Gang != g {
			continue
		}
		if count++; e.members[j].quota == m.quota {
			sum.Add(e.c.held(e.members[j].holds))
		}
	}
	if of := &e.Gangs[g]; !of.Ends || count < of.Running {
		return e.c.held(m.holds)
	}
	return sum
}
