package manifest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/tasks"
	"github.com/muster-sched/muster/placement/manifest/internal/terms"
)

// Members that are over: those that have succeeded hold no node, and are taken off what their gang needs where its system counts them.

// countOver counts the pods that have succeeded, and the indexes that child Jobs say are done, where their pods are gone.
func (g *gangs) countOver(pods []*member.Member) {
	for _, m := range pods {
		if d := g.ofSucceeded(m); d != nil && d.countsSucceeded(m) {
			d.seat(m)
			d.isOver(m)
		}
	}
	for _, o := range g.children {
		g.countChild(o)
	}
	for _, d := range g.drafts {
		d.countReclaimed()
		d.dropOver()
		d.job.dropOver()
	}
}

// ofSucceeded is the gang that a pod which has succeeded was in, nil if it was in none that is known.
func (g *gangs) ofSucceeded(m *member.Member) *draft {
	if ref := g.groupOf(m.Obj, m.Obj.Root); ref.name != "" {
		return ref.gang
	}
	if d := g.ownerGang(m, true); d != nil {
		return d
	}
	for _, k := range ownerKeys {
		if value := m.Obj.Said(k.key); value != "" {
			if d := g.declared(k.kind, m.Obj.Namespace+"/"+value); d != nil {
				return d
			}
		}
	}
	if name := m.Obj.Said(kueueGroup); name != "" {
		return g.find(m.Obj.Namespace + "/" + name)
	}
	return nil
}

// countsSucceeded says whether the gang's system counts a pod that has succeeded among those that are needed. Koordinator does once the
// gang was satisfied, which a pod that had a node proves.
func (d *draft) countsSucceeded(m *member.Member) bool {
	switch by := d.ownedBy(); {
	case d.plain:
		return false
	case by.owned != nil:
		return true
	case d.obj == nil:
		return m.Obj.Said(kueueGroup) != "" || m.Node != "" && d.matches(m.Obj) == gang.OnceSatisfied
	case d.isGroup() && (d.obj.Group == quotas.KAI || d.obj.Group == inTreeAPI):
		return false
	case d.isGroup() && d.obj.Group != quotas.Volcano:
		return m.Node != "" && d.matches(d.obj) == gang.OnceSatisfied
	}
	return true
}

// matches is the match policy that an object states, or the one that holds where none is stated.
func (d *draft) matches(o *object.Object) gang.MatchPolicy {
	said, _ := terms.Match(o)
	return cmp.Or(said, gang.OnceSatisfied)
}

// ownedBy is the gang itself, or the one of the job behind it, that has the members of an owner.
func (d *draft) ownedBy() *draft {
	if d.owned == nil && d.job != nil {
		return d.job
	}
	return d
}

// isOver counts a member that is over; what its owner promises in its place goes with dropOver.
func (d *draft) isOver(m *member.Member) {
	by := d.ownedBy()
	if m.Indexed && by.owned != nil {
		if by.over.seats[m.Index] {
			return
		}
		lists.Enter(&by.over.seats, m.Index, true)
	}
	role := cmp.Or(m.Role, m.Said(tasks.TaskLabel), m.Said("kueue.x-k8s.io/podset"))
	d.over.members++
	for _, o := range slices.Compact([]*draft{d, by}) {
		lists.Enter(&o.over.byRole, role, o.over.byRole[role]+1)
		lists.Enter(&o.over.names, m.Name, true)
	}
}

// dropOver forgets the members that are promised in the place of those that are over.
func (d *draft) dropOver() {
	if d == nil || len(d.over.byRole) == 0 {
		return
	}
	seats := d.ownedBy().over.seats
	d.promised = slices.DeleteFunc(d.promised, func(p *member.Member) bool { return d.over.names[p.Name] || seats[p.Index] })
}

// countChild counts what a child Job of a JobSet says is done.
func (g *gangs) countChild(o *object.Object) {
	d := g.ownerGang(&member.Member{Obj: o, Labels: o.Labels}, true)
	if d == nil || d.ownedBy().owned == nil {
		return
	}
	d.children = append(d.children, o)
	spec, status := o.Root.Sub("spec"), o.Root.Sub("status")
	completions := spec.Get("completions").Size(spec.Get("parallelism").Size(1))
	done := status.Get("completedIndexes").Text()
	if o.Finished("Complete", "SuccessCriteriaMet") && completions > 0 {
		done = "0-" + strconv.Itoa(completions-1)
	}
	for first, last := range object.Ranges(done) {
		for index := first; index <= min(last, completions-1); index++ {
			m := &member.Member{Obj: o, Labels: o.Labels, Index: index, Indexed: true}
			if d.seat(m); m.Role != "" {
				d.isOver(m)
			}
		}
	}
}

// needs is how many members are needed beside those that are over, at least one; 0: all.
func (d *draft) needs() int {
	if d.min == 0 {
		return 0
	}
	return max(1, d.min-d.over.members)
}

// ends says whether an owner of the gang is being deleted: it makes no pods any more, and what waits is not to be placed.
func (d *draft) ends() bool {
	return slices.ContainsFunc(append([]*object.Object{d.obj, d.jobObject(), d.top}, d.owners...), func(o *object.Object) bool {
		return o != nil && o.Deleted && (isOwner(o.Group, o.Kind) || o.Kind == "Job" || o.Kind == "Workload")
	})
}
