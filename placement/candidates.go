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
	for i, b := range e.p.c.budgets {
		budgets[b.Name] = int32(i)
		e.question.Budgets = append(e.question.Budgets, b.Allowed)
	}
	reclaims, reclaimable := e.p.c.quotas != nil && e.p.req.Quota != "", map[string]bool{}
	var gangs []*gangMembers
	n := 0
	e.p.c.gangs.Ascend(func(g *gangMembers) bool {
		if g.staying > 0 && !e.p.isOwn(g.name) && (reclaims || g.priority < e.p.req.Priority) {
			gangs, n = append(gangs, g), n+len(g.members)
		}
		return true
	})
	e.question.Gangs, e.question.Candidates, e.members = make([]preempt.Gang, 0, len(gangs)), make([]preempt.Candidate, 0, n), make([]*member, 0, n)
	for _, g := range gangs {
		e.addGang(g, budgets, reclaimable)
	}
	e.sortByPosition()
}

// sortByPosition puts candidates in the order of positions, those of one node in natural order of gang and name.
func (e *evicting) sortByPosition() {
	next := make([]int32, e.p.v.Nodes+1)
	for i := range e.question.Candidates {
		next[e.question.Candidates[i].Position+1]++
	}
	for pos := range e.p.v.Nodes {
		next[pos+1] += next[pos]
	}
	candidates, members := make([]preempt.Candidate, len(e.members)), make([]*member, len(e.members))
	for i := range e.question.Candidates {
		c := &e.question.Candidates[i]
		c.Order = int32(i)
		at := next[c.Position]
		next[c.Position]++
		candidates[at], members[at] = *c, e.members[i]
	}
	e.question.Candidates, e.members = candidates, members
}

// addGang adds a gang's candidates. Those of a gang that could not leave whole, and has no surplus, are none.
func (e *evicting) addGang(g *gangMembers, budgets map[string]int32, reclaimable map[string]bool) {
	of := preempt.Gang{Priority: g.priority, Running: int(g.staying), Surplus: int(g.staying), Ends: g.least > 0}
	if of.Ends {
		of.Surplus = max(0, int(g.staying-g.least))
	}
	first := len(e.members)
	for _, m := range g.members {
		if !m.mayLeave() || !e.preemptor.Reaches(of.Priority, m.class.quota) {
			continue
		}
		e.question.Lowest, e.question.Latest = min(e.question.Lowest, of.Priority), max(e.question.Latest, m.started)
		if !e.preemptor.Reclaims(m.class.quota) || e.mayReclaim(g, m, reclaimable) {
			e.members = append(e.members, m)
			e.question.Candidates = append(e.question.Candidates, e.candidate(m, budgets))
		}
	}
	of.Whole = len(e.members)-first == of.Running
	if len(e.members) == first || !of.Whole && of.Surplus == 0 {
		e.members, e.question.Candidates = e.members[:first], e.question.Candidates[:first]
		return
	}
	e.question.Gangs = append(e.question.Gangs, of)
}

// mayReclaim says whether a member of another quota may be a victim, as far as that depends on no other gang: by what leaves its quota if its gang
// leaves whole.
func (e *evicting) mayReclaim(g *gangMembers, m *member, reclaimable map[string]bool) bool {
	reach, known := reclaimable[m.class.quota]
	if !known {
		reach, _ = e.p.c.quotas.MayReclaim(e.preemptor.Ask, m.class.quota, e.gone)
		reclaimable[m.class.quota] = reach
	}
	if !reach {
		return false
	}
	held := muster.Resources{}
	for _, o := range g.members {
		if o == m || g.least > 0 && !o.leaving && o.class.quota == m.class.quota {
			held.Add(e.p.c.lineage.held(o.class.holds))
		}
	}
	_, over := e.preemptor.OverMin(m.class.quota, held)
	return over
}

// ownGone is what members of the gang's own quota hold that may leave.
func (e *evicting) ownGone() muster.Resources {
	sum := muster.Resources{}
	if e.p.req.Quota == "" {
		return sum
	}
	e.p.c.gangs.Ascend(func(g *gangMembers) bool {
		for _, m := range g.members {
			if !e.p.isOwn(g.name) && g.priority < e.p.req.Priority && m.mayLeave() && m.class.quota == e.p.req.Quota {
				sum.Add(e.p.c.lineage.held(m.class.holds))
			}
		}
		return true
	})
	return sum
}

