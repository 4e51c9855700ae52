package extender

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Each member goes to its node of one plan, in the rack that holds the gang; while they are bound the plan stays.
func TestGangGoesWhereItIsPlanned(t *testing.T) {
	h := serve(t, racks(), []obj{pod("other", "", "n0", 0)}, job("train", 2, 0))
	r := h.filter("train-0", all...)
	require.Equal(t, []string{"n2"}, *r.NodeNames)
	require.Equal(t, "muster: the plan of a/train has n2 for it", r.FailedNodes["n0"])
	require.Empty(t, r.FailedAndUnresolvableNodes)

	var list extenderv1.HostPriorityList
	code, _ := h.post("prioritize", extenderv1.ExtenderArgs{Pod: of("train-0"), NodeNames: &all}, &list)
	require.Equal(t, http.StatusOK, code)
	require.Equal(t, extenderv1.HostPriorityList{{Host: "n0"}, {Host: "n1"}, {Host: "n2", Score: 10}, {Host: "n3"}}, list)

	require.Empty(t, h.bind("train-0", "n2"))
	require.Equal(t, "n3", h.goesTo("train-1", "n1", "n3"))
	h.set(pod("train-0", "train", "n2", 0)) // as the informer tells it later
	require.Equal(t, "n3", h.goesTo("train-1", "n1", "n3"))
	require.Equal(t, 1, h.plans("planned"))
	require.Empty(t, h.bind("train-1", "n3"))
	require.Len(t, h.bound, 2)
	require.Equal(t, "uid-train-1", string(h.bound[1].UID))
	require.Equal(t, "n3", h.bound[1].Target.Name)
	require.Contains(t, h.filter("train-1", all...).Error, "does not wait for a node")
	require.Empty(t, h.e.State.plans)
	require.Empty(t, h.e.State.cluster.Holds())
}

// The scheduler sends whole nodes where it is told that the extender has none.
func TestWholeNodes(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	args := extenderv1.ExtenderArgs{Pod: of("train-1"), Nodes: &v1.NodeList{}}
	for _, n := range all {
		node := v1.Node{}
		node.Name = n
		args.Nodes.Items = append(args.Nodes.Items, node)
	}
	var r extenderv1.ExtenderFilterResult
	code, _ := h.post("filter", args, &r)
	require.Equal(t, http.StatusOK, code)
	require.Nil(t, r.NodeNames)
	require.Len(t, r.Nodes.Items, 1)
	require.Equal(t, "n1", r.Nodes.Items[0].Name)
	require.Len(t, r.FailedNodes, 3)

	code, _ = h.post("filter", extenderv1.ExtenderArgs{Pod: of("train-1")}, &r)
	require.Equal(t, http.StatusOK, code)
}

// A gang keeps the room of its plan until its members come, or do not come for too long.
func TestRoomIsHeld(t *testing.T) {
	h := serve(t, racks(), job("first", 3, 0), job("second", 2, 0))
	h.goesTo("first-0", all...)
	require.Contains(t, h.refusal("second-0", all...), "unschedulable")
	require.Empty(t, h.bind("first-0", h.goesTo("first-0", all...)))
	require.Contains(t, h.refusal("second-0", all...), "unschedulable")
	h.clock = h.clock.Add(DefaultTimeout + time.Second)
	h.goesTo("second-0", all...) // nobody has asked for the others of the first
	require.Contains(t, h.refusal("first-1", all...), "unschedulable")
}

// A gang that was refused is planned again as soon as a plan ends that held the room.
func TestRefusedUntilRoomIsFree(t *testing.T) {
	h := serve(t, racks(), job("first", 3, 0), job("second", 2, 0))
	h.goesTo("first-0", all...)
	h.clock = h.clock.Add(DefaultTimeout - time.Second)
	h.refusal("second-0", all...)
	h.clock = h.clock.Add(2 * time.Second)
	h.goesTo("second-0", all...)
}

