package numa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/numa"
)

// Nothing that is asked of nil or zero zones, nodes and needs, or about zones that a node lacks, does harm.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Walk(t, (*numa.Zones)(nil), &numa.Zones{}, two(t))
	zeros.Walk(t, (*numa.Occupancy)(nil), &numa.Occupancy{})
	zeros.Walk(t, (*numa.Need)(nil), &numa.Need{})
	node, err := two(t).Occupancy(numa.State{})
	require.NoError(t, err)
	zeros.Walk(t, node)
	for _, policy := range []numa.Policy{numa.BestEffort, numa.Restricted, numa.SingleNUMANode} {
		need, err := two(t).Need(numa.Member{Policy: policy, Resources: cpu(1)}, "")
		require.NoError(t, err)
		zeros.Walk(t, need)
		other := []numa.Placed{{Shares: []numa.Share{{Zone: 99, Resources: cpu(1)}, {Zone: -1, Resources: cpu(1)}}}}
		require.Zero(t, need.Rate(node, other))
		require.Zero(t, node.Lack(other[0]))
		require.Zero(t, need.Score(node, numa.Fit{Fits: true, Mask: 1 << 15}))
		require.Nil(t, need.Shares(node, 1<<15))
	}
	zeros.Walk(t, numa.Mask(0), numa.Mask(1<<15), numa.Count{}, numa.Policy("unknown"), numa.Exclusive("unknown"), numa.Granularity("unknown"))
	zeros.Walk(t, numa.NewZones, numa.Compatible)
}

// A nil need and the zero one fit nowhere; nil and zero nodes have no zones.
func TestZeroNeedFitsNowhere(t *testing.T) {
	node, err := two(t).Occupancy(numa.State{})
	require.NoError(t, err)
	for _, need := range []*numa.Need{nil, {}} {
		for _, at := range []*numa.Occupancy{nil, {}, node} {
			require.Equal(t, numa.Fit{Cause: numa.CauseCapacity}, need.Fit(at))
			require.Zero(t, need.Slots(at))
			require.Nil(t, need.Split(at, 1))
		}
	}
	for _, at := range []*numa.Occupancy{nil, {}} {
		require.Zero(t, at.Zones().Len())
		require.True(t, at.Equal(nil))
		require.False(t, at.Equal(node))
		require.False(t, node.Equal(at))
		_, err := at.Add(numa.Placed{Shares: []numa.Share{{Zone: 0}}})
		require.Error(t, err)
	}
}
