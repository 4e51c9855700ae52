package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// drawn is the picture, which is XML without anything that a browser would run or fetch.
func drawn(t require.TestingT, after *placement.Cluster, outcomes ...Outcome) string {
	var b bytes.Buffer
	require.NoError(t, SVG(&b, outcomes, after))
	elements := map[string]bool{"svg": true, "title": true, "desc": true, "style": true, "defs": true, "pattern": true, "path": true, "rect": true, "text": true, "g": true}
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, is := token.(xml.StartElement); is {
			require.True(t, elements[e.Name.Local], "element %s", e.Name.Local)
		}
	}
	require.Equal(t, 2, strings.Count(b.String(), "url("), "the two patterns, which are in the document")
	return b.String()
}

// words are the texts of a picture in the order in which they stand there.
func words(svg string) (all []string) {
	for _, part := range strings.Split(svg, "<text")[1:] {
		_, part, _ = strings.Cut(part, ">")
		part, _, _ = strings.Cut(part, "</text>")
		all = append(all, part)
	}
	return all
}

// many makes nodes of one device each, in a tree of some domains a layer.
func many(t *testing.T, nodes int, layers ...int) *placement.Cluster {
	t.Helper()
	spec := cluster.Spec{}
	tree := topology.LabelLayers{}
	for l := range layers {
		tree.Layers = append(tree.Layers, topology.LabelLayer{Keys: []string{fmt.Sprint("layer-", l)}})
	}
	var labels []topology.LabeledNode
	for i := range nodes {
		n := cluster.Node{Name: fmt.Sprint("node-", i), Labels: map[string]string{}, Allocatable: muster.Resources{"gpu": 1}}
		for l, domains := range layers {
			n.Labels[fmt.Sprint("layer-", l)] = fmt.Sprintf("d%d-%d", l, i*domains/nodes)
		}
		spec.Nodes = append(spec.Nodes, n)
		labels = append(labels, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
		if i%3 == 0 {
			spec.Running = append(spec.Running, cluster.Running{Gang: fmt.Sprint("ns/run-", i/24), Member: fmt.Sprint("m-", i), Node: n.Name, Resources: muster.Resources{"gpu": 1}})
		}
	}
	if len(layers) > 0 {
		built, err := topology.FromLabels(tree, labels)
		require.NoError(t, err)
		spec.Trees = []cluster.NamedTree{{Name: "default", Tree: built}}
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

// A document has two megabytes at most, whatever the cluster; 10,240 nodes should take a second at most, which is logged.
func TestSizeOfPictures(t *testing.T) {
	for _, of := range []struct {
		nodes   int
		layers  []int
		members int
	}{
		{12, []int{1, 2, 3}, 4},
		{1024, []int{2, 16, 128}, 64},
		{1024, []int{2, 16, 128}, 640},
		{10240, []int{10, 160, 1280}, 256},
		{10240, []int{10, 160, 1280}, 6000},
		{10240, []int{10240}, 64},
		{10240, []int{1}, 64},
		{10240, nil, 6000},
		{102400, []int{100, 1600, 12800}, 1024},
		{102400, []int{1, 51200}, 1024},
	} {
		if testing.Short() && of.nodes > 10240 {
			continue
		}
		c := many(t, of.nodes, of.layers...)
		o := planned(c, of.members, 0)
		require.NoError(t, o.Err)
		after, err := c.Apply(o.Result)
		require.NoError(t, err)
		for _, n := range []int{1, 20} {
			if n > 1 && of.nodes > 10240 && len(of.layers) > 2 {
				continue // the other one is larger
			}
			outcomes := make([]Outcome, n)
			for i := range outcomes {
				outcomes[i] = o
			}
			start := time.Now()
			size := len(drawn(t, after, outcomes...))
			t.Logf("%d nodes in domains %v, %d plans of %d members: %d bytes, %v", of.nodes, of.layers, n, of.members, size, time.Since(start).Round(time.Millisecond))
			require.Less(t, size, 2_000_000)
		}
	}
}

// Every node stands in the picture once, as a cell or in a bar; boxes lie in the box around them and on no other one.
func TestEveryNodeIsDrawnOnce(t *testing.T) {
	for _, of := range []struct {
		nodes  int
		layers []int
	}{
		{12, []int{1, 2, 3}},
		{64, []int{1, 1, 1, 1, 2, 2, 4, 4, 8, 16, 16}},
		{128, []int{2, 4, 8, 16, 32, 64, 128}},
		{300, nil},
		{2000, []int{2, 20, 200}},
		{2000, []int{1, 1, 2, 2, 20, 200, 500, 1000}},
		{2000, []int{1, 1000}},
		{2000, []int{1000}},
		{2000, []int{3}},
		{2000, nil},
	} {
		c := many(t, of.nodes, of.layers...)
		for _, members := range []int{1, 50, 200, 1000} {
			o := planned(c, members, 0)
			for _, cells := range []int{10, 300, 4000} {
				for _, bars := range []int{8, 100} {
					p := &panel{outcome: &o}
					p.look(room{cells, bars})
					found, boxes, drawnCells, summed := map[string]int{}, p.boxes, 0, 0
					var walk func(b *box)
					walk = func(b *box) {
						for _, name := range b.nodes {
							found[name]++
							drawnCells++
						}
						if b.bar != nil {
							summed += b.bar.nodes
						}
						for _, kid := range b.kids {
							walk(kid)
						}
					}
					for _, b := range boxes {
						walk(b)
					}
					require.Equal(t, of.nodes, len(found)+summed)
					require.Len(t, found, drawnCells, "none twice")
					require.LessOrEqual(t, drawnCells, cells)
					w, h := p.cells.arrange(boxes, broad-2*margin)
					require.LessOrEqual(t, inside(t, &box{kids: boxes, w: w, h: h}), deepestBox)
				}
			}
		}
	}
}

// inside checks where boxes lie and returns how many are inside each other.
func inside(t *testing.T, b *box) (depth int) {
	t.Helper()
	for i, kid := range b.kids {
		require.Positive(t, kid.w)
		require.GreaterOrEqual(t, min(kid.x, kid.y), 0)
		require.LessOrEqual(t, kid.x+kid.w, b.w, kid.path)
		require.LessOrEqual(t, kid.y+kid.h, b.h, kid.path)
		for _, other := range b.kids[:i] {
			apart := other.x+other.w <= kid.x || other.y+other.h <= kid.y
			require.True(t, apart, "%s and %s", other.path, kid.path)
		}
		depth = max(depth, 1+inside(t, kid))
	}
	return depth
}

// Twenty equal runs give equal bytes, and so does a cluster whose nodes are given backwards.
func TestPicturesAreDetermined(t *testing.T) {
	c := many(t, 500, 5, 50)
	o := planned(c, 40, 4)
	first := drawn(t, c, o, evicting(t, 1))
	for range 20 {
		require.Equal(t, first, drawn(t, c, o, evicting(t, 1)))
	}
}

func TestVictimsAreStruckThrough(t *testing.T) {
	svg := drawn(t, nil, evicting(t, 2))
	require.Equal(t, 3+1, strings.Count(svg, `class="v"`), "three nodes and the legend")
	require.Contains(t, svg, "<title>node-1: 0 of 1 slot free; new job-0; evicted ns/low</title>")
	require.Contains(t, svg, "<title>node-3: 0 of 1 slot free; taken by ns/rest; evicted ns/half</title>")
	require.Contains(t, svg, "<title>node-4: 0 of 1 slot free; leaving ns/busy-1</title>")
	text := strings.Join(words(svg), " ")
	require.Contains(t, text, "ns/job placed, 2 members in block b0, strategy 3, evicts 3 members block &gt; rack &gt; node b0 ")
	require.Contains(t, text, "r0 node-0 x node-1 A c node-2 - c node-3 - a r1 node-4 ~ node-5 A node-6 node-7 ")
	require.NotContains(t, drawn(t, nil, planned(racks(t, 2), 2, 0)), `class="v"`)
}

// A gang has one colour and one letter in all panels, as it comes and as it runs.
func TestGangsKeepTheirColour(t *testing.T) {
	c := racks(t, 2)
	one := planned(c, 4, 2)
	c, err := c.Apply(one.Result)
	require.NoError(t, err)
	req := &gang.Request{Name: "ns/a-first", Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}, Members: []gang.Member{{Name: "a-0"}, {Name: "a-1"}}}
	two := Outcome{Gang: req.Name, Request: req, Cluster: c}
	two.Result, two.Err = placement.Plan(c, req)
	require.NoError(t, two.Err)
	after, err := c.Apply(two.Result)
	require.NoError(t, err)
	svg := drawn(t, after, one, two)
	parts := strings.Split(svg, `class="e"`)
	require.Len(t, parts, 1+3, "two plans and what is behind them")
	require.Contains(t, parts[1], `class="n h1"`)
	require.Contains(t, parts[2], `class="p h1"`)
	require.Contains(t, parts[2], `class="n h0"`)
	require.Contains(t, parts[3], `class="p h0"`)
	text := strings.Join(words(svg), " ")
	require.Contains(t, text, "ns/job placed, 4 members in rack b0/r0, strategy 1 (rack/node) block &gt; rack &gt; node b0 r0 node-0 x x node-1 A A node-2 B B node-3 r1")
	require.Contains(t, text, "node-1 b b node-2 b b node-3 a a r1")
	require.True(t, strings.HasSuffix(text, "A a ns/a-first A b ns/job"), text)
}

func TestWhatRunsAlreadyAndWhatIsOut(t *testing.T) {
	c, err := racks(t, 1).Update(cluster.Delta{
		Place:    []cluster.Running{{Gang: "ns/job", Member: "job-9", Node: "node-1", Resources: muster.Resources{"gpu": 1}}},
		SetNodes: []cluster.Node{{Name: "node-3", Allocatable: muster.Resources{"gpu": 2}, Cordoned: true}, {Name: "lost", Allocatable: muster.Resources{"cpu": 1}}},
	})
	require.NoError(t, err)
	o := planned(c, 1, 0)
	require.NoError(t, o.Err)
	svg := drawn(t, nil, o)
	text := strings.Join(words(svg), " ")
	require.Contains(t, text, "node-0 x x node-1 = A node-2 node-3 # # (outside the tree) lost 0 A new member, a letter a group = member that runs already free x taken # out of service 0 never room for a member")
	require.Contains(t, svg, "<title>node-3: 0 of 2 slots free; out of service</title>")
	require.NotContains(t, text, "evicted")

	c, err = c.Update(cluster.Delta{RemoveNodes: []string{"node-2"}})
	require.NoError(t, err)
	o.Cluster = c
	require.Contains(t, strings.Join(words(drawn(t, nil, o)), " "), "node-1 = A node-3 # # (outside the tree) lost 0")
	var b bytes.Buffer
	require.NoError(t, Text(&b, []Outcome{o}))
	require.Contains(t, b.String(), "r0                xx =A ##\n  (outside the tree)  0\n", "the text is told the same")
}

func TestPictureOfARefusal(t *testing.T) {
	text := strings.Join(words(drawn(t, nil, planned(racks(t, 1), 8, 0), Outcome{Gang: "ns/bad", Err: errors.New("a < b")})), " ")
	require.Contains(t, text, "ns/job unschedulable: insufficient slots, 6 of 8 in rack b0/r0 (proven) best node b0/r0/node-1: room for 2 members of 4 nodes without room: 1 has too little gpu block &gt; rack &gt; node b0 / r0 node-0 x x node-1 node-2")
	require.Contains(t, text, "ns/bad not planned: a &lt; b")
}

// A cluster without plans is counted in devices, in CPUs if there are none.
func TestPictureOfACluster(t *testing.T) {
	require.Contains(t, strings.Join(words(drawn(t, racks(t, 1))), " "), "The cluster 4 nodes, a slot is 1 of gpu block &gt; rack &gt; node b0 / r0 node-0 x x node-1 node-2 node-3 free x taken")
	c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"cpu": 64000, "memory": 1 << 40, "pods": 110}}}})
	require.NoError(t, err)
	require.Contains(t, strings.Join(words(drawn(t, c)), " "), "1 node, a slot is 1 of cpu (nodes) n 64. ")
}

