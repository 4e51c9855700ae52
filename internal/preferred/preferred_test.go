package preferred

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

const devices = "gpu"

// racks is a cluster of one block. Each list is a rack: the free devices of its nodes.
func racks(free ...[]int) cluster.Spec {
	var spec cluster.Spec
	block := topology.Domain{Name: "b", Tier: 2}
	for r, nodes := range free {
		rack := topology.Domain{Name: fmt.Sprintf("r%d", r), Tier: 1}
		for i, n := range nodes {
			name := fmt.Sprintf("n%d-%d", r, i)
			rack.Nodes = append(rack.Nodes, name)
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{devices: int64(n)}})
		}
		block.Children = append(block.Children, rack)
	}
	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Tier: 1, Name: "rack"}, {Tier: 2, Name: "block"}}, Roots: []topology.Domain{block},
	})
	if err != nil {
		panic(err)
	}
	spec.Trees = []cluster.NamedTree{{Tree: tree}}
	return spec
}

// runs puts members of other gangs on nodes, each of which adds a device that it holds.
func runs(spec cluster.Spec, leaving bool, nodes ...string) cluster.Spec {
	for _, name := range nodes {
		i := slices.IndexFunc(spec.Nodes, func(n cluster.Node) bool { return n.Name == name })
		spec.Nodes[i].Allocatable = muster.Resources{devices: spec.Nodes[i].Allocatable[devices] + 1}
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "other", Member: fmt.Sprint("o", len(spec.Running)), Node: name, Resources: muster.Resources{devices: 1}, Leaving: leaving,
		})
	}
	return spec
}

// job is a gang of n members of one device each, that prefers limits.
func job(n int, limits ...gang.Limit) *gang.Request {
	req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{devices: 1}}, Limits: limits}
	for i := range n {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m%d", i)})
	}
	return req
}

func rather(kind gang.LimitKind, layer string, most int) gang.Limit {
	return gang.Limit{Kind: kind, Layer: layer, Most: most, Preferred: true}
}

// bestOf is the best plan of a problem, on what is free or once leaving members are gone; nil: there is none.
func bestOf(p *problem.Problem) *outcome.Outcome {
	if o := search.Best(p); o != nil {
		return o
	}
	return search.Wait(p)
}

// kept is what is kept of preferred limits, as the request with hard ones has them, and the plan; nil: none is kept.
func kept(t require.TestingT, s *snapshot.Snapshot, req *gang.Request) (*Search, *outcome.Outcome) {
	p, err := search.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	o := bestOf(p)
	require.NotNil(t, o)
	k, err := Read(p)
	require.NoError(t, err)
	plan, err := k.Keep(planOf(o))
	require.NoError(t, err)
	return k, plan
}

func limitsOf(req *gang.Request) (out []string) {
	for _, list := range listsOf(req) {
		for _, l := range *list {
			out = append(out, fmt.Sprintf("%s %s %d", l.Kind, l.Layer, l.Most))
		}
	}
	return out
}

