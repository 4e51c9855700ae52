package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/render"
)

// A rule that plans do not keep is told once, with the gangs that have it, and in words where its name is none.
func TestIgnoredRulesAreToldOnce(t *testing.T) {
	var outcomes []render.Outcome
	for _, gang := range []string{"ns/e", "ns/d", "ns/c", "ns/b", "ns/a"} {
		outcomes = append(outcomes, render.Outcome{Gang: gang, Ignored: map[string]int{"kueueQuota": 2}})
	}
	outcomes[1].Ignored["absentGroup"] = 3
	require.Equal(t, []string{
		"ns/d: absentGroup names a PodGroup that is not in the input, so that its minimum and rules are not known (pods: 3)",
		"ns/e, ns/d, ns/c, ns/b, and 1 more: kueueQuota is not modelled and ignored (pods: 10)",
	}, ignoredRules(outcomes))
}

// Members on one node have its name once; refusals that look alike are drawn once, and gangs whose slots nobody knows not at all.
func TestNothingIsToldTwice(t *testing.T) {
	pod := func(name, group, rest string) string {
		return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", annotations: {scheduling.k8s.io/group-name: " + group + "}" + rest + "}, spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: 1}}}]}}\n"
	}
	group := func(name string, least string) string {
		return "---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: " + name + "}, spec: {minMember: " + least + "}}\n"
	}
	files := "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {nvidia.com/gpu: 3}}}\n" +
		group("a", "3") + pod("a-x7d", "a", "") + pod("a-q2w", "a", "") + pod("a-master", "a", "") +
		group("b", "2") + pod("b-0", "b", "") + pod("b-1", "b", "") + group("c", "2") + pod("c-0", "c", "") + pod("c-1", "c", "")
	status, out, said := command(t, files, "-")
	require.Zero(t, status, said)
	require.Equal(t, `default/a: placed, 3 members in node n1, strategy 1
  (nodes)  AAA
  A a-master a-q2w a-x7d -> n1

default/b: unschedulable: insufficient slots, 0 of 2 (proven)
  (nodes)  xxx
  of 1 node without room: 1 has too little nvidia.com/gpu

default/c: unschedulable: insufficient slots, 0 of 2 (proven)
  on nodes as drawn for default/b
  of 1 node without room: 1 has too little nvidia.com/gpu
`, out)

	_, out, _ = command(t, files, "-explain", "default/b", "-")
	require.NotContains(t, out, "No node has room for a member.", "the cluster has none")
	require.NotContains(t, out, "The first node", "who holds what is told of the cluster")
	require.Contains(t, out, "If 1 node like n1 were added, it would start there.", "the name of a node that is made up says nothing")
}

// Too few pods of a subgroup are told as such: no slot is drawn, for nothing was planned, and nothing is said of room.
func TestGangsThatLackPodsOfAPart(t *testing.T) {
	dir := "../../placement/manifest/testdata/controllers/"
	node := "{apiVersion: v1, kind: Node, metadata: {name: n05, labels: {topology.kubernetes.io/zone: z, topology.kubernetes.io/rack: r, network.topology.nvidia.com/spine: s, network.topology.nvidia.com/block: b}}, status: {allocatable: {cpu: 126, memory: 500Gi, nvidia.com/gpu: 8, pods: 110}}}"
	status, out, said := command(t, node, "-keep-going", "-explain", dir+"cluster.yaml", dir+"kai-half.yaml", "-")
	require.Zero(t, status, said)
	require.Contains(t, out, "unschedulable: minMember of subgroup worker, 1 of 2 (proven)\n\nkai/pg-half")
	require.Contains(t, strings.Join(strings.Fields(out), " ")+"$", " cannot start: it needs 2 members of subgroup worker, and only 1 is known.$")
}