// The others of a gang follow a member that the scheduler has elsewhere.
func TestElsewhere(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	require.Equal(t, "n1", h.goesTo("train-1", all...))
	require.Empty(t, h.bind("train-0", "n2"))
	require.Equal(t, "n3", h.goesTo("train-1", all...))
}

// Other topologies make other plans.
func TestTopologyChanges(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0), []obj{pod("other", "", "n0", 0)})
	require.Equal(t, "n3", h.goesTo("train-1", all...))
	tree := racks()[0]
	tree["spec"].(obj)["levels"] = []any{obj{"nodeLabel": "net/row"}}
	h.set(tree)
	require.Equal(t, "n1", h.goesTo("train-0", all...))
	require.Equal(t, "n3", h.goesTo("train-1", all...))
}

// Room that is held is there for a gang of a higher priority; the plan that had it is made anew.
func TestHigherPriorityTakesHeldRoom(t *testing.T) {
	h := serve(t, racks(), job("low", 3, 0), job("high", 3, 5))
	h.goesTo("low-0", all...)
	h.goesTo("high-0", all...)
	require.Contains(t, h.refusal("low-0", all...), "unschedulable")
}

// Members change places where the scheduler does not offer the node of one: it holds that node for another one that it has nominated.
func TestMembersChangePlaces(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0), []obj{pod("other", "", "n2", 0)})
	require.Equal(t, "n1", h.goesTo("train-0", "n1", "n3"))
	require.Equal(t, "n0", h.goesTo("train-1", "n0", "n3"))
	require.Equal(t, "n1", h.goesTo("train-0", "n1", "n3"))
}

// What the scheduler did not offer a moment ago, for this member or another, does not keep a gang from its plan.
func TestOfferedAgain(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0), []obj{pod("other", "", "n2", 0), pod("another", "", "n3", 0)})
	h.refusal("train-0", "n3")
	h.refusal("train-1", "n3")
	require.Equal(t, "n0", h.goesTo("train-1", "n0"))
	require.Equal(t, "n1", h.goesTo("train-0", all...))
}

// The scheduler may hear of a pod before the extender does.
func TestPodToldLate(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	h.e.State.lag = time.Minute
	told := make(chan error, 1)
	time.AfterFunc(20*time.Millisecond, func() { told <- h.e.State.Set(pod("late", "", "", 0)) })
	require.Equal(t, all, *h.filter("late", all...).NodeNames)
	require.NoError(t, <-told)
}

// A node that the scheduler does not offer for a member is not planned for it.
func TestNotOffered(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	require.Equal(t, "n2", h.goesTo("train-0", "n2", "n3")) // neither n0 nor n1, and so the other rack
	require.Equal(t, "n3", h.goesTo("train-1", all...))
	require.Contains(t, h.refusal("train-0", "other"), "(without 4 nodes that the scheduler does not offer)")
	h.clock = h.clock.Add(DefaultTimeout + time.Second)
	require.Equal(t, "n0", h.goesTo("train-0", all...))

	var many []obj
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("m%d", i))
		many = append(many, node(names[i], "r"))
	}
	h = serve(t, many, job("train", 2, 0))
	require.Equal(t, "m33", h.goesTo("train-0", names[33:]...)) // more than are tried one by one
}

