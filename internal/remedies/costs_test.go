package remedies

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
)

// drawLost draws the work of gangs; of every other cluster it is not known.
func drawLost(t *rapid.T) map[string]int64 {
	if rapid.Bool().Draw(t, "no work") {
		return nil
	}
	lost := map[string]int64{}
	for _, g := range "abcdefghij" {
		lost[string(g)] = rapid.SampledFrom([]int64{0, 1, 1, 2, 3, 1 << 39}).Draw(t, "lost")
	}
	return lost
}

// drawHeld draws racks of three nodes, most of them taken by gangs of few members, and a gang that gathers in a rack.
func drawHeld(t *rapid.T) question {
	var racks []string
	for range rapid.IntRange(1, 3).Draw(t, "racks") {
		text := ""
		for range 3 {
			text += " "
			for range rapid.IntRange(1, 3).Draw(t, "devices") {
				text += rapid.SampledFrom([]string{".", "a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "device")
			}
		}
		racks = append(racks, text)
	}
	q := question{spec: inRacks(racks...), req: jobOf(rapid.IntRange(1, 4).Draw(t, "members"), rapid.Int64Range(1, 2).Draw(t, "devices of a member")), lost: drawLost(t)}
	q.req.Gather, q.req.NeverPreempts = must("rack"), true
	return q
}

// Of all sets of gangs that could end those are told that are the fewest gangs, the fewest members, and lose the least work.
func TestGangsEndAtTheLeastCost(t *testing.T) {
	asked, gen := 0, rapid.Custom(drawHeld)
	for seed := range 400 {
		q := gen.Example(seed)
		all := q.others()
		if q.starts() || len(all) == 0 || !q.without(all).starts() {
			continue
		}
		asked++
		found, _ := remediesOf(t, q.spec, &q.req, q.lost)
		told := [3]int64{1 << 50, 1 << 50, 1 << 50}
		for _, r := range found {
			if r.Kind == explain.KindGangs {
				require.True(t, r.Least, "%s: %s", linesOf(found), q)
				told = lower(told, q.costs(r.Gangs))
			}
		}
		least := told
		for set := range setsOf(all) {
			if costs := q.costs(set); lower(least, costs) != least && q.without(set).starts() {
				least = lower(least, costs)
			}
		}
		require.Equal(t, least, told, "%s: %s", linesOf(found), q)
	}
	require.Greater(t, asked, 100)
}

// costs are the gangs, members and work of a set.
func (q question) costs(set []string) [3]int64 {
	return [3]int64{int64(len(set)), int64(q.members(set)), q.lostBy(set)}
}

func lower(a, b [3]int64) [3]int64 {
	return [3]int64{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])}
}

func (q question) without(gangs []string) question {
	return q.with(explain.Change{Kind: explain.KindGangs, Gangs: gangs})
}

// Very much work, of very many gangs, is counted in larger units: then what is told is not said to be the least.
func TestVeryMuchWorkIsLost(t *testing.T) {
	spec := inRacks("")
	spec.Nodes, spec.Running = nil, nil
	lost := map[string]int64{}
	for i := range 300 {
		name, amount := fmt.Sprint("g", i), 1+int64(i%2)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("n", i), Allocatable: muster.Resources{"gpu": 4}})
		for m := range 3 {
			spec.Running = append(spec.Running, cluster.Running{Gang: name, Member: fmt.Sprint(name, "-", m), Node: fmt.Sprint("n", i), Resources: muster.Resources{"gpu": amount}})
		}
		lost[name] = 1<<40 - int64(i)
	}
	spec.Trees = nil
	req := jobOf(2, 4)
	req.NeverPreempts = true
	found, _ := remediesOf(t, spec, &req, lost)
	i := slices.IndexFunc(found, func(r explain.Relaxation) bool { return r.Kind == explain.KindGangs })
	require.GreaterOrEqual(t, i, 0)
	require.Len(t, found[i].Gangs, 2)
	for _, r := range found {
		require.False(t, r.LeastLost && r.Least)
	}
}
