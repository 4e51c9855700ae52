package extender

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

func (h *host) get(path string) (int, string) {
	h.Helper()
	answer, err := http.Get(h.url + path)
	require.NoError(h, err)
	defer func() { require.NoError(h, answer.Body.Close()) }()
	data, err := io.ReadAll(answer.Body)
	require.NoError(h, err)
	return answer.StatusCode, string(data)
}

// metric is the value of one.
func (h *host) metric(name string) string {
	h.Helper()
	_, text := h.get("/metrics")
	_, value, found := strings.Cut(text, "\n"+name+" ")
	require.True(h, found, text)
	return value[:strings.Index(value, "\n")]
}

// plans counts gangs by what became of them.
func (h *host) plans(outcome string) int {
	h.Helper()
	n, err := strconv.Atoi(h.metric(`muster_extender_gangs_total{outcome="` + outcome + `"}`))
	require.NoError(h, err)
	return n
}

// What is no request of an extender is refused with a reason, whatever it is.
func TestBadRequests(t *testing.T) {
	h := serve(t, racks())
	h.e.MaxBody = 1000
	for body, code := range map[string]int{
		"": 400, "{": 400, "[]": 400, `"x"`: 400, "{} {}": 400, `{"Pod": 3}`: 400, "null": 400, "{}": 400, `{"Pod": null}`: 400, "\xff\xfe": 400,
		`{"Pod": {"metadata": {"name": ["x"]}}}`: 400, `{"Pod": {}, "x": "` + strings.Repeat("x", 2000) + `"}`: 413,
	} {
		for _, verb := range []string{"filter", "prioritize", "preempt", "bind"} {
			answer, err := http.Post(h.url+"/"+verb, "application/json", strings.NewReader(body))
			require.NoError(t, err)
			reason, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
			require.Equal(t, code, answer.StatusCode, "%s %s", verb, body)
			require.NotEmpty(t, reason)
		}
	}
	code, _ := h.get("/filter")
	require.Equal(t, http.StatusMethodNotAllowed, code)
	code, _ = h.get("/other")
	require.Equal(t, http.StatusNotFound, code)
}

func TestHealth(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0))
	ready := false
	h.e.Ready = func() bool { return ready }
	code, _ := h.get("/healthz")
	require.Equal(t, http.StatusOK, code)
	code, _ = h.get("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	code, _ = h.post("filter", extenderv1.ExtenderArgs{Pod: of("train-0"), NodeNames: &all}, nil)
	require.Equal(t, http.StatusServiceUnavailable, code)
	ready = true
	code, _ = h.get("/readyz")
	require.Equal(t, http.StatusOK, code)
	h.goesTo("train-0", all...)
	_, text := h.get("/metrics")
	require.Contains(t, text, `muster_extender_requests_total{code="200",verb="filter"} 1`)
	require.Contains(t, text, `muster_extender_requests_total{code="503",verb="filter"} 1`)
	require.Contains(t, text, `muster_extender_plan_duration_seconds_count 1`)
	require.Contains(t, text, `muster_extender_gangs_total{outcome="planned"} 1`)
	require.Contains(t, text, `muster_extender_gangs_total{outcome="refused"} 0`)
}

// Requests and changes may come at once.
func TestConcurrency(t *testing.T) {
	h := serve(t, racks(), job("train", 2, 0), job("other", 2, 0))
	var done sync.WaitGroup
	for i := range 4 {
		done.Go(func() {
			for j := range 25 {
				nodes := all
				args := extenderv1.ExtenderArgs{Pod: of(fmt.Sprintf("%s-%d", []string{"train", "other"}[i%2], j%2)), NodeNames: &nodes}
				var r extenderv1.ExtenderFilterResult
				code, text := h.post("filter", args, &r)
				if code != http.StatusOK {
					t.Error(text)
				}
				h.set(pod(fmt.Sprintf("p%d", i), "", all[j%4], 0))
				h.delete(pod(fmt.Sprintf("p%d", i), "", all[j%4], 0))
			}
		})
	}
	done.Wait()
	require.NotEmpty(t, h.goesTo("train-0", all...))
}

// No bytes make it fail.
func FuzzRequests(f *testing.F) {
	f.Add("filter", []byte(`{"Pod":{"metadata":{"name":"train-0","namespace":"a"}},"NodeNames":["n0"]}`))
	f.Add("preempt", []byte(`{"Pod":{"metadata":{"name":"train-0","namespace":"a"}},"NodeNameToMetaVictims":{"n0":null}}`))
	f.Add("preempt", []byte(`{"Pod":{"metadata":{"name":"plain","namespace":"a"}},"NodeNameToVictims":{"n0":{"Pods":[null]},"n1":null}}`))
	f.Add("prioritize", []byte(`{"Pod":{"metadata":{"name":"plain","namespace":"a"}},"Nodes":{"items":[{},null]}}`))
	f.Add("bind", []byte(`{"PodName":"x","PodNamespace":"a","Node":"n0"}`))
	f.Fuzz(func(t *testing.T, verb string, body []byte) {
		h := serve(t, racks(), job("train", 2, 0), []obj{pod("plain", "", "", 0)})
		r, err := http.NewRequest(http.MethodPost, h.url, bytes.NewReader(body))
		require.NoError(t, err)
		r.URL.Path = "/" + verb
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.NotEqual(t, http.StatusInternalServerError, answer.StatusCode)
	})
}
