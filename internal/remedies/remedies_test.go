package remedies

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/topology"
)

// full is a snapshot of nodes without room, every fourth out of service, and a gang that is refused there.
func full(t *testing.T, nodes int) (*snapshot.Snapshot, *gang.Request) {
	t.Helper()
	var spec cluster.Spec
	for i := range nodes {
		name := fmt.Sprint("n", i)
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 8}, Cordoned: i%4 == 0})
		for k := range 8 {
			m := fmt.Sprint(name, "-", k)
			spec.Running = append(spec.Running, cluster.Running{Gang: m, Member: m, Node: name, Resources: muster.Resources{"gpu": 1}})
		}
	}
	s, err := snapshot.New(spec)
	require.NoError(t, err)
	req := &gang.Request{Name: "job"}
	req.Shape.Resources = muster.Resources{"gpu": 3}
	for i := range 4 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	return s, req
}

// Whatever trial plans spend, all of them spend no more than there is; each kind that may help has some, and is listed where these did not
// suffice.
func TestTrialsShareTheSteps(t *testing.T) {
	s, req := full(t, 64)
	p, err := problem.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	left := p.NewBudget()
	total, spent, tried := left.Packing.Left(), int64(0), 0
	greedy := func(_ *snapshot.Snapshot, _ *gang.Request, _ bool, b bounds.Search) (*explain.Plan, bool) {
		require.LessOrEqual(t, int64(b.Steps), max(1, b.Left.Packing.Left()))
		n := b.Left.Packing.Left()
		b.Left.Packing.Spend(n + 1)
		spent, tried = spent+n, tried+1
		return nil, false
	}
	search := Search{Plan: greedy, Left: left, Plans: 200}
	found, notTried, made := search.Find(s, req)
	require.Empty(t, found)
	require.Equal(t, tried, made)
	require.LessOrEqual(t, spent, total)
	var kinds []explain.Kind
	for _, n := range notTried {
		kinds = append(kinds, n.Kind)
	}
	for _, k := range []explain.Kind{explain.KindMembers, explain.KindGangs, explain.KindPriority, explain.KindAdd} {
		require.Contains(t, kinds, k)
	}
}

// Once no steps are left nothing is made ready for a trial: no copy of the cluster is changed.
func TestNoStepsNoCopies(t *testing.T) {
	s, req := full(t, 64)
	p, err := problem.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	f := Search{Left: p.NewBudget(), Plans: 200}
	f.begin(1)
	f.share.Packing.Spend(f.share.Packing.Left() + 1)
	plan := f.after(state{s, req}, func(at state) (state, bool) {
		t.Error("a change was made")
		return at, true
	})
	require.Nil(t, plan)
	require.True(t, f.doubt)
}

// Nodes are added in clusters that are too large to be laid out anew for a trial: others of the domain stand in for the new ones.
func TestAdditionsInLargeClusters(t *testing.T) {
	s, req := full(t, remade+100)
	plan := func(s *snapshot.Snapshot, req *gang.Request, _ bool, b bounds.Search) (*explain.Plan, bool) {
		p, err := search.New(s, req, nil, b)
		require.NoError(t, err)
		defer p.Done()
		if search.For(p).Search() == nil {
			return nil, true
		}
		return &explain.Plan{Members: len(req.Members)}, true
	}
	p, err := search.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	req.NeverPreempts = true
	f := Search{Plan: plan, Left: p.NewBudget(), Plans: 200}
	found, notTried, _ := f.Find(s, req)
	i := slices.IndexFunc(found, func(r explain.Relaxation) bool { return r.Kind == explain.KindAdd })
	require.GreaterOrEqual(t, i, 0, "%v", notTried)
	require.Equal(t, 2, found[i].Add, "two members fit on a node")
	require.True(t, found[i].Least)
}

// A kind makes a third of the plans that are left, or a few, and no more than there are.
func TestTrialsShareThePlans(t *testing.T) {
	s, req := full(t, 8)
	for _, test := range []struct{ plans, want int }{{30, 10}, {6, fewPlans}, {2, 2}, {0, 0}} {
		p, err := search.New(s, req, nil, bounds.Search{})
		require.NoError(t, err)
		never := func(*snapshot.Snapshot, *gang.Request, bool, bounds.Search) (*explain.Plan, bool) { return nil, true }
		f := Search{Plan: never, Left: p.NewBudget(), Plans: test.plans}
		f.begin(3)
		for range 2 * (test.plans + 1) {
			require.Nil(t, f.after(state{s, req}, edited(explain.Change{Kind: explain.KindMembers, MinMember: 1})))
		}
		require.Equal(t, test.want, f.made)
		require.Equal(t, test.plans-test.want, f.Plans)
		require.True(t, f.ranOut && f.doubt)
		p.Done()
	}
}

