// What room do the nodes of a drawn cluster have, by what is said of each of them?

package room_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
)

// boundless are the slots of a node for members that ask for nothing it bounds.
const boundless = 1 << 24

// plain is a model's room without features.
type plain struct{ model.Room }

func (plain) Features() features.Set { return 0 }

// asked is a room beside what was said of the cluster. Its methods are the definitions: they read the spec alone.
type asked struct {
	*room.Room
	spec cluster.Spec
}

// drawAsked draws a filled cluster, and a gang with limits that asks for room in it.
func drawAsked(t *rapid.T) *asked {
	spec := draws.Cluster(t, draws.Small)
	req := draws.Request(t, &spec, draws.Small)
	leaveMore(t, &spec)
	if draws.Chance(t, 10, "host's filter") {
		req.Eligible = func(node string) bool { return len(node)%2 == 0 }
		req.Class = rapid.SampledFrom([]string{"", "even"}).Draw(t, "class")
	}
	a := newAsked(t, spec, &req, unit(&req)...)
	a.LeavingGone = rapid.Bool().Draw(t, "leaving members are gone")
	a.Model.Hard = rapid.Bool().Draw(t, "in the tree")
	if len(a.Shapes) > 1 {
		a.limit(nil)
	}
	if draws.Chance(t, 20, "in some domain") {
		v := a.Model.View
		d := layout.Vertex(rapid.IntRange(0, v.NumDomains()-1).Draw(t, "domain"))
		a.Allowed = room.Allowed{{View: v, First: v.First(d), End: v.EndOf(d)}}
	}
	return a
}

// leaveMore lets more of the running members leave.
func leaveMore(t *rapid.T, spec *cluster.Spec) {
	if !rapid.Bool().Draw(t, "more are leaving") {
		return
	}
	for i := range spec.Running {
		spec.Running[i].Leaving = spec.Running[i].Leaving || rapid.Bool().Draw(t, "leaves")
	}
}

// unit are the shapes of a unit: those of an innermost group whose members differ, else that of all.
func unit(req *gang.Request) []*gang.Shape {
	if n := len(req.Groups); n > 0 && req.Members[0].Shape != nil {
		ranks, shapes := validity.Ranks(req, nil), make([]*gang.Shape, req.Groups[n-1].Size)
		for _, m := range req.Members {
			if rank := ranks[m.Name]; rank < len(shapes) {
				shapes[rank] = m.Shape
			}
		}
		return shapes
	}
	return []*gang.Shape{&req.Shape}
}

// newAsked is the room for members of shapes on a new cluster.
func newAsked(t require.TestingT, spec cluster.Spec, req *gang.Request, shapes ...*gang.Shape) *asked {
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	return onSnapshot(t, c, req, shapes...)
}

// onSnapshot is the room for members of shapes on a snapshot; running members of the gang that stay are its siblings.
func onSnapshot(t require.TestingT, c *snapshot.Snapshot, req *gang.Request, shapes ...*gang.Shape) *asked {
	a := &asked{spec: cluster.Spec{Trees: c.Trees(), NUMAExclusive: c.Lineage.Exclusive, Nodes: slices.Collect(c.Nodes()), Running: slices.Collect(c.Running())}}
	v := c.Lineage.Tree("")
	m := &model.Model{View: v, LCA: -1, Room: plain{}, Siblings: layout.NewCensus(v)}
	var running []roll.Member
	for i, o := range c.MembersOf(req.Name).All() {
		if validity.Stays(req, &cluster.Running{Leaving: o.Leaving}) {
			running = append(running, roll.Member{Pos: v.At(o.Node), Rank: i})
			m.Siblings.Add(v.At(o.Node), 1)
		}
	}
	m.Running = roll.Of(running...)
	judges, err := match.ForRequest(req, c.ManyTaints)
	require.NoError(t, err)
	l, err := limits.Read(v, req)
	require.NoError(t, err)
	a.Room = &room.Room{Model: m, Snapshot: c, Request: req, Judges: judges, Memory: &room.Memory{}, Shapes: shapes}
	if len(req.Inside) > 0 {
		at, found := v.Find(req.Inside, c.Lineage.ID)
		require.True(t, found)
		a.Inside = at
	}
	a.limit(l)
	require.NoError(t, a.SumNeeds())
	a.Align()
	return a
}

