package manifest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// named is what names a pod, and no more.
func named(pod map[string]any) map[string]any {
	meta := pod["metadata"].(map[string]any)
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"namespace": meta["namespace"], "name": meta["name"]},
	}
}

func identified(pod map[string]any, uid string) map[string]any {
	return with(pod, "metadata", "uid", uid)
}

// A pod that a host has bound runs, whatever older objects say, until one names its node, and where it is another pod, until then.
func TestStoreAssumes(t *testing.T) {
	waiting := func(i int, uid string) map[string]any { return identified(bound(runningPod(i, 2, ""), ""), uid) }
	store := manifest.NewStore(manifest.Options{})
	for _, o := range []map[string]any{bareNode("n1"), bareNode("n2"), waiting(0, "a"), waiting(1, "b")} {
		require.NoError(t, store.Set(o))
	}
	gangs := store.Changes().Gangs
	require.Len(t, gangs, 1)
	require.Len(t, gangs[0].Request.Members, 2)

	namespace, name, ok := gangs[0].Pod("pod-0")
	require.Equal(t, []any{"team", "pod-0", true}, []any{namespace, name, ok})
	_, _, ok = gangs[0].Pod("pod-2")
	require.False(t, ok)

	require.NoError(t, store.Assume(named(waiting(0, "")), "n1"))
	changes := store.Changes()
	require.Len(t, changes.Gangs[0].Request.Members, 1)
	require.Len(t, changes.Delta.Place, 1)
	require.Equal(t, "n1", changes.Delta.Place[0].Node)

	// What says nothing of a node is older, whatever else it says.
	labeled := with(waiting(0, "a"), "metadata", "annotations", map[string]any{"some": "note"})
	require.NoError(t, store.Set(waiting(0, "a")))
	require.Equal(t, &manifest.Changes{}, store.Changes())
	require.NoError(t, store.Set(labeled))
	require.Empty(t, store.Changes().Delta.Place)

	// A host may think again; then its object ends it.
	require.NoError(t, store.Assume(named(waiting(0, "")), "n2"))
	require.Equal(t, "n2", store.Changes().Delta.Place[0].Node)
	require.NoError(t, store.Set(bound(labeled, "n1")))
	require.Equal(t, "n1", store.Changes().Delta.Place[0].Node)
	require.NoError(t, store.Forget(named(labeled)))
	require.Equal(t, &manifest.Changes{}, store.Changes(), "nothing is assumed any more")
	require.ErrorContains(t, store.Assume(named(labeled), "n2"), `pod team/pod-0 "n1": has a node`)

	// Forgotten, it waits; deleted and made anew, nobody has bound it.
	require.NoError(t, store.Assume(named(waiting(1, "")), "n2"))
	require.NoError(t, store.Forget(named(waiting(1, ""))))
	require.Empty(t, store.Changes().Delta.Place)
	require.NoError(t, store.Assume(named(waiting(1, "")), "n2"))
	require.Equal(t, []string{"team/gang-0"}, store.Changes().Gone)
	require.NoError(t, store.Set(waiting(1, "c")))
	changes = store.Changes()
	require.Len(t, changes.Gangs, 1)
	require.Equal(t, []cluster.MemberRef{{Gang: "team/gang-0", Member: "pod-1"}}, changes.Delta.Remove)
	require.NoError(t, store.Assume(named(waiting(1, "")), "n2"))
	require.NoError(t, store.Delete(named(waiting(1, ""))))
	require.NoError(t, store.Set(waiting(1, "c")))
	require.Equal(t, &manifest.Changes{}, store.Changes(), "it waits as before")
	require.Len(t, store.Input().Gangs, 1)

	var invalid *muster.InvalidError
	require.ErrorAs(t, store.Assume(named(waiting(7, "")), "n1"), &invalid)
	require.Equal(t, "Pod team/pod-7: no such pod is in the store", invalid.Error())
	require.ErrorContains(t, store.Assume(named(waiting(1, "")), ""), "no node is named for it")
	require.ErrorContains(t, store.Assume(bareNode("n1"), "n1"), "no such pod")
	require.Error(t, store.Forget(map[string]any{}))
	require.Error(t, (*manifest.Store)(nil).Assume(named(waiting(1, "")), "n1"))
}

