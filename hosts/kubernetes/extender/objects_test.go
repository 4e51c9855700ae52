package extender

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/muster-sched/muster/placement/manifest"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

type obj = map[string]any

// row is of every other node.
func row(name string) string { return fmt.Sprint("row", name[len(name)-1]%2) }

func node(name, rack string) obj {
	return obj{
		"apiVersion": "v1", "kind": "Node", "metadata": obj{"name": name, "labels": obj{"net/rack": rack, "net/row": row(name)}},
		"status": obj{"allocatable": obj{"gpu": "1", "pods": "10"}, "conditions": []any{obj{"type": "Ready", "status": "True"}}},
	}
}

// pod is one of a gang, or of none; on a node, or on none.
func pod(name, group, node string, priority int64) obj {
	spec := obj{"priority": priority, "containers": []any{obj{"name": "main", "resources": obj{"requests": obj{"gpu": "1"}}}}}
	if node != "" {
		spec["nodeName"] = node
	}
	meta := obj{"name": name, "namespace": "a", "uid": "uid-" + name}
	if group != "" {
		meta["labels"] = obj{"scheduling.x-k8s.io/pod-group": group}
	}
	return obj{"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": meta}
}

func group(name string, members int64) obj {
	return obj{
		"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup", "metadata": obj{"name": name, "namespace": "a"}, "spec": obj{"minMember": members},
	}
}

// job is a group and its pods that wait.
func job(name string, members int, priority int64) (all []obj) {
	all = append(all, group(name, int64(members)))
	for i := range members {
		all = append(all, pod(fmt.Sprintf("%s-%d", name, i), name, "", priority))
	}
	return all
}

// racks are two racks of two nodes and their topology.
func racks() (all []obj) {
	all = append(all, obj{
		"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology", "metadata": obj{"name": "default"}, "spec": obj{"levels": []any{obj{"nodeLabel": "net/rack"}}},
	})
	for i := range 4 {
		all = append(all, node(fmt.Sprintf("n%d", i), fmt.Sprintf("r%d", i/2)))
	}
	return all
}

var all = []string{"n0", "n1", "n2", "n3"}

// host is an extender with a clock of its own, and what it has bound.
type host struct {
	*testing.T
	e     *Extender
	url   string
	clock time.Time

	mu    sync.Mutex
	bound []v1.Binding
	fails error
}

func serve(t *testing.T, objects ...[]obj) *host {
	t.Helper()
	h := &host{T: t, clock: time.Unix(1000, 0)}
	state := NewState(manifest.Options{}, 0)
	state.now, state.lag = func() time.Time { return h.clock }, 0
	h.e = &Extender{State: state, Registry: prometheus.NewRegistry(), Bind: func(_ context.Context, b *v1.Binding) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		require.NoError(t, state.Look()) // as others do meanwhile
		if h.fails != nil {
			return h.fails
		}
		h.bound = append(h.bound, *b)
		return nil
	}}
	h.set(slices.Concat(objects...)...)
	server := httptest.NewServer(h.e.Handler())
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

func (h *host) set(objects ...obj) {
	h.Helper()
	for _, o := range objects {
		require.NoError(h, h.e.State.Set(o))
	}
}

func (h *host) delete(objects ...obj) {
	h.Helper()
	for _, o := range objects {
		require.NoError(h, h.e.State.Delete(o))
	}
}

// post asks, and reads the answer if there is one.
func (h *host) post(verb string, args, result any) (code int, text string) {
	h.Helper()
	body, err := json.Marshal(args)
	require.NoError(h, err)
	answer, err := http.Post(h.url+"/"+verb, "application/json", bytes.NewReader(body))
	require.NoError(h, err)
	defer func() { require.NoError(h, answer.Body.Close()) }()
	data, err := io.ReadAll(answer.Body)
	require.NoError(h, err)
	if answer.StatusCode == http.StatusOK {
		require.NoError(h, json.Unmarshal(data, result))
	}
	return answer.StatusCode, string(data)
}

func of(name string) *v1.Pod {
	p := &v1.Pod{}
	p.Namespace, p.Name, p.UID = "a", name, types.UID("uid-"+name)
	return p
}

// filter asks for a pod with names of nodes.
func (h *host) filter(pod string, nodes ...string) *extenderv1.ExtenderFilterResult {
	h.Helper()
	var r extenderv1.ExtenderFilterResult
	code, text := h.post("filter", extenderv1.ExtenderArgs{Pod: of(pod), NodeNames: &nodes}, &r)
	require.Equal(h, http.StatusOK, code, text)
	if r.Error == "" {
		require.NotNil(h, r.NodeNames)
		require.Nil(h, r.Nodes)
		require.Len(h, nodes, len(*r.NodeNames)+len(r.FailedNodes)+len(r.FailedAndUnresolvableNodes))
	}
	return &r
}

// goesTo is the node that is left for a pod.
func (h *host) goesTo(pod string, nodes ...string) string {
	h.Helper()
	r := h.filter(pod, nodes...)
	require.Empty(h, r.Error)
	require.Len(h, *r.NodeNames, 1, r.FailedAndUnresolvableNodes)
	return (*r.NodeNames)[0]
}

// refusal is why a pod can go nowhere.
func (h *host) refusal(pod string, nodes ...string) string {
	h.Helper()
	r := h.filter(pod, nodes...)
	require.Empty(h, r.Error)
	require.Empty(h, *r.NodeNames)
	require.Empty(h, r.FailedNodes)
	return r.FailedAndUnresolvableNodes[nodes[0]]
}

func (h *host) bind(pod, node string) string {
	h.Helper()
	var r extenderv1.ExtenderBindingResult
	code, text := h.post("bind", extenderv1.ExtenderBindingArgs{PodName: pod, PodNamespace: "a", PodUID: types.UID("uid-" + pod), Node: node}, &r)
	require.Equal(h, http.StatusOK, code, text)
	return r.Error
}
