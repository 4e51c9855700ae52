package streams

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

const (
	someSizes     = "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\nx,1,10,50.5\ny,1,60,10\ny,4,60,15.5\ny,8,90,30\ny,64,99.5,80.0\ny,128,99.9,100\nx,2,100.0,100\n"
	someDurations = "type,cluster,seconds,jobs_cum_pct\nall,y,10,0\nall,y,100,50\nlong,y,500,100\nall,y,1000,90.25\nall,y,10000,100\nall,x,5,99.9999\n"
)

// ofTables are jobs of two tables.
func ofTables(t *testing.T, sizes, durations, of string) Drawn {
	t.Helper()
	s, err := ReadSizes(strings.NewReader(sizes), ends)
	require.NoError(t, err)
	d, err := ReadDurations(strings.NewReader(durations), ends)
	require.NoError(t, err)
	return Drawn{Seed: 3, Jobs: 100_000, Sizes: s[of], Durations: d[of], Load: 850, Devices: 8192, Device: "gpu", PerNode: 8}
}

func TestReadDistributions(t *testing.T) {
	d := ofTables(t, someSizes, someDurations, "y")
	require.Equal(t, []Size{{1, 600000, 100000}, {4, 600000, 155000}, {8, 900000, 300000}, {64, 995000, 800000}, {128, 999000, 1000000}}, d.Sizes)
	require.Equal(t, []Duration{{10, 0}, {100, 500000}, {1000, 902500}, {10000, 1000000}}, d.Durations)
	require.Equal(t, []Duration{{5, 999999}}, ofTables(t, someSizes, someDurations, "x").Durations)
}

// What is wrong with a table is told with its line.
func TestReadDistributionsTellsDefects(t *testing.T) {
	const sizes, durations = "cluster,gpus,jobs_cum_pct,gpu_time_cum_pct\n", "cluster,type,seconds,jobs_cum_pct\n"
	for text, want := range map[string]string{
		"":                                "line 1: no columns are named",
		"cluster,gpus\n":                  "line 1: the column jobs_cum_pct is missing",
		sizes + "x,1,2\n":                 "line 2: 3 cells, where 4 columns are named",
		sizes + "x,0,1,1\n":               `line 2: gpus "0": not a whole number from 1 to 65536`,
		sizes + "x,2,1,1\nx,2,3,3\n":      `line 3: gpus "2": not above the one in front of it, which is 2`,
		sizes + "x,1,5,1\nx,2,4.9999,3\n": `line 3: jobs_cum_pct "4.9999": falls: the one in front of it is 5.0000`,
		sizes + "x,1,5,1.25\ny,1,5,1\nx,2,6,1.2\n":    `line 4: gpu_time_cum_pct "1.2": falls: the one in front of it is 1.2500`,
		sizes + "x,1,100.0001,1\n":                    `line 2: jobs_cum_pct "100.0001": not a percentage from 0 to 100 of at most four decimals`,
		sizes + "x,1,5,1.\n":                          `line 2: gpu_time_cum_pct "1.": not a percentage from 0 to 100 of at most four decimals`,
		sizes + "x,1,5,-1\n":                          `line 2: gpu_time_cum_pct "-1": not a percentage from 0 to 100 of at most four decimals`,
		sizes + "x,1,.5,1\n":                          `line 2: jobs_cum_pct ".5": not a percentage from 0 to 100 of at most four decimals`,
		sizes + "x,1,1.00001,1\n":                     `line 2: jobs_cum_pct "1.00001": not a percentage from 0 to 100 of at most four decimals`,
		durations + "x,all,5,1\nx,all,5,2\n":          `line 3: seconds "5": not above the one in front of it, which is 5`,
		durations + "x,all,5,2\nx,b,4,1\nx,all,6,1\n": `line 4: jobs_cum_pct "1": falls: the one in front of it is 2.0000`,
		durations + "x,all,31536001,2\n":              `line 2: seconds "31536001": not a whole number from 1 to 31536000`,
		"cluster,type,seconds,jobs_cum_pct,users\n":   `line 1: unknown column "users"; there are cluster, type, seconds and jobs_cum_pct`,
	} {
		var err error
		if strings.Contains(text, "type") {
			_, err = ReadDurations(strings.NewReader(text), ends)
		} else {
			_, err = ReadSizes(strings.NewReader(text), ends)
		}
		require.EqualError(t, err, want, "%.60q", text)
	}
	told := 0
	kept, err := ReadSizes(strings.NewReader(sizes+"x,1,5,1\nx,0,5,1\nx,2,100,100\n"), func(int, error) error { told++; return nil })
	require.NoError(t, err)
	require.Equal(t, 1, told)
	require.Len(t, kept["x"], 2)
}

