package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// What is too large, too deep or goes in circles is refused, or read in a bounded time.
func TestBounds(t *testing.T) {
	var chain, cycle, cables, deep strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&chain, "SwitchName=s%d Switches=s%d\n", i, i+1)
		fmt.Fprintf(&cycle, "SwitchName=s%d Switches=s%d\n", i, (i+1)%10_000)
		fmt.Fprintf(&cables, "s%d,s%d,switch\n", i, i+1)
		deep.WriteString("[")
	}
	deep.WriteString(strings.Repeat("]", 10_000))
	chain.WriteString("SwitchName=s10000 Nodes=n1\n")
	const head = "switch,peer,peer_kind\n"
	for _, c := range []struct{ format, text, want string }{
		{"slurm", chain.String(), "more than 64 switches below each other"},
		{"slurm", cycle.String(), "is in a cycle of switches"},
		{"slurm", "SwitchName=a Nodes=n[1-10000000]", "more than 1048576 names"},
		{"cables", head + "s0,host,node\n" + cables.String(), "more than 64 switches away from every host"},
		{"ufm", deep.String(), "nested"},
		{"topograph", "a: " + deep.String(), "x: line 1: "},
		{"slurm-yaml", "- topology: a\n  tree: {switches: [{switch: a, children: a}]}", "a switch that names itself: a"},
	} {
		_, err := fabric.Read(fabric.Format(c.format), []fabric.File{{Name: "x", Data: []byte(c.text)}}, fabric.Options{})
		require.ErrorContains(t, err, c.want)
		requireTyped(t, err)
	}

	if testing.Short() {
		return
	}
	_, err := fabric.Read("slurm", []fabric.File{{Name: "x", Data: []byte(strings.Repeat("SwitchName=a Nodes=n[1-1000000]\n", 5))}}, fabric.Options{})
	require.ErrorContains(t, err, "more than 4194304 names in all")
	var ports strings.Builder
	ports.WriteString(head)
	for i := range 1_000_000 {
		fmt.Fprintf(&ports, "leaf,host%d,node\n", i)
	}
	got, err := fabric.Read("cables", []fabric.File{{Name: "x", Data: []byte(ports.String())}}, fabric.Options{})
	require.NoError(t, err)
	require.Equal(t, 1_000_000, got.Trees[0].Tree.NumNodes())
}

// The configuration of a discovery is data: where to ask, and by which secret.
func TestDiscoveryIsData(t *testing.T) {
	got, err := fabric.ReadDiscovery(fabric.File{Name: "conf", Data: []byte(`
networkTopologyDiscovery:
- {source: ufm, enabled: true, interval: 10m, credentials: {secretRef: {name: c, namespace: volcano-system}}, config: {endpoint: "https://ufm"}}
- {source: roce, enabled: false, config: {endpoint: "https://roce"}}
- source: label
  enabled: true
  config: {networkTopologyTypes: {a3: [{nodeLabel: c}, {nodeLabel: r}, {nodeLabel: kubernetes.io/hostname}]}}
`)})
	require.NoError(t, err)
	require.Equal(t, []fabric.Source{
		{Kind: "ufm", Enabled: true, Interval: "10m", Credentials: "volcano-system/c", Endpoint: "https://ufm"},
		{Kind: "roce", Endpoint: "https://roce"},
		{Kind: "label", Enabled: true, Levels: []fabric.Levels{{Topology: "a3", Labels: []string{"c", "r"}}}},
	}, got)
	_, err = fabric.ReadDiscovery(fabric.File{Name: "conf", Data: []byte("- {source: ufm, credentials: {password: p4ss}}")})
	require.ErrorContains(t, err, "credentials are given by secretRef only")
	require.NotContains(t, err.Error(), "p4ss")
}

// The families of labels that are known are whole: a name, labels from the widest down, each once.
func TestPresets(t *testing.T) {
	names := map[string]bool{}
	for _, p := range fabric.Presets() {
		require.NotEmpty(t, p.Labels)
		require.False(t, names[p.Topology], p.Topology)
		names[p.Topology] = true
		node := topology.LabeledNode{Name: "n", Labels: map[string]string{}}
		for i, key := range p.Labels {
			node.Labels[key] = fmt.Sprint("v", i)
		}
		other := topology.LabeledNode{Name: "m", Labels: node.Labels}
		got, err := fabric.FromLabels(p, []topology.LabeledNode{node, other}, fabric.Options{})
		require.NoError(t, err)
		require.Len(t, got.Trees, 1)
		require.Equal(t, len(p.Labels)+1, got.Trees[0].Tree.RootTier())
		for i, l := range got.Trees[0].Tree.Layers() {
			require.Equal(t, p.Labels[len(p.Labels)-1-i], l.Name)
		}
	}
}

// A nil error has an answer, and what is not known is told.
func TestSmallThings(t *testing.T) {
	var none *fabric.Error
	require.Empty(t, none.Error())
	require.Equal(t, "a leaf of one host: l and h", fabric.Finding{Kind: fabric.LoneHost, One: "l", Other: "h"}.String())
	_, err := fabric.Write("ufm", nil)
	require.ErrorContains(t, err, "cannot be written")
	_, err = fabric.FromLabels(fabric.Levels{Topology: "t", Labels: []string{"a", "a"}}, nil, fabric.Options{})
	require.ErrorContains(t, err, `t "a": duplicate label`)
}
