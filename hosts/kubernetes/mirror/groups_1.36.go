//go:build kubernetes1.36

package mirror

import (
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/features"
)

// PodGroupKind is that of groups. The package of its version is nowhere else, and `go mod tidy` looks for packages whatever the tags.
var PodGroupKind = schema.GroupVersionKind{Group: schedulingv1.GroupName, Version: "v1alpha2", Kind: "PodGroup"}

// groups are the informers of groups that the gate lets be served.
func groups(shared informers.SharedInformerFactory) (out []watched) {
	if utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		out = append(out, watched{shared.Scheduling().V1alpha2().PodGroups().Informer(), PodGroupKind})
	}
	return out
}
