package reference

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// tightness is what a way wins, how many gangs beyond two lie across borders of leaves then, and what it costs.
type tightness struct {
	won, across int
	cost        placement.MoveCost
}

// tightest is the best of all ways: more tiers, then fewer gangs across borders, then less cost.
func tightest(w *ways) (best tightness) {
	for i := range w.found {
		way := &w.found[i]
		after := slices.Clone(w.rows)
		for i := range after {
			after[i].Node = way.at[i]
		}
		is := tightness{cost: way.cost}
		for g, was := range w.was {
			is.won += was - tierOf(w.in, after, g)
		}
		is.across = acrossBorders(w.in, w.withOthers(after), w.alike())
		if i == 0 || is.won > best.won || is.won == best.won && (is.across < best.across || is.across == best.across && is.cost.Compare(best.cost) < 0) {
			best = is
		}
	}
	return best
}

// withOthers adds those who do not move.
func (w *ways) withOthers(rows []cluster.Running) []cluster.Running {
	rows = slices.Clone(rows)
	for _, r := range w.in.Spec.Running {
		if _, moves := w.was[r.Gang]; !moves {
			rows = append(rows, r)
		}
	}
	return rows
}

// alike says whether all that may move hold the same.
func (w *ways) alike() bool {
	for _, r := range w.rows {
		if !maps.Equal(r.Resources, w.rows[0].Resources) {
			return false
		}
	}
	return true
}

// acrossBorders is how many gangs beyond two have members in a leaf and elsewhere, added up over leaves; 0 where that is not asked.
func acrossBorders(in *Input, running []cluster.Running, asked bool) (sum int) {
	tree, _ := validity.PickTree(&in.Spec, &in.Request)
	leaves, gangs := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, r := range running {
		if r.Leaving || r.Unevictable {
			continue
		}
		n, _ := tree.Tree.Node(r.Node)
		leaf := fmt.Sprint(tree.Tree.Leaf(n))
		if leaves[leaf] == nil {
			leaves[leaf] = map[string]bool{}
		}
		if gangs[r.Gang] == nil {
			gangs[r.Gang] = map[string]bool{}
		}
		leaves[leaf][r.Gang], gangs[r.Gang][leaf] = true, true
	}
	for _, in := range leaves {
		n := 0
		for g := range in {
			if len(gangs[g]) > 1 {
				n++
			}
		}
		if asked {
			sum += max(0, n-2)
		}
	}
	return sum
}

// drawOneShape draws leaves of equally many nodes, in one spine or several, and gangs whose members all take a slot, anywhere; some room is free.
func drawOneShape(t *rapid.T) Input {
	var in Input
	tree := topology.Spec{Layers: []topology.Layer{{Tier: 1, Name: "leaf"}, {Tier: 2, Name: "spine"}}}
	leaves, nodes, slots := rapid.IntRange(2, 4).Draw(t, "leaves"), rapid.IntRange(2, 4).Draw(t, "nodes"), rapid.Int64Range(1, 2).Draw(t, "slots")
	var free []string
	for s := range rapid.IntRange(1, 2).Draw(t, "spines") {
		spine := topology.Domain{Name: fmt.Sprint("s", s), Tier: 2}
		for l := range leaves {
			leaf := topology.Domain{Name: fmt.Sprint("l", s, l), Tier: 1}
			for range nodes {
				name := fmt.Sprint("n", len(in.Spec.Nodes))
				leaf.Nodes = append(leaf.Nodes, name)
				in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{draws.Device: 2 * slots}})
				free = append(free, slices.Repeat([]string{name}, int(slots))...)
			}
			spine.Children = append(spine.Children, leaf)
		}
		tree.Roots = append(tree.Roots, spine)
	}
	made, err := topology.New(tree)
	if err != nil {
		t.Fatalf("%v", err)
	}
	in.Spec.Trees = []cluster.NamedTree{{Name: "default", Tree: made}}
	in.Request.Name = draws.GangName
	free = rapid.Permutation(free).Draw(t, "slots in order")
	free = free[:len(free)-rapid.IntRange(0, 1+len(free)/4).Draw(t, "free")]
	for g := 0; len(free) > 0; g++ {
		for m := range min(len(free), rapid.IntRange(1, 6).Draw(t, "members")) {
			in.Spec.Running = append(in.Spec.Running, cluster.Running{Gang: fmt.Sprint("ns/g-", g), Member: fmt.Sprint("m-", m), Node: free[0], Resources: muster.Resources{draws.Device: 2}})
			free = free[1:]
		}
	}
	return in
}

// Where all members take one slot, at most two gangs lie across the border of each leaf then, as long as so many may move.
func TestAtMostTwoGangsLieAcrossBorders(t *testing.T) {
	holdsFor(t, drawOneShape, func(in Input) ([]string, error) {
		c, err := placement.NewCluster(in.Spec)
		if err != nil {
			return nil, err
		}
		opt := placement.MovesOptions{}
		if n := len(in.Spec.Running); n%4 == 0 {
			opt.MaxMoved = 1 + n/8
		}
		got, err := placement.Moves(c, placement.MoveGoal{Tight: true}, opt)
		if err != nil {
			return nil, err
		}
		after := c
		if err := movesHold(c, &in, &opt, got, func(then *placement.Cluster) bool { after = then; return true }); err != nil {
			return nil, err
		}
		before, then := acrossBorders(&in, in.Spec.Running, true), acrossBorders(&in, slices.Collect(after.Running()), true)
		switch {
		case before != got.AcrossBefore || then != got.Across:
			return nil, fmt.Errorf("%d across borders, %d before: %s", then, before, movesText(got))
		case then > 0 && opt.MaxMoved == 0:
			return nil, fmt.Errorf("%d are across borders: %s", then, movesText(got))
		case then > 0:
			return []string{"more may not move"}, nil
		case before > 0:
			return []string{fmt.Sprint("no more than two, proven: ", got.Proven)}, nil
		}
		return []string{"no more than two before"}, nil
	})
}
