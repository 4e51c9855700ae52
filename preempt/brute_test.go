package preempt

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// drawProblem draws a small problem in one go: a line of nodes cut into domains, what is free on them and who runs there.
func drawProblem(t *rapid.T, coupled bool) *Problem {
	p := &Problem{Exact: true, First: 0, Last: -1, Steps: 100000}
	nodes := rapid.IntRange(1, 6).Draw(t, "nodes")
	kinds := rapid.IntRange(1, 2).Draw(t, "resources")
	for range kinds {
		p.Request = append(p.Request, rapid.Int64Range(1, 3).Draw(t, "request"))
	}
	p.Tiers = append(p.Tiers, nil)
	var middle []int32
	for pos := range int32(nodes) {
		p.Tiers[0] = append(p.Tiers[0], pos)
		if pos == 0 || rapid.Bool().Draw(t, "cut") {
			middle = append(middle, pos)
		}
		n := Node{}
		if rapid.IntRange(0, 9).Draw(t, "open") > 0 {
			n.Free = []int64{}
			for range kinds {
				n.Free = append(n.Free, rapid.Int64Range(-1, 3).Draw(t, "free"))
			}
		}
		p.Nodes = append(p.Nodes, n)
	}
	p.Tiers = append(p.Tiers, middle, []int32{0})
	gangs := rapid.IntRange(1, 5).Draw(t, "gangs")
	for range gangs {
		p.Gangs = append(p.Gangs, Gang{Priority: rapid.Int64Range(-1, 2).Draw(t, "priority"), Ends: coupled && rapid.Bool().Draw(t, "whole")})
	}
	if coupled {
		p.Budgets = rapid.SliceOfN(rapid.IntRange(-1, 2), 0, 2).Draw(t, "budgets")
	}
	amounts := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(0, 3), kinds, kinds), 1, 6).Draw(t, "amounts")
	for pos := range int32(nodes) {
		for range rapid.IntRange(0, 6).Draw(t, "candidates") {
			if len(p.Candidates) == 9 {
				break
			}
			c := Candidate{Position: pos, Gang: int32(rapid.IntRange(0, gangs-1).Draw(t, "gang")), Started: rapid.Int64Range(0, 3).Draw(t, "started")}
			k := Holding{Amounts: rapid.SampledFrom(amounts).Draw(t, "holds")}
			for b := range p.Budgets {
				if rapid.IntRange(0, 3).Draw(t, "counts") == 0 {
					k.Budgets = append(k.Budgets, int32(b))
				}
			}
			at := slices.IndexFunc(p.Holdings, func(o Holding) bool { return reflect.DeepEqual(o, k) })
			if at < 0 {
				p.Holdings, at = append(p.Holdings, k), len(p.Holdings)
			}
			c.Holding = int32(at)
			p.Candidates = append(p.Candidates, c)
		}
	}
	orders := rapid.Permutation(indexes(len(p.Candidates))).Draw(t, "order")
	p.Lowest, p.Latest = rapid.Int64Range(-2, -1).Draw(t, "lowest"), rapid.Int64Range(3, 4).Draw(t, "latest")
	for i := range p.Candidates {
		p.Candidates[i].Order = int32(orders[i])
		p.Gangs[p.Candidates[i].Gang].Running++
	}
	for g := range p.Gangs {
		of := &p.Gangs[g]
		of.Surplus, of.Whole = of.Running, true
		if of.Ends && of.Running > 0 {
			of.Surplus = rapid.IntRange(0, of.Running-1).Draw(t, "surplus")
			if rapid.IntRange(0, 4).Draw(t, "one may not leave") == 0 {
				of.Running++
				of.Whole = false
			}
		}
	}
	drawGroups(t, p)
	p.Order = gang.Costs()
	if rapid.Bool().Draw(t, "other order") {
		p.Order = rapid.Permutation(p.Order).Draw(t, "costs")
	}
	p.Fits = func(gone []int32, strategy int) (int64, bool) { return 0, fitsBrute(p, gone, strategy) }
	return p
}

