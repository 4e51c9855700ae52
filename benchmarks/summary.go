package benchmarks

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// row is one line of a run.
type row struct {
	name   string
	values map[string]float64 // by unit
}

// WriteTable reads what `go test -bench` prints and writes it as the tables of README.md, by theme. Ratios between rows
// are of this run alone. Metrics that have no column of their own stand in the last one.
func WriteTable(w io.Writer, r io.Reader) error {
	rows, machine, err := readRun(r)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n", machine)
	t := table{rows: rows}
	for i, theme := range themes {
		var mine []row
		for _, r := range rows {
			if themeOf(r.name) == i {
				mine = append(mine, r)
			}
		}
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n### %s\n\n", theme.title)
		fmt.Fprintln(out, "| benchmark | time | reference / time | growth from 10,240 | time / limit | members | tier | allocations | allocated | more |")
		fmt.Fprintln(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
		for _, r := range mine {
			t.write(out, r)
		}
	}
	return out.Flush()
}

// themes are the parts of the table; a row belongs to the first that its name matches.
var themes = []struct {
	title string
	names *regexp.Regexp
}{
	{"What the machine allows", regexp.MustCompile(`^Limit/`)},
	{"Snapshots: Apply", regexp.MustCompile(`^Apply/`)},
	{"Building the cluster, and changing its trees", regexp.MustCompile(`^(Build|Trees)/`)},
	{"Memory", regexp.MustCompile(`^Memory/`)},
	{"Reading files, and following objects", regexp.MustCompile(`^Read(Store(Gangs)?)?/`)},
	{"Trees from other systems", regexp.MustCompile(`^Fabric/`)},
	{"A queue played through", regexp.MustCompile(`^(Replay|Batch)/`)},
	{"The six strategies", regexp.MustCompile(`^Gather/`)},
	{"NUMA zones of one node", regexp.MustCompile(`^(Fit|Slots|Split|Score|Merge|Hints)/`)},
	{"Quotas", regexp.MustCompile(`^(Share|Admit|Reclaims|Quotas)/`)},
	{"Replacements, roles, nested groups, parts", regexp.MustCompile(`^(Replace|Roles|RolesInZones|Crowd|Nest|Parts|EqualParts)/`)},
	{"Queues and permits", regexp.MustCompile(`^(Queue|Lifecycle)/`)},
	{"Victims", regexp.MustCompile(`^Preempt/`)},
	{"Plans on nodes with zones", regexp.MustCompile(`^Plan/.*/zones=`)},
	{"Plans in several goroutines", regexp.MustCompile(`^Plan/.*/goroutines=`)},
	{"Plans by number of layers", regexp.MustCompile(`^Plan/.*/layers=`)},
	{"Plans on nodes that differ", regexp.MustCompile(`^Plan/.*/kinds=`)},
	{"Plans with several slots a node", regexp.MustCompile(`^Plan/.*/slots=`)},
	{"Plans by fill", regexp.MustCompile(`^Plan/.*/fill=`)},
	{"Plans", regexp.MustCompile(`^Plan/`)},
	{"Others", regexp.MustCompile(``)},
}

func themeOf(name string) int {
	for i, t := range themes {
		if t.names.MatchString(name) {
			return i
		}
	}
	return len(themes) - 1
}

// readRun returns the rows in the order they came in, and a line about the machine.
func readRun(r io.Reader) (rows []row, machine string, err error) {
	cpu := "unknown processor"
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "cpu: "); ok {
			cpu = rest
		}
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		found := row{procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), ""), map[string]float64{}}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, "", fmt.Errorf("%s: %w", fields[0], err)
			}
			found.values[fields[i+1]] = v
		}
		rows = append(rows, found)
	}
	return rows, fmt.Sprintf("%d cores, %s, %s", runtime.NumCPU(), runtime.Version(), cpu), lines.Err()
}

// procs is what `go test` adds to a name where there are several processors.
var procs = regexp.MustCompile(`-\d+$`)

