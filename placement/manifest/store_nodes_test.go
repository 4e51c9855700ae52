package manifest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest"
)

// nodesStore is a store with all objects that it holds, which Read may read as well.
type nodesStore struct {
	*manifest.Store
	present map[string]map[string]any
}

// set sets objects of YAML, and compares the store with what Read makes of all that it holds.
func (s *nodesStore) set(t *testing.T, text string) *manifest.Changes {
	t.Helper()
	for _, o := range objectsOf(text) {
		require.NoError(t, s.Set(o))
		s.present[idOf(o)] = o
	}
	return s.compared(t)
}

func (s *nodesStore) remove(t *testing.T, text string) *manifest.Changes {
	t.Helper()
	for _, o := range objectsOf(text) {
		require.NoError(t, s.Delete(o))
		delete(s.present, idOf(o))
	}
	return s.compared(t)
}

func (s *nodesStore) compared(t *testing.T) *manifest.Changes {
	t.Helper()
	changes, got := s.Changes(), tellInput(s.Input())
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.present)) {
		list = append(list, s.present[id])
	}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": list})
	require.NoError(t, err)
	want, err := manifest.Read([]manifest.File{{Name: "in.json", Data: data}}, manifest.Options{KeepGoing: true})
	if err != nil {
		require.Equal(t, slices.Sorted(strings.SplitSeq(withoutPlaces(err.Error()), "\n")), got.Defects)
		return changes
	}
	require.Equal(t, tellInput(want), got)
	return changes
}

