package main

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// clear looks at a plan before it is applied: has it room now? If somebody has to be evicted for it, he is asked to leave. As long as somebody is
// leaving its room is held, so that nobody else takes what comes free, and the job waits. It is planned again then, on what is there.
func (h *host) clear(j *job, res *placement.Result) (now bool, err error) {
	if len(res.Victims) == 0 && !res.Waits() {
		return true, nil
	}
	d := cluster.Delta{Holds: map[string][]cluster.Hold{j.queued.Name: res.Holds()}}
	for _, v := range res.Victims {
		h.evict(h.byName[v.Gang], &d)
	}
	if len(res.Victims) == 0 {
		h.stats.waitedForRoom++
	}
	h.cluster, err = h.cluster.Update(d)
	return false, err
}

// evict asks a job to leave, as a whole and with those that it goes together with, and takes them from the queue. Pods need some time to end.
func (h *host) evict(victim *job, d *cluster.Delta) {
	for _, j := range victim.group {
		if j.over || j.leaving {
			continue
		}
		j.leaving = true
		h.stats.evicted++
		h.queue.Remove(j.queued.Name)
		d.Holds[j.queued.Name] = nil
		for _, p := range j.pods {
			if p.node != "" {
				d.Leaving = append(d.Leaving, cluster.MemberRef{Gang: j.queued.Name, Member: p.name})
			}
		}
		h.later(h.now+1+h.random.Int64N(5), event{kind: "gone", job: j})
	}
}
