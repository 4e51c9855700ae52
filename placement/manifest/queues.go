package manifest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/quota"
)

// API groups of Queues.
const (
	volcanoQueues = "scheduling.volcano.sh"
	kaiQueues     = "scheduling.run.ai"
)

// readQueue keeps a Queue. It is read if a gang names it or a queue below it, so that files that never spoke of quotas mean what
// they meant.
func (q *quotas) readQueue(o *object.Object) {
	if q.queues == nil {
		q.queues = map[string]*object.Object{}
	}
	q.queues[o.Group+"/"+o.Name] = o
}

// queueNames are where a pod or a template names its Queue.
func queueNames(pod object.Field) []queueName {
	meta := pod.Sub("metadata")
	return []queueName{
		{kaiQueues, meta.Sub("labels").Get("kai.scheduler/queue")},
		{volcanoQueues, meta.Sub("annotations").Get("scheduling.volcano.sh/queue-name")},
	}
}

// queuesOf is where the object of a gang names its Queue.
func queuesOf(o *object.Object) []queueName {
	group := map[string]string{volcanoQueues: volcanoQueues, "batch.volcano.sh": volcanoQueues, kaiQueues: kaiQueues}[o.Group]
	if group == "" {
		return nil
	}
	return []queueName{{group, o.Root.Sub("spec").Get("queue")}}
}

// queueOf is the quota of the Queue that a member or its gang names, and where. A Queue that is not in the input is none.
func (q *quotas) queueOf(d *draft, m *member) (*quotaSource, object.Field) {
	if len(q.queues) == 0 {
		return nil, m.spec.quota
	}
	for _, n := range d.queueNames(m) {
		if o := q.queues[n.group+"/"+n.at.Text()]; o != nil {
			return q.ofObject[o], n.at
		}
	}
	return nil, m.spec.quota
}

// queueNames are where a member of the gang may name its Queue, in the order in which they count.
func (d *draft) queueNames(m *member) []queueName {
	names := slices.Concat(m.spec.queues, d.queues)
	if d.job != nil {
		names = append(names, d.job.queues...)
	}
	return names
}

// namedQueues reads the Queues that are used.
func (q *quotas) namedQueues(used map[string]bool) []*quotaSource {
	q.noteUnread(used)
	q.ofObject = map[*object.Object]*quotaSource{}
	var out []*quotaSource
	for _, name := range object.SortedKeys(used) {
		o := q.queues[name]
		s := &quotaSource{obj: o, spec: quota.Spec{Name: o.Name, Parent: queueParent(o)}}
		if o.Group == kaiQueues {
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
	volcanoQueues: {
		{"spec", "affinity", ""}, {"spec", "deserved", ""}, {"spec", "priority", "0"}, {"spec", "reclaimable", "true"}, {"status", "state", "Open"},
	},
	kaiQueues: {{"spec", "preemptMinRuntime", ""}, {"spec", "priority", ""}, {"spec", "reclaimMinRuntime", ""}},
}

// noteUnread lists what the Queues that gangs name say and quotas cannot.
func (q *quotas) noteUnread(used map[string]bool) {
	for _, group := range []string{kaiQueues, volcanoQueues} {
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
				q.unread = append(q.unread, fmt.Sprintf("%s.%s of %s in %s", of.in, of.key, object.Plural(n, "Queue"), group))
			}
		}
	}
}

// queueParent is the name of the queue above; empty at the top.
func queueParent(o *object.Object) string {
	spec := o.Root.Sub("spec")
	if o.Group == kaiQueues {
		return spec.Get("parentQueue").Text()
	}
	if parent := spec.Get("parent").Text(); parent != "root" {
		return parent
	}
	return ""
}

// readVolcanoQueue reads a Queue of Volcano: capability is the maximum, the guarantee a minimum that is not lent, as there. Not
// read are deserved, which is a target for reclaiming and promises nothing, and reclaimable, priority and state, which quotas lack.
func (q *quotas) readVolcanoQueue(o *object.Object, s *quota.Spec) {
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
func (q *quotas) readKAIQueue(o *object.Object, s *quota.Spec) {
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
