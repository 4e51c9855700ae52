package reference

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// No more members move than by sets of whole gangs: the fewest gangs that would have to end, and of each domain the set of the fewest members, where all of them have a place
// elsewhere without anybody else moving. Where the moves are proven that is always so, else in nearly all clusters.
func TestNoMoreMembersMoveThanByAKnapsack(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	kinds, gen := map[string]int{}, rapid.Custom(drawFragments)
	moved, byGangs, bySets := 0, 0, 0
	for seed := range 1500 {
		in := gen.Example(seed)
		in.Request.Groups = nil
		c, err := placement.NewCluster(in.Spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := placement.Moves(c, placement.MoveGoal{Fit: &in.Request}, placement.MovesOptions{})
		if err != nil || len(got.Moves) == 0 {
			continue
		}
		sets := knapsacks(c, &in)
		if len(sets) == 0 {
			continue
		}
		kind := fmt.Sprint("no more than by sets, proven: ", got.Proven)
		if fewest := slices.Min(sets); got.Cost.Members > fewest {
			kind = "more than by sets"
			if got.Proven {
				t.Fatalf("seed %d: %d members move, %d by a set: %s\n%s", seed, got.Cost.Members, fewest, movesText(got), in.Text())
			}
		} else if gangs, known := fewestGangs(c, &in); known {
			moved, byGangs, bySets = moved+got.Cost.Members, byGangs+gangs, bySets+fewest
		}
		kinds[kind]++
	}
	if all := kinds["no more than by sets, proven: true"] + kinds["no more than by sets, proven: false"]; all < 80 || all < 50*kinds["more than by sets"] {
		t.Errorf("%v", kinds)
	}
	t.Logf("%v; where the fewest gangs have a place elsewhere %d members move, %d by sets, %d with these gangs", kinds, moved, bySets, byGangs)
}

// knapsacks are how many members have sets of whole gangs that could move for the gang.
func knapsacks(c *placement.Cluster, in *Input) (sizes []int) {
	for set := range subsets(otherGangs(in), len(in.Spec.Running)) {
		if members, fits := moveAway(c, in, set); fits {
			sizes = append(sizes, members)
		}
	}
	return sizes
}

// fewestGangs is how many members have the fewest gangs that would have to end; false: these have no place elsewhere, or are not told.
func fewestGangs(c *placement.Cluster, in *Input) (int, bool) {
	for _, r := range placement.Explain(c, &in.Request, placement.ExplainOptions{}).Relaxations {
		if r.Kind == explain.KindGangs && !r.FewestMembers && !r.LeastLost {
			return moveAway(c, in, r.Gangs)
		}
	}
	return 0, false
}

// moveAway lets gangs leave for the gang, and places them behind it, those of most members first, at tiers that are no higher.
func moveAway(c *placement.Cluster, in *Input, set []string) (members int, fits bool) {
	rows := map[string][]cluster.Running{}
	for _, r := range in.Spec.Running {
		if slices.Contains(set, r.Gang) {
			rows[r.Gang] = append(rows[r.Gang], r)
			if members++; r.NonPreemptible {
				return 0, false
			}
		}
	}
	next, err := c.ReleaseGangs(set...)
	if err != nil {
		return 0, false
	}
	order := slices.Clone(set)
	slices.SortStableFunc(order, func(a, b string) int { return len(rows[b]) - len(rows[a]) })
	requests := []*gang.Request{&in.Request}
	for _, name := range order {
		req := &gang.Request{Name: name}
		if layer := []string{"node", "leaf", "spine", ""}[tierOf(in, in.Spec.Running, name)]; layer != "" {
			req.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
		}
		for _, r := range rows[name] {
			req.Members = append(req.Members, gang.Member{Name: r.Member, Shape: &gang.Shape{Resources: r.Resources}})
		}
		requests = append(requests, req)
	}
	for _, req := range requests {
		r, err := placement.Plan(next, req)
		if err != nil || len(r.Victims) > 0 || len(r.Assignments) < len(req.Members) && req != &in.Request {
			return 0, false
		}
		if next, err = next.Apply(r); err != nil {
			return 0, false
		}
	}
	return members, true
}
