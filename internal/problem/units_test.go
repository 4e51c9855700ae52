// Which gangs are placed in units, by roles, or in parts?

package problem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/model"
)

// pairs are four groups of a leader, of two devices, and a worker, each on a node.
func pairs(with func(req *gang.Request)) *gang.Request {
	return request(8, func(req *gang.Request) {
		req.Groups = []gang.Groups{{Size: 4}, {Size: 2, Gather: []gang.Rule{must("node")}}}
		for i := range req.Members {
			if i%2 == 0 {
				req.Members[i].Shape = shape(2)
			}
		}
		if with != nil {
			with(req)
		}
	})
}

// Equal groups of members that differ, each on a node, are placed like members: sizes and minima are in units from there on.
func TestGroupsOnNodesAreUnits(t *testing.T) {
	p := ready(t, pairs(func(req *gang.Request) { req.MinMember = 3 }))
	require.False(t, p.InParts())
	require.Equal(t, []int{0, 1, 2, 3}, p.Model.Pending)
	require.Equal(t, []string{"group 0", "group 1", "group 2", "group 3"}, []string{p.NameOf(0), p.NameOf(1), p.NameOf(2), p.NameOf(3)})
	require.Len(t, p.Model.Levels, 1)
	require.Equal(t, int64(2), p.Model.Levels[0].Size, "two units of two")
	require.Equal(t, 2, p.Model.Least, "three members are in two groups")
	require.Equal(t, int64(3), p.Room.Needs[0].Amount)
	require.Equal(t, 8, p.Model.Ranks)
	require.True(t, p.Model.Hard, "nodes outside the tree gather nobody")
	require.False(t, p.WithoutRules().Model.Hard, "units may lie there, where no rule binds")
	ask := p.Asks(3)
	require.Equal(t, int64(9), ask.Request["gpu"])
}

// Groups are units only where nothing tells them, or their members, apart.
func TestGroupsThatAreNoUnits(t *testing.T) {
	for name, with := range map[string]func(req *gang.Request){
		"one group differs":    func(req *gang.Request) { req.Members[5].Shape = shape(3) },
		"a rack is enough":     func(req *gang.Request) { req.Groups[1].Gather = []gang.Rule{must("rack")} },
		"no rule":              func(req *gang.Request) { req.Groups[1].Gather = nil },
		"a multiple":           func(req *gang.Request) { req.Gather = []gang.Rule{multiple("rack", 2)} },
		"domains are counted":  func(req *gang.Request) { req.Limits = []gang.Limit{{Kind: gang.Within, Layer: "rack", Most: 2}} },
		"members are counted":  func(req *gang.Request) { req.Limits = []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 4}} },
		"one group is shorter": func(req *gang.Request) { req.Groups, req.Members = req.Groups[1:], req.Members[:7] },
	} {
		p := ready(t, pairs(with))
		require.True(t, p.InParts(), name)
		require.Nil(t, p.Unbundled, name)
	}
	spec := hall(t)
	spec.Running = []cluster.Running{runs("g", "m9", "a1")}
	req := pairs(func(req *gang.Request) { req.Members, req.Groups = req.Members[:7], req.Groups[1:] })
	p, err := ask(t, spec, req, nil)
	require.NoError(t, err)
	require.True(t, p.InParts(), "a member runs")
	p = ready(t, pairs(func(req *gang.Request) {
		req.Groups, req.Limits = req.Groups[1:], []gang.Limit{{Kind: gang.Apart, Layer: "rack", Most: 5}}
	}))
	require.False(t, p.InParts())
	require.Equal(t, int64(2), p.Model.Limits.Apart[0].Most, "five members are two units")
}

// Members of one shape need parts where slots do not tell what limits leave.
func TestLimitsThatNeedParts(t *testing.T) {
	limit := func(kind gang.LimitKind, layer string, most int) gang.Limit {
		return gang.Limit{Kind: kind, Layer: layer, Most: most}
	}
	two := func(rules ...gang.Rule) []gang.Groups { return []gang.Groups{{Size: 2, Gather: rules}} }
	apart, within := gang.Apart, gang.Within
	for name, c := range map[string]struct {
		limits  []gang.Limit
		groups  []gang.Groups
		gather  []gang.Rule
		members int
		parts   bool
	}{
		"apart alone":                             {[]gang.Limit{limit(apart, "rack", 2)}, nil, nil, 6, false},
		"within alone":                            {[]gang.Limit{limit(within, "rack", 2)}, nil, nil, 6, false},
		"apart above a within":                    {[]gang.Limit{limit(within, "rack", 2), limit(apart, "row", 2)}, nil, nil, 6, true},
		"apart below a within":                    {[]gang.Limit{limit(within, "rack", 2), limit(apart, "node", 2)}, nil, nil, 6, false},
		"two layers are counted":                  {[]gang.Limit{limit(within, "rack", 2), limit(within, "node", 3)}, nil, nil, 6, true},
		"apart beside a multiple":                 {[]gang.Limit{limit(apart, "rack", 2)}, nil, []gang.Rule{multiple("rack", 2)}, 6, true},
		"alone beside a multiple":                 {[]gang.Limit{{Kind: gang.Alone, Layer: "rack"}}, nil, []gang.Rule{multiple("rack", 2)}, 6, false},
		"on nodes, of groups":                     {[]gang.Limit{limit(apart, "node", 2)}, two(), nil, 6, false},
		"on racks, less than a group":             {[]gang.Limit{limit(apart, "rack", 1)}, two(), nil, 6, false},
		"on racks, as much as a group":            {[]gang.Limit{limit(apart, "rack", 2)}, two(), nil, 6, true},
		"on racks, beside a short group":          {[]gang.Limit{limit(apart, "rack", 1)}, two(), nil, 5, true},
		"within, groups anywhere":                 {[]gang.Limit{limit(within, "rack", 2)}, two(), nil, 6, true},
		"within, each group in one":               {[]gang.Limit{limit(within, "rack", 2)}, two(must("rack")), nil, 6, false},
		"within, each group in one, one is short": {[]gang.Limit{limit(within, "rack", 2)}, two(must("rack")), nil, 5, true},
	} {
		p := ready(t, request(c.members, func(req *gang.Request) { req.Limits, req.Groups, req.Gather = c.limits, c.groups, c.gather }))
		require.Equal(t, c.parts, p.InParts(), name)
	}
	apartGroups := func(members int, levels ...gang.Groups) bool {
		levels[0].Limits = []gang.Limit{limit(apart, "rack", 1)}
		return ready(t, request(members, func(req *gang.Request) { req.Groups = levels })).InParts()
	}
	ofRunning := func(levels ...gang.Groups) bool {
		levels[0].Limits = []gang.Limit{limit(apart, "rack", 1)}
		return ready(t, request(4, func(req *gang.Request) { req.Groups = levels }), runs("g", "m4", "a1"), runs("g", "m5", "a1"), runs("g", "m6", "a1"), runs("g", "m7", "a1")).InParts()
	}
	require.True(t, ofRunning(gang.Groups{Size: 4}, gang.Groups{Size: 2}))
	require.False(t, ofRunning(gang.Groups{Size: 4}))
	require.False(t, apartGroups(8, gang.Groups{Size: 4}, gang.Groups{Size: 2}))
	require.False(t, apartGroups(8, gang.Groups{Size: 4}))
	require.True(t, apartGroups(7, gang.Groups{Size: 4}), "the last group is short")
}

