package manifest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// subGroupPolicy makes groups of the pods that it matches.
type subGroupPolicy struct {
	name        string
	selector    *selectors.Labels
	keys        []string
	size, least int
	rules       []gang.Rule
}

func (r *reader) readVolcanoPodGroup(o *object.Object) {
	d := r.gangs.podGroup(o)
	r.rules.volcanoTree(d)
	spec := o.Root.Sub("spec")
	d.gather = r.rules.networkTopology(d, spec.Sub("networkTopology"))
	var policies []subGroupPolicy
	names := map[string]bool{}
	for f := range spec.Get("subGroupPolicy").All() {
		f = f.Mapping()
		name := f.Get("name").Text()
		if name != "" && names[name] {
			f.Get("name").Fail("duplicate subgroup")
		}
		names[name] = true
		p := subGroupPolicy{
			name: cmp.Or(name, "policy-"+strconv.Itoa(len(policies))), selector: selectors.ReadLabels(f.Sub("labelSelector")), keys: f.Get("matchLabelKeys").Texts(),
			rules: r.rules.networkTopology(d, f.Sub("networkTopology")), size: 1,
		}
		if n, ok := f.Get("subGroupSize").Whole(1); ok {
			p.size = n
		}
		p.least, _ = f.Get("minSubGroups").Whole(0)
		policies = append(policies, p)
	}
	tasks := taskMinima(d, spec.Get("minTaskMember"))
	switch {
	case len(policies) > 0:
		d.grouped, d.ruled = true, slices.ContainsFunc(policies, func(p subGroupPolicy) bool { return len(p.rules) > 0 })
		d.arrange = func(d *draft, members []*member.Member) member.Part {
			parts, together := d.addTasks(arrangeSubGroups(d, policies, members), tasks)
			if !together {
				spec.Get("minTaskMember").Fail("beside a subGroupPolicy that takes some pods of a task, or others too: cannot be kept together")
			}
			return member.Join(parts)
		}
	case len(tasks) > 0:
		d.arrange = func(d *draft, members []*member.Member) member.Part { return arrangeTasks(d, tasks, members) }
	}
}

// matches says whether the policy takes the pod, and the values that tell its group.
func (p *subGroupPolicy) matches(m *member.Member) (values []string, ok bool) {
	if !p.selector.Matches("", m.Labels) {
		return nil, false
	}
	for _, key := range p.keys {
		value, ok := m.Labels[key]
		if !ok {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}

// subGroup is a group that the policies found.
type subGroup struct {
	policy int
	values []string
	part   member.Part
}

// arrangeSubGroups gives each pod to the first policy that matches. Groups come in the order of policies and label values, after
// them the pods that no policy matches.
func arrangeSubGroups(d *draft, policies []subGroupPolicy, members []*member.Member) []member.Part {
	var groups []*subGroup
	none := member.Part{Loose: true}
	for _, m := range members {
		if g := findSubGroup(policies, m, &groups); g != nil {
			g.part.Members = append(g.part.Members, m)
		} else {
			none.Members = append(none.Members, m)
		}
	}
	slices.SortFunc(groups, func(a, b *subGroup) int {
		return cmp.Or(cmp.Compare(a.policy, b.policy), muster.ComparePaths(a.values, b.values))
	})
	var parts []member.Part
	for i, p := range policies {
		var of []member.Part
		for _, g := range groups {
			if g.policy == i {
				of = append(of, g.part.Whole(p.size))
			}
		}
		if len(of) > 0 || p.least > 0 {
			parts = append(parts, d.bundle("policy "+p.name, of, p.least, p.size))
		}
	}
	if len(none.Members) > 0 {
		parts = append(parts, none)
	}
	return parts
}

// bundle is a part of groups of which so many must run, besides what the gang's minimum says; a gang without one needs all. Groups of
// so many members that are not known yet are waited for.
func (d *draft) bundle(name string, groups []member.Part, least, size int) member.Part {
	p := member.Part{Name: name, Bundle: true, Parts: groups, NeedParts: cmp.Or(least, -1)}
	if missing := least - len(groups); missing > 0 {
		p.NeedParts, p.Need = 0, len(p.All())+missing*size
	}
	if d.min == 0 {
		p.NeedParts = 0
	}
	return p
}

func findSubGroup(policies []subGroupPolicy, m *member.Member, groups *[]*subGroup) *subGroup {
	for i := range policies {
		values, ok := policies[i].matches(m)
		if !ok {
			continue
		}
		for _, g := range *groups {
			if g.policy == i && slices.Equal(g.values, values) {
				return g
			}
		}
		name := strings.Join(append([]string{policies[i].name}, values...), "/")
		g := &subGroup{policy: i, values: values, part: member.Part{Name: name, Rules: policies[i].rules}}
		*groups = append(*groups, g)
		return g
	}
	return nil
}

// readVolcanoJob reads a Job of Volcano. A task may be cut into partitions of consecutive replicas.
func (r *reader) readVolcanoJob(o *object.Object) {
	ends := false
	switch o.Root.Sub("status").Sub("state").Get("phase").Text() {
	case "Completed", "Failed", "Terminated", "Aborted":
		return
	case "Completing", "Terminating", "Aborting":
		ends = true // no pods are made any more
	}
	d := r.gangs.declare(o)
	r.rules.volcanoTree(d)
	spec := o.Root.Sub("spec")
	d.gather = append(r.rules.networkTopology(d, spec.Sub("networkTopology")), r.rules.kaiJobRules(d, o)...)
	var tasks []task
	for f := range spec.Get("tasks").All() {
		f = f.Mapping()
		t := task{name: f.Get("name").Text()}
		if t.name == "" {
			t.name = "default" + strconv.Itoa(len(tasks))
		}
		if slices.ContainsFunc(tasks, func(other task) bool { return other.name == t.name }) {
			f.Get("name").Fail("duplicate name")
			continue
		}
		t.replicas = f.Get("replicas").Size(1)
		t.available, _ = f.Get("minAvailable").Whole(0)
		if t.available > t.replicas {
			f.Get("minAvailable").Fail("above replicas")
		}
		if p := f.Sub("partitionPolicy"); p.Present() {
			r.rules.readPartitions(d, p, &t)
		}
		pod := r.pods.readPodSpec(f.Sub("template"))
		if policy, ok := object.OneOf(f.Get("topologyPolicy"), "policy", nodes.KubeletPolicies); ok {
			pod.Shape.NUMA.Policy = policy // the job's controller writes it into the annotation of the pods
		}
		if !ends {
			members := promise(o.Name+"-"+t.name, t.replicas, len(d.promised), pod)
			t.label(members, pod.Labels.TextMap())
			d.promised = append(d.promised, members...)
		}
		tasks = append(tasks, t)
		d.ruled = d.ruled || len(t.rules) > 0
	}
	if d.min, _ = spec.Get("minAvailable").Whole(0); d.min == 0 {
		d.min = sumOfMinima(tasks)
	}
	bindTasks(d, tasks)
	d.arrange = func(d *draft, members []*member.Member) member.Part { return arrangeTasks(d, tasks, members) }
}

func (in *rules) readPartitions(d *draft, p object.Field, t *task) {
	size := p.Get("partitionSize")
	if !size.Present() {
		size.Fail("missing")
	}
	t.size, _ = size.Whole(1)
	total, isTotal := p.Get("totalPartitions").Whole(0)
	least := p.Get("minPartitions")
	if t.least, _ = least.Whole(0); isTotal && t.least > total {
		least.Fail("above totalPartitions")
	}
	t.rules = in.networkTopology(d, p.Sub("networkTopology"))
}
