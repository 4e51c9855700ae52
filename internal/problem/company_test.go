// Whom do the limits of a gang, or of its parts, keep away, and who keeps its members off?

package problem_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/snapshot"
)

func alone(layer string) gang.Limit { return gang.Limit{Kind: gang.Alone, Layer: layer} }

func leaves(r cluster.Running) cluster.Running {
	r.Leaving = true
	return r
}

// cause is why a node takes no member of a role.
func cause(p *problem.Problem, role int, node string) string {
	id, _ := p.Snapshot.Lineage.ID(node)
	return p.OfRoles()[role].Room.Slots().Refusal(id)
}

// Members of a part that is alone in a layer are of a role of their own, which others near them keep off.
func TestPartsThatAreAlone(t *testing.T) {
	req := inParts(func(req *gang.Request) {
		req.Parts[0].Limits, req.Parts[1].Limits = []gang.Limit{alone("rack")}, []gang.Limit{alone("node")}
	}, 1, 2, 1)
	p := ready(t, req, runs("other", "o", "a1"), leaves(runs("other", "l", "b1")))
	require.Equal(t, []int32{0, 1, 1, 2}, p.Room.Model.RoleOf)
	require.Equal(t, []string{"rack", "node", "node", ""}, problem.AloneLayers(p))
	for node, want := range map[string][3]string{
		"a1": {"occupied", "occupied", ""}, "a2": {"occupied", "", ""}, "b2": {"occupied", "", ""}, "c1": {},
	} {
		require.Equal(t, want, [3]string{cause(p, 0, node), cause(p, 1, node), cause(p, 2, node)}, node)
	}
	p = p.WithLeavingGone()
	require.Empty(t, cause(p, 0, "b2"), "once the others have left")
	require.Nil(t, problem.AloneLayers(ready(t, inParts(func(*gang.Request) {}, 1))), "what holds for the gang holds for all")
	require.Equal(t, "occupied", problem.CauseForAll(p.OfRoles()[:2], func(one *problem.Problem) string {
		id, _ := p.Snapshot.Lineage.ID("a1")
		return one.Room.Slots().Refusal(id)
	}))
	for _, first := range []string{"", "occupied"} { // some role may go there
		require.Empty(t, problem.CauseForAll(p.OfRoles()[:2], func(one *problem.Problem) string {
			if one.Room.Model.Limits == p.OfRoles()[0].Room.Model.Limits {
				return first
			}
			return ""
		}))
	}
}

// A plan waits for leaving members near those who must be alone, and for those who close a node to it, whatever they hold.
func TestWhoMustBeGoneFromOthers(t *testing.T) {
	closes := leaves(runs("shut", "s", "d1"))
	closes.Alone = "rack"
	running := []cluster.Running{leaves(runs("other", "far", "c1")), leaves(runs("other", "near", "a2")), closes}
	waits := func(req *gang.Request, nodes ...string) (names []string) {
		p := ready(t, req, running...).WithLeavingGone()
		var positions []int32
		for _, n := range nodes {
			positions = append(positions, at(p, n))
		}
		for _, m := range p.WaitsFor(positions) {
			names = append(names, m.Name)
		}
		return names
	}
	require.Nil(t, waits(request(1, nil), "a1"))
	rack := func(req *gang.Request) { req.Limits = []gang.Limit{alone("rack")} }
	require.Equal(t, []string{"near"}, waits(request(1, rack), "a1"))
	require.Nil(t, waits(request(1, rack), "b1"))
	require.Equal(t, []string{"near", "far"}, []string{waits(request(1, rack), "a2")[0], waits(request(1, rack), "c2")[0]})
	require.Equal(t, []string{"s"}, waits(request(1, nil), "d2"), "its rack is shut")
	parts := inParts(func(req *gang.Request) { req.Parts[1].Limits = []gang.Limit{alone("rack")} }, 1, 1)
	require.Nil(t, waits(parts, "a1", "b1"), "the first part need not be alone")
	require.Equal(t, []string{"near"}, waits(parts, "b1", "a1"))
	require.Equal(t, []string{"far", "near", "s"}, waits(request(2, func(req *gang.Request) { req.Limits = []gang.Limit{alone("row")} }), "a1", "c2"))
}

