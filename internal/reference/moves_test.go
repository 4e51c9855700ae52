package reference

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// Moves can be carried out one after the other, everybody has a place then that is no wider, the gang fits, and no way costs less than is said.
func TestMovesEqualAllWays(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{"small": drawSmallRefused, "full": drawFull, "fragments": drawFragments, "refused": drawRefused} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, draw, movesAgree)
		})
	}
}

// drawFragments draws leaves of few nodes with room here and there, gangs in them, and a gang for which all that room would do.
func drawFragments(t *rapid.T) Input {
	in, tree, free := Input{Request: gang.Request{Name: draws.GangName}}, topology.Spec{Layers: []topology.Layer{{Tier: 1, Name: "leaf"}, {Tier: 2, Name: "spine"}}}, int64(0)
	left, size := map[string]int64{}, rapid.Int64Range(1, 4).Draw(t, "size")
	for s := range rapid.IntRange(1, 2).Draw(t, "spines") {
		spine := topology.Domain{Name: fmt.Sprint("s", s), Tier: 2}
		for l := range rapid.IntRange(1, 3).Draw(t, "leaves") {
			leaf := topology.Domain{Name: fmt.Sprint("l", s, l), Tier: 1}
			for range rapid.IntRange(1, 3).Draw(t, "nodes") {
				name := fmt.Sprint("n", len(in.Spec.Nodes))
				leaf.Nodes = append(leaf.Nodes, name)
				in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{draws.Device: size}})
				left[name], free = size, free+size
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
	for m := range rapid.IntRange(1, 8).Draw(t, "members") {
		n := rapid.SampledFrom(in.Spec.Nodes).Draw(t, "node").Name
		amount := rapid.Int64Range(1, size).Draw(t, "amount")
		if left[n] < amount {
			continue
		}
		left[n], free = left[n]-amount, free-amount
		in.Spec.Running = append(in.Spec.Running, cluster.Running{
			Gang: fmt.Sprint("ns/g-", rapid.IntRange(1, 4).Draw(t, "gang")), Member: fmt.Sprint("m-", m), Node: n, Resources: muster.Resources{draws.Device: amount},
			NonPreemptible: draws.Chance(t, 5, "stays"),
		})
	}
	asks := rapid.Int64Range(1, size).Draw(t, "asks")
	in.Request.Shape.Resources = muster.Resources{draws.Device: asks}
	for i := range min(6, free/asks) {
		in.Request.Members = append(in.Request.Members, gang.Member{Name: fmt.Sprint("g-", i)})
	}
	if n := len(in.Request.Members); n > 1 {
		in.Request.Members = in.Request.Members[rapid.IntRange(0, n-1).Draw(t, "fewer"):]
	}
	if layer := rapid.SampledFrom([]string{"", "node", "leaf", "leaf", "spine"}).Draw(t, "must"); layer != "" {
		in.Request.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	if draws.Chance(t, 20, "in groups") {
		in.Request.Groups = []gang.Groups{{Size: 2, Gather: []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}}}
	}
	return in
}

// Where any moves do, those that are found are the cheapest in all but one of twenty clusters at most.
func TestMovesAreTheLeast(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	kinds, gen := map[string]int{}, rapid.Custom(drawFragments)
	for seed := range 400 {
		in := gen.Example(seed)
		kind, err := movesAgree(in)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, in.Text())
		}
		kinds[kind[0]]++
	}
	least := kinds["the least"] + kinds["the least, not proven"]
	if all := least + kinds["costs more"] + kinds["missed"]; all < 20 || 100*least < 95*all {
		t.Errorf("%d of %d are the least: %v", least, all, kinds)
	}
	t.Log(kinds)
}

func movesAgree(in Input) ([]string, error) {
	return goalAgrees(&in, placement.MoveGoal{Fit: &in.Request}, fitsThen(&in))
}

