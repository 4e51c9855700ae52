package validity

import (
	"cmp"
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/preempt"
)

// Cost is what a set costs, as docs/order.md, section 6, counts it. The set is in natural order of gang and name, as that of
// [Evictions.Candidates] is.
func (e *Evictions) Cost(set []int) preempt.Cost {
	c := preempt.Cost{Members: len(set), Budgets: e.broken(set), BelowMin: e.belowMin(set)}
	last := e.lastStart()
	leaving := map[string]int{}
	for k, i := range set {
		r := &e.spec.Running[i]
		g := e.gangs[r.Gang]
		if k == 0 || g.priority > c.HighestPriority {
			c.HighestPriority = g.priority
		}
		if leaving[r.Gang]++; leaving[r.Gang] == len(g.members) && g.least > 0 {
			c.GangsEnded++
		}
		c.PrioritySum += g.priority
		if r.Started == 0 {
			c.Unknown++
		} else {
			c.LostWork += last - r.Started
		}
	}
	return c
}

// broken counts the members of a set before which as many as a budget allows have left.
func (e *Evictions) broken(set []int) int {
	allowed := map[string]int{}
	for _, b := range e.spec.Budgets {
		allowed[b.Name] = max(0, b.Allowed)
	}
	n, left := 0, map[string]int{}
	for _, i := range set {
		breaks := false
		for _, name := range e.spec.Running[i].Budgets {
			breaks = breaks || left[name] >= allowed[name]
			left[name]++
		}
		if breaks {
			n++
		}
	}
	return n
}

// belowMin is what the quotas without children lack of their min afterwards and did not lack before, the gang's own with the gang
// in it both times.
func (e *Evictions) belowMin(set []int) muster.Resources {
	if e.spec.Quotas == nil {
		return nil
	}
	sum := muster.Resources{}
	for _, name := range e.spec.Quotas.Quotas() {
		if !e.spec.Quotas.IsLeaf(name) {
			continue
		}
		q, _ := e.spec.Quotas.Spec(name)
		used, _ := usage(e.spec, name)
		for resource, least := range q.Min {
			before := used[resource]
			if name == e.req.Quota {
				before += e.ask[resource]
			}
			after := before
			for _, i := range set {
				if r := &e.spec.Running[i]; r.Quota == name {
					after -= r.Resources[resource]
				}
			}
			sum[resource] += max(0, least-after) - max(0, least-before)
		}
	}
	for resource, amount := range sum {
		if amount == 0 {
			delete(sum, resource)
		}
	}
	if len(sum) == 0 {
		return nil
	}
	return sum
}

// lastStart is the latest start of any candidate.
func (e *Evictions) lastStart() int64 {
	last := int64(0)
	for _, i := range e.Candidates() {
		if r := &e.spec.Running[i]; r.Started != 0 && (last == 0 || r.Started > last) {
			last = r.Started
		}
	}
	return last
}

// CompareBelowMin compares amounts resource by resource: devices, then CPU, memory, the others, each in natural order.
func CompareBelowMin(a, b muster.Resources) int {
	all := muster.Resources{}
	for _, r := range []muster.Resources{a, b} {
		for name := range r {
			all[name] = 0
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(all), muster.CompareResources) {
		if c := cmp.Compare(a[name], b[name]); c != 0 {
			return c
		}
	}
	return 0
}

// Without is a cluster in which members are gone.
func Without(spec *cluster.Spec, gone func(cluster.MemberRef) bool) cluster.Spec {
	out := *spec
	out.Running = slices.DeleteFunc(slices.Clone(spec.Running), func(r cluster.Running) bool {
		return gone(cluster.MemberRef{Gang: r.Gang, Member: r.Member})
	})
	return out
}
