package parts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
)

// groupClass are groups that can change places: they have the same rules, ask for the same and lie in groups of one kind.
type groupClass struct {
	gather problem.GatherRules
	level  int
	parent int // the kind of the groups that they lie in, -1: the gang
	parts  []*problem.Part
	of     int // the kind itself, or the one that it is split from
	// needs are the new members of one group that lie in no inner one, by role, and its inner groups, by kind.
	needs front.Vector
	// home is the lowest vertex above the running members of the only group, -1 if there are none.
	home layout.Vertex
}

// finished is a group with running members alone.
type finished struct {
	gather    problem.GatherRules
	level     int
	otherTree bool // it is no group in the gang's topology
	tier      int32
}

// inventory finds the kinds of a gang.
type inventory struct {
	p                     *problem.Problem
	pendingOf, positionOf []int32 // by rank: in pending, and where it runs; -1: not at all
	signatures            map[*problem.Part]string
	inOrder               bool // parts of which members may stay out are told apart by who comes first
	classes               []groupClass
	finished              []finished
}

// takeInventory says what the gang consists of: its own members by role and its outermost groups by kind, and all kinds, outer ones first, those of a level
// in the order of their first ranks.
func takeInventory(p *problem.Problem) (want front.Vector, kinds []groupClass, done []finished) {
	inv := inventory{p: p, pendingOf: p.Places(), positionOf: p.PositionsByRank(), signatures: map[*problem.Part]string{}}
	inv.addSignature(p.Gang)
	own := make(front.Vector, len(p.Shapes))
	inv.countOwn(p.Gang, own)
	todo := inv.collect(-1, []*problem.Part{p.Gang})
	for len(todo) > 0 { // level by level
		var next []nested
		for _, n := range todo {
			next = append(next, inv.addClass(n)...)
		}
		todo = next
	}
	dims := len(p.Shapes) + len(inv.classes)
	want = make(front.Vector, dims)
	copy(want, own)
	for k := range inv.classes {
		a := &inv.classes[k]
		needs := make(front.Vector, dims)
		copy(needs, a.needs)
		a.needs = needs
	}
	for k := range inv.classes {
		a := &inv.classes[k]
		if a.parent < 0 {
			want[len(p.Shapes)+k] = int32(len(a.parts))
		} else {
			outer := &inv.classes[a.parent]
			outer.needs[len(p.Shapes)+k] = int32(len(a.parts) / len(outer.parts))
		}
	}
	return want, inv.classes, inv.finished
}

// addSignature makes a text that is equal for parts that ask for the same under the same rules, and lies in signs.
func (inv *inventory) addSignature(a *problem.Part) string {
	own := make(front.Vector, len(inv.p.Shapes))
	var order []int32
	var inner []string
	for _, rank := range a.Ranks {
		if i := inv.pendingOf[rank]; i >= 0 {
			own[inv.p.Role(int(i))]++
			order = append(order, inv.p.Role(int(i)))
		}
	}
	for _, o := range a.Parts {
		inner = append(inner, inv.addSignature(o))
	}
	slices.Sort(inner)
	sign := ""
	if own.Total() > 0 || strings.Join(inner, "") != "" {
		sign = fmt.Sprint(a.Level, a.Gather.Must, a.Gather.Hard, a.Gather.Worths, a.Multiples, a.Bundle, a.Least, a.LeastParts, own, inner)
		if inv.inOrder && a.Least > 0 {
			sign += fmt.Sprint(" as ", order)
		}
		if a.OtherTree != nil {
			sign += " in " + strconv.Quote(a.OtherTree.Name)
		}
		if inv.p.View.LowestOf(a.All(), inv.positionOf) >= 0 {
			sign += fmt.Sprint(" beside running members ", a.First())
		}
		sign = "(" + sign + ")"
	}
	inv.signatures[a] = sign
	return sign
}

// countOwn adds the new members of a group that lie in no inner one.
func (inv *inventory) countOwn(a *problem.Part, own front.Vector) {
	for _, rank := range a.Ranks {
		if i := inv.pendingOf[rank]; i >= 0 {
			own[inv.p.Role(int(i))]++
		}
	}
	for _, o := range a.Parts {
		if !o.InTree() {
			inv.countOwn(o, own)
		}
	}
}

// groupsIn lists the groups right inside a group that something is to be placed of; those of running members alone are noted.
func (inv *inventory) groupsIn(a *problem.Part) (out []*problem.Part) {
	for _, o := range a.Parts {
		switch {
		case !o.InTree():
			out = append(out, inv.groupsIn(o)...)
		case inv.signatures[o] != "":
			out = append(out, o)
		default:
			inv.finish(o)
		}
	}
	return out
}

// finish notes a group of which nothing is to be placed, and its inner ones, where members run.
func (inv *inventory) finish(a *problem.Part) {
	a.Each(func(o *problem.Part) {
		if home := inv.homeOf(o); home >= 0 && o.InTree() {
			inv.finished = append(inv.finished, finished{gather: o.Gather, level: o.Level, tier: inv.p.View.TierOf(home)})
		}
	})
}

// homeOf is the lowest vertex above the running members of a group, -1 if there are none. Nodes outside the tree satisfy no hard rule: where
// there is one, members there reach the root.
func (inv *inventory) homeOf(a *problem.Part) layout.Vertex {
	x := inv.p.View.LowestOf(a.All(), inv.positionOf)
	if x >= 0 && inv.p.View.Contains(inv.p.View.Outside, x) && inv.p.Hard() {
		return layout.Root
	}
	return x
}

// nested are groups that are alike, inside groups of one kind.
type nested struct {
	parent int
	parts  []*problem.Part
}

// collect parts the groups right inside groups of one kind by what they are.
func (inv *inventory) collect(parent int, outer []*problem.Part) []nested {
	var out []nested
	at := map[string]int{}
	for _, a := range outer {
		for _, o := range inv.groupsIn(a) {
			i, ok := at[inv.signatures[o]]
			if !ok {
				i = len(out)
				at[inv.signatures[o]] = i
				out = append(out, nested{parent: parent})
			}
			out[i].parts = append(out[i].parts, o)
		}
	}
	for _, n := range out {
		slices.SortStableFunc(n.parts, problem.ComparePartRanks)
	}
	slices.SortStableFunc(out, func(x, y nested) int { return problem.ComparePartRanks(x.parts[0], y.parts[0]) })
	return out
}

// addClass makes a kind and returns what lies in its groups.
func (inv *inventory) addClass(n nested) []nested {
	first := n.parts[0]
	k := groupClass{gather: first.Gather, level: first.Level, parent: n.parent, parts: n.parts, needs: make(front.Vector, len(inv.p.Shapes))}
	k.of = len(inv.classes)
	inv.countOwn(first, k.needs)
	k.home = inv.homeOf(first)
	inv.classes = append(inv.classes, k)
	return inv.collect(len(inv.classes)-1, n.parts)
}
