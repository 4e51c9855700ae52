package reference

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/changed"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/placement"
)

// drawRefused draws a cluster of some kind, with nodes out of service or tainted, and a gang for which there may be no room.
func drawRefused(t *rapid.T) Input {
	kinds := []func(*rapid.T) Input{
		drawUncoupled, drawCoupled, drawWithQuotas, drawLoss, drawRoles, drawParts,
		func(t *rapid.T) Input { return DrawInput(t, draws.Tiny) },
	}
	in := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind of input")](t)
	in.Spec.Nodes = slices.Clone(in.Spec.Nodes)
	for i := range in.Spec.Nodes {
		n := &in.Spec.Nodes[i]
		n.Cordoned, n.NotReady = n.Cordoned || draws.Chance(t, 15, "cordoned"), n.NotReady || draws.Chance(t, 8, "not ready")
		if draws.Chance(t, 10, "tainted") {
			n.Taints = append(slices.Clip(n.Taints), gang.Taint{Key: "held", Effect: gang.NoSchedule})
		}
	}
	return in
}

// drawLarger draws one whose members ask for more.
func drawLarger(t *rapid.T) Input {
	in := drawRefused(t)
	devices, times := rapid.Int64Range(0, 3).Draw(t, "more devices"), rapid.Int64Range(1, 3).Draw(t, "times as many CPUs")
	more := func(s gang.Shape) gang.Shape {
		s.Resources = maps.Clone(s.Resources)
		if s.Resources[draws.Device] > 0 {
			s.Resources[draws.Device] += devices
		}
		if s.Resources[draws.Second] > 0 {
			s.Resources[draws.Second] *= times
		}
		return s
	}
	in.Request.Shape = more(in.Request.Shape)
	in.Request.Members = slices.Clone(in.Request.Members)
	known := map[*gang.Shape]*gang.Shape{}
	for i := range in.Request.Members {
		m := &in.Request.Members[i]
		if m.Shape == nil {
			continue
		}
		if known[m.Shape] == nil {
			next := more(*m.Shape)
			known[m.Shape] = &next
		}
		m.Shape = known[m.Shape]
	}
	return in
}

// planned plans an input.
func planned(in Input) (*placement.Result, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	return placement.Plan(c, &in.Request)
}

// Each change that an explanation names makes the gang start as it says; if it is said to be the least, no smaller one of its kind
// does; and a kind that helps has a change.
// The clusters are the first 300 of a sequence, and as many as MUSTER_CLUSTERS says; MUSTER_FIRST says from which one on.
func TestChangesHelpAndAreTheLeast(t *testing.T) {
	gens, first, clusters := []*rapid.Generator[Input]{rapid.Custom(drawRefused), rapid.Custom(drawLarger)}, 1, 300
	if n, err := strconv.Atoi(os.Getenv("MUSTER_CLUSTERS")); err == nil {
		clusters = n
	}
	if n, err := strconv.Atoi(os.Getenv("MUSTER_FIRST")); err == nil {
		first = n
	}
	seed := first
	defer func() {
		if t.Failed() {
			t.Logf("cluster %d of the sequence", seed)
		}
	}()
	for ; seed < first+clusters && !t.Failed(); seed++ {
		budgets := []int{0, 0, 0, 0, 7, 30, -1}
		for _, gen := range gens {
			changesHelp(t, gen.Example(seed), budgets[seed%len(budgets)])
		}
	}
}

// Clusters far out in the sequence that once had a wrong answer: quotas with a total below zero, a gang that ends beside others that then
// may not leave, a new node beside a smaller request, fewer members of whom some come beside victims
// of others, a node that holds too much beside a new one, victims in the
// quota that is raised, more groups needed than there are, a node without a
// resource beside a new one that has it, gangs that hold what is short next,
// several shapes that must be alone where others end, a node out of service that somebody closes who may be a victim,
// a node that somebody closes in place of a new one, several new nodes where the gang may use few.
func TestChangesOfHardClusters(t *testing.T) {
	gen := rapid.Custom(drawRefused)
	for _, seed := range []int{18300, 21527, 22248, 32571, 53929, 8219, 39050, 89504, 98766, 1052, 1844, 202391, 325012, 9431} {
		changesHelp(t, gen.Example(seed), 0)
	}
}