const (
	nodeOne    = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1}}, status: {allocatable: {cpu: 4}}}`
	nodeTwo    = `{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {net/rack: r1}}, status: {allocatable: {cpu: 4}}}`
	spoiledOne = `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1}}, status: {allocatable: {cpu: many}}}`
	spoiledTwo = `{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {net/rack: r1}}, status: {allocatable: {cpu: few}}}`
	zonesOne   = `
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones: [{name: node-0, type: Node, resources: [{name: cpu, capacity: 4, allocatable: 4, available: 4}]}]
`
	spoiledZonesOne = `
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: n1}
zones: [{name: node-0, type: Node, resources: [{name: cpu, capacity: 4, allocatable: lots, available: 4}]}]
`
)

// A node, or its zones, with a defect is told as long as it has it, whatever else changes; and mended it is a node again.
func TestStoreTellsDefectsOfNodes(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, nodeOne+"\n---\n"+nodeTwo+"\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}")
	require.Empty(t, s.Input().Defects)

	s.set(t, spoiledOne)
	require.Len(t, s.Input().Defects, 1)
	s.set(t, strings.Replace(nodeTwo, "cpu: 4", "cpu: 8", 1))
	require.Len(t, s.Input().Defects, 1, "another node changes")
	s.set(t, spoiledTwo)
	require.Len(t, s.Input().Defects, 2)
	s.set(t, nodeOne)
	require.Len(t, s.Input().Defects, 1, "one of two is mended")
	s.remove(t, spoiledTwo)
	require.Empty(t, s.Input().Defects)
	s.set(t, nodeTwo)

	c := s.set(t, zonesOne)
	require.Len(t, c.Delta.SetNodes, 1)
	s.set(t, spoiledZonesOne)
	require.Len(t, s.Input().Defects, 1)
	s.set(t, strings.Replace(nodeTwo, "cpu: 4", "cpu: 16", 1))
	require.Len(t, s.Input().Defects, 1, "another node changes")
	s.set(t, strings.Replace(nodeOne, "cpu: 4", "cpu: 6", 1))
	require.Len(t, s.Input().Defects, 1, "the node of the zones changes")
	s.set(t, zonesOne)
	require.Empty(t, s.Input().Defects)
	s.remove(t, zonesOne)
	c = s.remove(t, nodeOne)
	require.Equal(t, []string{"n1"}, c.Delta.RemoveNodes)
}

// What is worth saying of a node, or its zones, is told as long as it is so.
func TestStoreTellsNoticesOfNodes(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, nodeOne+"\n---\n"+nodeTwo)
	require.Empty(t, s.Input().Notices)
	node := `{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {net/rack: r1, note: 5}}, status: {allocatable: {cpu: 4}}}`
	c := s.set(t, node)
	require.Len(t, c.Notices, 1)
	c = s.set(t, strings.Replace(node, "cpu: 4", "cpu: 6", 1))
	require.Empty(t, c.Notices, "told before")
	s.set(t, strings.Replace(node, "5", "'5'", 1))
	require.Empty(t, s.Input().Notices, "the label as it is read is the same")
	c = s.set(t, node)
	require.Len(t, c.Notices, 1)
	s.set(t, strings.Replace(nodeTwo, "cpu: 4", "cpu: 8", 1))
	require.Len(t, s.Input().Notices, 1, "another node changes")
	s.set(t, strings.Replace(zonesOne, "{name: n1}", "{name: n1, labels: {a: 1}}", 1))
	require.Len(t, s.Input().Notices, 2)
	s.remove(t, zonesOne)
	require.Len(t, s.Input().Notices, 1)
}

// What is wrong with an object that is no node is told once, however often nodes are read beside it.
func TestStoreTellsDefectsOnce(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, nodeOne+`
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high, labels: {a: 1}}, value: much}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: some, selector: {matchLabels: {app: web}}}}
`)
	told := len(s.Input().Defects)
	require.Positive(t, told)
	require.Len(t, s.Input().Notices, 1)
	s.set(t, nodeTwo)
	s.remove(t, nodeTwo)
	require.Len(t, s.Input().Defects, told)
	require.Len(t, s.Input().Notices, 1)
}

// What is wrong with the owner of a pod is told as long as it is so.
func TestStoreTellsDefectsOfOwners(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	const queue = `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: low}, spec: {resources: {cpu: {quota: 2000, limit: LIMIT}}}}`
	s.set(t, nodeOne+"\n---\n"+strings.Replace(queue, "LIMIT", "1000", 1)+`
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs, labels: {kai.scheduler/queue: low}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, controller: true}]}}
`)
	require.ErrorContains(t, s.Input().Gangs[0].Err, "the quotas of the input cannot be used")
	s.set(t, strings.Replace(queue, "LIMIT", "4000", 1))
	require.NoError(t, s.Input().Gangs[0].Err)
}

// A queue that a gang names before it is there is read when it comes, and no longer when nobody names it.
func TestStoreReadsQueuesThatAreNamed(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	pod := `{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {kai.scheduler/queue: team}}}`
	queue := `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: team}, spec: {resources: {cpu: {quota: 2000, limit: 4000}}}}`
	s.set(t, nodeOne+"\n---\n"+pod)
	require.Nil(t, s.Input().Spec.Quotas)
	c := s.set(t, queue)
	require.True(t, c.Rebuild, "a quota came")
	require.Equal(t, []string{"team"}, s.Input().Spec.Quotas.Quotas())
	s.set(t, strings.Replace(nodeOne, "cpu: 4", "cpu: 6", 1))
	require.Equal(t, []string{"team"}, s.Input().Spec.Quotas.Quotas())
	s.set(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}}`)
	s.set(t, spoiledOne)
	s.set(t, nodeOne)
	s.remove(t, queue)
	require.Nil(t, s.Input().Spec.Quotas)

	s.set(t, pod+"\n---\n"+strings.Replace(queue, "spec: {", "spec: {parentQueue: dept, ", 1))
	require.Len(t, s.Input().Defects, 1, "no queue is above it")
	dept := strings.Replace(queue, "team", "dept", 1)
	s.set(t, dept)
	require.Empty(t, s.Input().Defects)
	require.Equal(t, []string{"dept", "team"}, s.Input().Spec.Quotas.Quotas())
	s.remove(t, queue)
	require.Nil(t, s.Input().Spec.Quotas, "a pod names a queue that is gone")
}

// Whoever names a node, or its host, is read again where that means something else now.
func TestStoreReadsAgainWhoNamesNodes(t *testing.T) {
	node := func(name, host, ready string) string {
		return `{apiVersion: v1, kind: Node, metadata: {name: ` + name + `, labels: {kubernetes.io/hostname: ` + host + `}}, status: {allocatable: {cpu: 4}, conditions: [{type: Ready, status: "` + ready + `"}]}}`
	}
	workload := func(name, host string) string {
		return `
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: ` + name + `}
spec: {podSets: [{name: main, count: 1}]}
status: {admission: {podSetAssignments: [{name: main, topologyAssignment: {levels: [kubernetes.io/hostname], domains: [{values: [` + host + `], count: 1}]}}]}}
`
	}
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, node("n1", "h1", "True")+"\n---\n"+node("n2", "h2", "True")+workload("one", "h1")+workload("two", "h2")+workload("three", "h3")+workload("n4", "n4"))
	require.Equal(t, []string{"default/n4", "default/three"}, waiting(s))

	c := s.set(t, node("n1", "h1", "False"))
	require.Equal(t, []string{"default/one"}, gangsOf(c), "its node is not ready")
	c = s.set(t, node("n1", "h1", "True"))
	require.Equal(t, []string{"default/one"}, c.Gone)

	c = s.set(t, node("n1", "h3", "True"))
	require.Equal(t, []string{"default/one"}, gangsOf(c), "no node is its host any more")
	require.Equal(t, []string{"default/three"}, c.Gone, "its host came")
	c = s.remove(t, node("n2", "h2", "True"))
	require.Equal(t, []string{"default/two"}, gangsOf(c))
	c = s.set(t, `{apiVersion: v1, kind: Node, metadata: {name: n4}, status: {allocatable: {cpu: 4}}}`)
	require.Equal(t, []string{"default/n4"}, c.Gone, "a node without a label is its own host")

	s.set(t, node("n6", "h1", "False")+"\n---\n"+node("n7", "h1", "True"))
	require.Contains(t, waiting(s), "default/one", "of two with one host the first is meant")
	c = s.set(t, node("n6", "h6", "False"))
	require.Equal(t, []string{"default/one"}, c.Gone, "it is the host of the other one alone")

	c = s.set(t, "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {nodeName: n5}}")
	require.Empty(t, c.Delta.Place)
	require.Contains(t, strings.Join(c.Notices, "\n"), "on node n5, which is not in the input")
	c = s.set(t, node("n5", "h5", "True"))
	require.Len(t, c.Delta.Place, 1, "the node of a pod came")
	c = s.remove(t, node("n5", "h5", "True"))
	require.Len(t, c.Delta.Remove, 1)
}

