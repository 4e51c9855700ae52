package perf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFile: each case has a workload with 100 nodes; with Muster only the configuration and the gates of a file are others.
func TestFile(t *testing.T) {
	cases := map[string]bool{}
	for _, topic := range Topics {
		all := read(t, topic)
		for i := range all {
			cases[all[i].Case] = true
		}
		for _, w := range Small(all) {
			delete(cases, w.Case)
			tree, err := w.File("")
			require.NoError(t, err)
			require.NotContains(t, string(tree), "schedulerConfigPath")
			muster, err := w.File("scheduler.yaml")
			require.NoError(t, err)
			require.Contains(t, string(muster), "schedulerConfigPath: scheduler.yaml")
			require.Contains(t, string(muster), "TopologyAwareWorkloadScheduling: true")
			again, err := w.File("")
			require.NoError(t, err)
			require.Equal(t, string(tree), string(again), "a file is made of a copy")
			back, err := Workloads(topic, muster)
			require.NoError(t, err)
			require.Len(t, Measured(back), 1)
			require.Equal(t, w.String(), back[0].String())
		}
		require.Empty(t, cases)
		require.NotEmpty(t, Measured(all))
	}
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(dir)
	require.ErrorContains(t, err, "no results")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"dataItems": [
		{"labels": {"Metric": "SchedulingDuration"}, "data": {"Duration": 12.34}},
		{"labels": {"Metric": "SchedulingThroughput"}, "data": {"Average": 99.6, "Perc50": 80}},
		{"labels": {"Metric": "scheduler_podgroup_scheduling_attempt_duration_seconds", "result": "scheduled"}, "data": {"Average": 1.26}},
		{"labels": {"Metric": "scheduler_podgroup_scheduling_attempt_duration_seconds", "result": "error"}, "data": {"Average": 7}},
		{"labels": {"Metric": "scheduler_podgroup_scheduling_algorithm_duration_seconds"}, "data": {"Average": 1500}}]}`), 0o600))
	figures, err := Read(dir)
	require.NoError(t, err)
	figures.CPU = 45 * time.Second
	var out strings.Builder
	require.NoError(t, Table(&out, []Row{{Workload: "A/b", Plugins: Muster, Figures: figures}, {Workload: "A/b", Plugins: Tree}}))
	require.Equal(t, []string{
		"| A/b | Muster | 12.3 s | 45 s | 100, 80 | 1.5 s | 1.3 ms |  |",
		"| A/b | tree | not bound | 0 s |  |  |  |  |",
	}, strings.Split(strings.TrimSpace(out.String()), "\n")[2:])
}
