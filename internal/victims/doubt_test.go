package victims

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

func gpus(n int64) muster.Resources { return muster.Resources{"gpu": n} }

// full is a cluster of full nodes, on each of which plain pods of priority 1 run that hold so many devices each.
func full(t *testing.T, nodes int, held ...int64) *snapshot.Snapshot {
	t.Helper()
	var spec cluster.Spec
	total := int64(0)
	for _, n := range held {
		total += n
	}
	for i := range nodes {
		name := fmt.Sprint("node-", i)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(total)})
		for j, n := range held {
			pod := fmt.Sprint("pod-", i, "-", j)
			spec.Running = append(spec.Running, cluster.Running{Gang: pod, Member: pod, Node: name, Priority: 1, Resources: gpus(n)})
		}
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return c
}

// roles is a gang of which each member asks for devices of its own number.
func roles(asks ...int64) *gang.Request {
	r := &gang.Request{Name: "preemptor", Priority: 5}
	for i, n := range asks {
		r.Members = append(r.Members, gang.Member{Name: fmt.Sprint("p-", i), Shape: &gang.Shape{Resources: gpus(n)}})
	}
	return r
}

func evict(t *testing.T, c *snapshot.Snapshot, r *gang.Request) (*Eviction, *problem.Problem) {
	t.Helper()
	p, err := search.New(c, r, nil, bounds.Search{})
	require.NoError(t, err)
	p.Room.LeavingGone = true
	return Evict(p, Anybody), p
}

// With few steps a set of victims is not found, or not the best one: neither is called proven. With enough of them it is.
func TestDoubtIsNoProof(t *testing.T) {
	c, gang := full(t, 4, 1, 2, 5), roles(5, 3, 5, 3)
	const least = 4 // a pod of one and one of two devices leave room for three, beside a pod of five; another such two for the other
	refused, doubted, proven := 0, 0, 0
	for gang.Steps = 1; gang.Steps < 2000; gang.Steps += 1 + gang.Steps/2 {
		e, p := evict(t, c, gang)
		switch {
		case e == nil:
			require.True(t, p.Unsettled, "%d steps: there are victims", gang.Steps)
			require.Zero(t, proven, "%d steps: less were enough", gang.Steps)
			refused++
		case e.Found.Proven:
			require.Equal(t, least, e.Found.Cost.Members, "%d steps", gang.Steps)
			require.Equal(t, e.Found.Cost, e.Found.LowerBound)
			proven++
		default:
			require.LessOrEqual(t, e.Found.LowerBound.Members, least, "%d steps", gang.Steps)
			require.GreaterOrEqual(t, e.Found.Cost.Members, least, "%d steps", gang.Steps)
			doubted++
		}
		if e != nil {
			require.True(t, e.Proven, "nothing about the plan is in doubt but its victims")
			require.Len(t, e.Victims, e.Found.Cost.Members)
			e.Done()
		}
		p.Done()
	}
	require.Positive(t, refused)
	require.Positive(t, doubted)
	require.Positive(t, proven)
}

// Five members of five devices have no place on four nodes of eight, whoever leaves: proven, as long as the steps last.
func TestNoVictimsHelp(t *testing.T) {
	gang := roles(5, 5, 5, 5, 5, 1)
	e, p := evict(t, full(t, 4, 1, 2, 5), gang)
	require.Nil(t, e)
	require.False(t, p.Unsettled)
	p.Done()
	gang.Steps = 1
	e, p = evict(t, full(t, 4, 1, 2, 5), gang)
	require.Nil(t, e)
	require.True(t, p.Unsettled)
	p.Done()
}

// either is a gang of two parts of which one suffices: a is hard to pack, b is not.
func either() *gang.Request {
	r := roles(1, 2, 3, 4, 5, 6, 7, 4, 1, 1, 1, 1, 1, 1, 1, 1)
	r.Parts, r.MinParts, r.MinMember = []gang.Part{{Name: "a"}, {Name: "b"}}, 1, 8
	for i, m := range r.Members {
		part := &r.Parts[i/8]
		part.Members = append(part.Members, m.Name)
	}
	return r
}

// Part a comes first where there are victims for it. Where the steps do not tell, those for b are not called the best.
func TestDoubtOfASelectionBefore(t *testing.T) {
	c, gang := full(t, 4, 8), either()
	begins := map[string]int{}
	for gang.Steps = 64; gang.Steps < 2000; gang.Steps += gang.Steps / 4 {
		e, p := evict(t, c, gang)
		if e == nil {
			require.True(t, p.Unsettled, "%d steps", gang.Steps)
			p.Done()
			continue
		}
		first := e.Plan.Of.NameOf(e.Plan.Of.Model.Pending[0])
		begins[first]++
		if first == "p-8" {
			require.False(t, e.Proven || e.Found.Proven, "%d steps", gang.Steps)
		}
		e.Done()
		p.Done()
	}
	require.Len(t, begins, 2, "both come about")

	// Where a has no place for sure, as it asks for more than there is, b is the best.
	gang.Members[0].Shape.Resources, gang.Steps = gpus(9), 0
	e, p := evict(t, c, gang)
	require.NotNil(t, e)
	require.Equal(t, "p-8", e.Plan.Of.NameOf(e.Plan.Of.Model.Pending[0]))
	require.True(t, e.Proven && e.Found.Proven)
	e.Done()
	p.Done()
}

