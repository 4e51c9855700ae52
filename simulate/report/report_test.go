package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/report"
	"github.com/muster-sched/muster/simulate/streams"
	"github.com/muster-sched/muster/topology"
)

// played is what came of a stream on four racks of eight nodes of one device.
func played(t testing.TB, rack string, change func(*simulate.Options, *streams.Generated)) *simulate.Report {
	t.Helper()
	spec, tree := cluster.Spec{}, topology.Spec{Layers: []topology.Layer{{Name: rack, Tier: 1}}}
	one := gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 1}}
	for r := range 4 {
		d := topology.Domain{Name: fmt.Sprint("domain-", r), Tier: 1}
		for range 8 {
			name := fmt.Sprint("node-", len(spec.Nodes))
			d.Nodes, spec.Nodes = append(d.Nodes, name), append(spec.Nodes, cluster.Node{Name: name, Allocatable: one.Resources})
		}
		tree.Roots = append(tree.Roots, d)
	}
	made, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: made}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	g := streams.Generated{
		Seed: 1, Jobs: 200, Members: 8, Shape: one, Runs: 7200, Load: 900, Slots: 32, Checkpoint: 1800,
		Gather: func(int) []gang.Rule { return []gang.Rule{{Layer: rack, Strength: gang.PreferGather}} },
	}
	opt := simulate.Options{Cluster: c, Series: &simulate.SeriesOptions{Fit: &one}}
	change(&opt, &g)
	opt.Jobs = g.Stream()
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	return r
}

// three are runs of three names: two seeds, first fit, and moves.
func three(t testing.TB) []report.Run {
	t.Helper()
	return []report.Run{
		{Name: "discipline=strict", Report: played(t, "rack", func(o *simulate.Options, _ *streams.Generated) { o.Discipline = queue.Strict })},
		{Name: "placer=first-fit", Report: played(t, "rack", func(o *simulate.Options, _ *streams.Generated) { o.Placer = simulate.FirstFit{} })},
		{Name: "discipline=strict", Report: played(t, "rack", func(o *simulate.Options, g *streams.Generated) { o.Discipline, g.Seed = queue.Strict, 2 })},
		{Name: "moves=true", Report: played(t, "rack", func(o *simulate.Options, g *streams.Generated) {
			o.Moves = &simulate.Moves{}
			g.Gather = func(int) []gang.Rule { return []gang.Rule{{Layer: "rack", Strength: gang.MustGather}} }
		})},
	}
}

// written is a page.
func written(t testing.TB, about []string, runs ...report.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.Write(&b, about, runs))
	return b.String()
}

// figure is one of a page.
type figure struct {
	id, title, said string
	plots           int
	texts           []string // in the plot
}

// figures reads the page, all elements of which are closed as they should be.
func figures(t testing.TB, page string) (all []figure) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch e := token.(type) {
		case xml.StartElement:
			switch open = append(open, e.Name.Local); e.Name.Local {
			case "figure":
				all = append(all, figure{id: e.Attr[0].Value})
			case "svg":
				all[len(all)-1].plots++
			}
		case xml.EndElement:
			require.Equal(t, open[len(open)-1], e.Name.Local)
			open = open[:len(open)-1]
		case xml.CharData:
			if len(all) == 0 || len(open) == 0 {
				continue
			}
			switch f := &all[len(all)-1]; open[len(open)-1] {
			case "h2":
				f.title += string(e)
			case "text":
				f.texts = append(f.texts, string(e))
			case "p", "b":
				f.said += string(e)
			}
		}
	}
}

// says whether a text is in a page: a test that fails shows the text, and not the page.
func says(page, text string) bool { return strings.Contains(page, text) }

// requireSaid wants a text in a page.
func requireSaid(t testing.TB, page, text string) {
	t.Helper()
	require.True(t, says(page, text), text)
}

