// Package outcome answers: what came of a search, in the words of the problem? An engine answers in numbers; here are the members, for whom
// they wait, and of a refusal its ground.
//
// An Outcome belongs to one plan.
package outcome

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Outcome is a decided plan: where the new members go, and which leaving members they wait for.
type Outcome struct {
	Of        *problem.Problem // the members that are placed are its first pending ones
	Domain    layout.Vertex
	Tier      int32              // bound of the gang by the strategy; Domain may be lower
	Positions []int32            // of new members by rank; of units where whole groups are placed like members
	Waits     []*snapshot.Member // leaving members whose room is waited for; nil: none
}

// Evidence is the ground of a refusal.
type Evidence struct {
	Wanted int         // members that must be placed; 0: the problem's Least
	Fits   []model.Fit // the best domain of each tier that the rules allow, ascending by tier
	// Proven says whether no plan was left out. It is asked last.
	Proven func() bool
}

// Of is the plan of an answer; nil for none. O(1).
func Of(a *model.Answer) *Outcome {
	if a == nil {
		return nil
	}
	return &Outcome{Of: problem.Of(a.Of), Domain: a.Domain, Tier: a.Tier, Positions: a.Positions}
}

// Members are the problem of single members, and the positions of those that are placed: every member of a unit has the unit's.
// O(1) without units.
func (o *Outcome) Members() (*problem.Problem, []int32) {
	if o.Of.Unbundled == nil {
		return o.Of, o.Positions
	}
	positions := make([]int32, 0, len(o.Positions)*o.Of.Room.Size())
	for _, pos := range o.Positions {
		for range o.Of.Room.Size() {
			positions = append(positions, pos)
		}
	}
	return o.Of.Unbundled, positions
}

// WaitsFor lists the leaving members that a plan waits for: for their names, and beside these the fewest for their room. The order is that of
// gang and name.
func (o *Outcome) WaitsFor() []*snapshot.Member {
	if !someLeave(o.Of.Snapshot, o.Of.Request.Name) {
		return o.Waits
	}
	if named := o.Namesakes(); len(named) > 0 {
		return o.Of.WaitsFor(o.Positions, named...)
	}
	return o.Waits
}

// Namesakes are the leaving members whose names new members have: both cannot run at once. The order is that of ranks. O(members * log).
func (o *Outcome) Namesakes() (named []*snapshot.Member) {
	p := o.Of
	members, positions := o.Members()
	for i := range positions {
		if m := p.Snapshot.Member(p.Request.Name, members.NameOf(members.Model.Pending[i])); m != nil {
			named = append(named, m)
		}
	}
	return named
}

// someLeave says whether members of a gang are leaving. O(log of those that leave).
func someLeave(c *snapshot.Snapshot, gang string) bool {
	_, leaves := slices.BinarySearchFunc(c.Leaving, gang, func(m *snapshot.Member, gang string) int { return muster.CompareNatural(m.Class.Gang, gang) })
	return leaves
}
