// Which multiples bind a gang in parts, and how are they called?

package problem_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/partnames"
	"github.com/muster-sched/muster/internal/problem"
)

// rules draws the multiples that bind, each on one line: its name, what divides the number of all its members, what divides them in the
// domains of each tier, and the roles that it counts.
func rules(p *problem.Problem) (out []string) {
	for i := range p.Model.Multiples {
		r := &p.Model.Multiples[i]
		called := partnames.Multiple(p.Model.View, r.Multiples, len(r.Ranks[0]))
		if r.Parts[0].Level > 0 {
			called += " for " + p.Called.InRefusals(r.Parts[0])
		}
		out = append(out, fmt.Sprint(called, ": ", r.Total, " ", r.Units, " ", r.Roles))
	}
	return out
}

// inParts are parts of members: each number is how many the next part has.
func inParts(with func(req *gang.Request), members ...int) *gang.Request {
	all := 0
	for _, n := range members {
		all += n
	}
	return request(all, func(req *gang.Request) {
		next := 0
		for i, n := range members {
			part := gang.Part{Name: fmt.Sprint("p", i)}
			for range n {
				part.Members = append(part.Members, req.Members[next].Name)
				next++
			}
			req.Parts = append(req.Parts, part)
		}
		with(req)
	})
}

// A multiple binds unless groups that are placed whole in one such domain keep it anyway. Parts that are alike share a rule, and so a role.
func TestMultiplesThatBind(t *testing.T) {
	for name, c := range map[string]struct {
		req  *gang.Request
		want []string
	}{
		"of the gang": {
			inParts(func(req *gang.Request) { req.Gather = []gang.Rule{multiple("rack", 2)} }, 2, 2),
			[]string{"multiple 2 at rack: 2 [1 2 2 2] [1]"},
		},
		"kept by groups": {
			inParts(func(req *gang.Request) {
				req.Gather = []gang.Rule{multiple("rack", 2)}
				req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{must("rack")}, []gang.Rule{must("node")}
			}, 2, 4),
			nil,
		},
		"groups may be placed in part": {
			inParts(func(req *gang.Request) {
				req.Gather = []gang.Rule{multiple("rack", 2)}
				req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{must("rack")}, []gang.Rule{must("node")}
				req.Parts[1].MinMember = 2
			}, 2, 4),
			[]string{"multiple 2 at rack: 2 [1 2 2 2] [1]"},
		},
		"groups lie in wider domains": {
			inParts(func(req *gang.Request) {
				req.Gather = []gang.Rule{multiple("rack", 2), multiple("node", 3)}
				req.Parts[0].Gather = []gang.Rule{must("row")}
			}, 6),
			[]string{"multiple 2 at rack: 6 [3 6 6 6] [1]"},
		},
		"a member lies beside the groups": {
			inParts(func(req *gang.Request) {
				req.Gather, req.Parts[0].Gather = []gang.Rule{multiple("rack", 2)}, []gang.Rule{must("rack")}
				req.Parts[0].Members = req.Parts[0].Members[:2]
			}, 3),
			[]string{"multiple 2 at rack: 2 [1 2 2 2] [1]"},
		},
		"of parts that are alike": {
			inParts(func(req *gang.Request) {
				req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{multiple("node", 2)}, []gang.Rule{multiple("node", 2)}
			}, 2, 4),
			[]string{"multiple 2 at node for part p0: 2 [2 2 2 2] [1]"},
		},
		"of one part": {
			inParts(func(req *gang.Request) { req.Parts[0].Gather = []gang.Rule{multiple("node", 2)} }, 2, 4),
			[]string{"multiple 2 at node for part p0: 2 [2 2 2 2] [1 0]"},
		},
		"of parts that differ": {
			inParts(func(req *gang.Request) {
				req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{multiple("node", 2)}, []gang.Rule{multiple("rack", 3)}
			}, 2, 4),
			[]string{"multiple 2 at node for part p0: 2 [2 2 2 2] [1 0]", "multiple 3 at rack for part p1: 3 [1 3 3 3] [0 1]"},
		},
		"in total alone": {
			inParts(func(req *gang.Request) { req.Parts[0].Gather = []gang.Rule{must("rack"), multiple("rack", 3)} }, 4),
			[]string{"multiple 3 at rack for part p0: 3 [] [1]"},
		},
	} {
		p := ready(t, c.req)
		require.Equal(t, c.want, rules(p), name)
		below := false
		for _, r := range p.Model.Multiples {
			below = below || r.Units != nil
		}
		require.Equal(t, below, p.Model.BindsBelow(), name)
		require.Empty(t, p.WithoutMultiples().Model.Multiples, name)
	}
}

