package render

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// filled draws a cluster of a few nodes with any names, on which members of some gangs run, some of them leaving, and plans a
// gang that may evict.
func filled(t *rapid.T, names *rapid.Generator[string]) Outcome {
	spec := cluster.Spec{}
	root := topology.Domain{Name: names.Draw(t, "domain") + "-", Tier: 2}
	for i := range rapid.IntRange(1, 12).Draw(t, "nodes") {
		n := cluster.Node{
			Name:        fmt.Sprintf("%s-%d", names.Draw(t, "node"), i),
			Allocatable: muster.Resources{"gpu": rapid.Int64Range(0, 12).Draw(t, "gpus"), "cpu": rapid.Int64Range(1, 8).Draw(t, "cpus")},
			Cordoned:    rapid.IntRange(0, 5).Draw(t, "cordoned") == 0,
		}
		spec.Nodes = append(spec.Nodes, n)
		if rapid.IntRange(0, 4).Draw(t, "outside") > 0 {
			root.Children = append(root.Children, topology.Domain{Name: fmt.Sprintf("%s-%d", names.Draw(t, "leaf"), i/3), Tier: 1, Nodes: []string{n.Name}})
		}
		for j := range rapid.IntRange(0, 3).Draw(t, "members") {
			spec.Running = append(spec.Running, cluster.Running{
				Gang: fmt.Sprint(names.Draw(t, "gang"), rapid.IntRange(0, 3).Draw(t, "of")), Member: fmt.Sprintf("m-%d-%d", i, j), Node: n.Name,
				Resources: muster.Resources{"gpu": rapid.Int64Range(0, 4).Draw(t, "gpu"), "cpu": 1}, Leaving: rapid.IntRange(0, 4).Draw(t, "leaving") == 0, MinMember: -1,
			})
		}
	}
	merged := map[string]int{} // leaves by name
	var leaves []topology.Domain
	for _, leaf := range root.Children {
		i, known := merged[leaf.Name]
		if !known {
			i, leaves = len(leaves), append(leaves, topology.Domain{Name: leaf.Name, Tier: 1})
			merged[leaf.Name] = i
		}
		leaves[i].Nodes = append(leaves[i].Nodes, leaf.Nodes...)
	}
	if root.Children = leaves; len(leaves) > 0 {
		tree, err := topology.New(topology.Spec{Roots: []topology.Domain{root}, Layers: []topology.Layer{{Name: "leaf", Tier: 1}, {Name: names.Draw(t, "layer") + "+", Tier: 2}}})
		if err != nil {
			t.Skip(err)
		}
		spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	}
	c, err := placement.NewCluster(spec)
	if err != nil {
		t.Skip(err)
	}
	req := &gang.Request{Name: names.Draw(t, "job") + "!", Priority: int64(rapid.IntRange(0, 1).Draw(t, "priority")), Shape: gang.Shape{Resources: muster.Resources{"gpu": rapid.Int64Range(0, 3).Draw(t, "each"), "cpu": 1}}}
	for i := range rapid.IntRange(1, 6).Draw(t, "size") {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	o := Outcome{Gang: req.Name, Request: req, Cluster: c}
	o.Result, o.Err = placement.Plan(c, req)
	return o
}

// Whatever things are called, the picture is a document, and its panel after the plan too.
func anyNames(t *rapid.T) {
	o := filled(t, rapid.String())
	after := o.Cluster
	if o.Result != nil {
		if next, err := after.Apply(o.Result); err == nil { // it may wait for who is leaving
			after = next
		}
	}
	drawn(t, after, o, o)
}

func TestAnyNamesGiveADocument(t *testing.T) { rapid.Check(t, anyNames) }

func FuzzAnyNamesGiveADocument(f *testing.F) { f.Fuzz(rapid.MakeFuzz(anyNames)) }

// The picture and the text count the same slots of every node, and a victim is a mark on its node.
func TestPicturesAgreeWithText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := filled(t, rapid.StringMatching(`[a-c]{1,3}`))
		if o.Result == nil {
			return
		}
		p := &panel{outcome: &o}
		p.look(room{cellsInPanel, barsInPanel})
		require.Len(t, p.nodes, o.Cluster.Len())
		victims := int64(0)
		for name, n := range p.nodes {
			c, text := p.drawing.cells[name], ""
			for _, s := range n.slots {
				require.Positive(t, s.n)
				text += strings.Repeat(string(s.char), int(s.n))
			}
			want, _ := c.runs()
			all := ""
			for _, r := range want {
				all += strings.Repeat(string(r.char), int(r.n))
			}
			require.Equal(t, all, text, name)
			for _, v := range n.victims {
				victims += v.n
			}
		}
		require.EqualValues(t, len(o.Result.Victims), victims)
	})
}