// What others do on the nodes of a plan makes another one; what they do elsewhere does not.
func TestStalePlans(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	require.Equal(t, "n0", h.goesTo("train-0", all...))
	h.set(pod("elsewhere", "", "n3", 0))
	require.Equal(t, "n0", h.goesTo("train-0", all...))
	require.Equal(t, 1, h.plans("planned"))
	beat := node("n0", "r0")
	beat["status"].(obj)["conditions"].([]any)[0].(obj)["lastHeartbeatTime"] = "2026-01-01T00:00:00Z"
	h.set(beat) // says nothing new
	require.Equal(t, "n1", h.goesTo("train-1", all...))
	require.Equal(t, 1, h.plans("planned"))
	h.delete(pod("elsewhere", "", "n3", 0))
	h.set(pod("there", "", "n1", 0))
	require.Equal(t, "n2", h.goesTo("train-0", all...))
	require.Equal(t, "n3", h.goesTo("train-1", all...))
	require.Equal(t, 2, h.plans("planned"))
	cordoned := node("n3", "r1")
	cordoned["spec"] = obj{"unschedulable": true}
	h.set(cordoned)
	require.Equal(t, "n0", h.goesTo("train-0", all...))
	require.Equal(t, "n2", h.goesTo("train-1", all...))
	h.set(pod("train-2", "train", "", 0), group("train", 3))
	require.Contains(t, h.refusal("train-2", all...), "unschedulable")
	h.delete(pod("there", "", "n1", 0))
	h.goesTo("train-2", all...)
	require.Empty(t, h.bind("train-0", "n1")) // wherever the scheduler has it
	h.goesTo("train-2", all...)
	require.NotEqual(t, h.goesTo("train-1", all...), h.goesTo("train-2", all...))
}

// A gang that is refused has no node; it is planned again once something has changed, and not before.
func TestRefused(t *testing.T) {
	h := serve(t, racks(), job("large", 5, 0))
	r := h.filter("large-0", all...)
	require.Empty(t, *r.NodeNames)
	require.Len(t, r.FailedAndUnresolvableNodes, 4)
	require.Contains(t, r.FailedAndUnresolvableNodes["n0"], "muster: ")
	require.Contains(t, r.FailedAndUnresolvableNodes["n0"], "a/large")
	require.NotContains(t, r.FailedAndUnresolvableNodes["n0"], "\n")
	h.refusal("large-1", all...)
	require.Equal(t, 1, h.plans("refused"))
	h.set(node("n4", "r2"))
	h.goesTo("large-1", append(slices.Clone(all), "n4")...)

	h.set(group("small", 2), pod("small-0", "small", "", 0)) // one of two is there
	require.Contains(t, h.refusal("small-0", all...), "minMember")
}

// Of a gang that declares less than it has, those who are not placed stay out.
func TestLeftOut(t *testing.T) {
	h := serve(t, racks(), job("some", 5, 0), []obj{group("some", 2)})
	require.Equal(t, "muster: a/some starts with 4 members, without this one", h.refusal("some-4", all...))
	require.Equal(t, "n3", h.goesTo("some-3", all...))
}

func TestTogether(t *testing.T) {
	together := func(name string, members int) []obj {
		g := job(name, members, 0)
		for _, o := range g {
			o["metadata"].(obj)["annotations"] = obj{"gang.scheduling.koordinator.sh/groups": `["a/one","a/two"]`}
			delete(o["metadata"].(obj), "labels")
			o["metadata"].(obj)["labels"] = obj{"pod-group.scheduling.sigs.k8s.io": name}
		}
		g[0]["apiVersion"] = "scheduling.sigs.k8s.io/v1alpha1"
		return g
	}
	h := serve(t, racks(), together("one", 2))
	require.Contains(t, h.refusal("one-0", all...), "muster: ")
	h.set(together("two", 2)...)
	a, b := h.goesTo("one-0", all...), h.goesTo("two-0", all...)
	require.NotEqual(t, a, b)
	require.Equal(t, 2, h.plans("planned"))
	h.set(pod("foreign", "", b, 0))
	require.NotEmpty(t, h.refusal("one-0", all...))
}

