package reference

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/placement"
)

// drawFull draws few nodes full of small members, and a gang of larger ones, which several others would have to end for.
func drawFull(t *rapid.T) Input {
	in := Input{Request: gang.Request{Name: draws.GangName, NeverPreempts: draws.Chance(t, 70, "evicts nobody"), Priority: 5}}
	gangs := rapid.IntRange(3, 12).Draw(t, "gangs")
	for i := range rapid.IntRange(1, 4).Draw(t, "nodes") {
		name := fmt.Sprint("n", i)
		size := rapid.Int64Range(6, 16).Draw(t, "size")
		in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{draws.Device: size, draws.Second: 20 * size}})
		for left := size - rapid.Int64Range(0, 2).Draw(t, "free"); left > 0; {
			amount := min(left, rapid.Int64Range(1, 3).Draw(t, "amount"))
			left -= amount
			n := len(in.Spec.Running)
			r := cluster.Running{
				Gang: fmt.Sprint("r", n), Member: fmt.Sprint("m", n), Node: name, MinMember: -1, Priority: rapid.Int64Range(0, 9).Draw(t, "priority"),
				Resources: muster.Resources{draws.Device: amount, draws.Second: 10 * amount * rapid.Int64Range(1, 2).Draw(t, "second")},
			}
			if draws.Chance(t, 60, "in a gang") {
				r.Gang = fmt.Sprint("r", rapid.IntRange(0, gangs).Draw(t, "gang"))
			}
			in.Spec.Running = append(in.Spec.Running, r)
		}
	}
	in.Request.Shape.Resources = muster.Resources{draws.Device: rapid.Int64Range(2, 6).Draw(t, "asks")}
	if draws.Chance(t, 40, "of both") {
		in.Request.Shape.Resources[draws.Second] = rapid.Int64Range(1, 100).Draw(t, "asks for the second")
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "members") {
		in.Request.Members = append(in.Request.Members, gang.Member{Name: fmt.Sprint("g", i)})
	}
	if draws.Chance(t, 25, "in groups") {
		in.Request.Groups = []gang.Groups{{Size: 2}}
	}
	if draws.Chance(t, 20, "apart") {
		in.Request.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "0", Most: 1}}
	}
	return in
}

// Where several gangs would have to end the fewest are told; and a kind that helps is told, or said to have been looked into in part, however
// many plans may be made.
func TestChangesOfFullNodes(t *testing.T) {
	gen := rapid.Custom(drawFull)
	for seed := range 300 {
		changesHelp(t, gen.Example(seed), []int{0, 0, 0, 12}[seed%4])
	}
}

// One node of eight, members of 2 1 2 1 1 1, a gang of two of three: four must end.
func TestFourGangsEnd(t *testing.T) {
	in := Input{Request: gang.Request{Name: draws.GangName, NeverPreempts: true}}
	in.Spec.Nodes = []cluster.Node{{Name: "n0", Allocatable: muster.Resources{muster.CPU: 8000}}}
	for i, cpus := range []int64{2, 1, 2, 1, 1, 1} {
		name := fmt.Sprint("p", i)
		in.Spec.Running = append(in.Spec.Running, cluster.Running{Gang: name, Member: name, Node: "n0", Resources: muster.Resources{muster.CPU: 1000 * cpus}})
	}
	in.Request.Shape.Resources = muster.Resources{muster.CPU: 3000}
	in.Request.Members = []gang.Member{{Name: "g-0"}, {Name: "g-1"}}
	c, err := placement.NewCluster(in.Spec)
	require.NoError(t, err)
	e := placement.Explain(c, &in.Request, placement.ExplainOptions{})
	var told []explain.Relaxation
	for _, r := range e.Relaxations {
		if r.Kind == explain.KindGangs {
			told = append(told, r)
		}
	}
	require.Len(t, told, 1)
	require.Equal(t, []string{"p0", "p1", "p2", "p3"}, told[0].Gangs)
	require.True(t, told[0].Least)
	require.Empty(t, e.NotTried)
}