// Running members of the gang break a limit if they, or others, are where it does not let them.
func TestLimitsThatAreBroken(t *testing.T) {
	own := []cluster.Running{runs("g", "old0", "a1"), runs("g", "old1", "a2")}
	apart := func(most int) func(req *gang.Request) {
		return func(req *gang.Request) { req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: most}} }
	}
	near := append(own[:2:2], runs("other", "o", "a2"))
	outside := []cluster.Running{runs("g", "old0", "outside")}
	for name, c := range map[string]struct {
		req     *gang.Request
		running []cluster.Running
		broken  bool
	}{
		"no limit":                         {request(1, nil), own, false},
		"two in a rack, two may be":        {request(1, apart(2)), own, false},
		"two in a rack, one may be":        {request(1, apart(1)), own, true},
		"alone in the rack":                {request(1, func(req *gang.Request) { req.Limits = []gang.Limit{alone("rack")} }), own, false},
		"others are in the rack":           {request(1, func(req *gang.Request) { req.Limits = []gang.Limit{alone("rack")} }), near, true},
		"outside the tree":                 {request(1, apart(9)), outside, true},
		"in a rack and outside, no limits": {request(1, nil), append(outside[:1:1], own[1]), false},
	} {
		p := ready(t, c.req, c.running...)
		require.Equal(t, c.broken, p.Broken(), name)
		require.Equal(t, c.broken, p.Model.Room.Broken(), name)
	}
	req := inParts(func(req *gang.Request) {
		req.Parts[0].Members, req.Parts[0].Limits = append(req.Parts[0].Members, "old0"), []gang.Limit{alone("node")}
	}, 1)
	require.False(t, ready(t, req, near...).Broken(), "the member of the part is alone on its node")
	require.True(t, ready(t, req, append(near, runs("other", "p", "a1"))...).Broken())
}

// team are gangs that start together, whose members are called by the gang and their own name.
type team struct {
	gangs []string
	of    []string // by rank
}

func (m *team) Has(gang string) bool {
	for _, g := range m.gangs {
		if g == gang {
			return true
		}
	}
	return false
}

func (m *team) Ranking(p *problem.Problem) (all []ranks.Ranked) {
	for i, one := range p.Request.Members {
		all = append(all, ranks.Ranked{Name: one.Name, Index: i, Indexed: true, Pos: -1})
	}
	return all
}

func (m *team) GangOf(rank int) string               { return m.of[rank] }
func (m *team) Called(first int, name string) string { return name + " of gang " + m.of[first] }

// Of gangs that start together each is a group, which is what refusals call it. Leaving members of one of them keep the others off where these
// must be alone, so that a member's gang matters to its role.
func TestGangsThatStartTogether(t *testing.T) {
	req := inParts(func(req *gang.Request) {
		req.Name, req.Parts[0].Name, req.Parts[1].Name = "both", "x", "y"
		req.Parts[0].Gather = []gang.Rule{must("rack")}
		req.Parts[0].Limits, req.Parts[1].Limits = []gang.Limit{alone("node")}, []gang.Limit{alone("node")}
	}, 2, 1)
	both := &team{[]string{"x", "y"}, []string{"x", "x", "y"}}
	spec := hall(t)
	of := func(running ...cluster.Running) *problem.Problem {
		spec.Running = running
		p, err := ask(t, spec, req, both)
		require.NoError(t, err)
		p.Ready()
		return p
	}
	p := of(runs("other", "o", "a1"))
	require.True(t, p.IsOwn("y"))
	require.False(t, p.IsOwn("both"))
	require.Equal(t, "part x of gang x", p.Called.InRefusals(p.Model.Gang.Parts[0]))
	require.Equal(t, []int32{0, 0, 1}, p.Room.Model.RoleOf, "each part has a limit of its own")

	alike := *req
	alike.Parts = slices.Clone(req.Parts)
	for i := range alike.Parts {
		alike.Parts[i].Gather = []gang.Rule{must("node")}
	}
	for _, leaving := range []bool{false, true} {
		if spec.Running = nil; leaving {
			spec.Running = []cluster.Running{leaves(runs("x", "old", "b1"))}
		}
		p, err := ask(t, spec, &alike, both)
		require.NoError(t, err)
		require.Equal(t, map[bool][]int32{true: {0, 0, 1}}[leaving], p.Room.Model.RoleOf, "one limit is that of both")
	}

	p = of(leaves(runs("x", "old", "b1")))
	require.Empty(t, cause(p, 0, "b1"), "its own leaving member is none of the others")
	require.Equal(t, "occupied", cause(p, 1, "b1"))
	p.Room.LeavingGone = true
	var gone []*snapshot.Member
	gone = append(gone, p.WaitsFor([]int32{at(p, "c1"), at(p, "c2"), at(p, "b1")})...)
	require.Len(t, gone, 1, "y waits for the member of x")
	require.Empty(t, p.WaitsFor([]int32{at(p, "b1"), at(p, "c2"), at(p, "c1")}))
	ignoring := *req
	ignoring.IgnoreLeaving = true
	p, err := ask(t, spec, &ignoring, both)
	require.NoError(t, err)
	require.Empty(t, cause(p, 1, "b1"), "a member that stays is one of the gangs that start together")
}

