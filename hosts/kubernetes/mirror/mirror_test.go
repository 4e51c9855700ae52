package mirror

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/muster-sched/muster/placement"
)

// snapshot stands for that of a scheduler: nodes with their generations.
type snapshot struct {
	infos []fwk.NodeInfo
	pods  map[string]*v1.Pod // on nodes, by name
	uid   int
}

func newSnapshot(nodes int) *snapshot {
	s := &snapshot{pods: map[string]*v1.Pod{}}
	for i := range nodes {
		s.addNode(fmt.Sprintf("n%d", i), i)
	}
	return s
}

func (s *snapshot) addNode(name string, i int) {
	has := v1.ResourceList{v1.ResourceCPU: resource.MustParse("16"), v1.ResourceMemory: resource.MustParse("64Gi"), v1.ResourcePods: resource.MustParse("110"), "nvidia.com/gpu": resource.MustParse("8")}
	info := framework.NewNodeInfo()
	info.SetNode(&v1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, ResourceVersion: fmt.Sprint(i),
			Labels: map[string]string{"zone": fmt.Sprint("z", i/100), "rack": fmt.Sprint("r", i/10)},
		},
		Status: v1.NodeStatus{Allocatable: has, Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}},
	})
	s.infos = append(s.infos, info)
}

// pod is a new one, of a gang if that is named.
func (s *snapshot) pod(name, gang string) *v1.Pod {
	s.uid++
	p := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(fmt.Sprint("u", s.uid)), ResourceVersion: fmt.Sprint(s.uid), Generation: 1},
		Spec: v1.PodSpec{Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse("500m"), v1.ResourceMemory: resource.MustParse("1Gi"), "nvidia.com/gpu": resource.MustParse("4"),
		}}}}},
	}
	if gang != "" {
		p.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &gang}
	}
	return p
}

func (s *snapshot) info(node string) fwk.NodeInfo {
	for _, info := range s.infos {
		if info.Node().Name == node {
			return info
		}
	}
	return nil
}

// run puts a pod on a node, as assuming it does.
func (s *snapshot) run(p *v1.Pod, node string) {
	p = p.DeepCopy()
	p.Spec.NodeName = node
	info, err := framework.NewPodInfo(p)
	if err != nil {
		panic(err)
	}
	s.info(node).AddPodInfo(info)
	s.pods[p.Name] = p
}

func (s *snapshot) end(name string) {
	p := s.pods[name]
	delete(s.pods, name)
	if err := s.info(p.Spec.NodeName).RemovePod(klog.Background(), p); err != nil {
		panic(err)
	}
}

func group(name string, minimum int, key string) Object {
	spec := map[string]any{"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": int64(minimum)}}}
	if key != "" {
		spec["schedulingConstraints"] = map[string]any{"topology": []any{map[string]any{"key": key}}}
	}
	g := map[string]any{"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": spec}
	return Object{Value: &unstructured.Unstructured{Object: g}, Kind: PodGroupKind}
}

// plan lets the mirror follow a snapshot and plans a gang of so many pods on it.
func plan(t testing.TB, m *Mirror, s *snapshot, name string, pods []*v1.Pod) (*placement.Result, map[string]string) {
	require.NoError(t, m.Sync(s.infos))
	g, err := m.Gang("default/"+name, pods, []Object{group(name, len(pods), "zone")})
	require.NoError(t, err)
	require.NotNil(t, g)
	require.NoError(t, g.Err)
	res, err := placement.Plan(m.Cluster(), &g.Request)
	if err != nil {
		return nil, nil
	}
	nodes := map[string]string{}
	for _, a := range res.Assignments {
		_, pod, ok := g.Pod(a.Member)
		require.True(t, ok)
		nodes[pod] = a.Node
	}
	return res, nodes
}

func (s *snapshot) gang(name string, pods int) (out []*v1.Pod) {
	for i := range pods {
		out = append(out, s.pod(fmt.Sprintf("%s-%d", name, i), name))
	}
	return out
}

// TestMirrorFollowsSnapshots lets gangs come and go, pods fail and come again, nodes go and come, and compares the free amounts of every node
// after each step.
func TestMirrorFollowsSnapshots(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := newSnapshot(20)
		m, err := New(Options{Layers: []string{"zone", "rack"}})
		require.NoError(t, err)
		for step := range 60 {
			name := fmt.Sprint("g", step)
			pods := s.gang(name, 1+random.IntN(8))
			if _, nodes := plan(t, m, s, name, pods); nodes != nil {
				for _, p := range pods {
					if random.IntN(10) > 0 { // now and then one is not assumed
						s.run(p, nodes[p.Name])
					}
				}
			}
			for pod := range s.pods {
				if random.IntN(8) == 0 {
					s.end(pod)
				}
			}
			if random.IntN(10) == 0 {
				i := random.IntN(len(s.infos))
				for _, p := range s.infos[i].GetPods() {
					delete(s.pods, p.GetPod().Name)
					m.ForgetPod(klog.Background(), p.GetPod())
				}
				s.infos = append(s.infos[:i:i], s.infos[i+1:]...)
			}
			if random.IntN(10) == 0 {
				s.uid++
				s.addNode(fmt.Sprint("new", step), s.uid%20)
			}
			require.NoError(t, m.Sync(s.infos))
			require.Empty(t, m.Differences(s.infos), "seed %d, step %d", seed, step)
		}
	}
}

// TestPodThatSomebodyElseHasBound waits in the scheduler's queue and is on a node of its snapshot.
func TestPodThatSomebodyElseHasBound(t *testing.T) {
	s := newSnapshot(4)
	m, err := New(Options{})
	require.NoError(t, err)
	pods := s.gang("a", 3)
	s.run(pods[0], "n1")
	_, nodes := plan(t, m, s, "a", pods)
	require.Len(t, nodes, 2)
	require.Empty(t, m.Differences(s.infos))
}

// BenchmarkCycle is a cycle with what the one before left: a gang of 34 pods comes where another has been assumed, and a third has ended.
func BenchmarkCycle(b *testing.B) {
	for _, nodes := range []int{200, 5000} {
		b.Run(fmt.Sprint("nodes=", nodes), func(b *testing.B) {
			s := newSnapshot(nodes)
			m, err := New(Options{Layers: []string{"zone", "rack"}})
			require.NoError(b, err)
			require.NoError(b, m.Sync(s.infos))
			for i := 0; b.Loop(); i++ {
				name := fmt.Sprint("g", i)
				pods := s.gang(name, 34)
				_, at := plan(b, m, s, name, pods)
				b.StopTimer()
				for _, p := range pods {
					s.run(p, at[p.Name])
				}
				for old := range 34 {
					if p := fmt.Sprintf("g%d-%d", i-5, old); s.pods[p] != nil {
						s.end(p)
					}
				}
				b.StartTimer()
			}
		})
	}
}
