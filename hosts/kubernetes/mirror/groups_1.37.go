//go:build !kubernetes1.36

package mirror

import (
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/features"
)

// The kinds of groups.
var (
	PodGroupKind  = schema.GroupVersionKind{Group: schedulingv1.GroupName, Version: "v1beta1", Kind: "PodGroup"}
	CompositeKind = schema.GroupVersionKind{Group: schedulingv1.GroupName, Version: "v1alpha3", Kind: "CompositePodGroup"}
)

// groups are the informers of groups that the gates let be served.
func groups(shared informers.SharedInformerFactory) (out []watched) {
	if utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		out = append(out, watched{shared.Scheduling().V1beta1().PodGroups().Informer(), PodGroupKind})
	}
	if utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup) {
		out = append(out, watched{shared.Scheduling().V1alpha3().CompositePodGroups().Informer(), CompositeKind})
	}
	return out
}