// Domains become empty at the least cost.
func TestEmptyDomainsEqualAllWays(t *testing.T) {
	holdsFor(t, drawFragments, func(in Input) ([]string, error) {
		n, layer := 1+len(in.Request.Members)%2, []string{"leaf", "leaf", "node"}[len(in.Spec.Running)%3]
		return goalAgrees(&in, placement.MoveGoal{Empty: layer, Count: n}, emptyThen(&in, layer, n))
	})
}

// All gangs lie as tight as can be: as many tiers are won as any way wins, at the least cost of such.
func TestTightEqualsAllWays(t *testing.T) {
	holdsFor(t, drawFragments, tightAgrees)
}

func tightAgrees(in Input) ([]string, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	opt := optionsOf(&in)
	opt.Wider = false
	got, err := placement.Moves(c, placement.MoveGoal{Tight: true}, opt)
	if err != nil {
		return nil, err
	}
	if err := movesHold(c, &in, &opt, got, func(*placement.Cluster) bool { return true }); err != nil {
		return nil, err
	}
	w, known := waysOf(&in, &opt)
	if !known {
		return []string{fmt.Sprint("moves: ", len(got.Moves) > 0)}, nil
	}
	best := tightest(w)
	is := tightness{got.Tighter, got.Across, got.Cost}
	switch {
	case got.Tighter > best.won || got.AtMost < best.won || got.Across < best.across && got.Tighter == best.won:
		return nil, fmt.Errorf("%+v, at most %d, want %+v: %s", is, got.AtMost, best, movesText(got))
	case got.Proven && is != best:
		return nil, fmt.Errorf("%+v, proven, want %+v: %s", is, best, movesText(got))
	case got.Tighter < best.won:
		return []string{"wins less"}, nil
	case got.Across > best.across:
		return []string{"more across borders"}, nil
	case got.Cost.Compare(best.cost) < 0 || got.LowerBound.Compare(best.cost) > 0:
		return nil, fmt.Errorf("want %+v: %s", best, movesText(got))
	case got.Cost != best.cost:
		return []string{"costs more"}, nil
	case best == tightness{}:
		return []string{fmt.Sprint("nothing to win, proven: ", got.Proven)}, nil
	}
	return []string{fmt.Sprint("the tightest, proven: ", got.Proven)}, nil
}

// optionsOf are options that come of the numbers of nodes and members: every other cluster has none.
func optionsOf(in *Input) (opt placement.MovesOptions) {
	n := len(in.Spec.Nodes) + 3*len(in.Spec.Running)
	if n%2 == 0 {
		return opt
	}
	opt.Wider = n%3 == 0
	if n%5 < 2 {
		opt.MaxMoved = 1 + n%4
	}
	lost := map[string]bool{}
	for i, r := range in.Spec.Running {
		if !lost[r.Gang] && n%7 < 4 {
			lost[r.Gang] = true
			opt.Movers = append(opt.Movers, placement.Mover{Gang: r.Gang, Lost: int64((i + n) % 3)})
		}
	}
	return opt
}

// lost is the work of a gang; false: it does not move.
func lost(opt *placement.MovesOptions, name string) (int64, bool) {
	for _, o := range opt.Movers {
		if o.Gang == name {
			return o.Lost, true
		}
	}
	return 0, opt.Movers == nil
}

func goalAgrees(in *Input, goal placement.MoveGoal, reached func(*placement.Cluster) bool) ([]string, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return []string{"invalid"}, nil //nolint:nilerr // names that are drawn twice
	}
	opt := optionsOf(in)
	got, err := placement.Moves(c, goal, opt)
	var refused *placement.Unschedulable
	if err != nil && !errors.As(err, &refused) {
		return []string{"not supported"}, nil
	}
	if err == nil {
		if err := movesHold(c, in, &opt, got, reached); err != nil {
			return nil, err
		}
		if len(got.Moves) == 0 {
			return []string{"nobody moves"}, nil
		}
	}
	want, known := leastMoves(c, in, &opt, reached)
	switch {
	case !known && got != nil:
		return []string{"moves"}, nil
	case !known:
		return []string{"no moves"}, nil
	case want == nil && got != nil:
		return nil, fmt.Errorf("moves that no way has: %s", movesText(got))
	case want == nil && refused.Proven:
		return []string{"none, proven"}, nil
	case want == nil:
		return []string{"none, not proven"}, nil
	case got == nil && refused.Proven:
		return nil, fmt.Errorf("no moves, proven, where %+v do", *want)
	case got == nil:
		return []string{"missed"}, nil
	case got.LowerBound.Compare(*want) > 0 || got.Cost.Compare(*want) < 0 || got.Proven && got.Cost != *want:
		return nil, fmt.Errorf("%d moves, want %+v: %s", len(got.Moves), *want, movesText(got))
	case got.Cost != *want:
		return []string{"costs more"}, nil
	case !got.Proven:
		return []string{"the least, not proven"}, nil
	}
	return []string{"the least"}, nil
}