// What is kept of limits that a gang prefers, in their order, and at which excess.
func TestLeastExcess(t *testing.T) {
	groups := func(req *gang.Request, size int, limits ...gang.Limit) *gang.Request {
		req.Groups = []gang.Groups{{Size: size, Limits: limits}}
		return req
	}
	for name, tc := range map[string]struct {
		spec cluster.Spec
		req  *gang.Request
		want []string
	}{
		"as it is written":               {racks([]int{2}, []int{2}), job(2, rather(gang.Apart, "rack", 1)), []string{"Apart rack 1"}},
		"exceeded by one":                {racks([]int{2}, []int{2}), job(3, rather(gang.Apart, "rack", 1)), []string{"Apart rack 2"}},
		"exceeded by all that are more":  {racks([]int{4}, []int{0}), job(4, rather(gang.Apart, "rack", 1)), []string{"Apart rack 4"}},
		"no excess over who is alone":    {runs(racks([]int{2}, []int{2}), false, "n0-0", "n1-0"), job(2, rather(gang.Alone, "rack", 0)), nil},
		"one rack is without others":     {runs(racks([]int{2}, []int{2}), false, "n0-0"), job(2, rather(gang.Alone, "rack", 0)), []string{"Alone rack 0"}},
		"the first comes first":          {racks([]int{2}, []int{1}, []int{1}), job(3, rather(gang.Within, "rack", 2), rather(gang.Apart, "rack", 1)), []string{"Within rack 2", "Apart rack 2"}},
		"and else the other one":         {racks([]int{2}, []int{1}, []int{1}), job(3, rather(gang.Apart, "rack", 1), rather(gang.Within, "rack", 2)), []string{"Apart rack 1"}},
		"groups count like members":      {racks([]int{4}, []int{2}), groups(job(6), 2, rather(gang.Apart, "rack", 1)), []string{"Apart rack 2"}},
		"no wait for it":                 {runs(racks([]int{2}, []int{0}), true, "n1-0"), job(2, rather(gang.Apart, "rack", 1)), []string{"Apart rack 2"}},
		"who waits anyway keeps it":      {runs(racks([]int{1, 0}, []int{0}), true, "n0-1", "n1-0"), job(2, rather(gang.Apart, "rack", 1)), []string{"Apart rack 1"}},
		"a hard one beside it is harder": {racks([]int{4}, []int{4}), job(4, gang.Limit{Kind: gang.Apart, Layer: "node", Most: 3}, rather(gang.Apart, "rack", 1)), []string{"Apart node 3", "Apart rack 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := snapshot.New(tc.spec)
			require.NoError(t, err)
			before := limitsOf(tc.req)
			k, plan := kept(t, s, tc.req)
			require.Equal(t, tc.want, limitsOf(k.Kept))
			require.Equal(t, before, limitsOf(tc.req), "the request stays as it is")
			require.False(t, k.Doubt)
			require.Equal(t, len(tc.want) > 0, plan != nil)
			if plan != nil {
				require.Len(t, planOf(plan).Ranks, len(tc.req.Members))
			}
			k.Done()
			k.Done()
		})
	}
}

// No limit costs a member, and nobody of a low rank stays out for one of a higher rank.
func TestLimitsCostNobody(t *testing.T) {
	require.True(t, leavesOut([]int{0, 1}, []int{0, 1, 2}))
	require.True(t, leavesOut([]int{0, 2, 3}, []int{0, 1}))
	require.False(t, leavesOut([]int{0, 1, 3}, []int{0, 1}))
	require.False(t, leavesOut([]int{0, 1}, []int{0, 2}))

	s, err := snapshot.New(racks([]int{3}, []int{1}))
	require.NoError(t, err)
	req := job(4, rather(gang.Within, "rack", 1))
	req.MinMember = 2
	k, plan := kept(t, s, req)
	defer k.Done()
	require.Nil(t, plan, "all four run in two racks")
	require.Empty(t, limitsOf(k.Kept))
}

// What can never be kept is refused before anything is planned.
func TestLimitsThatCannotBeKept(t *testing.T) {
	s, err := snapshot.New(racks([]int{2}, []int{2}))
	require.NoError(t, err)
	groups, parts := job(4), job(2)
	groups.Groups = []gang.Groups{{Size: 2, Limits: []gang.Limit{rather(gang.Within, "rack", 2)}}}
	parts.Parts = []gang.Part{{Name: "a", Members: []string{"m0", "m1"}, Groups: groups.Groups}}
	for want, req := range map[string]*gang.Request{"request.Groups[0].Limits[0]": groups, "request.Parts[0].Groups[0].Limits[0]": parts} {
		p, err := search.New(s, req, nil, bounds.Search{})
		require.NoError(t, err, want)
		_, err = Read(p)
		require.ErrorIs(t, err, muster.ErrNotSupported)
		require.ErrorContains(t, err, want)
		p.Done()
	}
}