// FuzzExplain looks for a cluster and a gang whose explanation panics, or makes more plans than it may.
func FuzzExplain(f *testing.F) {
	AddSeeds(f, 32<<10)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		in := drawRefused(t)
		budget := rapid.IntRange(-1, 60).Draw(t, "plans")
		if c, err := placement.NewCluster(in.Spec); err == nil {
			e := placement.Explain(c, &in.Request, placement.ExplainOptions{Plans: budget})
			require.LessOrEqual(t, e.Plans, 200)
			require.NotEmpty(t, e.Verdict)
		}
	}))
}

func changesHelp(t *testing.T, in Input, budget int) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return // there is no such cluster
	}
	e := placement.Explain(c, &in.Request, placement.ExplainOptions{Plans: budget})
	if e.Verdict != placement.VerdictRefused {
		require.Empty(t, e.Relaxations)
		return
	}
	require.NotEmpty(t, e.Facts)
	if budget != 0 {
		require.LessOrEqual(t, e.Plans, max(0, budget))
	}
	for i := range e.Relaxations {
		checkRelaxation(t, in, &e.Relaxations[i])
	}
	checkComplete(t, in, e)
}

// checkRelaxation makes a change and plans.
func checkRelaxation(t *testing.T, in Input, r *explain.Relaxation) {
	next := changedByAll(in, &r.Change, r.And)
	res, err := planned(next)
	require.NoError(t, err, "%+v\n%s", r, in.Text())
	require.Equal(t, r.Plan.Tier, res.Tier, "%+v\n%s", r, in.Text())
	renamed := r.Kind == explain.KindAdd || slices.ContainsFunc(r.And, func(c explain.Change) bool { return c.Kind == explain.KindAdd }) // new nodes have other names
	if !renamed || len(r.Plan.WaitsFor) == 0 {                                                                                           // how many more fit now depends on who is waited for
		require.Len(t, res.Assignments, r.Plan.Members, "%+v\n%s", r, in.Text())
	}
	if !renamed {
		require.Equal(t, r.Plan.Domain, res.Domain, "%+v", r)
		require.Equal(t, r.Plan.Strategy, res.Strategy, "%+v", r)
		require.Len(t, res.Victims, len(r.Plan.Victims), "%+v", r)
		require.Len(t, res.WaitsFor, len(r.Plan.WaitsFor), "%+v", r)
	}
	beside := in
	for i := range r.And {
		beside = changedBy(beside, &r.And[i])
	}
	if r.Least {
		for _, smaller := range smallerThan(beside, &r.Change) {
			_, err := planned(changedByAll(in, &smaller, r.And))
			require.Error(t, err, "%+v beside %+v: %+v is smaller\n%s", r.Change, r.And, smaller, in.Text())
		}
	}
}

// isMeant says whether a topology is that of the request.
func isMeant(in *Input, tree string) bool {
	return tree == in.Request.Tree || in.Request.Tree == "" && (len(in.Spec.Trees) == 1 || tree == "default")
}

// neededMembers is the minimum of a gang without parts.
func neededMembers(in *Input) int {
	if in.Request.MinMember > 0 {
		return in.Request.MinMember
	}
	n := len(in.Request.Members)
	for _, r := range in.Spec.Running {
		if r.Gang == in.Request.Name && (!r.Leaving || in.Request.IgnoreLeaving) {
			n++
		}
	}
	return n
}

