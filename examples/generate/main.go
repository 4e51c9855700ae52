// Generate prints a cluster and a queue of gangs for the plan command, always the same ones for the same flags:
//
//	go run ./examples/generate | go run ./cmd/muster plan -
//
// The cluster has spines of five leaves of five units of eight nodes of eight GPUs, some of which are in use. With -dump it is one in which
// every system runs, as kubectl prints it:
//
//	go run ./examples/generate -dump -nodes 512 > cluster.json
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

const head = `apiVersion: scheduling.koordinator.sh/v1alpha1
kind: ClusterNetworkTopology
metadata: {name: default}
spec:
  hierarchy:
    - {layerName: spine, labelKey: net/spine}
    - {layerName: leaf, labelKey: net/leaf, parentTopologyLayer: spine}
    - {layerName: unit, labelKey: net/unit, parentTopologyLayer: leaf}
    - {layerName: node, parentTopologyLayer: unit}
---
apiVersion: v1
kind: NodeList
items:
`

// job is a gang to generate: its pods use a node each.
type job struct {
	name              string
	members, pipeline int
}

var jobs = []job{{"small", 4, 2}, {"medium", 16, 4}, {"large", 64, 8}, {"uneven", 30, 8}, {"huge", 512, 16}}

func main() {
	nodes := flag.Int("nodes", 1000, "number of nodes")
	fill := flag.Int("fill", 60, "per cent of the nodes that are in use")
	every := flag.Bool("dump", false, "print a cluster in which every system runs, as kubectl prints it; -fill does not matter")
	folder := flag.String("from", "placement/manifest/testdata/controllers", "with -dump: the folder of what controllers leave for one gang of each kind")
	flag.Parse()
	write := func(w io.Writer) error { return generate(w, *nodes, *fill) }
	if *every {
		write = func(w io.Writer) error { return dump(w, *folder, *nodes) }
	}
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate writes the documents.
func generate(w io.Writer, nodes, fill int) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, head)
	for i := range nodes {
		fmt.Fprintf(out, "  - metadata: {name: node-%d, labels: {net/spine: s%d, net/leaf: l%d, net/unit: u%d}}\n", i, i/200, i/40, i/8)
		fmt.Fprintln(out, `    status: {allocatable: {cpu: "96", memory: 1Ti, nvidia.com/gpu: "8", pods: "110"}}`)
	}
	running(out, nodes, fill)
	for _, j := range jobs {
		waiting(out, j)
	}
	return out.Flush()
}

// running fills nodes with pods of their own. The pattern comes from a small generator of fixed seed, in runs of four
// nodes, so that some units are whole and some are not.
func running(out io.Writer, nodes, fill int) {
	fmt.Fprint(out, "---\napiVersion: v1\nkind: PodList\nitems:\n")
	state := uint32(1)
	for i := range nodes {
		if i%4 == 0 {
			state = state*1664525 + 1013904223
		}
		if int(state>>16)%100 >= fill {
			continue
		}
		fmt.Fprintf(out, "  - metadata: {name: busy-%d}\n    spec: {nodeName: node-%d, containers: [{name: main, resources: {requests: {nvidia.com/gpu: \"8\"}}}]}\n", i, i)
	}
}

// waiting prints a gang.
func waiting(out io.Writer, j job) {
	fmt.Fprintf(out, `---
apiVersion: scheduling.koordinator.sh/v1alpha1
kind: PodGroup
metadata: {name: %s}
spec:
  minMember: %d
  networkTopologyAware:
    parallelModel:
      - {parallelStrategy: pipeline-parallel, parallelism: %d}
---
apiVersion: v1
kind: PodList
items:
`, j.name, j.members, j.pipeline)
	for i := range j.members {
		fmt.Fprintf(out, "  - metadata: {name: %s-%d, labels: {pod-group.scheduling.sigs.k8s.io: %s}}\n", j.name, i, j.name)
		fmt.Fprintln(out, `    spec: {containers: [{name: main, resources: {requests: {nvidia.com/gpu: "8"}}}]}`)
	}
}
