package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// A gang's own anti-affinity selects pods of others, or not: whoever comes first, and whoever goes, the store says what Read does.
func TestStoreTellsWhoElseIsSelected(t *testing.T) {
	const (
		node  = "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}"
		other = "{apiVersion: v1, kind: Pod, metadata: {name: runs, labels: {app: j, own: r}}, spec: {nodeName: n, containers: [{name: c}]}}"
		job   = "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 2, completions: 2, template: {metadata: {labels: {app: j}}, spec: {containers: [{name: c}],\n" +
			"  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: j}}}]}}}}}}"
	)
	ignored := func(c *manifest.Changes) map[string]int {
		require.Len(t, c.Gangs, 1)
		require.Len(t, c.Gangs[0].Request.Limits, 1)
		return c.Gangs[0].Ignored
	}
	beside := map[string]int{"podAntiAffinity": 2}
	for _, first := range []string{other, job} {
		s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
		s.set(t, node)
		s.set(t, first)
		if first == job {
			require.Equal(t, beside, ignored(s.set(t, other)))
		} else {
			require.Equal(t, beside, ignored(s.set(t, job)))
		}
		require.Empty(t, ignored(s.remove(t, other)))
	}
}
