// What do problems that are derived from others say of members, rules and nodes?

package problem_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Under some of the rules only these bind, each at the tier that it names itself, and a limit on groups only where all their own rules do.
func TestOnlySomeRulesBind(t *testing.T) {
	req := inParts(func(req *gang.Request) {
		req.Gather, req.Limits = []gang.Rule{must("rack"), multiple("rack", 2)}, []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 1, OfParts: true}, {Kind: gang.Apart, Layer: "node", Most: 3}}
		req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{must("row")}, []gang.Rule{must("node")}
	}, 2, 4)
	p := ready(t, req)
	var list []*model.Part // that have rules of their own
	p.Model.Gang.Each(func(a *model.Part) { list = append(list, a) })
	require.Len(t, list, 3)
	bound := func(some ...*model.Part) map[*model.Part]bool {
		in := map[*model.Part]bool{}
		for _, a := range some {
			in[a] = true
		}
		return in
	}
	for kept, c := range map[int]struct {
		tiers []int32 // of the gang and its parts
	}{0: {[]int32{1, 3, 3}}, 1: {[]int32{3, 1, 3}}, 2: {[]int32{3, 3, 0}}} {
		next := p.UnderRules(bound(list[kept]))
		var got []int32
		next.Model.Gang.Each(func(a *model.Part) {
			got = append(got, a.Gather.Must)
			require.Equal(t, a.Gather.Must < 3, a.Gather.Hard)
			require.Equal(t, []int32{a.Gather.Must}, a.Gather.Worths)
		})
		require.Equal(t, c.tiers, got)
		require.Len(t, next.Model.Gang.Limits, 1, "the limit on members")
		require.Zero(t, next.Model.Gang.Limits[0].Depth)
		require.True(t, next.Model.Hard)
	}
	require.Len(t, p.UnderRules(bound(list...)).Model.Gang.Limits, 2, "all rules bind, and with them the limit on parts")
	none := p.UnderRules(nil)
	require.False(t, none.Model.Hard)
	require.Len(t, none.Model.Multiples, 1, "no group keeps the multiple any more")
	require.Equal(t, int32(1), p.Model.Gang.Gather.Must, "the gang's own rules stay as they are")
}

// Members may be where the domains of the parts around them lie, the innermost of each topology; those that may be elsewhere are of other
// roles.
func TestMembersWithinDomains(t *testing.T) {
	spec := hall(t)
	spec.Running = []cluster.Running{runs("g", "old", "a1")}
	rapid.Check(t, func(t *rapid.T) {
		req := inParts(func(req *gang.Request) {
			req.Parts[1].Members = append(req.Parts[1].Members, "old")
			req.Parts[0].Tree, req.Parts[1].Tree = "feeds", "feeds"
			req.Parts[0].Parts = []gang.Part{{Name: "inner", Tree: rapid.SampledFrom([]string{"feeds", ""}).Draw(t, "inner topology"), Members: req.Parts[0].Members[1:]}}
			req.Parts[0].Members = req.Parts[0].Members[:1]
			if rapid.Bool().Draw(t, "of other shapes") {
				req.Members[1].Shape = shape(2)
			}
		}, 3, 2, 1)
		p := drawn(t, spec, req)
		domains, allowed := map[*model.Part]layout.Vertex{}, make([]layout.Vertex, len(p.Model.Pending))
		p.Model.Gang.Each(func(a *model.Part) {
			if a.OtherTree == nil || rapid.IntRange(0, 3).Draw(t, "no domain") == 3 {
				return
			}
			d := rapid.SampledFrom(append(a.OtherTree.DomainsOf(1)[:2:2], layout.Root)).Draw(t, "domain")
			if domains[a] = d; d == layout.Root {
				return // it confines nothing
			}
			for _, rank := range a.All() {
				if rank < len(allowed) { // the last one runs
					allowed[rank] = d
				}
			}
		})
		in := make(model.Selection, len(p.Model.Pending))
		for i := range in {
			in[i] = i < 2 || rapid.Bool().Draw(t, "selected")
		}
		whole, some := p.WithDomains(domains), p.Only(in).WithDomains(domains)
		feeds := p.Snapshot.Lineage.Tree("feeds")
		n := 0
		for i := range p.Model.Pending {
			role := whole.Room.Model.Role(i)
			for id := range int32(len(p.Snapshot.Lineage.Names)) {
				want := allowed[i] == layout.Root || feeds.Contains(allowed[i], feeds.NodeVertex(feeds.At(id)))
				require.Equal(t, want, whole.Parts.AllowedOf[role].Holds(id))
				require.Equal(t, want, whole.OfRoles()[role].Room.Slots().RefusalForGood(id) == "")
			}
			for k := range i {
				same := allowed[i] == allowed[k] && p.Room.Model.Role(i) == p.Room.Model.Role(k)
				require.Equal(t, same, whole.Room.Model.Role(k) == role, "members %d and %d", k, i)
			}
			require.Same(t, p.Room.ShapeOf(i), whole.Room.Shapes[role])
			if p.Room.Model.RoleOf != nil {
				require.Equal(t, p.Room.Model.Role(i), whole.Parts.RoleBefore[role])
			}
			if in[i] {
				require.Equal(t, role, some.Room.Model.Role(n), "a selection has the roles of all")
				n++
			}
		}
	})
}

