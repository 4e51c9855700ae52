package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/assigned"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/requests"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// readWorkload reads Kueue's Workload: roles in order, with the members that are placed already.
func (r *reader) readWorkload(o *object.Object) {
	if up := r.objects.ControllerOf(o); up != nil && up.Kind == o.Kind && up.Group == o.Group {
		r.gangs.variants = append(r.gangs.variants, variant{o, up})
		return
	}
	if o.Finished("Finished") {
		r.gangs.owned(o, nil)
		return
	}
	spec := o.Root.Sub("spec")
	active := !spec.Get("active").Present() || spec.Get("active").Flag()
	if !active && !o.Root.Sub("status").Get("admission").Present() {
		r.gangs.owned(o, nil)
		return
	}
	d := r.gangs.declare(o)
	r.gangs.owned(o, d)
	priorityOfWorkload(r.priorities, d, o)
	d.lost = ignored.OfWorkload(o)
	d.assigned, d.reclaimed = r.assignments(o), assigned.Reclaimable(o)
	var sets []member.PodSet
	for f := range spec.Get("podSets").All() {
		f = f.Mapping()
		s := r.readPodSet(f)
		if slices.ContainsFunc(sets, func(other member.PodSet) bool { return other.Name == s.Name }) {
			f.Get("name").Fail("duplicate name")
		}
		if s.Count == 0 {
			continue
		}
		pod := r.pods.readPodSpec(f.Sub("template"))
		updateByChecks(o, s.Name, pod)
		members := promise(o.Name+"-"+s.Name, s.Count, len(d.promised), pod)
		for _, m := range members {
			m.Role = s.Name
		}
		d.min += s.Min
		d.promised = append(d.promised, members...)
		sets = append(sets, s)
	}
	d.placePromised()
	if !active { // it only gives back what it has
		d.promised = slices.DeleteFunc(d.promised, func(m *member.Member) bool { return m.Node == "" })
	}
	if len(sets) == 0 {
		return
	}
	d.arrange = func(_ *draft, members []*member.Member) member.Part {
		return member.ArrangePodSets(d.without(sets), members)
	}
	d.ruled = slices.ContainsFunc(sets, func(s member.PodSet) bool { return len(s.Rules)+len(s.Cut) > 0 || s.Group != "" })
	if member.AllOfOne(sets) {
		d.gather = member.GroupRules(sets)
	}
}

// noteGated tells of a gang that somebody else has to let in before Kueue admits it: it is planned all the same, as one that is suspended.
func (r *reader) noteGated(d *draft) {
	for _, o := range slices.Concat(d.objects(), d.owners) {
		if f := o.Annotation("kueue.x-k8s.io/admission-gated-by"); f.Text() != "" {
			r.notices.Add(fmt.Sprintf("%s: %s %q: it is not admitted before that is gone, and planned all the same", o.Title(), f.Path(), f.Text()))
			return
		}
	}
}

// readVariants gives Workloads what Kueue makes of them for each flavor, of which one is admitted: its nodes are those of the gang, which runs once.
func (r *reader) readVariants() {
	for _, v := range r.gangs.variants {
		d := r.gangs.declared(v.of.Kind, v.of.FullName())
		r.gangs.cover(v.obj.Kind+"/"+v.obj.FullName(), d)
		if d == nil { // it is over
			continue
		}
		d.below = append(d.below, v.obj)
		if nodes := r.assignments(v.obj); len(nodes) > 0 && !v.obj.Deleted && !v.obj.Finished("Finished") {
			d.assigned = nodes
			d.placePromised()
		}
	}
}

// readPodSet reads a podset, without its members. One of none needs nobody, whatever it says.
func (r *reader) readPodSet(f object.Field) member.PodSet {
	s := member.PodSet{F: f, Name: f.Get("name").Required(), Count: f.Get("count").Size(1)}
	if s.Min = s.Count; s.Count == 0 {
		return s
	}
	if n, ok := f.Get("minCount").Whole(1); ok {
		s.Min = n
	}
	if s.Min > s.Count {
		f.Get("minCount").Fail("above count")
	}
	t := f.Sub("topologyRequest")
	s.Group = t.Get("podSetGroupName").Text()
	s.Rules, s.Cut = requests.OfWorkload(t).Rules(r.rules.trees)
	return s
}