func outOfService(spec cluster.Spec) (names []string) {
	for _, n := range spec.Nodes {
		if n.Cordoned || n.NotReady {
			names = append(names, n.Name)
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

func otherGangs(in *Input) (names []string) {
	for _, r := range in.Spec.Running {
		if r.Gang != in.Request.Name && !r.Unevictable && !slices.Contains(names, r.Gang) {
			names = append(names, r.Gang)
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// subsets iterates over sets of up to n names, in order; not all of many.
func subsets(names []string, n int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		left := 400
		var choose func(from int, set []string) bool
		choose = func(from int, set []string) bool {
			if left--; left < 0 || len(set) > 0 && !yield(slices.Clone(set)) {
				return false
			}
			for i := from; i < len(names) && len(set) < n; i++ {
				if !choose(i+1, append(set, names[i])) {
					return false
				}
			}
			return true
		}
		choose(0, nil)
	}
}

// lowestDomains are the paths of the domains of the request's topology that may hold nodes.
func lowestDomains(in *Input) (paths [][]string) {
	for _, t := range in.Spec.Trees {
		if !isMeant(in, t.Name) {
			continue
		}
		for d := range t.Tree.All() {
			first, last := t.Tree.Nodes(d)
			if kids, end := t.Tree.Children(d); kids == end && first < last {
				paths = append(paths, t.Tree.Path(d))
			}
		}
	}
	return paths
}

// checkComplete looks for kinds that help, have no change and are not said to be looked into in part: as far as one change of each
// shows.
func checkComplete(t *testing.T, in Input, e *placement.Explanation) {
	has := func(k explain.Kind) bool {
		return slices.ContainsFunc(e.Relaxations, func(r explain.Relaxation) bool { return r.Kind == k }) ||
			slices.ContainsFunc(e.NotTried, func(n explain.NotTried) bool { return n.Kind == k })
	}
	far := []explain.Change{{Kind: explain.KindNodes, Nodes: outOfService(in.Spec)}, {Kind: explain.KindGangs, Gangs: otherGangs(&in)}}
	if len(in.Request.Parts) == 0 {
		for n := 1; n < neededMembers(&in); n++ {
			far = append(far, explain.Change{Kind: explain.KindMembers, MinMember: n})
		}
	}
	for _, n := range in.Spec.Nodes {
		for _, taint := range n.Taints {
			far = append(far, explain.Change{Kind: explain.KindTaint, Taint: taint})
		}
	}
	for _, r := range in.Request.Gather {
		if r.Strength == gang.MustGather {
			far = append(far, explain.Change{Kind: explain.KindLayer, From: r.Layer})
		}
	}
	for _, l := range in.Request.Limits {
		if !l.Preferred {
			far = append(far, explain.Change{Kind: explain.KindLimit, Limit: l.Kind, From: l.Layer, OfParts: l.OfParts})
		}
	}
	far = slices.Concat(far, smallerRequests(&in), additionsOf(&in, len(in.Request.Members)))
	for _, c := range far {
		if has(c.Kind) {
			continue
		}
		res, err := planned(changedBy(in, &c))
		if err == nil && res.Proven && (res.Preemption == nil || res.Preemption.Proven) {
			t.Fatalf("%+v helps, and is not named: %v\n%+v\n%s", c, e.Err, e.Relaxations, in.Text())
		}
	}
}

// smallerRequests ask for less of a resource each: the least, the most, and some between.
func smallerRequests(in *Input) (out []explain.Change) {
	asked := maps.Clone(in.Request.Shape.Resources)
	for i := range in.Request.Members {
		if s := in.Request.Members[i].Shape; s != nil {
			for name, amount := range s.Resources {
				asked[name] = max(asked[name], amount)
			}
		}
	}
	for _, name := range asked.Names() {
		amounts := []int64{1, asked[name] / 4, asked[name] / 3, asked[name] / 2, asked[name] - 1}
		for _, amount := range slices.Compact(amounts) {
			if amount > 0 && amount < asked[name] {
				out = append(out, explain.Change{Kind: explain.KindRequest, Resource: name, Before: asked[name], Amount: amount})
			}
		}
	}
	return out
}

// additionsOf add so many nodes to a lowest domain, like each that there is.
func additionsOf(in *Input, n int) (out []explain.Change) {
	likes := nodesThatTake(in)
	for _, path := range lowestDomains(in) {
		for _, like := range likes {
			out = append(out, explain.Change{Kind: explain.KindAdd, Add: n, Like: like, Domain: path})
		}
	}
	return out
}

// nodesThatTake are those that would take some member of the gang if they were in service, and nobody were there.
func nodesThatTake(in *Input) (names []string) {
	for _, n := range in.Spec.Nodes {
		n = cluster.InService(n)
		one := Input{Spec: in.Spec, Request: in.Request}
		one.Spec.Nodes, one.Spec.Running, one.Spec.Trees, one.Spec.Quotas = []cluster.Node{n}, nil, nil, nil
		one.Spec.Total, one.Spec.Demand = nil, nil
		r := &one.Request
		r.Tree, r.Quota, r.Exclude, r.Inside, r.MinMember, r.PP, r.DP = "", "", nil, nil, 0, 0, 0
		r.Gather, r.Groups, r.Limits, r.Parts, r.MinParts = nil, nil, nil, nil, 0
		if slices.ContainsFunc(in.Request.Members, func(m gang.Member) bool {
			r.Members = []gang.Member{m}
			_, err := planned(one)
			return err == nil
		}) {
			names = append(names, n.Name)
		}
	}
	return names
}

// changedBy is an input with a change made; in stays as it is.
func changedBy(in Input, c *explain.Change) Input {
	changed.Make(&in.Spec, &in.Request, c)
	return in
}