// Whatever a host assumes and forgets between what it hears, the store holds what Read reads of the same objects with those nodes.
func TestStoreAssumesAsIfBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := manifest.Options{KeepGoing: true}
		store, m := manifest.NewStore(opt), newMirror()
		present, heard, at := map[string]map[string]any{}, map[string]map[string]any{}, map[string]string{}
		set := func(o map[string]any) {
			require.NoError(t, store.Set(o))
			heard[idOf(o)] = o
			if spec, _ := o["spec"].(map[string]any); spec["nodeName"] != nil {
				delete(at, idOf(o))
			}
		}
		for i := range 2 {
			set(bareNode(fmt.Sprint("n", i)))
		}
		const pods = 6
		pod := func() map[string]any {
			i := rapid.IntRange(0, pods-1).Draw(t, "pod")
			o := runningPod(i, 3, "")
			delete(o["spec"].(map[string]any), "nodeName")
			return o
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			o := pod()
			id, node := idOf(o), fmt.Sprint("n", rapid.IntRange(0, 1).Draw(t, "node"))
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				set(o)
			case 2:
				set(bound(o, node))
			case 3:
				spec, _ := heard[id]["spec"].(map[string]any)
				if err := store.Assume(named(o), node); heard[id] == nil || spec["nodeName"] != nil {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
					at[id] = node
				}
			case 4:
				if err := store.Forget(named(o)); heard[id] == nil {
					require.Error(t, err)
				}
				delete(at, id)
			default:
				require.NoError(t, store.Delete(o))
				delete(heard, id)
				delete(at, id)
			}
			clear(present)
			maps.Copy(present, heard)
			for id, node := range at {
				present[id] = bound(present[id], node)
			}
			m.agrees(t, store, present, opt)
		}
	})
}

// A host that plans, applies and binds keeps one cluster: what it has done itself and what it hears go together, and no step needs another one.
func TestHostsOwnDecisionsBesideTheStores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := manifest.NewStore(manifest.Options{})
		for i := range 3 {
			require.NoError(t, store.Set(bareNode(fmt.Sprint("n", i))))
		}
		objects, queue := map[string]map[string]any{}, map[string]manifest.Gang{}
		store.Changes()
		c, err := placement.NewCluster(store.Input().Spec)
		require.NoError(t, err)
		follow := func() {
			changes := store.Changes()
			require.False(t, changes.Rebuild)
			c, err = c.Update(changes.Delta)
			require.NoError(t, err)
			require.Empty(t, c.LeftOut())
			for _, name := range changes.Gone {
				delete(queue, name)
			}
			for _, g := range changes.Gangs {
				queue[g.Request.Name] = g
			}
		}
		hear := func(o map[string]any) {
			require.NoError(t, store.Set(o))
			objects[idOf(o)] = o
		}
		for i := range rapid.IntRange(1, 12).Draw(t, "pods") {
			o := runningPod(i, 3, "")
			delete(o["spec"].(map[string]any), "nodeName")
			hear(o)
		}
		var assumed []map[string]any
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch names := slices.Sorted(maps.Keys(queue)); rapid.IntRange(0, 4).Draw(t, "step") {
			case 0:
				follow()
			case 1: // plan and apply, and tell the store of all or some
				if len(names) == 0 {
					continue
				}
				g := queue[rapid.SampledFrom(names).Draw(t, "gang")]
				res, err := placement.Plan(c, &g.Request)
				if err != nil {
					continue
				}
				next, err := c.Apply(res)
				if err != nil {
					continue // some of it is bound already
				}
				c = next
				for _, a := range res.Assignments {
					namespace, name, _ := g.Pod(a.Member)
					o := objects["/Pod/"+namespace+"/"+name]
					if o == nil || o["spec"].(map[string]any)["nodeName"] != nil {
						continue
					}
					if rapid.Bool().Draw(t, "assumed") {
						require.NoError(t, store.Assume(named(o), a.Node))
						assumed = append(assumed, bound(o, a.Node))
					}
				}
			case 2: // what was assumed is heard of
				for _, o := range assumed {
					if objects[idOf(o)] != nil {
						hear(o)
					}
				}
				assumed = nil
			case 3: // bound by somebody else
				if id := rapid.SampledFrom(slices.Sorted(maps.Keys(objects))).Draw(t, "pod"); objects[id]["spec"].(map[string]any)["nodeName"] == nil {
					hear(bound(objects[id], "n0"))
				}
			default:
				id := rapid.SampledFrom(slices.Sorted(maps.Keys(objects))).Draw(t, "pod")
				if rapid.Bool().Draw(t, "deleted") && len(objects) > 1 {
					require.NoError(t, store.Delete(objects[id]))
					delete(objects, id)
				}
			}
		}
		// In the end all is heard of; what a host only thought that it had bound it takes back.
		for _, id := range slices.Sorted(maps.Keys(objects)) {
			require.NoError(t, store.Forget(named(objects[id])))
			hear(objects[id])
		}
		follow()
		fresh, err := placement.NewCluster(store.Input().Spec)
		require.NoError(t, err)
		d := cluster.Delta{Observed: true}
		for r := range c.Running() {
			if !slices.ContainsFunc(slices.Collect(fresh.Running()), func(o cluster.Running) bool { return o.Gang == r.Gang && o.Member == r.Member }) {
				d.Remove = append(d.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
			}
		}
		c, err = c.Update(d)
		require.NoError(t, err)
		requireSame(t, fresh, c)
	})
}

