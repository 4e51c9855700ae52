package trial

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-sched/muster/hosts/kubernetes/config"
)

var cluster *Cluster // of all tests here: each has nodes, a namespace and a scheduler of its own

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if err := Gates(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		c, err := Start(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer c.Stop()
		cluster = c
		return m.Run()
	}())
}

// stage is what a test plays on.
type stage struct {
	*testing.T
	ctx       context.Context
	namespace string
	player    *Player
	measures  *Measures
	scheduler *Scheduler
}

// newStage makes nodes of a fabric, of which nothing is left after the test.
func newStage(t *testing.T, f Fabric) *stage {
	ctx, cancel := context.WithCancel(t.Context())
	s := &stage{T: t, ctx: ctx, namespace: strings.ToLower(t.Name()), measures: &Measures{}}
	require.NoError(t, cluster.AddNodes(ctx, f))
	require.NoError(t, cluster.Kubelet(ctx, 300*time.Millisecond))
	var err error
	s.player, err = cluster.NewPlayer(ctx, s.namespace)
	require.NoError(t, err)
	s.start()
	t.Cleanup(func() {
		s.scheduler.Stop()
		cancel()
		zero, all := int64(0), context.WithoutCancel(ctx)
		require.NoError(t, cluster.Client.CoreV1().Pods(s.namespace).DeleteCollection(all, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{}))
		require.NoError(t, cluster.Client.SchedulingV1beta1().PodGroups(s.namespace).DeleteCollection(all, metav1.DeleteOptions{}, metav1.ListOptions{}))
		require.NoError(t, cluster.Client.CoreV1().Nodes().DeleteCollection(all, metav1.DeleteOptions{}, metav1.ListOptions{}))
		require.Empty(t, s.measures.Differences)
	})
	return s
}

func (s *stage) start() {
	var err error
	s.scheduler, err = cluster.Schedule(s.ctx, Checked(config.Scheduler), s.measures)
	require.NoError(s, err)
}

func (s *stage) create(g Gang) {
	require.NoError(s, cluster.Create(s.ctx, s.namespace, g))
}

// pods are those of a gang, or of all.
func (s *stage) pods(gang string) []v1.Pod {
	opt := metav1.ListOptions{}
	if gang != "" {
		opt.LabelSelector = "gang=" + gang
	}
	list, err := cluster.Client.CoreV1().Pods(s.namespace).List(s.ctx, opt)
	require.NoError(s, err)
	return list.Items
}

// placed counts the pods of a gang that have a node and stay.
func (s *stage) placed(gang string) (n int) {
	for _, p := range s.pods(gang) {
		if p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

// racks are those in which a gang lies.
func (s *stage) racks(gang string) map[string]int {
	out := map[string]int{}
	for _, p := range s.pods(gang) {
		if p.Spec.NodeName != "" {
			out[s.player.nodes[p.Spec.NodeName].Labels[Rack]]++
		}
	}
	return out
}

func (s *stage) eventually(what string, is func() bool) {
	defer s.tellWhy()
	require.Eventually(s, is, 30*time.Second, 50*time.Millisecond, what)
}

// tellWhy logs, after a failure, what waiting pods say.
func (s *stage) tellWhy() {
	if !s.Failed() {
		return
	}
	for _, p := range s.pods("") {
		why := ""
		for _, c := range p.Status.Conditions {
			why += c.Reason + ": " + c.Message + " "
		}
		s.Log(p.Name, "node", p.Spec.NodeName, "nominated", p.Status.NominatedNodeName, why)
	}
}

// settles waits until every gang is whole or wholly waiting, and stays so, and no node is held for a pod while nobody leaves.
func (s *stage) settles(gangs ...Gang) {
	whole := func() bool {
		for _, g := range gangs {
			if n := s.placed(g.Name); n != 0 && n != g.Pods {
				return false
			}
		}
		leaving := false
		for _, p := range s.pods("") {
			leaving = leaving || p.DeletionTimestamp != nil
		}
		for _, p := range s.pods("") {
			if p.Spec.NodeName == "" && p.Status.NominatedNodeName != "" && !leaving {
				return false
			}
		}
		return true
	}
	s.eventually("every gang is whole or waits, and nothing is held", func() bool {
		if !whole() {
			return false
		}
		time.Sleep(time.Second)
		return whole()
	})
}

func TestGangGathers(t *testing.T) {
	s := newStage(t, Fabric{Zones: 2, Blocks: 2, Racks: 2, Nodes: 2, GPUs: 8})
	s.create(Gang{Name: "a", Pods: 4, GPUs: 4, Class: Low})
	s.eventually("all pods have a node", func() bool { return s.placed("a") == 4 })
	require.Len(t, s.racks("a"), 1)
	require.Positive(t, s.measures.Compared)
}

// TestRefusedGangIsTold has a gang that fits nowhere: nothing of it is bound, and condition and event say why in one line with its code.
func TestRefusedGangIsTold(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 2, GPUs: 8})
	g := Gang{Name: "a", Pods: 6, GPUs: 4, Class: Low, Key: Rack}
	s.create(g)
	var message string
	s.eventually("the group says that it is unschedulable", func() bool {
		group, err := cluster.Client.SchedulingV1beta1().PodGroups(s.namespace).Get(s.ctx, "a", metav1.GetOptions{})
		require.NoError(t, err)
		for _, c := range group.Status.Conditions {
			message = c.Message
		}
		return message != ""
	})
	require.Contains(t, message, "muster: fragmentation: ")
	require.NotContains(t, message, "\n")
	require.Zero(t, s.placed("a"))
	// A third node in one rack lets it start: nobody has to touch the gang.
	labels := map[string]string{Zone: "z0", Block: "z0-b0", Rack: "z0-b0-r0"}
	_, err := cluster.Client.CoreV1().Nodes().Create(s.ctx, Node("z0-b0-r0-n9", labels, 8), metav1.CreateOptions{})
	require.NoError(t, err)
	s.eventually("it starts", func() bool { return s.placed("a") == 6 })
}

