package apart

// The annotations by which owners, and the pods that controllers make of them, say that a group is alone in a domain.
const (
	ExclusiveGroups    = "leaderworkerset.sigs.k8s.io/exclusive-topology"
	ExclusiveSubgroups = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
	ExclusiveJobs      = "alpha.jobset.sigs.k8s.io/exclusive-topology"
)

// Exclusive lists those by which a pod has a domain for itself. The leader of a group is in no subgroup where those leave it out.
func Exclusive(notes, labels map[string]string) (keys []string) {
	without := notes["leaderworkerset.sigs.k8s.io/subgroup-policy-type"] == "LeaderExcluded" && labels["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
	for _, key := range []string{ExclusiveGroups, ExclusiveSubgroups, ExclusiveJobs} {
		if notes[key] != "" && !(key == ExclusiveSubgroups && without) {
			keys = append(keys, key)
		}
	}
	return keys
}
