package placers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
	"github.com/muster-sched/muster/topology"
)

// drawn makes a cluster of lines, one a lowest domain: its path, then its nodes with what they have of a resource, and before that, if some of it is taken, what is free.
func drawn(t testing.TB, resource string, layers []string, lines ...string) *placement.Cluster {
	t.Helper()
	spec, tree := cluster.Spec{}, topology.Spec{}
	for i, name := range layers {
		tree.Layers = append(tree.Layers, topology.Layer{Name: name, Tier: len(layers) - i})
	}
	for _, line := range lines {
		path, nodes, _ := strings.Cut(line, ": ")
		at := &tree.Roots
		var d *topology.Domain
		for k, name := range strings.Split(path, "/") {
			i := slices.IndexFunc(*at, func(d topology.Domain) bool { return d.Name == name })
			if i < 0 {
				i, *at = len(*at), append(*at, topology.Domain{Name: name, Tier: len(layers) - k})
			}
			d = &(*at)[i]
			at = &d.Children
		}
		for _, node := range strings.Fields(nodes) {
			name, amounts, _ := strings.Cut(node, "=")
			free, has, some := strings.Cut(amounts, "/")
			if !some {
				has = free
			}
			d.Nodes, spec.Nodes = append(d.Nodes, name), append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{resource: number(t, has)}})
			if taken := number(t, has) - number(t, free); taken > 0 {
				spec.Running = append(spec.Running, cluster.Running{Gang: "other", Member: "on " + name, Node: name, Resources: muster.Resources{resource: taken}})
			}
		}
	}
	made, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: made}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// asks is a gang of members that ask for 1 of a resource, with a layer to gather in; empty: none.
func asks(resource string, members int, must string) *gang.Request {
	req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{resource: 1}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i), Index: i, Indexed: true})
	}
	if must != "" {
		req.Gather = []gang.Rule{{Layer: must, Strength: gang.MustGather}}
	}
	return req
}

// placed are the nodes of the members in their order, runs of one node as `node*count`.
func placed(t *testing.T, p simulate.Placer, c *placement.Cluster, req *gang.Request) string {
	t.Helper()
	if asked, ok := p.(placers.Asked); ok {
		require.True(t, asked.CanAsk(req))
	}
	place, err := p.Place(c, req)
	require.NoError(t, err)
	if place == nil {
		return ""
	}
	nodes := place.Nodes
	if place.Plan != nil {
		for _, a := range place.Plan.Assignments {
			nodes = append(nodes, a.Node)
		}
	}
	return runs(nodes)
}

func runs(nodes []string) string {
	var out []string
	for i := 0; i < len(nodes); {
		n := 1
		for i+n < len(nodes) && nodes[i+n] == nodes[i] {
			n++
		}
		if text := nodes[i]; n > 1 {
			out = append(out, fmt.Sprintf("%s*%d", text, n))
		} else {
			out = append(out, text)
		}
		i += n
	}
	return strings.Join(out, " ")
}

// Two blocks, of which the one with the fewer slots holds the gang in two racks, the other one in a single rack.
// kueue/tas/required block, the tighter rack lies in the larger block.
func blocks(t *testing.T) *placement.Cluster {
	return drawn(t, "cpu", []string{"block", "rack"}, "b1/r1: n1=1 n2=1", "b1/r2: n3=1 n4=1", "b2/r3: n5=1 n6=1 n7=1 n8=1", "b2/r4: n9=1")
}