func (e *evicting) candidate(m *member, budgets map[string]int32) preempt.Candidate {
	return preempt.Candidate{Position: e.p.v.At(m.node), Gang: int32(len(e.question.Gangs)), Started: m.started, Kind: e.kindOf(m, budgets)}
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
	plain := m.class.quota == "" && m.placed == nil && len(m.class.budgets) == 0
	if kind, ok := e.plain[&m.class.holds[0]]; ok && plain {
		return kind
	}
	key := kindKey{&m.class.holds[0], m.class.quota, m.placed, strings.Join(m.class.budgets, "\x00")}
	if kind, ok := e.kinds[key]; ok {
		return kind
	}
	if plain {
		e.plain[&m.class.holds[0]] = int32(len(e.question.Kinds))
	}
	k := preempt.Kind{Amounts: make([]int64, len(e.p.needs)), Tag: e.tagOf(m)}
	for r, need := range e.p.needs {
		if need.id >= 0 {
			k.Amounts[r] = m.class.holds[need.id]
		}
	}
	for _, name := range m.class.budgets {
		if b, ok := budgets[name]; ok {
			k.Budgets = append(k.Budgets, b)
		}
	}
	slices.Sort(k.Budgets)
	k.Budgets = slices.Compact(k.Budgets)
	kind := int32(len(e.question.Kinds))
	e.question.Kinds, e.kinds[key] = append(e.question.Kinds, k), kind
	return kind
}

// tagOf tells quotas and zones apart.
func (e *evicting) tagOf(m *member) int32 {
	key := kindKey{quota: m.class.quota, placed: m.placed}
	tag, ok := e.tags[key]
	if !ok {
		tag = int32(len(e.tags))
		e.tags[key] = tag
	}
	return tag
}

// withQuotas adds what quotas say of sets.
func (e *evicting) withQuotas() {
	if e.p.req.Quota != "" {
		e.question.Legal = func(gone []int32) bool { return e.preemptor.Legal(e.evictions(gone)) }
	}
	names := map[string]bool{}
	for _, q := range e.p.c.quotas.Quotas() {
		spec, _ := e.p.c.quotas.Spec(q)
		for name, amount := range spec.Min {
			if amount > 0 {
				names[name] = true
			}
		}
	}
	e.question.Guaranteed = slices.SortedFunc(maps.Keys(names), muster.CompareResources)
	e.question.BelowMin = func(gone []int32) []int64 {
		out := make([]int64, len(e.question.Guaranteed))
		if len(gone) == 0 {
			return out
		}
		taken, _ := e.p.c.quotas.BelowMin(e.preemptor.Ask, e.evictions(gone)) // an error is impossible: they use what they hold
		for i, name := range e.question.Guaranteed {
			out[i] = taken[name]
		}
		return out
	}
}

// evictions are what leaves quotas by a set: gangs that leave whole are one each.
func (e *evicting) evictions(gone []int32) []quota.Eviction {
	count := map[int32]int{}
	for _, i := range gone {
		count[e.question.Candidates[i].Gang]++
	}
	var out []quota.Eviction
	whole := map[int32]map[string]int{} // by gang and quota, the place in out
	for _, i := range gone {
		m, g := e.members[i], e.question.Candidates[i].Gang
		held := e.p.c.lineage.held(m.class.holds)
		if of := &e.question.Gangs[g]; !of.Ends || count[g] < of.Running {
			out = append(out, quota.Eviction{Quota: m.class.quota, Held: held})
			continue
		}
		if at, ok := whole[g][m.class.quota]; ok {
			out[at].Held.Add(held)
			continue
		}
		if whole[g] == nil {
			whole[g] = map[string]int{}
		}
		whole[g][m.class.quota] = len(out)
		out = append(out, quota.Eviction{Quota: m.class.quota, Held: held})
	}
	return out
}

// heldWith is what leaves its quota at once with a candidate of a set.
func (e *evicting) heldWith(i int32, gone []int32) muster.Resources {
	m, g := e.members[i], e.question.Candidates[i].Gang
	sum, count := muster.Resources{}, 0
	for _, j := range gone {
		if e.question.Candidates[j].Gang != g {
			continue
		}
		if count++; e.members[j].class.quota == m.class.quota {
			sum.Add(e.p.c.lineage.held(e.members[j].class.holds))
		}
	}
	if of := &e.question.Gangs[g]; !of.Ends || count < of.Running {
		return e.p.c.lineage.held(m.class.holds)
	}
	return sum
}
