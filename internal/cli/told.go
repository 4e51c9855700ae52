package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
)

// told is what is told of streams that were played; at least one.
type told struct {
	made    made
	sweeps  sweeps
	results []result
	paired  bool // ways to play streams are compared
}

// tenths are a tenth of a percent each.
type tenths int64

// String is a number of percent.
func (t tenths) String() string { return fmt.Sprintf("%d.%d", t/10, t%10) }

// MarshalJSON writes that number.
func (t tenths) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }

// column is one of a table.
type column struct {
	name string
	of   func(r *result) string
	// usual is the value of which the head does not speak.
	usual string
}

// columns are those of all tables: what can be swept first, in that order, then what came of it.
func columns() []column {
	whole := func(name string, of func(r *result) int64) column {
		return column{name: name, of: func(r *result) string { return strconv.FormatInt(of(r), 10) }}
	}
	rare := func(c column, usual string) column {
		c.usual = usual
		return c
	}
	return []column{
		whole("seed", func(r *result) int64 { return r.seed }),
		whole("load", func(r *result) int64 { return r.load }),
		rare(whole("lone", func(r *result) int64 { return r.lone }), "0"),
		rare(whole("urgent", func(r *result) int64 { return r.urgent }), "0"),
		{name: "discipline", of: func(r *result) string { return string(r.discipline) }},
		{name: "moves", of: func(r *result) string { return strconv.FormatBool(r.moves) }},
		{name: "victims", of: func(r *result) string { return strconv.FormatBool(r.victims) }, usual: "false"},
		{name: "placer", of: func(r *result) string { return r.placer }},
		whole("longer", func(r *result) int64 { return r.longer }),
		whole("checkpoint", func(r *result) int64 { return r.checkpoint }),
		rare(whole("slowdown", func(r *result) int64 { return r.slowdown }), "0"),
		{name: "reached", of: func(r *result) string { return tenths(r.report.Load()).String() }},
		{name: "used", of: func(r *result) string { return tenths(r.report.Utilisation()).String() }},
		whole("mean", func(r *result) int64 { return r.report.Waited.Mean }),
		whole("p50", func(r *result) int64 { return r.report.Waited.P50 }),
		whole("p95", func(r *result) int64 { return r.report.Waited.P95 }),
		whole("longest", func(r *result) int64 { return r.report.Waited.Max }),
		whole("moved", func(r *result) int64 { return int64(r.report.MovedMembers) }),
		whole("lost", func(r *result) int64 { return r.report.Lost }),
	}
}

// judgedColumns are those of placers beside plans on the same clusters, where there are several placers.
func (t *told) judgedColumns() []column {
	if !t.sweeps.has("placer") {
		return nil
	}
	of := func(name string, n func(j *placers.Judged) int) column {
		return column{name: name, of: func(r *result) string {
			if r.judged == nil {
				return "0"
			}
			return strconv.Itoa(n(r.judged))
		}}
	}
	return []column{
		of("refused", func(j *placers.Judged) int { return j.Refused }), of("wider", func(j *placers.Judged) int { return j.Wider }),
		of("placed", func(j *placers.Judged) int { return j.Placed }), of("unasked", func(j *placers.Judged) int { return j.Unasked }),
		of("units", func(j *placers.Judged) int { return j.Units }), of("by plan", func(j *placers.Judged) int { return j.Planned }),
	}
}

// head says what is the same for all streams, in two lines.
func (t *told) head(w io.Writer) {
	first := &t.results[0]
	stay := ""
	if first.stay {
		stay = fmt.Sprintf(", until %d %% of the devices are asked for; nobody leaves", stayLoad)
	}
	fmt.Fprintf(w, "%s; %s%s\n", first.on(t.made).Said, first.said(t.made), stay)
	var same []string
	for _, c := range columns()[:len(swept)] {
		if !t.sweeps.has(c.name) && (c.usual == "" || c.usual != c.of(first)) && t.says(c.name) {
			same = append(same, c.name+" "+c.of(first))
		}
	}
	if len(same) > 0 {
		fmt.Fprintln(w, strings.Join(same, ", "))
	}
}

