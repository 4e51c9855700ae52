package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/jobs"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
	"github.com/muster-sched/muster/placement/manifest/internal/requests"
)

// exclusiveTopology is counted where a gang wants its domains for itself, and no plan keeps that.
const exclusiveTopology = "exclusiveTopology"

// ownerRules reads the rules of the gang and of its roles: those of the top owner, of templates, and of runtimes.
func (in *rules) ownerRules(d *draft) {
	o, of := d.obj, d.owned
	if d.gather = in.kaiJobRules(d, o); len(d.gather) == 0 && d.top != nil {
		d.gather = in.kaiJobRules(d, d.top)
	}
	d.gather = append(d.gather, in.networkTopology(d, o.Field(of.Network).Mapping())...)
	d.gather = append(d.gather, in.networkNotes(d, o.Root.Get("metadata"))...)
	for i := range of.Roles {
		d.gather = member.Unique(append(d.gather, in.networkNotes(d, o.Field(of.Roles[i].Template).Mapping().Get("metadata"))...))
	}
	if o.Kind == "PodGang" {
		in.packRules(d)
		return
	}
	notes := o.Field(of.Metadata).Mapping().Sub("annotations")
	exclusive, alone := in.exclusive(d, notes, claim{note: apart.ExclusiveGroups})
	d.gather, d.limits = append(d.gather, exclusive...), append(d.limits, alone...)
	var sets []member.PodSet
	asGroups, plain := false, true
	for i := range of.Roles {
		s, kueue := in.roleSet(d, &of.Roles[i], notes)
		asGroups = asGroups || kueue
		plain = plain && len(s.Rules) == 0 && len(s.Cut) == 0 && s.Child == 0 && !s.Elastic() && !s.Spare
		sets = append(sets, s)
	}
	d.ruled = asGroups || !plain
	switch n := subGroupSize(o); {
	case n > 0 && len(sets) == 2 && len(sets[1].Cut) > 0: // the leader is in the first of a LeaderWorkerSet's
		first := n
		if (of.Count()-1)%n == 0 { // the workers alone can be cut
			first++
		}
		d.arrange = func(_ *draft, members []*member.Member) member.Part {
			return member.Subgroups(members, first, n, sets[1].Cut[0])
		}
	case plain && !asGroups:
	case asGroups:
		d.arrange = func(_ *draft, members []*member.Member) member.Part {
			return member.ArrangePodSets(d.without(sets), members)
		}
		if member.AllOfOne(sets) {
			d.gather = append(d.gather, member.GroupRules(sets)...)
		}
	default:
		d.arrange = func(_ *draft, members []*member.Member) member.Part {
			left := d.without(sets)
			return member.WholeGang(left, member.MembersOf(left, members))
		}
		if len(sets) == 1 {
			d.gather = append(d.gather, sets[0].Rules...)
		}
	}
}

// without are the roles without members that have succeeded.
func (d *draft) without(sets []member.PodSet) []member.PodSet {
	if len(d.over.byRole) == 0 {
		return sets
	}
	left := slices.Clone(sets)
	for i := range left {
		s := &left[i]
		s.Count = max(0, s.Count-d.over.byRole[s.Name])
		s.Min = max(min(1, s.Count), s.Min-d.over.byRole[s.Name])
	}
	return left
}

// roleSet is a role with the rules of its template, and whether these make it a group: those of Kueue do. notes are the
// annotations of the owner.
func (in *rules) roleSet(d *draft, role *owners.Role, notes object.Field) (s member.PodSet, kueue bool) {
	template := d.obj.Field(role.Template).Mapping()
	own := template.Sub("metadata").Sub("annotations")
	s = member.PodSet{Name: role.Name, F: template, Count: len(role.Members), Min: len(role.Members)}
	if role.Least > 0 {
		s.Min = role.Least
	}
	s.Spare = role.Spare
	request := requests.OfJob(own)
	s.Rules, s.Cut = request.Rules(in.trees)
	group := own.Get("kueue.x-k8s.io/podset-group-name")
	s.Group = group.Text()
	kueue = request.IsSet() || group.Present()
	sliced := s.Cut // of all members of the role, where segments are of those of a job
	s.Cut = append(s.Cut, in.segments(d, role, own, notes)...)
	meta := d.obj.Field(role.Rules).Mapping().Sub("annotations")
	rules := in.kaiNotes(d, meta)
	var alone []gang.Limit
	for _, notes := range []object.Field{meta, notes} {
		exclusive, limits := in.exclusive(d, notes, claim{note: apart.ExclusiveJobs, role: role.Name, ofPart: true})
		rules, alone = append(rules, exclusive...), append(alone, limits...)
	}
	least := jobs.Count(meta.Get(jobs.BatchMinMember))
	if role.Child == 0 {
		s.Rules = append(s.Rules, rules...)
	} else if len(rules) > 0 || role.Whole || least > 0 {
		s.Child, s.ChildRules, s.ChildLimits, s.ChildLeast = role.Child, member.Unique(rules), member.Unique(alone), least
		for _, cut := range sliced {
			if role.Child%cut.Size != 0 {
				own.Fail(fmt.Sprintf("slices of %d that do not divide the %d members of each job, which is a group itself", cut.Size, role.Child))
			}
		}
	}
	if least > 0 && least < role.Child {
		d.min -= len(role.Members) / role.Child * (role.Child - least)
	}
	return s, kueue
}

