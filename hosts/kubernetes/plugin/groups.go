package plugin

import (
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/mirror"
)

// objectsOf are the objects of a group and of all below it, as this cycle has them.
func objectsOf(group fwk.PodGroupInfo) (out []mirror.Object) {
	if c := group.GetCompositePodGroup(); c != nil {
		out = append(out, mirror.Object{Value: c, Kind: mirror.CompositeKind})
		for _, child := range group.GetChildren() {
			out = append(out, objectsOf(child)...)
		}
		return out
	}
	return append(out, mirror.Object{Value: group.GetPodGroup(), Kind: mirror.PodGroupKind})
}