func drawGroups(t *rapid.T, p *Problem) {
	p.Units = rapid.Int64Range(1, 5).Draw(t, "units")
	if size := rapid.Int64Range(0, 3).Draw(t, "group"); size > 0 && size <= p.Units {
		p.Groups = []int64{size}
		if size == 2 && rapid.Bool().Draw(t, "nested") {
			p.Units, p.Groups = 4, []int64{4, 2}
		}
	}
	bound := rapid.IntRange(0, 2).Draw(t, "gang within")
	for g := range bound + 1 {
		switch len(p.Groups) {
		case 0:
			p.Strategies = append(p.Strategies, Strategy{Gang: g})
		case 1:
			for k := range g + 1 {
				p.Strategies = append(p.Strategies, Strategy{g, []int{k}})
			}
		case 2:
			for k := range g + 1 {
				for l := range k + 1 {
					p.Strategies = append(p.Strategies, Strategy{g, []int{k, l}})
				}
			}
		}
	}
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// fitsBrute says whether the gang fits by counting groups from the bottom up.
func fitsBrute(p *Problem, gone []int32, strategy int) bool {
	st := p.Strategies[strategy]
	slots := make([]int64, len(p.Nodes))
	for pos, n := range p.Nodes {
		if n.Free == nil {
			continue
		}
		free := slices.Clone(n.Free)
		for _, i := range gone {
			if c := &p.Candidates[i]; int(c.Position) == pos {
				for r := range free {
					free[r] += p.Holdings[c.Holding].Amounts[r]
				}
			}
		}
		slots[pos] = 99
		for r := range free {
			slots[pos] = min(slots[pos], max(0, free[r])/p.Request[r])
		}
	}
	end := func(tier, d int) int {
		if d+1 < len(p.Tiers[tier]) {
			return int(p.Tiers[tier][d+1])
		}
		return len(p.Nodes)
	}
	var units func(level, lo, hi int) (n, rest int64)
	units = func(level, lo, hi int) (n, rest int64) {
		if level == len(p.Groups) {
			for _, s := range slots[lo:hi] {
				n += s
			}
			return n, 0
		}
		ratio := p.Groups[level]
		if level+1 < len(p.Groups) {
			ratio /= p.Groups[level+1]
		}
		for d, from := range p.Tiers[st.Groups[level]] {
			if int(from) >= lo && end(st.Groups[level], d) <= hi {
				inner, _ := units(level+1, int(from), end(st.Groups[level], d))
				n += inner / ratio
				rest = max(rest, inner%ratio)
			}
		}
		return n, rest
	}
	for d, lo := range p.Tiers[st.Gang] {
		n, rest := units(0, int(lo), end(st.Gang, d))
		switch {
		case len(p.Groups) == 0 && n >= p.Units:
			return true
		case len(p.Groups) > 0 && (n > p.Units/p.Groups[0] || n == p.Units/p.Groups[0] && rest >= p.Units%p.Groups[0]):
			return true
		}
	}
	return false
}

// bruteKey is what a set costs, as numbers in the order of the request.
func bruteKey(p *Problem, gone []int32, strategy int) []int64 {
	var out []int64
	sorted := slices.SortedFunc(slices.Values(gone), func(a, b int32) int { return int(p.Candidates[a].Order - p.Candidates[b].Order) })
	left, broken := slices.Clone(p.Budgets), int64(0)
	highest, sum, unknown, lost := int64(-100), int64(0), int64(0), int64(0)
	count := map[int32]int{}
	for _, i := range sorted {
		c := &p.Candidates[i]
		bad := false
		for _, b := range p.Holdings[c.Holding].Budgets {
			left[b]--
			bad = bad || left[b] < 0
		}
		if bad {
			broken++
		}
		priority := p.Gangs[c.Gang].Priority
		highest, sum = max(highest, priority), sum+priority
		if c.Started == 0 {
			unknown++
		} else {
			lost += p.Latest - c.Started
		}
		count[c.Gang]++
	}
	ended := int64(0)
	for g, n := range count {
		if p.Gangs[g].Ends && n == p.Gangs[g].Running {
			ended++
		}
	}
	for _, c := range p.Order {
		switch c {
		case gang.CostBudgets:
			out = append(out, broken)
		case gang.CostHighestPriority:
			out = append(out, highest)
		case gang.CostGangsEnded:
			out = append(out, ended)
		case gang.CostMembers:
			out = append(out, int64(len(gone)))
		case gang.CostPrioritySum:
			out = append(out, sum-int64(len(gone))*p.Lowest)
		case gang.CostStrategy:
			out = append(out, int64(strategy))
		case gang.CostLostWork:
			out = append(out, unknown, lost)
		}
	}
	return out
}

func bruteLegal(p *Problem, gone []int32) bool {
	count := map[int32]int{}
	for _, i := range gone {
		count[p.Candidates[i].Gang]++
	}
	for g, n := range count {
		if of := &p.Gangs[g]; of.Ends && n > of.Surplus && n < of.Running {
			return false
		}
	}
	return true
}

// bruteBest tries every set under every strategy.
func bruteBest(p *Problem) (best []int64) {
	for bits := range 1 << len(p.Candidates) {
		var set []int32
		for i := range p.Candidates {
			if bits>>i&1 == 1 {
				set = append(set, int32(i))
			}
		}
		if len(set) == 0 || !bruteLegal(p, set) {
			continue
		}
		for st := range p.Strategies {
			if fitsBrute(p, set, st) {
				if key := bruteKey(p, set, st); best == nil || slices.Compare(key, best) < 0 {
					best = key
				}
				break
			}
		}
	}
	return best
}

func solvesAsBrute(t *rapid.T, coupled bool) {
	p := drawProblem(t, coupled)
	if fitsBrute(p, nil, len(p.Strategies)-1) {
		t.Skip("it fits without")
	}
	want := bruteBest(p)
	got := Solve(*p)
	if want == nil {
		require.False(t, got.Found, "%+v", got)
		require.True(t, got.Proven)
		return
	}
	text := fmt.Sprintf("%+v\n%+v", *p, got)
	require.True(t, got.Found, text)
	require.True(t, bruteLegal(p, got.Gone), text)
	require.True(t, fitsBrute(p, got.Gone, got.Strategy), text)
	require.Equal(t, want, bruteKey(p, got.Gone, got.Strategy), text)
	require.True(t, got.Proven, text)
}

func TestSolveEqualsBruteForce(t *testing.T) {
	t.Run("uncoupled", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { solvesAsBrute(t, false) }) })
	t.Run("coupled", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { solvesAsBrute(t, true) }) })
}
