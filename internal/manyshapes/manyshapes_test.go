package manyshapes_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/manyshapes"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/packing"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/steps"
	"github.com/muster-sched/muster/topology"
)

// shapes are the pairs of amounts that members ask for.
var shapes = []muster.Resources{{"gpu": 1, "nic": 2}, {"gpu": 2, "nic": 1}, {"gpu": 3, "nic": 0}, {"gpu": 1, "nic": 1}}

// drawing is a small cluster with a gang of several shapes.
type drawing struct {
	spec cluster.Spec
	req  *gang.Request
	p    *problem.Problem
	k    *manyshapes.Search
}

// draw draws racks in blocks, nodes outside the tree among them.
func draw(t *rapid.T) *drawing {
	d := &drawing{req: &gang.Request{Name: "job"}}
	var blocks []topology.Domain
	for b := range rapid.IntRange(1, 2).Draw(t, "blocks") {
		block := topology.Domain{Name: "block-" + strconv.Itoa(b), Tier: 2}
		for r := range rapid.IntRange(1, 2).Draw(t, "racks") {
			block.Children = append(block.Children, topology.Domain{Name: block.Name + "-rack-" + strconv.Itoa(r), Tier: 1, Nodes: d.nodes(t, 2)})
		}
		blocks = append(blocks, block)
	}
	tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}, {Name: "block", Tier: 2}}, Roots: blocks})
	require.NoError(t, err)
	if d.spec.Trees = []cluster.NamedTree{{Tree: tree}}; rapid.IntRange(0, 2).Draw(t, "outside") == 0 {
		d.nodes(t, 2)
	}
	for i := range rapid.IntRange(2, 5).Draw(t, "members") {
		s := &gang.Shape{Resources: shapes[i%2]} // of the first two one each
		if i >= 2 {
			s.Resources = rapid.SampledFrom(shapes).Draw(t, "shape")
		}
		if rapid.IntRange(0, 5).Draw(t, "fast only") == 0 {
			s.Selector = map[string]string{"fast": "yes"}
		}
		d.req.Members = append(d.req.Members, gang.Member{Name: strconv.Itoa(i), Shape: s})
	}
	if layer := rapid.SampledFrom([]string{"", "", "rack", "block"}).Draw(t, "within"); layer != "" {
		d.req.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	d.ask(t)
	return d
}

// ask makes a problem of the gang and the cluster.
func (d *drawing) ask(t require.TestingT) {
	c, err := snapshot.New(d.spec)
	require.NoError(t, err)
	d.p, err = search.New(c, d.req, nil, bounds.Search{})
	require.NoError(t, err)
}

// nodes draws some nodes.
func (d *drawing) nodes(t *rapid.T, most int) (names []string) {
	for range rapid.IntRange(1, most).Draw(t, "nodes") {
		n := cluster.Node{Name: "n-" + strconv.Itoa(len(d.spec.Nodes)), Allocatable: muster.Resources{}}
		n.Allocatable["gpu"], n.Allocatable["nic"] = rapid.Int64Range(0, 5).Draw(t, "devices"), rapid.Int64Range(0, 4).Draw(t, "cards")
		if rapid.Bool().Draw(t, "fast") {
			n.Labels = map[string]string{"fast": "yes"}
		}
		d.spec.Nodes, names = append(d.spec.Nodes, n), append(names, n.Name)
	}
	return names
}

// begin makes the search for the gang, in which no vertex is like another.
func (d *drawing) begin() {
	v, roles := d.p.Model.View, d.p.OfRoles()
	k := &manyshapes.Search{M: &d.p.Model, Want: make([]int32, len(roles)), Slots: roles[0].Room.Nodes().Table(), Left: &d.p.Model.Left.Packing}
	for i := range d.p.Model.Pending {
		k.Want[d.p.Model.Role(i)]++
	}
	for _, one := range roles {
		k.Asks = append(k.Asks, []int64{one.Room.Shapes[0].Resources["gpu"], one.Room.Shapes[0].Resources["nic"]})
	}
	for pos := range v.Nodes {
		n := d.node(pos)
		kind := packing.Kind{Free: []int64{n.Allocatable["gpu"], n.Allocatable["nic"]}}
		for _, one := range roles {
			kind.Open = append(kind.Open, suits(n, one.Room.Shapes[0]))
		}
		k.Kinds = append(k.Kinds, kind)
	}
	for x := range layout.Vertex(v.NumDomains()) {
		k.Of = append(k.Of, v.Nodes+x)
	}
	for pos := range v.Nodes {
		k.Of = append(k.Of, pos)
	}
	k.ChildrenOf = func(class int32) (out []int64) {
		lo, end := v.Kids(class - v.Nodes)
		for c := lo; c < end; c++ {
			if c != v.Outside {
				out = append(out, int64(k.Of[c])<<32|1)
			}
		}
		return out
	}
	k.Begin()
	d.k = k
}