// Further members find room beside those that a plan places, which count as running, and the leaving ones as staying.
func TestRoomBesideAPlan(t *testing.T) {
	p := ready(t, request(4, func(req *gang.Request) { req.MinMember = 2 }), leaves(runs("other", "l", "a1"))).WithLeavingGone()
	o := &model.Answer{Of: &p.Model, Positions: []int32{at(p, "a1"), at(p, "a1")}, Tier: 2, Domain: domain(p, "a1", 2)}
	rest := p.Rest(o, nil)
	require.Equal(t, []int{2, 3}, rest.Model.Pending)
	require.Equal(t, 1, rest.Model.Least)
	require.Equal(t, 2, rest.Model.Admitted)
	require.Equal(t, 2, rest.Model.Running.Len())
	require.Equal(t, int64(2), rest.Model.Siblings.At(domain(p, "a2", 1)))
	require.Equal(t, []int32{2}, rest.Model.Gather.Worths)
	table := rest.Model.Room.Table()
	require.Equal(t, int64(1), table.At(p.Model.View.NodeVertex(at(p, "a1"))), "one device of four is a leaving member's, and two are taken")
	require.Equal(t, int64(5), table.At(domain(p, "a2", 1)))
}

// What a plan may have missed it says itself; of one without nodes for others, the one over all nodes does.
func TestWhatIsProven(t *testing.T) {
	spec := hall(t)
	spec.Nodes[0].Taints = []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}}
	p, err := ask(t, spec, request(2, func(req *gang.Request) { req.Members[0].Shape = shape(2) }), nil)
	require.NoError(t, err)
	p.Ready()
	require.True(t, p.ProvenBest())
	p.Model.Doubt = new(bool)
	require.True(t, p.ProvenBest())
	spared := problem.Of(p.WithoutOthers(model.Strategy{Gang: 2}))
	*spared.Model.Doubt = true
	require.Same(t, p, problem.Of(&p.Model))
	require.True(t, spared.ProvenBest(), "its doubts are nobody's")
	*p.Model.Doubt = true
	require.False(t, p.ProvenBest())
	require.False(t, spared.ProvenBest())
	require.True(t, p.Again(bounds.Search{}).ProvenBest(), "another search has doubts of its own")
	require.Len(t, problem.EachAlone(p), 2)
	one := ready(t, request(2, nil))
	require.Same(t, one, problem.EachAlone(one)[0])
}

// What members prefer decides for each role by itself which nodes are meant for others.
func TestRolesPreferNodes(t *testing.T) {
	prefers := func(node string) *gang.Shape {
		s := shape(1)
		s.Preferred = []gang.Preference{{Weight: 1, Nodes: gang.NodeTerm{Fields: []gang.Expression{{Key: "metadata.name", Operator: gang.In, Values: []string{node}}}}}}
		return s
	}
	for node, some := range map[string]bool{"a1": true, "nowhere": false} {
		p := ready(t, request(2, func(req *gang.Request) { req.Members[0].Shape = prefers(node) }))
		next := p.WithoutOthers(model.Strategy{Gang: 2})
		require.Equal(t, some, next != nil, "for one role all nodes but %q are meant for others", node)
		if some {
			require.Equal(t, "others", problem.Of(next).OfRoles()[0].Room.Slots().RefusalForGood(1))
			require.Empty(t, problem.Of(next).OfRoles()[1].Room.Slots().RefusalForGood(1))
		}
	}
}

// resets counts how often the memory of an engine is made ready again.
type resets int

func (r *resets) Reset() { *r++ }

