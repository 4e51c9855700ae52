package evict

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// scheduler is what evictions need of one: informers that know of some pods.
type scheduler struct {
	fwk.Handle
	informers informers.SharedInformerFactory

	mu        sync.Mutex
	activated []map[string]*v1.Pod
}

// atOnce does all pieces of work at once.
type atOnce struct{}

func (atOnce) Until(_ context.Context, pieces int, do workqueue.DoWorkPieceFunc, _ string) {
	var all sync.WaitGroup
	for i := range pieces {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func (s *scheduler) Parallelizer() fwk.Parallelizer                         { return atOnce{} }
func (s *scheduler) SharedInformerFactory() informers.SharedInformerFactory { return s.informers }

func (s *scheduler) Activate(_ klog.Logger, pods map[string]*v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activated = append(s.activated, pods)
}

func (s *scheduler) know(t *testing.T, p *v1.Pod) {
	require.NoError(t, s.informers.Core().V1().Pods().Informer().GetStore().Add(p))
}

func pods(name string, n int) (out []*v1.Pod) {
	for i := range n {
		out = append(out, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint(name, i), UID: types.UID(fmt.Sprint(name, i))}})
	}
	return out
}

// newEvictions has an API server that answers when the test says so.
func newEvictions(t *testing.T, answer func(victim *v1.Pod) error) (*Evictions, *scheduler) {
	s := &scheduler{informers: informers.NewSharedInformerFactory(nil, 0)}
	e := &Evictions{handle: s, begun: map[types.UID]*v1.Pod{}, asked: sets.New[types.UID]()}
	e.preempt = func(_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor, victim *v1.Pod, _ string) (bool, error) {
		return false, answer(victim)
	}
	return e, s
}

func TestPodsWaitUntilTheirLastVictimIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let, mu, asked := make(chan struct{}), sync.Mutex{}, map[string]int{}
		e, s := newEvictions(t, func(victim *v1.Pod) error {
			mu.Lock()
			asked[victim.Name]++
			mu.Unlock()
			<-let
			return nil
		})
		waiting, victims := pods("waits-", 2), pods("victim-", 4)
		for _, v := range victims {
			s.know(t, v)
		}
		begin := func() { e.Begin(t.Context(), nil, map[string]*v1.Pod{"a": waiting[0], "b": waiting[1]}, victims) }
		seen := func() map[string]int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(asked)
		}
		begin()
		begin() // a second attempt asks nobody again
		require.Equal(t, map[string]int{"victim-0": 1, "victim-1": 1, "victim-2": 1}, seen(), "all but the last at once")
		require.NotNil(t, e.Wait(waiting[1]))
		require.Nil(t, e.Wait(pods("other-", 1)[0]))

		for range 3 {
			let <- struct{}{}
		}
		require.Equal(t, 1, seen()["victim-3"])
		require.NotNil(t, e.Wait(waiting[0]), "informers have the last one still")
		gone := victims[3].DeepCopy()
		gone.DeletionTimestamp = &metav1.Time{}
		s.know(t, gone)
		require.Nil(t, e.Wait(waiting[0]), "the call has not returned, but the victim is on its way")

		let <- struct{}{}
		synctest.Wait()
		s.know(t, victims[3])
		require.Nil(t, e.Wait(waiting[0]))
		require.Empty(t, s.activated, "deletions tell")
	})
}

func TestPodsAreTriedAgainWhereAVictimStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := newEvictions(t, func(victim *v1.Pod) error {
			if victim.Name == "victim-1" {
				return errors.New("the API server is away")
			}
			return nil
		})
		waiting := map[string]*v1.Pod{"a": pods("waits-", 1)[0]}
		e.Begin(t.Context(), nil, waiting, pods("victim-", 3))
		synctest.Wait()
		require.Equal(t, []map[string]*v1.Pod{waiting}, s.activated)
		require.Nil(t, e.Wait(waiting["a"]))
	})
}
