package manifest

import (
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Hard rules of gangs that are known and not modelled, counted once a waiting pod each. Those of pods are in package ignored.

// kueueQueue is the name of the LocalQueue that an object names, empty if it names none.
func kueueQueue(o *object.Object) string {
	if o.Kind == "Workload" {
		return o.Root.Sub("spec").Get("queueName").Text()
	}
	return o.Labels["kueue.x-k8s.io/queue-name"]
}

// lostOfWorkload names the rules of a Workload that are not modelled.
func lostOfWorkload(o *object.Object) (lost []string) {
	if o.Annotation("kueue.x-k8s.io/workload-allowed-resource-flavors").Present() {
		lost = append(lost, "resourceFlavors")
	}
	for range o.Root.Sub("spec").Get("preemptionGates").All() {
		return append(lost, "preemptionGates")
	}
	return lost
}
