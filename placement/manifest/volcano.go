package manifest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
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
	case len(policies) > 0 && len(tasks) > 0:
		spec.Get("minTaskMember").Fail("beside a subGroupPolicy: cannot be kept together")
	case len(policies) > 0:
		d.grouped, d.ruled = true, slices.ContainsFunc(policies, func(p subGroupPolicy) bool { return len(p.rules) > 0 })
		d.arrange = func(d *draft, members []*member) part { return arrangeSubGroups(d, policies, members) }
	case len(tasks) > 0:
		d.arrange = func(d *draft, members []*member) part { return arrangeTasks(d, tasks, members) }
	}
}

// taskMinima reads how many pods of each task a PodGroup needs, as far as that binds.
func taskMinima(d *draft, f object.Field) []task {
	var tasks []task
	sum := 0
	for name, e := range f.Entries() {
		n, _ := e.Whole(0)
		tasks, sum = append(tasks, task{name: name, available: n}), sum+n
	}
	slices.SortFunc(tasks, func(a, b task) int { return muster.CompareNatural(a.name, b.name) })
	if sum > d.min {
		return nil
	}
	return tasks
}

// matches says whether the policy takes the pod, and the values that tell its group.
func (p *subGroupPolicy) matches(m *member) (values []string, ok bool) {
	if !p.selector.Matches("", m.labels) {
		return nil, false
	}
	for _, key := range p.keys {
		value, ok := m.labels[key]
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
	part   part
}

// arrangeSubGroups gives each pod to the first policy that matches. Groups come in the order of policies and label values, after
// them the pods that no policy matches.
func arrangeSubGroups(d *draft, policies []subGroupPolicy, members []*member) part {
	var groups []*subGroup
	none := part{loose: true}
	for _, m := range members {
		if g := findSubGroup(policies, m, &groups); g != nil {
			g.part.members = append(g.part.members, m)
		} else {
			none.members = append(none.members, m)
		}
	}
	slices.SortFunc(groups, func(a, b *subGroup) int {
		return cmp.Or(cmp.Compare(a.policy, b.policy), muster.ComparePaths(a.values, b.values))
	})
	var parts []part
	for i, p := range policies {
		var of []part
		for _, g := range groups {
			if g.policy == i {
				of = append(of, g.part.whole(p.size))
			}
		}
		if len(of) > 0 || p.least > 0 {
			parts = append(parts, d.bundle("policy "+p.name, of, p.least, p.size))
		}
	}
	if len(none.members) > 0 {
		parts = append(parts, none)
	}
	return join(parts)
}

// bundle is a part of groups of which so many must run, besides what the gang's minimum says; a gang without one needs all. Groups of
// so many members that are not known yet are waited for.
func (d *draft) bundle(name string, groups []part, least, size int) part {
	p := part{name: name, bundle: true, parts: groups, needParts: cmp.Or(least, -1)}
	if missing := least - len(groups); missing > 0 {
		p.needParts, p.need = 0, len(p.all())+missing*size
	}
	if d.min == 0 {
		p.needParts = 0
	}
	return p
}

func findSubGroup(policies []subGroupPolicy, m *member, groups *[]*subGroup) *subGroup {
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
		g := &subGroup{policy: i, values: values, part: part{name: name, rules: policies[i].rules}}
		*groups = append(*groups, g)
		return g
	}
	return nil
}

// task is a role of a Volcano Job; size is that of its partitions, 0 if it has none.
type task struct {
	name        string
	replicas    int
	size, least int
	available   int // replicas that must be among those placed; 0: what the gang needs says all
	rules       []gang.Rule
}