// Of a long queue some plans are drawn, and the others counted.
func TestLongQueuesAreCut(t *testing.T) {
	var outcomes []Outcome
	for range maxPanels + 5 {
		outcomes = append(outcomes, planned(racks(t, 1), 2, 0))
	}
	outcomes = append(outcomes, planned(racks(t, 1), 99, 0))
	text := strings.Join(words(drawn(t, racks(t, 1), outcomes...)), " ")
	require.Equal(t, maxPanels, strings.Count(text, "placed, 2 members"))
	require.Contains(t, text, "Not drawn: 6 gangs: 5 placed, 0 waiting, 1 refused, 0 invalid; 10 pods placed")
	require.Contains(t, text, "The cluster after the plans")
}

// Where the plan has no part, domains are bars; the way to the nodes that it touches is open.
func TestLargeClustersAreSummedUp(t *testing.T) {
	svg := drawn(t, nil, planned(many(t, 10240, 10, 160, 1280), 3, 0))
	text := strings.Join(words(svg), " ")
	require.Contains(t, text, "d0-0 d1-0 d2-0 b A A b A b d2-1..7 37/56 d1-1 43/64 d1-2 43/64")
	require.Contains(t, svg, "<title>d0-0/d1-1: 64 nodes, 43 of 64 slots free</title>")
}