// table holds all rows, for what one says of another.
type table struct{ rows []row }

// value is a metric of the row of a name, 0 if there is none.
func (t table) value(name, unit string) float64 {
	i := slices.IndexFunc(t.rows, func(r row) bool { return r.name == name })
	if i < 0 {
		return 0
	}
	return t.rows[i].values[unit]
}

func (t table) write(w io.Writer, r row) {
	v := maps.Clone(r.values)
	take := func(unit, format string) string {
		x, ok := v[unit]
		delete(v, unit)
		if !ok {
			return ""
		}
		return fmt.Sprintf(format, x)
	}
	cells := []string{r.name, duration(v["ns/op"]), "", t.growth(r), t.limit(r)}
	for _, reference := range []string{"scan", "copy"} {
		if x, ok := v["x-"+reference]; ok {
			cells[2] = significant(x) + "x " + reference
			delete(v, "x-"+reference)
		}
	}
	for _, unit := range []string{"ns/op", "nodes", "B-read"} { // in the name, in other columns
		delete(v, unit)
	}
	cells = append(cells, take("members", "%.4g"), take("tier", "%.3g"), take("allocs/op", "%.0f"), take("B/op", "%.0f B"))
	var more []string
	for _, unit := range slices.Sorted(maps.Keys(v)) {
		if unit == "ns-goal" {
			more = append(more, "goal "+duration(v[unit]))
		} else if of, ok := strings.CutSuffix(unit, "-goal"); ok {
			more = append(more, "goal "+significant(v[unit])+strings.Replace(" "+of, " x-", "x ", 1))
		} else if ratio, ok := strings.CutPrefix(unit, "x-"); ok {
			more = append(more, significant(v[unit])+"x "+ratio)
		} else {
			more = append(more, significant(v[unit])+" "+unit)
		}
	}
	fmt.Fprintf(w, "| %s | %s |\n", strings.Join(cells, " | "), strings.Join(more, ", "))
}

// size finds the number of nodes in a name.
var size = regexp.MustCompile(`\bnodes=\d+`)

// growth compares with the same row at 10,240 nodes.
func (t table) growth(r row) string {
	const from = "nodes=10240"
	at := size.FindString(r.name)
	base, now := t.value(size.ReplaceAllString(r.name, from), "ns/op"), r.values["ns/op"]
	if at == "" || at == "nodes=1024" || at == from || base == 0 || now == 0 {
		return ""
	}
	more := duration(max(now-base, base-now))
	if now < base {
		return fmt.Sprintf("%.2fx, - %s", now/base, more)
	}
	return fmt.Sprintf("%.2fx, + %s", now/base, more)
}

// limit compares with what memory allows: to read in order what a pass reads; for a plan and for Apply, to touch the
// node of every member once, and to write in order what is allocated.
func (t table) limit(r row) string {
	stream, now := t.value("Limit/read=stream", "GB/s"), r.values["ns/op"]
	if stream == 0 || now == 0 {
		return ""
	}
	least := r.values["B-read"] / stream // GB/s are bytes a nanosecond
	if least == 0 && (strings.HasPrefix(r.name, "Apply/") || r.values["tier"] > 0) && !strings.HasPrefix(r.name, "Limit/") {
		nodes := min(int(r.values["nodes"]), 102400)
		touch := t.value(fmt.Sprintf("Limit/nodes=%d/gang=64", nodes), "ns/node")
		if touch == 0 {
			return ""
		}
		least = r.values["members"]*touch + r.values["B/op"]/stream
	}
	if least == 0 {
		return ""
	}
	return significant(now/least) + "x"
}

// duration gives three digits.
func duration(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns >= 1e9:
		return significant(ns/1e9) + " s"
	case ns >= 1e6:
		return significant(ns/1e6) + " ms"
	case ns >= 1e3:
		return significant(ns/1e3) + " us"
	}
	return significant(ns) + " ns"
}

// significant gives three digits, and all those before the point.
func significant(x float64) string {
	if x >= 1000 || x <= -1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.3g", x)
}
