package streams

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// Size is a step of the distribution of the sizes of jobs: so many devices, and what part of jobs have them or fewer, and of all the time of devices; of the last step it is the whole.
type Size struct {
	Devices int64
	// Jobs and Time are counted from the first step on, in units of any size: of tables in ten-thousandths of a percent.
	Jobs, Time int64
}

// Duration is a step of the distribution of how long jobs run: up to so many seconds, and what part of jobs do, as in [Size].
type Duration struct {
	Seconds, Jobs int64
}

// mostSteps bounds the lines of a table of distributions.
const mostSteps = 1 << 16

// ofAll is the type of jobs whose durations are those of all jobs.
const ofAll = "all"

// ReadSizes reads a table of distributions, by cluster: lines as those of [Read] with the columns cluster, gpus, jobs_cum_pct and gpu_time_cum_pct. Those of a cluster stand in the order
// of gpus; percentages have up to four decimals, and none falls. bad is as for Read.
func ReadSizes(r io.Reader, bad func(line int, err error) error) (map[string][]Size, error) {
	all := map[string][]Size{}
	s := sheet{needed: []string{"cluster", "gpus", "jobs_cum_pct", "gpu_time_cum_pct"}, most: mostSteps, what: "steps", bad: bad}
	s.row = func(c *cells) error {
		var n Size
		var last Size
		of := c.of("cluster")
		if steps := all[of]; len(steps) > 0 {
			last = steps[len(steps)-1]
		}
		var err error
		if n.Devices, err = c.rising("gpus", last.Devices, mostDevices); err != nil {
			return err
		}
		if n.Jobs, err = c.percent("jobs_cum_pct", last.Jobs); err != nil {
			return err
		}
		if n.Time, err = c.percent("gpu_time_cum_pct", last.Time); err != nil {
			return err
		}
		all[of] = append(all[of], n)
		return nil
	}
	return all, s.read(r)
}

// ReadDurations reads a table of distributions, by cluster: lines as those of [Read] with the columns cluster, type, seconds and jobs_cum_pct, as in [ReadSizes]. Of the types
// of jobs only `all` is returned.
func ReadDurations(r io.Reader, bad func(line int, err error) error) (map[string][]Duration, error) {
	all, last := map[string][]Duration{}, map[[2]string]Duration{}
	s := sheet{needed: []string{"cluster", "type", "seconds", "jobs_cum_pct"}, most: mostSteps, what: "steps", bad: bad}
	s.row = func(c *cells) error {
		of := [2]string{c.of("cluster"), c.of("type")}
		seconds, err := c.rising("seconds", last[of].Seconds, longest)
		if err != nil {
			return err
		}
		jobs, err := c.percent("jobs_cum_pct", last[of].Jobs)
		if err != nil {
			return err
		}
		last[of] = Duration{seconds, jobs}
		if of[1] == ofAll {
			all[of[0]] = append(all[of[0]], last[of])
		}
		return nil
	}
	return all, s.read(r)
}

// rising is a number above the one of the line in front.
func (c *cells) rising(name string, last, most int64) (int64, error) {
	n, err := c.whole(name, 1, most)
	if err == nil && n <= last {
		err = muster.Invalid(name, n, fmt.Sprintf("not above the one in front of it, which is %d", last))
	}
	return n, err
}

// A percent is so many of its parts, of which tables have up to so many decimals.
const (
	percent  = 10_000
	decimals = 4
)

// percent is a percentage in its parts, not below the one of the line in front.
func (c *cells) percent(name string, last int64) (int64, error) {
	text := c.of(name)
	whole, part, pointed := strings.Cut(text, ".")
	if len(whole) > 3 || len(part) > decimals || pointed && part == "" {
		return 0, muster.Invalid(name, text, "not a percentage from 0 to 100 of at most four decimals")
	}
	n, err := strconv.ParseUint(whole+part+strings.Repeat("0", decimals-len(part)), 10, 63)
	switch {
	case err != nil || whole == "" || n > 100*percent:
		return 0, muster.Invalid(name, text, "not a percentage from 0 to 100 of at most four decimals")
	case int64(n) < last:
		return 0, muster.Invalid(name, text, fmt.Sprintf("falls: the one in front of it is %d.%04d", last/percent, last%percent))
	}
	return int64(n), nil
}
