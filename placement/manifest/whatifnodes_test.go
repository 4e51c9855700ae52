package manifest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest"
)

// file is a file of its own.
func file(name, text string) manifest.File { return manifest.File{Name: name, Data: []byte(text)} }

// outOfService are nodes of two racks as controllers leave them: n1 is cordoned, n2 lost, n3 as well and reserved beside, n4 in service.
const outOfService = `
{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: net}, spec: {levels: [{nodeLabel: block}, {nodeLabel: rack}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {block: b1, rack: r1}}, spec: {unschedulable: true,
  taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}, status: {allocatable: {cpu: "4"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {block: b1, rack: r1}}, spec: {
  taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: NoExecute}]},
  status: {allocatable: {cpu: "4"}, conditions: [{type: MemoryPressure, status: Unknown}, {type: Ready, status: Unknown}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n3, labels: {block: b1, rack: r2}}, spec: {
  taints: [{key: reserved, value: a, effect: NoSchedule}, {key: node.kubernetes.io/not-ready, effect: NoSchedule}, {key: node.kubernetes.io/memory-pressure, effect: NoSchedule},
  {key: node.kubernetes.io/disk-pressure, effect: NoSchedule}, {key: node.kubernetes.io/pid-pressure, effect: NoSchedule}, {key: node.kubernetes.io/network-unavailable, effect: NoSchedule}]},
  status: {allocatable: {cpu: "4"}, conditions: [{type: Ready, status: "False"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n4, labels: {block: b2, rack: r1}}, status: {allocatable: {cpu: "4"}}}
`

// inService tells of each node whether it takes pods that tolerate nothing.
func inService(nodes []cluster.Node) (names []string) {
	for _, n := range nodes {
		if !n.Cordoned && !n.NotReady && !slices.ContainsFunc(n.Taints, func(t gang.Taint) bool { return t.Effect != gang.PreferNoSchedule }) {
			names = append(names, n.Name)
		}
	}
	return names
}

// A node that is back is uncordoned, ready, and has the taints that somebody gave it, but not those of its controller.
func TestReturnedNodes(t *testing.T) {
	for _, c := range []struct {
		returned, want, changed []string
	}{
		{nil, []string{"n4"}, nil},
		{[]string{"n1"}, []string{"n1", "n4"}, []string{"n1"}},
		{[]string{"n2", "n2", "n4"}, []string{"n2", "n4"}, []string{"n2"}},
		{[]string{"n*"}, []string{"n1", "n2", "n4"}, []string{"n1", "n2", "n3"}},
		{[]string{"n[23]"}, []string{"n2", "n4"}, []string{"n2", "n3"}},
	} {
		in, err := manifest.Read([]manifest.File{file("a.yaml", outOfService)}, manifest.Options{Returned: c.returned})
		require.NoError(t, err)
		require.Equal(t, c.want, inService(in.Spec.Nodes), c.returned)
		require.Equal(t, c.changed, in.Returned, c.returned)
		if slices.Contains(c.changed, "n3") {
			require.Equal(t, []gang.Taint{{Key: "reserved", Value: "a", Effect: gang.NoSchedule}}, in.Spec.Nodes[2].Taints)
		}
	}
	for name, want := range map[string]string{
		"n9": `options.Returned[0] "n9": no such node; the nearest one is n1`,
		"m*": `options.Returned[0] "m*": no node has a name of this pattern`,
		"[":  `options.Returned[0] "[": no node has a name of this pattern`,
	} {
		_, err := manifest.Read([]manifest.File{file("a.yaml", outOfService)}, manifest.Options{Returned: []string{name}})
		require.EqualError(t, err, want)
	}
}