func (d *drawing) node(pos int32) *cluster.Node {
	name := d.p.Snapshot.Lineage.Names[d.p.Model.View.Node(pos)]
	return &d.spec.Nodes[slices.IndexFunc(d.spec.Nodes, func(n cluster.Node) bool { return n.Name == name })]
}

func suits(n *cluster.Node, s *gang.Shape) bool {
	return s.Selector["fast"] == "" || n.Labels["fast"] == s.Selector["fast"]
}

// fits tries all places of the first n members among some nodes.
func (d *drawing) fits(positions []int32, n int) bool {
	free := map[int32][2]int64{}
	for _, pos := range positions {
		free[pos] = [2]int64{d.node(pos).Allocatable["gpu"], d.node(pos).Allocatable["nic"]}
	}
	var place func(i int) bool
	place = func(i int) bool {
		if i == n {
			return true
		}
		s := d.p.Room.ShapeOf(i)
		for _, pos := range positions {
			had := free[pos]
			now := [2]int64{had[0] - s.Resources["gpu"], had[1] - s.Resources["nic"]}
			if now[0] < 0 || now[1] < 0 || !suits(d.node(pos), s) {
				continue
			}
			if free[pos] = now; place(i + 1) {
				return true
			}
			free[pos] = had
		}
		return false
	}
	return place(0)
}

// below are the positions below a domain, at the root those in the tree, or all.
func (d *drawing) below(x layout.Vertex, beyond bool) (out []int32) {
	v := d.p.Model.View
	end := v.EndOf(x)
	if x == layout.Root && !beyond {
		end = v.FirstPos[v.Outside]
	}
	for pos := v.First(x); pos < end; pos++ {
		out = append(out, pos)
	}
	return out
}

// holds says whether a domain holds all members: the whole tree together with what is outside, unless the gang must gather.
func (d *drawing) holds(x layout.Vertex) bool {
	return d.fits(d.below(x, len(d.req.Gather) == 0), len(d.p.Model.Pending))
}

// candidates are the domains of a tier in the tree.
func (d *drawing) candidates(tier int32) []layout.Vertex {
	return slices.DeleteFunc(slices.Clone(d.p.Model.Candidates(tier)), func(x layout.Vertex) bool {
		return x != layout.Root && d.p.Model.View.Contains(d.p.Model.View.Outside, x)
	})
}

// checkPlan fails unless all members are in the domain, on nodes that take them.
func (d *drawing) checkPlan(t require.TestingT, o *model.Answer) (outside int64) {
	require.Len(t, o.Positions, len(d.p.Model.Pending))
	used := map[int32][2]int64{}
	for i, pos := range o.Positions {
		s := d.p.Room.ShapeOf(i)
		require.True(t, suits(d.node(pos), s))
		require.Contains(t, d.below(o.Domain, true), pos)
		if pos >= d.p.Model.View.FirstPos[d.p.Model.View.Outside] {
			outside++
		}
		used[pos] = [2]int64{used[pos][0] + s.Resources["gpu"], used[pos][1] + s.Resources["nic"]}
		require.LessOrEqual(t, used[pos][0], d.node(pos).Allocatable["gpu"])
		require.LessOrEqual(t, used[pos][1], d.node(pos).Allocatable["nic"])
	}
	return outside
}

// Every domain that holds the gang has a plan, tighter ones first, unless a doubt is told, and no other one has: all places of all members are tried.
func TestPlansEqualEnumeration(t *testing.T) {
	found, refused, beyond, proven := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 10 { // in one of many some members must lie outside the tree
			d := draw(t)
			plans, outside := d.checkPlans(t)
			found, refused, beyond = found+plans, refused+int(room.Bit(plans == 0)), beyond+int(room.Bit(outside > 0))
			proven += int(room.Bit(!*d.p.Model.Doubt))
			d.p.Done()
		}
	})
	require.Positive(t, found)
	require.Positive(t, refused)
	require.Greater(t, proven, 10*beyond, "bounds and packings seldom leave a gap")
	require.Positive(t, beyond)
}

// checkPlans compares the plans of a gang with the domains that hold it, and counts them, and the members outside the tree.
func (d *drawing) checkPlans(t require.TestingT) (plans int, outside int64) {
	d.begin()
	var want, got []layout.Vertex
	for _, tier := range d.p.Model.Gather.Worths {
		for _, x := range d.candidates(tier) {
			if !slices.Contains(want, x) && d.holds(x) {
				want = append(want, x)
			}
		}
	}
	last := int32(-1)
	for o := range d.k.Plans() {
		beyond := d.checkPlan(t, o)
		require.GreaterOrEqual(t, o.Tier, last)
		if last = o.Tier; len(got) == 0 {
			first, ok := d.k.Possible()
			require.True(t, ok)
			require.Equal(t, beyond, first)
		}
		got, outside = append(got, o.Domain), outside+beyond
		require.True(t, beyond == 0 || *d.p.Model.Doubt, "fewer may lie outside the tree")
	}
	require.Subset(t, want, got)
	if !*d.p.Model.Doubt {
		require.ElementsMatch(t, want, got)
	}
	return len(got), outside
}

