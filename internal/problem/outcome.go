package problem

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Evidence is what a refusal rests on.
type Evidence struct {
	Wanted int   // how many members must be placed; 0: as many as the problem says
	Fits   []Fit // the best domain of each tier that the rules allow
	// Proven says whether nothing was left out. It is asked last.
	Proven func() bool
}

// Fit is what a domain of a tier could take.
type Fit struct {
	Tier            int32
	Domain          layout.Vertex
	Members, Groups int
}

// Outcome is a decided plan: where the new members go, and for whom they wait.
type Outcome struct {
	Of        *Problem // with the members that are placed the first ones
	Domain    layout.Vertex
	Tier      int32   // that the strategy allows the gang
	Positions []int32 // of new members by rank; of units where whole groups are placed like members
	Waits     []*snapshot.Member
}

// Strategy bounds the tiers of the gang and of each group level by what they are worth.
type Strategy struct {
	Gang   int32
	Groups []int32
}