func TestKueueTakesTheBestFittingBlockOfThoseRequired(t *testing.T) {
	c := blocks(t)
	require.Equal(t, "n1 n2 n3 n4", placed(t, placers.KueuePreferred{}, c, asks("cpu", 4, "block")))
	require.Equal(t, "n1 n2 n3 n4", placed(t, placers.KueueUnconstrained{}, c, asks("cpu", 4, "block")))
	// Told the rack, by itself or because nothing is said, it takes what Muster takes.
	for _, must := range []string{"", "rack"} {
		require.Equal(t, "n5 n6 n7 n8", placed(t, placers.KueuePreferred{}, c, asks("cpu", 4, must)))
	}
	require.Equal(t, "n1 n2 n3 n4", placed(t, placers.KueuePreferred{}, c, preferring(asks("cpu", 4, ""), "block")))
	require.Equal(t, "n5 n6 n7 n8", placed(t, placers.KueuePreferred{}, c, preferring(preferring(asks("cpu", 4, ""), "rack"), "block")), "the lowest one counts")
	require.Equal(t, "n1 n2 n3 n4 n5 n6 n7 n8 n9", placed(t, placers.KueuePreferred{}, c, asks("cpu", 9, "")))
	require.Equal(t, "n5 n6 n7 n8", placed(t, simulate.Muster{}, c, asks("cpu", 4, "block")))
}

func preferring(req *gang.Request, layer string) *gang.Request {
	req.Gather = append(req.Gather, gang.Rule{Layer: layer, Strength: gang.PreferGather})
	return req
}

// kueue/tas/one rack, 11 members over nodes of 10, 6 and 5.
func TestKueueOptimisesTheLastNodeAlone(t *testing.T) {
	c := drawn(t, "cpu", []string{"rack"}, "r1: n1=10 n2=6 n3=5")
	require.Equal(t, "n1*10 n3", placed(t, placers.KueuePreferred{}, c, asks("cpu", 11, "rack")))
	require.Equal(t, "n2*6 n3*5", placed(t, simulate.Muster{}, c, asks("cpu", 11, "rack")))
}

// Members come to the nodes in the order of paths, whichever was filled first.
func TestKueueHandsOutNodesInOrder(t *testing.T) {
	c := drawn(t, "cpu", []string{"rack"}, "r1: n1=1 n2=3")
	require.Equal(t, "n1 n2*3", placed(t, placers.KueuePreferred{}, c, asks("cpu", 4, "")))
}

// kueue/tas/no topology request, six members, one rack holds them.
func smallNodes(t *testing.T) *placement.Cluster {
	return drawn(t, "cpu", []string{"block", "rack"}, "b1/r1: x1=1 x3=4 x5=1", "b2/r1: x2=1 x6=2")
}

func TestKueueFillsTheSmallestNodesWhereNothingIsAsked(t *testing.T) {
	c := smallNodes(t)
	require.Equal(t, "x1 x3 x5 x2 x6*2", placed(t, placers.KueueUnconstrained{}, c, asks("cpu", 6, "")))
	require.Equal(t, "x3*3", placed(t, placers.KueueUnconstrained{}, c, asks("cpu", 3, "")), "the smallest node that takes all")
	require.Equal(t, "x1 x3*4 x5", placed(t, simulate.Muster{}, c, asks("cpu", 6, "")))
}

// On the same nodes kube-scheduler goes where most is left.
func TestPodsOneByOneGoWhereMostIsLeft(t *testing.T) {
	c := smallNodes(t)
	require.Equal(t, "x3*2 x6", placed(t, placers.PodByPod{}, c, asks("cpu", 3, "")), "50 points each for the second member, the first in the order of paths")
	require.Equal(t, "x3*2 x6", placed(t, placers.PodByPod{}, c, asks("cpu", 3, "rack")), "it knows no such rule")
	require.Equal(t, "x3*3 x1 x3 x5", placed(t, placers.PodByPod{Affinity: true}, c, asks("cpu", 6, "")))
	require.Equal(t, "x3*3 x1 x3 x5 x6 x2", placed(t, placers.PodByPod{Affinity: true}, c, asks("cpu", 8, "")))
	require.Empty(t, placed(t, placers.PodByPod{}, c, asks("cpu", 10, "")), "nine fit: as a whole or not at all")
	require.Equal(t, "x3*3", placed(t, simulate.Muster{}, c, asks("cpu", 3, "")))
	spines := drawn(t, "cpu", []string{"spine", "leaf"}, "s1/l1: a1=2", "s1/l2: b1=1/4", "s2/l3: c1=2")
	require.Equal(t, "a1*2 b1 c1", placed(t, placers.PodByPod{Affinity: true}, spines, asks("cpu", 4, "")), "the same spine comes before more room")
	require.Equal(t, "a1 c1 a1 b1", placed(t, placers.PodByPod{}, spines, asks("cpu", 4, "")))
	devices := drawn(t, "gpu", []string{"rack"}, "r1: n1=8 n2=4/8", "r2: n3=8")
	require.Equal(t, "n1 n3 n1 n3", placed(t, placers.PodByPod{}, devices, asks("gpu", 4, "")), "devices count where nothing else is asked for")
}

