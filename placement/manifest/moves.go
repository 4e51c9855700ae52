package manifest

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
	"github.com/muster-sched/muster/placement/manifest/internal/seats"
	"github.com/muster-sched/muster/placement/manifest/internal/tasks"
)

// Pods get a node, and are over, one by one. Where a gang has nothing that depends on which of its members did so, one row is another one, and the
// gang is not read again. What is asked here is what the reading of a gang looks at; one that has more is read again.

// isMoved takes what an item says now, nil if it is gone: of a pod that got a node, or that ran and is over or leaves. O(members) to find names.
func (s *Store) isMoved(it *item, value *document.Value) bool {
	if !isPod(it.header) || it.section == nil || s.base == nil || s.rebase || len(s.classes) > 0 || s.opt.Standing || s.opt.Movers {
		return false
	}
	found := it.section.found
	if len(found.notices)+len(found.fatal)+len(found.spared)+len(found.held)+len(found.bound)+len(found.keys)+len(found.holds) > 0 {
		return false
	}
	switch d, m := found.podOf(it.header); {
	case m == nil:
		return false
	case m.Node == "":
		return value != nil && s.bind(it, value, d, m)
	default:
		return s.end(it, value, d, m)
	}
}

// podOf is a pod that is not over, and its gang; nil: there is none of that name.
func (f *outcome) podOf(of object.Header) (*draft, *member.Member) {
	for _, d := range f.gangs {
		i, is := slices.BinarySearchFunc(d.pods, of, func(m *member.Member, h object.Header) int {
			return cmp.Or(muster.CompareNatural(m.Obj.Namespace, h.Namespace), muster.CompareNatural(m.Name, h.Name))
		})
		if is {
			return d, d.pods[i]
		}
	}
	return nil, nil
}

// saysSame says whether two objects of one kind say the same, but for their status and some keys of their specs and metadata.
func saysSame(a, b *document.Value, spec []string, metadata ...string) bool {
	same := func(key string, but []string) bool {
		one, other := a.Get(key), b.Get(key)
		return one != nil && other != nil && one.EqualBut(other, but...)
	}
	return a.EqualBut(b, "metadata", "spec", "status") && same("metadata", metadata) && same("spec", spec)
}

// bind gives a member of a gang that waits its node.
func (s *Store) bind(it *item, value *document.Value, d *draft, m *member.Member) bool {
	found := it.section.found
	at := slices.IndexFunc(found.waiting, func(q Gang) bool { return q.Request.Name == d.name })
	if at < 0 {
		return false
	}
	place := slices.IndexFunc(found.waiting[at].Request.Members, func(other gang.Member) bool { return other.Name == m.Name })
	node := value.TextAt("spec", "nodeName")
	started, ok := object.Since(value)
	if !ok || s.nodes[node] || s.base.nodes.ByName[node] == nil || place < 0 || !d.bindsAlone(m, &found.waiting[at]) ||
		len(found.demand) > 0 && len(found.waiting) > 1 || !saysSame(it.value, value, []string{"nodeName"}) {
		return false
	}
	in, ok := s.base.quotas.Of(quotas.Place{Label: m.Spec.Quota, Queues: d.queueNames(m)})
	counts := s.base.budgets.Of(m.Obj, d.place().Namespace, m.Labels, false, found.bound)
	if clear(found.bound); len(counts)+len(m.Obj.Errors) > 0 || !ok || in != m.Quota {
		return false
	}
	s.told.sums = s.told.sums || len(found.demand) > 0
	remember(s.told.waited, d.name, found.waiting[at], it.section)
	s.told.move(it.section, cluster.MemberRef{Gang: d.name, Member: m.Name}, nil)
	found.leave(at, place, d, m)
	m.Node, m.Started = node, started
	found.running = append(found.running, d.row(m))
	d.runs++
	name := object.NodeName(m.Node)
	s.links.Add(it, nil, []string{name})
	it.asked = append(slices.Clip(it.asked), name)
	it.value, it.pod = value, nil
	return true
}

// bindsAlone says whether a member of a gang that waits can get a node and nothing but that is another thing: no rule of the gang asks who runs.
func (d *draft) bindsAlone(m *member.Member, waits *Gang) bool {
	q := &waits.Request
	limited := len(d.limits)+len(d.claims)+len(q.Limits)+len(q.Parts) > 0 || d.ruledItself || d.excluded ||
		slices.ContainsFunc(q.Groups, func(g gang.Groups) bool { return len(g.Limits) > 0 })
	for _, n := range waits.Ignored {
		limited = limited || n != len(q.Members) // by whom is not kept
	}
	return !limited && waits.Err == nil && d.team == nil && len(d.assigned) == 0 && !q.NeverPreempts && !d.plain && d.min <= len(d.members) &&
		len(m.Spec.Added)+len(exclusiveOf(m))+len(m.Obj.Errors)+m.Spec.Ignored[ignored.GPUShare] == 0 && !m.Obj.Twin && !d.isDoubtful() &&
		!m.Obj.Annotation(nodes.Status).Present() && amounts.CanBeHeld(m.Spec.Shape.Resources)
}

// leave takes a member that has a node now, at its place, off those of a gang that wait. What was told stays as it was.
func (f *outcome) leave(at, place int, d *draft, m *member.Member) {
	q := f.waiting[at]
	told := q.Request.Members
	members := told[1:] // in which nothing is written
	if place > 0 || told[0].Shape != nil {
		members = slices.Concat(told[:place], told[place+1:])
	}
	q.Request.Members = members
	f.waiting = slices.Clone(f.waiting)
	if len(members) == 0 {
		d.waits, f.waiting, f.demand = false, slices.Delete(f.waiting, at, at+1), nil
		return
	}
	q.Ignored = maps.Clone(q.Ignored)
	for rule := range q.Ignored {
		q.Ignored[rule] = len(members)
	}
	f.waiting[at] = q
	if f.demand != nil {
		d.asks = d.asksWithout(m)
		f.demand = map[string]muster.Resources{d.quota: d.asks}
	}
	shareShape(&f.waiting[at].Request)
}