func waiting(s *nodesStore) (names []string) {
	for _, g := range s.Input().Gangs {
		names = append(names, g.Request.Name)
	}
	return names
}

// A node costs what it has itself, or what all nodes are; never what runs on it, what waits, or what was read of the others.
func TestStoreReadsOnlyTheNode(t *testing.T) {
	allocations := func(pods, taints, nodes int, of func(i int) string) float64 {
		s := manifest.NewStore(manifest.Options{})
		set := func(text string) *manifest.Changes {
			for _, o := range objectsOf(text) {
				require.NoError(t, s.Set(o))
			}
			return s.Changes()
		}
		for i := range pods {
			require.NoError(t, s.Set(objectsOf(`{apiVersion: v1, kind: Pod, metadata: {name: p-` + strconv.Itoa(i) + `}, spec: {nodeName: n` + strconv.Itoa(1+i%2) + `}}`)[0]))
		}
		for i := range nodes {
			require.NoError(t, s.Set(objectsOf(strings.Replace(nodeTwo, "n2", "o"+strconv.Itoa(i), 1))[0]))
		}
		spec := "spec: {taints: [" + strings.Repeat("{key: k, effect: NoSchedule}, ", taints) + "]}, status"
		set(nodeOne + "\n---\n" + strings.Replace(nodeTwo, "status", spec, 1) + `
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train}
spec: {schedulingPolicy: {gang: {minCount: 1}}, schedulingConstraints: {topology: [{key: net/rack}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGroup: {podGroupName: train}}}
`)
		set(`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 5}`)
		i := 0
		return testing.AllocsPerRun(10, func() {
			i++
			c := set(of(i))
			require.False(t, c.Rebuild)
			require.Empty(t, c.Delta.Place)
			require.Len(t, c.Delta.SetNodes, 1)
		})
	}
	for name, of := range map[string]func(i int) string{
		"a node changes": func(i int) string { return strings.Replace(nodeOne, "cpu: 4", "cpu: "+strconv.Itoa(5+i), 1) },
		"a node comes":   func(i int) string { return strings.Replace(nodeOne, "n1", "m"+strconv.Itoa(i), 1) },
	} {
		few := allocations(20, 1, 0, of)
		require.LessOrEqual(t, allocations(400, 1, 0, of), 1.1*few, name)
		require.LessOrEqual(t, allocations(20, 400, 0, of), 1.1*few, name)
		if name == "a node changes" {
			require.LessOrEqual(t, allocations(20, 1, 100, of), 1.1*few, "other nodes")
		}
	}
}