// A page has all plots, each with axes from 0 on and all labels, and needs nothing else.
func TestPage(t *testing.T) {
	runs := three(t)
	page := written(t, []string{"4x8: 32 nodes"}, runs...)
	require.Equal(t, page, written(t, []string{"4x8: 32 nodes"}, runs...), "equal arguments give equal bytes")
	var ids []string
	for _, f := range figures(t, page) {
		ids = append(ids, f.id)
		require.Equal(t, 1, f.plots, f.title)
		require.Contains(t, f.texts, "0", f.title)
		switch f.id {
		case "mean", "late":
			require.Subset(t, f.texts, []string{"1", "2", "3-4", "5-8"})
		case "wider", "moved":
			require.Subset(t, f.texts, []string{"1", "2", "3"})
		default:
			require.Regexp(t, `^\d+ (s|min|h|d)$`, lastAlong(f.texts), f.title)
			zeros := 0
			for _, text := range f.texts {
				if text == "0" {
					zeros++
				}
			}
			require.Equal(t, 2, zeros, "both axes begin there")
		}
	}
	require.Equal(t, []string{"waiting", "mean", "late", "fits", "fits", "wider", "moved"}, ids)
	require.False(t, says(page, "<script"))
	require.Empty(t, regexp.MustCompile(`https?:|url\(|@import|src=|href=`).FindString(page))
	require.False(t, says(page, "rgb("), "all colours are variables, which differ by night")
	requireSaid(t, page, "<p class=\"soft\">4x8: 32 nodes</p>")
}

// lastAlong is the label with the unit.
func lastAlong(texts []string) string {
	for _, text := range texts {
		if strings.Contains(text, " ") {
			return text
		}
	}
	return ""
}

// What the page says is in the reports.
func TestSentences(t *testing.T) {
	runs := three(t)
	page := written(t, nil, runs...)
	all := figures(t, page)
	strict, fit, moves := runs[0].Report, runs[1].Report, runs[3].Report
	requireSaid(t, page, "<p>4 runs of 3 names. Gangs wait in the mean: most by ")
	peak := func(r *simulate.Report) (most int64) {
		for _, asked := range r.Series.Asked {
			most = max(most, asked)
		}
		return most
	}
	require.Contains(t, all[0].said, fmt.Sprintf("most by discipline=strict: %d; least by ", peak(strict)))
	require.Equal(t, 0, strict.Wider*moves.Wider)
	require.Contains(t, all[5].said, fmt.Sprintf("most by placer=first-fit: %d.%d\u00a0%%; least by ", fit.Wider/2, fit.Wider*5%10), "of 200 gangs")
	require.Contains(t, all[6].said, fmt.Sprintf("most by moves=true: %d; least by discipline=strict: 0.", moves.MovedMembers))
	both := strict.Waited
	both.Merge(&runs[2].Report.Waited)
	requireSaid(t, page, fmt.Sprintf(`<td data-of="runs">2</td><td data-of="wait, mean">%d.%d`+"\u00a0min", both.Mean/60, both.Mean%60/6))
	one := written(t, nil, runs[3])
	requireSaid(t, one, "<p>1 run. Gangs wait in the mean: ")
	requireSaid(t, one, " by <b>moves=true</b>.")
	require.False(t, says(one, `class="legend"`), "of one name nothing is told apart")
}

