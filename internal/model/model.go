// Package model answers: what is asked, in numbers? A [Model] is what an engine sees of a request and a snapshot: how many units must be
// placed and may be, the groups that they are in, the rules that bind them, what pulls at them, and the [Room] that nodes have. Names,
// quotas and zones stay outside.
//
// A Model does not change while an engine looks for an answer. It belongs to one plan and is not safe for concurrent use.
package model

import (
	"iter"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/keys"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/roll"
)

// Model is what a gang asks for. Its unit is one member; or, under groups.3 of docs/order.md, a whole group that is placed on a node like a member.
type Model struct {
	View     *layout.View
	Policy   gang.Policy
	Pending  []int     // ranks of the new units, ascending
	Running  roll.Roll // the gang's own running members that stay
	Least    int       // new units that must be placed
	Admitted int       // new units that the quota admits
	Levels   []Level   // of equal groups, outermost first; sizes in units
	Gather   Gather
	Multiple []int64        // of a gang in no parts, by tier: the least common multiple of all multiples at or below it; nil: none
	LCA      layout.Vertex  // the lowest vertex above the running members, -1 if there are none
	Siblings *layout.Census // running members of the gang below a vertex
	Friends  layout.Tally   // those of the affinity key
	// Forced is the number of new members that a vertex must take to complete multiples that running members began,
	// those below it included; nil: none.
	Forced layout.Tally
	Limits *limits.Limits // hard ones; nil: there are none
	Hard   bool           // some rule keeps members from the nameless root: nodes outside the tree take none
	Room   Room

	// Of members of several shapes, or in parts. Of others Gang is nil, and RoleOf too.
	Gang      *Part          // all parts, as a tree
	Ranks     int            // number of members, running ones included; in units, that of the members too
	RoleOf    []int32        // of the pending members; nil: all are of one shape, or in units
	Twins     []int32        // by role: the first one of the same shape; nil: all shapes differ
	Multiples []MultipleRule // the multiples that bind
	// Doubt: something better may have been left out for want of steps. All models derived from one share it.
	Doubt *bool
	// Left is what all searches of a plan may still spend. They share it as well.
	Left *front.Budget
	// Steps is the work that a search may take. Other bounds are fractions or multiples of it.
	Steps int
	// Stop is closed once searches are to end as if their steps were spent; nil: never.
	Stop <-chan struct{}
	// Charged: what is counted beside Left, such as selections that are listed, is taken off Left too.
	Charged bool

	// Memory is what the engine kept of plans before, and keeps for others; nil: nothing yet. It is shared by all models of a plan.
	Memory *Memory
}

// Role is that of the i-th pending member.
func (m *Model) Role(i int) int32 {
	if m.RoleOf == nil {
		return 0
	}
	return m.RoleOf[i]
}

// Level is one level of groups.
type Level struct {
	Size   int64
	Gather Gather
}

// Gather are the gather rules of a gang or a group level.
type Gather struct {
	Must int32  // no domain above this tier: its MustGather's, or the tighter one around it; the root's: there is none
	Hard bool   // it has a MustGather that binds, not only one around it
	Name string // layer of its MustGather; empty: it has none
	// Own is the tier of its MustGather, which a tighter one around it may make redundant; -1: it has none.
	Own int32
	// Worths are the tiers at which a tighter fit is worth having, ascending; the last is Must.
	Worths []int32
	// Finest is 1 + the tier of its lowest PreferGather, that of its MustGather if this is lower; 0: it has none.
	Finest int32
}

// Memory is memory that an engine uses again. The plans of a lineage take turns with a few of them.
type Memory struct {
	Search interface{ Reset() } // the engine's own, which Reset makes ready for another plan; nil: no engine has used it yet
}

// Strategy bounds the tier of the gang and of each group level.
type Strategy struct {
	Gang   int32
	Groups []int32 // by level, outermost first; for a gang in parts the miss allowed on that level
}

