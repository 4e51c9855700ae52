// Package trial answers: what becomes of gangs under a scheduler on a real API server? It runs etcd, API server and scheduler in this process, with
// nodes that are objects, a kubelet for all of them that lets pods run and end, and a stream of gangs.
package trial

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/transport"
	"k8s.io/kubernetes/pkg/features"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/localcluster"
)

// The layers of the nodes, widest first.
const (
	Zone  = "topology.kubernetes.io/zone"
	Block = "example.com/block"
	Rack  = "example.com/rack"
	GPU   = "nvidia.com/gpu"
)

// The classes of priority.
const (
	Low  = "low"
	High = "high"
)

// Cluster is an API server with its store.
type Cluster struct {
	Client *kubernetes.Clientset
	API    *localcluster.APIServer
	// Wrap stands between schedulers and the API server; nil: nothing does.
	Wrap transport.WrapperFunc
	// Declared says what tells of gangs.
	Declared Declaration

	dir  string
	etcd *localcluster.Etcd
	port int
}

// Gates turns on what groups of pods need, in this whole process. It comes before everything else; without it there are none.
func Gates() error {
	return utilfeature.DefaultMutableFeatureGate.Set("GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,PodGroupPreemptionPolicy=true")
}

// versions are those of the API that the gates need.
func versions() []string {
	if !utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		return nil
	}
	return []string{"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"}
}

// Start runs etcd and the API server, with their data in a new directory.
func Start(ctx context.Context) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "muster-trial-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir}
	if c.etcd, err = localcluster.StartEtcd(filepath.Join(dir, "etcd")); err != nil {
		return nil, err
	}
	if err := c.startAPI(ctx); err != nil {
		c.etcd.Stop()
		return nil, err
	}
	return c, c.classes(ctx)
}

func (c *Cluster) startAPI(ctx context.Context) (err error) {
	if c.API, err = localcluster.StartAPIServer(ctx, c.etcd.URL, c.dir, c.port, versions()...); err != nil {
		return err
	}
	c.port = c.API.Port
	c.Client, err = kubernetes.NewForConfig(c.API.Config)
	return err
}

// Restart ends the API server and starts another one in its place, with other certificates.
func (c *Cluster) Restart(ctx context.Context) error {
	if err := c.API.Stop(); err != nil {
		return err
	}
	return c.startAPI(ctx)
}

// Stop ends all, and removes the data.
func (c *Cluster) Stop() {
	_ = c.API.Stop()
	c.etcd.Stop()
	_ = os.RemoveAll(c.dir)
}

func (c *Cluster) classes(ctx context.Context) error {
	for name, value := range map[string]int32{Low: 100, High: 1000} {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if _, err := c.Client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// Fabric is the shape of the nodes: so many of each in one of the next wider.
type Fabric struct {
	Zones, Blocks, Racks, Nodes int
	GPUs                        int64
}

// AddNodes makes the nodes of a fabric.
func (c *Cluster) AddNodes(ctx context.Context, f Fabric) error {
	for z := range f.Zones {
		for b := range f.Blocks {
			for r := range f.Racks {
				for n := range f.Nodes {
					rack := fmt.Sprintf("z%d-b%d-r%d", z, b, r)
					labels := map[string]string{Zone: fmt.Sprintf("z%d", z), Block: fmt.Sprintf("z%d-b%d", z, b), Rack: rack}
					if _, err := c.Client.CoreV1().Nodes().Create(ctx, Node(fmt.Sprintf("%s-n%d", rack, n), labels, f.GPUs), metav1.CreateOptions{}); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// Node is one that is ready.
func Node(name string, labels map[string]string, gpus int64) *v1.Node {
	has := v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("96"), v1.ResourceMemory: resource.MustParse("1Ti"), v1.ResourcePods: resource.MustParse("110"),
		GPU: *resource.NewQuantity(gpus, resource.DecimalSI),
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     v1.NodeStatus{Capacity: has, Allocatable: has, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
	}
}
