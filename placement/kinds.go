package placement

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
)

// groupKind are groups that can change places: they have the same rules, ask for the same and lie in groups of one kind.
type groupKind struct {
	gather gathering
	level  int
	parent int // the kind of the groups that they lie in, -1: the gang
	parts  []*part
	of     int // the kind itself, or the one that it is split from
	// needs are the new members of one group that lie in no inner one, by role, and its inner groups, by kind.
	needs front.Vector
	// home is the lowest vertex above the running members of the only group, -1 if there are none.
	home layout.Vertex
}

// finished is a group with running members alone.
type finished struct {
	gather gathering
	level  int
	abroad bool // it is no group in the gang's topology
	tier   int32
}

// billing finds the kinds of a gang.
type billing struct {
	p         *problem
	place, at []int32 // by rank: in pending, and where it runs; -1: not at all
	signs     map[*part]string
	inOrder   bool // parts of which members may stay out are told apart by who comes first
	kinds     []groupKind
	finished  []finished
}

// billOf says what the gang consists of: its own members by role and its outermost groups by kind, and all kinds, outer ones first, those of a level
// in the order of their first ranks.
func billOf(p *problem) (want front.Vector, kinds []groupKind, done []finished) {
	b := billing{p: p, place: p.places(), at: p.positionsByRank(), signs: map[*part]string{}}
	b.sign(p.whole)
	own := make(front.Vector, len(p.shapes))
	b.count(p.whole, own)
	todo := b.collect(-1, []*part{p.whole})
	for len(todo) > 0 { // level by level
		var next []nested
		for _, n := range todo {
			next = append(next, b.add(n)...)
		}
		todo = next
	}
	dims := len(p.shapes) + len(b.kinds)
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
			want[len(p.shapes)+k] = int32(len(a.parts))
		} else {
			outer := &b.kinds[a.parent]
			outer.needs[len(p.shapes)+k] = int32(len(a.parts) / len(outer.parts))
		}
	}
	return want, b.kinds, b.finished
}

// sign makes a text that is equal for parts that ask for the same under the same rules, and lies in signs.
func (b *billing) sign(a *part) string {
	own := make(front.Vector, len(b.p.shapes))
	var order []int32
	var inner []string
	for _, rank := range a.ranks {
		if i := b.place[rank]; i >= 0 {
			own[b.p.role(int(i))]++
			order = append(order, b.p.role(int(i)))
		}
	}
	for _, o := range a.parts {
		inner = append(inner, b.sign(o))
	}
	slices.Sort(inner)
	sign := ""
	if own.Total() > 0 || strings.Join(inner, "") != "" {
		sign = fmt.Sprint(a.level, a.gather.must, a.gather.hard, a.gather.worths, a.multiples, a.bundle, a.least, a.leastParts, own, inner)
		if b.inOrder && a.least > 0 {
			sign += fmt.Sprint(" as ", order)
		}
		if a.abroad != nil {
			sign += " in " + strconv.Quote(a.abroad.Name)
		}
		if b.p.v.LowestOf(a.all(), b.at) >= 0 {
			sign += fmt.Sprint(" beside running members ", a.first())
		}
		sign = "(" + sign + ")"
	}
	b.signs[a] = sign
	return sign
}

// role is that of the i-th pending member.
func (p *problem) role(i int) int32 {
	if p.roleOf == nil {
		return 0
	}
	return p.roleOf[i]
}

// count adds the new members of a group that lie in no inner one.
func (b *billing) count(a *part, own front.Vector) {
	for _, rank := range a.ranks {
		if i := b.place[rank]; i >= 0 {
			own[b.p.role(int(i))]++
		}
	}
	for _, o := range a.parts {
		if !o.inTree() {
			b.count(o, own)
		}
	}
}

// groupsIn lists the groups right inside a group that something is to be placed of; those of running members alone are noted.
func (b *billing) groupsIn(a *part) (out []*part) {
	for _, o := range a.parts {
		switch {
		case !o.inTree():
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
func (b *billing) finish(a *part) {
	a.each(func(o *part) {
		if home := b.homeOf(o); home >= 0 && o.inTree() {
			b.finished = append(b.finished, finished{gather: o.gather, level: o.level, tier: b.p.v.TierOf(home)})
		}
	})
}

// homeOf is the lowest vertex above the running members of a group, -1 if there are none. Nodes outside the tree satisfy no hard rule: where
// there is one, members there reach the root.
func (b *billing) homeOf(a *part) layout.Vertex {
	x := b.p.v.LowestOf(a.all(), b.at)
	if x >= 0 && b.p.v.Contains(b.p.v.Outside, x) && b.p.hard() {
		return layout.Root
	}
	return x
}

// nested are groups that are alike, inside groups of one kind.
type nested struct {
	parent int
	parts  []*part
}

// collect parts the groups right inside groups of one kind by what they are.
func (b *billing) collect(parent int, outer []*part) []nested {
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
		slices.SortStableFunc(n.parts, comparePartRanks)
	}
	slices.SortStableFunc(out, func(x, y nested) int { return comparePartRanks(x.parts[0], y.parts[0]) })
	return out
}

// add makes a kind and returns what lies in its groups.
func (b *billing) add(n nested) []nested {
	first := n.parts[0]
	k := groupKind{gather: first.gather, level: first.level, parent: n.parent, parts: n.parts, needs: make(front.Vector, len(b.p.shapes))}
	k.of = len(b.kinds)
	b.count(first, k.needs)
	k.home = b.homeOf(first)
	b.kinds = append(b.kinds, k)
	return b.collect(len(b.kinds)-1, n.parts)
}
