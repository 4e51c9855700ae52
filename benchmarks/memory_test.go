package benchmarks_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
)

// heap is the live heap in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // the first leaves behind what finalizers and pools let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkMemory measures no time: by how much the live heap grows when a shape is planned for the first time, for
// every size of groups, and for every snapshot that is kept. The row `state=process` is the most memory that a process
// of its own ever had which builds the cluster from plain data, plans, and applies.
func BenchmarkMemory(b *testing.B) {
	forget()
	for _, f := range []fill{
		fragmented(10240), fragmented(102400),
		{nodes: 102400, name: "frag70", slots: 8},
		{nodes: 102400, name: "frag70", slots: 8, kinds: 4},
	} {
		b.Run(fmt.Sprintf("nodes=%d%s", f.nodes, f.segments()), func(b *testing.B) { grow(b, f) })
	}
	for _, nodes := range []int{102400, million} {
		if nodes != million || !testing.Short() {
			b.Run(fmt.Sprintf("nodes=%d/state=process", nodes), func(b *testing.B) { process(b, nodes) })
		}
	}
}

func grow(b *testing.B, f fill) {
	fleet := f.fleet(b)
	c, err := fleet.Next()
	require.NoError(b, err)
	bare := heap()
	plan(b, c, request(fleet.Shape, 64, 0))
	warm := heap()
	groups := groupsAround(8)
	for _, group := range groups {
		plan(b, c, request(fleet.Shape, 64, group))
	}
	grouped := heap()
	kept := make([]*placement.Cluster, 64)
	for i := range kept {
		kept[i], err = fleet.Next()
		require.NoError(b, err)
		plan(b, kept[i], request(fleet.Shape, 64, 8))
	}
	after := heap()
	runtime.KeepAlive(c)
	runtime.KeepAlive(kept)
	runtime.KeepAlive(fleet)
	for b.Loop() { // nothing: the figures below are what there is
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(f.nodes), "nodes")
	b.ReportMetric((warm-bare)/float64(f.nodes), "shape-B/node")
	b.ReportMetric((grouped-warm)/float64(len(groups))/float64(f.nodes), "P-B/node")
	b.ReportMetric((after-grouped)/float64(len(kept)), "B/snapshot")
}

// processNodes is set for a process that [TestMain] measures the memory of.
const processNodes = "MUSTER_PROCESS_NODES"

func process(b *testing.B, nodes int) {
	forget()
	var peak, live float64
	for b.Loop() {
		otherProcess(b, processNodes+"="+strconv.Itoa(nodes), &peak, &live)
	}
	b.ReportMetric(float64(nodes), "nodes")
	if peak > 0 {
		b.ReportMetric(peak/(1<<20), "peak-MiB")
	}
	b.ReportMetric(live/(1<<20), "live-MiB")
}

// otherProcess runs this program as what the variable says, see [TestMain], and reads the figures that it prints.
func otherProcess(b *testing.B, variable string, figures ...any) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(b, err)
	_, err = fmt.Fscan(bytes.NewReader(out), figures...)
	require.NoError(b, err)
}

// runProcess is what the other process does: it prints its highest and its live memory in bytes.
func runProcess(nodes string) error {
	n, err := strconv.Atoi(nodes)
	if err != nil {
		return err
	}
	tb := &testing.B{}
	fleet := fragmented(n).fleet(tb)
	c, err := fleet.Next()
	if err != nil {
		return err
	}
	shape := fleet.Shape
	for i := range 256 {
		r := request(shape, 64, i%2*8)
		r.Name = fmt.Sprintf("bench/gang-%d", i)
		res, err := placement.Plan(c, r)
		if err != nil {
			return err
		}
		if c, err = c.Apply(res); err != nil {
			return err
		}
	}
	peak, err := peakMemory()
	live := heap()
	runtime.KeepAlive(c)
	fmt.Println(peak, live)
	return err
}

// peakMemory is the highest resident memory of this process in bytes, 0 where the system does not say.
func peakMemory() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	_, scanErr := fmt.Sscan(after, &kib)
	return kib * 1024, errors.Join(err, scanErr)
}
