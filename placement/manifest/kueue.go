package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// topologyRequest is where a podset's rules stand: in a field of a Workload or in the annotations of a Job.
type topologyRequest struct {
	required, preferred, unconstrained field
	sliceLevel, sliceSize              field
	constraints                        field
}

func workloadRequest(f field) topologyRequest {
	return topologyRequest{
		required: f.get("required"), preferred: f.get("preferred"), unconstrained: f.get("unconstrained"),
		sliceLevel: f.get("podSetSliceRequiredTopology"), sliceSize: f.get("podSetSliceSize"),
		constraints: f.get("podsetSliceRequiredTopologyConstraints"),
	}
}

// jobRequest reads annotations, where all values are text.
func jobRequest(notes field) topologyRequest {
	const prefix = "kueue.x-k8s.io/podset-"
	t := topologyRequest{
		required: notes.get(prefix + "required-topology"), preferred: notes.get(prefix + "preferred-topology"),
		unconstrained: notes.get(prefix + "unconstrained-topology"),
		sliceLevel:    notes.get(prefix + "slice-required-topology"), sliceSize: notes.get(prefix + "slice-size"),
	}
	if f := notes.get(prefix + "slice-required-topology-constraints"); f.present() {
		t.constraints = f.json()
	}
	return t
}

// isSet says whether any rule stands there.
func (t *topologyRequest) isSet() bool {
	for _, f := range []field{t.required, t.preferred, t.unconstrained, t.sliceLevel, t.sliceSize, t.constraints} {
		if f.present() {
			return true
		}
	}
	return false
}

// sized reads a size that is a number or, in annotations, text.
func sized(f field) (int, bool) {
	if f.v != nil && f.v.Kind == document.Text {
		return f.count(f.v.Text, 1)
	}
	return f.whole(1)
}

// on says whether a flag that is true or the text "true" is set.
func on(f field) bool {
	if f.v != nil && f.v.Kind == document.Text {
		return f.v.Text == "true"
	}
	return f.flag()
}

// readTopologyRequest reads a podset's own rule and its slices.
func (in *trees) readTopologyRequest(t topologyRequest) (rules []gang.Rule, cut []gang.Groups) {
	given := 0
	for _, is := range []bool{t.required.str() != "", t.preferred.str() != "", on(t.unconstrained)} {
		if is {
			given++
		}
	}
	if given > 1 {
		t.required.fail("only one of required, preferred and unconstrained")
		return nil, nil
	}
	rules = append(in.must(t.required, ""), in.prefer(t.preferred, "")...)
	bound := -1 // the tier that slices must not be above
	for _, f := range []field{t.required, t.preferred} {
		if f.present() {
			if l, ok := in.layer(f, ""); ok {
				bound = l.Tier
			}
		}
	}
	if t.constraints.present() && t.sliceLevel.present() {
		t.constraints.fail("excludes a slice level and size of its own")
	}
	if t.sliceLevel.present() || t.sliceSize.present() {
		cut = in.slice(cut, t.sliceLevel, t.sliceSize, &bound, false)
	}
	for c := range t.constraints.all() {
		c = c.object()
		cut = in.slice(cut, c.get("topology"), c.get("size"), &bound, len(cut) > 0)
	}
	return rules, cut
}

// slice appends one level of slices. Levels must not rise above bound, or, inside other slices, go strictly down.
func (in *trees) slice(cut []gang.Groups, level, size field, bound *int, inside bool) []gang.Groups {
	level.required()
	if !size.present() {
		size.fail("missing: a slice level needs a size")
	}
	n, sizeOK := sized(size)
	l, layerOK := in.layer(level, "")
	if !sizeOK || !layerOK {
		return cut
	}
	switch {
	case inside && l.Tier >= *bound:
		level.fail("must be below the level of the slices around it")
	case *bound >= 0 && l.Tier > *bound:
		level.fail("above the podset's own level")
	case inside && cut[len(cut)-1].Size%n != 0:
		size.fail("must divide the size of the slices around it")
	}
	*bound = l.Tier
	return append(cut, gang.Groups{Size: n, Gather: []gang.Rule{{Layer: l.Name, Strength: gang.MustGather}}})
}

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
