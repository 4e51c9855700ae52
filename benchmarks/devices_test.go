package benchmarks_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// openb are the nodes and pods of a real cluster, and a published experiment on them.
const openb = "../../shared/data/openb/openb_"

const gpu = "nvidia.com/gpu"

// BenchmarkDevices offers the pods of a trace one by one, of which whole devices are asked for, up to 130 % of the devices that there are; who
// finds no place is dropped, nobody leaves. The share of devices that are allocated in the end is the figure, the mean over some seeds: pods and
// names of nodes are shuffled by each.
func BenchmarkDevices(b *testing.B) {
	for _, trace := range []string{"default", "multigpu50", "multigpu20", "gpuspec33", "cpu250"} {
		for _, nodes := range []string{"gpu_node", "all_node"} {
			b.Run(fmt.Sprintf("trace=%s/nodes=%s", trace, nodes), func(b *testing.B) {
				list, pods := table(b, openb+"node_list_"+nodes+".csv"), table(b, openb+"pod_list_"+trace+".csv")
				share, seeds := 0.0, 0
				for b.Loop() {
					o := newOffer(list, pods, uint64(42+seeds))
					share, seeds = share+o.play(b, pods, 130), seeds+1
				}
				b.ReportMetric(share/float64(seeds), "%-allocated")
			})
		}
	}
}

// table reads a file with one line of names above the rows.
func table(b *testing.B, file string) (rows [][]string) {
	b.Helper()
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		b.Skip("no ../shared/data: the trace is not here")
	}
	require.NoError(b, err)
	rows, err = csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(b, err)
	return rows[1:]
}

// offer is a cluster to which pods are offered.
type offer struct {
	random   *rand.Rand
	spec     cluster.Spec
	capacity int64 // devices
}

// newOffer makes the cluster; the order of the names of its nodes, which decides between equal ones, is the seed's. The order of the pods is too.
func newOffer(list, pods [][]string, seed uint64) *offer {
	o := &offer{random: rand.New(rand.NewPCG(seed, seed))}
	o.random.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	for i, place := range o.random.Perm(len(list)) {
		row := list[i]
		n := cluster.Node{Name: fmt.Sprint("node-", place), Allocatable: muster.Resources{
			muster.CPU: whole(row[1]), muster.Memory: whole(row[2]) << 20, gpu: whole(row[3]),
		}, Labels: map[string]string{"model": row[4]}}
		o.capacity += n.Allocatable[gpu]
		o.spec.Nodes = append(o.spec.Nodes, n)
	}
	return o
}

// whole is a number of a table.
func whole(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// play offers pods, drawn again once all had their turn, until so many percent of the devices are asked for. Shares of devices are asked for too, but
// are left out: a share fits on one device. The answer is the percentage of the devices that are allocated.
func (o *offer) play(b *testing.B, pods [][]string, load int64) float64 {
	b.Helper()
	c, err := placement.NewCluster(o.spec)
	require.NoError(b, err)
	asked, allocated := int64(0), int64(0)
	for i := 0; ; i++ {
		row := pods[min(i, len(pods)-1)]
		if i >= len(pods) {
			row = pods[o.random.IntN(len(pods))]
		}
		devices, milli := whole(row[3]), whole(row[4])
		if asked += devices * milli; asked > o.capacity*10*load {
			return 100 * float64(allocated) / float64(o.capacity)
		}
		if devices == 1 && milli < 1000 {
			continue
		}
		if res := plan(b, c, podOf(row, i)); res != nil {
			next, err := c.Apply(res)
			require.NoError(b, err)
			c, allocated = next, allocated+devices
		}
	}
}

// podOf is a pod of a trace, a gang of one.
func podOf(row []string, i int) *gang.Request {
	amounts := muster.Resources{muster.CPU: whole(row[1]), muster.Memory: whole(row[2]) << 20, gpu: whole(row[3])}
	for name, amount := range amounts {
		if amount == 0 {
			delete(amounts, name)
		}
	}
	req := &gang.Request{Name: fmt.Sprint("pod-", i), Shape: gang.Shape{Resources: amounts}, Members: []gang.Member{{Name: "pod"}}}
	if len(row) > 5 && row[5] != "" {
		models := gang.Expression{Key: "model", Operator: gang.In, Values: strings.Split(row[5], "|")}
		req.Shape.Affinity = []gang.NodeTerm{{Labels: []gang.Expression{models}}}
	}
	return req
}
