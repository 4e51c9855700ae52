package manifest_test

import (
	"fmt"
	"log"

	"github.com/muster-sched/muster/placement/manifest"
)

// A Kueue Workload of four members in pairs, each pair within a rack, on a cluster of labelled nodes.
func ExampleRead() {
	files := []manifest.File{{Name: "cluster.yaml", Data: []byte(`
apiVersion: kueue.x-k8s.io/v1beta1
kind: Topology
metadata: {name: default}
spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {block: b1, rack: r1}}
status: {allocatable: {cpu: "8"}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: train, namespace: team}
spec:
  podSets:
  - name: main
    count: 4
    topologyRequest: {required: block, podSetSliceRequiredTopology: rack, podSetSliceSize: 2}
    template: {spec: {containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}
`)}}
	input, err := manifest.Read(files, manifest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	request := input.Gangs[0].Request
	fmt.Println(request.Name, request.Gather, request.Groups, request.Shape.Resources)
	for _, m := range request.Members {
		fmt.Println(m.Name)
	}
	// Output:
	// team/train [{block MustGather 0}] [{2 [{rack MustGather 0}] []}] map[cpu:500 pods:1]
	// train-main-0
	// train-main-1
	// train-main-2
	// train-main-3
}

func ExampleParseQuantity() {
	for _, s := range []string{"1500m", "0.5", "2Gi", "1e3"} {
		q, err := manifest.ParseQuantity(s)
		if err != nil {
			log.Fatal(err)
		}
		cpu, _ := q.Amount("cpu")
		bytes, _ := q.Amount("memory")
		fmt.Println(s, "is", cpu, "milli-CPU or", bytes, "bytes")
	}
	// Output:
	// 1500m is 1500 milli-CPU or 2 bytes
	// 0.5 is 500 milli-CPU or 1 bytes
	// 2Gi is 2147483648000 milli-CPU or 2147483648 bytes
	// 1e3 is 1000000 milli-CPU or 1000 bytes
}