func movesText(m *placement.Moving) string {
	text := fmt.Sprintf("cost %+v, bound %+v, proven %v", m.Cost, m.LowerBound, m.Proven)
	for _, move := range m.Moves {
		text += fmt.Sprintf("\n  %s %+v", move.Gang, move.Members)
	}
	return text
}

// movesHold carries moves out.
func movesHold(c *placement.Cluster, in *Input, opt *placement.MovesOptions, got *placement.Moving, reached func(*placement.Cluster) bool) (err error) {
	cost, to, gangs := placement.MoveCost{}, map[cluster.MemberRef]string{}, map[string]bool{}
	for i := range got.Moves {
		move := &got.Moves[i]
		for _, m := range move.Members {
			at := cluster.MemberRef{Gang: move.Gang, Member: m.Member}
			if was, is := to[at]; is && was != "" {
				return fmt.Errorf("%v moves twice: %s", at, movesText(got))
			}
			if to[at] = m.To; m.From != "" {
				cost.Members++
			}
			if m.From == m.To {
				return fmt.Errorf("%v does not move: %s", at, movesText(got))
			}
		}
		gangs[move.Gang] = true
		if c, err = c.Update(move.Delta()); err != nil {
			return fmt.Errorf("move %d cannot be carried out: %w\n%s", i, err, movesText(got))
		}
		if err := validity.CheckSnapshot(validity.Describe(c)); err != nil && validity.CheckSnapshot(in.Spec) == nil {
			return fmt.Errorf("after move %d: %w\n%s", i, err, movesText(got))
		}
	}
	cost.Gangs = len(gangs)
	for g := range gangs {
		work, moves := lost(opt, g)
		if cost.Lost += work; !moves {
			return fmt.Errorf("%s may not move: %s", g, movesText(got))
		}
	}
	if opt.MaxMoved > 0 && cost.Members > opt.MaxMoved {
		return fmt.Errorf("more than %d move: %s", opt.MaxMoved, movesText(got))
	}
	if cost != got.Cost {
		return fmt.Errorf("costs %+v: %s", cost, movesText(got))
	}
	before, after := slices.Clone(in.Spec.Running), slices.Collect(c.Running())
	if len(before) != len(after) {
		return fmt.Errorf("%d run, %d ran: %s", len(after), len(before), movesText(got))
	}
	for g := range gangs {
		if was, is := tierOf(in, before, g), tierOf(in, after, g); is > was && !opt.Wider {
			return fmt.Errorf("%s lies at tier %d, %d before: %s", g, is, was, movesText(got))
		}
	}
	if !reached(c) {
		return fmt.Errorf("the goal is not reached: %s", movesText(got))
	}
	if got.Plan != nil {
		if _, err = starts(c, got.Plan); err != nil {
			return fmt.Errorf("the gang does not start: %w\n%s", err, movesText(got))
		}
	}
	return nil
}

// tierOf is the tier of the lowest domain that has the members of a gang who stay, in the topology of the request.
func tierOf(in *Input, running []cluster.Running, name string) int {
	net, _ := validity.NewNetwork(&in.Spec, &in.Request)
	var nodes []string
	for i := range running {
		if r := &running[i]; r.Gang == name && !r.Leaving {
			nodes = append(nodes, r.Node)
		}
	}
	return net.Smallest(nodes).Tier
}
