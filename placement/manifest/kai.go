package manifest

import (
	"fmt"

	"github.com/muster-sched/muster/gang"
)

// kaiGroup is a subgroup of a KAI PodGroup.
type kaiGroup struct {
	f                    field
	name, parent         string
	tree                 string // of its rules; empty: it has none
	rules                []gang.Rule
	minMember, minGroups int
	children             []*kaiGroup
}

const subgroupLabel = "kai.scheduler/subgroup-name"

// readKAIPodGroup reads a PodGroup with nested, named subgroups.
func (r *reader) readKAIPodGroup(o *object) {
	d := r.gangs.podGroup(o)
	spec := o.root.sub("spec")
	_, d.gather = r.trees.constraint(d, constraintOf(spec))
	minGroups, groupMin := spec.get("minSubGroup").whole(0)
	if groupMin && spec.get("minMember").present() {
		spec.get("minSubGroup").fail("minMember and minSubGroup exclude each other")
	}
	top := &kaiGroup{f: spec, minMember: d.min, minGroups: minGroups}
	groups, ok := r.trees.readSubgroups(d, top)
	if !ok || len(groups) == 0 {
		return
	}
	d.arrange = func(d *draft, members []*member) part {
		byGroup, none := map[string][]*member{}, part{loose: true}
		for _, m := range members {
			name := m.labels[subgroupLabel]
			switch g := groups[name]; {
			case name == "":
				none.members = append(none.members, m)
			case g == nil || len(g.children) > 0:
				m.obj.label(subgroupLabel).fail("unknown subgroup")
				none.members = append(none.members, m)
			default:
				byGroup[name] = append(byGroup[name], m)
			}
		}
		whole := top.part(byGroup, d.tree)
		if len(none.members) > 0 {
			whole.need = whole.minimum() // which pods of no group do not add to
			whole.parts = append(whole.parts, none)
		}
		return whole
	}
}

// readSubgroups reads all subgroups, hangs them under their parents and checks what they need.
func (in *trees) readSubgroups(d *draft, top *kaiGroup) (groups map[string]*kaiGroup, ok bool) {
	groups = map[string]*kaiGroup{}
	var order []*kaiGroup
	before := len(d.obj.errors)
	for e := range top.f.get("subGroups").all() {
		e = e.object()
		g := &kaiGroup{f: e, name: e.get("name").required(), parent: e.get("parent").str()}
		g.tree, g.rules = in.constraint(d, constraintOf(e))
		g.minMember, _ = e.get("minMember").whole(0)
		g.minGroups, _ = e.get("minSubGroup").whole(0)
		if e.get("minMember").present() && e.get("minSubGroup").present() {
			e.get("minSubGroup").fail("minMember and minSubGroup exclude each other")
		}
		if groups[g.name] != nil {
			e.get("name").fail("duplicate subgroup")
			continue
		}
		groups[g.name], order = g, append(order, g)
	}
	for _, g := range order {
		parent := top
		if g.parent != "" {
			if parent = groups[g.parent]; parent == nil {
				g.f.get("parent").fail("unknown parent")
				continue
			}
		}
		parent.children = append(parent.children, g)
	}
	for _, g := range append(order, top) {
		g.check(groups)
	}
	return groups, len(d.obj.errors) == before
}

// check refuses a cycle of parents and a minimum above the number of children.
func (g *kaiGroup) check(groups map[string]*kaiGroup) {
	steps := 0
	for up := g; up != nil && up.parent != ""; up = groups[up.parent] {
		if steps++; steps > len(groups) {
			g.f.get("parent").fail("cycle of parents")
			return
		}
	}
	if g.minGroups > len(g.children) {
		g.f.get("minSubGroup").fail(fmt.Sprintf("minSubGroup above the number of subgroups, %d", len(g.children)))
	}
}

// part arranges members by the names of their leaf groups. A group that nobody is in, nor has to be, is none.
func (g *kaiGroup) part(members map[string][]*member, around string) part {
	p := part{name: g.name, rules: unique(g.rules), need: g.minMember}
	if g.tree != "" && g.tree != around {
		p.tree, around = g.tree, g.tree
	}
	for _, c := range g.children {
		if inner := c.part(members, around); inner.minimum() > 0 || len(inner.all()) > 0 {
			p.parts = append(p.parts, inner)
		}
	}
	if len(g.children) == 0 {
		p.members = members[g.name]
	}
	p.needParts = min(g.minGroups, len(p.parts))
	return p
}

// readJob reads a Job of Kubernetes with the annotations of KAI or Kueue: parallelism members, all needed.
func (r *reader) readJob(o *object) {
	if o.finished("Complete", "Failed", "SuccessCriteriaMet") {
		return
	}
	if top := r.objects.topOwner(o); top != nil && isOwner(top.group, top.kind) {
		return // which makes the gang
	}
	d := r.gangs.declare(o)
	r.gangs.owned(o, d)
	if r.objects.lacksOwner(o) {
		d.lost = append(d.lost, absentOwner)
	}
	spec := o.root.sub("spec")
	template := spec.sub("template")
	d.follows = groupNamed(template)
	pod := r.pods.readPodSpec(template)
	if d.class = pod.class; pod.priority != nil {
		d.priority = pod.priority
	}
	if n := r.priorities.workloadClass(o.label("kueue.x-k8s.io/priority-class")); n != nil && d.priority == nil {
		d.priority = n
	}
	d.promised = promise(o.name, jobMembers(spec, o.root.sub("status")), 0, pod)
	d.min = jobMinimum(o)
	notes := template.sub("metadata").sub("annotations")
	rules, cut := r.trees.readTopologyRequest(jobRequest(notes))
	d.gather = append(rules, r.trees.kaiJobRules(d, o)...)
	if size := notes.get("kai.scheduler/segment-size"); size.present() {
		if n, ok := size.count(size.str(), 1); ok {
			rules := append(r.trees.must(notes.get("kai.scheduler/segment-topology-required-placement"), d.tree),
				r.trees.prefer(notes.get("kai.scheduler/segment-topology-preferred-placement"), d.tree)...)
			cut = append(cut, gang.Groups{Size: n, Gather: unique(rules)})
		}
	}
	d.arrange = func(_ *draft, members []*member) part { return part{members: members, cut: fit(cut, len(members))} }
}

// jobMembers is how many pods a Job of Kubernetes runs at once: no more than are left to complete.
func jobMembers(spec, status field) int {
	n := spec.get("parallelism").size(1)
	if completions := spec.get("completions"); completions.present() {
		n = min(n, max(0, completions.size(0)-status.get("succeeded").size(0)))
	}
	return n
}

// jobMinimum is how many of a Job's pods must run together, 0: all.
func jobMinimum(o *object) int {
	for _, f := range []field{o.annotation("kueue.x-k8s.io/job-min-parallelism"), o.annotation(batchMinMember)} {
		if f.present() {
			n, _ := f.count(f.str(), 1)
			return n
		}
	}
	return 0
}
