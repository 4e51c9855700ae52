package placers_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
	"github.com/muster-sched/muster/topology"
)

// question is a small cluster, partly filled, and a gang.
type question struct {
	spec    cluster.Spec
	req     *gang.Request
	must    int  // the tier in which it must gather; -1: none
	outside bool // there are nodes outside the topology
}

var threeLayers = []topology.Layer{{Name: "unit", Tier: 1}, {Name: "leaf", Tier: 2}, {Name: "spine", Tier: 3}}

func drawQuestion(t *rapid.T) question {
	q := question{must: -1}
	tree := topology.Spec{Layers: threeLayers}
	var domain func(tier int, name string) topology.Domain
	domain = func(tier int, name string) topology.Domain {
		d := topology.Domain{Name: name, Tier: tier}
		for i := range rapid.IntRange(1, 3).Draw(t, "children") {
			if tier > 1 {
				d.Children = append(d.Children, domain(tier-1, fmt.Sprintf("%s-%d", name, i)))
				continue
			}
			d.Nodes = append(d.Nodes, q.node(t))
		}
		return d
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "spines") {
		tree.Roots = append(tree.Roots, domain(3, fmt.Sprint("s", i)))
	}
	if q.outside = rapid.IntRange(0, 4).Draw(t, "outside") == 0; q.outside {
		q.node(t)
	}
	made, err := topology.New(tree)
	require.NoError(t, err)
	q.spec.Trees = []cluster.NamedTree{{Name: "net", Tree: made}}
	q.req = drawGang(t)
	if q.must = rapid.IntRange(-1, 3).Draw(t, "must"); q.must >= 0 {
		layer := "0"
		if q.must > 0 {
			layer = threeLayers[q.must-1].Name
		}
		q.req.Gather = append(q.req.Gather, gang.Rule{Layer: layer, Strength: gang.MustGather})
		if rapid.Bool().Draw(t, "another") { // a wider one binds nothing more
			wider := gang.Rule{Layer: threeLayers[rapid.IntRange(max(q.must, 1), 3).Draw(t, "wider")-1].Name, Strength: gang.MustGather}
			if wider.Layer != layer {
				q.req.Gather = append(q.req.Gather, wider)
			}
		}
	}
	return q
}

func drawGang(t *rapid.T) *gang.Request {
	req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{}}}
	for _, name := range []string{"cpu", "gpu"} {
		if n := rapid.Int64Range(0, 3).Draw(t, name); n > 0 {
			req.Shape.Resources[name] = n
		}
	}
	if rapid.Bool().Draw(t, "pods") {
		req.Shape.Resources[muster.Pods] = 1
	}
	for i := range rapid.IntRange(1, 9).Draw(t, "members") {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	if rapid.Bool().Draw(t, "selects") {
		req.Shape.Selector = map[string]string{"kind": "a"}
	}
	if prefer := rapid.IntRange(0, 3).Draw(t, "prefer"); prefer > 0 {
		req.Gather = append(req.Gather, gang.Rule{Layer: threeLayers[prefer-1].Name, Strength: gang.PreferGather})
	}
	return req
}

// node adds a node, and who runs on it.
func (q *question) node(t *rapid.T) string {
	n := cluster.Node{Name: fmt.Sprint("n", len(q.spec.Nodes)), Allocatable: muster.Resources{}}
	taken := muster.Resources{}
	for _, name := range []string{"cpu", "gpu"} {
		if n.Allocatable[name] = rapid.Int64Range(0, 6).Draw(t, name); n.Allocatable[name] > 0 {
			taken[name] = rapid.Int64Range(0, n.Allocatable[name]+2).Draw(t, "taken") // more than there is, now and then
		}
	}
	if rapid.Bool().Draw(t, "bounded") {
		n.Allocatable[muster.Pods] = rapid.Int64Range(1, 5).Draw(t, "pods")
	}
	n.Labels = map[string]string{"kind": rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(t, "kind")}
	switch rapid.IntRange(0, 12).Draw(t, "state") {
	case 0:
		n.Cordoned = true
	case 1:
		n.NotReady = true
	case 2:
		n.Taints = []gang.Taint{{Key: "keep-off", Effect: gang.NoSchedule}}
	}
	q.spec.Nodes = append(q.spec.Nodes, n)
	q.spec.Running = append(q.spec.Running, cluster.Running{Gang: "other", Member: n.Name, Node: n.Name, Resources: taken}) // without pods: they take none
	return n.Name
}

