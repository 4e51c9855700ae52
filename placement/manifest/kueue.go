package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
	"github.com/muster-sched/muster/placement/manifest/internal/requests"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// readWorkload reads Kueue's Workload: roles in order, with the members that are placed already.
func (r *reader) readWorkload(o *object.Object) {
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
	placed := r.assignments(o)
	var sets []member.PodSet
	for f := range spec.Get("podSets").All() {
		f = f.Mapping()
		s := member.PodSet{F: f, Name: f.Get("name").Required(), Count: f.Get("count").Size(1)}
		if slices.ContainsFunc(sets, func(other member.PodSet) bool { return other.Name == s.Name }) {
			f.Get("name").Fail("duplicate name")
		}
		if s.Count == 0 {
			continue
		}
		s.Min = s.Count
		if n, ok := f.Get("minCount").Whole(1); ok {
			s.Min = n
		}
		if s.Min > s.Count {
			f.Get("minCount").Fail("above count")
		}
		t := f.Sub("topologyRequest")
		s.Group = t.Get("podSetGroupName").Text()
		s.Rules, s.Cut = r.rules.readTopologyRequest(requests.OfWorkload(t))
		pod := r.pods.readPodSpec(f.Sub("template"))
		updateByChecks(o, s.Name, pod)
		members := promise(o.Name+"-"+s.Name, s.Count, len(d.promised), pod)
		for i, m := range members {
			m.Role = s.Name
			if nodes := placed[s.Name]; i < len(nodes) {
				m.Node = nodes[i]
			}
		}
		if !active { // it only gives back what it has
			members = slices.DeleteFunc(members, func(m *member.Member) bool { return m.Node == "" })
		}
		d.min += s.Min
		d.promised = append(d.promised, members...)
		sets = append(sets, s)
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
	placed := map[string][]string{}
	for a := range status.Sub("admission").Get("podSetAssignments").All() {
		a = a.Mapping()
		t := a.Sub("topologyAssignment")
		name := a.Get("name").Text()
		add := func(f object.Field, host string, n int) {
			if len(placed[name])+n > owners.MaxMembers {
				f.Fail("at most " + fmt.Sprint(owners.MaxMembers) + " members")
				return
			}
			placed[name] = append(placed[name], slices.Repeat([]string{node(host)}, n)...)
		}
		for dom := range t.Get("domains").All() {
			dom = dom.Mapping()
			n := dom.Get("count").Size(0)
			if values := dom.Get("values").Texts(); len(values) > 0 {
				add(dom, values[len(values)-1], n)
			}
		}
		for s := range t.Get("slices").All() {
			readSlices(s.Mapping(), add)
		}
	}
	return placed
}

// readSlices reads the newer form of an assignment, where common prefixes and counts are written once.
func readSlices(s object.Field, add func(f object.Field, host string, n int)) {
	var last object.Field
	for level := range s.Get("valuesPerLevel").All() {
		last = level.Mapping()
	}
	if !last.Present() {
		return
	}
	var hosts []string
	if host := last.Get("universal").Text(); host != "" {
		hosts = []string{host}
	}
	individual := last.Sub("individual")
	for root := range individual.Get("roots").All() {
		hosts = append(hosts, individual.Get("prefix").Text()+root.Text()+individual.Get("suffix").Text())
	}
	counts := s.Sub("podCounts")
	universal := counts.Get("universal").Size(0)
	var each []int
	for c := range counts.Get("individual").All() {
		each = append(each, c.Size(0))
	}
	for i, host := range hosts {
		n := universal
		if i < len(each) {
			n = each[i]
		}
		add(s, host, n)
	}
}