// limit gives the members limits.
func (a *asked) limit(l *limits.Limits) {
	a.Model.Limits = l
	a.Company = limits.Near(a.Snapshot, a.Model.View, l, nil, a.Request.Tolerated, a.Request.Name, func(gang string) bool { return gang == a.Request.Name })
}

// again is the same question, asked by a room that knows nothing yet.
func (a *asked) again(t require.TestingT) *asked {
	next := onSnapshot(t, a.Snapshot, a.Request, a.Shapes...)
	next.LeavingGone, next.Allowed, next.Spared, next.Model, next.Company = a.LeavingGone, a.Allowed, a.Spared, a.Model, a.Company
	return next
}

// name is that of the node at a position.
func (a *asked) name(pos int32) string { return a.Snapshot.Lineage.Names[a.Model.View.Node(pos)] }

// node is a node as it was given; nil: a topology has it, and the cluster does not.
func (a *asked) node(name string) *cluster.Node {
	i := slices.IndexFunc(a.spec.Nodes, func(n cluster.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &a.spec.Nodes[i]
}

// there says whether a running member counts as being there.
func (a *asked) there(r *cluster.Running) bool { return !a.LeavingGone || !r.Leaving }

// on are the members that are on a node.
func (a *asked) on(name string) (out []cluster.Running) {
	for i := range a.spec.Running {
		if r := &a.spec.Running[i]; r.Node == name && a.there(r) {
			out = append(out, *r)
		}
	}
	return out
}

// refusal is the first cause, apart from what the node has, for which it takes no member.
func (a *asked) refusal(name string) string {
	n := a.node(name)
	if n == nil {
		return "not-ready"
	}
	for _, cause := range []string{"cordoned", "not-ready", "taint", "selector", "eligible"} {
		for _, s := range a.Shapes {
			if validity.Refusal(&a.spec, a.Request, s, n) == cause {
				if cause == "eligible" && a.excludes(name) && (a.Request.Eligible == nil || a.Request.Eligible(name)) {
					continue // see below
				}
				return cause
			}
		}
	}
	at := a.Model.View.NodeVertex(a.position(name))
	switch {
	case slices.ContainsFunc(a.Allowed, func(d room.Interval) bool { pos := a.position(name); return pos < d.First || d.End <= pos }):
		return "topology"
	case a.Spared && validity.MeantForOthers(a.Shapes, n):
		return "others"
	case a.excludes(name):
		return "eligible"
	}
	near := func(what func(r *cluster.Running) bool) bool {
		return slices.ContainsFunc(a.spec.Running, func(r cluster.Running) bool { return r.Gang != a.Request.Name && a.there(&r) && what(&r) })
	}
	if !a.Request.Tolerated && near(func(r *cluster.Running) bool { return validity.Closes(&a.spec, r, name) }) {
		return "closed"
	}
	if l := a.Model.Limits; l.AreAlone() {
		v := a.Model.View
		d := v.DomainAt(v.Position(at), l.Alone)
		if near(func(r *cluster.Running) bool { return !r.Tolerated && v.Contains(d, v.NodeVertex(a.position(r.Node))) }) {
			return "occupied"
		}
	}
	return ""
}

// excludes says whether the request itself leaves out a node.
func (a *asked) excludes(name string) bool {
	return slices.Contains(a.Request.Exclude, name) || !validity.IsInside(&a.spec, a.Request, name)
}

func (a *asked) position(name string) int32 {
	id, _ := a.Snapshot.Lineage.ID(name)
	return a.Model.View.At(id)
}

// amounts is how many units the amounts of a node allow.
func (a *asked) amounts(name string) int64 {
	sum, most := muster.Resources{}, int64(boundless)
	for _, s := range a.Shapes {
		sum.Add(s.Resources)
	}
	for resource, amount := range sum {
		if amount == 0 {
			continue
		}
		if free, bounded := validity.Free(a.node(name), resource, a.on(name)); bounded {
			most = min(most, max(0, free)/amount)
		}
	}
	return most
}

// zones are those of a node, with who is there; nil: they are not looked at.
func (a *asked) zones(t require.TestingT, name string) *numa.Occupancy {
	n := a.node(name)
	if !slices.ContainsFunc(a.Shapes, func(s *gang.Shape) bool { return s.NUMA.Policy != "" }) && (n.NUMA == nil || n.NUMA.Policy == "") {
		return nil
	}
	var placed []numa.Placed
	for _, r := range a.on(name) {
		if r.NUMA != nil && n.NUMA != nil {
			placed = append(placed, *r.NUMA)
		}
	}
	return occupied(t, n.NUMA, placed...)
}

// occupied are zones with members in them.
func occupied(t require.TestingT, n *cluster.NUMA, placed ...numa.Placed) *numa.Occupancy {
	if n == nil {
		n = &cluster.NUMA{}
	}
	zones, err := numa.NewZones(n.Zones)
	require.NoError(t, err)
	state, err := zones.Occupancy(numa.State{Zones: n.InUse})
	require.NoError(t, err)
	state, err = state.Add(placed...)
	require.NoError(t, err)
	return state
}

// needs are the members of a unit, for the zones of a node.
func (a *asked) needs(t require.TestingT, name string) (out []*numa.Need) {
	n := a.node(name).NUMA
	if n == nil {
		n = &cluster.NUMA{}
	}
	zones, err := numa.NewZones(n.Zones)
	require.NoError(t, err)
	for _, s := range a.Shapes {
		need, err := zones.Need(s.ZoneMember(a.spec.NUMAExclusive), n.Policy)
		require.NoError(t, err)
		out = append(out, need)
	}
	return out
}

// inZones puts so many units into zones: members of one shape at once, else one after the other. Nil, if they do not fit.
func inZones(needs []*numa.Need, state *numa.Occupancy, units int64) (placed []numa.Placed) {
	if len(needs) == 1 {
		return needs[0].Split(state, int(units))
	}
	for range units {
		for _, need := range needs {
			one := need.Split(state, 1)
			if one == nil {
				return nil
			}
			next, err := state.Add(one...)
			if err != nil {
				return nil
			}
			state, placed = next, append(placed, one...)
		}
	}
	return placed
}

// takes is how many units a node takes, nobody of the gang being limited above nodes.
func (a *asked) takes(t require.TestingT, name string) int64 {
	if a.Model.Hard && a.position(name) >= a.Model.View.FirstPos[a.Model.View.Outside] || a.refusal(name) != "" {
		return 0
	}
	most := a.amounts(name)
	for i := 0; a.Model.Limits != nil && i < len(a.Model.Limits.Apart); i++ {
		most = min(most, a.Model.Limits.Apart[i].Most)
	}
	if state := a.zones(t, name); state != nil {
		needs, n := a.needs(t, name), int64(0)
		for n < most && inZones(needs, state, n+1) != nil {
			n++
		}
		return n
	}
	return most
}

// below is how many new members may be below a vertex: each number for which every domain keeps its multiples and limits. The node at
// a position takes so many.
func (a *asked) below(x layout.Vertex, takes []int64) (numbers []int64) {
	m, most := a.Model, int64(math.MaxInt64)
	for i := 0; m.Limits != nil && i < len(m.Limits.Apart); i++ {
		if c := m.Limits.Apart[i]; m.View.TierOf(x) <= c.Tier {
			most = min(most, max(0, c.Most-m.Siblings.At(m.View.Highest(x, c.Tier))))
		}
	}
	if m.View.IsNode(x) {
		for n := range min(takes[m.View.Position(x)], most) + 1 {
			numbers = append(numbers, n)
		}
		return numbers
	}
	sums := map[int64]bool{0: true}
	lo, end := m.View.Kids(x)
	for c := lo; c < end; c++ {
		next := map[int64]bool{}
		for _, n := range a.below(c, takes) {
			for s := range sums {
				if (m.Siblings.At(c)+n)%m.Unit(x) == 0 && s+n <= most {
					next[s+n] = true
				}
			}
		}
		sums = next
	}
	for n := range sums {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// vertex names a vertex in a message.
func (a *asked) vertex(x layout.Vertex) string {
	return fmt.Sprint(a.Model.View.Path(x, a.Snapshot.Lineage.NodeName))
}
