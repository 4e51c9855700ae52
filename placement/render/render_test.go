package render

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// racks is a cluster of racks with four nodes of two devices each; the first node of every rack is in use.
func racks(t *testing.T, n int) *placement.Cluster {
	t.Helper()
	spec := cluster.Spec{}
	tree := topology.Spec{Layers: []topology.Layer{{Name: "block", Tier: 2}, {Name: "rack", Tier: 1}}}
	block := topology.Domain{Name: "b0", Tier: 2}
	for r := range n {
		rack := topology.Domain{Name: fmt.Sprintf("r%d", r), Tier: 1}
		for i := range 4 {
			name := fmt.Sprintf("node-%d", 4*r+i)
			rack.Nodes = append(rack.Nodes, name)
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"gpu": 2}})
		}
		busy := fmt.Sprintf("ns/busy-%d", r)
		spec.Running = append(spec.Running, cluster.Running{
			Gang: busy, Member: "busy", Node: rack.Nodes[0], Resources: muster.Resources{"gpu": 2}, Leaving: r == 1,
		})
		block.Children = append(block.Children, rack)
	}
	tree.Roots = []topology.Domain{block}
	built, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Name: "default", Tree: built}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

// planned plans a gang of members with one device each.
func planned(c *placement.Cluster, members, group int) Outcome {
	req := &gang.Request{Name: "ns/job", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("job-%d", i)})
	}
	if group > 0 {
		req.Groups = []gang.Groups{{Size: group}}
	}
	o := Outcome{Gang: req.Name, Request: req, Cluster: c}
	o.Result, o.Err = placement.Plan(c, req)
	return o
}

func text(t *testing.T, outcomes ...Outcome) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Text(&b, outcomes))
	return b.String()
}

func TestTextOfASmallClusterIsWhole(t *testing.T) {
	require.Equal(t, `ns/job: placed, 5 members in rack b0/r0, strategy 1 (rack/node)
  b0
    r0  xx AA BB C.
    r1  ~~ .. .. ..
  A job-[0-1] -> node-1
  B job-[2-3] -> node-2
  C job-4 -> node-3
`, text(t, planned(racks(t, 2), 5, 2)))
}

func TestTextOfALargeClusterSumsUp(t *testing.T) {
	require.Equal(t, `ns/job: placed, 12 members in block b0, strategy 3, span rack=2
  b0
    r0                   xx AA AA AA
    r1                   ~~ AA AA AA
    r2..19 (18 domains)  72 nodes, 108 of 144 slots free
  A job-[0-11] -> node-[1-3,5-7] (2 each)
`, text(t, planned(racks(t, 20), 12, 0)))
}

// Groups are called by their outermost parts; members of none are told apart from the first group.
func TestTextOfParts(t *testing.T) {
	o := planned(racks(t, 1), 6, 0)
	require.NoError(t, o.Err)
	o.Request.Parts = []gang.Part{
		{Name: "decode", Members: []string{"job-0"}, Parts: []gang.Part{{Name: "inner", Members: []string{"job-1"}}}},
		{Name: "bundle", NoGroup: true, Parts: []gang.Part{{Name: "workers", NoGroup: true, Members: []string{"job-2", "job-3"}, Groups: []gang.Groups{{Size: 1}}}}},
		{Name: "loose", NoGroup: true, Members: []string{"job-4"}},
	}
	o.Result.GroupTiers = []int{0, 0}
	for i, group := range []int{0, 0, 1, 2, -1, -1} {
		o.Result.Assignments[i].Group = group
	}
	require.Equal(t, `ns/job: placed, 6 members in rack b0/r0, strategy 1
  b0
    r0  xx AA BC ++
  A decode: job-[0-1] -> node-1
  B workers: job-2 -> node-2
  C workers: job-3 -> node-2
  + job-[4-5] -> node-3
`, text(t, o))
	require.Contains(t, written(t, o), `"groupTier":0,"groupTiers":[0,0],`)
	require.Contains(t, written(t, o), `{"pod":"job-3","rank":3,"group":2,"node":"node-2"},{"pod":"job-4","rank":4,"node":"node-3"}`)
}

func TestTextOfARefusal(t *testing.T) {
	require.Equal(t, `ns/job: unschedulable: insufficient slots, 6 of 8 in rack b0/r0 (proven)
  b0
    r0  xx .. .. ..
  best node b0/r0/node-1: room for 2 members
  of 4 nodes without room: 1 has too little gpu
`, text(t, planned(racks(t, 1), 8, 0)))
}

func TestTextOfWhatCannotBePlanned(t *testing.T) {
	require.Equal(t, "ns/job: not planned: no idea\n", text(t, Outcome{Gang: "ns/job", Err: errors.New("no idea")}))
}

func written(t *testing.T, o Outcome) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{o}))
	return b.String()
}

