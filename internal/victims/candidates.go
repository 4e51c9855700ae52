// Whom may the search choose? Members that may leave, what they give back, and what quotas say of sets of them.

package victims

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/preempt"
)

// findCandidates lists the members that may leave for the gang, by position, and their gangs in natural order of names.
// Nobody is left out who is in a legal set: each is judged as if all others had left that can help it to leave. Whether
// a set of them may leave together is asked of each set, by Legal. O(gangs + members of those that are reached).
func (e *victimSearch) findCandidates() {
	e.gone = e.ownGone()
	budgets := map[string]int32{}
	for i, b := range e.p.Snapshot.Budgets {
		budgets[b.Name] = int32(i)
		e.question.Budgets = append(e.question.Budgets, b.Allowed)
	}
	// Where quotas reclaim, a gang of any priority is reached; else only one of a lower priority.
	reclaims, reclaimable := e.p.Snapshot.Quotas != nil && e.p.Request.Quota != "", map[string]bool{}
	var gangs []*snapshot.GangMembers
	n := 0
	e.p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if g.Staying > 0 && !e.p.IsOwn(g.Name) && (reclaims || g.Priority < e.p.Request.Priority) {
			gangs, n = append(gangs, g), n+g.Members.Len()
		}
		return true
	})
	e.question.Gangs, e.question.Candidates = make([]preempt.Gang, 0, len(gangs)), make([]preempt.Candidate, 0, n)
	e.members = make([]*snapshot.Member, 0, n)
	for _, g := range gangs {
		e.addGang(g, budgets, reclaimable)
	}
	e.sortByPosition()
}

// sortByPosition puts candidates in the order of positions, on one node in natural order of gang and name, and notes
// the order of names, in which they came. It counts the candidates of each position; sums of the counts are the places
// where those of a position begin. The sort is stable. O(positions + candidates).
func (e *victimSearch) sortByPosition() {
	next := make([]int32, e.p.Model.View.Nodes+1)
	for i := range e.question.Candidates {
		next[e.question.Candidates[i].Position+1]++
	}
	for pos := range e.p.Model.View.Nodes {
		next[pos+1] += next[pos]
	}
	candidates, members := make([]preempt.Candidate, len(e.members)), make([]*snapshot.Member, len(e.members))
	for i := range e.question.Candidates {
		c := &e.question.Candidates[i]
		c.Order = int32(i)
		at := next[c.Position]
		next[c.Position]++
		candidates[at], members[at] = *c, e.members[i]
	}
	e.question.Candidates, e.members = candidates, members
}

