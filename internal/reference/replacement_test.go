package reference

import (
	"slices"
	"testing"

	"github.com/muster-sched/muster/internal/draws"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// Every plan for a gang that lacks one member equals the reference's: there the order of ranks may decide.
func TestReplacementsEqualReference(t *testing.T) { holdsFor(t, mixed(drawLoss), planAgrees) }

// drawLoss draws a gang that runs but for one member, of any rank.
func drawLoss(t *rapid.T) Input {
	in := DrawInput(t, draws.Small)
	req, own := &in.Request, 0
	for i := range in.Spec.Running {
		if r := &in.Spec.Running[i]; draws.Chance(t, 60, "of the gang") && r.Gang != draws.GangName && req.Shape.NUMA == (gang.NUMA{}) && !r.Leaving {
			r.Gang, r.Member = draws.GangName, r.Gang+" "+r.Member
		}
		if in.Spec.Running[i].Gang == draws.GangName {
			own++
		}
	}
	req.Members = req.Members[:1]
	req.Members[0].Shape = nil
	req.Gather = slices.DeleteFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 0 })
	req.PP, req.DP, req.Total, req.MinMember = 0, 0, 0, 0
	for len(req.Groups) > 0 && (own+1)%req.Groups[0].Size != 0 {
		req.Groups = req.Groups[1:]
	}
	for i := range req.Groups {
		if len(req.Groups) > 1 { // the planner refuses to count them beside running members
			req.Groups[i].Limits = nil
		}
	}
	draws.HardInParts(&in.Spec, req)
	ranks := rapid.Permutation(draws.HostileRanks).Draw(t, "ranks")
	rank := func(i int) int {
		if i < len(ranks) {
			return ranks[i]
		}
		return draws.HostileRank(i)
	}
	req.Members[0].Index, req.Members[0].Indexed = rank(0), true
	for i := range in.Spec.Running {
		if r := &in.Spec.Running[i]; r.Gang == draws.GangName {
			r.Index, r.Indexed = rank(own), true
			own--
		}
	}
	return in
}
