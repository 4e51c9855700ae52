// Package model answers: what is asked, in numbers? A [Model] is what an engine sees of a request and a snapshot: how many units must be
// placed and may be, the groups that they are in, the rules that bind them, what pulls at them, and the [Room] that nodes have. Names,
// quotas and zones stay outside.
//
// A Model does not change while an engine looks for an answer. It belongs to one plan and is not safe for concurrent use.
package model

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
)

// Model is what a gang asks for. Its unit is one member; or, under groups.3 of docs/order.md, a whole group that is placed on a node like a member.
type Model struct {
	View     *layout.View
	Policy   gang.Policy
	Pending  []int    // ranks of the new units, ascending
	Running  []Member // the gang's own running members that stay, in rank order
	Least    int      // new units that must be placed
	Admitted int      // new units that the quota admits
	Levels   []Level  // of equal groups, outermost first; sizes in units
	Gather   Gather
	Multiple []int64       // of a gang in no parts, by tier: the least common multiple of all multiples at or below it; nil: none
	LCA      layout.Vertex // the lowest vertex above the running members, -1 if there are none
	Siblings,
	Friends layout.Tally // running members of the gang, and of the affinity key, below a vertex
	// Forced is the number of new members that a vertex must take to complete multiples that running members began,
	// those below it included; nil: none.
	Forced layout.Tally
	Limits *limits.Limits // hard ones; nil: there are none
	Hard   bool           // some rule keeps members from the nameless root: nodes outside the tree take none
	Room   Room
	// Memory is what the engine kept of plans before, and keeps for others; nil: nothing yet. It is shared by all models of a plan.
	Memory *Memory
}

// Member is a running member of the gang.
type Member struct {
	Pos  int32
	Rank int
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
}

// Memory is memory that an engine uses again. The plans of a lineage take turns with a few of them.
type Memory struct {
	Search Resettable // nil: no engine has used it yet
}

// Resettable is an engine's own part of the memory: Reset makes it ready for another plan.
type Resettable interface{ Reset() }
