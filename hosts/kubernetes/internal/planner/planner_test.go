package planner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// scheduler is what a planner needs of one. It has nodes of 8 CPUs, and its informers never run.
type scheduler struct {
	fwk.Handle
	fwk.SharedLister
	fwk.NodeInfoLister

	infos []fwk.NodeInfo
}

func (s *scheduler) SharedInformerFactory() informers.SharedInformerFactory {
	return informers.NewSharedInformerFactory(nil, 0)
}

func (s *scheduler) KubeConfig() *rest.Config               { return nil }
func (s *scheduler) SnapshotSharedLister() fwk.SharedLister { return s }
func (s *scheduler) NodeInfos() fwk.NodeInfoLister          { return s }
func (s *scheduler) List() ([]fwk.NodeInfo, error)          { return s.infos, nil }

func (s *scheduler) Get(name string) (fwk.NodeInfo, error) {
	for _, info := range s.infos {
		if info.Node().Name == name {
			return info, nil
		}
	}
	return nil, fmt.Errorf("no node %s", name)
}

func newScheduler(nodes int) *scheduler {
	s := &scheduler{}
	for i := range nodes {
		info := framework.NewNodeInfo()
		info.SetNode(&v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), ResourceVersion: "1"},
			Status: v1.NodeStatus{
				Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("8"), v1.ResourcePods: resource.MustParse("110")},
				Conditions:  []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}},
			},
		})
		s.infos = append(s.infos, info)
	}
	return s
}

// change lets a node come with another version, as it does where its labels change.
func (s *scheduler) change(t *testing.T, name string) {
	info, err := s.Get(name)
	require.NoError(t, err)
	node := info.Node().DeepCopy()
	node.ResourceVersion += "1"
	info.(*framework.NodeInfo).SetNode(node)
}

// run puts a pod on a node.
func (s *scheduler) run(t *testing.T, p *v1.Pod, node string) {
	p.Spec.NodeName, p.Status.Phase = node, v1.PodRunning
	info, err := framework.NewPodInfo(p)
	require.NoError(t, err)
	at, err := s.Get(node)
	require.NoError(t, err)
	at.AddPodInfo(info)
}

// podsOf are those of a gang, each with so many CPUs.
func podsOf(gang string, n int, priority int32, cpus string, ports ...v1.ContainerPort) (out []*v1.Pod) {
	for i := range n {
		name := fmt.Sprintf("%s-%d", gang, i)
		out = append(out, &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: "default", UID: types.UID(name), ResourceVersion: "1",
				Annotations: map[string]string{"gang.scheduling.koordinator.sh/name": gang, "gang.scheduling.koordinator.sh/min-available": strconv.Itoa(n)},
			},
			Spec: v1.PodSpec{Priority: &priority, Containers: []v1.Container{{
				Name: "main", Ports: ports, Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpus)}},
			}}},
		})
	}
	return out
}

func newPlanner(t *testing.T, s *scheduler, opt Options) *Planner {
	p, err := New(context.Background(), s, opt)
	require.NoError(t, err)
	return p
}

// plan is that of a cycle: it follows the snapshot, and plans the gang of these pods.
func plan(t *testing.T, p *Planner, pods []*v1.Pod) *Plan {
	infos, err := p.Nodes().List()
	require.NoError(t, err)
	require.NoError(t, p.Mirror.Sync(infos))
	g, err := p.Mirror.Gang("default/"+pods[0].Annotations["gang.scheduling.koordinator.sh/name"], pods, nil)
	require.NoError(t, err)
	require.NotNil(t, g)
	return p.Plan(context.Background(), g, pods)
}

// nodesOf are those of a plan, each once.
func nodesOf(of *Plan) []string { return slices.Compact(slices.Sorted(maps.Values(of.Nodes))) }

func TestPlanSaysWhereEachPodGoes(t *testing.T) {
	of := plan(t, newPlanner(t, newScheduler(3), Options{}), podsOf("a", 3, 0, "5"))
	require.NoError(t, of.Err)
	require.Empty(t, of.Reason)
	require.Equal(t, []string{"n0", "n1", "n2"}, nodesOf(of))
	require.Len(t, of.Result.Assignments, 3)
	for _, a := range of.Result.Assignments {
		namespace, name, ok := of.Gang.Pod(a.Member)
		require.True(t, ok)
		require.Equal(t, a.Node, of.Nodes[namespace+"/"+name])
		require.Equal(t, a.Member, of.Members[namespace+"/"+name])
	}
}

