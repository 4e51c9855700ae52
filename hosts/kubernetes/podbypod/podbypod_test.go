package podbypod_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/stage"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

var cluster *trial.Cluster // without the gates of pod groups; gangs are declared by annotations alone

func TestMain(m *testing.M) {
	os.Exit(func() int {
		c, err := trial.Start(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer c.Stop()
		cluster = c
		cluster.Declared = trial.ByAnnotations
		if err := cluster.ServeOthers(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

func newStage(t *testing.T, f trial.Fabric) *stage.Stage {
	return stage.New(t, cluster, trial.Checked(config.Pods), f)
}

func TestFaults(t *testing.T) { stage.PlayFaults(t, cluster, trial.Checked(config.Pods)) }

// TestGroupEditedWhileItIsPlanned has gangs that objects declare, of which no event of kube-scheduler tells.
func TestGroupEditedWhileItIsPlanned(t *testing.T) {
	cluster.Declared = trial.ByOthers
	defer func() { cluster.Declared = trial.ByAnnotations }()
	resources := "        args:\n          resources: [podgroups.v1alpha1.scheduling.x-k8s.io]\n"
	read := bytes.Replace(trial.Checked(config.Pods), []byte("        args:\n"), []byte(resources), 1)
	stage.GroupEdited(stage.New(t, cluster, read, trial.Fabric{Zones: 1, Blocks: 1, Racks: 1, Nodes: 2, GPUs: 8}))
}

// TestPodDeletedWhileItsGangIsPermitted has a gang of which one pod answers to another scheduler: the others wait for their permit until it is deleted,
// and give their nodes back although nothing else happens.
func TestPodDeletedWhileItsGangIsPermitted(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 1, Nodes: 2, GPUs: 8})
	g := trial.Gang{Name: "a", Pods: 4, GPUs: 4, Class: trial.Low}
	foreign := cluster.Pod(g, 3)
	foreign.Spec.SchedulerName = "another"
	_, err := cluster.Client.CoreV1().Pods(s.Namespace).Create(s.Context, foreign, metav1.CreateOptions{})
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, cluster.CreatePod(s.Context, s.Namespace, g, i))
	}
	s.Eventually("three wait for their permit", func() bool { return held(s) == 3 })
	s.DeletePod("a-3")
	s.Eventually("nothing is held", func() bool { return held(s) == 0 })
	require.NoError(t, cluster.CreatePod(s.Context, s.Namespace, g, 3))
	s.Run(g)
}

// held counts the pods that wait with a node: kube-scheduler nominates a pod for the node on which it waits for its permit.
func held(s *stage.Stage) (n int) {
	for _, p := range s.Pods("") {
		if p.Spec.NodeName == "" && p.Status.NominatedNodeName != "" {
			n++
		}
	}
	return n
}

// TestMoreThanFit starts a gang with as many as it needs, and leaves the others waiting.
func TestMoreThanFit(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 1, Nodes: 2, GPUs: 8})
	s.Create(trial.Gang{Name: "a", Pods: 6, Minimum: 4, GPUs: 4, Class: trial.Low})
	s.Eventually("four run", func() bool { return s.Placed("a") == 4 })
}

// TestGangWaitsForItsLastPod binds nothing before the last pod is there, and then all in one rack.
func TestGangWaitsForItsLastPod(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 2, GPUs: 8})
	g := trial.Gang{Name: "a", Pods: 3, Minimum: 4, GPUs: 4, Class: trial.Low}
	s.Create(g)
	time.Sleep(time.Second)
	require.Zero(t, s.Placed("a"))
	require.NoError(t, cluster.CreatePod(s.Context, s.Namespace, g, 3))
	s.Eventually("all run", func() bool { return s.Placed("a") == 4 })
	require.Len(t, s.Domains("a", trial.Rack), 1)
}

// TestGangsDoNotHoldHalves has more gangs than room: none ever holds a part.
func TestGangsDoNotHoldHalves(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 3, GPUs: 8})
	names := []string{"a", "b", "c"}
	for i := range 5 {
		for _, name := range names {
			require.NoError(t, cluster.CreatePod(s.Context, s.Namespace, trial.Gang{Name: name, Pods: 5, GPUs: 4, Class: trial.Low}, i))
		}
	}
	s.Eventually("two run", func() bool {
		whole := 0
		for _, name := range names {
			if s.Placed(name) == 5 {
				whole++
			}
		}
		return whole == 2
	})
	time.Sleep(2 * time.Second)
	require.Equal(t, 10, s.Placed(""))
}

// TestPreemptionForAGang lets a whole gang leave for one of higher priority.
func TestPreemptionForAGang(t *testing.T) {
	s := newStage(t, trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 2, GPUs: 8})
	a, b := trial.Gang{Name: "a", Pods: 4, GPUs: 4, Class: trial.Low}, trial.Gang{Name: "b", Pods: 4, GPUs: 4, Class: trial.Low}
	s.Create(a, b)
	s.Run(a, b)
	urgent := trial.Gang{Name: "urgent", Pods: 4, GPUs: 4, Class: trial.High}
	s.Create(urgent)
	s.Run(urgent)
	require.ElementsMatch(t, []int{0, 4}, []int{s.Placed("a"), s.Placed("b")})
}
