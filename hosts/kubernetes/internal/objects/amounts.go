package objects

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// AskAlike says of two pods that wait whether the scheduler counts the same amounts for them by what their specs say: to compare is cheaper than to
// count. It is false where the status of one of them counts too.
func AskAlike(a, b *v1.Pod) bool {
	return countsBySpec(a) && countsBySpec(b) && alike(a.Spec.Overhead, b.Spec.Overhead) &&
		slices.EqualFunc(a.Spec.Containers, b.Spec.Containers, containersAlike) &&
		slices.EqualFunc(a.Spec.InitContainers, b.Spec.InitContainers, containersAlike)
}

func countsBySpec(p *v1.Pod) bool {
	s := &p.Status
	return p.Spec.Resources == nil && s.Resources == nil && len(s.ContainerStatuses)+len(s.InitContainerStatuses)+len(s.AllocatedResources)+len(p.Spec.ResourceClaims) == 0
}

func containersAlike(a, b v1.Container) bool {
	restarts := func(c *v1.Container) v1.ContainerRestartPolicy {
		if c.RestartPolicy == nil {
			return ""
		}
		return *c.RestartPolicy
	}
	return restarts(&a) == restarts(&b) && alike(a.Resources.Requests, b.Resources.Requests)
}

func alike(a, b v1.ResourceList) bool { return maps.EqualFunc(a, b, resource.Quantity.Equal) }
