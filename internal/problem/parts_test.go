// Which groups do parts make, in which topology, and whose members do rules, minima and limits of theirs speak of?

package problem_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
)

// picture draws a tree of parts on one line: a name, its minima, its own ranks, and in brackets what is in it.
func picture(p *problem.Problem, a *model.Part) string {
	out := fmt.Sprintf("%s %d/%d %v", p.Called.Label(a), a.Least, a.LeastParts, a.Ranks)
	if a.Bundle {
		out = "~" + out
	}
	if a.OtherTree != nil {
		out += "@" + a.OtherTree.Name
	}
	if len(a.Parts) == 0 {
		return out
	}
	out += " ("
	for i, b := range a.Parts {
		if i > 0 {
			out += ", "
		}
		out += picture(p, b)
	}
	return out + ")"
}

// groupsBelow are the groups so many levels below the gang, of which a limit there speaks.
func groupsBelow(p *problem.Problem, levels int) []*model.Part {
	return p.Model.Gang.Counted(limits.OnPart{Depth: levels})
}

// Parts are a tree: those that are no groups only bundle others, members in none are the gang's own, and names of members that are not known
// are to come.
func TestPartsAreATree(t *testing.T) {
	p := ready(t, request(9, func(req *gang.Request) {
		req.MinMember, req.MinParts = 2, -1
		req.Parts = []gang.Part{
			{Name: "a", Members: []string{"m3", "m1"}, MinMember: 1, Parts: []gang.Part{{Name: "b", Members: []string{"m4"}}}},
			{Name: "c", NoGroup: true, MinParts: -1, Parts: []gang.Part{{Name: "d", Members: []string{"m5", "later"}, Tree: "feeds"}}},
			{Name: "e", Members: []string{"m6", "m7", "m8"}, MinParts: 1, Groups: []gang.Groups{{Size: 2}}},
		}
	}), runs("g", "m9", "b2"))
	require.Equal(t, " 2/0 [0 2 9] (a 1/1 [1 3] (b 0/0 [4]), ~c 0/0 [] (d 0/0 [5]@feeds), e 0/1 [] (e/0 0/0 [6 7], e/1 0/0 [8]))", picture(p, p.Model.Gang))
	require.True(t, p.Model.SpansTrees())
	parts := map[string]*model.Part{}
	p.Model.Gang.Each(func(a *model.Part) { parts[p.Called.Label(a)] = a })
	require.True(t, parts["c"].Idle, "it counts as placed without any member")
	for name, level := range map[string]int{"": 0, "a": 1, "b": 2, "c": 0, "d": 1, "e": 1, "e/1": 2} {
		require.Equal(t, level, parts[name].Level, name)
	}
	require.Equal(t, []int{1, 3, 4}, parts["a"].All())
	require.Equal(t, 1, parts["a"].First())
	require.Equal(t, int(^uint(0)>>1), (&model.Part{}).First())
	require.Equal(t, 4, parts["b"].First())
	require.Equal(t, []*model.Part{parts["a"], parts["d"], parts["e"]}, groupsBelow(p, 1))
	require.Equal(t, []*model.Part{parts["b"], parts["e/0"], parts["e/1"]}, groupsBelow(p, 2))

	in := model.Selection{true, false, false, true, true}
	in = append(in, make(model.Selection, 4)...)
	require.Equal(t, 2, in.PlacedIn(parts["a"], p.Model.Places()))
	require.Equal(t, 4, in.PlacedIn(p.Model.Gang, p.Model.Places()), "with the one that runs")
}

// A bundle of parts that may all stay out counts as placed without any member, unless it has, or needs, some of its own.
func TestBundlesThatCountAsPlaced(t *testing.T) {
	inner := []gang.Part{{Name: "inner", Members: []string{"m0"}}}
	for name, c := range map[string]struct {
		part gang.Part
		idle bool
	}{
		"its parts may stay out": {gang.Part{NoGroup: true, MinParts: -1, Parts: inner}, true},
		"all must be placed":     {gang.Part{NoGroup: true, Parts: inner}, false},
		"one must be placed":     {gang.Part{NoGroup: true, MinParts: 1, Parts: inner}, false},
		"it has members":         {gang.Part{NoGroup: true, MinParts: -1, Parts: inner, Members: []string{"m1"}}, false},
		"it needs members":       {gang.Part{NoGroup: true, MinParts: -1, Parts: inner, MinMember: 1}, false},
		"it is a group":          {gang.Part{MinParts: -1, Parts: inner}, false},
		"it has no parts":        {gang.Part{NoGroup: true}, false},
	} {
		p := ready(t, request(3, func(req *gang.Request) {
			c.part.Name = "p"
			req.Parts = []gang.Part{c.part}
		}))
		require.Equal(t, c.idle, p.Model.Gang.Parts[0].Idle, name)
	}
}

