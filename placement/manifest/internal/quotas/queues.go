package quotas

import (
	"fmt"
	"maps"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/quota"
)

// API groups of Queues.
const (
	Volcano = "scheduling.volcano.sh"
	KAI     = "scheduling.run.ai"
)

// ReadQueue keeps a Queue. It is read if a gang names it or a queue below it, so that files that never spoke of quotas mean what
// they meant.
func (q *All) ReadQueue(o *object.Object) {
	if q.queues == nil {
		q.queues = map[string]*object.Object{}
	}
	q.queues[o.Group+"/"+o.Name] = o
}

// Queue is a place that names a Queue of an API group.
type Queue struct {
	Group string
	At    object.Field
}

// QueuesOfPod are where the metadata of a pod, a template or an owner name its Queue; none where the input has no Queue.
func (q *All) QueuesOfPod(pod object.Field) []Queue {
	if len(q.queues) == 0 {
		return nil
	}
	meta := pod.Sub("metadata")
	return []Queue{
		{KAI, object.Stated(meta, "kai.scheduler/queue")},
		{Volcano, object.Stated(meta, "scheduling.volcano.sh/queue-name")},
		{Volcano, object.Stated(meta, "volcano.sh/queue-name")},
	}
}

// QueuesOfGang are where the object of a gang names its Queue.
func QueuesOfGang(o *object.Object) []Queue {
	group := map[string]string{Volcano: Volcano, "batch.volcano.sh": Volcano, KAI: KAI}[o.Group]
	if group == "" {
		return nil
	}
	return []Queue{{group, o.Root.Sub("spec").Get("queue")}}
}

// ofQueue is the quota of the Queue that a pod or its gang names, and where. A Queue that is not in the input is none.
func (q *All) ofQueue(p Place) (*quotaSource, object.Field) {
	if len(q.queues) == 0 {
		return nil, p.Label
	}
	for _, n := range p.Queues {
		if o := q.queues[n.Group+"/"+n.At.Text()]; o != nil {
			return q.ofObject[o], n.At
		}
	}
	return nil, p.Label
}

// HasQueues says whether the input has a Queue.
func (q *All) HasQueues() bool { return len(q.queues) > 0 }

// HasQueue says whether the input has the Queue, `group/name`.
func (q *All) HasQueue(name string) bool { return q.queues[name] != nil }

// Use enters the Queue that is named somewhere, and those above it, by API group and name.
func (q *All) Use(n Queue, used map[string]bool) {
	for o := q.queues[n.Group+"/"+n.At.Text()]; o != nil && !used[o.Group+"/"+o.Name]; o = q.queues[o.Group+"/"+queueParent(o)] {
		used[o.Group+"/"+o.Name] = true
	}
}

// namedQueues reads the Queues that are used.
func (q *All) namedQueues(used map[string]bool) []*quotaSource {
	q.noteUnread(used)
	q.ofObject = map[*object.Object]*quotaSource{}
	var out []*quotaSource
	for _, name := range object.SortedKeys(used) {
		o := q.queues[name]
		s := &quotaSource{obj: o, spec: quota.Spec{Name: o.Name, Parent: queueParent(o)}}
		if o.Group == KAI {
			q.readKAIQueue(o, &s.spec)
		} else {
			q.readVolcanoQueue(o, &s.spec)
		}
		q.ofObject[o], out = s, append(out, s)
	}
	spread(out)
	return out
}

// unreadOfQueues are the fields of Queues that quotas lack, by API group, with the value that changes nothing.
var unreadOfQueues = map[string][]struct {
	in, key, harmless string
}{
	Volcano: {
		{"spec", "affinity", ""}, {"spec", "deserved", ""}, {"spec", "priority", "0"}, {"spec", "reclaimable", "true"}, {"status", "state", "Open"},
	},
	KAI: {{"spec", "preemptMinRuntime", ""}, {"spec", "priority", ""}, {"spec", "reclaimMinRuntime", ""}},
}

