package manifest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// volcanoTree makes a gang of Volcano use the tree of the HyperNodes.
func (r *reader) volcanoTree(d *draft) {
	if r.trees[hyperTree] != nil {
		d.tree = hyperTree
	}
}

// networkTopology reads Volcano's rule: hard binds, and is the default; soft prefers every layer, which is what a gang
// without a rule does.
func (r *reader) networkTopology(d *draft, f field) []gang.Rule {
	if !f.present() {
		return nil
	}
	allowed, name := f.get("highestTierAllowed"), f.get("highestTierName")
	tier, isNumber := allowed.whole(0)
	layer := name.str()
	if allowed.present() && name.present() {
		name.fail("highestTierAllowed and highestTierName exclude each other")
		return nil
	}
	switch mode := f.get("mode"); mode.str() {
	case "soft":
		return nil
	case "hard", "":
	default:
		mode.fail("must be hard or soft")
		return nil
	}
	t, why := r.findTree(d.tree)
	if t == nil {
		if why != "" {
			f.fail(why)
		}
		return nil
	}
	switch l, known := t.Layer(layer); {
	case layer != "" && !known:
		name.fail("unknown tier name")
		return nil
	case layer != "":
		tier = l.Tier
	case !isNumber: // no bound but a real domain
		tier = t.RootTier() - 1
	}
	return []gang.Rule{{Layer: strconv.Itoa(tier), Strategy: gang.MustGather}}
}

// subGroupPolicy makes groups of the pods that it matches.
type subGroupPolicy struct {
	selector    labelSelector
	keys        []string
	size, least int
	rules       []gang.Rule
}

func (r *reader) readVolcanoPodGroup(o *object) {
	d := r.podGroup(o)
	r.volcanoTree(d)
	spec := o.root.sub("spec")
	d.gather = r.networkTopology(d, spec.sub("networkTopology"))
	var policies []subGroupPolicy
	names := map[string]bool{}
	for f := range spec.get("subGroupPolicy").all() {
		f = f.object()
		if name := f.get("name").str(); name != "" && names[name] {
			f.get("name").fail("duplicate subgroup")
		} else {
			names[name] = true
		}
		p := subGroupPolicy{
			selector: readLabelSelector(f.sub("labelSelector")), keys: f.get("matchLabelKeys").texts(),
			rules: r.networkTopology(d, f.sub("networkTopology")), size: 1,
		}
		if n, ok := f.get("subGroupSize").whole(1); ok {
			p.size = n
		}
		p.least, _ = f.get("minSubGroups").whole(0)
		policies = append(policies, p)
	}
	if len(policies) > 0 {
		d.arrange = func(d *draft, members []*member) part { return arrangeSubGroups(d, policies, members) }
	}
}

// matches says whether the policy takes the pod, and the values that tell its group.
func (p *subGroupPolicy) matches(m *member) (values []string, ok bool) {
	if !p.selector.matches(m.labels) {
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

// arrangeSubGroups gives each pod to the first policy that matches. Groups come in the order of policies and label
// values.
func arrangeSubGroups(d *draft, policies []subGroupPolicy, members []*member) part {
	var groups []*subGroup
	for _, m := range members {
		g := findSubGroup(policies, m, &groups)
		if g == nil {
			d.missing = wantsRoles // a pod of no group beside groups
			continue
		}
		g.part.members = append(g.part.members, m)
	}
	slices.SortFunc(groups, func(a, b *subGroup) int {
		return cmp.Or(cmp.Compare(a.policy, b.policy), muster.ComparePaths(a.values, b.values))
	})
	whole := part{needParts: -1}
	for _, p := range policies {
		whole.need += p.least * p.size
		if p.least > 0 && len(policies) > 1 && d.missing == "" {
			d.missing = wantsMinGroups // a minimum for some of the groups
		}
	}
	for _, g := range groups {
		whole.parts = append(whole.parts, g.part)
	}
	return whole
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
		g := &subGroup{policy: i, values: values, part: part{rules: policies[i].rules, need: policies[i].size}}
		*groups = append(*groups, g)
		return g
	}
	return nil
}

// task is a role of a Volcano Job; size is that of its partitions, 0 if it has none.
type task struct {
	name        string
	size, least int
	rules       []gang.Rule
}

// readVolcanoJob reads a Job of Volcano. A task may be cut into partitions of consecutive replicas.
func (r *reader) readVolcanoJob(o *object) {
	switch o.root.sub("status").sub("state").get("phase").str() {
	case "Completed", "Failed", "Terminated", "Aborted":
		return
	}
	d := r.declare(o)
	r.volcanoTree(d)
	spec := o.root.sub("spec")
	d.min, _ = spec.get("minAvailable").whole(0)
	d.gather = r.networkTopology(d, spec.sub("networkTopology"))
	var tasks []task
	for f := range spec.get("tasks").all() {
		f = f.object()
		t := task{name: f.get("name").str()}
		if t.name == "" {
			t.name = "default" + strconv.Itoa(len(tasks))
		}
		if slices.ContainsFunc(tasks, func(other task) bool { return other.name == t.name }) {
			f.get("name").fail("duplicate name")
			continue
		}
		n := f.get("replicas").size(1)
		if p := f.sub("partitionPolicy"); p.present() {
			r.readPartitions(d, p, &t)
		}
		pod := r.readPodSpec(f.sub("template"))
		if policy, ok := oneOf(f.get("topologyPolicy"), "policy", kubeletPolicies); ok {
			pod.shape.NUMA.Policy = policy // the job's controller writes it into the annotation of the pods
		}
		members := promise(o.name+"-"+t.name, n, len(d.promised), pod)
		for _, m := range members {
			m.role = t.name
		}
		d.promised = append(d.promised, members...)
		tasks = append(tasks, t)
	}
	d.arrange = func(d *draft, members []*member) part { return arrangeTasks(d, tasks, members) }
}

func (r *reader) readPartitions(d *draft, p field, t *task) {
	size := p.get("partitionSize")
	if !size.present() {
		size.fail("missing")
	}
	t.size, _ = size.whole(1)
	total, isTotal := p.get("totalPartitions").whole(0)
	least := p.get("minPartitions")
	if t.least, _ = least.whole(0); isTotal && t.least > total {
		least.fail("above totalPartitions")
	}
	t.rules = r.networkTopology(d, p.sub("networkTopology"))
}

// arrangeTasks makes the partitions groups. The members of a single task are cut; those of several tasks must all be in
// partitions.
func arrangeTasks(d *draft, tasks []task, members []*member) part {
	if !slices.ContainsFunc(tasks, func(t task) bool { return t.size > 0 }) {
		return part{members: members}
	}
	if t := tasks[0]; len(tasks) == 1 {
		if d.min > 0 {
			d.min = max(d.min, t.least*t.size)
		}
		return part{members: members, cut: fit([]gang.Groups{{Size: t.size, Gather: t.rules}}, len(members))}
	}
	byRole := map[string][]*member{}
	for _, m := range members {
		role := m.role
		if m.obj != nil {
			role = m.labels["volcano.sh/task-spec"]
		}
		byRole[role] = append(byRole[role], m)
	}
	whole := part{needParts: -1}
	for _, t := range tasks {
		if t.size == 0 {
			d.missing = wantsRoles // members of no partition beside partitions
			return part{members: members}
		}
		if t.least > 0 {
			d.missing = wantsMinGroups
		}
		for chunk := range slices.Chunk(byRole[t.name], t.size) {
			whole.parts = append(whole.parts, part{members: chunk, rules: t.rules})
		}
	}
	return whole
}
