package preempt

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// Zero values and nil have an empty answer.
func TestZeroValues(t *testing.T) {
	require.Equal(t, Solution{}, Solve(Problem{}))
	look, ok := Look(Problem{}, nil)
	require.Equal(t, Outlook{}, look)
	require.False(t, ok)
	require.Error(t, (&Problem{}).Validate())
	require.Error(t, (*Problem)(nil).Validate())
	for _, p := range []*Preemptor{nil, {}, {Priority: 3, Ask: quota.Ask{Quota: "team"}, Within: "root"}} {
		helps, err := p.Limit(quota.Ask{Quota: "team"}, quota.Fair)
		require.NoError(t, err)
		require.True(t, helps, "without quotas none refuses")
		require.False(t, p.Reclaims("other"))
		require.False(t, p.Reaches(3, "other"))
		require.Equal(t, p == nil || p.Within == "", p.Reaches(-1, ""))
		_, over := p.OverMin("other", muster.Resources{"gpu": 1})
		require.False(t, over)
		require.True(t, p.Legal([]quota.Eviction{{Quota: "other", Held: muster.Resources{"gpu": 1}}}))
	}
}

// defects are changes of a valid problem, by the field that Validate then names.
func defects() map[string]func(p *Problem) {
	return map[string]func(p *Problem){
		"Units":                  func(p *Problem) { p.Units = 0 },
		"Request[0]":             func(p *Problem) { p.Request = []int64{-1} },
		"Groups[0]":              func(p *Problem) { p.Groups = []int64{0} },
		"Groups[1]":              func(p *Problem) { p.Groups = []int64{1, 2} },
		"Steps":                  func(p *Problem) { p.Steps = -1 },
		"Order":                  func(p *Problem) { p.Order = []gang.Cost{gang.CostMembers} },
		"Order[1]":               func(p *Problem) { p.Order = []gang.Cost{gang.CostMembers, gang.CostMembers} },
		"Order[0]":               func(p *Problem) { p.Order = []gang.Cost{"unknown"} },
		"Nodes[0].Free":          func(p *Problem) { p.Nodes[0].Free = []int64{1, 2} },
		"Strategies":             func(p *Problem) { p.Strategies = nil },
		"Strategies[0].Gang":     func(p *Problem) { p.Strategies[0].Gang = 1 },
		"Strategies[0].Groups":   func(p *Problem) { p.Strategies[0].Groups = []int{0} },
		"Tiers[0]":               func(p *Problem) { p.Tiers[0] = []int32{0, 1} },
		"Holdings[1].Amounts":    func(p *Problem) { p.Holdings[1].Amounts = nil },
		"Holdings[0].Amounts[0]": func(p *Problem) { p.Holdings[0].Amounts[0] = -8 },
		"Holdings[0].Budgets[0]": func(p *Problem) { p.Holdings[0].Budgets = []int32{0} },
		"Candidates[1].Position": func(p *Problem) { p.Candidates[1].Position = 1 },
		"Candidates[0].Gang":     func(p *Problem) { p.Candidates[0].Gang = -1 },
		"Candidates[0].Holding":  func(p *Problem) { p.Candidates[0].Holding = 2 },
		"Gangs[0]":               func(p *Problem) { p.Gangs[0].Surplus = -1 },
		"Gangs[0].Running":       func(p *Problem) { p.Gangs[0] = Gang{Ends: true} },
		"Gangs[0].Whole":         func(p *Problem) { p.Gangs[0] = Gang{Ends: true, Whole: true, Running: 2} },
		"Others":                 func(p *Problem) { p.Others = -1 },
		"Fits":                   func(p *Problem) { p.Exact, p.Fits = false, nil },
		"BelowMin":               func(p *Problem) { p.Guaranteed = []string{"gpu"} },
	}
}

// What is wrong with a problem is said by field, and answered by nothing.
func TestInvalidProblems(t *testing.T) {
	valid := func() *Problem {
		p := one(0, 8, 8)
		require.NoError(t, p.Validate())
		return p
	}
	for field, change := range defects() {
		p := valid()
		change(p)
		var invalid *muster.InvalidError
		require.ErrorAs(t, p.Validate(), &invalid, field)
		require.Equal(t, "problem."+field, invalid.Field)
		require.Equal(t, Solution{}, Solve(*p), field)
		_, ok := Look(*p, []int32{0})
		require.False(t, ok, field)
	}
	p := valid()
	p.Units, p.Groups = 3, []int64{2, 1}
	require.ErrorContains(t, p.Validate(), "one of several levels does not divide Units")
	p = valid()
	p.Tiers, p.Nodes = [][]int32{{0, 1}, {0, 2}}, make([]Node, 3)
	p.Strategies = []Strategy{{Gang: 1}, {Gang: 0}}
	require.ErrorContains(t, p.Validate(), "problem.Tiers[1][1]")
	for _, classOf := range [][]int32{nil, {1}, {-2}, {0, 0}} {
		_, ok := Look(*valid(), classOf)
		require.Equal(t, len(classOf) == 2, ok, "%v", classOf) // two positions, both of the class
	}
}

