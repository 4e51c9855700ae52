package benchmarks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
)

func TestTable(t *testing.T) {
	run := `goos: linux
cpu: A processor
BenchmarkApply/nodes=10240/gang=64-2     100   20000 ns/op   64.50 members   10240 nodes   2.000 tier   2.5 x-copy   8000 B/op   30 allocs/op
BenchmarkLimit/read=stream-2               3   30000 ns/op   8.000 GB/s
BenchmarkLimit/nodes=10240/gang=64-2    1000   640 ns/op   64.00 members   10.00 ns/node   10240 nodes
BenchmarkPlan/nodes=10240/gang=64/state=scan-2     100   60000 ns/op   160000 B-read   64.00 members   10240 nodes   2.000 tier
BenchmarkPlan/nodes=10240/gang=64/state=warm-2     100   5000 ns/op   64.00 members   10240 nodes   2.000 tier   12.00 x-scan   800 B/op   3 allocs/op
BenchmarkPlan/nodes=102400/gang=64/state=warm-2     100   6000 ns/op   64.00 members   102400 nodes   2.000 tier   100.0 x-scan
BenchmarkReplace/nodes=10240/gang=64/lost=1-2     100   20000 ns/op   30000 ns-goal
BenchmarkReplay/nodes=10240-2     100   40000 ns/op   15.00 members   10240 nodes   25000 replays/s   0 refused-%
PASS
`
	var out strings.Builder
	require.NoError(t, benchmarks.WriteTable(&out, strings.NewReader(run)))
	for _, line := range []string{
		", A processor\n",
		"\n### Plans\n\n| benchmark | time |",
		// 64.5 members of 10 ns, 8,000 bytes at 8 a nanosecond
		"\n| Apply/nodes=10240/gang=64 | 20 us | 2.5x copy |  | 12.2x | 64.5 | 2 | 30 | 8000 B |  |\n",
		"\n| Plan/nodes=10240/gang=64/state=scan | 60 us |  |  | 3x | 64 | 2 |  |  |  |\n",
		"\n| Plan/nodes=10240/gang=64/state=warm | 5 us | 12x scan |  | 6.76x | 64 | 2 | 3 | 800 B |  |\n",
		"\n| Plan/nodes=102400/gang=64/state=warm | 6 us | 100x scan | 1.20x, + 1 us |  | 64 | 2 |  |  |  |\n",
		"\n| Replace/nodes=10240/gang=64/lost=1 | 20 us |  |  |  |  |  |  |  | goal 30 us |\n",
		"\n| Replay/nodes=10240 | 40 us |  |  |  | 15 |  |  |  | 0 refused-%, 25000 replays/s |\n",
	} {
		require.Contains(t, out.String(), line)
	}
	require.Error(t, benchmarks.WriteTable(&out, strings.NewReader("BenchmarkPlan/x-2 1 fast ns/op")))
}
