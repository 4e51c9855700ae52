package trial_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/stage"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

var cluster *trial.Cluster // of all tests here: each has nodes, a namespace and a scheduler of its own

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if err := trial.Gates(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
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

func newStage(t *testing.T, f trial.Fabric) *stage.Stage {
	return stage.New(t, cluster, trial.Checked(config.Scheduler), f)
}

func TestFaults(t *testing.T) { stage.PlayFaults(t, cluster, trial.Checked(config.Scheduler)) }

func TestGroupEditedWhileItIsPlanned(t *testing.T) {
	stage.GroupEdited(newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 1, Nodes: 2, GPUs: 8}))
}

func TestGangGathers(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 2, Blocks: 2, Racks: 2, Nodes: 2, GPUs: 8})
	g := trial.Gang{Name: "a", Pods: 4, GPUs: 4, Class: trial.Low}
	s.Create(g)
	s.Run(g)
	require.Len(t, s.Domains("a", trial.Rack), 1)
	require.Positive(t, s.Measures.Compared)
}

// TestRefusedGangIsTold has a gang that fits nowhere: nothing of it is bound, and condition and event say why in one line with its code.
func TestRefusedGangIsTold(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 2, GPUs: 8})
	g := trial.Gang{Name: "a", Pods: 6, GPUs: 4, Class: trial.Low, Key: trial.Rack}
	s.Create(g)
	var message string
	s.Eventually("the group says that it is unschedulable", func() bool {
		group, err := cluster.Client.SchedulingV1beta1().PodGroups(s.Namespace).Get(s.Context, "a", metav1.GetOptions{})
		require.NoError(t, err)
		for _, c := range group.Status.Conditions {
			message = c.Message
		}
		return message != ""
	})
	require.Contains(t, message, "muster: fragmentation: ")
	require.NotContains(t, message, "\n")
	require.Zero(t, s.Placed("a"))
	// A third node in one rack lets it start: nobody has to touch the gang.
	labels := map[string]string{trial.Zone: "z0", trial.Block: "z0-b0", trial.Rack: "z0-b0-r0"}
	_, err := cluster.Client.CoreV1().Nodes().Create(s.Context, trial.Node("z0-b0-r0-n9", labels, 8), metav1.CreateOptions{})
	require.NoError(t, err)
	s.Run(g)
}

// TestPreemptionOfWholeGangs has a gang of high priority that needs the room of one of three: one gang leaves, and no other.
func TestPreemptionOfWholeGangs(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 3, Nodes: 2, GPUs: 8})
	for _, name := range []string{"a", "b", "c"} {
		s.Create(trial.Gang{Name: name, Pods: 4, GPUs: 4, Class: trial.Low, Key: trial.Rack, Whole: true})
	}
	s.Eventually("three gangs run", func() bool { return s.Placed("") == 12 })
	urgent := trial.Gang{Name: "urgent", Pods: 4, GPUs: 4, Class: trial.High, Key: trial.Rack}
	s.Create(urgent)
	s.Run(urgent)
	require.Len(t, s.Domains("urgent", trial.Rack), 1)
	left := 0
	for _, name := range []string{"a", "b", "c"} {
		if s.Placed(name) == 4 {
			left++
		}
	}
	require.Equal(t, 2, left)
}

// TestFilterOfAnotherPlugin has a pod in the way that asks for the same port of its node as a gang: the gang starts beside it, in the same rack.
func TestFilterOfAnotherPlugin(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 4, GPUs: 8})
	other := (&trial.Gang{Name: "port", GPUs: 1, Class: trial.Low}).Pod(0)
	other.Spec.NodeName = "z0-b0-r0-n0"
	other.Spec.Containers[0].Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
	_, err := cluster.Client.CoreV1().Pods(s.Namespace).Create(s.Context, other, metav1.CreateOptions{})
	require.NoError(t, err)
	g := trial.Gang{Name: "a", Pods: 3, GPUs: 4, Class: trial.Low, Key: trial.Rack, Port: 8080}
	s.Create(g)
	s.Run(g)
	require.Len(t, s.Domains("a", trial.Rack), 1)
	for _, p := range s.Pods("a") {
		require.NotEqual(t, "z0-b0-r0-n0", p.Spec.NodeName)
	}
}