// report writes all about one stream.
func (t *told) report(w io.Writer) error {
	var b bytes.Buffer
	t.head(&b)
	r := &t.results[0]
	if r.stay {
		_, err := fmt.Fprintf(w, "%sgangs %d, placed %d; asked for %s %% of the devices, allocated %s %%\n", b.String(), r.report.Arrived, r.report.Waited.Count, r.wanted(), r.allocated())
		return err
	}
	asked := ""
	if r.says("load") {
		asked = fmt.Sprintf("%d.0 %% asked for, ", r.load)
	}
	fmt.Fprintf(&b, "load: %s%s %% reached until the last gang came\n\n", asked, tenths(r.report.Load()))
	if err := r.report.Write(&b); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// table writes a line for each stream, with the values that differ.
func (t *told) table(w io.Writer) error {
	switch {
	case t.paired:
		return t.aligned(w, t.pairedLines())
	case t.results[0].stay:
		return t.aligned(w, t.lines(append(t.sweptColumns(), t.stayedColumns()...)))
	}
	var shown []column
	all := columns()
	for _, c := range t.sweptColumns() {
		if c.name != "load" { // which stands beside the load that was reached
			shown = append(shown, c)
		}
	}
	if t.results[0].says("load") {
		shown = append(shown, all[slices.Index(swept, "load")])
	}
	shown = append(append(shown, all[len(swept):]...), t.moreColumns()...)
	return t.aligned(w, t.lines(shown))
}

// sweptColumns are those of what has several values.
func (t *told) sweptColumns() (out []column) {
	for _, s := range t.sweeps {
		out = append(out, columns()[slices.Index(swept, s.key)])
	}
	return out
}

// stayedKeys are the flags that may have several values where gangs never end: the others say nothing then.
var stayedKeys = []string{"seed", "placer"}

// stayedColumns are those of gangs that never end: what they asked for and have, in percent of the devices.
func (t *told) stayedColumns() []column {
	return append([]column{
		{name: "gangs", of: func(r *result) string { return strconv.Itoa(r.report.Arrived) }},
		{name: "placed", of: func(r *result) string { return strconv.Itoa(r.report.Waited.Count) }},
		{name: "asked", of: func(r *result) string { return r.wanted().String() }},
		{name: "allocated", of: func(r *result) string { return r.allocated().String() }},
	}, t.judgedColumns()...)
}

// wanted is what gangs asked for that never end.
func (r *result) wanted() hundredths {
	return hundredths(r.report.Wanted * 10_000 / max(1, r.report.Capacity))
}

// allocated is what they have.
func (r *result) allocated() hundredths {
	return hundredths(r.report.Allocated * 10_000 / max(1, r.report.Capacity))
}

// aligned writes the lines of a table below the head.
func (t *told) aligned(w io.Writer, lines [][]string) error {
	var b bytes.Buffer
	t.head(&b)
	b.WriteString("\n")
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, cell := range line {
			widths[k] = max(widths[k], len(cell))
		}
	}
	for _, line := range lines {
		for k, cell := range line {
			if k > 0 {
				b.WriteString("  ")
			}
			fmt.Fprintf(&b, "%*s", widths[k], cell)
		}
		b.WriteString("\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// csv writes the same with all columns, for programs.
func (t *told) csv(w io.Writer) error {
	lines := t.lines(append(columns(), t.moreColumns()...))
	switch {
	case t.paired:
		lines = t.pairedLines()
	case t.results[0].stay:
		all := columns()
		lines = t.lines(append([]column{all[slices.Index(swept, "seed")], all[slices.Index(swept, "placer")]}, t.stayedColumns()...))
	}
	var b bytes.Buffer
	for _, line := range lines {
		fmt.Fprintln(&b, strings.Join(line, ","))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// lines are the cells of a table, its head first.
func (t *told) lines(shown []column) [][]string {
	lines := make([][]string, 1+len(t.results))
	for _, c := range shown {
		lines[0] = append(lines[0], c.name)
		for i := range t.results {
			lines[i+1] = append(lines[i+1], c.of(&t.results[i]))
		}
	}
	return lines
}

// json writes a document, a line for each stream; or else lines: each is a document of its own, the first one what is the same for all streams.
func (t *told) json(w io.Writer, byLine bool) error {
	var b bytes.Buffer
	first := &t.results[0]
	on := first.on(t.made)
	var lines []any
	what := "streams"
	if t.paired {
		what = "pairs"
		for _, p := range pairsOf(t.results) {
			lines = append(lines, p.json())
		}
	} else {
		for i := range t.results {
			lines = append(lines, jsonOf(&t.results[i]))
		}
	}
	fmt.Fprintf(&b, `{"version":%d,"fabric":%q,"nodes":%d,"devices":%d,"gangs":%d,"largest":%d,"runs":%d,"pause":%d`,
		render.JSONVersion, on.Name, on.Nodes, on.Devices, first.gangs, first.largest, first.runs, first.pause)
	begin, between, end := fmt.Sprintf(",%q:[\n", what), ",\n", "]}\n"
	if byLine {
		begin, between, end = "}\n", "\n", "\n"
	}
	b.WriteString(begin)
	for i := range lines {
		line, err := json.Marshal(lines[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(between)
		}
		b.Write(line)
	}
	b.WriteString(end)
	_, err := w.Write(b.Bytes())
	return err
}

// jsonOf is a stream, and what came of it; times are in seconds, work in seconds of a device.
func jsonOf(r *result) map[string]any {
	of := func(s *simulate.Spread) map[string]any {
		return map[string]any{"gangs": s.Count, "mean": s.Mean, "p50": s.P50, "p95": s.P95, "p99": s.P99, "longest": s.Max}
	}
	sizes := []map[string]any{} // of at most so many members, and more than half as many
	for i := range r.report.BySize {
		c := &r.report.BySize[i]
		size := of(&c.Waited)
		size["members"] = c.Members
		sizes = append(sizes, size)
	}
	out := map[string]any{
		"seed": r.seed, "reached": tenths(r.report.Load()), "used": tenths(r.report.Utilisation()), "waited": of(&r.report.Waited), "bySize": sizes,
		"ended": r.report.Ended, "neverFit": r.report.NeverFit, "waiting": r.report.Waiting, "movedGangs": r.report.MovedGangs, "moved": r.report.MovedMembers,
		"work": r.report.Used, "lost": r.report.Lost, "wider": r.report.Wider, "evicted": r.report.EvictedMembers, "slowed": r.report.Slowed, "took": r.report.Took.Mean, "urgentMean": urgentMean(r.report),
		"refused": 0, "unasked": 0,
	}
	if r.stay { // in percent of the devices
		out["wanted"], out["allocated"] = r.wanted(), r.allocated()
	}
	maps.Copy(out, r.setJSON())
	if r.judged != nil {
		out["refused"], out["unasked"], out["units"], out["plannedUnits"] = r.judged.Refused, r.judged.Unasked, r.judged.Units, r.judged.Planned
	}
	return out
}

// setJSON are the values of the flags by which streams of one seed differ.
func (p *played) setJSON() map[string]any {
	return map[string]any{
		"load": p.load, "discipline": p.discipline, "moves": p.moves, "placer": p.placer, "longer": p.longer, "checkpoint": p.checkpoint,
		"victims": p.victims, "urgent": p.urgent, "slowdown": p.slowdown, "lone": p.lone,
	}
}