// Members that run count where they run, and keep their part from sharing a rule.
func TestMultiplesCountWhoRuns(t *testing.T) {
	req := inParts(func(req *gang.Request) {
		for i := range req.Parts {
			req.Parts[i].Gather = []gang.Rule{multiple("rack", 2)}
		}
		req.Parts[0].Members = append(req.Parts[0].Members, "old")
	}, 1, 2)
	p := ready(t, req, runs("g", "old", "b1"))
	require.Len(t, p.Model.Multiples, 2)
	require.Equal(t, int64(1), p.Model.Multiples[0].Runs.At(domain(p, "b2", 1)))
	require.Equal(t, int64(1), p.Model.Multiples[0].Runs.At(domain(p, "a2", 2)), "racks a and b are of one row")
	require.Zero(t, p.Model.Multiples[0].Runs.At(domain(p, "c1", 2)))
	require.Zero(t, p.Model.Multiples[1].Runs.At(domain(p, "b2", 1)))
	require.True(t, p.Model.Multiples[0].Keeps(p.Model.Places(), nil), "one is new and one runs")
	require.False(t, p.Model.Multiples[0].Keeps(p.Model.Places(), make(model.Selection, 3)), "the one that runs alone")
	o := &model.Answer{Of: &p.Model, Positions: []int32{at(p, "a1"), at(p, "a1"), at(p, "a1")}, Tier: 3}
	require.Equal(t, int64(1), p.Rest(o, nil).Model.Multiples[0].Runs.At(domain(p, "a2", 1)), "what is placed counts as running")
}

// Multiples are read as tiers.
func TestMultiplesOfRules(t *testing.T) {
	p := ready(t, request(6, nil))
	list := p.MultiplesIn([]gang.Rule{multiple("node", 2), must("rack"), multiple("row", 4), multiple("hall", 9)})
	require.Len(t, list, 2, "others are refused elsewhere")
	require.Equal(t, []model.Multiple{{Tier: 0, Of: 2}, {Tier: 2, Of: 4}}, list)
}

// Where fewer members than any selection has are asked about, all multiples of the gang count, also those that groups keep.
func TestAllMultiples(t *testing.T) {
	p := ready(t, inParts(func(req *gang.Request) {
		req.Gather = []gang.Rule{multiple("rack", 2)}
		req.Parts[0].Gather, req.Parts[1].Gather = []gang.Rule{must("rack")}, []gang.Rule{must("rack"), multiple("node", 2)}
	}, 2, 4))
	require.Equal(t, []string{"multiple 2 at node for part p1: 2 [2 2 2 2] [0 1]"}, rules(p))
	all := p.WithMultiples(p.AllMultiples())
	require.Equal(t, []string{"multiple 2 at rack: 2 [1 2 2 2] [1 1]", "multiple 2 at node for part p1: 2 [2 2 2 2] [0 1]"}, rules(all))
	p = ready(t, inParts(func(req *gang.Request) { req.Parts[0].Gather = []gang.Rule{multiple("node", 2)} }, 2))
	require.Equal(t, p.Model.Multiples, p.AllMultiples())
}