// Portions fill the width, and what is there shows.
func TestPortions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64()), 1, 12).Draw(t, "amounts")
		width := rapid.IntRange(0, 300).Draw(t, "width")
		sum, there := 0, false
		for i, wide := range portions(amounts, width) {
			require.GreaterOrEqual(t, wide, 0)
			require.True(t, amounts[i] > 0 || wide == 0)
			require.True(t, amounts[i] <= 0 || width < 2*len(amounts) || wide >= 2)
			sum, there = sum+wide, there || amounts[i] > 0
		}
		if there {
			require.Equal(t, width, sum)
		}
	})
}

// Text that is cut is no wider than it may be.
func TestCutText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(3, 40).Draw(t, "letters")
		require.LessOrEqual(t, widthIn(clip(text, most)), most)
		lines := wrap(text, most, 3)
		require.LessOrEqual(t, len(lines), 3)
		for _, line := range lines {
			require.LessOrEqual(t, widthIn(line), most)
		}
		whole := strings.Join(wrap(text, most, 1000), "")
		require.Equal(t, strings.Join(strings.Fields(text), ""), strings.ReplaceAll(whole, " ", ""), "nothing is lost while there are lines")
	})
	require.Equal(t, "ip-1…rnal", clip("ip-10-0-0-1.internal", 10))
	require.Equal(t, []string{"in leaf", "s0/l0 …"}, wrap("in leaf s0/l0 of the tree", 9, 2))
	require.Equal(t, []string{"in", "leaf-", "s0/", "unit1"}, wrap("in leaf-s0/unit1", 5, 9), "behind marks")
	require.Equal(t, "日…本語", clip("日本語日本語日本語", 8))
}

func TestNamesWithoutWhatAllHave(t *testing.T) {
	for want, names := range map[string][]string{
		"node-1":                {"node-1", "node-12"},
		"…5…":                   {"gpu-node-5-very-long", "gpu-node-55-very-long"},
		"…0-1…":                 {"ip-10-0-0-1.eu.internal", "ip-10-0-10-2.eu.internal"},
		"x12345678901234567890": {"x12345678901234567890", "x2"},
		"alone-in-the-cluster":  {"alone-in-the-cluster"},
	} {
		c := cells{}
		c.head, c.tail = shared(names)
		require.Equal(t, want, c.short(names[0]))
	}
}

func TestRunsOfNames(t *testing.T) {
	for want, of := range map[string][2]string{
		"leaf-01-01..04":    {"leaf-01-01", "leaf-01-04"},
		"leaf-01-09..02-01": {"leaf-01-09", "leaf-02-01"},
		"unit-0050..0152":   {"unit-0050", "unit-0152"},
		"n9..12":            {"n9", "n12"},
		"rack-a..c":         {"rack-a", "rack-c"},
		"left .. right":     {"left", "right"},
		"r1 .. r":           {"r1", "r"},
		"日1..3":             {"日1", "日3"},
		"日本 .. 日光":          {"日本", "日光"},
	} {
		require.Equal(t, want, through(of[0], of[1]))
	}
}

// Letters can be read on what is below them, in both modes.
func TestContrast(t *testing.T) {
	for _, c := range []*colours{&light, &dark} {
		for i := range hues {
			require.GreaterOrEqual(t, contrast(t, c.letters, c.strong[i]), 4.5, c.strong[i])
			require.GreaterOrEqual(t, contrast(t, c.ink, c.pale[i]), 4.5, c.pale[i])
			require.GreaterOrEqual(t, contrast(t, c.strong[i], c.page), 3.0, "an outline")
		}
		for _, below := range []string{c.page, c.box, c.boxes, c.taken} {
			require.GreaterOrEqual(t, contrast(t, c.ink, below), 4.5, below)
		}
		for _, below := range []string{c.page, c.box, c.boxes} {
			require.GreaterOrEqual(t, contrast(t, c.faint, below), 4.5, below)
			require.GreaterOrEqual(t, contrast(t, c.edge, below), 3.0, below)
		}
	}
}

// contrast is that of the guidelines for web content.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	brightness := func(colour string) float64 {
		var rgb [3]uint8
		_, err := fmt.Sscanf(colour, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2])
		require.NoError(t, err)
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			part := float64(rgb[i]) / 255
			if part <= 0.03928 {
				part /= 12.92
			} else {
				part = math.Pow((part+0.055)/1.055, 2.4)
			}
			sum += weight * part
		}
		return sum
	}
	bright, darker := brightness(a), brightness(b)
	if bright < darker {
		bright, darker = darker, bright
	}
	return (bright + 0.05) / (darker + 0.05)
}
