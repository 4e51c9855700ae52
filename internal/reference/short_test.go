package reference

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Plans for a short last group equal the reference's where full groups are split at several tiers.
func TestSplitPlanEqualsReference(t *testing.T) {
	holdsFor(t, mixed(func(t *rapid.T) Input { return DrawInput(t, draws.Split) }), planAgrees)
}

// The vector of intact groups, the short one included, is the best of all placements, and what the plan attains.
func TestSplitFormulasEqualDefinition(t *testing.T) {
	tiny := draws.Sizes{Nodes: 6, Slots: 2, Members: 7, Split: true}
	draw := func(t *rapid.T) Input { return DrawInput(t, tiny) }
	holdsFor(t, draw, func(in Input) ([]string, error) { return nil, formulasHold(in) })
}

// shortKinds says how the groups of a plan with a new short one lie, and what is special about it.
func shortKinds(in *Input, a *Answer) []string {
	levels := validity.Levels(&in.Request, len(validity.Own(&in.Spec, &in.Request))+len(in.Request.Members))
	if !a.Placed || len(levels) != 1 {
		return nil
	}
	s, err := newSolver(in)
	if err != nil {
		return nil
	}
	p := &search{solver: s, n: a.Members}
	if p.cut(); p.rest == 0 || len(a.WaitsFor) > 0 {
		return nil
	}
	tiers := s.tiersOf(a.Assignments, levels[0].Size)
	last := len(validity.Ranks(&in.Request, s.own)) / levels[0].Size
	short, others := tiers[last], 0
	for group, tier := range tiers {
		if group != last {
			others = max(others, tier)
		}
	}
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"", true},
		{", beside full ones", p.full > 0},
		{", whole at a lower tier than a full one", short < others && p.full > 0},
		{", the same in a domain", 0 < short && short < others && p.full > 0},
		{", the same with an affinity key", short < others && p.full > 0 && in.Request.AffinityKey != ""},
		{", the same with host scores", short < others && p.full > 0 && in.Request.Score != nil},
		{", the same with multiples", short < others && p.full > 0 && len(s.multiple) > 0},
		{", the same beside begun ones", short < others && p.full > 0 && len(p.begun) > 0},
		{", the same, policy " + string(in.Request.Policy), short < others && p.full > 0 && in.Request.Policy != ""},
		{", at the tier of a full one that is split", short == others && short > 0 && p.full > 0},
		{", members outside the tree", a.Outside > 0},
	} {
		if kind.holds {
			out = append(out, "with a short group"+kind.name)
		}
	}
	return out
}

// tiersOf are the tiers that new groups of a size reach with the members that are placed.
func (s *solver) tiersOf(assignments []placement.Assignment, size int) map[int]int {
	nodes := map[int][]string{}
	for _, a := range assignments {
		nodes[a.Rank/size] = append(nodes[a.Rank/size], a.Node)
	}
	out := map[int]int{}
	for group, list := range nodes {
		out[group] = s.lowest(list).tier
	}
	return out
}
