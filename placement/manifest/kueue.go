package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// readWorkload reads Kueue's Workload: roles in order, with the members that are placed already.
func (r *reader) readWorkload(o *object) {
	if o.finished("Finished") {
		r.gangs.owned(o, nil)
		return
	}
	spec := o.root.sub("spec")
	active := !spec.get("active").present() || spec.get("active").flag()
	if !active && !o.root.sub("status").get("admission").present() {
		r.gangs.owned(o, nil)
		return
	}
	d := r.gangs.declare(o)
	r.gangs.owned(o, d)
	r.priorities.ofWorkload(d, o)
	d.lost = lostOfWorkload(o)
	placed := r.nodes.assignments(o)
	var sets []podSet
	for f := range spec.get("podSets").all() {
		f = f.object()
		s := podSet{f: f, name: f.get("name").required(), count: f.get("count").size(1)}
		if slices.ContainsFunc(sets, func(other podSet) bool { return other.name == s.name }) {
			f.get("name").fail("duplicate name")
		}
		if s.count == 0 {
			continue
		}
		s.min = s.count
		if n, ok := f.get("minCount").whole(1); ok {
			s.min = n
		}
		if s.min > s.count {
			f.get("minCount").fail("above count")
		}
		t := f.sub("topologyRequest")
		s.group = t.get("podSetGroupName").str()
		s.rules, s.cut = r.trees.readTopologyRequest(workloadRequest(t))
		members := promise(o.name+"-"+s.name, s.count, len(d.promised), r.pods.readPodSpec(f.sub("template")))
		for i, m := range members {
			m.role = s.name
			if nodes := placed[s.name]; i < len(nodes) {
				m.node = nodes[i]
			}
		}
		if !active { // it only gives back what it has
			members = slices.DeleteFunc(members, func(m *member) bool { return m.node == "" })
		}
		d.min += s.min
		d.promised = append(d.promised, members...)
		sets = append(sets, s)
	}
	if len(sets) == 0 {
		return
	}
	d.arrange = func(_ *draft, members []*member) part { return arrangePodSets(sets, members) }
	if allOfOne(sets) {
		d.gather = groupRules(sets)
	}
}

// assignments lists the nodes that the members of each podset have, by index; empty where a member was lost with its
// node.
func (all *nodes) assignments(o *object) map[string][]string {
	status := o.root.sub("status")
	lost := map[string]bool{}
	for u := range status.get("unhealthyNodes").all() {
		lost[u.object().get("name").str()] = true
	}
	node := func(host string) string {
		name, ok := all.byHostname[host]
		switch {
		case lost[host] || lost[name]:
		case !ok:
			all.notices.add(fmt.Sprintf("%s has members on node %s, which is not in the input: they are lost", o.title(), host))
		case !all.byName[name].NotReady:
			return name
		}
		return ""
	}
	placed := map[string][]string{}
	for a := range status.sub("admission").get("podSetAssignments").all() {
		a = a.object()
		t := a.sub("topologyAssignment")
		name := a.get("name").str()
		add := func(f field, host string, n int) {
			if len(placed[name])+n > owners.MaxMembers {
				f.fail("at most " + fmt.Sprint(owners.MaxMembers) + " members")
				return
			}
			placed[name] = append(placed[name], slices.Repeat([]string{node(host)}, n)...)
		}
		for dom := range t.get("domains").all() {
			dom = dom.object()
			n := dom.get("count").size(0)
			if values := dom.get("values").texts(); len(values) > 0 {
				add(dom, values[len(values)-1], n)
			}
		}
		for s := range t.get("slices").all() {
			readSlices(s.object(), add)
		}
	}
	return placed
}

// readSlices reads the newer form of an assignment, where common prefixes and counts are written once.
func readSlices(s field, add func(f field, host string, n int)) {
	var last field
	for level := range s.get("valuesPerLevel").all() {
		last = level.object()
	}
	if !last.present() {
		return
	}
	var hosts []string
	if host := last.get("universal").str(); host != "" {
		hosts = []string{host}
	}
	individual := last.sub("individual")
	for root := range individual.get("roots").all() {
		hosts = append(hosts, individual.get("prefix").str()+root.str()+individual.get("suffix").str())
	}
	counts := s.sub("podCounts")
	universal := counts.get("universal").size(0)
	var each []int
	for c := range counts.get("individual").all() {
		each = append(each, c.size(0))
	}
	for i, host := range hosts {
		n := universal
		if i < len(each) {
			n = each[i]
		}
		add(s, host, n)
	}
}