// held are the parts of sizes, in percent of jobs and of time, and the mean duration.
type held struct {
	jobs, time map[int64]float64
	runs       float64
}

// requireHeld compares them with those of the distributions; the time of sizes without jobs is nobody's.
func requireHeld(t *testing.T, d *Drawn, got held, tolerated float64) {
	t.Helper()
	want, jobs, time := held{map[int64]float64{}, map[int64]float64{}, 0}, 0.0, 0.0
	d.each(func(_ int, j, t, devices int64) {
		want.jobs[devices], want.time[devices] = float64(j), float64(t)
		jobs, time = jobs+float64(j), time+float64(t)
	})
	for devices := range want.jobs {
		require.InDelta(t, 100*want.jobs[devices]/jobs, got.jobs[devices], tolerated/2, "jobs of %d", devices)
		require.InDelta(t, 100*want.time[devices]/time, got.time[devices], tolerated, "time of %d", devices)
	}
	require.LessOrEqual(t, len(got.jobs), len(want.jobs), "no other sizes")
	mean, last := 0.0, Duration{}
	for _, s := range d.Durations { // of a step the middle
		mean += float64(s.Jobs-last.Jobs) * float64(last.Seconds+s.Seconds+1) / 2
		last = s
	}
	require.InEpsilon(t, mean/float64(last.Jobs), got.runs, 0.03)
}

// Of many jobs each size has its part, of jobs and of time; they run as long in the mean as the durations say, and ask for the load.
func TestDrawnHoldsDistributions(t *testing.T) {
	d := ofTables(t, someSizes, someDurations, "y")
	got, work, last := held{map[int64]float64{}, map[int64]float64{}, 0}, 0.0, int64(0)
	for j, err := range d.Stream() {
		require.NoError(t, err)
		require.LessOrEqual(t, last, j.Arrives)
		require.Equal(t, j.Expected, j.Runs)
		each := j.Request.Shape.Resources["gpu"]
		n := int64(len(j.Request.Members)) * each
		require.True(t, each == 8 || len(j.Request.Members) == 1)
		got.jobs[n] += 100 / float64(d.Jobs)
		got.time[n] += 100 * float64(n*j.Runs)
		got.runs += float64(j.Runs) / float64(d.Jobs)
		work, last = work+float64(n*j.Runs), j.Arrives
	}
	for n := range got.time {
		got.time[n] /= work
	}
	requireHeld(t, &d, got, 3)
	require.InEpsilon(t, 0.85, work/float64(d.Devices)/float64(last), 0.01)
}

// So it is for the distributions of two clusters as they are published.
func TestDrawnHoldsPublishedDistributions(t *testing.T) {
	const from, draws = "../../../shared/data/jobs/", 200_000
	sizes, err := os.ReadFile(from + "gpu_count_cdf.csv")
	if err != nil {
		t.Skip("the distributions are not there: ", err)
	}
	durations, err := os.ReadFile(from + "duration_cdf.csv")
	require.NoError(t, err)
	for _, of := range []string{"seren", "kalos"} {
		d := ofTables(t, string(sizes), string(durations), of)
		factors, err := d.factors()
		require.NoError(t, err)
		r := rand.NewPCG(5, 2)
		got, work := held{map[int64]float64{}, map[int64]float64{}, 0}, 0.0
		for range 10 * draws {
			got.jobs[d.Sizes[d.size(r)].Devices] += 10.0 / draws
		}
		d.each(func(i int, jobs, _, devices int64) { // of each size as many, however seldom it is
			part := float64(jobs) / float64(d.Sizes[len(d.Sizes)-1].Jobs)
			for range draws {
				runs := float64(d.runs(r, factors, i)) / draws
				got.runs += runs * part
				got.time[devices] += 100 * runs * part * float64(devices)
				work += runs * part * float64(devices)
			}
		})
		for n := range got.time {
			got.time[n] /= work
		}
		requireHeld(t, &d, got, 2)
	}
}