// A domain around nothing but another one is named with it, and counts as a layer all the same.
func TestDomainsInOneBox(t *testing.T) {
	o := planned(many(t, 2000, 1, 1, 10, 1000), 2, 0)
	text := strings.Join(words(bare(&o, room{100, 60})), " ")
	require.Contains(t, text, "d0-0 / d1-0 d2-0 d3-0..1 2/4 d3-2 A A d3-3..99 129/194 d2-1 133/200 d2-2 134/200 d2-3 133/200 ")
}

// Names that would turn the text around, and numbers at the end of their type, do no harm.
func TestExtremesInPictures(t *testing.T) {
	require.Equal(t, `a\u202eb\x00&lt;c&#34;`, escaped("a\u202eb\x00<c\""))
	sum := counts{}
	for range 1000 {
		sum.add(&cell{free: math.MaxInt64, held: math.MaxInt64})
	}
	free, total, _ := sum.words()
	require.Positive(t, free)
	require.Greater(t, total, free)
	var list []holding
	for i := range 2 * gangsOnNode {
		list = addTo(list, &cluster.Running{Gang: fmt.Sprint(i)})
		list = addTo(list, &cluster.Running{Gang: "0"})
	}
	require.Len(t, list, gangsOnNode)
	require.EqualValues(t, 2*gangsOnNode+1, list[0].members)
}