func TestJSON(t *testing.T) {
	c := racks(t, 1)
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{planned(c, 2, 2), planned(c, 7, 0), {
		Gang: "ns/<bad>", Err: errors.New("a & b"), Ignored: map[string]int{"volumes": 2, "hostPorts": 1},
	}}))
	require.Equal(t, `{"version":1,"plans":[
{"gang":"ns/job","status":"placed","tier":0,"layer":"node","domain":"b0/r0/node-1","groupTier":0,"groupTiers":[0],"strategy":"node/node","strategyNumber":1,"span":{},"pass":"fair","waitsFor":[],"assignments":[{"pod":"job-0","rank":0,"group":0,"node":"node-1"},{"pod":"job-1","rank":1,"group":0,"node":"node-1"}],"victims":[],"ignored":{}},
{"gang":"ns/job","status":"unschedulable","pass":"fair","waitsFor":[],"assignments":[],"victims":[],"ignored":{},"reason":{"kind":"nodes","message":"unschedulable: insufficient slots, 6 of 7 at b0/r0 (proven)","proven":true,"wanted":7,"fits":6,"tiers":[{"tier":0,"layer":"node","domain":"b0/r0/node-1","members":2,"groups":0},{"tier":1,"layer":"rack","domain":"b0/r0","members":6,"groups":0},{"tier":2,"layer":"block","domain":"b0","members":6,"groups":0},{"tier":3,"layer":"","domain":"","members":6,"groups":0}],"nodes":{"total":4,"rejected":{"resource:gpu":1}}}},
{"gang":"ns/\u003cbad\u003e","status":"unschedulable","waitsFor":[],"assignments":[],"victims":[],"ignored":{"hostPorts":1,"volumes":2},"reason":{"kind":"invalid","message":"a \u0026 b","proven":true}}]}
`, b.String())
	b.Reset()
	require.NoError(t, JSON(&b, nil))
	require.Equal(t, "{\"version\":1,\"plans\":[]}\n", b.String())
}

func TestCell(t *testing.T) {
	for want, c := range map[string]cell{
		"=AB.~x":     {assigned: []rune("AB"), own: 1, free: 1, leaving: 1, held: 1},
		"##":         {out: 2},
		"0":          {},
		"2=3A1B4.1x": {assigned: []rune("AAAB"), own: 2, free: 4, held: 1},
		"........":   {free: 8},
		"9.":         {free: 9},
	} {
		require.Equal(t, want, c.String())
	}
}

func TestPodName(t *testing.T) {
	require.Equal(t, "ns/p", PodName(cluster.MemberRef{Gang: "ns/g", Member: "p"}))
	require.Equal(t, "p", PodName(cluster.MemberRef{Gang: "g", Member: "p"}))
}

// aligned plans members of five CPUs, one after the other within one zone or within any two, on a node of two zones.
func aligned(t *testing.T, policy numa.Policy, members int) Outcome {
	t.Helper()
	half := muster.Resources{muster.CPU: 8000}
	c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{
		Name: "n", Allocatable: muster.Resources{muster.CPU: 16000},
		NUMA: &cluster.NUMA{Zones: []numa.Zone{{ID: 7, Allocatable: half}, {ID: 3, Allocatable: half}}},
	}}})
	require.NoError(t, err)
	o := Outcome{Gang: "g", Cluster: c, Request: &gang.Request{Name: "g", Shape: gang.Shape{
		Resources: muster.Resources{muster.CPU: 5000}, NUMA: gang.NUMA{Policy: policy},
	}}}
	for i := range members {
		o.Request.Members = append(o.Request.Members, gang.Member{Name: fmt.Sprintf("g-%d", i)})
	}
	o.Result, o.Err = placement.Plan(c, o.Request)
	return o
}

func TestZonesStandBesideTheNode(t *testing.T) {
	o := aligned(t, numa.BestEffort, 3)
	require.Contains(t, text(t, o), "g-0 -> n (zone 3), g-1 -> n (zone 7), g-2 -> n (zones 3 7)\n")
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{o, aligned(t, "", 1)}))
	require.Contains(t, b.String(), `"node":"n","zones":[{"id":3,"resources":{"cpu":5000}}]}`)
	require.Contains(t, b.String(), `"node":"n","zones":[{"id":3,"resources":{"cpu":3000}},{"id":7,"resources":{"cpu":2000}}]}`)
	require.Contains(t, b.String(), `{"pod":"g-0","rank":0,"node":"n"}`, "no policy, no zones")
}

func TestZonesAreACause(t *testing.T) {
	o := aligned(t, numa.SingleNUMANode, 1)
	o.Request.Shape.Resources = muster.Resources{muster.CPU: 9000}
	o.Result, o.Err = placement.Plan(o.Cluster, o.Request)
	require.Contains(t, text(t, o), "of 1 node without room: 1 has enough in sum, but not in its zones\n")
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{o}))
	require.Contains(t, b.String(), `"rejected":{"numa-capacity":1}`)
}

func TestCellsCountZones(t *testing.T) {
	require.Contains(t, text(t, aligned(t, "", 1)), "  A..\n", "by totals")
	require.Contains(t, text(t, aligned(t, numa.BestEffort, 1)), "  A..\n", "the third one spans zones")
	require.Contains(t, text(t, aligned(t, numa.SingleNUMANode, 1)), "  A.\n")
	o := aligned(t, numa.SingleNUMANode, 1)
	bare, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{muster.CPU: 16000}}}})
	require.NoError(t, err)
	o.Cluster = bare
	o.Result, o.Err = placement.Plan(bare, o.Request)
	require.Contains(t, text(t, o), "  0\n", "no zones are known")
	next, err := aligned(t, "", 1).Cluster.Update(cluster.Delta{Place: []cluster.Running{{
		Gang: "other", Member: "m", Node: "n", Resources: muster.Resources{muster.CPU: 4000}, Leaving: true,
		NUMA: &numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: 3, Resources: muster.Resources{muster.CPU: 4000}}}},
	}}})
	require.NoError(t, err)
	o.Cluster = next
	o.Result, o.Err = placement.Plan(next, o.Request)
	require.Contains(t, text(t, o), "  A~\n", "one zone is held by a leaving member")
}