// TestPreemptionOfWholeGangs has a gang of high priority that needs the room of one of three: one gang leaves, and no other.
func TestPreemptionOfWholeGangs(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 1, Racks: 3, Nodes: 2, GPUs: 8})
	for _, name := range []string{"a", "b", "c"} {
		s.create(Gang{Name: name, Pods: 4, GPUs: 4, Class: Low, Key: Rack, Whole: true})
	}
	s.eventually("three gangs run", func() bool { return s.placed("") == 12 })
	s.create(Gang{Name: "urgent", Pods: 4, GPUs: 4, Class: High, Key: Rack})
	s.eventually("the urgent one runs", func() bool { return s.placed("urgent") == 4 })
	require.Len(t, s.racks("urgent"), 1)
	left := 0
	for _, name := range []string{"a", "b", "c"} {
		if s.placed(name) == 4 {
			left++
		}
	}
	require.Equal(t, 2, left)
}

// TestRestartWithHalfOfAGang stops the scheduler while some pods of a gang have a node and others none; the next one makes it whole beside them.
func TestRestartWithHalfOfAGang(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8})
	var bound atomic.Int32
	s.scheduler.Stop()
	cluster.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/binding") && bound.Add(1) > 3 {
				return nil, fmt.Errorf("the scheduler is about to be stopped")
			}
			return next.RoundTrip(r)
		})
	}
	s.start()
	g := Gang{Name: "a", Pods: 8, GPUs: 4, Class: Low, Key: Rack}
	s.create(g)
	s.eventually("three have a node", func() bool { return s.placed("a") == 3 })
	s.scheduler.Stop()
	cluster.Wrap = nil
	s.start()
	s.eventually("it is whole", func() bool { return s.placed("a") == 8 })
	require.Len(t, s.racks("a"), 1)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestConflictsOnBind lets the first bindings of every gang end with 409.
