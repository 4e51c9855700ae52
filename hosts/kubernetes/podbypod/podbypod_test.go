package podbypod_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

var cluster *trial.Cluster // without the gates of pod groups

func TestMain(m *testing.M) {
	os.Exit(func() int {
		c, err := trial.Start(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer c.Stop()
		cluster = c
		return m.Run()
	}())
}

// start makes nodes and a scheduler; all ends with the test.
func start(t *testing.T, f trial.Fabric) {
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, cluster.AddNodes(ctx, f))
	require.NoError(t, cluster.Kubelet(ctx, 300*time.Millisecond))
	s, err := cluster.Schedule(ctx, config.Pods, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Stop()
		cancel()
		zero, all := int64(0), context.WithoutCancel(ctx)
		require.NoError(t, cluster.Client.CoreV1().Pods("default").DeleteCollection(all, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{}))
		require.NoError(t, cluster.Client.CoreV1().Nodes().DeleteCollection(all, metav1.DeleteOptions{}, metav1.ListOptions{}))
	})
}

// create makes a pod of a gang, which is declared by annotations alone.
func create(t *testing.T, gang string, index, minimum int, class string) {
	asks := v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), trial.GPU: resource.MustParse("4")}
	_, err := cluster.Client.CoreV1().Pods("default").Create(t.Context(), &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%d", gang, index), Labels: map[string]string{"gang": gang},
			Annotations: map[string]string{"gang.scheduling.koordinator.sh/name": gang, "gang.scheduling.koordinator.sh/min-available": strconv.Itoa(minimum)},
		},
		Spec: v1.PodSpec{
			PriorityClassName: class,
			Containers:        []v1.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10", Resources: v1.ResourceRequirements{Requests: asks, Limits: v1.ResourceList{trial.GPU: asks[trial.GPU]}}}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// placed are the racks of the pods of a gang that have a node and stay.
func placed(t *testing.T, gang string) (racks []string) {
	list, err := cluster.Client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "gang=" + gang})
	require.NoError(t, err)
	for _, p := range list.Items {
		if p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			node, err := cluster.Client.CoreV1().Nodes().Get(t.Context(), p.Spec.NodeName, metav1.GetOptions{})
			require.NoError(t, err)
			racks = append(racks, node.Labels[trial.Rack])
		}
	}
	return racks
}

// tellWhy logs, after a failure, what the pods say.
func tellWhy(t *testing.T) {
	if !t.Failed() {
		return
	}
	list, err := cluster.Client.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, p := range list.Items {
		t.Log(p.Name, p.Spec.NodeName, p.Status.NominatedNodeName, p.Status.Conditions)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	require.Eventually(t, is, 30*time.Second, 50*time.Millisecond, what)
}

// TestGangWaitsForItsLastPod binds nothing before the last pod is there, and then all in one rack.
func TestGangWaitsForItsLastPod(t *testing.T) {
	start(t, trial.Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 2, GPUs: 8})
	for i := range 3 {
		create(t, "a", i, 4, trial.Low)
	}
	time.Sleep(time.Second)
	require.Empty(t, placed(t, "a"))
	create(t, "a", 3, 4, trial.Low)
	defer tellWhy(t)
	eventually(t, "all run", func() bool { return len(placed(t, "a")) == 4 })
	racks := placed(t, "a")
	for _, rack := range racks {
		require.Equal(t, racks[0], rack)
	}
}

// TestGangsDoNotHoldHalves has more gangs than room: none ever holds a part.
func TestGangsDoNotHoldHalves(t *testing.T) {
	start(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 3, GPUs: 8})
	for i := range 5 {
		for _, gang := range []string{"a", "b", "c"} {
			create(t, gang, i, 5, trial.Low)
		}
	}
	sum := func() (whole int) {
		for _, gang := range []string{"a", "b", "c"} {
			if len(placed(t, gang)) == 5 {
				whole++
			}
		}
		return whole
	}
	eventually(t, "two run", func() bool { return sum() == 2 })
	time.Sleep(2 * time.Second)
	n := len(placed(t, "a")) + len(placed(t, "b")) + len(placed(t, "c"))
	require.Equal(t, 10, n)
}

// TestPreemptionForAGang lets a whole gang leave for one of higher priority.
func TestPreemptionForAGang(t *testing.T) {
	start(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 2, GPUs: 8})
	for _, gang := range []string{"a", "b"} {
		for i := range 4 {
			create(t, gang, i, 4, trial.Low)
		}
	}
	eventually(t, "both run", func() bool { return len(placed(t, "a"))+len(placed(t, "b")) == 8 })
	for i := range 4 {
		create(t, "urgent", i, 4, trial.High)
	}
	eventually(t, "the urgent one runs", func() bool { return len(placed(t, "urgent")) == 4 })
	a, b := len(placed(t, "a")), len(placed(t, "b"))
	require.ElementsMatch(t, []int{0, 4}, []int{a, b})
}