// noteUnread lists what the Queues that gangs name say and quotas cannot.
func (q *All) noteUnread(used map[string]bool) {
	for _, group := range []string{KAI, Volcano} {
		for _, of := range unreadOfQueues[group] {
			n := 0
			for name := range used {
				o := q.queues[name]
				v := o.Root.Value.Get(of.in).Get(of.key)
				if o.Group == group && v != nil && (v.Text == "" || v.Text != of.harmless) {
					n++
				}
			}
			if n > 0 {
				q.Unread = append(q.Unread, fmt.Sprintf("%s.%s of %s in %s", of.in, of.key, object.Plural(n, "Queue"), group))
			}
		}
	}
}

// queueParent is the name of the queue above; empty at the top.
func queueParent(o *object.Object) string {
	spec := o.Root.Sub("spec")
	if o.Group == KAI {
		return spec.Get("parentQueue").Text()
	}
	if parent := spec.Get("parent").Text(); parent != "root" {
		return parent
	}
	return ""
}

// readVolcanoQueue reads a Queue of Volcano: capability is the maximum, the guarantee a minimum that is not lent, as there. Not
// read are deserved, which is a target for reclaiming and promises nothing, and reclaimable, priority and state, which quotas lack.
func (q *All) readVolcanoQueue(o *object.Object, s *quota.Spec) {
	spec := o.Root.Sub("spec")
	s.Min = q.amounts.Resources(spec.Sub("guarantee").Get("resource"))
	s.Max = q.amounts.Resources(spec.Get("capability"))
	s.Keeps = len(s.Min) > 0
	n, ok := spec.Get("weight").Whole(0)
	if !ok || n == 0 {
		n = 1 // as its webhook does
	}
	s.Weight = muster.Resources{"": int64(n)}
}

// spread gives Volcano's queues what they say of every resource: one weight, and no limit where they name none. The resources are those
// that some of them names.
func spread(sources []*quotaSource) {
	names := map[string]bool{}
	for _, s := range sources {
		for _, amounts := range []muster.Resources{s.spec.Min, s.spec.Max} {
			for name := range amounts {
				names[name] = true
			}
		}
	}
	for _, s := range sources {
		weight, ok := s.spec.Weight[""]
		if !ok {
			continue
		}
		most := muster.Resources{}
		s.spec.Weight = muster.Resources{}
		for name := range names {
			most[name], s.spec.Weight[name] = amounts.Unlimited, weight
		}
		maps.Copy(most, s.spec.Max)
		s.spec.Max = most
	}
}

// readKAIQueue reads a Queue of KAI, which counts milli-CPU, megabytes and GPUs: quota is the minimum, limit the maximum, -1 of either
// all there is. A resource that it does not name is not governed. Not read are priority, lendingLimit and preemptMinRuntime, which
// quotas lack; parts of a GPU are refused.
func (q *All) readKAIQueue(o *object.Object, s *quota.Spec) {
	s.Min, s.Max, s.Weight = muster.Resources{}, muster.Resources{}, muster.Resources{}
	resources := o.Root.Sub("spec").Sub("resources")
	for _, k := range []struct {
		key, name string
		factor    int64
	}{{"cpu", muster.CPU, 1}, {"memory", "memory", 1_000_000}, {"gpu", "nvidia.com/gpu", 1}} {
		f := resources.Sub(k.key)
		if !f.Present() {
			continue
		}
		s.Max[k.name] = q.amounts.Units(f.Get("limit"), k.factor)
		s.Min[k.name] = q.amounts.Units(f.Get("quota"), k.factor)
		if s.Min[k.name] == amounts.Unlimited {
			s.Min[k.name] = s.Max[k.name]
		}
		// Weights are fractions; only their ratio counts.
		s.Weight[k.name], _ = q.amounts.Amount(f.Get("overQuotaWeight"), muster.CPU)
	}
}
