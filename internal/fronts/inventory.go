package fronts

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: which groups does the gang ask for, and what does one of each class need?

// groupClass is a class of groups that can change places: equal rules, equal requests, and groups of one class around
// them. A group with running members is alone in its class.
type groupClass struct {
	gather model.Gather
	level  int           // 1: outermost
	parent int           // the class around; -1: the gang
	parts  []*model.Part // its groups, in the order of first ranks
	of     int           // the class itself, or the class that it was split from
	// needs of one group: own new members by role, inner groups by class.
	needs front.Vector
	// home is the lowest vertex above the running members of the only group; -1: none run.
	home layout.Vertex
}

// finished is a group whose members all run. It only limits the strategies.
type finished struct {
	gather    model.Gather
	level     int
	otherTree bool  // a group of another topology
	tier      int32 // of the lowest vertex above its members, in its topology
}

// inventory is the canonical form of a gang: which groups can change places, and how many there are of each class.
// Equal signatures make a class, whatever names and ranks the groups have.
type inventory struct {
	m          *model.Model
	roles      int
	pendingOf  []int32 // by rank: index in pending; -1: it runs
	positionOf []int32 // by rank: position while it runs; -1: it does not
	signatures map[*model.Part]string
	classes    []groupClass
	done       []finished
}

// takeInventory returns the gang's own vector (own members and outermost groups), the classes and the finished groups.
// Classes come level by level, outermost first, those of a level in the order of first ranks; so the class around
// another has a lower number.
func takeInventory(m *model.Model, roles int) (want front.Vector, classes []groupClass, done []finished) {
	inv := inventory{m: m, roles: roles, pendingOf: m.Places()}
	inv.signatures = m.Signatures(inv.pendingOf, true, false)
	own := make(front.Vector, roles)
	inv.countOwn(m.Gang, own)
	todo := inv.collect(-1, []*model.Part{m.Gang}) // breadth first, which gives the order of classes
	for len(todo) > 0 {                            // level by level
		var next []nested
		for _, n := range todo {
			next = append(next, inv.addClass(n)...)
		}
		todo = next
	}
	dims := roles + len(inv.classes)
	want = make(front.Vector, dims)
	copy(want, own)
	// Only now the number of dimensions is known.
	for k := range inv.classes {
		a := &inv.classes[k]
		needs := make(front.Vector, dims)
		copy(needs, a.needs)
		a.needs = needs
	}
	for k := range inv.classes {
		a := &inv.classes[k]
		if a.parent < 0 {
			want[roles+k] = int32(len(a.parts))
		} else {
			// Groups of one class have equally many inner groups of each class.
			outer := &inv.classes[a.parent]
			outer.needs[roles+k] = int32(len(a.parts) / len(outer.parts))
		}
	}
	return want, inv.classes, inv.done
}

// countOwn adds the new members of a part to own, by role. Members of parts that are no groups in the gang's tree
// belong to the group around.
func (inv *inventory) countOwn(a *model.Part, own front.Vector) {
	for _, rank := range a.Ranks {
		if i := inv.pendingOf[rank]; i >= 0 {
			own[inv.m.Role(int(i))]++
		}
	}
	for _, o := range a.Parts {
		if !o.InTree() {
			inv.countOwn(o, own)
		}
	}
}

// groupsIn lists the groups right inside a part that have new members, and notes the finished ones.
func (inv *inventory) groupsIn(a *model.Part) (out []*model.Part) {
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

// finish notes a part without new members, and all groups inside it, if members of them run.
func (inv *inventory) finish(a *model.Part) {
	a.Each(func(o *model.Part) {
		if home := inv.homeOf(o); home >= 0 && o.InTree() {
			inv.done = append(inv.done, finished{gather: o.Gather, level: o.Level, tier: inv.m.View.TierOf(home)})
		}
	})
}

// homeOf is the lowest vertex above the running members of a group, -1 if none run. Nodes outside the tree satisfy no
// hard rule: with one, members that run there reach the root.
func (inv *inventory) homeOf(a *model.Part) layout.Vertex {
	x := inv.lowestOf(a)
	if x >= 0 && inv.m.View.Contains(inv.m.View.Outside, x) && inv.m.Hard {
		return layout.Root
	}
	return x
}

// lowestOf is the lowest vertex above the running members of a part, -1 if none run.
func (inv *inventory) lowestOf(a *model.Part) layout.Vertex {
	if inv.m.Running.Len() == 0 {
		return -1
	}
	if inv.positionOf == nil {
		inv.positionOf = inv.m.PositionsByRank()
	}
	return inv.m.View.LowestOf(a.All(), inv.positionOf)
}

// nested are groups with one signature inside the groups of one class: a class to be.
type nested struct {
	parent int
	parts  []*model.Part
}

// collect divides the groups right inside groups of one class by signature, in the order of first ranks.
func (inv *inventory) collect(parent int, outer []*model.Part) []nested {
	var out []nested
	var bySignature intern.Keys[string]
	for _, a := range outer {
		for _, o := range inv.groupsIn(a) {
			i, fresh := bySignature.Of(inv.signatures[o])
			if fresh {
				out = append(out, nested{parent: parent})
			}
			out[i].parts = append(out[i].parts, o)
		}
	}
	for _, n := range out {
		slices.SortStableFunc(n.parts, compareRanks)
	}
	slices.SortStableFunc(out, func(x, y nested) int { return compareRanks(x.parts[0], y.parts[0]) })
	return out
}

// addClass makes a class, and returns the classes to be inside its groups.
func (inv *inventory) addClass(n nested) []nested {
	first := n.parts[0]
	k := groupClass{gather: first.Gather, level: first.Level, parent: n.parent, parts: n.parts, needs: make(front.Vector, inv.roles)}
	k.of = len(inv.classes)
	inv.countOwn(first, k.needs)
	k.home = inv.homeOf(first)
	inv.classes = append(inv.classes, k)
	return inv.collect(len(inv.classes)-1, n.parts)
}

// compareRanks puts parts in the order of their lowest ranks.
func compareRanks(a, b *model.Part) int { return cmp.Compare(a.First(), b.First()) }
