// Which gangs in parts are the tests asked about? Small ones, some of them of parts that are alike.

package model_test

import (
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/spec"
	"github.com/muster-sched/muster/topology"
)

// drawn is a gang in parts.
type drawn struct {
	*model.Model
	parts []*model.Part // by number
	in    []int         // by rank: the number of the part whose own member it is
}

// drawParts draws a tree of parts on the topology of a drawn model, some of another one, with members of three roles and a few that run. Half of
// the gangs have no rules, so that parts that can change places are among them.
func drawParts(t *rapid.T) *drawn {
	v := spec.Draw(t).View
	d := &drawn{Model: &model.Model{View: v, LCA: -1, Gang: &model.Part{}}}
	d.parts = []*model.Part{d.Gang}
	outer := d.Gang
	for number := range rapid.IntRange(0, 6).Draw(t, "parts") {
		for up := rapid.IntRange(0, outer.Level).Draw(t, "up"); up > 0 && outer.Outer != nil; up-- {
			outer = outer.Outer
		}
		a := &model.Part{Number: number + 1, Outer: outer, Bundle: rapid.IntRange(0, 3).Draw(t, "bundle") == 3}
		if a.Level = outer.Level; !a.Bundle {
			a.Level++
		}
		outer.Parts, d.parts = append(outer.Parts, a), append(d.parts, a)
		outer = a
	}
	for rank := range rapid.IntRange(1, 9).Draw(t, "members") {
		d.in = append(d.in, rapid.IntRange(0, len(d.parts)-1).Draw(t, "part of a member"))
		a := d.parts[d.in[rank]]
		a.Ranks = append(a.Ranks, rank)
		d.Ranks++
		if rapid.IntRange(0, 9).Draw(t, "runs") == 9 {
			d.Running = roll.Of(append(slices.Collect(d.Running.All()), roll.Member{Rank: rank, Pos: drawPosition(t, v)})...)
			continue
		}
		d.Pending, d.RoleOf = append(d.Pending, rank), append(d.RoleOf, int32(max(0, rapid.IntRange(-3, 2).Draw(t, "role"))))
	}
	if rapid.Bool().Draw(t, "rules") {
		others := []*layout.View{nil, nil, drawOtherTree(t, v, "feeds"), drawOtherTree(t, v, "power")}
		for _, a := range d.parts {
			d.drawRules(t, a)
			a.OtherTree = rapid.SampledFrom(others).Draw(t, "tree")
		}
		d.drawLimits(t)
	}
	return d
}

func drawPosition(t *rapid.T, v *layout.View) int32 {
	return int32(rapid.IntRange(0, int(v.Nodes)-1).Draw(t, "position"))
}

// drawOtherTree draws a tree of one layer over the nodes of a view, some of which it lacks.
func drawOtherTree(t *rapid.T, v *layout.View, name string) *layout.View {
	var names []string
	for i := range v.Nodes {
		names = append(names, "n"+strconv.Itoa(int(i)))
	}
	order := rapid.Permutation(names).Draw(t, "order")
	in := order[:rapid.IntRange(1, len(order)).Draw(t, "nodes in the other tree")]
	var roots []topology.Domain
	var ids []int32
	for some := range slices.Chunk(in, rapid.IntRange(1, 3).Draw(t, "nodes of a domain")) {
		roots = append(roots, topology.Domain{Name: "d" + strconv.Itoa(len(roots)), Tier: 1, Nodes: some})
	}
	tree, err := topology.New(topology.Spec{Roots: roots})
	if err != nil {
		panic(err)
	}
	for i := range tree.NumNodes() {
		ids = append(ids, int32(slices.Index(names, tree.NodeName(topology.NodeID(i)))))
	}
	return layout.New(name, tree, names, ids)
}

// drawRules draws what binds a part.
func (d *drawn) drawRules(t *rapid.T, a *model.Part) {
	seldom := func(what string) bool { return rapid.IntRange(0, 4).Draw(t, what) == 4 }
	if a.Gather.Hard = seldom("hard"); seldom("gathers") {
		a.Gather.Must, a.Gather.Worths = 1, []int32{0, 1}
	}
	if seldom("multiples") {
		a.Multiples = []model.Multiple{{Tier: 1, Of: int64(rapid.IntRange(2, 3).Draw(t, "multiple"))}}
	}
	if seldom("minimum") {
		a.Least = 1
	}
	if seldom("minimum of parts") {
		a.LeastParts = rapid.IntRange(0, len(a.Parts)).Draw(t, "least parts")
	}
}

// drawLimits draws limits of parts: on numbers of members or of groups, and in the gang's on groups that are listed.
func (d *drawn) drawLimits(t *rapid.T) {
	for range rapid.IntRange(0, 3).Draw(t, "limits") {
		l := limits.OnPart{Depth: rapid.IntRange(0, 2).Draw(t, "depth")}
		of := rapid.SampledFrom(d.parts).Draw(t, "part of a limit")
		if of == d.Gang && l.Depth > 0 && rapid.Bool().Draw(t, "listed") {
			for number := 1; number < len(d.parts); number++ {
				if rapid.Bool().Draw(t, "counted") {
					l.Of = append(l.Of, number)
				}
			}
		}
		of.Limits = append(of.Limits, l)
	}
}

// lies says whether a part is another one, or lies in it.
func lies(b, a *model.Part) bool {
	for ; b != nil; b = b.Outer {
		if a == b {
			return true
		}
	}
	return false
}

// allIn lists the ranks in a part, part by part.
func (d *drawn) allIn(a *model.Part) (ranks []int) {
	for number, b := range d.parts {
		for rank, in := range d.in {
			if in == number && lies(b, a) {
				ranks = append(ranks, rank)
			}
		}
	}
	return ranks
}

// counts says whether a limit of a part speaks of another part as one of its groups.
func counts(a *model.Part, l limits.OnPart, b *model.Part) bool {
	if l.Of != nil {
		return slices.Contains(l.Of, b.Number)
	}
	depth := 0
	for up := b; up != nil && up != a; up = up.Outer {
		if !up.Bundle {
			depth++
		}
	}
	return b != a && lies(b, a) && !b.Bundle && depth == l.Depth
}

// selects draws who is placed.
func (d *drawn) selects(t *rapid.T) model.Selection {
	in := make(model.Selection, len(d.Pending))
	for i := range in {
		in[i] = rapid.Bool().Draw(t, "selected")
	}
	return in
}
