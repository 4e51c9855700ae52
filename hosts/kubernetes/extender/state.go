package extender

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// DefaultTimeout is how long a plan holds its room for members that nobody asks for.
const DefaultTimeout = 30 * time.Second

// lag is how long informers may take to tell of a pod of which the scheduler has heard: it does not try again at once, and waits with a pod that finds no
// room until something happens.
const lag = time.Second

// State is the cluster as its objects say it is, and the plans of gangs that wait. It is safe for concurrent use.
type State struct {
	timeout time.Duration
	lag     time.Duration
	now     func() time.Time

	mu      sync.Mutex
	store   *manifest.Store
	changed bool // since the last look
	cluster *placement.Cluster
	version int                             // raised whenever the cluster is observed to be another one
	gangs   map[string]*manifest.Gang       // that wait, by name
	waiting map[types.NamespacedName]string // the gangs of pods that wait
	uids    map[types.NamespacedName]string // of all pods
	plans   map[string]*plan                // by gang
	refused map[string]*refusal             // by gang
	metrics *metrics
}

// NewState knows nothing yet. A timeout of 0 is [DefaultTimeout].
func NewState(opt manifest.Options, timeout time.Duration) *State {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	return &State{
		timeout: timeout, lag: lag, now: time.Now, store: manifest.NewStore(opt), changed: true, gangs: map[string]*manifest.Gang{}, waiting: map[types.NamespacedName]string{},
		uids: map[types.NamespacedName]string{}, plans: map[string]*plan{}, refused: map[string]*refusal{}, metrics: newMetrics(nil),
	}
}

// Set adds an object, or replaces the one of its name; see [manifest.Store.Set].
func (s *State) Set(obj map[string]any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	if name, uid, is := podOf(obj); is {
		s.uids[name] = uid
	}
	return s.store.Set(obj)
}

// Delete forgets an object.
func (s *State) Delete(obj map[string]any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	if name, _, is := podOf(obj); is {
		delete(s.uids, name)
	}
	return s.store.Delete(obj)
}

// Look reads what has changed, so that the first who asks need not wait for that.
func (s *State) Look() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look()
}

// look brings cluster, gangs and plans up to what the objects say.
func (s *State) look() error {
	if s.changed {
		if err := s.follow(); err != nil {
			return err
		}
	}
	s.expire()
	return nil
}

// follow reads what has changed.
func (s *State) follow() error {
	changes := s.store.Changes()
	next, err := s.cluster, error(nil)
	rebuilt := changes.Rebuild || s.cluster == nil
	if rebuilt {
		next, err = placement.NewCluster(s.store.Input().Spec)
	} else if !reflect.ValueOf(changes.Delta).IsZero() {
		next, err = s.cluster.Update(changes.Delta)
	}
	s.wait(changes)
	if err != nil {
		s.cluster = nil // and is made anew at the next look
		s.dropAll()
		return fmt.Errorf("the cluster: %w", err)
	}
	s.changed = false
	if next != s.cluster {
		s.cluster = next
		s.version++
	}
	if rebuilt {
		s.dropAll()
		return nil
	}
	s.dropChanged(changes)
	return nil
}

// wait notes which gangs wait, and which pods in them.
func (s *State) wait(changes *manifest.Changes) {
	forget := func(name string) {
		g := s.gangs[name]
		if g == nil {
			return
		}
		delete(s.gangs, name)
		for _, m := range g.Request.Members {
			if pod := podName(name, m.Name); s.waiting[pod] == name {
				delete(s.waiting, pod)
			}
		}
	}
	for _, name := range changes.Gone {
		forget(name)
		delete(s.refused, name)
	}
	for i := range changes.Gangs {
		forget(changes.Gangs[i].Request.Name)
	}
	for i := range changes.Gangs {
		g := &changes.Gangs[i]
		s.gangs[g.Request.Name] = g
		for _, m := range g.Request.Members {
			s.waiting[podName(g.Request.Name, m.Name)] = g.Request.Name
		}
	}
}

// await waits a moment for a pod of which informers have not told yet.
func (s *State) await(ctx context.Context, pod *v1.Pod) {
	ctx, cancel := context.WithTimeout(ctx, s.lag)
	defer cancel()
	for !s.knows(pod) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *State) knows(pod *v1.Pod) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	uid, known := s.uids[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}]
	return known && (pod.UID == "" || uid == string(pod.UID))
}

// gangOf is the gang of a pod that waits. The error is for a pod that is not known, or not to wait.
func (s *State) gangOf(pod *v1.Pod) (*manifest.Gang, error) {
	if err := s.look(); err != nil {
		return nil, err
	}
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	uid, known := s.uids[name]
	switch {
	case !known || pod.UID != "" && uid != string(pod.UID):
		return nil, fmt.Errorf("muster: pod %s is not known here yet", name)
	case s.gangs[s.waiting[name]] == nil:
		return nil, fmt.Errorf("muster: pod %s does not wait for a node, as far as is known here", name)
	}
	return s.gangs[s.waiting[name]], nil
}

// assume lets a pod run where it is to be bound.
func (s *State) assume(args *extenderv1.ExtenderBindingArgs) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := types.NamespacedName{Namespace: args.PodNamespace, Name: args.PodName}
	if uid, known := s.uids[name]; !known || args.PodUID != "" && uid != string(args.PodUID) {
		return fmt.Errorf("muster: pod %s is not known here yet", name)
	}
	s.changed = true
	return s.store.Assume(object(args), args.Node)
}

// forget takes that back.
func (s *State) forget(args *extenderv1.ExtenderBindingArgs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
	if err := s.store.Forget(object(args)); err != nil {
		s.metrics.failed(err)
	}
}

// object names the pod of a binding.
func object(args *extenderv1.ExtenderBindingArgs) map[string]any {
	meta := map[string]any{"namespace": args.PodNamespace, "name": args.PodName}
	if args.PodUID != "" {
		meta["uid"] = string(args.PodUID)
	}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta}
}

// podOf is the name and the UID of a pod; false: the object is none.
func podOf(obj map[string]any) (name types.NamespacedName, uid string, is bool) {
	if obj["kind"] != "Pod" || obj["apiVersion"] != "v1" {
		return name, "", false
	}
	meta, _ := obj["metadata"].(map[string]any)
	name.Namespace, _ = meta["namespace"].(string)
	name.Name, is = meta["name"].(string)
	uid, _ = meta["uid"].(string)
	if name.Namespace == "" {
		name.Namespace = "default"
	}
	return name, uid, is
}