// No placer over-commits a node or uses one that takes nobody; one that gathers keeps the layer in which the gang must gather, and finds a place where there is one and only there.
// The question is left as it was, and asked again, with the nodes in another order, it has the same answer.
func TestPlacersKeepTheirRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuestion(t)
		c, err := placement.NewCluster(q.spec)
		require.NoError(t, err)
		slices.Reverse(q.spec.Nodes)
		again, err := placement.NewCluster(q.spec)
		require.NoError(t, err)
		free := *q.req
		free.Gather = nil
		fits, fitsFree := plans(t, c, q.req), plans(t, c, &free)
		before, asked := fmt.Sprint(picture(c)), fmt.Sprintf("%+v", q.req)
		for _, e := range placers.All() {
			require.True(t, e.Placer.(placers.Asked).CanAsk(q.req))
			got, second := answer(t, &e, c, q.req), answer(t, &e, again, q.req)
			require.Equal(t, got, second, e.Name)
			require.Equal(t, before, fmt.Sprint(picture(c)), e.Name)
			require.Equal(t, asked, fmt.Sprintf("%+v", q.req), e.Name)
			if got != nil {
				checkPlace(t, &q, c, &e, got)
			}
			switch needs := fits; {
			case !e.Gathers:
				require.Equal(t, fitsFree, got != nil, e.Name)
			case e.Plan || !needs: // a plan refuses nothing that Muster places
				require.Equal(t, fits, got != nil, e.Name)
			case q.outside, e.Name == "volcano-hard", q.must == 0 && e.Name == "volcano-soft": // these may find no place
			default:
				require.NotNil(t, got, e.Name)
			}
		}
	})
}

// answer is a place as nodes of the members.
func answer(t require.TestingT, e *placers.Entry, c *placement.Cluster, req *gang.Request) *simulate.Place {
	got, err := e.Placer.Place(c, req)
	require.NoError(t, err)
	if got == nil || !e.Plan {
		return got
	}
	nodes := make([]string, len(req.Members))
	for _, a := range got.Plan.Assignments {
		nodes[slices.IndexFunc(req.Members, func(m gang.Member) bool { return m.Name == a.Member })] = a.Node
	}
	return &simulate.Place{Nodes: nodes}
}

// plans says whether there is a plan.
func plans(t *rapid.T, c *placement.Cluster, req *gang.Request) bool {
	_, err := placement.Plan(c, req)
	if err != nil {
		require.ErrorIs(t, err, placement.ErrUnschedulable)
	}
	return err == nil
}

// picture is what is free, node by node, and how many run.
func picture(c *placement.Cluster) (out []string) {
	for n := range c.Nodes() {
		free, _ := c.Free(n.Name)
		out = append(out, fmt.Sprint(n, free, len(c.RunningOn(n.Name))))
	}
	return out
}

// checkPlace checks that all members have a node with room that takes them, and that they gather.
func checkPlace(t *rapid.T, q *question, c *placement.Cluster, e *placers.Entry, got *simulate.Place) {
	require.Nil(t, got.Plan, e.Name)
	require.Len(t, got.Nodes, len(q.req.Members), e.Name)
	tree, domains := q.spec.Trees[0].Tree, map[topology.DomainID]bool{}
	var come []cluster.Running
	for i, name := range got.Nodes {
		n, there := c.Node(name)
		require.True(t, there, "%s: %q", e.Name, name)
		require.False(t, n.Cordoned || n.NotReady || len(n.Taints) > 0, "%s: %s", e.Name, name)
		require.True(t, q.req.Shape.Selects(name, n.Labels), "%s: %s", e.Name, name)
		come = append(come, cluster.Running{Gang: "job", Member: q.req.Members[i].Name, Node: name, Resources: q.req.Shape.Resources})
		if q.must > 0 && e.Gathers {
			at, in := tree.Node(name)
			require.True(t, in, "%s: %s", e.Name, name)
			d := tree.Leaf(at)
			for tree.Tier(d) < q.must {
				d = tree.Parent(d)
			}
			domains[d] = true
		}
	}
	if e.Gathers && q.must > 0 {
		require.Len(t, domains, 1, e.Name)
	}
	if e.Gathers && q.must == 0 {
		require.Len(t, slices.Compact(slices.Clone(got.Nodes)), 1, e.Name)
	}
	_, err := c.Update(cluster.Delta{Place: come})
	require.NoError(t, err, e.Name)
}