// A node that is nominated for a pod is kept for it, from before a restart, until it has one or is nominated no more.
func TestNominatedNodesAreHeld(t *testing.T) {
	pod := func(i int, node string) map[string]any {
		o := runningPod(i, 2, "")
		if node != "" {
			o["status"] = map[string]any{"nominatedNodeName": node}
		}
		return o
	}
	store := manifest.NewStore(manifest.Options{})
	for _, o := range []map[string]any{bareNode("n1"), pod(0, "n1"), pod(1, "gone")} {
		require.NoError(t, store.Set(o))
	}
	store.Changes()
	held := []cluster.Hold{{Gang: "team/gang-0", Member: "pod-0", Node: "n1", Resources: muster.Resources{muster.CPU: 1000, muster.Pods: 1}}}
	require.Equal(t, held, store.Input().Spec.Holds)
	c, err := placement.NewCluster(store.Input().Spec)
	require.NoError(t, err)
	require.Equal(t, held, c.Holds())

	require.NoError(t, store.Set(pod(0, "")))
	changes := store.Changes()
	require.Equal(t, cluster.Delta{Observed: true, Holds: map[string][]cluster.Hold{"team/gang-0": nil}}, changes.Delta)
	require.Empty(t, changes.Gangs, "it asks for what it asked for")
	require.NoError(t, store.Set(pod(0, "n1")))
	require.Equal(t, held, store.Changes().Delta.Holds["team/gang-0"])
	require.NoError(t, store.Set(bareNode("gone")))
	require.Len(t, store.Changes().Delta.Holds["team/gang-0"], 2, "the node of the other one is there")
	require.NoError(t, store.Set(bound(pod(0, "n1"), "n1")))
	changes = store.Changes()
	require.Len(t, changes.Delta.Place, 1)
	require.Len(t, changes.Delta.Holds["team/gang-0"], 1)
}

// What happens to a gang and its pods is told in order, however many moved at once.
func TestStoreTellsEvents(t *testing.T) {
	const pods = 12
	store := manifest.NewStore(manifest.Options{})
	require.NoError(t, store.Set(bareNode("n")))
	var want []permit.Event
	ev := func(kind permit.EventKind, i int) permit.Event {
		return permit.Event{Kind: kind, Gang: "team/gang-0", Member: fmt.Sprint("pod-", i)}
	}
	want = append(want, permit.Event{Kind: permit.GangChanged, Gang: "team/gang-0", Terms: gang.Terms{MinMember: pods}})
	for i := range pods {
		require.NoError(t, store.Set(runningPod(i, pods, "")))
		want = append(want, ev(permit.MemberSeen, i))
	}
	require.Equal(t, want, store.Changes().Events)
	want = nil
	for i := range pods {
		require.NoError(t, store.Assume(named(runningPod(i, pods, "")), "n"))
		want = append(want, ev(permit.MemberBound, i))
	}
	require.Equal(t, want, store.Changes().Events)
	want = nil
	for i := range pods {
		require.NoError(t, store.Set(over(runningPod(i, pods, "n"), "Succeeded")))
		want = append(want, ev(permit.MemberDeleted, i))
	}
	require.Equal(t, want, store.Changes().Events[:pods])
}
