package main

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement"
)

// clear looks at a plan before it is applied: has it room now? If somebody has to be evicted for it, he is asked to leave, and as long as
// somebody is leaving the job waits. It is planned again then, on what is there.
func (h *host) clear(res *placement.Result) (now bool, err error) {
	switch {
	case len(res.Victims) > 0:
		for _, v := range res.Victims {
			if err := h.evict(h.byName[v.Gang]); err != nil {
				return false, err
			}
		}
		return false, nil
	case res.Waits():
		h.stats.waitedForRoom++
		return false, nil
	}
	return true, nil
}

// evict asks a job to leave, as a whole and with those that it goes together with, and takes them from the queue. Pods need some time to end.
func (h *host) evict(victim *job) error {
	var d cluster.Delta
	for _, j := range victim.group {
		if j.over || j.leaving {
			continue
		}
		j.leaving = true
		h.stats.evicted++
		h.queue.Remove(j.queued.Name)
		for _, p := range j.pods {
			if p.node != "" {
				d.Leaving = append(d.Leaving, cluster.MemberRef{Gang: j.queued.Name, Member: p.name})
			}
		}
		h.later(h.now+1+h.random.Int64N(5), event{kind: "gone", job: j})
	}
	next, err := h.cluster.Update(d)
	if err == nil {
		h.cluster = next
	}
	return err
}
