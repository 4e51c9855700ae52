package manifest

import (
	"fmt"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/jobs"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/requests"
)

// kaiGroup is a subgroup of a KAI PodGroup.
type kaiGroup struct {
	f                    object.Field
	name, parent         string
	tree                 string // of its rules; empty: it has none
	rules                []gang.Rule
	minMember, minGroups int
	children             []*kaiGroup
}

const subgroupLabel = "kai.scheduler/subgroup-name"

// readKAIPodGroup reads a PodGroup with nested, named subgroups.
func (r *reader) readKAIPodGroup(o *object.Object) {
	d := r.gangs.podGroup(o)
	spec := o.Root.Sub("spec")
	_, d.gather = r.rules.constraint(d, constraintOf(spec))
	minGroups, groupMin := spec.Get("minSubGroup").Whole(0)
	d.inParts = groupMin
	if groupMin && spec.Get("minMember").Present() {
		spec.Get("minSubGroup").Fail("minMember and minSubGroup exclude each other")
	}
	top := &kaiGroup{f: spec, minMember: d.min, minGroups: minGroups}
	groups, ok := r.rules.readSubgroups(d, top)
	if !ok || len(groups) == 0 {
		if !groupMin {
			d.min = max(1, d.min) // as its webhook has it
		}
		return
	}
	d.grouped = true
	for _, g := range groups {
		d.ruled = d.ruled || len(g.rules) > 0
	}
	d.arrange = func(d *draft, members []*member.Member) member.Part {
		byGroup, none := map[string][]*member.Member{}, member.Part{Loose: true}
		for _, m := range members {
			name := m.Said(subgroupLabel)
			switch g := groups[name]; {
			case name == "":
				none.Members = append(none.Members, m)
			case g == nil || len(g.children) > 0:
				m.Obj.Label(subgroupLabel).Fail("unknown subgroup")
				none.Members = append(none.Members, m)
			default:
				byGroup[name] = append(byGroup[name], m)
			}
		}
		whole := top.part(byGroup, d.tree)
		if len(none.Members) > 0 {
			whole.Need = whole.Minimum() // which pods of no group do not add to
			whole.Parts = append(whole.Parts, none)
		}
		return whole
	}
}

// readSubgroups reads all subgroups, hangs them under their parents and checks what they need.
func (in *rules) readSubgroups(d *draft, top *kaiGroup) (groups map[string]*kaiGroup, ok bool) {
	groups = map[string]*kaiGroup{}
	var order []*kaiGroup
	before := len(d.obj.Errors)
	for e := range top.f.Get("subGroups").All() {
		e = e.Mapping()
		g := &kaiGroup{f: e, name: e.Get("name").Required(), parent: e.Get("parent").Text()}
		g.tree, g.rules = in.constraint(d, constraintOf(e))
		g.minMember, _ = e.Get("minMember").Whole(0)
		g.minGroups, _ = e.Get("minSubGroup").Whole(0)
		if e.Get("minMember").Present() && e.Get("minSubGroup").Present() {
			e.Get("minSubGroup").Fail("minMember and minSubGroup exclude each other")
		}
		if groups[g.name] != nil {
			e.Get("name").Fail("duplicate subgroup")
			continue
		}
		groups[g.name], order = g, append(order, g)
	}
	for _, g := range order {
		parent := top
		if g.parent != "" {
			if parent = groups[g.parent]; parent == nil {
				g.f.Get("parent").Fail("unknown parent")
				continue
			}
		}
		parent.children = append(parent.children, g)
	}
	for _, g := range append(order, top) {
		if len(g.children) == 0 {
			g.minMember = max(1, g.minMember) // as its webhook has it
		}
		g.check(groups)
	}
	return groups, len(d.obj.Errors) == before
}

// check refuses a cycle of parents and a minimum above the number of children.
func (g *kaiGroup) check(groups map[string]*kaiGroup) {
	steps := 0
	for up := g; up != nil && up.parent != ""; up = groups[up.parent] {
		if steps++; steps > len(groups) {
			g.f.Get("parent").Fail("cycle of parents")
			return
		}
	}
	if g.minGroups > len(g.children) {
		g.f.Get("minSubGroup").Fail(fmt.Sprintf("minSubGroup above the number of subgroups, %d", len(g.children)))
	}
}

// part arranges members by the names of their leaf groups. A group that nobody is in, nor has to be, is none.
func (g *kaiGroup) part(members map[string][]*member.Member, around string) member.Part {
	p := member.Part{Name: g.name, Rules: member.Unique(g.rules), Need: g.minMember}
	if g.tree != "" && g.tree != around {
		p.Tree, around = g.tree, g.tree
	}
	for _, c := range g.children {
		if inner := c.part(members, around); inner.Minimum() > 0 || len(inner.All()) > 0 {
			p.Parts = append(p.Parts, inner)
		}
	}
	if len(g.children) == 0 {
		p.Members, p.AllOf = members[g.name], "subgroup "+g.name
	}
	p.NeedParts = min(g.minGroups, len(p.Parts))
	return p
}

// readJob reads a Job of Kubernetes with the annotations of KAI or Kueue: parallelism members, all needed.
func (r *reader) readJob(o *object.Object) {
	top := r.objects.TopOwner(o)
	up := r.objects.ControllerOf(o)
	if up != nil && up.Kind == "JobSet" {
		r.gangs.children = append(r.gangs.children, o)
	}
	submits := up != nil && up.Kind == rayJob
	if o.Finished("Complete", "Failed", "SuccessCriteriaMet") || top != nil && isOwner(top.Group, top.Kind) && !submits { // which makes the gang
		return
	}
	d := r.gangs.declare(o)
	if submits { // its cluster is there already
		d.submits, d.top = true, up
	} else {
		r.gangs.owned(o, d)
	}
	if r.objects.LacksOwner(o) != "" {
		d.lost = append(d.lost, absentOwner)
	}
	spec := o.Root.Sub("spec")
	template := spec.Sub("template")
	pod := r.pods.readPodSpec(template)
	if d.class = pod.Class; pod.Priority != nil {
		d.priority = pod.Priority
	}
	if n := r.priorities.OfWorkload(o.Label("kueue.x-k8s.io/priority-class")); n != nil && d.priority == nil {
		d.priority = n
	}
	d.promised = promise(o.Name, jobs.Members(spec, o.Root.Sub("status")), 0, pod)
	d.min = jobs.Minimum(o, template)
	notes := template.Sub("metadata").Sub("annotations")
	rules, cut := requests.OfJob(notes).Rules(r.rules.trees)
	d.gather = append(append(rules, r.rules.kaiJobRules(d, o)...), r.rules.networkNotes(d, template.Get("metadata"))...)
	r.inTree.readJob(d, spec.Sub("scheduling"))
	segments := r.rules.kaiPlacement(notes, segmentPrefix+"topology", d.tree)
	if size := notes.Get(segmentPrefix + "size"); size.Present() {
		if n, ok := size.Count(size.Text(), 1); ok {
			cut = append(cut, gang.Groups{Size: n, Gather: member.Unique(segments)})
		}
	} else if len(segments) > 0 {
		size.Fail("missing, beside a rule for segments")
	}
	d.ruled, d.flat = len(cut) > 0, len(cut) == 0
	d.arrange = func(_ *draft, members []*member.Member) member.Part {
		return member.Part{Members: members, Cut: member.Fit(cut, len(members))}
	}
}