// Strategies enumerates the strategies that the rules of a gang of one shape allow, best first: by the gang's tier,
// then the groups', outermost first. Worths are ascending, so that nested loops give this order. For k tiers and one
// level of groups these are k(k+1)/2 strategies, and about as many times k for each further level: so whoever looks for
// the ones that fit gives try. It is asked before the tiers of a level are gone through, with this level and those
// inside it bound by their hard rules alone; if even that does not fit, no strategy with the same outer tiers does, and
// all of them are left out. With nil none is. The slices of groups are the iterator's.
//
// order: strategy.3
func (m *Model) Strategies(try func(Strategy) bool) iter.Seq[Strategy] {
	return func(yield func(Strategy) bool) {
		st := Strategy{Groups: make([]int32, len(m.Levels))}
		for _, t := range m.Gather.Worths {
			st.Gang = t
			if !m.groupTiers(st, 0, t, try, yield) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group levels i and inwards; outer is the tier of the level around, at most the
// gang's. A tier at or above outer binds no more than outer does. The first such tier stands for the looser ones,
// which are left out. It is false if yield ended the enumeration.
func (m *Model) groupTiers(st Strategy, i int, outer int32, try, yield func(Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	if try != nil {
		for k := i; k < len(st.Groups); k++ {
			st.Groups[k] = m.Levels[k].Gather.Must
		}
		if !try(st) {
			return true
		}
	}
	for _, t := range m.Levels[i].Gather.Worths {
		st.Groups[i] = t
		if !m.groupTiers(st, i+1, min(t, outer), try, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// Candidates lists the domains of a tier that may hold the gang, in the order of paths. If members run there is at
// most one, above them all. O(domains) without running members, else O(tiers).
func (m *Model) Candidates(t int32) []layout.Vertex {
	if m.LCA < 0 {
		return m.View.DomainsOf(t)
	}
	if d := m.AboveRunning(t); d >= 0 {
		return []layout.Vertex{d}
	}
	return nil
}

// AboveRunning is the domain of a tier that holds all running members of the gang, -1 if there is none.
func (m *Model) AboveRunning(t int32) layout.Vertex {
	if m.View.TierOf(m.LCA) > t {
		return -1
	}
	return m.View.Named(m.View.Highest(m.LCA, t)) // nodes outside the tree have no domain but the root
}

// Counts lists the numbers of new members that may be placed, ascending.
func (m *Model) Counts() []int { return m.Wholes(max(1, m.Least), m.Admitted) }

// Wholes lists, ascending, the numbers of new members from low to high that the rules allow, whatever room there is.
// n stands for the first n pending members: all or none of each outermost group, and with the running members a
// multiple. Running members may force a minimum. O(members).
//
// order: howmany.2
func (m *Model) Wholes(low, high int) []int {
	total := len(m.Pending)
	var counts []int
	unit := int64(1)
	if m.Multiple != nil {
		unit = m.Multiple[m.View.RootTop] // of all members, wherever they lie
		low = max(low, int(m.Forced.At(layout.Root)))
	}
	add := func(n int) {
		if n >= low && n <= high && int64(n+m.Running.Len())%unit == 0 {
			counts = append(counts, n)
		}
	}
	if len(m.Levels) == 0 {
		for n := low; n <= min(total, high); n++ {
			add(n)
		}
		return counts
	}
	size := int(m.Levels[0].Size)
	for n := max(1, low); n <= min(total, high); n++ { // a number that ends where the next member is of another group, by rank
		if n == total || m.Pending[n]/size != m.Pending[n-1]/size {
			add(n)
		}
	}
	return counts
}

// Unit is the number of members of which each child of x holds a multiple, 1 if any number will do. It belongs to the
// parent, for a child stands for all missing tiers up to it.
func (m *Model) Unit(x layout.Vertex) int64 {
	if m.Multiple == nil || m.View.IsNode(x) {
		return 1
	}
	return m.Multiple[m.View.Tier[x]-1]
}

// GCD is the greatest common divisor of two numbers that are not negative, nor both 0. O(log).
func GCD(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Features are those that do not depend on how members are cut into groups. O(shapes).
func (m *Model) Features() features.Set {
	f := m.Room.Features() | features.Groups.When(len(m.Levels) == 1) | features.Nested.When(len(m.Levels) > 1) |
		features.Sibling.When(m.Siblings.Any()) | features.Friend.When(len(m.Friends) > 0) |
		features.Multiple.When(m.Multiple != nil) | keys.RulesOf(m.Policy).Feature
	if m.Limits != nil {
		f |= m.Limits.Features()
	}
	return f
}