// addGang adds a gang's candidates, and the gang if it has any: none if it can neither leave whole nor has a surplus.
// Without a minimum each member leaves by itself, so the surplus is all that stay. With one the gang ends if all leave,
// and it may leave whole only if all that stay are candidates.
//
// Lowest and Latest, from which sums of costs count, are taken over all members in reach, also those that are no
// candidates in the end.
//
// order: victims.3
func (e *victimSearch) addGang(g *snapshot.GangMembers, budgets map[string]int32, reclaimable map[string]bool) {
	of := preempt.Gang{Priority: g.Priority, Running: int(g.Staying), Surplus: int(g.Staying), Ends: g.Least > 0}
	if of.Ends {
		of.Surplus = max(0, int(g.Staying-g.Least))
	}
	first := len(e.members) // the gang's candidates begin here; they are cut off again if nobody may leave
	for _, m := range g.Members.All() {
		if !m.MayLeave() || !e.preemptor.Reaches(of.Priority, m.Class.Quota) {
			continue
		}
		e.question.Lowest, e.question.Latest = min(e.question.Lowest, of.Priority), max(e.question.Latest, m.Started)
		if !e.preemptor.Reclaims(m.Class.Quota) || e.mayReclaim(g, m, reclaimable) {
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

// mayReclaim says whether a member of another quota can be in any legal set. It asks both sides of victims.4 in the
// case that is best for the member, so false is final and true is not:
//   - The preemptor's quotas stay within their min with all candidates of its own quota gone. This is one answer for
//     each quota of victims, kept in reclaimable.
//   - The member's quota is over its min as it is now. Evictions before this one could only lower what is in use. What
//     leaves is the whole gang's part of the quota if the gang has a minimum, else the member alone.
func (e *victimSearch) mayReclaim(g *snapshot.GangMembers, m *snapshot.Member, reclaimable map[string]bool) bool {
	reach, known := reclaimable[m.Class.Quota]
	if !known {
		reach, _ = e.p.Snapshot.Quotas.MayReclaim(e.preemptor.Ask, m.Class.Quota, e.gone)
		reclaimable[m.Class.Quota] = reach
	}
	if !reach {
		return false
	}
	held := muster.Resources{}
	for _, o := range g.Members.All() {
		if o == m || g.Least > 0 && !o.Leaving && o.Class.Quota == m.Class.Quota {
			held.Add(e.p.Snapshot.Lineage.Held(o.Class.Holds))
		}
	}
	_, over := e.preemptor.OverMin(m.Class.Quota, held)
	return over
}

// ownGone sums the amounts of all candidates in the gang's own quota: the most that can leave there. Empty without a
// quota. O(members).
func (e *victimSearch) ownGone() muster.Resources {
	sum := muster.Resources{}
	if e.p.Request.Quota == "" {
		return sum
	}
	e.p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		for _, m := range g.Members.All() {
			if !e.p.IsOwn(g.Name) && g.Priority < e.p.Request.Priority && m.MayLeave() && m.Class.Quota == e.p.Request.Quota {
				sum.Add(e.p.Snapshot.Lineage.Held(m.Class.Holds))
			}
		}
		return true
	})
	return sum
}

// candidate is a member as package preempt sees it, its gang being the next one that is added. Its order comes later.
func (e *victimSearch) candidate(m *snapshot.Member, budgets map[string]int32) preempt.Candidate {
	return preempt.Candidate{Position: e.p.Model.View.At(m.Node), Gang: int32(len(e.question.Gangs)), Started: m.Started, Holding: e.holdingOf(m, budgets)}
}

// holdingKey tells holdings of candidates apart. Amounts and shares of zones are compared by address, so equal ones may
// be listed twice.
type holdingKey struct {
	holds   *int64 // the first amount; nil in a tag
	quota   string
	placed  *numa.Placed
	budgets string // all names, each but the last with a zero byte behind it
	company string // as of companyOf
}

// holdingOf is the place of a member's holding in the question, a new one if there is none yet. budgets has the places
// of budgets by name; those that the cluster does not know bind nobody. O(1) expected for a known one.
func (e *victimSearch) holdingOf(m *snapshot.Member, budgets map[string]int32) int32 {
	// Most members have neither quota, zones nor budgets: the address of their amounts is enough.
	company := e.companyOf(m)
	plain := m.Class.Quota == "" && m.Placed == nil && len(m.Class.Budgets) == 0 && company == ""
	if id, ok := e.plain[&m.Class.Holds[0]]; ok && plain {
		return id
	}
	key := holdingKey{&m.Class.Holds[0], m.Class.Quota, e.sharesOf(m), strings.Join(m.Class.Budgets, "\x00"), company}
	id, fresh := e.holdings.Of(key)
	if plain {
		e.plain[&m.Class.Holds[0]] = int32(id)
	}
	if !fresh {
		return int32(id)
	}
	k := preempt.Holding{Amounts: make([]int64, len(e.p.Room.Needs)), Tag: e.tagOf(m)}
	for r, need := range e.p.Room.Needs {
		if need.ID >= 0 {
			k.Amounts[r] = m.Class.Holds[need.ID]
		}
	}
	for _, name := range m.Class.Budgets {
		if b, ok := budgets[name]; ok {
			k.Budgets = append(k.Budgets, b)
		}
	}
	slices.Sort(k.Budgets)
	k.Budgets = slices.Compact(k.Budgets)
	e.question.Holdings = append(e.question.Holdings, k)
	return int32(id)
}

// companyOf tells apart members that give back the same, but of whom the one lets the gang into a domain once it is gone, and the
// other does not: by what they close, and by whether the gang may be alone beside them. Empty for most, and where nobody keeps the gang off.
//
// order: limits.3
func (e *victimSearch) companyOf(m *snapshot.Member) string {
	if e.p.Room.Company == nil || m.Class.Alone == "" && !m.Class.Tolerated {
		return ""
	}
	return strings.Join([]string{m.Class.AloneIn, m.Class.Alone, strconv.FormatBool(m.Class.Tolerated)}, "\x00")
}

// tagOf numbers pairs of quota and shares of zones: what a holding has beside amounts and budgets.
func (e *victimSearch) tagOf(m *snapshot.Member) int32 {
	key := holdingKey{quota: m.Class.Quota, placed: e.sharesOf(m)}
	tag, _ := e.tags.Of(key)
	return int32(tag)
}

// sharesOf are the shares of zones that a member has; where there are many candidates on a node, the first ones that are
// equal, so that these are alike.
func (e *victimSearch) sharesOf(m *snapshot.Member) *numa.Placed {
	if m.Placed == nil || cap(e.members) <= 4*int(e.p.Model.View.Nodes) {
		return m.Placed
	}
	key := []byte(m.Placed.Policy)
	for _, s := range m.Placed.Shares {
		key = binary.AppendVarint(append(key, 0), int64(s.Zone))
		for _, name := range s.Resources.Names() {
			key = binary.AppendVarint(append(append(key, name...), 0), s.Resources[name])
		}
	}
	first, ok := e.shares[string(key)]
	if !ok {
		if e.shares == nil {
			e.shares = map[string]*numa.Placed{}
		}
		first = m.Placed
		e.shares[string(key)] = first
	}
	return first
}

// withQuotas adds to the question which sets are legal, and which amounts they take below the min of quotas. Without a
// quota of its own the gang reclaims nothing, and every set is legal; sets then still differ in costs.3.
func (e *victimSearch) withQuotas() {
	if e.p.Request.Quota != "" {
		e.question.Legal = func(gone []int32) bool { return e.preemptor.Legal(e.evictions(gone)) }
	}
	names := map[string]bool{} // resources of which some quota has a min: of no other can anything be below it
	for _, q := range e.p.Snapshot.Quotas.Quotas() {
		spec, _ := e.p.Snapshot.Quotas.Spec(q)
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
		// An error is impossible: all that is given back is in use.
		taken, _ := e.p.Snapshot.Quotas.BelowMin(e.preemptor.Ask, e.evictions(gone))
		for i, name := range e.question.Guaranteed {
			out[i] = taken[name]
		}
		return out
	}
}
