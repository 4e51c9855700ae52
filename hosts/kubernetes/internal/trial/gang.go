package trial

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Gang is a group of equal pods.
type Gang struct {
	Name     string
	Pods     int
	GPUs     int64  // of each pod
	Class    string // of priority
	Key      string // the label whose domain must hold all; empty: none
	Minimum  int    // 0: all
	Whole    bool   // is disrupted as a whole
	Selector map[string]string
	Port     int32 // of its node that each pod asks for; 0: none
}

// Create makes the group, and then its pods.
func (c *Cluster) Create(ctx context.Context, namespace string, g Gang) error {
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: g.Name}}
	minimum := g.Pods
	if g.Minimum > 0 {
		minimum = g.Minimum
	}
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(minimum)}
	group.Spec.PriorityClassName = g.Class
	if g.Key != "" {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.PodGroupSchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: g.Key}}}
	}
	if g.Whole {
		group.Spec.DisruptionMode = &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}
	}
	if _, err := c.Client.SchedulingV1beta1().PodGroups(namespace).Create(ctx, group, metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range g.Pods {
		if err := c.CreatePod(ctx, namespace, g, i); err != nil {
			return err
		}
	}
	return nil
}

// CreatePod makes one pod of a group.
func (c *Cluster) CreatePod(ctx context.Context, namespace string, g Gang, index int) error {
	_, err := c.Client.CoreV1().Pods(namespace).Create(ctx, g.pod(index), metav1.CreateOptions{})
	return err
}

func (g *Gang) pod(index int) *v1.Pod {
	asks := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), GPU: *resource.NewQuantity(g.GPUs, resource.DecimalSI)}
	var ports []v1.ContainerPort
	if g.Port > 0 {
		ports = []v1.ContainerPort{{ContainerPort: g.Port, HostPort: g.Port}}
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", g.Name, index), Labels: map[string]string{"gang": g.Name}},
		Spec: v1.PodSpec{
			PriorityClassName: g.Class, NodeSelector: g.Selector,
			SchedulingGroup: &v1.PodSchedulingGroup{PodGroupName: &g.Name},
			Containers: []v1.Container{{
				Name: "main", Image: "registry.k8s.io/pause:3.10", Ports: ports,
				Resources: v1.ResourceRequirements{Requests: asks, Limits: v1.ResourceList{GPU: asks[GPU]}},
			}},
		},
	}
}