// Groups that may lie in several of the counted domains are first looked for by whole groups in one, then anywhere.
func TestWhatIsTriedBeforeParts(t *testing.T) {
	first := func(with func(req *gang.Request), running ...cluster.Running) (sizes [][]int64) {
		p := ready(t, request(6, func(req *gang.Request) {
			req.Groups, req.Limits = []gang.Groups{{Size: 2}}, []gang.Limit{{Kind: gang.Within, Layer: "rack", Most: 2}}
			if with != nil {
				with(req)
			}
		}), running...)
		require.True(t, p.InParts())
		for _, one := range p.Parts.First {
			require.False(t, one.InParts())
			require.Equal(t, len(p.Model.Pending), one.Model.Least)
			of := []int64{int64(one.Model.Gather.Must)}
			for _, l := range one.Model.Levels {
				of = append(of, l.Size, int64(l.Gather.Must))
			}
			sizes = append(sizes, of)
		}
		return sizes
	}
	require.Equal(t, [][]int64{{2, 2, 1}, {2}}, first(nil), "in a row: each group in a rack, and then in any")
	require.Equal(t, [][]int64{{1, 2, 3}, {2}}, first(func(req *gang.Request) {
		req.Groups[0].Gather = []gang.Rule{{Layer: "row", Strength: gang.PreferGather}}
	}), "a group is worth no more in a rack than in a row, so that a rack for all is tried for itself")
	require.Nil(t, first(func(req *gang.Request) {
		req.Gather = []gang.Rule{{Layer: "node", Strength: gang.PreferGather}, must("row")}
		req.Gather = req.Gather[:1]
	}), "a wider domain is worth as much")
	require.Equal(t, [][]int64{{1, 2, 3}, {2}}, first(func(req *gang.Request) {
		req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.PreferGather}, {Layer: "row", Strength: gang.PreferGather}}
		req.Groups[0].Gather = []gang.Rule{{Layer: "row", Strength: gang.PreferGather}}
	}), "a rack is the best that the gang can have")
	require.Nil(t, first(nil, runs("g", "old0", "a1"), runs("g", "old1", "a1")), "members run")
	require.Nil(t, first(func(req *gang.Request) {
		req.Limits = append(req.Limits, gang.Limit{Kind: gang.Apart, Layer: "node", Most: 2})
	}), "members are counted, too")
}

// Strategy bounds, without which there would be others, are those of the gang's rules.
func TestWithoutOthersKeepsTheStrategy(t *testing.T) {
	spec := hall(t)
	spec.Nodes[0].Taints = []gang.Taint{{Key: "soft", Effect: gang.PreferNoSchedule}}
	p, err := ask(t, spec, request(4, func(req *gang.Request) { req.Groups = []gang.Groups{{Size: 2}} }), nil)
	require.NoError(t, err)
	p.Ready()
	require.True(t, p.Model.Room.SomeAreForOthers())
	next := p.Model.Room.WithoutOthers(model.Strategy{Gang: 2, Groups: []int32{1}})
	require.Equal(t, []int32{2}, next.Gather.Worths)
	require.Equal(t, []int32{1}, next.Levels[0].Gather.Worths)
	slots := next.Room.Table()
	require.Equal(t, int64(8*4), slots.At(0), "all but the node that is meant for others, and the one outside")
	require.Nil(t, next.Room.WithoutOthers(model.Strategy{Gang: 2, Groups: []int32{1}}), "they are left out already")
	p, err = ask(t, hall(t), request(4, nil), nil)
	require.NoError(t, err)
	require.Nil(t, p.Model.Room.WithoutOthers(model.Strategy{Gang: 2}), "no node is meant for others")
}
