package trial

import (
	"context"
	"strconv"

	v1 "k8s.io/api/core/v1"
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

func (g *Gang) minimum() int {
	if g.Minimum > 0 {
		return g.Minimum
	}
	return g.Pods
}

// Create makes the group, and then its pods.
func (c *Cluster) Create(ctx context.Context, namespace string, g Gang) error {
	if groups := c.groups(namespace); groups != nil {
		group, err := c.group(&g)
		if err != nil {
			return err
		}
		if _, err := groups.Create(ctx, group, metav1.CreateOptions{}); err != nil {
			return err
		}
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
	_, err := c.Client.CoreV1().Pods(namespace).Create(ctx, c.Pod(g, index), metav1.CreateOptions{})
	return err
}

// Pod is one of a gang, and says so.
func (c *Cluster) Pod(g Gang, index int) *v1.Pod {
	pod := g.Pod(index)
	c.declare(pod, &g)
	return pod
}

// Pod is one of a gang, as nobody has declared it.
func (g *Gang) Pod(index int) *v1.Pod {
	asks := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), GPU: *resource.NewQuantity(g.GPUs, resource.DecimalSI)}
	var ports []v1.ContainerPort
	if g.Port > 0 {
		ports = []v1.ContainerPort{{ContainerPort: g.Port, HostPort: g.Port}}
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: g.Name + "-" + strconv.Itoa(index), Labels: map[string]string{"gang": g.Name}},
		Spec: v1.PodSpec{
			PriorityClassName: g.Class, NodeSelector: g.Selector,
			Containers: []v1.Container{{
				Name: "main", Image: "registry.k8s.io/pause:3.10", Ports: ports,
				Resources: v1.ResourceRequirements{Requests: asks, Limits: v1.ResourceList{GPU: asks[GPU]}},
			}},
		},
	}
}
