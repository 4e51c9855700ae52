package podbypod

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/permit"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

// room is a scheduler of which plugins see the pods that wait for their permit, and those that exist.
type room struct {
	fwk.Handle
	pods cache.Indexer

	mu      sync.Mutex
	waiting map[types.UID]*waiter
}

type waiter struct {
	fwk.WaitingPod
	answers chan string
}

func (w *waiter) Allow(string) { w.answers <- "allow" }

func (w *waiter) Reject(string, string) bool {
	w.answers <- "reject"
	return true
}

func (r *room) GetWaitingPod(uid types.UID) fwk.WaitingPod {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w := r.waiting[uid]; w != nil {
		return w
	}
	return nil
}

// wait lets a pod wait.
func (r *room) wait(p *v1.Pod) *waiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &waiter{answers: make(chan string, 1)}
	r.waiting[p.UID] = w
	return w
}

// newPlugin knows of the gang default/a, which starts with two.
func newPlugin(t *testing.T) (*Plugin, *room) {
	r := &room{pods: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}), waiting: map[types.UID]*waiter{}}
	p := empty(r, corelisters.NewPodLister(r.pods))
	p.tell(t.Context(), permit.Event{Kind: permit.GangChanged, Gang: "default/a", Terms: gang.Terms{MinMember: 2}})
	return p, r
}

func pod(name, uid string) *v1.Pod {
	gang, _, _ := strings.Cut(name, "-")
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(uid), Labels: map[string]string{groupLabels[0]: gang}}}
}

// reserve gives a pod a node and asks for its permit.
func reserve(ctx context.Context, p *Plugin, pod *v1.Pod) fwk.Code {
	ref := permit.Ref{Gang: "default/a", Member: pod.Name}
	p.refs[pod.UID], p.uids[ref] = ref, pod.UID
	status, _ := p.Permit(ctx, nil, pod, "n")
	return status.Code()
}

// TestAnswerBeforeThePodWaits: a pod is sent back after its permit has told it to wait, and before the scheduler has noted that it waits.
func TestAnswerBeforeThePodWaits(t *testing.T) {
	p, r := newPlugin(t)
	first, second := pod("a-0", "u0"), pod("a-1", "u1")
	require.NoError(t, r.pods.Add(first))
	require.NoError(t, r.pods.Add(second))
	require.Equal(t, fwk.Wait, reserve(t.Context(), p, first))
	p.mu.Lock()
	p.tell(t.Context(), permit.Event{Kind: permit.MemberFailed, Gang: "default/a", Member: "a-1"})
	p.mu.Unlock()
	w := r.wait(first)
	select {
	case answer := <-w.answers:
		require.Equal(t, "reject", answer)
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for its whole time")
	}
	p.Unreserve(t.Context(), nil, first, "n")
	require.Empty(t, p.owed)
}

// TestDeletedWhileReserved: nothing is known for ever of a pod that was deleted on its way to its node.
func TestDeletedWhileReserved(t *testing.T) {
	for _, end := range []func(*Plugin, context.Context, fwk.CycleState, *v1.Pod, string){
		(*Plugin).PostBind,
		func(p *Plugin, ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
			p.Unreserve(ctx, state, pod, node)
		},
	} {
		p, _ := newPlugin(t)
		gone := pod("a-0", "u0")
		require.Equal(t, fwk.Wait, reserve(t.Context(), p, gone))
		p.tell(t.Context(), permit.Event{Kind: permit.MemberDeleted, Gang: "default/a", Member: "a-0"})
		end(p, t.Context(), nil, gone, "n")
		s, ok := p.permits.Gang("default/a")
		require.True(t, ok)
		require.Empty(t, s.Others)
		require.Empty(t, s.Bound)
		require.Empty(t, p.refs)
		require.Empty(t, p.uids)
	}
}

// TestNextOfItsName: what becomes of a pod that was deleted says nothing of the next one of its name.
func TestNextOfItsName(t *testing.T) {
	p, r := newPlugin(t)
	gone, next := pod("a-0", "u0"), pod("a-0", "u1")
	require.NoError(t, r.pods.Add(next))
	require.Equal(t, fwk.Wait, reserve(t.Context(), p, gone))
	p.PostBind(t.Context(), nil, gone, "n")
	s, _ := p.permits.Gang("default/a")
	require.Equal(t, []string{"a-0"}, s.Others)

	p, r = newPlugin(t)
	require.NoError(t, r.pods.Add(next))
	require.Equal(t, fwk.Wait, reserve(t.Context(), p, gone))
	require.Equal(t, fwk.Wait, reserve(t.Context(), p, next))
	p.Unreserve(t.Context(), nil, gone, "n")
	s, _ = p.permits.Gang("default/a")
	require.Equal(t, []string{"a-0"}, s.Waiting)
	require.Len(t, p.refs, 1)
}

// TestBoundBySomebodyElse: half of a gang runs since another scheduler was here before; the rest completes it.
func TestBoundBySomebodyElse(t *testing.T) {
	p, r := newPlugin(t)
	other := pod("a-0", "u0")
	other.Spec.NodeName = "n"
	require.NoError(t, r.pods.Add(other))
	require.NoError(t, r.pods.Add(pod("a-1", "u1")))
	for i := range 2 {
		p.tell(t.Context(), permit.Event{Kind: permit.MemberSeen, Gang: "default/a", Member: fmt.Sprint("a-", i)})
	}
	p.learn(t.Context(), "default/a")
	require.Equal(t, fwk.Success, reserve(t.Context(), p, pod("a-1", "u1")))
}

// TestGiveBack: those who wait for a pod that is gone give their nodes back, unless there are enough without it.
func TestGiveBack(t *testing.T) {
	p, r := newPlugin(t)
	first := pod("a-0", "u0")
	require.NoError(t, r.pods.Add(first))
	for i := range 3 {
		p.tell(t.Context(), permit.Event{Kind: permit.MemberSeen, Gang: "default/a", Member: fmt.Sprint("a-", i)})
	}
	require.Equal(t, fwk.Wait, reserve(t.Context(), p, first))
	w := r.wait(first)
	p.giveBack(t.Context(), "default/a", 1)
	require.Empty(t, w.answers)
	p.giveBack(t.Context(), "default/a", 2)
	require.Equal(t, "reject", <-w.answers)
}

// TestOrderForgets: a gang keeps its place until its last pod is gone, and leaves nothing behind, even where the queue still compares a pod that is gone.
func TestOrderForgets(t *testing.T) {
	there := map[types.UID]bool{"u0": true, "u1": true}
	o := newOrder(func(p *v1.Pod) bool { return there[p.UID] })
	at := func(p *v1.Pod, second int64) int64 {
		e := o.entry(p, time.Unix(second, 0))
		return e.Created / int64(time.Second)
	}
	first, second := pod("a-0", "u0"), pod("a-1", "u1")
	require.EqualValues(t, 5, at(first, 5))
	require.EqualValues(t, 5, at(second, 7))
	there["u0"] = false
	o.gone("u0")
	require.EqualValues(t, 5, at(second, 9))
	require.EqualValues(t, 5, at(first, 9))
	there["u1"] = false
	o.gone("u1")
	o.gone("u1")
	require.EqualValues(t, 11, at(second, 11))
	require.Empty(t, o.gangs)
	require.Empty(t, o.gangOf)

	there["u1"] = true
	at(second, 12)
	second.Labels[groupLabels[0]] = "b" // it changes its gang
	require.EqualValues(t, 13, at(second, 13))
	require.Len(t, o.gangs, 1)
	o.gone("u1")
	require.Empty(t, o.gangs)
}