// Without a topology a node that comes, goes or has another label costs the same beside any number of nodes and pods; with one, a label that it does
// not use does.
func TestStoreFollowsNodes(t *testing.T) {
	allocations := func(nodes int, topology string, of func(i int) string) float64 {
		s := manifest.NewStore(manifest.Options{})
		set := func(text string) *manifest.Changes {
			for _, o := range objectsOf(text) {
				require.NoError(t, s.Set(o))
			}
			return s.Changes()
		}
		for i := range nodes {
			name := "o" + strconv.Itoa(i)
			require.NoError(t, s.Set(objectsOf(strings.Replace(nodeTwo, "n2", name, 1))[0]))
			require.NoError(t, s.Set(objectsOf(`{apiVersion: v1, kind: Pod, metadata: {name: p-` + name + `}, spec: {nodeName: ` + name + `}}`)[0]))
		}
		set(topology + nodeOne)
		i := 0
		return testing.AllocsPerRun(10, func() {
			i++
			c := set(of(i))
			require.False(t, c.Rebuild)
			require.Len(t, c.Delta.SetNodes, 1)
			require.Empty(t, c.Delta.Trees)
			require.Empty(t, c.Delta.Place)
		})
	}
	const rack = "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: net/rack}]}}\n---\n"
	for name, of := range map[string]func(i int) string{
		"a node comes": func(i int) string { return strings.Replace(nodeOne, "n1", "m"+strconv.Itoa(i), 1) },
		"another label": func(i int) string {
			return strings.Replace(nodeOne, "net/rack", "owner: me"+strconv.Itoa(i)+", net/rack", 1)
		},
		"other resources": func(i int) string { return strings.Replace(nodeOne, "cpu", "memory: 1, gpu"+strconv.Itoa(i), 1) },
	} {
		require.LessOrEqual(t, allocations(400, "", of), 1.1*allocations(20, "", of), name)
		if name != "a node comes" {
			require.LessOrEqual(t, allocations(400, rack, of), 1.1*allocations(20, rack, of), name)
		}
	}
}

// A gang without a topology is told which labels look like layers, as they are now.
func TestStoreTellsLayersThatLabelsMayMake(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	node := func(name, labels string) string {
		return `{apiVersion: v1, kind: Node, metadata: {name: ` + name + `, labels: {` + labels + `}}, status: {allocatable: {cpu: 4}}}`
	}
	s.set(t, node("n1", "net/rack: a")+"\n---\n"+node("n2", "net/rack: a")+"\n---\n"+node("n3", "")+`
---
apiVersion: scheduling.sigs.k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train}
spec: {minMember: 1, networkTopologyAware: {gatherStrategy: [{layer: rack, strategy: MustGather}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {pod-group.scheduling.sigs.k8s.io: train}}}
`)
	require.NotContains(t, s.Input().Gangs[0].Err.Error(), "-layers")
	c := s.set(t, node("n3", "net/rack: b"))
	require.Equal(t, []string{"default/train"}, gangsOf(c))
	require.ErrorContains(t, c.Gangs[0].Err, "-layers rack (Options.Layers)")
	require.Contains(t, strings.Join(c.Notices, "\n"), "net/rack (2 values)")
	c = s.set(t, node("n4", "net/rack: c"))
	require.Empty(t, c.Gangs, "told in the same words")
	require.Contains(t, strings.Join(c.Notices, "\n"), "net/rack (3 values)")
	require.Contains(t, s.remove(t, node("n4", "")).Notices[0], "net/rack (2 values)")
	topology := "{apiVersion: kueue.x-k8s.io/v1beta1, kind: Topology, metadata: {name: default}, spec: {levels: [{nodeLabel: net/rack}]}}"
	s.set(t, topology)
	require.NotContains(t, strings.Join(s.Input().Notices, "\n"), "-layers")
	s.remove(t, topology)
	c = s.set(t, node("n3", "net/rack: a"))
	require.NotContains(t, c.Gangs[0].Err.Error(), "-layers")
}

// A node that is the first, or the last, to report a part of devices changes what pods that ask for it hold.
func TestStoreFollowsResourcesThatNodesReport(t *testing.T) {
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	with := strings.Replace(nodeTwo, "cpu: 4", "cpu: 4, koordinator.sh/gpu-core: 100", 1)
	s.set(t, nodeOne+"\n---\n"+nodeTwo+`
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, resources: {requests: {cpu: 1, koordinator.sh/gpu-core: 50}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
`)
	require.Equal(t, []string{"default/a"}, gangsOf(s.set(t, with)))
	require.Empty(t, gangsOf(s.set(t, strings.Replace(with, "n2", "n3", 1))))
	require.Empty(t, gangsOf(s.remove(t, with)))
	require.Equal(t, []string{"default/a"}, gangsOf(s.remove(t, strings.Replace(with, "n2", "n3", 1))))
}

// A budget that went before the cluster was made anew, and comes back as it was, is told again.
func TestStoreTellsBudgetsAgain(t *testing.T) {
	const (
		node   = `{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}`
		budget = `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 1, selector: {}}}`
	)
	s := &nodesStore{manifest.NewStore(manifest.Options{}), map[string]map[string]any{}}
	s.set(t, node+"\n---\n"+budget)
	s.remove(t, budget)
	s.remove(t, node)
	require.True(t, s.set(t, node).Rebuild)
	require.Equal(t, []cluster.Budget{{Name: "default/b"}}, s.set(t, budget).Delta.Budgets)
}