// Equal seeds give equal gangs, on every machine; other seeds give others.
func TestDrawnEqualSeeds(t *testing.T) {
	first := func(seed uint64) (out []string) {
		d := ofTables(t, someSizes, someDurations, "y")
		d.Seed, d.Jobs, d.Longer, d.Checkpoint, d.Devices = seed, 4, 3, 60, 16
		d.Gather = func(members int) []gang.Rule { return []gang.Rule{{Layer: fmt.Sprint(members)}} }
		for j, err := range d.Stream() {
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(len(j.Request.Members)), j.Request.Gather[0].Layer)
			require.Equal(t, int64(60), j.Checkpoint)
			out = append(out, fmt.Sprint(j.Request.Name, " at ", j.Arrives, " for ", j.Runs, " says ", j.Expected, " of class ", j.Class))
		}
		return out
	}
	require.NotEqual(t, first(3), first(4))
	require.Equal(t, []string{
		"job-0 at 102 for 1171 says 1197 of class 1 of 1", "job-1 at 325 for 36 says 71 of class 1 of 8",
		"job-2 at 674 for 11 says 29 of class 1 of 8", "job-3 at 778 for 2275 says 6804 of class 1 of 8",
	}, first(3))
}

// What cannot be drawn is named.
func TestDrawnDefects(t *testing.T) {
	for want, change := range map[string]func(*Drawn){
		`drawn.Jobs "0": not from 1 to 1048576`:                                                 func(d *Drawn) { d.Jobs = 0 },
		`drawn.Load "-1": not from 1 to 1048576`:                                                func(d *Drawn) { d.Load = -1 },
		`drawn.Devices "1099511627777": not from 1 to 1099511627776`:                            func(d *Drawn) { d.Devices = 1<<40 + 1 },
		`drawn.PerNode "0": not from 1 to 65536`:                                                func(d *Drawn) { d.PerNode = 0 },
		`drawn.Longer "-1": not from 0 to 1024`:                                                 func(d *Drawn) { d.Longer = -1 },
		`drawn.Sizes "{Devices:0 Jobs:0 Time:0}": the last one is not from 1 to 2^40`:           func(d *Drawn) { d.Sizes = nil },
		`drawn.Sizes[1] "{Devices:1 Jobs:6 Time:6}": falls, or asks for too much`:               func(d *Drawn) { d.Sizes = []Size{{1, 5, 5}, {1, 6, 6}} },
		`drawn.Sizes[1] "{Devices:2 Jobs:4 Time:6}": falls, or asks for too much`:               func(d *Drawn) { d.Sizes = []Size{{1, 5, 5}, {2, 4, 6}} },
		`drawn.Sizes[1] "{Devices:2 Jobs:6 Time:4}": falls, or asks for too much`:               func(d *Drawn) { d.Sizes = []Size{{1, 5, 5}, {2, 6, 4}} },
		`drawn.Sizes "1": no size has both jobs and time`:                                       func(d *Drawn) { d.Sizes = []Size{{1, 5, 0}} },
		`drawn.Durations "{Seconds:0 Jobs:0}": the last one is not from 1 to 2^40`:              func(d *Drawn) { d.Durations = nil },
		`drawn.Durations[0] "{Seconds:-1 Jobs:4}": falls, or is too long`:                       func(d *Drawn) { d.Durations = []Duration{{-1, 4}} },
		`drawn.Load "1": so few gangs come that the last one is too late`:                       func(d *Drawn) { d.Load, d.Devices, d.Durations = 1, 1, []Duration{{longest, 1}} },
		`drawn.Sizes "2": jobs of a size run more than 2^32 times as long as the durations say`: func(d *Drawn) { d.Sizes = []Size{{1, 1<<40 - 1, 0}, {2, 1 << 40, 1}} },
	} {
		d := ofTables(t, someSizes, someDurations, "y")
		change(&d)
		got := 0
		for j, err := range d.Stream() {
			require.EqualError(t, err, want)
			require.Equal(t, simulate.Job{}, j)
			got++
		}
		require.Equal(t, 1, got, want)
	}
}