// asksWithout is what the members of a gang that wait ask for without one of them. O(resources), or of the members where a sum ends at nothing or
// has no end: then nobody knows who named it.
func (d *draft) asksWithout(gone *member.Member) muster.Resources {
	asks, known := maps.Clone(d.asks), true
	for name, amount := range gone.Spec.Shape.Resources {
		known = known && asks[name] > amount && asks[name] < math.MaxInt64
		asks[name] -= amount
	}
	if known {
		return asks
	}
	asks = muster.Resources{}
	for _, m := range d.members {
		if m != gone && m.Node == "" {
			asks.Add(m.Spec.Shape.Resources)
		}
	}
	return asks
}

// end takes a member away that ran and is over or gone, or marks it as leaving.
func (s *Store) end(it *item, value *document.Value, d *draft, m *member.Member) bool {
	sec, ref := it.section, cluster.MemberRef{Gang: d.name, Member: m.Name}
	row := sec.found.row(ref)
	if row == nil || row.NUMA != nil || !sec.endsAlone(d, m) || value == nil && !it.linked {
		return false
	}
	phase := value.TextAt("status", "phase")
	over := phase == "Succeeded" || phase == "Failed"
	if value != nil {
		_, sound := object.Since(value)
		if !over && (!sound || m.Leaving || value.TextAt("metadata", "deletionTimestamp") == "") ||
			!saysSame(it.value, value, nil, "deletionTimestamp", "deletionGracePeriodSeconds") {
			return false
		}
	}
	s.told.move(sec, ref, row)
	d.members = lists.Without(d.members, m)
	if value != nil && !over {
		m.Leaving, row.Leaving = true, true
	} else {
		d.pods = lists.Without(d.pods, m)
		last := len(sec.found.running) - 1
		*row, sec.found.running = sec.found.running[last], sec.found.running[:last]
	}
	switch {
	case value == nil:
		m.Obj.CountUnknown(sec.found.unknown, -1)
		sec.items = lists.Without(sec.items, it)
		s.links.Remove(it)
	default:
		if phase == "Succeeded" && d.countsSucceeded(m) {
			d.isOver(m)
		}
		it.value, it.pod = value, nil
	}
	d.min = d.stated
	d.min = d.needs()
	s.told.need(d, sec, d.leastOf(d.min, len(d.members)))
	return true
}

// need gives the members of a gang that run another minimum, and remembers the one that was told.
func (t *told) need(d *draft, sec *section, least int) {
	if least == d.least {
		return
	}
	remember(t.least, d.name, d.least, sec)
	d.least = least
	for i := range sec.found.running {
		if m := &sec.found.running[i]; m.Gang == d.name {
			m.MinMember = least
		}
	}
}

// compareMinima finds the minima that are others, of gangs that were not read again and of which some member stays as it was.
func (s *Store) compareMinima(c *Changes) {
	placed := map[cluster.MemberRef]bool{}
	for i := range c.Delta.Place {
		placed[runs.Ref(&c.Delta.Place[i])] = true
	}
	for name, t := range s.told.least {
		i := -1
		if s.sections[t.sec] {
			i = slices.IndexFunc(t.sec.found.running, func(m cluster.Running) bool {
				return m.Gang == name && !placed[cluster.MemberRef{Gang: name, Member: m.Member}]
			})
		}
		if i >= 0 && t.sec.found.running[i].MinMember != t.was {
			lists.Enter(&c.Delta.Minima, name, t.sec.found.running[i].MinMember)
		}
	}
}

// row is a member that runs, nil if it does not.
func (f *outcome) row(ref cluster.MemberRef) *cluster.Running {
	for i := range f.running {
		if m := &f.running[i]; m.Member == ref.Member && m.Gang == ref.Gang {
			return m
		}
	}
	return nil
}

// endsAlone says whether a member of a gang can be over and nothing but its row and the number of those who are needed is another thing: no member
// waits or is promised in its place, and others say what it says of the gang.
func (sec *section) endsAlone(d *draft, m *member.Member) bool {
	if d.waits || d.done || d.plain || d.arrange != nil && !d.flat || d.later || d.team != nil || len(d.reclaimed) > 0 || sec.found.apart || d.isDoubtful() {
		return false
	}
	other := func(list []*member.Member) *member.Member {
		if i := slices.IndexFunc(list, func(other *member.Member) bool { return other != m }); i >= 0 {
			return list[i]
		}
		return nil
	}
	pod, first := other(d.pods), other(d.members)
	if pod == nil || !m.Obj.SaysAlike(pod.Obj, placeKeys) || first != nil && (first.Obj == nil || !m.Obj.SaysAlike(first.Obj, placeKeys)) {
		return false
	}
	ranked := func(other *member.Member) bool { return other.Priority != m.Priority }
	return d.obj == nil || d.obj.Group != quotas.KAI || !slices.ContainsFunc(d.members, ranked) // from some priority on they are not preemptible
}

// placeKeys tell the place of a pod in its gang, and no more.
var placeKeys = func() []string {
	keys := append(slices.Clone(indexKeys), tasks.TaskLabel, "kueue.x-k8s.io/podset")
	for _, by := range seats.Labels {
		keys = append(keys, by.Role, by.Child, by.Index)
	}
	return keys
}()