// What is said of a gang that fits nowhere is true, and nothing is left open unless a doubt is told: which domain takes most of it, and that none takes all.
func TestRefusalsEqualEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		defer d.p.Done()
		d.begin()
		for range d.k.Plans() { // tells doubts
			continue
		}
		sure := !*d.p.Model.Doubt
		holds := func(list []layout.Vertex) bool { return slices.ContainsFunc(list, d.holds) }
		some := holds(d.candidates(d.p.Model.Gather.Must))
		require.False(t, some && (d.k.Refused() || d.k.TooLarge()))
		require.True(t, some || d.k.Refused() || !sure)
		for _, tier := range d.p.Model.View.SwitchTiers() {
			some, found := holds(d.candidates(tier)), d.k.FitsAt(tier)
			require.True(t, some == found || some && !sure)
			d.checkBest(t, tier)
		}
	})
}

// checkBest compares what is said of the domain of a tier that takes most with what fits in each.
func (d *drawing) checkBest(t require.TestingT, tier int32) {
	most := 0
	for _, x := range d.candidates(tier) {
		require.False(t, d.k.Refuses(x) && d.fits(d.below(x, false), len(d.p.Model.Pending)))
		for most < len(d.p.Model.Pending) && d.fits(d.below(x, false), most+1) {
			most++
		}
	}
	fit, ok := d.k.BestAt(tier)
	if require.Equal(t, len(d.candidates(tier)) > 0, ok); !ok {
		return
	}
	require.True(t, d.fits(d.below(fit.Domain, false), fit.Members))
	require.True(t, fit.Members == most || fit.AtLeast && fit.Members < most)
}

// Of domains of a tier the one comes first of which fewer children may hold the gang, then the one with fewer slots, then the first.
func TestDomainsInOrder(t *testing.T) {
	for _, tc := range []struct {
		devices [][]int64 // of the only node of each rack, by block
		want    []int     // blocks
	}{
		{[][]int64{{2, 2, 2}, {3, 3}}, []int{1, 0}},
		{[][]int64{{4, 3}, {3, 3}}, []int{1, 0}},
		{[][]int64{{3, 3}, {3, 3}}, []int{0, 1}},
		{[][]int64{{2, 2, 1}, {3, 3}}, []int{1}},
	} {
		d := &drawing{req: &gang.Request{Name: "job", Gather: []gang.Rule{{Layer: "block", Strength: gang.MustGather}}}}
		var blocks []topology.Domain
		for b, racks := range tc.devices {
			block := topology.Domain{Name: strconv.Itoa(b), Tier: 2}
			for r, devices := range racks {
				n := cluster.Node{Name: strconv.Itoa(10*b + r), Allocatable: muster.Resources{"gpu": devices, "nic": 4}}
				d.spec.Nodes = append(d.spec.Nodes, n)
				block.Children = append(block.Children, topology.Domain{Name: n.Name, Tier: 1, Nodes: []string{n.Name}})
			}
			blocks = append(blocks, block)
		}
		for i := range 6 {
			d.req.Members = append(d.req.Members, gang.Member{Name: strconv.Itoa(i), Shape: &gang.Shape{Resources: muster.Resources{"gpu": 1, "nic": int64(i % 2)}}})
		}
		tree, err := topology.New(topology.Spec{Layers: []topology.Layer{{Name: "block", Tier: 2}}, Roots: blocks})
		require.NoError(t, err)
		d.spec.Trees = []cluster.NamedTree{{Tree: tree}}
		d.ask(t)
		d.begin()
		var got []int
		for o := range d.k.Plans() {
			require.EqualValues(t, 2, o.Tier)
			block, err := strconv.Atoi(d.p.Model.View.Path(o.Domain, nil)[0])
			require.NoError(t, err)
			got = append(got, block)
		}
		require.Equal(t, tc.want, got, "%v", tc.devices)
		d.p.Done()
	}
}

// Where steps run out no plan is wrong, and what was not tried leaves a doubt.
func TestFewStepsLeaveADoubt(t *testing.T) {
	doubts := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // few are hard
			d := draw(t)
			d.begin()
			*d.k.Left = steps.Budget{}
			found := false
			for o := range d.k.Plans() {
				d.checkPlan(t, o)
				require.True(t, d.holds(o.Domain))
				found = true
				break
			}
			if !found && slices.ContainsFunc(d.candidates(d.p.Model.Gather.Must), d.holds) {
				require.True(t, *d.p.Model.Doubt)
				require.False(t, d.k.Refused())
				doubts++
			}
			d.p.Done()
		}
	})
	require.Positive(t, doubts)
}
