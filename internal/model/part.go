// Which groups does a gang in parts have, in which topology, with which rules and minima?

package model

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
)

// Part is a gang that is placed in groups that differ, one of these groups, or a bundle of some: docs/order.md,
// sections 7 and 8.
type Part struct {
	Number int // its place among all parts of the gang, outer ones first; 0: the gang
	Gather Gather
	Level  int  // groups around it, itself included; 0: the gang
	Bundle bool // it is no group: its members belong to the group around it
	// OtherTree is the topology of its rules; nil: the gang's.
	OtherTree *layout.View
	Outer     *Part // the part that it lies in; nil: it is the gang
	Idle      bool  // it only bundles parts of which none must be placed, and counts as placed
	Ranks     []int // of its own members, ascending
	Parts     []*Part
	// Multiples bind the number of all members in it.
	Multiples []Multiple
	// Least members in it and LeastParts of its parts must be placed. Least 0: all of its own members.
	Least, LeastParts int
	// Limits are on numbers of its members, or of groups below it.
	Limits []limits.OnPart
}

// Each calls f with the part and all parts in it, outer ones first.
func (a *Part) Each(f func(*Part)) {
	f(a)
	for _, b := range a.Parts {
		b.Each(f)
	}
}

// InTree says whether it is a group in the gang's topology, or the gang.
func (a *Part) InTree() bool { return !a.Bundle && a.OtherTree == nil }

// All lists the ranks of all members in it, running ones included, part by part.
func (a *Part) All() (ranks []int) {
	a.Each(func(b *Part) { ranks = append(ranks, b.Ranks...) })
	return ranks
}

// First is the lowest rank in it, the largest int if it has no members.
func (a *Part) First() int {
	first := int(^uint(0) >> 1)
	a.Each(func(b *Part) {
		if len(b.Ranks) > 0 {
			first = min(first, b.Ranks[0])
		}
	})
	return first
}

// groupsBelow lists the groups so many levels below it; a bundle is no level.
func (a *Part) groupsBelow(levels int) (out []*Part) {
	for _, b := range a.Parts {
		switch {
		case b.Bundle:
			out = append(out, b.groupsBelow(levels)...)
		case levels == 1:
			out = append(out, b)
		default:
			out = append(out, b.groupsBelow(levels-1)...)
		}
	}
	return out
}

// LimitedBy lists the ranks of the members of whom a limit of a part speaks, running ones included.
func (a *Part) LimitedBy(l limits.OnPart) []int {
	if l.Depth == 0 {
		return a.All()
	}
	var ranks []int
	for _, b := range a.Counted(l) {
		ranks = append(ranks, b.All()...)
	}
	return ranks
}

// Counted lists the groups of which a limit of a part speaks.
func (a *Part) Counted(l limits.OnPart) (out []*Part) {
	if l.Of == nil {
		return a.groupsBelow(l.Depth)
	}
	all := []*Part{}
	a.Each(func(b *Part) { all = append(all, b) })
	for _, i := range l.Of {
		out = append(out, all[i])
	}
	return out
}

// LowestInOtherTree is the lowest vertex above the members of a part in its own topology; -1 if none has a position.
// at has positions in the gang's topology, by rank, -1: nowhere. Nodes outside its topology satisfy no hard rule:
// under one, members there reach the root.
func (m *Model) LowestInOtherTree(a *Part, at []int32) layout.Vertex {
	var there []int32
	for _, rank := range a.All() {
		if pos := at[rank]; pos >= 0 {
			there = append(there, a.OtherTree.At(m.View.Node(pos)))
		}
	}
	if len(there) == 0 {
		return -1
	}
	x := a.OtherTree.Lowest(there)
	if a.Gather.Hard && a.OtherTree.Contains(a.OtherTree.Outside, x) {
		return layout.Root
	}
	return x
}

// SpansTrees says whether the rules of any part are of another topology.
func (m *Model) SpansTrees() (is bool) {
	m.Gang.Each(func(a *Part) { is = is || a.OtherTree != nil && !a.Bundle })
	return is
}