// More candidates than costs have bits for are refused.
func TestTooManyCandidates(t *testing.T) {
	p := one(0)
	p.Units, p.Nodes[0].Outside, p.Budgets = math.MaxInt32, true, []int{1}
	p.Holdings = []Holding{{Amounts: []int64{1}, Budgets: []int32{0}}}
	p.Gangs = []Gang{{Priority: 1, Running: 5000, Surplus: 5000, Ends: true, Whole: true}}
	p.Candidates, p.Latest = make([]Candidate, 5000), math.MaxInt64
	for i := range 2500 {
		p.Candidates[i].Started = 1
	}
	require.NoError(t, p.Validate())
	if p.Others = math.MaxInt - 5000; p.Others > math.MaxInt32 {
		require.ErrorContains(t, p.Validate(), "too many to add up their costs")
		require.Equal(t, Solution{}, Solve(*p))
	}
}

// Numbers that decide are enough: nobody is asked whether the gang fits.
func TestExactNeedsNoFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.Bool().Draw(t, "coupled"))
		if rapid.Bool().Draw(t, "quotas") {
			p.Legal = func(gone []int32) bool { return len(gone) != 1 }
		}
		want := Solve(*p)
		p.Fits = nil
		require.Equal(t, want, Solve(*p))
	})
}

// numbers lists all integers within a value that can be set, and lists that can be cut.
func numbers(v reflect.Value, ints, lists []reflect.Value) (moreInts, moreLists []reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			ints, lists = numbers(v.Field(i), ints, lists)
		}
	case reflect.Slice:
		lists = append(lists, v)
		for i := range v.Len() {
			ints, lists = numbers(v.Index(i), ints, lists)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		ints = append(ints, v)
	default:
	}
	return ints, lists
}

// Whatever stands in a problem, nothing panics, and what is not valid has no answer.
func TestSpoiledProblems(t *testing.T) {
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.Bool().Draw(t, "coupled"))
		p.Steps, p.Fits = 50, func(gone []int32, _ int) (int64, bool) { return int64(len(gone)) - 1, len(gone) > 2 }
		p.Exact = rapid.Bool().Draw(t, "exact")
		classes, classOf := classed(p)
		for _, p := range []*Problem{p, &classes} {
			ints, lists := numbers(reflect.ValueOf(p).Elem(), nil, nil)
			for range rapid.IntRange(1, 3).Draw(t, "spoiled") {
				junk := rapid.SampledFrom([]int64{math.MinInt64, math.MinInt32, -1, 0, 1, 2, 3, 7, math.MaxInt32, math.MaxInt64})
				if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
					list := lists[rapid.IntRange(0, len(lists)-1).Draw(t, "list")]
					if n := list.Len(); n > 0 {
						list.Set(list.Slice(0, rapid.IntRange(0, n-1).Draw(t, "length")))
					}
				} else {
					ints[rapid.IntRange(0, len(ints)-1).Draw(t, "number")].SetInt(junk.Draw(t, "junk"))
				}
			}
			if p.Units == math.MaxInt32 || !slices.ContainsFunc(p.Request, func(n int64) bool { return n > 0 }) {
				p.Units = min(p.Units, 5) // valid, but as much memory
			}
		}
		got := Solve(*p)
		if p.Validate() != nil {
			require.Equal(t, Solution{}, got)
		} else {
			kept++
		}
		Look(classes, classOf)
	})
	if !testing.Short() { // few draws may all be spoiled
		require.Positive(t, kept)
	}
}

// What callbacks return is kept within what can be.
func TestWildCallbacks(t *testing.T) {
	for _, n := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64} {
		p := one(0, 8, 8, 8)
		p.Nodes[0].Outside, p.Exact = true, false
		p.Slots = func(int32, []int32) int64 { return n }
		p.Fits = func([]int32, int) (int64, bool) { return n, true }
		p.Guaranteed = []string{"gpu", "cpu"}
		p.BelowMin = func([]int32) []int64 { return make([]int64, n&3) }
		require.NotPanics(t, func() { Solve(*p) })
	}
}