// volcano/packing/fuller by share, emptier by count.
func TestVolcanoTakesTheFullerHyperNodeByShare(t *testing.T) {
	c := drawn(t, "cpu", []string{"top", "leaf"}, "root/big: big0=0/2 big1=0/2 big2=0/2 big3=0/2 big4=0/2 big5=0/2 big6=2 big7=2 big8=2 big9=2", "root/small: sm0=2 sm1=2 sm2=2")
	req := asks("cpu", 2, "leaf")
	req.Shape.Resources["cpu"] = 2
	for _, p := range []simulate.Placer{placers.VolcanoHard{}, placers.VolcanoSoft{}} {
		require.Equal(t, "big6 big7", placed(t, p, c, req))
	}
	require.Equal(t, "sm0 sm1", placed(t, simulate.Muster{}, c, req))
}

// A job that no leaf holds begins on the fullest node, fills that leaf, and goes on in the lowest HyperNode above.
func TestVolcanoFillsHyperNodesFromTheFullestNode(t *testing.T) {
	c := drawn(t, "gpu", []string{"spine", "leaf"}, "s1/l1: a1=2 a2=2", "s1/l2: b1=1/2 b2=2", "s2/l3: c1=1/2")
	require.Equal(t, "b1 b2*2 a1*2", placed(t, placers.VolcanoSoft{}, c, asks("gpu", 5, "")))
	require.Equal(t, "b1 b2*2 a1*2 a2*2 c1", placed(t, placers.VolcanoSoft{}, c, asks("gpu", 8, "")))
	halves := drawn(t, "gpu", []string{"leaf"}, "big: d1=5/10", "small: e1=3/4")
	require.Equal(t, "e1*3", placed(t, placers.VolcanoSoft{}, halves, asks("gpu", 3, "")), "all of it is in use then, 8 of 10 of the other")
	require.Equal(t, "d1", placed(t, placers.VolcanoSoft{}, halves, asks("gpu", 1, "")))
	require.Empty(t, placed(t, placers.VolcanoHard{}, c, asks("gpu", 8, "")), "no spine holds it")
	require.Empty(t, placed(t, placers.VolcanoHard{Highest: "leaf"}, c, asks("gpu", 5, "")))
	require.Empty(t, placed(t, placers.VolcanoHard{}, c, asks("gpu", 2, "0")), "a node is no HyperNode")
	_, err := placers.VolcanoHard{Highest: "row"}.Place(c, asks("gpu", 1, ""))
	require.EqualError(t, err, `VolcanoHard.Highest "row": unknown layer`)
}

// koordinator/packing/eleven members over blocks of ten, six and five: the six and the five.
func TestKoordinatorFillsTheLargestBlockFirst(t *testing.T) {
	block := func(first, nodes int) (out string) {
		for i := range nodes {
			out += fmt.Sprintf(" node-%d=1", first+i)
		}
		return out[1:]
	}
	c := drawn(t, "gpu", []string{"spine", "block"}, "s0/b0: "+block(0, 10), "s0/b1: "+block(10, 6), "s0/b2: "+block(16, 5))
	req := asks("gpu", 11, "spine")
	require.Equal(t, []string{"node-0", "node-1", "node-9", "node-10"}, ends(t, placers.Koordinator{}, c, req))
	require.Equal(t, []string{"node-0", "node-1", "node-9", "node-10"}, ends(t, placers.KoordinatorProposal{}, c, req))
	require.Equal(t, []string{"node-10", "node-11", "node-19", "node-20"}, ends(t, simulate.Muster{}, c, req))
}