// Limits on numbers of groups tell no members apart, those on members do; in refusals both are called by their part.
func TestLimitsThatDivideRoles(t *testing.T) {
	p := ready(t, inParts(func(req *gang.Request) {
		req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 1, OfParts: true}}
		req.Parts[0].Members = req.Parts[0].Members[:1]
	}, 2))
	require.Len(t, p.Room.Shapes, 1)
	p = ready(t, inParts(func(req *gang.Request) {
		req.Parts[1].Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 1}}
		req.Members[0].NonPreemptible = true
	}, 2, 1))
	require.Equal(t, []int32{0, 0, 1}, p.Room.Model.RoleOf)
	require.Equal(t, []int32{0, 0}, p.Model.Twins)
	require.Equal(t, "Apart rack at most 1 for part p1", p.Model.Gang.Parts[1].Limits[0].Name)
}

// What is held for a gang that the plan is for is room for it, and none for others of a lower priority.
func TestWhoSeesWhatIsHeld(t *testing.T) {
	spec := hall(t)
	spec.Holds = []cluster.Hold{{Gang: "g", Member: "m0", Node: "a1", Resources: muster.Resources{"gpu": 3}, Priority: 5}}
	c, err := holds.New(spec)
	require.NoError(t, err)
	for name, want := range map[string]int64{"g": 4, "h": 1} {
		p, err := problem.New(c, request(1, func(req *gang.Request) { req.Name = name }), nil, bounds.Search{})
		require.NoError(t, err)
		table := p.Model.Room.Table()
		require.Equal(t, want, table.At(p.Model.View.NodeVertex(at(p, "a1"))), name)
	}
	p, err := problem.New(c, request(1, func(req *gang.Request) { req.Name = "both" }), &team{[]string{"f", "g"}, []string{"g"}}, bounds.Search{})
	require.NoError(t, err)
	table := p.Model.Room.Table()
	require.Equal(t, int64(4), table.At(p.Model.View.NodeVertex(at(p, "a1"))), "it is one of those that start together")
}

// Parts within domains of a layer that are all alone there, each, are alike: one limit stands for theirs, and their members are of one role.
func TestPartsThatAreAloneAlike(t *testing.T) {
	req := inParts(func(req *gang.Request) {
		for i := range 2 {
			req.Parts[i].Gather, req.Parts[i].Limits = []gang.Rule{must("rack")}, []gang.Limit{alone("rack")}
		}
		req.Parts[2].Limits = []gang.Limit{alone("rack")} // it may lie in several racks
	}, 2, 2, 1)
	p := ready(t, req)
	require.Len(t, p.Model.Gang.Limits, 2, "one part in each rack, and nobody else")
	require.Equal(t, []*model.Part{p.Model.Gang.Parts[0], p.Model.Gang.Parts[1]}, p.Model.Gang.Counted(p.Model.Gang.Limits[0]))
	require.Equal(t, []int{0, 1, 2, 3}, p.Model.Gang.LimitedBy(p.Model.Gang.Limits[0]))
	require.Equal(t, int64(1), p.Model.Gang.Limits[0].Most)
	require.Empty(t, p.Model.Gang.Parts[0].Limits)
	require.Len(t, p.Model.Gang.Parts[2].Limits, 1)
	require.Equal(t, []int32{0, 0, 0, 0, 1}, p.Room.Model.RoleOf)
}