// A bar says what its nodes hold beside free slots.
func TestBarsCountAllThereIs(t *testing.T) {
	o := evicting(t, 1)
	p := &panel{outcome: &o}
	p.look(room{0, 8})
	require.Len(t, p.boxes, 1)
	sum := counts{}
	for _, b := range p.boxes[0].kids {
		sum.nodes += b.bar.nodes
		sum.victims += b.bar.victims
	}
	require.Equal(t, counts{nodes: 8, victims: 3}, sum)
	text := strings.Join(words(bare(&o, room{0, 8})), " ")
	require.Contains(t, text, "b0 r0 0/8 1 new, 3 evicted r1 5/8 1 new, 2 leaving")
}

// bare is a picture with one panel that has little room.
func bare(o *Outcome, share room) string {
	one := &panel{outcome: o, gang: o.Gang}
	one.look(share)
	p := &picture{panels: []*panel{one}, width: broad, ids: identify([]*panel{one})}
	p.draw()
	return p.String()
}

// Groups of parts have names beside their letters.
func TestPictureNamesParts(t *testing.T) {
	o := planned(racks(t, 1), 2, 0)
	o.Request.Parts = []gang.Part{{Name: "decode", Members: []string{"job-0"}}, {Name: "prefill", Members: []string{"job-1"}}}
	o.Result.GroupTiers, o.Result.Assignments[0].Group, o.Result.Assignments[1].Group = []int{0}, 0, 1
	require.Contains(t, words(drawn(t, nil, o)), "A decode, B prefill")
}

// Members of a gang that starts together with the one that is drawn have its colour, though they do not run yet.
func TestPicturesOfGangsThatStartTogether(t *testing.T) {
	c := racks(t, 1)
	var reqs []*gang.Request
	for _, name := range []string{"ns/one", "ns/two"} {
		reqs = append(reqs, &gang.Request{Name: name, Shape: gang.Shape{Resources: muster.Resources{"gpu": 2}}, Members: []gang.Member{{Name: name[3:] + "-0"}}})
	}
	results, err := placement.Together(c, nil, reqs...)
	require.NoError(t, err)
	one := Outcome{Gang: "ns/one", Request: reqs[0], Cluster: c, Result: results[0]}
	two := Outcome{Gang: "ns/two", Request: reqs[1], Cluster: c, Result: results[1]}
	one.Together, two.Together = []Outcome{two}, []Outcome{one}
	text := strings.Join(words(drawn(t, nil, one, two)), " ")
	require.Contains(t, text, "node-0 x node-1 A node-2 b node-3 ns/two (together with ns/one)")
	require.Contains(t, text, "node-0 x node-1 a node-2 A node-3 A new member")
}
