package manifest

import "github.com/muster-sched/muster/placement/manifest/internal/object"

// Hard rules of gangs that are known and not modelled, counted once a waiting pod each. Those of pods are in package ignored.

// kueueQueue is the name of the LocalQueue that an object names, empty if it names none.
func kueueQueue(o *object.Object) string {
	if o.Kind == "Workload" {
		return o.Root.Sub("spec").Get("queueName").Text()
	}
	return o.Labels["kueue.x-k8s.io/queue-name"]
}
