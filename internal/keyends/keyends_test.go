package keyends

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/topology"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want map[string]string
	}{
		{[]string{"topology.kubernetes.io/zone", "example.com/rack", "leaf"}, map[string]string{"topology.kubernetes.io/zone": "zone", "example.com/rack": "rack"}},
		{[]string{"a.io/rack", "b.io/rack"}, map[string]string{}},
		{[]string{"x.a.io/rack", "x.b.io/rack"}, map[string]string{"x.a.io/rack": "a.io/rack", "x.b.io/rack": "b.io/rack"}},
		{[]string{"rack", "a.io/rack"}, map[string]string{"a.io/rack": "io/rack"}},
		{[]string{"x.io/rack", "rack", "y/a.rack"}, map[string]string{"x.io/rack": "io/rack", "y/a.rack": "a.rack"}},
		{[]string{"net.block", "net.sub-block"}, map[string]string{"net.block": "block", "net.sub-block": "sub-block"}},
		{[]string{"pool/node", "leaf.1", "a/", "/", ".", "", "ab"}, map[string]string{}},
		{[]string{"x.pool/node"}, map[string]string{"x.pool/node": "pool/node"}},
	} {
		require.Equal(t, c.want, Of(c.keys), c.keys)
	}
}

func TestTiers(t *testing.T) {
	tree, err := topology.New(topology.Spec{
		Roots:  []topology.Domain{{Name: "z", Tier: 3, Children: []topology.Domain{{Name: "r", Tier: 1, Nodes: []string{"n"}}}}},
		Layers: []topology.Layer{{Name: "example.com/rack", Tier: 1}, {Name: "zone", Tier: 3}},
	})
	require.NoError(t, err)
	word := Tiers(tree)
	require.Equal(t, []string{"rack", "tier 2", "zone"}, []string{word(1), word(2), word(3)})
	require.Equal(t, "tier 1", Tiers(nil)(1))
}