// New nodes stand in the domain that they come to, and where there is no topology, in none.
func TestNodesAreAddedWithAndWithoutATopology(t *testing.T) {
	s, req := full(t, 4)
	v := s.View("")
	next, ok := grown(state{s, req}, v, v.Outside, snapshot.NodeAt(s, 1), 2)
	require.True(t, ok)
	require.Len(t, slices.Collect(next.s.Nodes()), 6)
	require.Empty(t, next.s.Trees())

	tree, err := topology.New(topology.Spec{
		Layers: []topology.Layer{{Name: "rack", Tier: 1}}, Roots: []topology.Domain{{Name: "r", Tier: 1, Nodes: []string{"n0", "n1", "n2", "n3"}}},
	})
	require.NoError(t, err)
	s, err = s.Update(cluster.Delta{Trees: []cluster.NamedTree{{Name: "default", Tree: tree}}})
	require.NoError(t, err)
	v = s.View("default")
	next, ok = grown(state{s, req}, v, v.LeafOf[0], snapshot.NodeAt(s, 1), 2)
	require.True(t, ok)
	require.Len(t, slices.Collect(next.s.Nodes()), 6)
	require.Equal(t, 6, next.s.Trees()[0].Tree.NumNodes())
}

// What parts need is what each of them does, with those in it, the smallest first.
func TestPartsNeedWhatIsInThem(t *testing.T) {
	inner := []gang.Part{{Name: "b", Members: []string{"2"}}, {Name: "c", Members: []string{"3", "4", "5"}}}
	for want, least := range map[int]int{6: 0, 3: 1, 2: -1} {
		require.Equal(t, want, neededBy([]gang.Part{{Name: "a", Members: []string{"0", "1"}, Parts: inner, MinParts: least}}, 0))
	}
	require.Equal(t, 4, neededBy(inner, 2))
	require.Equal(t, 1, neededBy(inner, 1))
}

// A minimum of which not even the lowest number helps is tried once.
func TestMinimaThatDoNotHelpAreTriedOnce(t *testing.T) {
	s, req := full(t, 4)
	req.Parts = []gang.Part{{Name: "a", Members: []string{"job-0", "job-1"}}, {Name: "b", Members: []string{"job-2", "job-3"}}}
	p, err := search.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	tried := 0
	never := func(*snapshot.Snapshot, *gang.Request, bool, bounds.Search) (*explain.Plan, bool) {
		tried++
		return nil, true
	}
	f := Search{Plan: never, Left: p.NewBudget(), Plans: 200}
	f.begin(1)
	require.Empty(t, f.minima(state{s, req}))
	lower := 0
	for _, m := range minimaOf(req) {
		if m.needed > m.lowest {
			lower++
		}
	}
	require.Positive(t, lower)
	require.Equal(t, lower, tried)
}

// What slots tell of amounts is known where no quota is asked, and leaving members count as gone where the gang waits for them.
func TestRoomsAreThoseOfTheGang(t *testing.T) {
	s, req := full(t, 4)
	p, err := search.New(s, req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	f := Search{Left: p.NewBudget(), Plans: 200}
	f.begin(1)
	bounds := f.boundsOfLess(state{s, req}, roomsOf(p))
	defer bounds.done()
	mayFit, bounded := bounds.of("gpu")
	require.True(t, bounded)
	require.False(t, mayFit(1), "all nodes are full")
	require.Equal(t, int64(6), roomsOf(p).whenEmpty(p.Model.View.Outside), "a node out of service stays out")

	require.False(t, f.inside(state{s, req}).Room.LeavingGone)
	s, err = s.Update(cluster.Delta{Leaving: []cluster.MemberRef{{Gang: "n1-0", Member: "n1-0"}}})
	require.NoError(t, err)
	require.True(t, f.inside(state{s, req}).Room.LeavingGone)
	req.IgnoreLeaving = true
	require.False(t, f.inside(state{s, req}).Room.LeavingGone)
}

// Every kind but combinations is looked for, in the order in which kinds are told, and each has a turn of its own.
func TestEveryKindIsLookedFor(t *testing.T) {
	var told []explain.Kind
	turns := map[int]bool{}
	for _, w := range ways {
		told = append(told, w.kind)
		turns[w.turn] = true
		require.NotNil(t, w.find, w.kind)
		require.Equal(t, w.kind == explain.KindAdd, w.loosen == nil, "%s: beside the furthest change of a kind others are tried", w.kind)
	}
	require.Equal(t, explain.Kinds(), append(told, explain.KindCombination))
	require.Len(t, turns, len(ways))
}
