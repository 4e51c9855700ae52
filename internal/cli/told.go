package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
}

// columns are those of all tables: what can be swept first, in that order, then what came of it.
func columns() []column {
	whole := func(name string, of func(r *result) int64) column {
		return column{name, func(r *result) string { return strconv.FormatInt(of(r), 10) }}
	}
	return []column{
		whole("seed", func(r *result) int64 { return r.seed }),
		whole("load", func(r *result) int64 { return r.load }),
		{"discipline", func(r *result) string { return string(r.discipline) }},
		{"moves", func(r *result) string { return strconv.FormatBool(r.moves) }},
		{"placer", func(r *result) string { return r.placer }},
		whole("longer", func(r *result) int64 { return r.longer }),
		whole("checkpoint", func(r *result) int64 { return r.checkpoint }),
		{"reached", func(r *result) string { return tenths(r.report.Load()).String() }},
		{"used", func(r *result) string { return tenths(r.report.Utilisation()).String() }},
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
		return column{name, func(r *result) string {
			if r.judged == nil {
				return "0"
			}
			return strconv.Itoa(n(r.judged))
		}}
	}
	return []column{
		of("refused", func(j *placers.Judged) int { return j.Refused }), of("wider", func(j *placers.Judged) int { return j.Wider }),
		of("placed", func(j *placers.Judged) int { return j.Placed }), of("unasked", func(j *placers.Judged) int { return j.Unasked }),
	}
}

// head says what is the same for all streams, in two lines.
func (t *told) head(w io.Writer) {
	first := &t.results[0]
	fmt.Fprintf(w, "%s: %d nodes of %d %s; ", t.made.String(), t.made.nodes(), madeDevices, madeDevice)
	if first.table != nil {
		fmt.Fprintf(w, "%d times the %d jobs of a table\n", first.copies, len(first.table))
	} else {
		fmt.Fprintf(w, "%d gangs of at most %d nodes, which run %d s in the mean\n", first.gangs, first.largest, first.runs)
	}
	var same []string
	for _, c := range columns()[:len(swept)] {
		if !t.sweeps.has(c.name) && (c.name != "load" || first.table == nil) {
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
	asked := ""
	if r.table == nil {
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
	if t.paired {
		return t.aligned(w, t.pairedLines())
	}
	var shown []column
	all := columns()
	for _, s := range t.sweeps {
		if s.key != "load" { // which stands beside the load that was reached
			shown = append(shown, all[slices.Index(swept, s.key)])
		}
	}
	if t.results[0].table == nil {
		shown = append(shown, all[slices.Index(swept, "load")])
	}
	shown = append(append(shown, all[len(swept):]...), t.judgedColumns()...)
	return t.aligned(w, t.lines(shown))
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
	lines := t.lines(append(columns(), t.judgedColumns()...))
	if t.paired {
		lines = t.pairedLines()
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

// waitedJSON is how long gangs waited, in seconds; members: those of at most so many, and more than half as many.
type waitedJSON struct {
	Members int   `json:"members,omitempty"`
	Gangs   int   `json:"gangs"`
	Mean    int64 `json:"mean"`
	P50     int64 `json:"p50"`
	P95     int64 `json:"p95"`
	P99     int64 `json:"p99"`
	Longest int64 `json:"longest"`
}

// resultJSON is a stream, and what came of it.
type resultJSON struct {
	Seed       int64        `json:"seed"`
	Load       int64        `json:"load"`
	Discipline string       `json:"discipline"`
	Moves      bool         `json:"moves"`
	Placer     string       `json:"placer"`
	Longer     int64        `json:"longer"`
	Checkpoint int64        `json:"checkpoint"`
	Reached    tenths       `json:"reached"`
	Used       tenths       `json:"used"`
	Waited     waitedJSON   `json:"waited"`
	BySize     []waitedJSON `json:"bySize"`
	Ended      int          `json:"ended"`
	NeverFit   int          `json:"neverFit"`
	Waiting    int          `json:"waiting"`
	MovedGangs int          `json:"movedGangs"`
	Moved      int          `json:"moved"`
	Work       int64        `json:"work"` // in seconds of a device, what is lost included
	Lost       int64        `json:"lost"`
	Refused    int          `json:"refused"` // though a plan has a place
	Unasked    int          `json:"unasked"`
	Wider      int          `json:"wider"` // gangs that lie wider than they would if nobody else were there
}

// json writes a document, a line for each stream.
func (t *told) json(w io.Writer) error {
	var b bytes.Buffer
	first := &t.results[0]
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
	fmt.Fprintf(&b, `{"version":%d,"fabric":%q,"nodes":%d,"gangs":%d,"largest":%d,"runs":%d,"pause":%d,%q:[`,
		render.JSONVersion, t.made.String(), t.made.nodes(), first.gangs, first.largest, first.runs, first.pause, what)
	for i := range lines {
		line, err := json.Marshal(lines[i])
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n")
		b.Write(line)
	}
	b.WriteString("]}\n")
	_, err := w.Write(b.Bytes())
	return err
}

func jsonOf(r *result) resultJSON {
	of := func(s *simulate.Spread) waitedJSON {
		return waitedJSON{Gangs: s.Count, Mean: s.Mean, P50: s.P50, P95: s.P95, P99: s.P99, Longest: s.Max}
	}
	out := resultJSON{
		Seed: r.seed, Load: r.load, Discipline: string(r.discipline), Moves: r.moves, Placer: r.placer, Longer: r.longer, Checkpoint: r.checkpoint,
		Reached: tenths(r.report.Load()), Used: tenths(r.report.Utilisation()), Waited: of(&r.report.Waited), BySize: []waitedJSON{},
		Ended: r.report.Ended, NeverFit: r.report.NeverFit, Waiting: r.report.Waiting,
		MovedGangs: r.report.MovedGangs, Moved: r.report.MovedMembers, Work: r.report.Used, Lost: r.report.Lost, Wider: r.report.Wider,
	}
	if r.judged != nil {
		out.Refused, out.Unasked = r.judged.Refused, r.judged.Unasked
	}
	for i := range r.report.BySize {
		c := of(&r.report.BySize[i].Waited)
		c.Members = r.report.BySize[i].Members
		out.BySize = append(out.BySize, c)
	}
	return out
}
