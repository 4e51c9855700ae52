package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// yamlCluster writes nodes in racks of 32 and as many running pods, one document each.
func yamlCluster(nodes, pods int) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: default}\n" +
		"spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}\n")
	for i := range nodes {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: node-%d\n  labels:\n    block: b%d\n    rack: r%d\n"+
			"status:\n  allocatable:\n    cpu: '96'\n    memory: 1Ti\n    nvidia.com/gpu: '8'\n    pods: '110'\n", i, i/1024, i/32)
	}
	for i := range pods {
		fmt.Fprintf(&b, "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: pod-%d\n  namespace: team\nspec:\n  nodeName: node-%d\n"+
			"  containers:\n  - name: main\n    resources:\n      requests:\n        cpu: '1'\n        memory: 1Gi\n", i, i%nodes)
	}
	return []byte(b.String())
}

// jsonPods writes a List of waiting pods in gangs of 64.
func jsonPods(pods int) []byte {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range pods {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%d","namespace":"team",`+
			`"labels":{"pod-group.scheduling.sigs.k8s.io":"gang-%d"}},"spec":{"containers":[{"name":"main",`+
			`"resources":{"requests":{"cpu":"1500m","memory":"1Gi","nvidia.com/gpu":"8"}}}]}}`, i, i/64)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

func BenchmarkRead(b *testing.B) {
	for name, data := range map[string][]byte{
		"form=yaml/nodes=1000/pods=1000": yamlCluster(1000, 1000),
		"form=json/pods=100000":          jsonPods(100_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := manifest.Read([]manifest.File{{Name: "cluster.yaml", Data: data}}, manifest.Options{})
				require.NoError(b, err)
			}
		})
	}
}