func TestPlanFollowsThePolicy(t *testing.T) {
	for policy, node := range map[gang.Policy]string{gang.BestFit: "n1", gang.Spread: "n0"} {
		s := newScheduler(2)
		s.run(t, podsOf("b", 1, 0, "4")[0], "n1")
		of := plan(t, newPlanner(t, s, Options{Policy: policy}), podsOf("a", 1, 0, "1"))
		require.NoError(t, of.Err)
		require.Equal(t, []string{node}, nodesOf(of), policy)
	}
}

// TestPortsOfTheNodeKeepPodsApart compares with the same gang without ports, and with ports of no node.
func TestPortsOfTheNodeKeepPodsApart(t *testing.T) {
	for _, c := range []struct {
		port  v1.ContainerPort
		nodes int
	}{{v1.ContainerPort{}, 1}, {v1.ContainerPort{ContainerPort: 80}, 1}, {v1.ContainerPort{ContainerPort: 80, HostPort: 80}, 3}} {
		p := newPlanner(t, newScheduler(3), Options{})
		of := plan(t, p, podsOf("a", 3, 0, "1", c.port))
		require.NoError(t, of.Err)
		require.Len(t, nodesOf(of), c.nodes)
		require.Empty(t, of.Gang.Request.Limits, "the gang is the mirror's")
	}
	of := plan(t, newPlanner(t, newScheduler(3), Options{}), podsOf("a", 4, 0, "1", v1.ContainerPort{HostPort: 80}))
	require.ErrorIs(t, of.Err, placement.ErrUnschedulable)
}

// TestRefusedPairIsAvoidedUntilItsNodeChanges has a node for each pod, so that they change places, and then nobody can.
func TestRefusedPairIsAvoidedUntilItsNodeChanges(t *testing.T) {
	s := newScheduler(2)
	p, pods := newPlanner(t, s, Options{}), podsOf("a", 2, 0, "8")
	first := plan(t, p, pods)
	require.NoError(t, first.Err)
	p.Refuse(first, pods[0])
	second := plan(t, p, pods)
	require.NoError(t, second.Err)
	require.Equal(t, first.Nodes["default/a-0"], second.Nodes["default/a-1"])
	require.Equal(t, first.Nodes["default/a-1"], second.Nodes["default/a-0"])
	p.Refuse(second, pods[0])
	require.ErrorIs(t, plan(t, p, pods).Err, placement.ErrUnschedulable)
	s.change(t, first.Nodes["default/a-0"])
	third := plan(t, p, pods)
	require.NoError(t, third.Err)
	require.Equal(t, first.Nodes, third.Nodes)
}

func TestNoPlanWithoutNodes(t *testing.T) {
	of := plan(t, newPlanner(t, newScheduler(0), Options{}), podsOf("a", 2, 0, "1"))
	require.ErrorIs(t, of.Err, errNoNodes)
	require.Nil(t, of.Result)
	require.Empty(t, of.Nodes)
}

func TestPlanThatNeedsTheRoomOfOthersSaysSo(t *testing.T) {
	s := newScheduler(2)
	low := podsOf("low", 2, 1, "6")
	s.run(t, low[0], "n0")
	s.run(t, low[1], "n1")
	p, pods := newPlanner(t, s, Options{}), podsOf("a", 2, 2, "6")
	of := plan(t, p, pods)
	require.NoError(t, of.Err)
	require.Equal(t, "2 pods have to leave for it", of.Reason)
	require.Equal(t, []string{"n0", "n1"}, nodesOf(of))

	for i, pod := range low {
		require.NoError(t, s.infos[i].RemovePod(klog.Background(), pod))
		going := pod.DeepCopy()
		going.DeletionTimestamp, going.ResourceVersion = &metav1.Time{Time: time.Now()}, "2"
		s.run(t, going, s.infos[i].Node().Name)
	}
	of = plan(t, p, pods)
	require.NoError(t, of.Err)
	require.Equal(t, "it waits for 2 pods that are terminating", of.Reason)
}

// TestCheckTellsWhatTheMirrorHasNotFollowed puts a pod on a node behind its back.
func TestCheckTellsWhatTheMirrorHasNotFollowed(t *testing.T) {
	s := newScheduler(2)
	for _, asked := range []bool{false, true} {
		p := newPlanner(t, s, Options{CheckMirror: asked})
		plan(t, p, podsOf("a", 1, 0, "1"))
		differences, compared := p.Check(context.Background(), s.infos)
		require.Equal(t, asked, compared)
		require.Empty(t, differences)
		s.run(t, podsOf(fmt.Sprint("b", asked), 1, 0, "1")[0], "n1")
		differences, _ = p.Check(context.Background(), s.infos)
		require.Len(t, differences, map[bool]int{false: 0, true: 2}[asked], "CPUs and pods of one node")
	}
}
