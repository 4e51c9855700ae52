package streams

import (
	"cmp"
	"fmt"
	"io"
	"slices"

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
	t := table{last: map[string]int64{}}
	s := sheet{needed: columns, more: []string{clock}, most: mostRows, what: "jobs", row: t.row, bad: bad}
	if err := s.read(r); err != nil {
		return nil, err
	}
	slices.SortStableFunc(t.rows, func(a, b Row) int { return cmp.Compare(a.Submit, b.Submit) })
	return t.rows, nil
}

// table is a table while it is read.
type table struct {
	last map[string]int64 // by clock
	rows []Row
}

// row is a job of a line.
func (t *table) row(c *cells) error {
	var values [3]int64
	for i, from := range [3][2]int64{{0, latest}, {1, mostDevices}, {1, longest}} {
		var err error
		if values[i], err = c.whole(columns[i], from[0], from[1]); err != nil {
			return err
		}
	}
	of := c.of(clock)
	if last := t.last[of]; values[0] < last {
		return muster.Invalid(columns[0], values[0], fmt.Sprintf("before the one in front of it, which is at %d", last))
	}
	t.last[of] = values[0]
	t.rows = append(t.rows, Row{Submit: values[0], Devices: values[1], Runs: values[2]})
	return nil
}