// koordinator/packing/slots are not capped at the gang's size, on nodes: to Koordinator both have as many slots as the gang has members.
func TestKoordinatorCountsNoMoreSlotsOnANodeThanMembers(t *testing.T) {
	c := drawn(t, "gpu", []string{"block"}, "b0: n0=5", "b1: n1=2")
	require.Equal(t, "n0*2", placed(t, placers.Koordinator{}, c, asks("gpu", 2, "")))
	require.Equal(t, "n1*2", placed(t, placers.KoordinatorProposal{}, c, asks("gpu", 2, "")))
	require.Equal(t, "n1*2", placed(t, simulate.Muster{}, c, asks("gpu", 2, "")))
}

// koordinator/ranks/twelve pods without an index, and with one all the same: the bytes of names decide.
func TestKoordinatorOrdersMembersByBytes(t *testing.T) {
	c := drawn(t, "gpu", []string{"block"}, "b0: n0=9 n1=2")
	place, err := placers.Koordinator{}.Place(c, asks("gpu", 11, ""))
	require.NoError(t, err)
	require.Equal(t, "n0*8 n1*2 n0", runs(place.Nodes), "job-0, job-1, job-10, job-2, and so on")
}

// ends are the first two and the last two nodes of a gang of nodes, in natural order.
func ends(t *testing.T, p simulate.Placer, c *placement.Cluster, req *gang.Request) []string {
	t.Helper()
	nodes := strings.Fields(placed(t, p, c, req))
	require.Len(t, nodes, len(req.Members))
	slices.SortFunc(nodes, muster.CompareNatural)
	return []string{nodes[0], nodes[1], nodes[len(nodes)-2], nodes[len(nodes)-1]}
}

// koordinator/stories/1, with the leaves exchanged: three units are equal, and the slots of their parents differ.
func TestKoordinatorComparesParentsAndTheProposalDoesNot(t *testing.T) {
	c := drawn(t, "gpu", []string{"spine", "leaf", "unit"}, "s/l0/u0: n0=1 n1=1", "s/l0/u1: n2=1 n3=1", "s/l1/u2: n4=1 n5=1")
	require.Equal(t, "n4 n5", placed(t, placers.Koordinator{}, c, asks("gpu", 2, "")))
	require.Equal(t, "n4 n5", placed(t, simulate.Muster{}, c, asks("gpu", 2, "")))
	require.Equal(t, "n0 n1", placed(t, placers.KoordinatorProposal{}, c, asks("gpu", 2, "")))
	require.Equal(t, "n0 n1 n2 n3", placed(t, placers.KoordinatorProposal{}, c, asks("gpu", 4, "")), "the leaf of exactly four")
}

// koordinator/multiple/four per node, sixteen pods: every node gives exactly four. And members go where others of their key are, whose room is the same.
func TestKoordinatorKnowsMultiplesAndFriends(t *testing.T) {
	c := drawn(t, "gpu", []string{"block"}, "b0: n0=5 n1=7", "b1: n2=6 n3=4")
	req := asks("gpu", 16, "")
	req.Gather = []gang.Rule{{Layer: "0", Multiple: 4}}
	for i := range req.Members { // of one length, so that bytes order them as numbers do
		req.Members[i].Name = fmt.Sprintf("job-%02d", i)
	}
	require.Equal(t, "n0*4 n1*4 n2*4 n3*4", placed(t, placers.Koordinator{}, c, req))
	require.False(t, placers.KoordinatorProposal{}.CanAsk(req))

	c, err := drawn(t, "gpu", []string{"block"}, "b0: n0=2", "b1: n1=2", "b2: n2=3").Update(cluster.Delta{Place: []cluster.Running{
		{Gang: "friend", Member: "a", Node: "n2", Resources: muster.Resources{"gpu": 1}, AffinityKey: "key"},
	}})
	require.NoError(t, err)
	req = asks("gpu", 2, "")
	require.Equal(t, "n0*2", placed(t, placers.Koordinator{}, c, req))
	req.AffinityKey = "key"
	require.Equal(t, "n2*2", placed(t, placers.Koordinator{}, c, req))
}

