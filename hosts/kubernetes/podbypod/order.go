package podbypod

import (
	"cmp"
	"sync"
	"time"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// order is that of the coscheduling proposal for pods in the scheduler's queue: those of one gang one after the other. When a gang came is when
// the first of its pods was seen, and does not change while pods of it are there. It is used by several goroutines.
type order struct {
	exists func(*v1.Pod) bool // as informers have told

	mu     sync.Mutex
	gangs  map[string]*arrival
	gangOf map[types.UID]string // of the pods that arrivals count
}

// arrival is when a gang came, and how many of its pods are there.
type arrival struct {
	first int64 // in nanoseconds
	pods  int
}

func newOrder(exists func(*v1.Pod) bool) order {
	return order{exists: exists, gangs: map[string]*arrival{}, gangOf: map[types.UID]string{}}
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
	o.count(p, out.Name, out.Created)
	if came := o.gangs[out.Name]; came != nil {
		out.Created = came.first
	}
	return out
}

// count counts a pod in its gang, once. The queue may still compare a pod that is gone: that one no [order.gone] would take out again.
func (o *order) count(p *v1.Pod, gang string, at int64) {
	was, counted := o.gangOf[p.UID]
	if counted && was == gang || !o.exists(p) {
		return
	}
	if counted {
		o.leave(p.UID)
	}
	came := o.gangs[gang]
	if came == nil {
		came = &arrival{first: at}
		o.gangs[gang] = came
	}
	came.pods++
	o.gangOf[p.UID] = gang
}

// gone forgets a pod, and with the last one its gang. Informers call it once [order.exists] says so.
func (o *order) gone(uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.leave(uid)
}

func (o *order) leave(uid types.UID) {
	gang, counted := o.gangOf[uid]
	if !counted {
		return
	}
	delete(o.gangOf, uid)
	if came := o.gangs[gang]; came.pods > 1 {
		came.pods--
		return
	}
	delete(o.gangs, gang)
}