// readVolcanoJob reads a Job of Volcano. A task may be cut into partitions of consecutive replicas.
func (r *reader) readVolcanoJob(o *object.Object) {
	switch o.Root.Sub("status").Sub("state").Get("phase").Text() {
	case "Completed", "Failed", "Terminated", "Aborted":
		return
	}
	d := r.gangs.declare(o)
	r.rules.volcanoTree(d)
	spec := o.Root.Sub("spec")
	d.min, _ = spec.Get("minAvailable").Whole(0)
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
			pod.shape.NUMA.Policy = policy // the job's controller writes it into the annotation of the pods
		}
		members := promise(o.Name+"-"+t.name, t.replicas, len(d.promised), pod)
		t.label(members, pod.labels.TextMap())
		d.promised = append(d.promised, members...)
		tasks = append(tasks, t)
		d.ruled = d.ruled || len(t.rules) > 0
	}
	bindTasks(d, tasks)
	d.arrange = func(d *draft, members []*member) part { return arrangeTasks(d, tasks, members) }
}

// bindTasks drops the minima of tasks that do not bind: as in Volcano, all of them where they sum up to more than the gang
// needs.
func bindTasks(d *draft, tasks []task) {
	sum, all := 0, 0
	for i := range tasks {
		sum, all = sum+tasks[i].available, all+tasks[i].replicas
	}
	if need := cmp.Or(d.min, all); sum > need || need == all {
		for i := range tasks {
			tasks[i].available = 0
		}
	}
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

// Labels of the pods that a Job makes.
const (
	taskLabel      = "volcano.sh/task-spec"
	taskIndexLabel = "volcano.sh/task-index"
	partitionLabel = "volcano.sh/partition-id"
)

// label gives replicas the labels that the controller writes, those of a partition the same.
func (t *task) label(members []*member, template map[string]string) {
	var labels map[string]string
	for i, m := range members {
		if i == 0 || t.size > 0 && i%t.size == 0 {
			labels = map[string]string{}
			maps.Copy(labels, template)
			if labels[taskLabel] = t.name; t.size > 0 {
				labels[partitionLabel] = strconv.Itoa(i / t.size)
			}
		}
		m.labels = labels
	}
}

// arrangeTasks makes the partitions groups. Tasks without partitions, and pods of no task, are the gang's own members.
func arrangeTasks(d *draft, tasks []task, members []*member) part {
	byTask := map[string][]*member{}
	for _, m := range members {
		name := m.said(taskLabel)
		if !slices.ContainsFunc(tasks, func(t task) bool { return t.name == name }) {
			name = ""
		}
		if name == "" && len(tasks) == 1 {
			name = tasks[0].name
		}
		byTask[name] = append(byTask[name], m)
	}
	var parts []part
	for i := range tasks {
		t := &tasks[i]
		of := byTask[t.name]
		switch {
		case t.size > 0:
			p := d.bundle("task "+t.name, t.partitions(of), t.least, t.size)
			p.need = max(p.need, t.available)
			parts = append(parts, p)
		case t.available > 0:
			parts = append(parts, part{name: "task " + t.name, bundle: true, members: of, need: t.available})
		default:
			parts = append(parts, part{loose: true, members: of})
		}
	}
	parts = append(parts, part{loose: true, members: byTask[""]})
	if !slices.ContainsFunc(parts, func(p part) bool { return p.bundle }) {
		return part{members: members}
	}
	return join(slices.DeleteFunc(parts, func(p part) bool { return p.loose && len(p.members) == 0 }))
}

// partitions are groups of consecutive replicas: those of a partition's label, else of the index of the replica, else as they come.
func (t *task) partitions(members []*member) []part {
	byID := map[int][]*member{}
	for i, m := range members {
		id := i / t.size
		if index, ok := object.Ordinal(m.said(taskIndexLabel)); ok {
			id = index / t.size
		}
		if label, ok := object.Ordinal(m.said(partitionLabel)); ok {
			id = label
		}
		byID[id] = append(byID[id], m)
	}
	var out []part
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		p := part{name: t.name + "/" + strconv.Itoa(id), rules: t.rules, members: byID[id]}
		size := t.size
		if rest := t.replicas - id*t.size; rest > 0 {
			size = min(size, rest)
		}
		out = append(out, p.whole(size))
	}
	return out
}
