package podbypod

import (
	"cmp"
	"sync"
	"time"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	v1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// order is that of the coscheduling proposal for pods in the scheduler's queue: those of one gang one after the other. When a gang came is when
// the first of its pods was seen, and does not change while pods of it are in the queue. It is used by several goroutines.
type order struct {
	mu    sync.Mutex
	first map[string]int64 // by gang, in nanoseconds
}

// less says which of two pods comes first, by when they came to the queue.
func (o *order) less(a, b *v1.Pod, atA, atB time.Time) bool {
	x, y := o.entry(a, atA), o.entry(b, atB)
	return queue.ComparePods(&x, &gang.Member{Name: a.Name}, &y, &gang.Member{Name: b.Name}) < 0
}

// groupLabels and groupAnnotations name the gang of a pod; the first counts.
var (
	groupLabels      = []string{"scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io", "pod-group.scheduling.sigs.k8s.io/name"}
	groupAnnotations = []string{"gang.scheduling.koordinator.sh/name", "scheduling.k8s.io/group-name", "pod-group-name"}
)

// entry is the place of a pod's gang, or of a pod in none. Which gang it is in the end the objects say; here the pods of a name stand together.
func (o *order) entry(p *v1.Pod, at time.Time) queue.Entry {
	group := ""
	for _, key := range groupLabels {
		group = cmp.Or(group, p.Labels[key])
	}
	for _, key := range groupAnnotations {
		group = cmp.Or(group, p.Annotations[key])
	}
	out := queue.Entry{Name: p.Namespace + "/" + cmp.Or(group, p.Name), Priority: int64(corev1helpers.PodPriority(p)), Created: at.UnixNano()}
	if group == "" {
		out.UID = string(p.UID)
		return out
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.first == nil {
		o.first = map[string]int64{}
	}
	if first, ok := o.first[out.Name]; ok {
		out.Created = first
	} else {
		o.first[out.Name] = out.Created
	}
	return out
}

// forget forgets a gang of which no pod is there any more.
func (o *order) forget(gang string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.first, gang)
}
