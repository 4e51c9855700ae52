package spec

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/topology"
)

// racks is a model of two racks of two nodes, which take so many units, for a gang without rules.
func racks(takes [4]int64, members int, levels ...model.Level) *model.Model {
	tree, err := topology.New(topology.Spec{Roots: []topology.Domain{
		{Name: "row", Tier: 2, Children: []topology.Domain{{Name: "r1", Tier: 1, Nodes: []string{"n1", "n2"}}, {Name: "r2", Tier: 1, Nodes: []string{"n3", "n4"}}}},
	}})
	if err != nil {
		panic(err)
	}
	m := &model.Model{View: layout.New("tree", tree, []string{"n1", "n2", "n3", "n4"}, nil), Policy: gang.BestFit, LCA: -1, Least: members, Admitted: members}
	for rank := range members {
		m.Pending = append(m.Pending, rank)
	}
	m.Gather = model.Gather{Must: m.View.RootTop, Own: -1, Worths: m.View.Tiers}
	for _, l := range levels {
		l.Gather = m.Gather
		m.Levels = append(m.Levels, l)
	}
	r := &Room{Takes: takes[:], Scores: make([]int64, 4), Others: make([]bool, 4), Kind: make([]int, 4), Kinds: make([]ZoneKind, 1)}
	r.Of(m)
	return m
}

// The best answers of small models, each found by hand.
func TestBestByHand(t *testing.T) {
	for name, test := range map[string]struct {
		m    *model.Model
		want []int32
	}{
		"the fewest slots that suffice":  {racks([4]int64{3, 0, 2, 2}, 2), []int32{2, 2}},
		"a rack before two":              {racks([4]int64{2, 0, 1, 2}, 3), []int32{2, 3, 3}},
		"groups stay whole":              {racks([4]int64{2, 1, 1, 2}, 4, model.Level{Size: 2}), []int32{0, 0, 3, 3}},
		"the short group comes last":     {racks([4]int64{3, 0, 1, 0}, 3, model.Level{Size: 2}), []int32{0, 0, 0}},
		"nothing fits":                   {racks([4]int64{1, 1, 1, 1}, 5), nil},
		"fewer where there is less room": {fewer(racks([4]int64{1, 1, 1, 0}, 4)), []int32{0, 1, 2}},
	} {
		a := Best(test.m)
		if test.want == nil {
			require.Nil(t, a, name)
			continue
		}
		require.Equal(t, test.want, a.Positions, name)
		require.NoError(t, Valid(test.m, a), name)
	}
}

func fewer(m *model.Model) *model.Model {
	m.Least = 1
	return m
}

// What the definition says is valid, and each domain comes once. There is an answer exactly where the least number is possible.
func TestAnswersAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Draw(t)
		all, domains := All(m), []layout.Vertex(nil)
		for _, a := range all {
			require.NoError(t, Valid(m, a), "%s\n%s", answerText(a), Text(m))
			domains = append(domains, a.Domain)
		}
		slices.Sort(domains)
		require.Len(t, slices.Compact(domains), len(domains), Text(m))
		require.Equal(t, Possible(m), len(all) > 0, Text(m))
		if best := Best(m); best != nil {
			require.Equal(t, answerText(best), answerText(all[0]), Text(m))
		}
	})
}

// An answer that breaks a rule is not valid.
func TestValidSeesWhatIsBroken(t *testing.T) {
	m := racks([4]int64{2, 1, 1, 2}, 4, model.Level{Size: 2})
	m.Levels[0].Gather = model.Gather{Must: 1, Hard: true, Own: 1, Worths: []int32{0, 1}}
	for want, a := range map[string]*model.Answer{
		"2 members at 1, which takes 1":              {Domain: 0, Tier: 3, Positions: []int32{0, 1, 1, 0}},
		"group 0 of 2 reaches tier 2, at most 1":     {Domain: 0, Tier: 3, Positions: []int32{0, 3, 3, 0}},
		"position 3 is not in domain 3":              {Domain: 3, Tier: 1, Positions: []int32{0, 0, 3, 3}},
		"domain 0, tier 1, at most 3":                {Domain: 0, Tier: 1, Positions: []int32{0, 0, 3, 3}},
		"3 members, at least 4 and at most 4 may be": {Domain: 0, Tier: 3, Positions: []int32{0, 0, 3}},
		"3 members in all, no multiple of 2":         {Domain: 0, Tier: 3, Positions: []int32{0, 0, 3}},
		"1 members below 5, no multiple of 2":        {Domain: 0, Tier: 3, Positions: []int32{0, 1, 3, 3}},
		"a group is torn at rank 3":                  {Domain: 0, Tier: 3, Positions: []int32{0, 0, 3}},
	} {
		m.Multiple = []int64{2, 2, 2, 2}
		a.Of = m
		require.ErrorContains(t, Valid(m, a), want)
	}
}

// An engine that is wrong does not conform, whatever it is asked.
func TestDiffersSeesWrongEngines(t *testing.T) {
	right := Engine{
		Best: Best, Least: Least, Possible: Possible, Fits: Fits, Allows: Allows,
		All: func(m *model.Model) iter.Seq[*model.Answer] { return slices.Values(All(m)) },
	}
	m := func() *model.Model { return fewer(racks([4]int64{1, 1, 1, 0}, 4)) }
	require.NoError(t, right.Differs(m(), &model.Memory{}))
	for what, spoil := range map[string]func(e *Engine){
		"the best":  func(e *Engine) { e.Best = Least },
		"the least": func(e *Engine) { e.Least = Best },
		"all": func(e *Engine) {
			e.All = func(*model.Model) iter.Seq[*model.Answer] { return slices.Values[[]*model.Answer](nil) }
		},
		"possible": func(e *Engine) { e.Possible = func(*model.Model) bool { return false } },
		"fits":     func(e *Engine) { e.Fits = func(*model.Model) []model.Fit { return nil } },
		"members under": func(e *Engine) {
			e.Allows = func(*model.Model, int, model.Strategy) (int64, bool) { return 0, true }
		},
	} {
		e := right
		spoil(&e)
		require.ErrorContains(t, e.Differs(m(), &model.Memory{}), what)
	}
}
