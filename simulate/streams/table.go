package streams

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// Row is a job of a table. Times are in seconds.
type Row struct {
	Submit, Runs int64
	Devices      int64 // of all members
}

const (
	// mostRows bounds the rows of a table, and those of all its copies.
	mostRows = 1 << 20
	// longestLine bounds the bytes of a line of a table.
	longestLine = 1 << 16
	// latest bounds when a job comes, longest how long it runs, a year, and mostDevices what it takes, so that no sum of what all take overflows.
	latest      = 1 << 40
	longest     = 365 * 24 * 3600
	mostDevices = 1 << 16
)

// columns are those of a table by their names: in which a job is submitted, how many devices it takes, and how long it runs.
var columns = []string{"submit_s", "gpus", "duration_s"}

// clock is the column of those who have a clock of their own, from 0 on: virtual clusters.
const clock = "vc"

// Read reads a table of jobs, such as that of Microsoft's Philly: lines with commas between the cells, whose first one names the columns submit_s, gpus and duration_s, in seconds, in
// any order, and perhaps vc. Jobs come in the order of their times, those of each vc by themselves; the rows that are returned are in this order together. bad is told of each line
// that is not a job, by its number; what it returns ends the reading, and nil leaves the line out. O(rows * log rows).
func Read(r io.Reader, bad func(line int, err error) error) ([]Row, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	t := table{bad: bad, last: map[string]int64{}}
	for lines.Scan() {
		if t.line++; len(t.rows) == mostRows {
			return nil, fmt.Errorf("line %d: more than %d jobs", t.line, mostRows)
		}
		if err := t.read(strings.TrimSuffix(lines.Text(), "\r")); err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: more than %d bytes", t.line+1, longestLine)
	case err != nil:
		return nil, err
	case t.line == 0:
		return nil, errors.New("line 1: no columns are named")
	}
	slices.SortStableFunc(t.rows, func(a, b Row) int { return cmp.Compare(a.Submit, b.Submit) })
	return t.rows, nil
}

// table is a table while it is read.
type table struct {
	bad   func(line int, err error) error
	line  int
	names []string
	at    [3]int // of columns
	clock int    // -1: there is one clock
	last  map[string]int64
	rows  []Row
}

// read reads one line.
func (t *table) read(text string) error {
	cells := strings.Split(text, ",")
	if t.line == 1 {
		return t.head(cells)
	}
	row, err := t.row(cells)
	if err == nil {
		t.rows = append(t.rows, row)
		return nil
	}
	return t.bad(t.line, err)
}

// head reads the names of columns. Nothing can be read without them, so that all is wrong at once.
func (t *table) head(cells []string) error {
	t.names, t.clock = cells, slices.Index(cells, clock)
	for i, name := range columns {
		if t.at[i] = slices.Index(cells, name); t.at[i] < 0 {
			return fmt.Errorf("line 1: the column %s is missing", name)
		}
	}
	for i, name := range cells {
		switch {
		case name != clock && !slices.Contains(columns, name):
			return fmt.Errorf("line 1: unknown column %q; there are %s and %s", name, strings.Join(columns, ", "), clock)
		case slices.Contains(cells[:i], name):
			return fmt.Errorf("line 1: the column %s is there twice", name)
		}
	}
	return nil
}

// row is a job of a line.
func (t *table) row(cells []string) (Row, error) {
	if len(cells) != len(t.names) {
		return Row{}, fmt.Errorf("%d cells, where %d columns are named", len(cells), len(t.names))
	}
	var values [3]int64
	for i, from := range [3][2]int64{{0, latest}, {1, mostDevices}, {1, longest}} {
		var err error
		if values[i], err = strconv.ParseInt(cells[t.at[i]], 10, 64); err != nil || values[i] < from[0] || values[i] > from[1] {
			return Row{}, muster.Invalid(columns[i], cells[t.at[i]], fmt.Sprintf("not a whole number from %d to %d", from[0], from[1]))
		}
	}
	of := ""
	if t.clock >= 0 {
		of = cells[t.clock]
	}
	if last := t.last[of]; values[0] < last {
		return Row{}, muster.Invalid(columns[0], values[0], fmt.Sprintf("before the one in front of it, which is at %d", last))
	}
	t.last[of] = values[0]
	return Row{Submit: values[0], Devices: values[1], Runs: values[2]}, nil
}
