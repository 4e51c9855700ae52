package reference

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/topology"
)

// Groups within few units are placed as well as the reference places them, where leaves have more units than they may use.
func TestGroupsInFewDomains(t *testing.T) { holdsFor(t, mixed(drawFewDomains), planAgrees) }

// drawFewDomains draws a gang of full groups in few units or leaves, in trees of wide leaves with little room.
func drawFewDomains(t *rapid.T) Input {
	var in Input
	spec := topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}, {Name: "spine", Tier: 3}}}
	for s := range rapid.IntRange(1, 2).Draw(t, "spines") {
		spine := topology.Domain{Name: fmt.Sprint("s", s), Tier: 3}
		for l := range rapid.IntRange(1, 2).Draw(t, "leaves") {
			leaf := topology.Domain{Name: fmt.Sprint("l", l), Tier: 2}
			for u := range rapid.IntRange(2, 4).Draw(t, "units") {
				unit := topology.Domain{Name: fmt.Sprint("u", u), Tier: 1}
				for range rapid.IntRange(1, 2).Draw(t, "nodes") {
					name := fmt.Sprint("n", len(in.Spec.Nodes))
					unit.Nodes = append(unit.Nodes, name)
					in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{
						Name: name, Allocatable: muster.Resources{"gpu": rapid.Int64Range(0, 3).Draw(t, "slots")},
					})
				}
				leaf.Children = append(leaf.Children, unit)
			}
			if draws.Chance(t, 5, "unit beside leaves") {
				leaf.Tier, leaf.Nodes, leaf.Children = 1, leaf.Children[0].Nodes, nil
			}
			spine.Children = append(spine.Children, leaf)
		}
		spec.Roots = append(spec.Roots, spine)
	}
	tree, err := topology.New(spec)
	if err != nil {
		panic(err)
	}
	in.Spec.Trees = []cluster.NamedTree{{Tree: tree}}
	size, layers := rapid.IntRange(1, 3).Draw(t, "size"), []string{"unit", "leaf", "spine", "0"}
	in.Request = gang.Request{
		Name: draws.GangName, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, NeverPreempts: true,
		Groups: []gang.Groups{{Size: size, Gather: draws.Gather(t, layers)}},
		Gather: draws.Gather(t, layers),
		Policy: rapid.SampledFrom([]gang.Policy{"", gang.Spread, gang.Balanced}).Draw(t, "policy"),
		Limits: []gang.Limit{{
			Layer: rapid.SampledFrom([]string{"unit", "unit", "unit", "leaf", "0"}).Draw(t, "few of"), Kind: gang.Within,
			Most: rapid.IntRange(2, 4).Draw(t, "few"),
		}},
	}
	for i := range size * rapid.IntRange(1, 6/size).Draw(t, "groups") {
		in.Request.Members = append(in.Request.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	if rapid.Bool().Draw(t, "elastic") {
		in.Request.MinMember = rapid.IntRange(1, len(in.Request.Members)).Draw(t, "min")
	}
	return in
}
