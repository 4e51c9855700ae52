package main

import (
	"fmt"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
)

// watch is what a scheduler does with the objects that its informers hold: each goes into a store when it is added, changed or
// deleted; now and then the store tells what that changes.
func watch() {
	store := manifest.NewStore(manifest.Options{})
	var c *placement.Cluster
	waiting := map[string]manifest.Gang{}
	follow := func() {
		changes := store.Changes()
		var err error
		if changes.Rebuild {
			c, err = placement.NewCluster(store.Input().Spec)
		} else {
			c, err = c.Update(changes.Delta)
		}
		check(err)
		for _, name := range changes.Gone {
			delete(waiting, name)
		}
		for _, g := range changes.Gangs { // new ones, and those that ask for something else now
			waiting[g.Request.Name] = g
		}
		fmt.Printf("%d nodes, %d running, waiting: %d; changed: %d nodes, %d placed, %d gangs\n", c.Len(), runs(c), len(waiting),
			len(changes.Delta.SetNodes), len(changes.Delta.Place), len(changes.Gangs))
	}

	check(store.Set(object("kueue.x-k8s.io/v1beta1", "Topology", "default", "spec", map[string]any{
		"levels": []any{map[string]any{"nodeLabel": "net/block"}, map[string]any{"nodeLabel": "net/rack"}},
	})))
	for i := range 8 {
		node := object("v1", "Node", fmt.Sprintf("node-%d", i), "status", map[string]any{"allocatable": map[string]any{"gpu": "8"}})
		node["metadata"].(map[string]any)["labels"] = map[string]any{"net/block": "b0", "net/rack": fmt.Sprintf("r%d", i/4)}
		check(store.Set(node))
	}
	check(store.Set(object("scheduling.x-k8s.io/v1alpha1", "PodGroup", "train", "spec", map[string]any{"minMember": int64(2)})))
	for i := range 2 {
		check(store.Set(pod(i, "")))
	}
	follow() // everything is new

	gang := waiting["default/train"]
	res, err := placement.Plan(c, &gang.Request)
	check(err)
	for i, a := range res.Assignments { // binding, which comes back as a change of the pods
		check(store.Set(pod(i, a.Node)))
	}
	follow()
	check(store.Delete(pod(1, "")))
	follow()
}

func runs(c *placement.Cluster) (n int) {
	for range c.Running() {
		n++
	}
	return n
}

// pod is a member of the gang, bound to a node if one is given.
func pod(i int, node string) map[string]any {
	spec := map[string]any{"containers": []any{map[string]any{
		"name": "main", "resources": map[string]any{"requests": map[string]any{"gpu": "8"}},
	}}}
	if node != "" {
		spec["nodeName"] = node
	}
	p := object("v1", "Pod", fmt.Sprintf("train-%d", i), "spec", spec)
	p["metadata"].(map[string]any)["labels"] = map[string]any{"pod-group.scheduling.sigs.k8s.io": "train"}
	return p
}

// object is one as clients without types hold it.
func object(version, kind, name, key string, value map[string]any) map[string]any {
	return map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name}, key: value}
}