// A problem that is done leaves its memory to the next one of the lineage, which is as if it had been the first.
func TestMemoryIsUsedAgain(t *testing.T) {
	c, err := snapshot.New(hall(t))
	require.NoError(t, err)
	times := new(resets)
	for members := range 12 {
		req := request(members+1, func(req *gang.Request) {
			if members%3 == 1 {
				req.Groups = []gang.Groups{{Size: 2}}
			}
		})
		slices.Reverse(req.Members)
		p, err := problem.New(c, req, nil, bounds.Search{})
		require.NoError(t, err)
		require.Equal(t, members+1, p.Model.Ranks)
		require.Equal(t, "m0", p.NameOf(0))
		require.Len(t, p.Model.Levels, map[bool]int{true: 1}[members%3 == 1])
		kept := p.Kept()
		p.Model.Memory.Search = times
		p.Done()
		require.Equal(t, resets(members+1), *times)
		require.Nil(t, p.Snapshot, "memory keeps no snapshot")
		require.Empty(t, kept.Room.Slots().Refusal(0), "causes are asked once the memory is another plan's")
		require.Equal(t, req, kept.Request)
	}
}

// Members have their own shapes whatever their order in the request, and pipelines are groups without rules.
func TestMembersInAnyOrder(t *testing.T) {
	p := ready(t, request(5, func(req *gang.Request) {
		for i := range req.Members {
			req.Members[i].Shape = shape(int64(1 + i%2))
		}
		req.Members[0].Shape = nil // that of all, of one device
		slices.Reverse(req.Members)
	}))
	for i := range p.Model.Pending {
		require.Equal(t, int64(1+i%2), p.Room.ShapeOf(i).Resources["gpu"], "member %d", i)
	}
	require.Len(t, p.Room.Shapes, 2)
	p = ready(t, request(5, func(req *gang.Request) { req.PP, req.Gather = 2, []gang.Rule{must("rack")} }))
	require.Equal(t, []model.Level{{Size: 2, Gather: model.Gather{Must: 1, Own: -1, Worths: []int32{0, 1}}}}, p.Model.Levels)
	p = ready(t, request(4, func(req *gang.Request) {
		req.Groups, req.MinMember, req.Members[0].Shape = []gang.Groups{{Size: 2}}, 2, shape(3)
	}))
	require.Equal(t, " 2/0 [] (/0 0/0 [0 1], /1 0/0 [2 3])", picture(p, p.Model.Gang), "the members decide how many groups are placed")
	p = ready(t, request(4, func(req *gang.Request) { req.Groups, req.Members[0].Shape = []gang.Groups{{Size: 2}}, shape(3) }))
	require.Equal(t, " 0/2 [] (/0 0/0 [0 1], /1 0/0 [2 3])", picture(p, p.Model.Gang), "all groups are placed")
}

// Groups of another topology keep multiples of parts in them apart, and a Within that several gangs share is theirs together.
func TestRulesAcrossParts(t *testing.T) {
	alike := func(trees ...string) int {
		return len(ready(t, inParts(func(req *gang.Request) {
			var outer []gang.Part
			for i, tree := range trees {
				req.Parts[i].Gather, req.Parts[i].Tree = []gang.Rule{multiple("node", 2)}, "default"
				outer = append(outer, gang.Part{Name: fmt.Sprint("o", i), Tree: tree, Parts: req.Parts[i : i+1]})
			}
			req.Parts = outer
		}, 2, 2)).Model.Multiples)
	}
	require.Equal(t, 1, alike("", ""))
	require.Equal(t, 2, alike("feeds", "feeds"), "each lies in a feed of its own")
	require.Equal(t, 2, alike("", "feeds"))

	req := inParts(func(req *gang.Request) {
		req.Limits = []gang.Limit{{Kind: gang.Within, Layer: "rack", Most: 2}, {Kind: gang.Apart, Layer: "rack", Most: 1, OfParts: true}}
	}, 1, 1)
	p, err := ask(t, hall(t), req, &team{[]string{"x"}, []string{"x", "x"}})
	require.NoError(t, err)
	require.Equal(t, "Apart rack at most 1 for gangs", p.Model.Gang.Limits[0].Name)
	require.True(t, p.Model.Limits.CountDomains())
	require.Equal(t, "Apart rack at most 1 for parts", ready(t, req).Model.Gang.Limits[0].Name)
	req.Parts[0].Tree = "feeds"
	_, err = ask(t, hall(t), req, nil)
	require.ErrorContains(t, err, "in another topology than the gang's")
}
