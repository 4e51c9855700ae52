package manifest

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// exclusiveTopology is counted where a gang has its domains for itself, which is not modelled.
const exclusiveTopology = "exclusiveTopology"

// ownerRules reads the rules of the gang and of its roles: those of the top owner, of templates, and of runtimes.
func (in *trees) ownerRules(d *draft, top *object) {
	o, of := d.obj, d.owned
	if d.gather = in.kaiJobRules(d, o); len(d.gather) == 0 && top != nil {
		d.gather = in.kaiJobRules(d, top)
	}
	d.gather = append(d.gather, in.networkTopology(d, o.field(of.Network).object())...)
	if o.kind == "PodGang" {
		in.packRules(d)
		return
	}
	notes := o.field(of.Metadata).object().sub("annotations")
	exclusive := in.exclusive(d, notes, "leaderworkerset.sigs.k8s.io/exclusive-topology")
	d.gather = append(d.gather, exclusive...)
	var sets []podSet
	asGroups, plain := false, true
	for i := range of.Roles {
		s, kueue := in.roleSet(d, &of.Roles[i], notes)
		asGroups = asGroups || kueue
		plain = plain && len(s.rules) == 0 && len(s.cut) == 0 && s.child == 0 && !s.elastic()
		sets = append(sets, s)
	}
	switch {
	case plain && !asGroups:
	case asGroups:
		d.arrange = func(_ *draft, members []*member) part { return arrangePodSets(sets, members) }
		if allOfOne(sets) {
			d.gather = append(d.gather, groupRules(sets)...)
		}
	default:
		d.arrange = func(_ *draft, members []*member) part { return wholeGang(sets, membersOf(sets, members)) }
		if len(sets) == 1 {
			d.gather = append(d.gather, sets[0].rules...)
		}
	}
}

// roleSet is a role with the rules of its template, and whether these make it a group: those of Kueue do. notes are the
// annotations of the owner.
func (in *trees) roleSet(d *draft, role *owners.Role, notes field) (s podSet, kueue bool) {
	template := d.obj.field(role.Template).object()
	own := template.sub("metadata").sub("annotations")
	s = podSet{name: role.Name, f: template, count: len(role.Members), min: len(role.Members)}
	if role.Least > 0 {
		s.min = role.Least
	}
	request := jobRequest(own)
	s.rules, s.cut = in.readTopologyRequest(request)
	group := own.get("kueue.x-k8s.io/podset-group-name")
	s.group = group.str()
	kueue = request.isSet() || group.present()
	s.cut = append(s.cut, in.segments(d, role, own, notes)...)
	if !role.Rules.Present() {
		return s, kueue
	}
	meta := d.obj.field(role.Rules).object().sub("annotations")
	rules := append(in.kaiNotes(d, meta), in.exclusive(d, meta, exclusiveJobs)...)
	rules = append(rules, in.exclusive(d, notes, exclusiveJobs)...)
	least := batchMinimum(meta.get(batchMinMember))
	if role.Child == 0 {
		s.rules = append(s.rules, rules...)
	} else if len(rules) > 0 || role.Whole || least > 0 {
		s.child, s.childRules, s.childLeast = role.Child, unique(rules), least
	}
	if least > 0 && least < role.Child {
		d.min -= len(role.Members) / role.Child * (role.Child - least)
	}
	return s, kueue
}

// batchMinMember is how many pods of a job KAI starts together.
const batchMinMember = "kai.scheduler/batch-min-member"

// batchMinimum reads a number of members, 0 if there is none.
func batchMinimum(f field) int {
	if !f.present() {
		return 0
	}
	n, _ := f.count(f.str(), 1)
	return n
}

const exclusiveJobs = "alpha.jobset.sigs.k8s.io/exclusive-topology"

// exclusive reads a domain that is a gang's own: within it is a rule, alone in it is counted.
func (in *trees) exclusive(d *draft, notes field, key string) []gang.Rule {
	f := notes.get(key)
	if !f.present() {
		return nil
	}
	if !slices.Contains(d.lost, exclusiveTopology) {
		d.lost = append(d.lost, exclusiveTopology)
	}
	return in.must(f, d.tree)
}