// The rules of a part stand within those around it of the same topology; a bundle has those around it.
func TestRulesOfParts(t *testing.T) {
	p := ready(t, request(4, func(req *gang.Request) {
		req.Gather = []gang.Rule{must("row")}
		req.Parts = []gang.Part{
			{Name: "a", Gather: []gang.Rule{must("rack")}, Parts: []gang.Part{
				{Name: "b", Members: []string{"m0"}, Gather: []gang.Rule{must("row")}},
				{Name: "c", NoGroup: true, Members: []string{"m1"}},
				{Name: "d", Members: []string{"m2"}, Tree: "feeds", Parts: []gang.Part{{Name: "e", Members: []string{"m3"}, Tree: "default"}}},
			}},
		}
	}))
	want := map[string]int32{"": 2, "a": 1, "b": 1, "c": 1, "d": 2, "e": 1}
	own := map[string]int32{"": 2, "a": 1, "b": 2, "c": 1, "d": -1, "e": -1}
	p.Model.Gang.Each(func(a *model.Part) {
		require.Equal(t, want[p.Called.Label(a)], a.Gather.Must, p.Called.Label(a))
		require.Equal(t, own[p.Called.Label(a)], a.Gather.Own, p.Called.Label(a))
	})
	require.True(t, p.Model.Hard)
	p = ready(t, request(2, func(req *gang.Request) {
		req.Parts = []gang.Part{{Name: "a", Members: []string{"m0"}, Tree: "feeds", Gather: []gang.Rule{must("feed")}}}
	}))
	require.False(t, p.Model.Hard, "in another topology nothing keeps members out of this one's root")
}

// A limit on parts means that each lies in one domain of the layer, also where a bundle stands between; not what stands in another topology.
func TestLimitsImplyRulesOfParts(t *testing.T) {
	p := ready(t, request(6, func(req *gang.Request) {
		req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 1, OfParts: true}}
		req.Parts = []gang.Part{
			{Name: "a", Members: []string{"m0"}},
			{Name: "b", NoGroup: true, Parts: []gang.Part{{Name: "c", Members: []string{"m1"}}}},
			{Name: "d", NoGroup: true, Members: []string{"m2", "m3", "m4", "m5"}, Groups: []gang.Groups{{Size: 2}}},
		}
	}))
	for _, a := range groupsBelow(p, 1) {
		require.True(t, a.Gather.Hard, p.Called.Label(a))
		require.Equal(t, int32(1), a.Gather.Must, p.Called.Label(a))
	}
	require.Len(t, groupsBelow(p, 1), 4)
	require.Equal(t, groupsBelow(p, 1), p.Model.Gang.Counted(p.Model.Gang.Limits[0]))
}

// drawParts draws members of some shapes in parts with multiples and limits.
func drawParts(t *rapid.T) *gang.Request {
	layers := []string{"node", "rack", "row"}
	req := request(rapid.IntRange(2, 8).Draw(t, "members"), nil)
	for i := range rapid.IntRange(1, 3).Draw(t, "parts") {
		part := gang.Part{Name: fmt.Sprint("p", i), NoGroup: rapid.IntRange(0, 4).Draw(t, "bundle") == 4}
		if rapid.Bool().Draw(t, "inner") {
			part.Parts = []gang.Part{{Name: fmt.Sprint("q", i)}}
		}
		if !part.NoGroup && rapid.Bool().Draw(t, "gathers") {
			part.Gather = []gang.Rule{must(rapid.SampledFrom(layers).Draw(t, "layer"))}
		}
		if !part.NoGroup && rapid.Bool().Draw(t, "multiple") {
			part.Gather = append(part.Gather, multiple(rapid.SampledFrom(layers).Draw(t, "layer"), rapid.IntRange(2, 3).Draw(t, "of")))
		}
		if !part.NoGroup && rapid.Bool().Draw(t, "limited") {
			part.Limits = []gang.Limit{{Kind: gang.Apart, Layer: rapid.SampledFrom(layers).Draw(t, "limited layer"), Most: 2}}
		}
		if rapid.IntRange(0, 2).Draw(t, "some are enough") == 2 {
			part.MinMember = 1
		}
		req.Parts = append(req.Parts, part)
	}
	if rapid.Bool().Draw(t, "multiple of the gang") {
		req.Gather = []gang.Rule{multiple(rapid.SampledFrom(layers).Draw(t, "layer"), 2)}
	}
	for i := range req.Members {
		m := &req.Members[i]
		if rapid.Bool().Draw(t, "other shape") {
			m.Shape = shape(2)
		}
		k := rapid.IntRange(-1, len(req.Parts)-1).Draw(t, "part")
		if k < 0 {
			continue
		}
		to := &req.Parts[k]
		if len(to.Parts) > 0 && rapid.Bool().Draw(t, "in the inner one") {
			to = &to.Parts[0]
		}
		to.Members = append(to.Members, m.Name)
	}
	return req
}