// What other schedulers have no word for they are not asked, and then there is no place. Plans are asked for everything: there is a place where Muster has one.
func TestNoPlaceForWhatThereIsNoWordFor(t *testing.T) {
	c := drawn(t, "gpu", []string{"rack"}, "r1: n1=4 n2=4")
	planner := simulate.Muster{}
	for name, change := range map[string]func(r *gang.Request){
		"fewer may run":  func(r *gang.Request) { r.MinMember = 1 },
		"groups":         func(r *gang.Request) { r.Groups = []gang.Groups{{Size: 2}} },
		"pipelines":      func(r *gang.Request) { r.PP = 2 },
		"parts":          func(r *gang.Request) { r.Parts = []gang.Part{{Name: "p", Members: []string{"job-0"}}} },
		"a limit":        func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "rack", Kind: gang.Apart, Most: 3}} },
		"zones":          func(r *gang.Request) { r.Shape.NUMA.ThreadsPerCore = 2 },
		"several shapes": func(r *gang.Request) { r.Members[1].Shape = &gang.Shape{Resources: muster.Resources{"gpu": 2}} },
		"a filter":       func(r *gang.Request) { r.Eligible = func(string) bool { return true } },
		"a quota":        func(r *gang.Request) { r.Quota = "q" },
		"nodes left out": func(r *gang.Request) { r.Exclude = []string{"n1"} },
	} {
		req := asks("gpu", 4, "")
		change(req)
		plan, planErr := planner.Place(c, req)
		for _, e := range placers.All() {
			require.Equal(t, e.Plan, e.Placer.(placers.Asked).CanAsk(req), "%s: %s", e.Name, name)
			place, err := e.Placer.Place(c, req)
			if e.Plan {
				require.Equal(t, planErr, err, "%s: %s", e.Name, name)
				require.Equal(t, plan != nil, place != nil, "%s: %s", e.Name, name)
				continue
			}
			require.NoError(t, err, "%s: %s", e.Name, name)
			require.Nil(t, place, "%s: %s", e.Name, name)
		}
	}
}

// Bad questions are errors, and empty clusters have no place.
func TestPlacersRefuseBadQuestions(t *testing.T) {
	c := drawn(t, "gpu", []string{"rack"}, "r1: n1=4 n2=4")
	for _, e := range placers.All() {
		require.False(t, e.Placer.(placers.Asked).CanAsk(nil), e.Name)
		_, err := e.Placer.Place(c, nil)
		require.Error(t, err, e.Name)
		_, err = e.Placer.Place(c, asks("gpu", 1, "row"))
		want := `request.Gather "row": unknown layer`
		if e.Plan {
			want = `request.Gather[0].Layer "row": unknown layer: not one of rack, node`
		}
		require.EqualError(t, err, want, e.Name)
		req := asks("gpu", 1, "")
		req.Tree = "other"
		_, err = e.Placer.Place(c, req)
		require.EqualError(t, err, `request.Tree "other": unknown topology`, e.Name)
		place, err := e.Placer.Place(nil, asks("gpu", 1, ""))
		if e.Plan {
			require.EqualError(t, err, "cluster: missing: NewCluster makes one", e.Name)
			continue
		}
		require.NoError(t, err, e.Name)
		require.Nil(t, place, e.Name)
	}
}

// Without a topology all nodes lie below one root. A hard job of Volcano needs a HyperNode.
func TestPlacersWithoutTopology(t *testing.T) {
	c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "n10", Allocatable: muster.Resources{"gpu": 1}}, {Name: "n9", Allocatable: muster.Resources{"gpu": 1}}}})
	require.NoError(t, err)
	for _, e := range placers.All() {
		place := answer(t, &e, c, asks("gpu", 2, ""))
		if e.Name == "volcano-hard" {
			require.Nil(t, place)
			continue
		}
		require.NotNil(t, place, e.Name)
		require.ElementsMatch(t, []string{"n9", "n10"}, place.Nodes, e.Name)
		if e.Name != "random" {
			require.Equal(t, "n9", place.Nodes[0], e.Name)
		}
	}
}

// Each placer is found by its name, and says where its rule stands.
func TestPlacersByName(t *testing.T) {
	names := map[string]bool{}
	for _, e := range placers.All() {
		found, ok := placers.Named(e.Name)
		require.True(t, ok)
		require.Equal(t, e, found)
		require.Equal(t, e.Name == "random" || e.Plan, e.Repository == "", e.Name)
		names[e.Name] = true
	}
	require.Len(t, names, len(placers.All()))
	_, ok := placers.Named("nobody")
	require.False(t, ok)
}