// Who stops waiting has the plan so far, and the smaller excesses are in doubt.
func TestStoppedSearchesAreInDoubt(t *testing.T) {
	s, err := snapshot.New(racks([]int{2}, []int{2}))
	require.NoError(t, err)
	stop := make(chan struct{})
	close(stop)
	p, err := search.New(s, job(2, rather(gang.Apart, "rack", 1)), nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	best := planOf(bestOf(p))
	p.Bounds.Stop = stop
	k, err := Read(p)
	require.NoError(t, err)
	plan, err := k.Keep(best)
	require.NoError(t, err)
	require.Nil(t, plan)
	require.True(t, k.Doubt)
}

// The least excess is found with few questions, one by one where a looser limit may be harder to keep.
func TestLeastExcessIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, least := rapid.IntRange(0, 200).Draw(t, "n"), rapid.IntRange(0, 200).Draw(t, "least")
		asked := 0
		got := leastExcess(n, rapid.Bool().Draw(t, "waits"), func(excess int) bool {
			asked++
			return excess >= least
		})
		require.Equal(t, min(n, least), got)
		require.LessOrEqual(t, asked, triedOneByOne+9)
	})
	odd := func(excess int) bool { return excess == 3 }
	require.Equal(t, 3, leastExcess(8, true, odd), "one by one")
}

// The excesses are the first ones, in the order of the limits, under which some plan is as good as without limits: found by trying all.
func TestExcessesAreTheFirstThatFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var free [][]int
		for range rapid.IntRange(2, 3).Draw(t, "racks") {
			free = append(free, rapid.SliceOfN(rapid.IntRange(0, 3), 1, 2).Draw(t, "free"))
		}
		spec := racks(free...)
		some := rapid.IntRange(0, 3).Draw(t, "others")
		for i := range some {
			at := spec.Nodes[rapid.IntRange(0, len(spec.Nodes)-1).Draw(t, fmt.Sprint("other ", i))].Name
			spec = runs(spec, rapid.Bool().Draw(t, "leaving"), at)
		}
		all := []gang.Limit{
			rather(gang.Apart, "rack", rapid.IntRange(1, 2).Draw(t, "in a rack")), rather(gang.Apart, "node", 1), rather(gang.Alone, "rack", 0),
			rather(gang.Within, "rack", rapid.IntRange(1, 2).Draw(t, "racks at most")),
		}
		list := rapid.Permutation(all).Draw(t, "limits")[:rapid.IntRange(1, 3).Draw(t, "how many")]
		req := job(rapid.IntRange(1, 4).Draw(t, "members"), list...)
		req.MinMember = rapid.IntRange(0, len(req.Members)).Draw(t, "min")
		s, err := snapshot.New(spec)
		require.NoError(t, err)
		p, err := search.New(s, req, nil, bounds.Search{})
		require.NoError(t, err)
		o := bestOf(p)
		if o == nil {
			return
		}
		best := planOf(o)
		k, plan := kept(t, s, req)
		defer k.Done()
		want, ranks := firstThatFits(t, s, req, best)
		require.Equal(t, want, limitsOf(k.Kept))
		if plan != nil {
			require.Equal(t, ranks, planOf(plan).Ranks)
		}
	})
}

// firstThatFits goes limit by limit through all excesses, the last of which is no limit.
func firstThatFits(t *rapid.T, s *snapshot.Snapshot, req *gang.Request, best Plan) (want []string, ranks []int) {
	hard, ranks := *req, best.Ranks
	hard.Limits = nil
	for _, l := range req.Limits {
		l.Preferred = false
		last := l.Most
		if l.Kind == gang.Apart {
			last = max(l.Most, len(req.Members))
		}
		for ; l.Most <= last; l.Most++ {
			next := hard
			next.Limits = append(slices.Clone(hard.Limits), l)
			p, err := search.New(s, &next, nil, bounds.Search{})
			require.NoError(t, err)
			if o := bestOf(p); o != nil && !leavesOut(planOf(o).Ranks, best.Ranks) && (best.Waits || !planOf(o).Waits) {
				hard, best, ranks = next, planOf(o), planOf(o).Ranks
				break
			}
		}
	}
	return limitsOf(&hard), ranks
}
