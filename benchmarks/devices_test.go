package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// BenchmarkDevices offers the pods of a trace one by one, but for those that ask for a share of a device, up to 130 % of the devices that there are; who
// finds no place is dropped, nobody leaves. The share of devices that are allocated at 100 % and in the end are the figures, the means over some seeds: pods and
// names of nodes are shuffled by each.
func BenchmarkDevices(b *testing.B) {
	for _, trace := range []string{"default", "multigpu50", "multigpu20", "gpuspec33", "cpu250"} {
		for _, nodes := range []string{"gpu_node", "all_node"} {
			b.Run(fmt.Sprintf("trace=%s/nodes=%s", trace, nodes), func(b *testing.B) {
				_, list := table(b, openb+"node_list_"+nodes+".csv")
				_, pods := table(b, openb+"pod_list_"+trace+".csv")
				pods = slices.DeleteFunc(pods, func(row []string) bool { return whole(row[3]) == 1 && whole(row[4]) < 1000 })
				full, share, seeds := 0.0, 0.0, 0
				for b.Loop() {
					o := newOffer(uint64(42+seeds), nodesOf(list))
					o.random.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
					atFull, atEnd := o.play(b, o.podsOf(pods), 0)
					full, share, seeds = full+atFull, share+atEnd, seeds+1
				}
				b.ReportMetric(full/float64(seeds), "%-at-100")
				b.ReportMetric(share/float64(seeds), "%-allocated")
			})
		}
	}
}

// BenchmarkDeviceMixes does so with drawn requests on 200 nodes of 8 devices with as many cores or with others: members of gangs take a half, a quarter or all of a
// node, others one device. With churn somebody leaves for each one who comes once the nodes are full, and the figure is the mean since then.
func BenchmarkDeviceMixes(b *testing.B) {
	half, quarter, all := mixed{4, 40, 40, 4}, mixed{2, 16, 16, 4}, mixed{8, 60, 60, 1}
	single := mixed{1, 4, 12, 1}
	cores := map[string][]int64{"unequal": {64, 96, 96, 128}, "two": {64, 128}, "96": {96}, "64": {64}}
	for _, mix := range []struct {
		name  string
		kinds []mixed
	}{
		{"half+single", []mixed{half, single}},
		{"half+all", []mixed{half, all}},
		{"quarter+all", []mixed{quarter, all}},
		{"quarter+half+all+single", []mixed{quarter, half, all, single}},
	} {
		for _, of := range []string{"unequal", "two", "96", "64"} {
			for _, churn := range []int{0, 2_000} {
				b.Run(fmt.Sprintf("mix=%s/cores=%s/churn=%d", mix.name, of, churn), func(b *testing.B) {
					var nodes []cluster.Node
					for i := range 200 {
						nodes = append(nodes, cluster.Node{Allocatable: muster.Resources{muster.CPU: 1000 * cores[of][i%len(cores[of])], gpu: 8}})
					}
					full, share, seeds := 0.0, 0.0, 0
					for b.Loop() {
						o := newOffer(uint64(42+seeds), nodes)
						atFull, atEnd := o.play(b, o.draws(mix.kinds), churn)
						full, share, seeds = full+atFull, share+atEnd, seeds+1
					}
					b.ReportMetric(full/float64(seeds), "%-at-100")
					b.ReportMetric(share/float64(seeds), "%-allocated")
				})
			}
		}
	}
}

// mixed is a kind of gangs: what a member asks for, between so many cores, and how many members there are at most.
type mixed struct{ devices, leastCores, mostCores, members int64 }

// offer is a cluster to which pods are offered.
type offer struct {
	random   *rand.Rand
	spec     cluster.Spec
	capacity int64 // devices
}

// newOffer makes the cluster; the order of the names of its nodes, which decides between equal ones, is the seed's.
func newOffer(seed uint64, nodes []cluster.Node) *offer {
	o := &offer{random: rand.New(rand.NewPCG(seed, seed))}
	for i, place := range o.random.Perm(len(nodes)) {
		n := nodes[i]
		n.Name = fmt.Sprint("node-", place)
		o.spec.Nodes, o.capacity = append(o.spec.Nodes, n), o.capacity+n.Allocatable[gpu]
	}
	return o
}

// nodesOf are the nodes of a table, without names.
func nodesOf(list [][]string) (nodes []cluster.Node) {
	for _, row := range list {
		nodes = append(nodes, cluster.Node{
			Allocatable: muster.Resources{muster.CPU: whole(row[1]), muster.Memory: whole(row[2]) << 20, gpu: whole(row[3])},
			Labels:      map[string]string{"model": row[4]},
		})
	}
	return nodes
}

// podsOf are pods of a table, drawn again once all had their turn.
func (o *offer) podsOf(pods [][]string) func(i int) (*gang.Request, int64) {
	return func(i int) (*gang.Request, int64) {
		row := pods[min(i, len(pods)-1)]
		if i >= len(pods) {
			row = pods[o.random.IntN(len(pods))]
		}
		return podOf(row, i), 1000 * whole(row[3])
	}
}

// draws are gangs of some kinds, which ask for about as many devices each.
func (o *offer) draws(kinds []mixed) func(i int) (*gang.Request, int64) {
	asked := make([]int64, len(kinds))
	return func(i int) (*gang.Request, int64) {
		at := 0
		for k := range kinds {
			if asked[k] < asked[at] {
				at = k
			}
		}
		kind, members := kinds[at], 1+o.random.Int64N(kinds[at].members)
		asked[at] += kind.devices * members
		cores := kind.leastCores + o.random.Int64N(kind.mostCores-kind.leastCores+1)
		req := &gang.Request{Name: fmt.Sprint("gang-", i), Shape: gang.Shape{Resources: muster.Resources{muster.CPU: 1000 * cores, gpu: kind.devices}}}
		for m := range members {
			req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("m-", m)})
		}
		return req, 1000 * kind.devices * members
	}
}

// mostLoad is how many percent of the devices are asked for.
const mostLoad = 130

// play offers gangs until so much is asked for, and then so many more for each of which another one leaves. The answer is the percentage of the
// devices that are allocated: once all are asked for, and in the end or in the mean since others leave.
func (o *offer) play(b *testing.B, next func(i int) (req *gang.Request, milli int64), churn int) (full, end float64) {
	b.Helper()
	c, err := placement.NewCluster(o.spec)
	require.NoError(b, err)
	asked, allocated, sum, leaving := int64(0), int64(0), int64(0), 0
	running := map[string]int64{}
	var names []string
	for i := 0; ; i++ {
		req, milli := next(i)
		if asked < o.capacity*1000 && asked+milli >= o.capacity*1000 {
			full = 100 * float64(allocated) / float64(o.capacity)
		}
		if asked += milli; asked > o.capacity*10*mostLoad {
			switch {
			case churn == 0:
				return full, 100 * float64(allocated) / float64(o.capacity)
			case leaving == churn:
				return full, 100 * float64(sum) / float64(int64(churn)*o.capacity)
			}
			at := o.random.IntN(len(names))
			c, err = c.Release(names[at])
			require.NoError(b, err)
			allocated -= running[names[at]]
			names = append(names[:at], names[at+1:]...)
			leaving, sum = leaving+1, sum+allocated
		}
		if res := plan(b, c, req); res != nil {
			c, err = c.Apply(res)
			require.NoError(b, err)
			names, running[req.Name] = append(names, req.Name), milli/1000
			allocated += milli / 1000
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
