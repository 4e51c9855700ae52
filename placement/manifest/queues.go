package manifest

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// API groups of Queues.
const (
	volcanoQueues = "scheduling.volcano.sh"
	kaiQueues     = "scheduling.run.ai"
)

// readQueue keeps a Queue. It is read if a gang names it or a queue below it, so that files that never spoke of quotas mean what
// they meant.
func (q *quotas) readQueue(o *object) {
	if q.queues == nil {
		q.queues = map[string]*object{}
	}
	q.queues[o.group+"/"+o.name] = o
}

// queueNames are where a pod or a template names its Queue.
func queueNames(pod field) []queueName {
	meta := pod.sub("metadata")
	return []queueName{
		{kaiQueues, meta.sub("labels").get("kai.scheduler/queue")},
		{volcanoQueues, meta.sub("annotations").get("scheduling.volcano.sh/queue-name")},
	}
}

// queuesOf is where the object of a gang names its Queue.
func queuesOf(o *object) []queueName {
	group := map[string]string{volcanoQueues: volcanoQueues, "batch.volcano.sh": volcanoQueues, kaiQueues: kaiQueues}[o.group]
	if group == "" {
		return nil
	}
	return []queueName{{group, o.root.sub("spec").get("queue")}}
}

// queueOf is the quota of the Queue that a member or its gang names, and where. A Queue that is not in the input is none.
func (q *quotas) queueOf(d *draft, m *member) (*quotaSource, field) {
	if len(q.queues) == 0 {
		return nil, m.spec.quota
	}
	for _, n := range d.queueNames(m) {
		if o := q.queues[n.group+"/"+n.at.str()]; o != nil {
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

// namedQueues reads the Queues that some gang names, and those above them.
func (q *quotas) namedQueues(drafts []*draft) []*quotaSource {
	if len(q.queues) == 0 {
		return nil
	}
	used := map[*object]bool{}
	for _, d := range drafts {
		d.adoptJob()
		for _, m := range slices.Concat(d.pods, d.promised) {
			for _, n := range d.queueNames(m) {
				for o := q.queues[n.group+"/"+n.at.str()]; o != nil && !used[o]; o = q.queues[o.group+"/"+queueParent(o)] {
					used[o] = true
				}
			}
		}
	}
	q.ofObject = map[*object]*quotaSource{}
	var out []*quotaSource
	for o := range used {
		s := &quotaSource{obj: o, spec: quota.Spec{Name: o.name, Parent: queueParent(o)}}
		if o.group == kaiQueues {
			q.readKAIQueue(o, &s.spec)
		} else {
			q.readVolcanoQueue(o, &s.spec)
		}
		q.ofObject[o], out = s, append(out, s)
	}
	spread(out)
	return out
}

// queueParent is the name of the queue above; empty at the top.
func queueParent(o *object) string {
	spec := o.root.sub("spec")
	if o.group == kaiQueues {
		return spec.get("parentQueue").str()
	}
	if parent := spec.get("parent").str(); parent != "root" {
		return parent
	}
	return ""
}

// readVolcanoQueue reads a Queue of Volcano: capability is the maximum, the guarantee a minimum that is not lent, as there. Not
// read are deserved, which is a target for reclaiming and promises nothing, and reclaimable, priority and state, which quotas lack.
func (q *quotas) readVolcanoQueue(o *object, s *quota.Spec) {
	spec := o.root.sub("spec")
	s.Min = q.amounts.resources(spec.sub("guarantee").get("resource"))
	s.Max = q.amounts.resources(spec.get("capability"))
	s.Keeps = len(s.Min) > 0
	n, ok := spec.get("weight").whole(0)
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
			most[name], s.spec.Weight[name] = unlimited, weight
		}
		maps.Copy(most, s.spec.Max)
		s.spec.Max = most
	}
}

// readKAIQueue reads a Queue of KAI, which counts milli-CPU, megabytes and GPUs: quota is the minimum, limit the maximum, -1 of either
// all there is. A resource that it does not name is not governed. Not read are priority, lendingLimit and preemptMinRuntime, which
// quotas lack; parts of a GPU are refused.
func (q *quotas) readKAIQueue(o *object, s *quota.Spec) {
	s.Min, s.Max, s.Weight = muster.Resources{}, muster.Resources{}, muster.Resources{}
	resources := o.root.sub("spec").sub("resources")
	for _, k := range []struct {
		key, name string
		factor    int64
	}{{"cpu", muster.CPU, 1}, {"memory", "memory", 1_000_000}, {"gpu", "nvidia.com/gpu", 1}} {
		f := resources.sub(k.key)
		if !f.present() {
			continue
		}
		s.Max[k.name] = q.amounts.units(f.get("limit"), k.factor)
		s.Min[k.name] = q.amounts.units(f.get("quota"), k.factor)
		if s.Min[k.name] == unlimited {
			s.Min[k.name] = s.Max[k.name]
		}
		// Weights are fractions; only their ratio counts.
		s.Weight[k.name], _ = q.amounts.amount(f.get("overQuotaWeight"), muster.CPU)
	}
}