// Members of a role have one shape and count for the same multiples and limits; roles come in the order of their first members, and of
// those of one shape the first one is the twin of all.
func TestRolesOfParts(t *testing.T) {
	spec := hall(t)
	rapid.Check(t, func(t *rapid.T) {
		req := drawParts(t)
		p := drawn(t, spec, req)
		counted := func(rank int) (key string) {
			for i, r := range p.Model.Multiples {
				if i > 0 || r.Roles != nil {
					key += fmt.Sprint(p.Room.Model.RoleOf != nil && r.Roles[p.Room.Model.Role(rank)] > 0, " ")
				}
			}
			p.Model.Gang.Each(func(a *model.Part) {
				for _, l := range a.Limits {
					key += fmt.Sprint(slices.Contains(a.LimitedBy(l), rank), " ")
				}
			})
			return key
		}
		last := int32(-1)
		for i, rank := range p.Model.Pending {
			role := p.Room.Model.Role(i)
			require.LessOrEqual(t, role, last+1, "roles come in the order of their first members")
			last = max(last, role)
			require.Equal(t, req.Members[rank].Shape != nil, p.Room.ShapeOf(i) != &req.Shape)
			for k := range i {
				if p.Room.Model.Role(k) == role {
					require.Equal(t, counted(p.Model.Pending[k]), counted(rank), "members %d and %d are one role", k, i)
				}
			}
			require.Equal(t, p.Model.Twin(int(role)), slices.IndexFunc(p.Room.Shapes, p.Room.Shapes[role].Equal))
		}
		for r, one := range p.OfRoles() {
			require.Nil(t, one.Room.Model.RoleOf)
			require.Same(t, p.Room.Shapes[r], one.Room.Shapes[0])
			require.Equal(t, p.Room.Shapes[r].Resources["gpu"], one.Room.Needs[0].Amount)
		}
	})
}

// A selection keeps the multiples if the gang, and each part, then has a multiple of all of its own; members in no such part do not matter.
func TestSelectionsKeepMultiples(t *testing.T) {
	spec := hall(t)
	rapid.Check(t, func(t *rapid.T) {
		req := drawParts(t)
		p := drawn(t, spec, req)
		in := make(model.Selection, len(p.Model.Pending))
		for i := range in {
			in[i] = rapid.Bool().Draw(t, "selected")
		}
		want := true
		check := func(rules []gang.Rule, members []int) {
			for _, r := range rules {
				n := 0
				for _, rank := range members {
					if in[p.Model.Places()[rank]] {
						n++
					}
				}
				want = want && (r.Multiple == 0 || n%r.Multiple == 0)
			}
		}
		check(req.Gather, p.Model.Gang.All())
		for i, part := range p.Model.Gang.Parts {
			check(req.Parts[i].Gather, part.All())
		}
		got := true
		for _, r := range p.AllMultiples() {
			got = got && r.Keeps(p.Model.Places(), in)
		}
		// What groups keep in any case need not be asked of selections, which place them whole or not at all.
		whole := func(a *model.Part) bool {
			n := in.PlacedIn(a, p.Model.Places())
			return n == 0 || n == len(a.All())
		}
		if !slices.ContainsFunc(p.Model.Gang.Parts, func(a *model.Part) bool { return !whole(a) }) {
			require.Equal(t, want, got)
		} else if want {
			require.True(t, got)
		}
		selected := p.Only(in)
		require.Len(t, selected.Model.Pending, in.Size())
		// Engines ask the rules of what is selected about the places of all.
		require.Same(t, p, selected.Parts.All)
		require.Equal(t, in, selected.Parts.Selection)
		require.Len(t, selected.Model.Multiples, len(p.Model.Multiples))
		for i, r := range p.Model.Multiples {
			require.Equal(t, r.Keeps(p.Model.Places(), in), selected.Model.Multiples[i].Keeps(selected.Parts.All.Model.Places(), selected.Parts.Selection))
		}
	})
}