// Runs without series, of no gangs, or of many names make a page all the same; plots of which there is nothing to see are not drawn.
func TestEmptyPages(t *testing.T) {
	empty := written(t, nil, report.Run{Report: &simulate.Report{Resource: "cpu"}})
	for _, f := range figures(t, empty) {
		require.Equal(t, 0, f.plots, f.id)
	}
	requireSaid(t, empty, "This was not noted in any run that is drawn.")
	requireSaid(t, empty, "No gang started.")
	requireSaid(t, empty, "no name")
	still := played(t, "rack", func(_ *simulate.Options, g *streams.Generated) { g.Load, g.Jobs = 1, 1 })
	quiet := written(t, nil, report.Run{Name: "a", Report: still})
	for _, said := range []string{"No gang waits at any instant that was noted.", "0\u00a0s for gangs of all sizes.", "Nobody moved.", "none, or less than one of a thousand."} {
		requireSaid(t, quiet, said)
	}
	for _, f := range figures(t, quiet) {
		require.Equal(t, f.id == "fits", f.plots == 1, f.id)
	}
	var many []report.Run
	for i := range 3 * report.Lines {
		many = append(many, report.Run{Name: fmt.Sprint("n", i), Report: still})
	}
	page := written(t, nil, many...)
	requireSaid(t, page, fmt.Sprintf("Plots show the first %d names, the table has all.", report.Lines))
	require.Equal(t, len(many), strings.Count(page, `<td class="name">`))
	other := report.Run{Name: "o", Report: &simulate.Report{Resource: "tpu"}}
	requireSaid(t, written(t, nil, many[0], other), "What waits: units of what most is there of asked for")
	require.EqualError(t, report.Write(io.Discard, nil, nil), "runs: none")
	require.EqualError(t, report.Write(io.Discard, nil, []report.Run{{Name: "a"}}), `runs[0].Report "a": missing`)
	var invalid *muster.InvalidError
	require.ErrorAs(t, report.Write(io.Discard, nil, nil), &invalid)
}

// Sizes are put together where they are many, and bars become lines.
func TestManySizes(t *testing.T) {
	var runs []report.Run
	for k := range 5 {
		r := &simulate.Report{Resource: "gpu"}
		for i := range 17 {
			c := simulate.SizeClass{Members: 1 << i}
			c.Waited.Count, c.Waited.Max = 1, int64(i*(k+1)*100)
			r.BySize = append(r.BySize, c)
		}
		runs = append(runs, report.Run{Name: fmt.Sprint("n", k), Report: r})
	}
	for _, f := range figures(t, written(t, nil, runs...)) {
		if f.id == "late" {
			require.Contains(t, f.title, "(up to)")
			require.Subset(t, f.texts, []string{"4", "32", "256", "2,048", "16,384", "131,072"})
			require.Contains(t, f.said, "gangs of 16,385-131,072 members")
		}
	}
}

// Names are text, whatever stands in them.
func TestHostileNames(t *testing.T) {
	const bad = `<script>alert("1")</script>'&amp;`
	r := played(t, bad, func(*simulate.Options, *streams.Generated) {})
	r.Resource = bad
	page := written(t, []string{bad}, report.Run{Name: bad, Report: r}, report.Run{Name: bad + "2", Report: r})
	require.False(t, says(page, "<script"))
	require.False(t, says(page, `alert("`))
	known := map[string]bool{"ul": true, "li": true} // the legend of several names
	good := written(t, nil, report.Run{Name: "a", Report: played(t, "rack", func(*simulate.Options, *streams.Generated) {})})
	elements := regexp.MustCompile(`<([a-z0-9]+)`)
	for _, e := range elements.FindAllStringSubmatch(good, -1) {
		known[e[1]] = true
	}
	for _, e := range elements.FindAllStringSubmatch(page, -1) {
		require.True(t, known[e[1]], e[1])
	}
	require.Contains(t, figures(t, page)[3].title, "in one domain of "+bad)
}

// Where gangs evict others there is a figure of how many members they evict; elsewhere none.
func TestEvicted(t *testing.T) {
	some := &simulate.Report{Resource: "gpu", EvictedMembers: 12}
	all := figures(t, written(t, nil, report.Run{Name: "a", Report: some}, report.Run{Name: "b", Report: &simulate.Report{Resource: "gpu"}}))
	last := all[len(all)-1]
	require.Equal(t, []any{"evicted", 1}, []any{last.id, last.plots})
	require.Contains(t, last.said, "In all: most by a: 12; least by b: 0.")
	for _, f := range figures(t, written(t, nil, report.Run{Report: &simulate.Report{Resource: "gpu", MovedMembers: 3}})) {
		require.NotEqual(t, "evicted", f.id)
	}
}