// Domains are called by their paths, by ends of them, and by patterns.
func TestWithoutDomains(t *testing.T) {
	for name, want := range map[string][]string{
		"b1/r1": {"n1", "n2"}, "b1": {"n1", "n2", "n3"}, "r2": {"n3"}, "b?": {"n1", "n2", "n3", "n4"}, "*/r1": {"n1", "n2", "n4"},
	} {
		in, err := manifest.Read([]manifest.File{file("a.yaml", outOfService)}, manifest.Options{WithoutDomains: []string{name}})
		require.NoError(t, err, name)
		require.Equal(t, want, in.WithoutNodes, name)
		require.Len(t, in.Spec.Nodes, 4-len(want), name)
		for _, n := range in.Spec.Nodes {
			require.NotContains(t, want, n.Name, name)
		}
	}
	for name, want := range map[string]string{
		"r1":    `options.WithoutDomains[0] "r1": 2 domains are called so, such as b1/r1 and b2/r1`,
		"b1/r3": `options.WithoutDomains[0] "b1/r3": no such domain; the nearest one is b1/r1`,
		"x/*":   `options.WithoutDomains[0] "x/*": no domain has a name of this pattern`,
	} {
		_, err := manifest.Read([]manifest.File{file("a.yaml", outOfService)}, manifest.Options{WithoutDomains: []string{name}})
		require.EqualError(t, err, want)
	}
	other := file("b.yaml", "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: other}, spec: {levels: [{nodeLabel: block}]}}")
	_, err := manifest.Read([]manifest.File{file("a.yaml", outOfService), other}, manifest.Options{WithoutDomains: []string{"b1"}})
	require.EqualError(t, err, `options.WithoutDomains[0] "b1": topologies net and other have it: choose one (Options.Topology, -topology)`)
	in, err := manifest.Read([]manifest.File{file("a.yaml", outOfService), other}, manifest.Options{WithoutDomains: []string{"b2"}, Topology: "other"})
	require.NoError(t, err)
	require.Equal(t, []string{"n4"}, in.WithoutNodes)
}

// A Node that is added without status.allocatable changes what it says, and nothing else.
func TestAddedPartsOfNodes(t *testing.T) {
	read := func(more ...manifest.File) (*manifest.Input, error) {
		return manifest.Read([]manifest.File{file("a.yaml", outOfService)}, manifest.Options{Added: more})
	}
	before, err := read()
	require.NoError(t, err)
	in, err := read(file("b.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n4}, spec: {unschedulable: true}}"))
	require.NoError(t, err)
	want := slices.Clone(before.Spec.Nodes)
	want[3].Cordoned = true
	require.Equal(t, want, in.Spec.Nodes)
	require.Equal(t, []string{"part of Node/n4 of a.yaml by that of b.yaml"}, in.Replaced)

	in, err = read(file("b.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {rack: r9, block: null, new: x}}, spec: {unschedulable: null, taints: []}}"))
	require.NoError(t, err)
	i := slices.IndexFunc(in.Spec.Nodes, func(n cluster.Node) bool { return n.Name == "n1" })
	require.Equal(t, cluster.Node{Name: "n1", Labels: map[string]string{"rack": "r9", "new": "x"}, Allocatable: before.Spec.Nodes[0].Allocatable}, in.Spec.Nodes[i])

	whole := "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: \"1\"}}}"
	in, err = read(file("b.yaml", whole))
	require.NoError(t, err)
	require.Equal(t, []string{"Node/n1 of a.yaml by that of b.yaml"}, in.Replaced)
	i = slices.IndexFunc(in.Spec.Nodes, func(n cluster.Node) bool { return n.Name == "n1" })
	require.Empty(t, in.Spec.Nodes[i].Labels)

	in, err = read(file("b.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n5}, spec: {unschedulable: true}}"))
	require.NoError(t, err)
	require.Len(t, in.Spec.Nodes, 5, "a node of its own")
	require.Empty(t, in.Replaced)
}

// What is wrong with a node stays wrong unless the part puts it right; two parts that differ contradict each other.
func TestAddedPartsKeepDefects(t *testing.T) {
	bad := file("a.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, effect: Never}]}, status: {allocatable: {cpu: \"4\"}}}")
	cordon := file("b.yaml", "\n{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {unschedulable: true}}")
	_, err := manifest.Read([]manifest.File{bad}, manifest.Options{Added: []manifest.File{cordon}})
	require.EqualError(t, err, `b.yaml: document 1, line 2: Node/n1: spec.taints[0].effect "Never": must be NoSchedule, PreferNoSchedule or NoExecute`)
	right := file("b.yaml", "{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, effect: NoExecute}]}}")
	in, err := manifest.Read([]manifest.File{bad}, manifest.Options{Added: []manifest.File{right}})
	require.NoError(t, err)
	require.Equal(t, []gang.Taint{{Key: "a", Effect: gang.NoExecute}}, in.Spec.Nodes[0].Taints)
	_, err = manifest.Read([]manifest.File{bad}, manifest.Options{Added: []manifest.File{right, {Name: "c.yaml", Data: cordon.Data}}})
	require.ErrorContains(t, err, "duplicate name: Node/n1 is in c.yaml, document 1, too")
}