func TestConflictsOnBind(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8})
	var bound atomic.Int32
	s.scheduler.Stop()
	cluster.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/binding") && bound.Add(1)%3 == 1 {
				status := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"as a test wants it"}`
				body := &closer{strings.NewReader(status)}
				return &http.Response{StatusCode: http.StatusConflict, Status: "409 Conflict", Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
			}
			return next.RoundTrip(r)
		})
	}
	defer func() { cluster.Wrap = nil }()
	s.start()
	for i := range 4 {
		s.create(Gang{Name: fmt.Sprint("g", i), Pods: 6, GPUs: 4, Class: Low})
	}
	s.eventually("all are whole", func() bool { return s.placed("") == 24 })
}

type closer struct{ *strings.Reader }

func (closer) Close() error { return nil }

// TestPodDeletedWhileItsGangIsPlaced deletes pods while gangs arrive. The last gang may have to wait: kube-scheduler 1.37.2 at times keeps a pod in its
// cache that was deleted between assuming and binding, with its own plugins as well, and the mirror follows the cache.
func TestPodDeletedWhileItsGangIsPlaced(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8})
	var gangs []Gang
	for i := range 4 {
		g := Gang{Name: fmt.Sprint("g", i), Pods: 8, GPUs: 4, Class: Low}
		gangs = append(gangs, g)
		s.create(g)
		zero := int64(0)
		_ = cluster.Client.CoreV1().Pods(s.namespace).Delete(s.ctx, fmt.Sprintf("g%d-%d", i, i), metav1.DeleteOptions{GracePeriodSeconds: &zero})
		time.Sleep(20 * time.Millisecond)
		_ = cluster.CreatePod(s.ctx, s.namespace, g, i)
	}
	s.settles(gangs...)
	require.GreaterOrEqual(t, s.placed(""), 24)
}

// TestNodeGoesUnderAHeldGang takes a node away that is held for a gang while its victims leave.
func TestNodeGoesUnderAHeldGang(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 3, GPUs: 8})
	low := []Gang{{Name: "a", Pods: 6, GPUs: 4, Class: Low, Key: Rack, Whole: true}, {Name: "b", Pods: 6, GPUs: 4, Class: Low, Key: Rack, Whole: true}}
	for _, g := range low {
		s.create(g)
	}
	s.eventually("both run", func() bool { return s.placed("") == 12 })
	urgent := Gang{Name: "urgent", Pods: 6, GPUs: 4, Class: High, Key: Rack}
	s.create(urgent)
	var node string
	s.eventually("a pod is nominated", func() bool {
		for _, p := range s.pods("urgent") {
			if p.Status.NominatedNodeName != "" {
				node = p.Status.NominatedNodeName
			}
		}
		return node != "" || s.placed("urgent") == 6
	})
	if node != "" {
		require.NoError(t, cluster.Client.CoreV1().Nodes().Delete(s.ctx, node, metav1.DeleteOptions{}))
		zero := int64(0)
		require.NoError(t, cluster.Client.CoreV1().Pods(s.namespace).DeleteCollection(s.ctx, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node}))
	}
	s.settles(urgent)
}

// TestTwoSchedulersByMistake has two that answer to one name: what one binds the other sees, and nothing is over-committed.
func TestTwoSchedulersByMistake(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8})
	other, err := cluster.Schedule(s.ctx, Checked(config.Scheduler), s.measures)
	require.NoError(t, err)
	defer other.Stop()
	var gangs []Gang
	for i := range 6 {
		g := Gang{Name: fmt.Sprint("g", i), Pods: 4, GPUs: 4, Class: Low, Key: Rack}
		gangs = append(gangs, g)
		s.create(g)
	}
	s.settles(gangs...)
	used := map[string]int64{}
	for _, p := range s.pods("") {
		used[p.Spec.NodeName] += 4
	}
	for node, n := range used {
		if n > 8 && node != "" {
			t.Logf("%s has pods that ask for %d devices of 8: the two did not see each other", node, n)
		}
	}
	require.Equal(t, 24, s.placed(""))
}

// TestGroupEditedWhileItIsPlanned lowers the minimum of a gang that waits: it starts with those that fit.
func TestGroupEditedWhileItIsPlanned(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 1, Racks: 1, Nodes: 2, GPUs: 8})
	s.create(Gang{Name: "a", Pods: 6, GPUs: 4, Class: Low})
	time.Sleep(500 * time.Millisecond)
	require.Zero(t, s.placed("a"))
	patch := []byte(`{"spec":{"schedulingPolicy":{"gang":{"minCount":4}}}}`)
	_, err := cluster.Client.SchedulingV1beta1().PodGroups(s.namespace).Patch(s.ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	s.eventually("four run", func() bool { return s.placed("a") == 4 })
}

// TestAPIServerRestarts stops the API server while gangs arrive.
func TestAPIServerRestarts(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8})
	s.create(Gang{Name: "a", Pods: 8, GPUs: 4, Class: Low})
	require.NoError(t, cluster.Restart(context.WithoutCancel(s.ctx)))
	s.create(Gang{Name: "b", Pods: 8, GPUs: 4, Class: Low})
	s.eventually("both are whole", func() bool { return s.placed("a") == 8 && s.placed("b") == 8 })
}

// TestFilterOfAnotherPlugin has a pod in the way that asks for the same port of its node as a gang: the gang starts beside it, in the same rack.
func TestFilterOfAnotherPlugin(t *testing.T) {
	s := newStage(t, Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 4, GPUs: 8})
	other := (&Gang{Name: "port", GPUs: 1, Class: Low}).pod(0)
	other.Spec.SchedulingGroup, other.Spec.NodeName = nil, "z0-b0-r0-n0"
	port := []v1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
	other.Spec.Containers[0].Ports = port
	_, err := cluster.Client.CoreV1().Pods(s.namespace).Create(s.ctx, other, metav1.CreateOptions{})
	require.NoError(t, err)
	s.create(Gang{Name: "a", Pods: 3, GPUs: 4, Class: Low, Key: Rack, Port: 8080})
	s.eventually("it starts", func() bool { return s.placed("a") == 3 })
	require.Len(t, s.racks("a"), 1)
	for _, p := range s.pods("a") {
		require.NotEqual(t, "z0-b0-r0-n0", p.Spec.NodeName)
	}
}
