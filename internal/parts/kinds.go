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

// groupKind are groups that can change places: they have the same rules, ask for the same and lie in groups of one kind.
type groupKind struct {
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
	gather problem.GatherRules
	level  int
	abroad bool // it is no group in the gang's topology
	tier   int32
}

// billing finds the kinds of a gang.
type billing struct {
	p         *problem.Problem
	place, at []int32 // by rank: in pending, and where it runs; -1: not at all
	signs     map[*problem.Part]string
	inOrder   bool // parts of which members may stay out are told apart by who comes first
	kinds     []groupKind
	finished  []finished
}

// billOf says what the gang consists of: its own members by role and its outermost groups by kind, and all kinds, outer ones first, those of a level
// in the order of their first ranks.
func billOf(p *problem.Problem) (want front.Vector, kinds []groupKind, done []finished) {
	b := billing{p: p, place: p.Places(), at: p.PositionsByRank(), signs: map[*problem.Part]string{}}
	b.sign(p.Gang)
	own := make(front.Vector, len(p.Shapes))
	b.count(p.Gang, own)
	todo := b.collect(-1, []*problem.Part{p.Gang})
	for len(todo) > 0 { // level by level
		var next []nested
		for _, n := range todo {
			next = append(next, b.add(n)...)
		}
		todo = next
	}
	dims := len(p.Shapes) + len(b.kinds)
	want = make(front.Vector, dims)
	copy(want, own)
	for k := range b.kinds {
		a := &b.kinds[k]
		needs := make(front.Vector, dims)
		copy(needs, a.needs)
		a.needs = needs
	}
	for k := range b.kinds {
		a := &b.kinds[k]
		if a.parent < 0 {
			want[len(p.Shapes)+k] = int32(len(a.parts))
		} else {
			outer := &b.kinds[a.parent]
			outer.needs[len(p.Shapes)+k] = int32(len(a.parts) / len(outer.parts))
		}
	}
	return want, b.kinds, b.finished
}

// sign makes a text that is equal for parts that ask for the same under the same rules, and lies in signs.
func (b *billing) sign(a *problem.Part) string {
	own := make(front.Vector, len(b.p.Shapes))
	var order []int32
	var inner []string
	for _, rank := range a.Ranks {
		if i := b.place[rank]; i >= 0 {
			own[b.p.Role(int(i))]++
			order = append(order, b.p.Role(int(i)))
		}
	}
	for _, o := range a.Parts {
		inner = append(inner, b.sign(o))
	}
	slices.Sort(inner)
	sign := ""
	if own.Total() > 0 || strings.Join(inner, "") != "" {
		sign = fmt.Sprint(a.Level, a.Gather.Must, a.Gather.Hard, a.Gather.Worths, a.Multiples, a.Bundle, a.Least, a.LeastParts, own, inner)
		if b.inOrder && a.Least > 0 {
			sign += fmt.Sprint(" as ", order)
		}
		if a.OtherTree != nil {
			sign += " in " + strconv.Quote(a.OtherTree.Name)
		}
		if b.p.View.LowestOf(a.All(), b.at) >= 0 {
			sign += fmt.Sprint(" beside running members ", a.First())
		}
		sign = "(" + sign + ")"
	}
	b.signs[a] = sign
	return sign
}

// count adds the new members of a group that lie in no inner one.
func (b *billing) count(a *problem.Part, own front.Vector) {
	for _, rank := range a.Ranks {
		if i := b.place[rank]; i >= 0 {
			own[b.p.Role(int(i))]++
		}
	}
	for _, o := range a.Parts {
		if !o.InTree() {
			b.count(o, own)
		}
	}
}

// groupsIn lists the groups right inside a group that something is to be placed of; those of running members alone are noted.
func (b *billing) groupsIn(a *problem.Part) (out []*problem.Part) {
	for _, o := range a.Parts {
		switch {
		case !o.InTree():
			out = append(out, b.groupsIn(o)...)
		case b.signs[o] != "":
			out = append(out, o)
		default:
			b.finish(o)
		}
	}
	return out
}

// finish notes a group of which nothing is to be placed, and its inner ones, where members run.
func (b *billing) finish(a *problem.Part) {
	a.Each(func(o *problem.Part) {
		if home := b.homeOf(o); home >= 0 && o.InTree() {
			b.finished = append(b.finished, finished{gather: o.Gather, level: o.Level, tier: b.p.View.TierOf(home)})
		}
	})
}

// homeOf is the lowest vertex above the running members of a group, -1 if there are none. Nodes outside the tree satisfy no hard rule: where
// there is one, members there reach the root.
func (b *billing) homeOf(a *problem.Part) layout.Vertex {
	x := b.p.View.LowestOf(a.All(), b.at)
	if x >= 0 && b.p.View.Contains(b.p.View.Outside, x) && b.p.Hard() {
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
func (b *billing) collect(parent int, outer []*problem.Part) []nested {
	var out []nested
	at := map[string]int{}
	for _, a := range outer {
		for _, o := range b.groupsIn(a) {
			i, ok := at[b.signs[o]]
			if !ok {
				i = len(out)
				at[b.signs[o]] = i
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

// add makes a kind and returns what lies in its groups.
func (b *billing) add(n nested) []nested {
	first := n.parts[0]
	k := groupKind{gather: first.Gather, level: first.Level, parent: n.parent, parts: n.parts, needs: make(front.Vector, len(b.p.Shapes))}
	k.of = len(b.kinds)
	b.count(first, k.needs)
	k.home = b.homeOf(first)
	b.kinds = append(b.kinds, k)
	return b.collect(len(b.kinds)-1, n.parts)
}