// kai/required zone, preferred rack/the guide's two zones. Of the racks in a zone the ones with the most room come first, in tenths of the order of all, and the rest goes to the last of those of one node.
func TestKAIFillsTheRackWithMostRoom(t *testing.T) {
	c := drawn(t, "gpu", []string{"zone", "rack"}, "za/a1: a1-1=1 a1-2=1", "za/a2: a2-1=1", "za/a3: a3-1=1", "za/a4: a4-1=1", "zb/b1: b1-1=1 b1-2=1", "zb/b2: b2-1=1 b2-2=1", "zb/b3: b3-1=1 b3-2=1")
	require.Equal(t, "a1-1 a1-2 a4-1", placed(t, placers.KAI{}, c, preferring(asks("gpu", 3, "zone"), "rack")))
	require.Equal(t, "a1-1 a1-2 a2-1", placed(t, simulate.Muster{}, c, asks("gpu", 3, "zone")))
	require.Equal(t, "b3-1 b3-2 b2-1 b2-2 b1-1 b1-2 a1-1", placed(t, placers.KAI{}, c, asks("gpu", 7, "")), "the root, where no zone holds them")
}

// Where there are more than ten racks several have as many tenths, and the node with the fewest devices left comes first among them.
func TestKAIScoresRacksInTenths(t *testing.T) {
	var racks []string
	for i := 1; i <= 20; i++ {
		racks = append(racks, fmt.Sprintf("r%d: n%d=%d", 21-i, 21-i, i))
	}
	c := drawn(t, "gpu", []string{"rack"}, racks...)
	require.Equal(t, "n1*20 n3*2", placed(t, placers.KAI{}, c, asks("gpu", 22, "")))
}

// kai/packing/last node of the most used spine.
func TestKAITakesTheFullestDomain(t *testing.T) {
	c := drawn(t, "gpu", []string{"zone", "spine", "rack"}, "z1/s1/r1: node0=0/1 node1=0/1", "z1/s1/r2: node2=0/1 node3=1", "z1/s2/r3: node4=1 node5=1", "z1/s2/r4: node6=1 node7=1")
	require.Equal(t, "node3", placed(t, placers.KAI{}, c, preferring(asks("gpu", 1, ""), "spine")))
	require.Equal(t, "node4 node5", placed(t, placers.KAI{}, c, asks("gpu", 2, "rack")))
}

// What is drawn follows from the seed and the name of the gang, and only nodes with room are drawn.
func TestRandomDrawsBySeedAndName(t *testing.T) {
	c := drawn(t, "gpu", []string{"rack"}, "r1: n1=2 n2=0/2 n3=2", "r2: n4=2 n5=2")
	seen := map[string]bool{}
	for seed := range uint64(20) {
		req := asks("gpu", 4, "rack")
		got := placed(t, placers.Random{Seed: seed}, c, req)
		require.NotContains(t, got, "n2")
		seen[got] = true
		req.Name = "another"
		seen[placed(t, placers.Random{Seed: seed}, c, req)] = true
	}
	require.Greater(t, len(seen), 30)
	require.Len(t, strings.Fields(strings.ReplaceAll(placed(t, placers.Random{}, c, asks("gpu", 8, "")), "*2", " again")), 8)
	require.Empty(t, placed(t, placers.Random{}, c, asks("gpu", 9, "")))
}
