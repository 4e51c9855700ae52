// Package stage answers: what do tests of schedulers play on? It has nodes, a namespace and a scheduler for one test, looks at gangs there, and has the
// faults that every way to place gangs has to bear.
package stage

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

// patience is for a busy machine: what is waited for comes within few seconds elsewhere.
const patience = 45 * time.Second

// Stage is what a test plays on.
type Stage struct {
	*testing.T
	Cluster   *trial.Cluster
	Context   context.Context
	Namespace string
	Config    []byte // of its schedulers
	Measures  *trial.Measures

	scheduler *trial.Scheduler
}

// New makes nodes of a fabric, and a scheduler. Nothing is left of them after the test.
func New(t *testing.T, c *trial.Cluster, config []byte, f trial.Fabric) *Stage {
	ctx, cancel := context.WithCancel(t.Context())
	s := &Stage{T: t, Cluster: c, Context: ctx, Namespace: namespace(t), Config: config, Measures: &trial.Measures{}}
	require.NoError(t, c.AddNodes(ctx, f))
	require.NoError(t, c.Kubelet(ctx, 300*time.Millisecond))
	_, err := c.Client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.Namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.scheduler.Stop()
		cancel()
		require.NoError(t, c.Clear(context.WithoutCancel(ctx), s.Namespace))
		require.Empty(t, s.Measures.Differences)
	})
	return s
}

func namespace(t *testing.T) string {
	return strings.NewReplacer("/", "-", "_", "-").Replace(strings.ToLower(t.Name()))
}

// Start starts the scheduler.
func (s *Stage) Start() { s.scheduler = s.Another() }

// Stop stops it at once, whatever it is doing.
func (s *Stage) Stop() { s.scheduler.Stop() }

// Another is one more scheduler.
func (s *Stage) Another() *trial.Scheduler {
	out, err := s.Cluster.Schedule(s.Context, s.Config, s.Measures)
	require.NoError(s, err)
	return out
}

// Through starts the scheduler anew behind something that sees each of its bindings, by its number from 1 on: it answers it, or leaves it to the
// API server by no answer.
func (s *Stage) Through(answer func(n int32, r *http.Request) (*http.Response, error)) {
	s.Stop()
	s.Cluster.Wrap = bindings(answer)
	defer func() { s.Cluster.Wrap = nil }()
	s.Start()
}

// Create makes gangs.
func (s *Stage) Create(gangs ...trial.Gang) {
	for _, g := range gangs {
		require.NoError(s, s.Cluster.Create(s.Context, s.Namespace, g))
	}
}

// Delete deletes pods of the namespace at once.
func (s *Stage) Delete(opt metav1.ListOptions) {
	zero := int64(0)
	require.NoError(s, s.Cluster.Client.CoreV1().Pods(s.Namespace).DeleteCollection(s.Context, metav1.DeleteOptions{GracePeriodSeconds: &zero}, opt))
}

// DeletePod deletes one at once; it may be gone.
func (s *Stage) DeletePod(name string) {
	zero := int64(0)
	_ = s.Cluster.Client.CoreV1().Pods(s.Namespace).Delete(s.Context, name, metav1.DeleteOptions{GracePeriodSeconds: &zero})
}

// Pods are those of a gang, or of all.
func (s *Stage) Pods(gang string) []v1.Pod {
	opt := metav1.ListOptions{}
	if gang != "" {
		opt.LabelSelector = "gang=" + gang
	}
	list, err := s.Cluster.Client.CoreV1().Pods(s.Namespace).List(context.WithoutCancel(s.Context), opt)
	require.NoError(s, err)
	return list.Items
}

// Placed counts the pods of a gang that have a node and stay.
func (s *Stage) Placed(gang string) (n int) {
	for _, p := range s.Pods(gang) {
		if stays(&p) {
			n++
		}
	}
	return n
}

func stays(p *v1.Pod) bool { return p.Spec.NodeName != "" && p.DeletionTimestamp == nil }

// Domains counts the pods of a gang by their domain of a layer.
func (s *Stage) Domains(gang, layer string) map[string]int {
	out := map[string]int{}
	for _, p := range s.Pods(gang) {
		if stays(&p) {
			node, err := s.Cluster.Client.CoreV1().Nodes().Get(s.Context, p.Spec.NodeName, metav1.GetOptions{})
			require.NoError(s, err)
			out[node.Labels[layer]]++
		}
	}
	return out
}

// Eventually waits until something is so, and after a failure logs what waiting pods say.
func (s *Stage) Eventually(what string, is func() bool) {
	defer s.tellWhy()
	require.Eventually(s, is, patience, 50*time.Millisecond, what)
}

func (s *Stage) tellWhy() {
	if !s.Failed() {
		return
	}
	for _, p := range s.Pods("") {
		why := ""
		for _, c := range p.Status.Conditions {
			why += c.Reason + ": " + c.Message + " "
		}
		s.Log(p.Name, "node", p.Spec.NodeName, "nominated", p.Status.NominatedNodeName, why)
	}
}

// Run waits until all pods of gangs have a node.
func (s *Stage) Run(gangs ...trial.Gang) {
	for _, g := range gangs {
		s.Eventually("all of "+g.Name+" runs", func() bool { return s.Placed(g.Name) == g.Pods })
	}
}

// Settles waits until every gang is whole or wholly waiting, and stays so, and no node is held for a pod while nobody leaves.
func (s *Stage) Settles(gangs ...trial.Gang) {
	s.Eventually("every gang is whole or waits, and nothing is held", func() bool {
		if !s.settled(gangs) {
			return false
		}
		time.Sleep(time.Second)
		return s.settled(gangs)
	})
}

func (s *Stage) settled(gangs []trial.Gang) bool {
	for _, g := range gangs {
		if n := s.Placed(g.Name); n != 0 && n != g.Pods {
			return false
		}
	}
	leaving, held := false, false
	for _, p := range s.Pods("") {
		leaving = leaving || p.DeletionTimestamp != nil
		held = held || p.Spec.NodeName == "" && p.Status.NominatedNodeName != ""
	}
	return leaving || !held
}
