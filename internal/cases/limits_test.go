package cases

import "fmt"

// exclusive draws an owner whose gangs, or groups, want their domains for themselves, some of them with pods of which some run.
func (f *files) exclusive(name string) {
	key := func() string { return pick(f.T, "rack", "block", "kubernetes.io/hostname") }
	size, replicas := f.number(1, 4), f.number(1, 2)
	spec := func() fields {
		return fields{"containers": []any{fields{"resources": fields{"requests": fields{"gpu": pick(f.T, 1, 1, 2)}}}}}
	}
	notes := fields{}
	if f.rarely(2) {
		const prefix = "jobset.sigs.k8s.io/"
		var jobs []any
		for r := range f.number(1, 2) {
			role := fmt.Sprint("r", r)
			jobs = append(jobs, fields{"name": role, "replicas": replicas, "template": fields{"spec": fields{
				"parallelism": size, "completions": size, "template": fields{"spec": spec()},
			}}})
			for child := range replicas {
				for i := range size {
					f.ownedPod(fmt.Sprint(name, "-", role, "-", child, "-", i), fields{
						prefix + "jobset-name": name, prefix + "replicatedjob-name": role, prefix + "job-index": fmt.Sprint(child),
					}, fields{"batch.kubernetes.io/job-completion-index": fmt.Sprint(i)})
				}
			}
		}
		notes["alpha.jobset.sigs.k8s.io/exclusive-topology"] = key()
		f.add("jobset.x-k8s.io/v1alpha2", "JobSet", name, nil, fields{"replicatedJobs": jobs})["metadata"].(fields)["annotations"] = notes
		return
	}
	const prefix = "leaderworkerset.sigs.k8s.io/"
	template := fields{"size": size, "workerTemplate": fields{"spec": spec()}}
	if f.rarely(3) {
		template["leaderTemplate"] = fields{"spec": spec()}
	}
	if f.rarely(2) {
		template["subGroupPolicy"] = fields{"subGroupSize": f.number(1, size), "subGroupPolicyType": pick(f.T, "LeaderWorker", "LeaderExcluded")}
		notes[prefix+"subgroup-exclusive-topology"] = key()
	}
	if f.rarely(2) {
		notes[prefix+"exclusive-topology"] = key()
	}
	for group := range replicas {
		for i := range size {
			pod := fmt.Sprint(name, "-", group)
			if i > 0 {
				pod += fmt.Sprint("-", i)
			}
			f.ownedPod(pod, fields{prefix + "name": name, prefix + "group-index": fmt.Sprint(group), prefix + "worker-index": fmt.Sprint(i)}, nil)
		}
	}
	f.add("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, nil, fields{"replicas": replicas, "leaderWorkerTemplate": template})["metadata"].(fields)["annotations"] = notes
}

// ownedPod draws a pod of an owner, most of the time none.
func (f *files) ownedPod(name string, labels, notes fields) {
	if f.rarely(3) {
		f.pod(name, labels, pick(f.T, 1, 1, 2), f.rarely(2))
		f.objects[len(f.objects)-1].(fields)["metadata"].(fields)["annotations"] = notes
	}
}

// daemon draws a pod of a daemon.
func (f *files) daemon(name string) {
	f.pod(name, nil, 1, f.rarely(2))
	f.objects[len(f.objects)-1].(fields)["metadata"].(fields)["ownerReferences"] = []any{fields{"kind": "DaemonSet", "name": name, "controller": true}}
}

// keepApart gives the last pods, which are a gang, an anti-affinity to each other, or to others too.
func (f *files) keepApart(gang string, pods int) {
	selector := pick(f.T, fields{"pod-group.scheduling.sigs.k8s.io": gang}, fields{"pod-group.scheduling.sigs.k8s.io": gang}, fields{"app": "1"})
	term := fields{"topologyKey": pick(f.T, "rack", "block", "kubernetes.io/hostname"), "labelSelector": fields{"matchLabels": selector}}
	for _, p := range f.objects[len(f.objects)-pods:] {
		spec := p.(fields)["spec"].(fields)
		spec["affinity"] = fields{"podAntiAffinity": fields{"requiredDuringSchedulingIgnoredDuringExecution": []any{term}}}
	}
}
