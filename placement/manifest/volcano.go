package manifest

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
	"github.com/muster-sched/muster/placement/manifest/internal/tasks"
)

func (r *reader) readVolcanoPodGroup(o *object.Object) {
	d := r.gangs.podGroup(o)
	r.rules.volcanoTree(d)
	spec := o.Root.Sub("spec")
	d.gather = r.rules.networkTopology(d, spec.Sub("networkTopology"))
	var policies []tasks.Policy
	names := map[string]bool{}
	for f := range spec.Get("subGroupPolicy").All() {
		f = f.Mapping()
		name := f.Get("name").Text()
		if name != "" && names[name] {
			f.Get("name").Fail("duplicate subgroup")
		}
		names[name] = true
		p := tasks.Policy{
			Name: cmp.Or(name, "policy-"+strconv.Itoa(len(policies))), Selector: selectors.ReadLabels(f.Sub("labelSelector")), Keys: f.Get("matchLabelKeys").Texts(),
			Rules: r.rules.networkTopology(d, f.Sub("networkTopology")), Size: 1,
		}
		if n, ok := f.Get("subGroupSize").Whole(1); ok {
			p.Size = n
		}
		p.Least, _ = f.Get("minSubGroups").Whole(0)
		policies = append(policies, p)
	}
	least := tasks.Minima(d.min, spec.Get("minTaskMember"))
	switch {
	case len(policies) > 0:
		d.grouped, d.ruled = true, slices.ContainsFunc(policies, func(p tasks.Policy) bool { return len(p.Rules) > 0 })
		d.arrange = func(d *draft, members []*member.Member) member.Part {
			parts, together := d.taskNeeds().Add(d.taskNeeds().SubGroups(policies, members), least)
			if !together {
				spec.Get("minTaskMember").Fail("beside a subGroupPolicy that takes some pods of a task, or others too: cannot be kept together")
			}
			return member.Join(parts)
		}
	case len(least) > 0:
		d.arrange = func(d *draft, members []*member.Member) member.Part { return d.taskNeeds().Arrange(least, members) }
	}
}

// taskNeeds is what the gang needs, for its tasks.
func (d *draft) taskNeeds() tasks.Needs { return tasks.Needs{Members: d.min, Over: d.over.byRole} }

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
	var all []tasks.Task
	for f := range spec.Get("tasks").All() {
		f = f.Mapping()
		t := tasks.Task{Name: f.Get("name").Text()}
		if t.Name == "" {
			t.Name = "default" + strconv.Itoa(len(all))
		}
		if slices.ContainsFunc(all, func(other tasks.Task) bool { return other.Name == t.Name }) {
			f.Get("name").Fail("duplicate name")
			continue
		}
		t.Replicas = f.Get("replicas").Size(1)
		t.Available, _ = f.Get("minAvailable").Whole(0)
		if t.Available > t.Replicas {
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
			members := promise(o.Name+"-"+t.Name, t.Replicas, len(d.promised), pod)
			t.Label(members, pod.Labels.TextMap())
			d.promised = append(d.promised, members...)
		}
		all = append(all, t)
		d.ruled = d.ruled || len(t.Rules) > 0
	}
	if d.min, _ = spec.Get("minAvailable").Whole(0); d.min == 0 {
		d.min = tasks.SumOfMinima(all)
	}
	d.taskNeeds().Bind(all)
	d.arrange = func(d *draft, members []*member.Member) member.Part { return d.taskNeeds().Arrange(all, members) }
}

func (in *rules) readPartitions(d *draft, p object.Field, t *tasks.Task) {
	size := p.Get("partitionSize")
	if !size.Present() {
		size.Fail("missing")
	}
	t.Size, _ = size.Whole(1)
	total, isTotal := p.Get("totalPartitions").Whole(0)
	least := p.Get("minPartitions")
	if t.Least, _ = least.Whole(0); isTotal && t.Least > total {
		least.Fail("above totalPartitions")
	}
	t.Rules = in.networkTopology(d, p.Sub("networkTopology"))
}
