package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/transport"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/trial"
)

// Fault is what goes wrong.
type Fault struct {
	Name   string
	Fabric trial.Fabric
	Play   func(*Stage)
}

var four = trial.Fabric{Zones: 1, Blocks: 2, Racks: 2, Nodes: 4, GPUs: 8}

// Faults are those that every way to place gangs bears.
func Faults() []Fault {
	return []Fault{
		{"RestartWithHalfOfAGang", four, restartWithHalfOfAGang},
		{"ConflictsOnBind", four, conflictsOnBind},
		{"PodDeletedWhileItsGangIsPlaced", four, podDeletedWhileItsGangIsPlaced},
		{"NodeGoesUnderAHeldGang", trial.Fabric{Zones: 1, Blocks: 1, Racks: 2, Nodes: 3, GPUs: 8}, nodeGoesUnderAHeldGang},
		{"TwoSchedulersByMistake", four, twoSchedulersByMistake},
		{"APIServerRestarts", four, apiServerRestarts},
	}
}

// PlayFaults plays all of them, each on a stage of its own.
func PlayFaults(t *testing.T, c *trial.Cluster, config []byte) {
	for _, f := range Faults() {
		t.Run(f.Name, func(t *testing.T) { f.Play(New(t, c, config, f.Fabric)) })
	}
}

// restartWithHalfOfAGang stops the scheduler while some pods of a gang have a node and others none; the next one makes it whole beside them.
func restartWithHalfOfAGang(s *Stage) {
	s.Through(func(n int32, _ *http.Request) (*http.Response, error) {
		if n > 3 {
			return nil, errors.New("the scheduler is about to be stopped")
		}
		return nil, nil
	})
	g := trial.Gang{Name: "a", Pods: 8, GPUs: 4, Class: trial.Low, Key: trial.Rack}
	s.Create(g)
	s.Eventually("three have a node", func() bool { return s.Placed("a") == 3 })
	s.Stop()
	s.Start()
	s.Run(g)
	require.Len(s, s.Domains("a", trial.Rack), 1)
}

// conflictsOnBind lets some of the first bindings end with 409.
func conflictsOnBind(s *Stage) {
	s.Through(func(n int32, r *http.Request) (*http.Response, error) {
		if n > 12 || n%3 != 1 {
			return nil, nil
		}
		status := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"as a test wants it"}`
		header := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{StatusCode: http.StatusConflict, Status: "409 Conflict", Header: header, Body: &closer{strings.NewReader(status)}, Request: r}, nil
	})
	for i := range 4 {
		s.Create(trial.Gang{Name: fmt.Sprint("g", i), Pods: 6, GPUs: 4, Class: trial.Low})
	}
	s.Eventually("all are whole", func() bool { return s.Placed("") == 24 })
}

type closer struct{ *strings.Reader }

func (closer) Close() error { return nil }

// podDeletedWhileItsGangIsPlaced deletes pods while gangs arrive. A rack has one place more than a gang needs: kube-scheduler 1.37.2 at times keeps a pod
// in its cache that was deleted between assuming and binding, with its own plugins as well, and the mirror follows the cache.
func podDeletedWhileItsGangIsPlaced(s *Stage) {
	var gangs []trial.Gang
	for i := range 4 {
		g := trial.Gang{Name: fmt.Sprint("g", i), Pods: 7, GPUs: 4, Class: trial.Low}
		gangs = append(gangs, g)
		s.Create(g)
		s.DeletePod(fmt.Sprintf("g%d-%d", i, i))
		time.Sleep(20 * time.Millisecond)
		_ = s.Cluster.CreatePod(s.Context, s.Namespace, g, i)
	}
	s.Settles(gangs...)
	s.Run(gangs...)
}

// nodeGoesUnderAHeldGang takes a node away that is held for a gang while its victims leave.
func nodeGoesUnderAHeldGang(s *Stage) {
	low := []trial.Gang{
		{Name: "a", Pods: 6, GPUs: 4, Class: trial.Low, Key: trial.Rack, Whole: true},
		{Name: "b", Pods: 6, GPUs: 4, Class: trial.Low, Key: trial.Rack, Whole: true},
	}
	s.Create(low...)
	s.Run(low...)
	urgent := trial.Gang{Name: "urgent", Pods: 6, GPUs: 4, Class: trial.High, Key: trial.Rack}
	s.Create(urgent)
	var node string
	s.Eventually("a pod is nominated", func() bool {
		for _, p := range s.Pods("urgent") {
			if p.Status.NominatedNodeName != "" {
				node = p.Status.NominatedNodeName
			}
		}
		return node != "" || s.Placed("urgent") == 6
	})
	if node != "" {
		require.NoError(s, s.Cluster.Client.CoreV1().Nodes().Delete(s.Context, node, metav1.DeleteOptions{}))
		s.Delete(metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	}
	s.Settles(urgent)
}

// twoSchedulersByMistake has two that answer to one name: what one binds the other sees. That two who do not see each other in time over-commit a node
// is not for them to prevent.
func twoSchedulersByMistake(s *Stage) {
	defer s.Another().Stop()
	var gangs []trial.Gang
	for i := range 6 {
		gangs = append(gangs, trial.Gang{Name: fmt.Sprint("g", i), Pods: 4, GPUs: 4, Class: trial.Low, Key: trial.Rack})
	}
	s.Create(gangs...)
	s.Settles(gangs...)
	require.Equal(s, 24, s.Placed(""))
}

// apiServerRestarts stops the API server while gangs arrive.
func apiServerRestarts(s *Stage) {
	a, b := trial.Gang{Name: "a", Pods: 8, GPUs: 4, Class: trial.Low}, trial.Gang{Name: "b", Pods: 8, GPUs: 4, Class: trial.Low}
	s.Create(a)
	require.NoError(s, s.Cluster.Restart(context.WithoutCancel(s.Context)))
	s.Create(b)
	s.Run(a, b)
}

// GroupEdited lowers the minimum of a gang that waits: it starts with those that fit. Its stage has a rack of two nodes.
func GroupEdited(s *Stage) {
	s.Create(trial.Gang{Name: "a", Pods: 6, GPUs: 4, Class: trial.Low})
	time.Sleep(500 * time.Millisecond)
	require.Zero(s, s.Placed("a"))
	require.NoError(s, s.Cluster.SetMinimum(s.Context, s.Namespace, "a", 4))
	s.Eventually("four run", func() bool { return s.Placed("a") == 4 })
}

// bindings stands between a scheduler and the API server.
func bindings(answer func(n int32, r *http.Request) (*http.Response, error)) transport.WrapperFunc {
	var bound atomic.Int32
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/binding") {
				if out, err := answer(bound.Add(1), r); out != nil || err != nil {
					return out, err
				}
			}
			return next.RoundTrip(r)
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
