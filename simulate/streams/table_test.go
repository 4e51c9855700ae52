package streams

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

// ends ends the reading with what is wrong.
func ends(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// Jobs are read whatever the order of the columns, and those of all clocks come in one order.
func TestRead(t *testing.T) {
	rows, err := Read(strings.NewReader("gpus,vc,duration_s,submit_s\n1,a,10,0\n8,a,20,7\n2,b,30,0\r\n16,b,31536000,7"), ends)
	require.NoError(t, err)
	require.Equal(t, []Row{{0, 10, 1}, {0, 30, 2}, {7, 20, 8}, {7, 31536000, 16}}, rows)
	rows, err = Read(strings.NewReader("submit_s,gpus,duration_s\n"), ends)
	require.NoError(t, err)
	require.Empty(t, rows)
}

// What is wrong with a table is told with its line.
func TestReadTellsDefects(t *testing.T) {
	const head = "submit_s,gpus,duration_s\n"
	for text, want := range map[string]string{
		"":                                  "line 1: no columns are named",
		"submit_s,gpus\n":                   "line 1: the column duration_s is missing",
		"submit_s,gpus,duration_s,user\n":   `line 1: unknown column "user"; there are submit_s, gpus, duration_s and vc`,
		"submit_s,gpus,duration_s,\n":       `line 1: unknown column ""; there are submit_s, gpus, duration_s and vc`,
		"vc,submit_s,gpus,duration_s,vc\n":  "line 1: the column vc is there twice",
		head + "1,2\n":                      "line 2: 2 cells, where 3 columns are named",
		head + "\n":                         "line 2: 1 cells, where 3 columns are named",
		head + "0,1,5\n-1,1,5\n":            `line 3: submit_s "-1": not a whole number from 0 to 1099511627776`,
		head + "0,0,5\n":                    `line 2: gpus "0": not a whole number from 1 to 65536`,
		head + "0,1,-5\n":                   `line 2: duration_s "-5": not a whole number from 1 to 31536000`,
		head + "0,1,1e3\n":                  `line 2: duration_s "1e3": not a whole number from 1 to 31536000`,
		head + "5,1,5\n4,1,5\n":             `line 3: submit_s "4": before the one in front of it, which is at 5`,
		head + strings.Repeat("9", 1<<16+1): "line 2: more than 65536 bytes",
	} {
		_, err := Read(strings.NewReader(text), ends)
		require.EqualError(t, err, want, "%.60q", text)
	}
	failed := errors.New("the disk is gone")
	_, err := Read(io.MultiReader(strings.NewReader(head), &broken{failed}), ends)
	require.ErrorIs(t, err, failed)
}

type broken struct{ err error }

func (b *broken) Read([]byte) (int, error) { return 0, b.err }

// Lines that are no jobs are left out where that is wanted, and each is told once.
func TestReadKeepsGoing(t *testing.T) {
	var told []int
	rows, err := Read(strings.NewReader("submit_s,gpus,duration_s\n3,1,5\n2,1,5\nx,1,5\n4,1,5\n"), func(line int, _ error) error {
		told = append(told, line)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []Row{{3, 5, 1}, {4, 5, 1}}, rows)
	require.Equal(t, []int{3, 4}, told)
}

// More jobs than there may be are refused before they are kept.
func TestReadIsBounded(t *testing.T) {
	_, err := Read(strings.NewReader("submit_s,gpus,duration_s\n"+strings.Repeat("1,1,1\n", mostRows+1)), ends)
	require.EqualError(t, err, "line 1048578: more than 1048576 jobs")
}

// Each copy has all jobs once, as long as they run, within the time of the table and in order; the first copy is the table itself, and equal seeds give equal streams.
func TestReplayedCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Replayed{Copies: rapid.IntRange(0, 4).Draw(t, "copies"), Seed: rapid.Uint64().Draw(t, "seed"), Device: "gpu", PerNode: 8, Longer: rapid.Int64Range(0, 3).Draw(t, "longer")}
		p.Gather = func(members int) []gang.Rule {
			return []gang.Rule{{Layer: fmt.Sprint(members), Strength: gang.MustGather}}
		}
		at := int64(0)
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			at += rapid.Int64Range(0, 9).Draw(t, "later")
			p.Rows = append(p.Rows, Row{at, rapid.Int64Range(1, 99).Draw(t, "runs"), rapid.Int64Range(1, 40).Draw(t, "devices")})
		}
		var got, want []string
		names, last := map[string]bool{}, int64(0)
		for j, err := range p.Stream() {
			require.NoError(t, err)
			require.GreaterOrEqual(t, j.Arrives, last)
			require.LessOrEqual(t, j.Arrives, at)
			require.False(t, names[j.Request.Name])
			names[j.Request.Name], last = true, j.Arrives
			require.LessOrEqual(t, j.Runs, j.Expected)
			require.LessOrEqual(t, j.Expected, max(1, p.Longer)*j.Runs)
			require.Equal(t, fmt.Sprint(len(j.Request.Members)), j.Request.Gather[0].Layer)
			got = append(got, fmt.Sprint(j.Runs, " ", len(j.Request.Members), " ", j.Request.Shape.Resources["gpu"]))
		}
		for range max(1, p.Copies) {
			for _, r := range p.Rows {
				members, each := int64(1), r.Devices
				if r.Devices > 8 {
					members, each = (r.Devices+7)/8, 8
				}
				want = append(want, fmt.Sprint(r.Runs, " ", members, " ", each))
			}
		}
		if p.Copies < 2 {
			require.Equal(t, want, got)
		}
		slices.Sort(got)
		slices.Sort(want)
		require.Equal(t, want, got)
	})
}

// Fields that cannot be are told.
func TestReplayedDefects(t *testing.T) {
	for want, p := range map[string]Replayed{
		`replayed.PerNode "0": not positive`:                                   {},
		`replayed.Longer "-1": not from 0 to 1024`:                             {PerNode: 8, Longer: -1},
		`replayed.Copies "-1": negative, or more than 1048576 jobs in all`:     {PerNode: 8, Copies: -1},
		`replayed.Copies "524289": negative, or more than 1048576 jobs in all`: {PerNode: 8, Copies: 1<<19 + 1, Rows: []Row{{0, 1, 1}, {0, 1, 1}}},
	} {
		for _, err := range p.Stream() {
			require.EqualError(t, err, want)
		}
	}
}

// The jobs of Philly are read as they are published.
func TestReadPhilly(t *testing.T) {
	f, err := os.Open("../../../shared/data/jobs/philly_jobs.csv")
	if err != nil {
		t.Skip("the jobs of Philly are not there: ", err)
	}
	defer func() { _ = f.Close() }()
	rows, err := Read(f, ends)
	require.NoError(t, err)
	require.Len(t, rows, 10879)
	var work int64
	for _, r := range rows {
		work += r.Devices * r.Runs
	}
	require.Equal(t, int64(5504403543), work)
}
