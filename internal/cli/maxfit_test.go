package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of each shape that somebody asks for, how large a gang fits in each layer before anybody is placed.
func TestMaxFitFlag(t *testing.T) {
	const cluster, story = "../../examples/stories/cluster.yaml", "../../examples/stories/story-3.yaml"
	var out, errs strings.Builder
	require.Equal(t, ok, Run([]string{"-max-fit", cluster, story}, nil, &out, &errs), errs.String())
	require.Contains(t, out.String(), `
largest gang in one domain, of members that ask for 8 nvidia.com/gpu (default/pod-3)
              without evictions  with evictions      domain
  node        1, 0 whole groups  1, 0 whole groups   spine0/leaf1/unit2/node-8
  unitLayer   4, 1 whole group   4, 1 whole group    spine0/leaf1/unit2
  leafLayer   4, 1 whole group   8, 2 whole groups   spine0/leaf1
  spineLayer  4, 1 whole group   12, 3 whole groups  spine0
  all         4, 1 whole group   12, 3 whole groups
`)
	out.Reset()
	require.Equal(t, ok, Run([]string{"-max-fit", "-o", "json", cluster, story}, nil, &out, &errs), errs.String())
	require.Contains(t, out.String(), `"evicting":{"members":8,"domain":"spine0/leaf1","groups":2,"groupsDomain":"spine0/leaf1"}},{"tier":3,`)
	out.Reset()
	require.Equal(t, ok, Run([]string{"-max-fit", cluster}, nil, &out, &errs))
	require.Contains(t, out.String(), "no gang waits for a node, so no shape is asked for\n")
	require.Equal(t, misuse, Run([]string{"-max-fit", "-o", "svg", cluster}, nil, &out, &errs))
}

// A limit of groups says nothing of how large a gang fits, pipelines are groups, and where nothing fits it is said why.
func TestMaxFitOfGroups(t *testing.T) {
	const nodes = `
apiVersion: v1
kind: Node
metadata: {name: n0, labels: {rack: r0}}
status: {allocatable: {cpu: "4"}}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {rack: r0}}
status: {allocatable: {cpu: "4"}}
---
apiVersion: v1
kind: Pod
metadata: {name: x}
spec: {nodeName: n0, priority: 7, containers: [{name: m, resources: {requests: {cpu: "1"}}}]}
status: {phase: Running}
---
`
	const alone = `
apiVersion: kueue.x-k8s.io/v1beta1
kind: Topology
metadata: {name: default}
spec: {levels: [{nodeLabel: rack}]}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: js
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}
spec:
  replicatedJobs:
    - name: w
      replicas: 1
      template: {spec: {parallelism: 2, template: {spec: {priority: 0, containers: [{name: m, resources: {requests: {cpu: "1"}}}]}}}}
`
	_, out, told := command(t, nodes+alone, "-max-fit", "-")
	require.Contains(t, out, `
        without evictions  with evictions     domain
  node  4, 2 whole groups  4, 2 whole groups  r0/n1
  rack  7, 3 whole groups  7, 3 whole groups  r0
  all   7, 3 whole groups  7, 3 whole groups
`, told)
	pipelines := func(cpu string) string {
		text := `
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata: {name: g}
spec:
  minMember: 6
  networkTopologyAware: {parallelModel: [{parallelStrategy: pipeline-parallel, parallelism: 3}, {parallelStrategy: data-parallel, parallelism: 2}]}
`
		for i := range 6 {
			text += fmt.Sprintf(`---
apiVersion: v1
kind: Pod
metadata: {name: g-%d, labels: {pod-group.scheduling.sigs.k8s.io: g}}
spec: {priority: 0, containers: [{name: m, resources: {requests: {cpu: "%s"}}}]}
`, i, cpu)
		}
		return text
	}
	_, out, told = command(t, nodes+pipelines("1"), "-max-fit", "-")
	require.Contains(t, out, "  all   7, 2 whole groups  7, 2 whole groups\n", told)
	_, out, told = command(t, nodes+pipelines("5"), "-max-fit", "-")
	require.Contains(t, out, "  all   0, 0 whole groups  0, 0 whole groups\n  of 2 nodes without room now: 2 have too little CPU\n", told)
	_, out, told = command(t, nodes+pipelines("5"), "-max-fit", "-o", "json", "-")
	require.Contains(t, out, `"nodes":{"total":2,"rejected":{"resource:cpu":2}}`, told)
}
