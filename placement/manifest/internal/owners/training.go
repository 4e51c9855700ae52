package owners

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// roleOrder is the order of ranks of the roles that are known; others come after them by name.
var roleOrder = []string{"Chief", "Master", "Launcher", "Scheduler", "Server", "PS", "Worker", "Evaluator"}

// trainingJob reads a job of Kubeflow: `spec.pytorchReplicaSpecs` and the like, one role a key.
func (r *reading) trainingJob() []Gang {
	spec := r.root.Get("spec")
	policy := spec.Get("runPolicy").Get("schedulingPolicy")
	g := Gang{
		Name: r.name, Timeout: policy.Get("scheduleTimeoutSeconds"), Class: policy.Get("priorityClass"), Queue: policy.Get("queue"),
		Least: r.whole(policy.Get("minAvailable"), 0),
	}
	masters := 0
	for _, replicas := range r.replicaSpecs(spec) {
		key := replicas.Path[strings.LastIndex(replicas.Path, ".")+1:]
		n := r.whole(replicas.Get("replicas"), 1)
		role := Role{Name: strings.ToLower(key), Template: replicas.Get("template")}
		role.Members = numbered(r.name+"-"+role.Name, n)
		role.Later = key == "Launcher" && spec.Get("launcherCreationPolicy").text() == "WaitForWorkersReady"
		if key == "Master" {
			masters = n
		}
		g.Roles = append(g.Roles, role)
	}
	if least := spec.Get("elasticPolicy").Get("minReplicas"); g.Least == 0 && least.Present() {
		g.Least = r.whole(least, 0) + masters
	}
	return []Gang{g}
}

// replicaSpecs are the roles of a job in rank order.
func (r *reading) replicaSpecs(spec At) []At {
	var out []At
	if spec.Value == nil || spec.Value.Kind != document.Mapping {
		return nil
	}
	place := func(a At) int {
		key := a.Path[strings.LastIndex(a.Path, ".")+1:]
		if at := slices.Index(roleOrder, key); at >= 0 {
			return at
		}
		return len(roleOrder)
	}
	for _, key := range spec.Value.Keys {
		of := spec.Get(key)
		if !strings.HasSuffix(key, "ReplicaSpecs") || of.Value == nil || of.Value.Kind != document.Mapping {
			continue
		}
		for _, role := range of.Value.Keys {
			if of.Get(role).Present() {
				out = append(out, of.Get(role))
			}
		}
	}
	slices.SortFunc(out, func(a, b At) int {
		if c := place(a) - place(b); c != 0 {
			return c
		}
		return muster.CompareNatural(a.Path, b.Path)
	})
	return out
}
