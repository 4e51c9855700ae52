package owners

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
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
	specs := replicaSpecs(spec)
	waits := spec.Get("launcherCreationPolicy").text() == "WaitForWorkersReady"
	if waits { // the launcher comes last, and nobody needs it before
		slices.SortStableFunc(specs, func(a, b replicaSpec) int { return cmp.Compare(isLauncher(a), isLauncher(b)) })
	}
	for _, s := range specs {
		n := r.whole(s.at.Get("replicas"), 1)
		role := Role{Name: strings.ToLower(s.role), Template: s.at.Get("template")}
		role.Members = numbered(r.name+"-"+role.Name, n)
		role.Later = waits && s.role == launcher
		role.Spare = role.Later
		if s.role == "Master" {
			masters = n
		}
		g.Roles = append(g.Roles, role)
	}
	if least := spec.Get("elasticPolicy").Get("minReplicas"); g.Least == 0 && least.Present() {
		g.Least = r.whole(least, 0) + masters
	}
	return []Gang{g}
}

// launcher is the role of an MPIJob that starts what its workers run.
const launcher = "Launcher"

// isLauncher is 1 for the launcher.
func isLauncher(s replicaSpec) int {
	if s.role == launcher {
		return 1
	}
	return 0
}

// replicaSpec is a role of a job as its key says, and what stands there.
type replicaSpec struct {
	role string
	at   At
}

// replicaSpecs are the roles of a job in rank order.
func replicaSpecs(spec At) []replicaSpec {
	var out []replicaSpec
	if spec.Value == nil || spec.Value.Kind != document.Mapping {
		return nil
	}
	place := func(s replicaSpec) int {
		if at := slices.Index(roleOrder, s.role); at >= 0 {
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
				out = append(out, replicaSpec{role, of.Get(role)})
			}
		}
	}
	slices.SortFunc(out, func(a, b replicaSpec) int {
		return cmp.Or(place(a)-place(b), muster.CompareNatural(a.at.Path, b.at.Path))
	})
	return out
}
