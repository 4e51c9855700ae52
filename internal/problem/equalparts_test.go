// Which parts are equal groups?

package problem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/quota"
)

// halves are two parts of four members, each within a rack.
func halves(with func(req *gang.Request)) *gang.Request {
	return request(8, func(req *gang.Request) {
		req.Parts = []gang.Part{
			{Name: "a", Gather: []gang.Rule{must("rack")}, Members: []string{"m0", "m1", "m2", "m3"}},
			{Name: "b", Gather: []gang.Rule{must("rack")}, Members: []string{"m4", "m5", "m6", "m7"}},
		}
		if with != nil {
			with(req)
		}
	})
}

// both changes each part.
func both(change func(a *gang.Part)) func(req *gang.Request) {
	return func(req *gang.Request) { change(&req.Parts[0]); change(&req.Parts[1]) }
}

// inPairs makes inner parts of two of a part's members.
func inPairs(a *gang.Part) {
	a.Parts = []gang.Part{{Name: a.Name + "0", Members: a.Members[:2]}, {Name: a.Name + "1", Members: a.Members[2:]}}
	a.Members = nil
}

// The sizes of the groups that parts are, outermost first, and how many members are needed.
func TestPartsThatAreGroups(t *testing.T) {
	for name, c := range map[string]struct {
		with  func(req *gang.Request)
		sizes []int64
		least int
	}{
		"parts":                      {nil, []int64{4}, 8},
		"in another order":           {func(req *gang.Request) { req.Parts[0], req.Parts[1] = req.Parts[1], req.Parts[0] }, []int64{4}, 8},
		"groups in them":             {both(func(a *gang.Part) { a.Groups = []gang.Groups{{Size: 2, Gather: []gang.Rule{must("node")}}} }), []int64{4, 2}, 8},
		"parts in them":              {both(inPairs), []int64{4, 2}, 8},
		"one may stay out":           {func(req *gang.Request) { req.MinParts = 1 }, []int64{4}, 4},
		"each may, but for two":      {func(req *gang.Request) { req.MinParts, req.MinMember = -1, 2 }, []int64{4}, 2},
		"each may, but for five":     {func(req *gang.Request) { req.MinParts, req.MinMember = 1, 5 }, []int64{4}, 5},
		"each may":                   {func(req *gang.Request) { req.MinParts = -1 }, []int64{4}, 1},
		"each says that all must":    {both(func(a *gang.Part) { a.MinMember = 4 }), []int64{4}, 8},
		"the topology is named":      {both(func(a *gang.Part) { a.Tree = "default" }), []int64{4}, 8},
		"a rule that says no more":   {func(req *gang.Request) { req.Gather = []gang.Rule{must("node")}; req.Parts[0].Gather = nil }, []int64{4}, 8},
		"members that are not known": {both(func(a *gang.Part) { a.Members = append(a.Members, "later-"+a.Name) }), []int64{4}, 8},
		"a quota that admits all":    {func(req *gang.Request) { req.Quota = "large" }, []int64{4}, 8},
		"another rule":               {func(req *gang.Request) { req.Parts[0].Gather = nil }, nil, 0},
		"a preference": {func(req *gang.Request) {
			req.Parts[0].Gather = []gang.Rule{must("rack"), {Layer: "rack", Strength: gang.PreferGather}}
		}, nil, 0},
		"fewer members":               {func(req *gang.Request) { req.Members = req.Members[:7] }, nil, 0},
		"a member in none":            {both(func(a *gang.Part) { a.Members = a.Members[:3] }), nil, 0},
		"ranks that are not in a row": {func(req *gang.Request) { swap(&req.Parts[0].Members[3], &req.Parts[1].Members[0]) }, nil, 0},
		"one is torn":                 {func(req *gang.Request) { req.Parts[1].MinMember = 3 }, nil, 0},
		"its groups may stay out":     {both(func(a *gang.Part) { a.Groups, a.MinParts = []gang.Groups{{Size: 2}}, 1 }), nil, 0},
		"its groups are of others":    {func(req *gang.Request) { req.Parts[1].Groups = []gang.Groups{{Size: 2}} }, nil, 0},
		"a group as large as it":      {both(func(a *gang.Part) { a.Groups = []gang.Groups{{Size: 4}} }), nil, 0},
		"a short group in it":         {both(func(a *gang.Part) { a.Groups = []gang.Groups{{Size: 3}} }), nil, 0},
		"a member beside inner parts": {both(func(a *gang.Part) {
			inPairs(a)
			a.Members, a.Parts[1].Members = a.Parts[1].Members[1:], a.Parts[1].Members[:1]
		}), nil, 0},
		"a bundle":             {both(func(a *gang.Part) { a.NoGroup, a.Gather = true, nil }), nil, 0},
		"another topology":     {both(func(a *gang.Part) { a.Tree, a.Gather = "feeds", nil }), nil, 0},
		"another shape":        {func(req *gang.Request) { req.Members[0].Shape = shape(2) }, nil, 0},
		"a multiple":           {func(req *gang.Request) { req.Gather = []gang.Rule{multiple("node", 2)} }, nil, 0},
		"a multiple of a part": {both(func(a *gang.Part) { a.Gather = []gang.Rule{multiple("node", 2)} }), nil, 0},
		"a limit":              {func(req *gang.Request) { req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "node", Most: 2}} }, nil, 0},
		"a limit of parts": {func(req *gang.Request) {
			req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 1, OfParts: true}}
		}, nil, 0},
		"a limit of a part":      {both(func(a *gang.Part) { a.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "node", Most: 2}} }), nil, 0},
		"more must run than are": {func(req *gang.Request) { req.MinMember = 9 }, nil, 0},
		"the quota refuses all":  {func(req *gang.Request) { req.Quota, req.MinParts = "small", 1 }, nil, 0},
	} {
		spec := hall(t)
		tree, err := quota.New([]quota.Spec{{Name: "small", Max: muster.Resources{"gpu": 5}}, {Name: "large", Max: muster.Resources{"gpu": 50}}})
		require.NoError(t, err)
		spec.Quotas = tree
		p, err := ask(t, spec, halves(c.with), nil)
		require.NoError(t, err, name)
		p.Parts.State, err = problem.RefusedTogether(p)
		require.NoError(t, err, name)
		p.Ready()
		require.True(t, p.InParts(), name)
		groups := p.Parts.Groups
		if c.sizes == nil {
			require.Nil(t, groups, name)
			continue
		}
		require.NotNil(t, groups, name)
		require.False(t, groups.InParts(), name)
		require.True(t, groups.Unbundled.InParts(), "%s: its plan is told of the parts", name)
		var sizes []int64
		for _, l := range groups.Model.Levels {
			sizes = append(sizes, l.Size)
		}
		require.Equal(t, c.sizes, sizes, name)
		require.Equal(t, c.least, groups.Model.Least, name)
	}
	require.Nil(t, ready(t, halves(func(req *gang.Request) { req.Members = req.Members[1:] }), runs("g", "m0", "a1")).Parts.Groups, "a member runs")
	require.NotNil(t, ready(t, halves(nil), cluster.Running{Gang: "g", Member: "m0", Node: "a1", Leaving: true}).Parts.Groups, "one that leaves does not")
}

func swap(a, b *string) { *a, *b = *b, *a }
