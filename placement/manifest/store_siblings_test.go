package manifest_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/placement/manifest"
)

// Pods of one gang that say the same are not each read alone: what lists one of them by its name, or is called as one of them, still finds who asks for it.
func TestStoreKnowsWhatPodsThatSayTheSameAskFor(t *testing.T) {
	const label = "labels: {scheduling.x-k8s.io/pod-group: a-1}"
	objects := objectsOf(`
{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: 4}}}
---
{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: g}, spec: {podgroups: [{name: x, minReplicas: 1, podReferences: [{namespace: default, name: a-2}]}]}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: a-1}, spec: {minMember: 2}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: b}, spec: {minMember: 2}}`)
	for i := range 4 {
		objects = append(objects, objectsOf(fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: a-%d, %s}, spec: {containers: [{name: c}]}}", i, label))...)
		objects = append(objects, objectsOf(fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: c-%d}, spec: {workloadRef: {name: c, podGroup: '1'}, containers: [{name: c}]}}", i))...)
	}
	rapid.Check(t, func(t *rapid.T) {
		store, present := manifest.NewStore(manifest.Options{}), map[string]map[string]any{}
		m := newMirror()
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(1, 2*len(objects)).Draw(t, "calls") {
				o := rapid.SampledFrom(objects).Draw(t, "object")
				if rapid.IntRange(0, 3).Draw(t, "call") == 0 {
					_ = store.Delete(o)
					delete(present, idOf(o))
					continue
				}
				_ = store.Set(o)
				present[idOf(o)] = o
			}
			m.agrees(t, store, present, manifest.Options{KeepGoing: true})
		}
	})
}
