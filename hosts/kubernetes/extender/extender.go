// Package extender answers: how does a scheduler that cannot be built anew place gangs? It is the server side of kube-scheduler's extender (v1 of
// its JSON): the scheduler asks for one pod after the other, and gets for each the one node that the plan of its gang has for it.
//
//	filter      the gang is planned once, with all its members that wait; the pod may go to its node of that plan and nowhere else
//	prioritize  that node has the highest priority
//	preempt     of the plan's victims those on that node, or on another one where that is free
//	bind        the pod is bound, and runs there for the next plan at once
//
// A plan holds its room until its members are bound: other plans keep away, unless they are of a gang of higher priority. It is made anew when
// somebody else takes some of that room, when the scheduler does not offer its node, when the gang changes, and when it is old. Pods that are in
// no gang pass as they are. All is decided on what informers have told ([State]); a pod that they have not told of yet is an error, upon which the
// scheduler tries again.
//
// What an extender cannot do, and a plugin can:
//   - Members are bound one by one. Nothing waits until the last one has its node, so if the cluster changes in between, some run and others wait.
//   - The scheduler evicts for one pod on one node. Victims that a plan has on nodes where no member goes (those of a gang that ends as a whole, or
//     whose quota is full) stay, and so the plan waits. Members of a plan with victims wait until all of these are gone.
//   - Gangs are planned as they are asked for, not as a queue: where quotas are shared out, those that wait and are not asked for demand nothing.
//   - It wakes nobody. A pod that found no room is asked for again once the scheduler sees pods or nodes change, else after minutes: a PodGroup or a
//     topology that changes alone is no reason for it.
//   - It sees nodes that the scheduler offers. With percentageOfNodesToScore below 100 these are some of all, and with minCandidateNodesPercentage
//     (of DefaultPreemption) below 100 so are those for preemption; set both to 100.
package extender

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// MaxBody is the usual bound of a request: a list of some ten thousand whole nodes.
const MaxBody = 256 << 20

// Extender answers the scheduler. Its fields are set before the first request.
type Extender struct {
	State *State
	// Bind binds a pod.
	Bind func(context.Context, *v1.Binding) error
	// Ready says whether the state is complete; nil: it is.
	Ready func() bool
	// Registry has the metrics; nil: there are none.
	Registry *prometheus.Registry
	// MaxBody bounds requests, in bytes; 0: [MaxBody].
	MaxBody int64
	// OnlyVerified refuses who has no client certificate that was verified; health and metrics are for everybody.
	OnlyVerified bool
}

// Handler serves /filter, /prioritize, /preempt, /bind, /healthz, /readyz and /metrics.
func (e *Extender) Handler() http.Handler {
	m := newMetrics(e.Registry)
	e.State.mu.Lock()
	e.State.metrics = m
	e.State.mu.Unlock()
	mux := http.NewServeMux()
	mux.Handle("POST /filter", verb(e, m, "filter", e.filter))
	mux.Handle("POST /prioritize", verb(e, m, "prioritize", e.prioritize))
	mux.Handle("POST /preempt", verb(e, m, "preempt", e.preempt))
	mux.Handle("POST /bind", verb(e, m, "bind", e.bind))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !e.ready() {
			http.Error(w, "the objects of the cluster are not all read yet", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	if e.Registry != nil {
		mux.Handle("GET /metrics", m.handler(e.Registry))
	}
	return mux
}

func (e *Extender) ready() bool { return e.Ready == nil || e.Ready() }

// errRequest is an error of who asks.
type errRequest struct {
	code   int
	reason string
}

func (e errRequest) Error() string { return e.reason }

// verb is an answer to JSON as JSON.
func verb[Args, Result any](e *Extender, m *metrics, name string, answer func(context.Context, *Args) (*Result, error)) http.Handler {
	return m.counted(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		args, err := read[Args](e, w, r)
		var result *Result
		if err == nil {
			result, err = answer(r.Context(), args)
		}
		var refused errRequest
		switch {
		case errors.As(err, &refused):
			http.Error(w, refused.reason, refused.code)
			return
		case err != nil: // the scheduler counts what is not 200 as an error
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // who asked has left
	}))
}

// read reads the body of a request.
func read[Args any](e *Extender, w http.ResponseWriter, r *http.Request) (*Args, error) {
	switch {
	case e.OnlyVerified && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0):
		return nil, errRequest{http.StatusUnauthorized, "a client certificate is needed"}
	case !e.ready():
		return nil, errRequest{http.StatusServiceUnavailable, "the objects of the cluster are not all read yet"}
	}
	bound := e.MaxBody
	if bound <= 0 {
		bound = MaxBody
	}
	args := new(Args)
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, bound))
	err := body.Decode(args)
	if err == nil {
		if _, err = body.Token(); err == nil {
			err = errors.New("more than one value")
		} else if errors.Is(err, io.EOF) {
			return args, nil
		}
	}
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return nil, errRequest{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is longer than %d bytes", long.Limit)}
	}
	return nil, errRequest{http.StatusBadRequest, fmt.Sprintf("the request is not the JSON of an extender: %v", err)}
}

// prioritize gives the planned node the highest priority, and all others none.
func (e *Extender) prioritize(ctx context.Context, args *extenderv1.ExtenderArgs) (*extenderv1.HostPriorityList, error) {
	if args.Pod == nil {
		return nil, errNoPod
	}
	nodes := offered(args)
	node := e.State.planned(ctx, args.Pod)
	out := extenderv1.HostPriorityList{}
	for _, name := range nodes {
		p := extenderv1.HostPriority{Host: name}
		if name == node {
			p.Score = extenderv1.MaxExtenderPriority
		}
		out = append(out, p)
	}
	return &out, nil
}

var errNoPod = errRequest{http.StatusBadRequest, "the request has no Pod"}

// offered are the names of the nodes of a request: the scheduler sends them alone, or whole nodes.
func offered(args *extenderv1.ExtenderArgs) (names []string) {
	if args.NodeNames != nil {
		return *args.NodeNames
	}
	if args.Nodes != nil {
		for i := range args.Nodes.Items {
			names = append(names, args.Nodes.Items[i].Name)
		}
	}
	return names
}