// The scheduler evicts on the node of the plan whom the plan evicts there; until these are gone nobody of the gang starts.
func TestPreempt(t *testing.T) {
	var low []obj
	for i, n := range all[:3] {
		low = append(low, pod(fmt.Sprintf("low-%d", i), "", n, 1))
	}
	h := serve(t, racks(), low, job("train", 2, 9))
	require.Equal(t, "muster: waits until a/low-2 are gone", h.refusal("train-0", all...))
	require.Empty(t, h.e.State.cluster.Holds())
	require.Equal(t, "0", h.metric("muster_extender_errors_total"))
	victims := func(pod string, nodes ...string) map[string]*extenderv1.MetaVictims {
		args := extenderv1.ExtenderPreemptionArgs{Pod: of(pod), NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
		whole := extenderv1.ExtenderPreemptionArgs{Pod: of(pod), NodeNameToVictims: map[string]*extenderv1.Victims{}}
		for _, n := range nodes {
			args.NodeNameToMetaVictims[n] = &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{{UID: "somebody"}}, NumPDBViolations: 3}
			whole.NodeNameToVictims[n] = &extenderv1.Victims{Pods: []*v1.Pod{of("somebody")}, NumPDBViolations: 3}
		}
		var r, same extenderv1.ExtenderPreemptionResult
		code, text := h.post("preempt", args, &r)
		require.Equal(t, http.StatusOK, code, text)
		_, _ = h.post("preempt", whole, &same)
		require.Equal(t, len(r.NodeNameToMetaVictims), len(same.NodeNameToMetaVictims))
		return r.NodeNameToMetaVictims
	}
	require.Equal(t, map[string]*extenderv1.MetaVictims{"n2": {Pods: []*extenderv1.MetaPod{{UID: "uid-low-2"}}, NumPDBViolations: 3}}, victims("train-0", "n0", "n1", "n2"))
	require.Empty(t, victims("train-0", "n0"))
	require.Empty(t, victims("train-1", "n0", "n3"))
	require.Equal(t, victims("train-0", "n2"), victims("train-1", "n0", "n2", "n3")) // its node is free
	h.set(pod("plain", "", "", 9))
	require.Len(t, victims("plain", "n0", "n1"), 2)

	leaving := pod("low-2", "", "n2", 1)
	leaving["metadata"].(obj)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	h.set(leaving)
	require.Equal(t, "muster: waits until a/low-2 are gone", h.refusal("train-1", all...))
	require.Empty(t, victims("train-0", "n0", "n1", "n2"))
	h.delete(leaving)
	require.Equal(t, "n2", h.goesTo("train-0", all...))
	require.Equal(t, "n3", h.goesTo("train-1", all...))
	require.Empty(t, victims("train-0", all...))
}

// A pod that could not be bound waits again.
func TestBindFails(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	h.fails = errors.New("no")
	require.Equal(t, "no", h.bind("train-0", h.goesTo("train-0", all...)))
	require.Equal(t, "n0", h.goesTo("train-0", all...))
	require.Equal(t, "n1", h.goesTo("train-1", all...))
	require.Len(t, h.e.State.cluster.Holds(), 2)
	h.fails = nil
	require.Empty(t, h.bind("train-0", "n0"))
	require.Contains(t, h.bind("nobody", "n0"), "is not known here yet")
	h.set(pod("train-1", "train", "n1", 0))
	require.NotEmpty(t, h.bind("train-1", "n1"))
}

// Pods in no gang go wherever they fit; a pod that the informers have not told of is an error, which the scheduler tries again.
func TestOtherPods(t *testing.T) {
	h := serve(t, racks(), []obj{pod("plain", "", "", 0)})
	require.Equal(t, all, *h.filter("plain", all...).NodeNames)
	require.Contains(t, h.filter("late", all...).Error, "is not known here yet")
	again := of("plain")
	again.UID = "another"
	var r extenderv1.ExtenderFilterResult
	h.post("filter", extenderv1.ExtenderArgs{Pod: again, NodeNames: &all}, &r)
	require.Contains(t, r.Error, "is not known here yet")
	code, text := h.post("preempt", extenderv1.ExtenderPreemptionArgs{Pod: of("late")}, nil)
	require.Equal(t, http.StatusConflict, code)
	require.Contains(t, text, "is not known here yet")
	var list extenderv1.HostPriorityList
	h.post("prioritize", extenderv1.ExtenderArgs{Pod: of("late"), NodeNames: &all}, &list)
	require.Len(t, list, 4)
	require.Empty(t, h.bind("plain", "n1"))
}
