package placement_test

import (
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/numa"
)

// zones cuts the nodes of every other network into zones, of one to three kinds: at random, or alike where they lie side by
// side. Eight devices lie in one, two or four zones, evenly or not, and of some nodes no zones are known. Who runs has
// shares of as many zones as it needs, or none, under any policy.
func (n *network) zones(t *rapid.T) {
	if rapid.Bool().Draw(t, "without zones") {
		return
	}
	var kinds []*cluster.NUMA
	for range rapid.IntRange(1, 3).Draw(t, "kinds") {
		sizes := rapid.SampledFrom([][]int64{{4, 4}, {2, 2, 2, 2}, {6, 2}, {8}, {3, 1, 4}, nil}).Draw(t, "zones")
		if sizes == nil {
			kinds = append(kinds, nil)
			continue
		}
		kind := &cluster.NUMA{Policy: rapid.SampledFrom([]numa.Policy{"", "", drawPolicy(t)}).Draw(t, "of the node")}
		for id, size := range sizes {
			kind.Zones = append(kind.Zones, numa.Zone{ID: id, Allocatable: gpus(size)})
		}
		kinds = append(kinds, kind)
	}
	sideBySide := rapid.Bool().Draw(t, "side by side")
	at := map[string]*cluster.NUMA{}
	for i := range n.spec.Nodes {
		k := n.IntN(len(kinds))
		if sideBySide {
			k = i / n.widths[0] % len(kinds)
		}
		n.spec.Nodes[i].NUMA, at[n.spec.Nodes[i].Name] = kinds[k], kinds[k]
	}
	policy := drawPolicy(t)
	for i := range n.spec.Running {
		if r := &n.spec.Running[i]; at[r.Node] != nil && n.IntN(4) > 0 {
			r.NUMA = drain(at[r.Node].Zones, n.IntN(4), r.Resources["gpu"], policy)
		}
	}
}

// drain gives a member its devices of the zones from one on.
func drain(zones []numa.Zone, from int, gpu int64, policy numa.Policy) *numa.Placed {
	p := &numa.Placed{Policy: policy}
	for i := range zones {
		z := zones[(from+i)%len(zones)]
		if part := min(gpu, z.Allocatable["gpu"]); part > 0 {
			p.Shares = append(p.Shares, numa.Share{Zone: z.ID, Resources: gpus(part)})
			gpu -= part
		}
	}
	return p
}