// placePromised gives promised members the nodes of an admission, by index.
func (d *draft) placePromised() {
	next := map[string]int{}
	for _, m := range d.promised {
		if nodes := d.assigned[m.Role]; next[m.Role] < len(nodes) {
			m.Node = nodes[next[m.Role]]
		}
		next[m.Role]++
	}
}

// takeAssigned gives pods whose gate of the topology still stands the nodes that the admission keeps for them.
func (d *draft) takeAssigned() {
	if len(d.assigned) == 0 {
		return
	}
	sets := object.SortedKeys(d.assigned)
	byPodSet := map[string][]*member.Member{}
	for _, m := range d.pods {
		name := cmp.Or(m.Said("kueue.x-k8s.io/podset"), m.Role)
		if len(sets) == 1 && d.assigned[name] == nil { // its pods are all there are
			name = sets[0]
		}
		byPodSet[name] = append(byPodSet[name], m)
	}
	for _, name := range sets {
		of := byPodSet[name]
		member.SortMembers(of)
		pods := make([]assigned.Pod, len(of))
		for i, m := range of {
			pods[i] = assigned.Pod{Node: m.Node, Index: m.Index, Indexed: m.Indexed, Gated: m.Node == "" && ignored.WaitsForTopology(m.Obj.Root.Sub("spec"))}
		}
		for i, node := range assigned.Give(d.assigned[name], pods) {
			if node != "" {
				of[i].Node = node
			}
		}
	}
}

// countReclaimed counts what a Workload says is over where the pods of that are gone. O(members).
func (d *draft) countReclaimed() {
	if len(d.reclaimed) == 0 {
		return
	}
	stay := map[string]int{} // members of each podset
	for _, m := range d.promised {
		stay[m.Role]++
	}
	for name, n := range d.reclaimed {
		if more := n - d.over.byRole[name]; more > 0 {
			d.over.members += more
			lists.Enter(&d.over.byRole, name, n)
			stay[name] -= more
		}
	}
	d.promised = slices.DeleteFunc(d.promised, func(m *member.Member) bool { // the last ones of each
		stay[m.Role]--
		return stay[m.Role] < 0
	})
}

// updateByChecks adds what admission checks ask of the nodes of a podset.
func updateByChecks(o *object.Object, podSet string, pod *member.Spec) {
	for check := range o.Root.Sub("status").Get("admissionChecks").All() {
		for u := range check.Mapping().Get("podSetUpdates").All() {
			if u = u.Mapping(); u.Get("name").Text() != podSet {
				continue
			}
			for key, value := range u.Get("nodeSelector").TextMap() {
				if pod.Shape.Selector == nil {
					pod.Shape.Selector = map[string]string{}
				}
				pod.Shape.Selector[key] = value
			}
			for t := range u.Get("tolerations").All() {
				pod.Shape.Tolerations = append(pod.Shape.Tolerations, selectors.ReadToleration(t.Mapping()))
			}
		}
	}
}

// assignments lists the nodes that the members of each podset have, by index; empty where a member was lost with its
// node.
func (r *reader) assignments(o *object.Object) map[string][]string {
	status := o.Root.Sub("status")
	lost := map[string]bool{}
	for u := range status.Get("unhealthyNodes").All() {
		lost[u.Mapping().Get("name").Text()] = true
	}
	node := func(host string) string {
		r.objects.Names.Ask(object.HostName(host))
		name, ok := r.base.nodes.OfHost(host)
		switch {
		case lost[host] || lost[name]:
		case !ok:
			r.notices.Add(fmt.Sprintf("%s has members on node %s, which %s: they are lost", o.Title(), host, r.base.objects.LostNode(host)))
		case !r.base.nodes.ByName[name].NotReady:
			return name
		}
		return ""
	}
	return assigned.Read(status.Sub("admission"), node)
}
