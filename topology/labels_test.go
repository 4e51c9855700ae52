package topology_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/topology"
)

// labeled reads nodes from lines such as `n1 rack=r1 zone=z`.
func labeled(text string) []topology.LabeledNode {
	var nodes []topology.LabeledNode
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		n := topology.LabeledNode{Name: words[0], Labels: map[string]string{}}
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			n.Labels[key] = value
		}
		nodes = append(nodes, n)
	}
	return nodes
}

var zoneRack = topology.LabelLayers{
	Layers:    []topology.LabelLayer{{Name: "zone", Keys: []string{"zone"}}, {Keys: []string{"rack", "old-rack"}}},
	NodeLayer: "host",
}

func TestFromLabels(t *testing.T) {
	// One rack name in two zones is two racks; the second key counts where the first is absent or empty; a node that
	// lacks a layer lies outside, and its other labels make no domain.
	tree, err := topology.FromLabels(zoneRack, labeled(`
		n10 zone=z1 rack=r1
		n4  zone=z2 rack=r1
		n9  zone=z1 old-rack=r1
		n3  zone=z1 rack= old-rack=r2
		n5  zone=z1 rack=r3 old-rack=r1
		n1  rack=r9
		n2  zone=z3 rack=
	`))
	require.NoError(t, err)
	require.Equal(t, lines(`
			layer 1 rack
			layer 2 zone
			* 3
			  z1 2
			    r1 1 n9 n10
			    r2 1 n3
			    r3 1 n5
			  z2 2
			    r1 1 n4
			outside n1
			outside n2
	`), draw(tree))
	require.Equal(t, "host", tree.NodeLayer())
}

func TestFromLabelsWithoutSwitches(t *testing.T) {
	tree, err := topology.FromLabels(topology.LabelLayers{NodeLayer: "kubernetes.io/hostname"}, labeled("n10\nn9 rack=r"))
	require.NoError(t, err)
	require.Equal(t, "* 1 n9 n10\n", draw(tree))
	layer, ok := tree.Layer("kubernetes.io/hostname")
	require.True(t, ok)
	require.Zero(t, layer.Tier)
}

func TestFromLabelsTakesAKeyThatALayerRepeats(t *testing.T) {
	_, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{{Keys: []string{"a", "b", "a"}}}}, nil)
	require.NoError(t, err)
}

func TestFromLabelsRefuses(t *testing.T) {
	layer := func(name string, keys ...string) topology.LabelLayer {
		return topology.LabelLayer{Name: name, Keys: keys}
	}
	for _, c := range []struct {
		name  string
		cfg   topology.LabelLayers
		nodes string
		want  string
	}{
		{"missing labels, by option", topology.LabelLayers{Layers: zoneRack.Layers, RefuseMissing: true}, "n10 zone=z\nn9\nok zone=z rack=r", `
			node n9: no label for layer rack (rack, old-rack)
			node n9: no label for layer zone (zone)
			node n10: no label for layer rack (rack, old-rack)
		`},
		{"nodes of one name", zoneRack, "n zone=z rack=r\nn zone=z rack=r", "node n: duplicate name"},
		{"layers without keys", topology.LabelLayers{Layers: []topology.LabelLayer{layer("a"), layer("b", "")}}, "n", `
			layer a: a layer has no label key
			layer b: a label key is empty
		`},
		{"layers of one name", topology.LabelLayers{Layers: []topology.LabelLayer{layer("a", "x"), layer("a", "y"), layer("n", "z")}, NodeLayer: "n"}, "n", `
			layer a: duplicate name
			layer n: duplicate name
		`},
		{"one key, two layers", topology.LabelLayers{Layers: []topology.LabelLayer{layer("a", "x"), layer("b", "y", "x")}}, "n", `
			layer b "x": duplicate label: layer a has it too
		`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := topology.FromLabels(c.cfg, labeled(c.nodes))
			require.Equal(t, lines(c.want), refused(t, err))
		})
	}
	_, err := topology.FromLabels(zoneRack, []topology.LabeledNode{{}})
	require.Equal(t, "node: a node has no name\n", refused(t, err))
}

// asLabels spells a topology of equal depth as labels, one key a tier, and lists its nodes.
func asLabels(roots domains, labels map[string]string) []topology.LabeledNode {
	var nodes []topology.LabeledNode
	for _, d := range roots {
		own := map[string]string{fmt.Sprint("tier-", d.Tier): d.Name}
		for k, v := range labels {
			own[k] = v
		}
		for _, n := range d.Nodes {
			nodes = append(nodes, topology.LabeledNode{Name: n, Labels: own})
		}
		nodes = append(nodes, asLabels(d.Children, own)...)
	}
	return nodes
}

func TestFromLabelsFindsTheTreeThatLabelsSpell(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := fabric(rapid.IntRange(1, 3).Draw(rt, "spines"), rapid.IntRange(1, 3).Draw(rt, "leaves"),
			rapid.IntRange(1, 3).Draw(rt, "units"), rapid.IntRange(1, 4).Draw(rt, "nodes"), false)
		nodes := permuted(drawRand(rt), asLabels(spec.Roots, nil))
		tree, err := topology.FromLabels(topology.LabelLayers{Layers: []topology.LabelLayer{
			{Name: "spine", Keys: []string{"tier-3"}}, {Name: "leaf", Keys: []string{"tier-2"}}, {Name: "unit", Keys: []string{"tier-1"}},
		}}, nodes)
		require.NoError(rt, err)
		require.Equal(rt, draw(newTree(rt, spec)), draw(tree))
	})
}
