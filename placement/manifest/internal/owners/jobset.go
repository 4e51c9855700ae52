package owners

import (
	"slices"
	"strconv"

	"github.com/muster-sched/muster/internal/document"
)

// jobSet reads a JobSet: replicated jobs in order, each of some child jobs.
func (r *reading) jobSet() []Gang {
	return []Gang{{Name: r.name, Roles: r.replicatedJobs(r.root, nil), Metadata: r.root.Get("metadata")}}
}

// replicatedJobs are the roles of a JobSet. nodes is how many members the role that trains has, where somebody else says so.
func (r *reading) replicatedJobs(set At, nodes func(template At) (n int, ok bool)) []Role {
	var roles []Role
	spec := set.Get("spec")
	inOrder := spec.Get("startupPolicy").Get("startupPolicyOrder").text() == "InOrder"
	for _, job := range spec.Get("replicatedJobs").items() {
		template := job.Get("template")
		inner := template.Get("spec")
		role := Role{Name: job.Get("name").text(), Template: inner.Get("template"), Rules: template.Get("metadata")}
		if slices.ContainsFunc(roles, func(o Role) bool { return o.Name == role.Name }) {
			r.fail(job.Get("name"), "duplicate name")
			continue
		}
		replicas := r.whole(job.Get("replicas"), 1)
		role.Child = r.whole(inner.Get("parallelism"), 1)
		if completions := inner.Get("completions"); completions.Present() {
			role.Child = min(role.Child, r.whole(completions, 1))
		}
		if nodes != nil {
			if n, ok := nodes(template); ok {
				role.Child = n
			}
		}
		if !r.fits(job.Get("replicas"), replicas, role.Child) {
			continue
		}
		follow := isExclusive(set.Get("metadata")) || isExclusive(role.Rules)
		for child := range replicas {
			for i, m := range numbered(r.name+"-"+role.Name+"-"+strconv.Itoa(child), role.Child) {
				role.Members = append(role.Members, Member{m.Name, child, follow && i > 0})
			}
		}
		role.Later = inOrder && len(roles) > 0
		for _, on := range job.Get("dependsOn").items() {
			role.Absent = role.Absent || on.Get("status").text() == "Complete"
			role.Later = role.Later || on.Get("status").text() == "Ready"
		}
		roles = append(roles, role)
	}
	return roles
}

// isExclusive says whether child jobs with this metadata are each alone in a domain: the webhook lets the first pod of each find one, and the
// others be made when it has a node. Where nodes are labeled for each job it does nothing.
func isExclusive(metadata At) bool {
	const prefix = "alpha.jobset.sigs.k8s.io/"
	notes := metadata.Get("annotations")
	return notes.Get(prefix+"exclusive-topology").Present() && !notes.Get(prefix+"node-selector").Present()
}

// ReadTrainJob reads a TrainJob with the object of its runtime. O(members).
func ReadTrainJob(name string, root, runtime At) ([]Gang, []Defect) {
	r := &reading{name: name, root: root}
	trainer, policy := root.Get("spec").Get("trainer"), runtime.Get("spec").Get("podGroupPolicy")
	count := trainer.Get("numNodes")
	if !count.Present() {
		count = runtime.Get("spec").Get("mlPolicy").Get("numNodes")
	}
	const step = "trainer.kubeflow.org/trainjob-ancestor-step"
	trains := func(template At) bool { return template.Get("metadata").Get("labels").Get(step).text() == "trainer" }
	roles := r.replicatedJobs(runtime.Get("spec").Get("template"), func(template At) (int, bool) {
		return r.whole(count, 1), trains(template) && count.Present()
	})
	for i, job := range runtime.Get("spec").Get("template").Get("spec").Get("replicatedJobs").items() {
		if i < len(roles) && trains(job.Get("template")) {
			roles[i].Template = withResources(roles[i].Template, trainer.Get("resourcesPerNode"))
		}
	}
	for i := range roles {
		roles[i].Template = overridden(root.Get("spec"), &roles[i])
	}
	gangs := []Gang{{
		Name: name, Roles: roles, Metadata: runtime.Get("spec").Get("template").Get("metadata"),
		Timeout: policy.Get("coscheduling").Get("scheduleTimeoutSeconds"), Network: policy.Get("volcano").Get("networkTopology"),
	}}
	r.bound(gangs)
	return gangs, r.defects
}

// overridden is the template of a role with the node selector, the tolerations and the affinity that a TrainJob puts in their place, in any
// of the three spellings that its releases have.
func overridden(spec At, role *Role) At {
	template := role.Template
	targets := func(o At) bool {
		jobs := o.Get("targetJobs").items()
		return len(jobs) == 0 || slices.ContainsFunc(jobs, func(job At) bool { return job.Get("name").text() == role.Name })
	}
	for _, o := range spec.Get("podTemplateOverrides").items() {
		if targets(o) {
			template = withPodSpec(template, o.Get("spec"))
		}
	}
	for _, o := range spec.Get("podSpecOverrides").items() {
		if targets(o) {
			template = withPodSpec(template, o)
		}
	}
	for _, patch := range spec.Get("runtimePatches").items() {
		for _, job := range patch.Get("trainingRuntimeSpec").Get("template").Get("spec").Get("replicatedJobs").items() {
			if job.Get("name").text() == role.Name {
				template = withPodSpec(template, job.Get("template").Get("spec").Get("template").Get("spec"))
			}
		}
	}
	return template
}

// withPodSpec is a template with what a patch says of the nodes of its pods: selectors are joined, lists stand in place of others.
func withPodSpec(template, patch At) At {
	spec := template.Get("spec").Value
	if spec == nil || spec.Kind != document.Mapping {
		return template
	}
	for _, key := range []string{"nodeSelector", "tolerations", "affinity"} {
		value := patch.Get(key).Value
		if value == nil {
			continue
		}
		if old := spec.Get(key); key == "nodeSelector" && old != nil && old.Kind == document.Mapping && value.Kind == document.Mapping {
			joined := old
			for i, label := range value.Keys {
				joined = with(joined, label, value.Items[i])
			}
			value = joined
		}
		spec = with(spec, key, value)
	}
	template.Value = with(template.Value, "spec", spec)
	return template
}

// withResources is a template whose container called node, else the first one, asks for other resources. Values are shared,
// those that change are copied.
func withResources(template, resources At) At {
	containers := template.Get("spec").Get("containers").items()
	if !resources.Present() || len(containers) == 0 {
		return template
	}
	at := max(0, slices.IndexFunc(containers, func(c At) bool { return c.Get("name").text() == "node" }))
	list := *template.Get("spec").Get("containers").Value
	list.Items = slices.Clone(list.Items)
	list.Items[slices.Index(list.Items, containers[at].Value)] = with(containers[at].Value, "resources", resources.Value)
	template.Value = with(template.Value, "spec", with(template.Get("spec").Value, "containers", &list))
	return template
}

// with is a mapping with another value for a key.
func with(mapping *document.Value, key string, value *document.Value) *document.Value {
	out := *mapping
	out.Keys, out.Items = slices.Clone(out.Keys), slices.Clone(out.Items)
	if at := slices.Index(out.Keys, key); at >= 0 {
		out.Items[at] = value
		return &out
	}
	out.Keys, out.Items = append(out.Keys, key), append(out.Items, value)
	return &out
}
