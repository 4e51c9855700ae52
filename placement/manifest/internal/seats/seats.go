// Package seats answers: whose member, and which one, does a pod say that it is? Controllers label the pods of an owner.
package seats

import (
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Labels are those by which the pods of an owner tell it, and their place in its gang.
var Labels = []struct {
	Owner, Role, Child, Index string
	Kinds                     string // of owners
}{
	{"jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name", "jobset.sigs.k8s.io/job-index", "", "JobSet TrainJob"},
	{ReplicaOf, "", "", "leaderworkerset.sigs.k8s.io/worker-index", "LeaderWorkerSet"},
	{
		"training.kubeflow.org/job-name", "training.kubeflow.org/replica-type", "", "training.kubeflow.org/replica-index",
		"PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob",
	},
	{"ray.io/cluster", "ray.io/group", "ray.io/worker-group-replica-index", "", "RayCluster RayJob"},
	{"grove.io/podgang", "grove.io/podclique", "", "", "PodGang"},
}

// ReplicaOf is the LeaderWorkerSet of a pod.
const ReplicaOf = "leaderworkerset.sigs.k8s.io/name"

// GroupIndex tells the gang among those of a LeaderWorkerSet.
const GroupIndex = "leaderworkerset.sigs.k8s.io/group-index"

// Of are the role, child and index that a pod's labels tell; below 0: none.
func Of(m *member.Member) (role string, child, index int) {
	child, index = -1, -1
	number := func(label string) int {
		if n, ok := object.Ordinal(m.Said(label)); ok && label != "" {
			return n
		}
		return -1
	}
	for _, by := range Labels {
		if m.Said(by.Owner) == "" {
			continue
		}
		role, child, index = strings.ToLower(m.Said(by.Role)), number(by.Child), number(by.Index)
		switch {
		case by.Kinds == "LeaderWorkerSet" && index == 0:
			role = "leader"
		case by.Kinds == "LeaderWorkerSet" && index > 0:
			role, index = "worker", index-1
		case strings.HasPrefix(by.Owner, "jobset"):
			if role = m.Said(by.Role); m.Indexed {
				index = m.Index
			}
		case m.Said("ray.io/node-type") == "head":
			role, index = "headgroup", 0
		case by.Owner == "ray.io/cluster":
			role = m.Said(by.Role)
		}
		return role, child, index
	}
	return "", child, index
}
