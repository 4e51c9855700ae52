package mirror

import (
	"fmt"
	"maps"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
)

// Differences compares the free amounts of the nodes of a snapshot with those of the cluster, but for nodes of which something is held: lines for people,
// in the order of the nodes. There are none after [Mirror.Sync] of the same snapshot. O(nodes and their resources).
func (m *Mirror) Differences(infos []fwk.NodeInfo) (out []string) {
	if m.cluster == nil {
		return nil
	}
	held := map[string]bool{}
	for _, h := range m.cluster.Holds() {
		held[h.Node] = true
	}
	for _, info := range infos {
		name := info.Node().Name
		free, ok := m.cluster.Free(name)
		if !ok {
			out = append(out, fmt.Sprintf("%s: not in the cluster", name))
		}
		if !ok || held[name] {
			continue
		}
		allocatable, requested := objects.Allocatable(info), objects.Requested(info)
		for _, r := range slices.Sorted(maps.Keys(allocatable)) {
			want := allocatable[r] - requested[r]
			if got := free[r]; got != want && (allocatable[r] > 0 || got != 0) {
				out = append(out, fmt.Sprintf("%s: %d of %s are free for the scheduler, %d here", name, want, r, got))
			}
		}
	}
	return out
}
