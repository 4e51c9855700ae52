package preempt

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// classed is a problem whose nodes are told by classes, each alike in all but names and starts, and the classes of positions.
func classed(p *Problem) (out Problem, classOf []int32) {
	out = *p
	out.Nodes, out.Candidates = nil, nil
	type class struct {
		free []int64
		on   []Candidate
	}
	var classes []class
	for pos, n := range p.Nodes {
		if n.Free == nil {
			classOf = append(classOf, -1)
			continue
		}
		next := class{free: n.Free}
		for _, c := range p.Candidates {
			if int(c.Position) == pos {
				next.on = append(next.on, Candidate{Gang: c.Gang, Holding: c.Holding})
			}
		}
		at := slices.IndexFunc(classes, func(o class) bool { return slices.Equal(o.free, next.free) && slices.Equal(o.on, next.on) })
		if at < 0 {
			at = len(classes)
			classes = append(classes, next)
			out.Nodes = append(out.Nodes, n)
			for _, c := range next.on {
				c.Position = int32(at)
				out.Candidates = append(out.Candidates, c)
			}
		}
		classOf = append(classOf, int32(at))
	}
	out.Others = len(p.Candidates) - len(out.Candidates)
	return out, classOf
}

// Without knowing who is on the nodes it is known that the best set makes room in some of a few domains, and takes nobody above a priority.
func TestLookHoldsTheBestSet(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t, rapid.IntRange(0, 4).Draw(t, "coupled") == 0)
		if fitsBrute(p, nil, len(p.Strategies)-1) {
			t.Skip("it fits without")
		}
		look, ok := Look(classed(p))
		if !ok {
			return
		}
		known++
		best := Solve(*p)
		require.Equal(t, best.Found, len(look.Domains) > 0)
		if !best.Found {
			return
		}
		require.Equal(t, best.Cost.HighestPriority, look.Ceiling)
		within := func(pos int32) bool {
			return slices.ContainsFunc(look.Domains, func(d [2]int32) bool { return d[0] <= pos && pos < d[1] })
		}
		for _, i := range best.Gone {
			require.True(t, within(p.Candidates[i].Position), "%v, best %v", look, best)
		}
		few := *p
		few.Nodes, few.Candidates = slices.Clone(p.Nodes), nil
		for pos := range few.Nodes {
			if !within(int32(pos)) {
				few.Nodes[pos].Free = nil
			}
		}
		var kept []int32
		for i, c := range p.Candidates {
			if within(c.Position) && p.Gangs[c.Gang].Priority <= look.Ceiling {
				few.Candidates, kept = append(few.Candidates, c), append(kept, int32(i))
			}
		}
		few.Others = len(p.Candidates) - len(kept)
		got := Solve(few)
		for at, i := range got.Gone {
			got.Gone[at] = kept[i]
		}
		got.Steps, best.Steps = 0, 0
		require.Equal(t, best, got)
	})
	require.Positive(t, known)
}

// What depends on who leaves is not known without.
func TestLookIsNotEnough(t *testing.T) {
	for name, change := range map[string]func(p *Problem){
		"a quota":                      func(p *Problem) { p.Legal = func([]int32) bool { return true } },
		"a gang that ends":             func(p *Problem) { p.Gangs[0].Ends = true },
		"rules beside slots":           func(p *Problem) { p.Exact = false },
		"fewer before lower":           func(p *Problem) { p.Order = []gang.Cost{gang.CostMembers, gang.CostHighestPriority} },
		"the tier before the priority": func(p *Problem) { p.Order = []gang.Cost{gang.CostStrategy, gang.CostHighestPriority} },
	} {
		p := one(0, 8, 8)
		p.Order = gang.Costs()
		_, ok := Look(*p, []int32{0})
		require.True(t, ok)
		change(p)
		_, ok = Look(*p, []int32{0})
		require.False(t, ok, name)
	}
}