// exclusive reads a domain that is a gang's own: within it is a rule, alone in it a limit, counted until a request keeps it.
func (in *rules) exclusive(d *draft, notes object.Field, of claim) ([]gang.Rule, []gang.Limit) {
	f := notes.Get(of.note)
	if !f.Present() {
		return nil, nil
	}
	of.key = f.Text()
	d.claims = append(d.claims, of)
	if !slices.Contains(d.lost, exclusiveTopology) {
		d.lost = append(d.lost, exclusiveTopology)
	}
	tree, rules := in.trees.Key(d.tree, f)
	d.tree = tree
	if key := f.Text(); len(rules) == 0 && key != "" { // a defect, for which no member waits; those that run close their nodes
		return nil, []gang.Limit{{Layer: key, Kind: gang.Alone}}
	}
	return rules, apart.Alone(rules)
}

// segments cuts the workers of a role: by the sizes of a LeaderWorkerSet, else by KAI's, with the rules for them.
func (in *rules) segments(d *draft, role *owners.Role, own, notes object.Field) []gang.Groups {
	works := role.Name == "worker" || d.obj.Kind == "JobSet" || strings.HasPrefix(d.obj.Kind, "Ray") && role.Name != "headgroup"
	if !works {
		own.Get(segmentPrefix + "topology-required-placement").Text() // masters and leaders are in no segment
		return nil
	}
	rules := in.kaiPlacement(own, segmentPrefix+"topology", d.tree)
	size, ok := 0, false
	var alone []gang.Limit
	if d.obj.Kind == "LeaderWorkerSet" {
		of := claim{note: apart.ExclusiveSubgroups, role: role.Name, ofPart: true}
		if subGroupSize(d.obj) > 0 { // the leader is in one too
			of.role = ""
		}
		exclusive, limits := in.exclusive(d, notes, of)
		rules, alone = append(rules, exclusive...), limits
		d.excluded = d.excluded || len(limits) > 0 && subGroupSize(d.obj) == 0
		policy := d.obj.Root.Sub("spec").Sub("leaderWorkerTemplate").Sub("subGroupPolicy")
		size, ok = policy.Get("subGroupSize").Whole(1)
	}
	for _, notes := range []object.Field{own, notes} {
		if f := notes.Get(segmentPrefix + "size"); f.Present() && !ok {
			size, ok = f.Count(f.Text(), 1)
		}
	}
	switch f := own.Get(segmentPrefix + "size"); {
	case len(rules) == 0:
		return nil
	case !ok && !f.Present():
		f.Fail("missing, beside a rule for segments")
		return nil
	case !ok:
		return nil
	}
	return []gang.Groups{{Size: size, Gather: member.Unique(rules), Limits: alone}}
}

// subGroupSize is the size of the subgroups of a LeaderWorkerSet that its leader is in, 0 if there are none.
func subGroupSize(o *object.Object) int {
	policy := o.Root.Sub("spec").Sub("leaderWorkerTemplate").Sub("subGroupPolicy")
	if kind := policy.Get("subGroupPolicyType"); o.Kind != "LeaderWorkerSet" || kind.Text() == "LeaderExcluded" {
		return 0
	}
	n, _ := policy.Get("subGroupSize").Whole(1)
	return n
}

// kaiNotes reads KAI's rule from annotations that bind a part of a gang.
func (in *rules) kaiNotes(d *draft, notes object.Field) []gang.Rule {
	return in.kaiPlacement(notes, kaiTopology, in.nameTree(d, notes.Get(kaiTopology)))
}

// packRules reads the rules of a PodGang: of the gang, of configs over several pod groups, and of pod groups.
func (in *rules) packRules(d *draft) {
	spec := d.obj.Root.Sub("spec")
	d.gather = append(d.gather, in.packed(d, spec)...)
	groups := make([]member.Part, len(d.owned.Roles))
	for i := range d.owned.Roles {
		role := &d.owned.Roles[i]
		groups[i] = member.Part{Name: role.Name, Rules: in.packed(d, d.obj.Field(role.Rules).Mapping()), Need: role.Least}
	}
	configs := make([]member.Part, 0)
	of := make([]int, len(groups)) // the config of each group, from 1; 0: none
	for c := range spec.Get("topologyConstraintGroupConfigs").All() {
		c = c.Mapping()
		configs = append(configs, member.Part{Name: c.Get("name").Text(), Rules: in.packed(d, c)})
		if configs[len(configs)-1].Name == "" {
			configs[len(configs)-1].Name = "config-" + strconv.Itoa(len(configs)-1)
		}
		for name := range c.Get("podGroupNames").All() {
			switch i := slices.IndexFunc(groups, func(p member.Part) bool { return p.Name == name.Text() }); {
			case i < 0:
				name.Fail("unknown pod group")
			case of[i] > 0:
				name.Fail("the pod group is in another config too")
			default:
				of[i] = len(configs)
			}
		}
	}
	d.ruled = slices.ContainsFunc(slices.Concat(groups, configs), func(p member.Part) bool { return len(p.Rules) > 0 })
	d.arrange = func(_ *draft, members []*member.Member) member.Part {
		left := slices.Clone(groups)
		for i := range left {
			left[i].Need = max(min(1, left[i].Need), left[i].Need-d.over.byRole[left[i].Name])
		}
		return member.Packed(left, configs, of, members)
	}
}

// packed reads a packConstraint. All keys of a gang are of one topology.
func (in *rules) packed(d *draft, f object.Field) (rules []gang.Rule) {
	c := f.Sub("topologyConstraint").Sub("packConstraint")
	var preferred []gang.Rule
	d.tree, rules = in.trees.Key(d.tree, c.Get("required"))
	d.tree, preferred = in.trees.PreferredKey(d.tree, c.Get("preferred"))
	return append(rules, preferred...)
}