// All trials of a gang in parts spend from one budget: however many there could be, they end.
func TestTrialsShareTheirSteps(t *testing.T) {
	c, gang := full(t, 4, 1, 2, 5), roles(5, 3, 5, 3)
	gang.Steps = 500
	p, err := search.New(c, gang, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	p.Room.LeavingGone = true
	least, whole := search.For(p).Minimal()
	require.True(t, whole)
	require.Len(t, least, 1)
	left := p.NewBudget()
	e := newVictimSearch(least[0], left)
	require.NotNil(t, e)
	e.findCandidates()
	e.findNodes()
	all := make([]int32, len(e.question.Candidates))
	for i := range all {
		all[i] = int32(i)
	}
	trials, widest := 0, len(e.strategies)-1
	for ; !e.spent(); trials++ {
		before := *left
		some := all[trials%2*4:] // with all gone it fits, with two nodes as they are it does not
		if _, ok := e.fits(some, widest); !ok {
			require.True(t, e.doubt || trials%2 == 1)
		}
		require.Less(t, left.Fronts.Left(), before.Fronts.Left(), "what is summed is spent")
		require.LessOrEqual(t, left.Packing.Left(), before.Packing.Left()-6*int64(len(all)), "and so is what is copied")
		require.Less(t, trials, 1000, "they do not end")
	}
	require.Greater(t, trials, 10, "a trial takes a part of the steps")
	e.doubt = false
	_, ok := e.fits(all, widest)
	require.False(t, ok)
	require.True(t, e.doubt, "nobody looked")
}

// A trial that ended early may have refused what fits. The search that goes on after it may end by itself, and then
// holds its set for the best one: it is not called proven all the same.
func TestDoubtOfOneTrial(t *testing.T) {
	var spec cluster.Spec
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: gpus(8)})
	}
	for _, name := range []string{"a", "b"} { // without one of them all members fit just so
		spec.Running = append(spec.Running, cluster.Running{Gang: name, Member: name, Node: "node-3", Priority: 1, Resources: gpus(4)})
	}
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	gang, doubted := roles(7, 5, 3, 1, 6, 4, 2), 0
	for gang.Steps = 180; gang.Steps < 300; gang.Steps += 2 {
		p, err := search.New(c, gang, nil, bounds.Search{})
		require.NoError(t, err)
		p.Room.LeavingGone = true
		least, _ := search.For(p).Minimal()
		s := newVictimSearch(least[0], p.NewBudget().Part(evictShare))
		s.all = &allGone{}
		if found := s.solve(); found.Found && s.doubt {
			doubted++
			require.False(t, found.Proven, "%d steps", gang.Steps)
			require.Zero(t, found.LowerBound.Members, "%d steps", gang.Steps)
		}
		s.all.forget()
		p.Done()
	}
	require.Positive(t, doubted, "no set is found after a trial in doubt")
}

// Who need not leave is asked with steps beside those of the trials, and plans that share their steps pay for both.
func TestSparingIsPaidFor(t *testing.T) {
	c, gang := full(t, 4, 1, 2, 5), roles(5, 3, 5, 3)
	spent := func(change func(*victimSearch)) (reserve, all int64) {
		p, err := search.New(c, gang, nil, bounds.Search{})
		require.NoError(t, err)
		left := p.NewBudget()
		p.Done()
		p, err = search.New(c, gang, nil, bounds.Search{Left: left})
		require.NoError(t, err)
		defer p.Done()
		p.Room.LeavingGone = true
		least, _ := search.For(p).Minimal()
		s := newVictimSearch(least[0], p.NewBudget().Part(evictShare))
		s.all = &allGone{}
		defer s.all.forget()
		change(s)
		had, before := *s.reserve, *left
		s.solve()
		return had.Fronts.Left() - s.reserve.Fronts.Left(), before.Fronts.Left() - left.Fronts.Left()
	}
	for gang.Steps = 1; ; gang.Steps++ {
		require.Less(t, gang.Steps, 2000, "no set is in doubt")
		reserve, all := spent(func(*victimSearch) {})
		if reserve == 0 {
			continue
		}
		none, others := spent(func(s *victimSearch) { s.question.FitsAtLast = nil })
		require.Zero(t, none)
		require.Equal(t, others+reserve, all)
		return
	}
}

// What does not fit once everybody is gone that may leave is hopeless, and nothing else is.
func TestHopeless(t *testing.T) {
	c := full(t, 4, 1, 2, 5)
	for name, tc := range map[string]struct {
		asks     []int64
		change   func(r *gang.Request)
		hopeless bool
	}{
		"it fits once all are gone":     {asks: []int64{8, 8, 8, 7}},
		"a member too many":             {asks: []int64{8, 8, 8, 7, 2}, hopeless: true},
		"a member too large":            {asks: []int64{9, 1}, hopeless: true},
		"one of them may be left out":   {asks: []int64{8, 8, 8, 7, 2}, change: func(r *gang.Request) { r.MinMember = 4 }},
		"nobody leaves for it":          {asks: []int64{9, 1}, change: func(r *gang.Request) { r.NeverPreempts = true }},
		"nobody has a lower priority":   {asks: []int64{9, 1}, change: func(r *gang.Request) { r.Priority = 1 }},
		"all of one shape are no roles": {asks: []int64{9, 9}},
	} {
		r := roles(tc.asks...)
		if tc.change != nil {
			tc.change(r)
		}
		p, err := search.New(c, r, nil, bounds.Search{})
		require.NoError(t, err)
		left := p.NewBudget()
		p.Done()
		p, err = search.New(c, r, nil, bounds.Search{Left: left, Bare: true})
		require.NoError(t, err)
		hopeless, proven := Hopeless(p, Anybody)
		require.Equal(t, tc.hopeless, hopeless, name)
		require.Equal(t, tc.hopeless, proven, name)
		left.Packing.Spend(left.Packing.Left() + 1)
		hopeless, _ = Hopeless(p, Anybody)
		require.False(t, hopeless, "nobody looks")
		p.Done()
	}
}
