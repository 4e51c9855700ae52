package trial

import (
	"context"
	"fmt"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// Declaration says what tells of gangs.
type Declaration int

const (
	// ByPodGroups: those of Kubernetes, which need [Gates].
	ByPodGroups Declaration = iota
	// ByAnnotations: those of Koordinator on the pods alone.
	ByAnnotations
	// ByOthers: PodGroups of scheduling.x-k8s.io that labels of pods name, see [Cluster.ServeOthers].
	ByOthers
)

// Others are the PodGroups of scheduling.x-k8s.io.
var Others = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}

const koordinator = "gang.scheduling.koordinator.sh/"

// groups are the objects that declare gangs; nil: none do.
func (c *Cluster) groups(namespace string) dynamic.ResourceInterface {
	client := dynamic.NewForConfigOrDie(c.API.Config)
	switch c.Declared {
	case ByPodGroups:
		return client.Resource(schedulingv1beta1.SchemeGroupVersion.WithResource("podgroups")).Namespace(namespace)
	case ByOthers:
		return client.Resource(Others).Namespace(namespace)
	default:
		return nil
	}
}

// group is the object of a gang.
func (c *Cluster) group(g *Gang) (*unstructured.Unstructured, error) {
	if c.Declared == ByOthers {
		spec := map[string]any{"minMember": int64(g.minimum())}
		if g.Key != "" {
			spec["networkTopologyAware"] = map[string]any{"gatherStrategy": []any{map[string]any{"layer": g.Key, "strategy": "MustGather"}}}
		}
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": Others.GroupVersion().String(), "kind": "PodGroup", "metadata": map[string]any{"name": g.Name}, "spec": spec,
		}}, nil
	}
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: g.Name}}
	group.APIVersion, group.Kind = schedulingv1beta1.SchemeGroupVersion.String(), "PodGroup"
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(g.minimum())}
	group.Spec.PriorityClassName = g.Class
	if g.Key != "" {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: g.Key}}}
	}
	if g.Whole {
		group.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(group)
	return &unstructured.Unstructured{Object: object}, err
}

// declare lets a pod say of which gang it is.
func (c *Cluster) declare(pod *v1.Pod, g *Gang) {
	switch c.Declared {
	case ByPodGroups:
		pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &g.Name}
	case ByOthers:
		pod.Labels[Others.Group+"/pod-group"] = g.Name
	case ByAnnotations:
		pod.Annotations = map[string]string{koordinator + "name": g.Name, koordinator + "min-available": strconv.Itoa(g.minimum())}
		if g.Key != "" {
			pod.Annotations[koordinator+"network-topology-spec"] = fmt.Sprintf(`{"gatherStrategy":[{"layer":%q,"strategy":"MustGather"}]}`, g.Key)
		}
	}
}

// SetMinimum lets a gang that has an object start with fewer, or more, of its pods.
func (c *Cluster) SetMinimum(ctx context.Context, namespace, gang string, minimum int) error {
	groups := c.groups(namespace)
	group, err := groups.Get(ctx, gang, metav1.GetOptions{})
	if err != nil {
		return err
	}
	at := []string{"spec", "minMember"}
	if c.Declared == ByPodGroups {
		at = []string{"spec", "schedulingPolicy", "gang", "minCount"}
	}
	if err := unstructured.SetNestedField(group.Object, int64(minimum), at...); err != nil {
		return err
	}
	_, err = groups.Update(ctx, group, metav1.UpdateOptions{})
	return err
}

// ServeOthers lets the API server serve the PodGroups of scheduling.x-k8s.io.
func (c *Cluster) ServeOthers(ctx context.Context) error {
	client := dynamic.NewForConfigOrDie(c.API.Config)
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	definition := map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": Others.GroupResource().String(), "annotations": map[string]any{"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/scheduler-plugins/pull/52"}},
		"spec": map[string]any{
			"group": Others.Group, "scope": "Namespaced", "names": map[string]any{"kind": "PodGroup", "plural": Others.Resource},
			"versions": []any{map[string]any{"name": Others.Version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": anything}}},
		},
	}
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(ctx, &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.Resource(Others).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil, nil
	})
}

// Clear removes the pods and the gangs of a namespace, and all nodes.
func (c *Cluster) Clear(ctx context.Context, namespace string) error {
	zero := int64(0)
	if err := c.Client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{}); err != nil {
		return err
	}
	if groups := c.groups(namespace); groups != nil {
		if err := groups.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			return err
		}
	}
	return c.Client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}
