package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
)

// Story is what became of a gang.
type Story struct {
	Gang           Gang
	Created, Bound time.Time // Bound: when all pods had a node for the first time; zero: never
	Racks          int       // of these nodes
	Layer          string    // the tightest that held them: rack, block, zone, or empty
	Hurt           bool      // some of it was preempted
	Ended          bool
}

// Player plays a stream, and does for its gangs what their controllers do: pods that are lost come again.
type Player struct {
	cluster   *Cluster
	namespace string
	nodes     map[string]*v1.Node

	mu      sync.Mutex
	pods    map[string]*v1.Pod
	stories map[string]*Story
	runs    map[string]time.Duration
	changed chan struct{}
}

// NewPlayer makes a namespace to play in. It follows pods until the context is done.
func (c *Cluster) NewPlayer(ctx context.Context, namespace string) (*Player, error) {
	if _, err := c.Client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	p := &Player{
		cluster: c, namespace: namespace, nodes: map[string]*v1.Node{}, pods: map[string]*v1.Pod{}, stories: map[string]*Story{},
		runs: map[string]time.Duration{}, changed: make(chan struct{}, 1),
	}
	for i := range nodes.Items {
		p.nodes[nodes.Items[i].Name] = &nodes.Items[i]
	}
	factory := informers.NewSharedInformerFactoryWithOptions(c.Client, 0, informers.WithNamespace(namespace))
	_, err = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { p.saw(obj.(*v1.Pod), false) }, UpdateFunc: func(_, obj any) { p.saw(obj.(*v1.Pod), false) },
		DeleteFunc: func(obj any) { p.saw(objects.Last(obj).(*v1.Pod), true) },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return p, err
}

// Play lets the gangs of a stream arrive, run and end, and returns when all have ended, or the context is done. Events are called at their times.
func (p *Player) Play(ctx context.Context, stream []Arrival, events map[time.Duration]func() error) error {
	start := time.Now()
	times := []time.Duration{}
	for at := range events {
		times = append(times, at)
	}
	slices.Sort(times)
	for ctx.Err() == nil {
		elapsed := time.Since(start)
		for len(times) > 0 && times[0] <= elapsed {
			if err := events[times[0]](); err != nil {
				return err
			}
			times = times[1:]
		}
		for len(stream) > 0 && stream[0].At <= elapsed {
			if err := p.arrive(ctx, stream[0]); err != nil {
				return err
			}
			stream = stream[1:]
		}
		if err := p.control(ctx); err != nil {
			return err
		}
		if len(stream) == 0 && len(times) == 0 && p.over() {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-p.changed:
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("gangs are left when the time is over: %s", strings.Join(p.left(), ", "))
}

func (p *Player) arrive(ctx context.Context, a Arrival) error {
	p.mu.Lock()
	p.stories[a.Gang.Name] = &Story{Gang: a.Gang, Created: time.Now()}
	p.runs[a.Gang.Name] = a.Runs
	p.mu.Unlock()
	return p.cluster.Create(ctx, p.namespace, a.Gang)
}

// saw notes a state of a pod.
func (p *Player) saw(pod *v1.Pod, gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stories[pod.Labels["gang"]]
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.DisruptionTarget && c.Reason == v1.PodReasonPreemptionByScheduler && s != nil {
			s.Hurt = true
		}
	}
	if p.pods[pod.Name] = pod; gone {
		delete(p.pods, pod.Name)
	}
	if s != nil && s.Bound.IsZero() {
		p.look(s)
	}
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// bound are the nodes of a gang's pods that have one.
func (p *Player) bound(g *Gang) (nodes []string) {
	for i := range g.Pods {
		if pod := p.pods[fmt.Sprintf("%s-%d", g.Name, i)]; pod != nil && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	return nodes
}

// look notes where a gang lies, once all of it has a node.
func (p *Player) look(s *Story) {
	nodes := p.bound(&s.Gang)
	if len(nodes) < s.Gang.Pods {
		return
	}
	s.Bound = time.Now()
	used := map[string]map[string]bool{Rack: {}, Block: {}, Zone: {}}
	for _, name := range nodes {
		for layer, in := range used {
			in[p.nodes[name].Labels[layer]] = true
		}
	}
	s.Racks = len(used[Rack])
	for _, layer := range []string{Zone, Block, Rack} {
		if len(used[layer]) == 1 {
			s.Layer = layer
		}
	}
}

// control makes pods that are lost anew, and ends gangs whose time is over.
func (p *Player) control(ctx context.Context) error {
	p.mu.Lock()
	var end []string
	missing := map[string][]int{}
	for name, s := range p.stories {
		switch {
		case s.Ended:
		case !s.Bound.IsZero() && time.Since(s.Bound) > p.runs[name] && len(p.bound(&s.Gang)) == s.Gang.Pods:
			s.Ended = true
			end = append(end, name)
		default:
			for i := range s.Gang.Pods {
				if p.pods[fmt.Sprintf("%s-%d", name, i)] == nil && time.Since(s.Created) > time.Second {
					missing[name] = append(missing[name], i)
				}
			}
		}
	}
	p.mu.Unlock()
	var errs []error
	for name, list := range missing {
		for _, i := range list {
			if err := p.cluster.CreatePod(ctx, p.namespace, p.stories[name].Gang, i); !apierrors.IsAlreadyExists(err) {
				errs = append(errs, err)
			}
		}
	}
	for _, name := range end {
		errs = append(errs, p.remove(ctx, name))
	}
	return errors.Join(errs...)
}

func (p *Player) remove(ctx context.Context, name string) error {
	zero := int64(0)
	err := p.cluster.Client.CoreV1().Pods(p.namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &zero}, metav1.ListOptions{LabelSelector: "gang=" + name})
	groups := p.cluster.groups(p.namespace)
	if groups == nil {
		return err
	}
	return errors.Join(err, groups.Delete(ctx, name, metav1.DeleteOptions{}))
}

func (p *Player) over() bool { return len(p.left()) == 0 }

func (p *Player) left() (out []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, s := range p.stories {
		if !s.Ended {
			out = append(out, fmt.Sprintf("%s (%d of %d pods have a node)", name, len(p.bound(&s.Gang)), s.Gang.Pods))
		}
	}
	slices.Sort(out)
	return out
}

// Stories are those of all gangs, in the order in which they came.
func (p *Player) Stories() (out []Story) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.stories {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Story) int { return a.Created.Compare(b.Created) })
	return out
}

// Half is a gang of which some pods have a node and others none; empty: there is none.
func (p *Player) Half() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, s := range p.stories {
		if n := len(p.bound(&s.Gang)); !s.Ended && n > 0 && n < s.Gang.Pods {
			return name
		}
	}
	return ""
}