// segments cuts the workers of a role: by the sizes of a LeaderWorkerSet, else by KAI's, with the rules for them.
func (in *trees) segments(d *draft, role *owners.Role, own, notes field) []gang.Groups {
	if role.Name != "worker" && d.obj.kind != "JobSet" {
		return nil
	}
	rules := append(in.must(own.get(segmentPrefix+"topology-required-placement"), d.tree),
		in.prefer(own.get(segmentPrefix+"topology-preferred-placement"), d.tree)...)
	policy := field{obj: d.obj}
	size, ok := 0, false
	if d.obj.kind == "LeaderWorkerSet" {
		rules = append(rules, in.exclusive(d, notes, "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology")...)
		policy = d.obj.root.sub("spec").sub("leaderWorkerTemplate").sub("subGroupPolicy")
		size, ok = policy.get("subGroupSize").whole(1)
	}
	for _, notes := range []field{own, notes} {
		if f := notes.get(segmentPrefix + "size"); f.present() && !ok {
			size, ok = f.count(f.str(), 1)
		}
	}
	if !ok || len(rules) == 0 {
		return nil
	}
	return []gang.Groups{{Size: size, Gather: unique(rules)}}
}

// kaiNotes reads KAI's rule from annotations that bind a part of a gang.
func (in *trees) kaiNotes(d *draft, notes field) []gang.Rule {
	tree := in.nameTree(d, notes.get("kai.scheduler/topology"))
	return append(in.must(notes.get("kai.scheduler/topology-required-placement"), tree),
		in.prefer(notes.get("kai.scheduler/topology-preferred-placement"), tree)...)
}

// packRules reads the rules of a PodGang: of the gang, of configs over several pod groups, and of pod groups.
func (in *trees) packRules(d *draft) {
	spec := d.obj.root.sub("spec")
	d.gather = append(d.gather, in.packed(spec)...)
	groups := make([]part, len(d.owned.Roles))
	for i := range d.owned.Roles {
		role := &d.owned.Roles[i]
		groups[i] = part{name: role.Name, rules: in.packed(d.obj.field(role.Rules).object()), need: role.Least}
	}
	configs := make([]part, 0)
	of := make([]int, len(groups)) // the config of each group, from 1; 0: none
	for c := range spec.get("topologyConstraintGroupConfigs").all() {
		c = c.object()
		configs = append(configs, part{name: c.get("name").str(), rules: in.packed(c)})
		if configs[len(configs)-1].name == "" {
			configs[len(configs)-1].name = "config-" + strconv.Itoa(len(configs)-1)
		}
		for name := range c.get("podGroupNames").all() {
			switch i := slices.IndexFunc(groups, func(p part) bool { return p.name == name.str() }); {
			case i < 0:
				name.fail("unknown pod group")
			case of[i] > 0:
				name.fail("the pod group is in another config too")
			default:
				of[i] = len(configs)
			}
		}
	}
	d.arrange = func(_ *draft, members []*member) part { return arrangePacked(groups, configs, of, members) }
}

// packed reads a packConstraint.
func (in *trees) packed(f field) []gang.Rule {
	c := f.sub("topologyConstraint").sub("packConstraint")
	return append(in.must(c.get("required"), ""), in.prefer(c.get("preferred"), "")...)
}

// arrangePacked gives pods to their groups, and groups to their configs. Pods of no group are the gang's own.
func arrangePacked(groups, configs []part, of []int, members []*member) part {
	groups, configs = slices.Clone(groups), slices.Clone(configs)
	var whole part
	for i := range groups {
		g := &groups[i]
		for _, m := range members {
			if m.role == g.name {
				g.members = append(slices.Clip(g.members), m)
			}
		}
		g.bundle = len(g.rules) == 0
		if of[i] > 0 {
			configs[of[i]-1].parts = append(configs[of[i]-1].parts, *g)
			continue
		}
		whole.parts = append(whole.parts, *g)
	}
	for _, c := range configs {
		if len(c.parts) > 0 {
			whole.parts = append(whole.parts, c)
		}
	}
	none := slices.DeleteFunc(slices.Clone(members), func(m *member) bool {
		return slices.ContainsFunc(groups, func(g part) bool { return g.name == m.role })
	})
	return whole.with(none)
}
