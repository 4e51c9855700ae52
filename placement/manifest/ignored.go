package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Hard rules that are known and not modelled, counted once a waiting pod each.

// localVolumes say nothing about which node a pod can use.
var localVolumes = []string{"configMap", "secret", "emptyDir", "downwardAPI", "projected", "hostPath", "image"}

// admissionGates are scheduling gates of those who admit gangs: they open before anybody is placed.
var admissionGates = []string{
	"kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology", "kueue.x-k8s.io/elastic-job",
	"grove.io/podgang-pending-creation", "scheduling.volcano.sh/queue-allocation-gate",
}

// ignoredNotes are annotations with rules about devices and reservations, by what they are counted as.
var ignoredNotes = []struct{ key, rule string }{
	{schedulingPrefix + "device-joint-allocate", "deviceJointAllocate"},
	{schedulingPrefix + "device-allocate-hint", "deviceAllocateHint"},
	{schedulingPrefix + "gpu-partition-spec", "gpuPartition"},
	{schedulingPrefix + "reservation-affinity", "reservation"},
	{schedulingPrefix + "exact-match-reservation", "reservation"},
	{"gpu-fraction", gpuShare},
	{"gpu-memory", gpuShare},
	{"gpu-fraction-num-devices", gpuShare},
}

// gpuShare is a part of a device, which running pods may have too.
const gpuShare = "gpuShare"

// ignoredRules counts the hard rules of a pod or template that are not modelled.
func ignoredRules(spec, notes object.Field) map[string]int {
	found := map[string]int{}
	const hard = "requiredDuringSchedulingIgnoredDuringExecution"
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for range spec.Sub("affinity").Sub(kind).Get(hard).All() {
			found[kind] = 1
		}
	}
	for c := range spec.Get("containers").All() {
		for port := range c.Mapping().Get("ports").All() {
			if n, ok := port.Mapping().Get("hostPort").Whole(0); ok && n > 0 {
				found["hostPorts"] = 1
			}
		}
	}
	for s := range spec.Get("topologySpreadConstraints").All() {
		if when := s.Mapping().Get("whenUnsatisfiable").Text(); when == "DoNotSchedule" || when == "" {
			found["topologySpread"] = 1
		}
	}
	for v := range spec.Get("volumes").All() {
		if isBound(v.Mapping()) {
			found["volumes"] = 1
		}
	}
	for range spec.Get("resourceClaims").All() {
		found["resourceClaims"] = 1
	}
	for gate := range spec.Get("schedulingGates").All() {
		if !slices.Contains(admissionGates, gate.Mapping().Get("name").Text()) {
			found["schedulingGates"] = 1
		}
	}
	for _, n := range ignoredNotes {
		if notes.Get(n.key).Present() {
			found[n.rule] = 1
		}
	}
	return found
}

// isBound says whether a volume may bind its pod to some nodes.
func isBound(volume object.Field) bool {
	for source, e := range volume.Entries() {
		if source != "name" && e.Present() && !slices.Contains(localVolumes, source) {
			return true
		}
	}
	return false
}

// kueueQueue is the name of the LocalQueue that an object names, empty if it names none.
func kueueQueue(o *object.Object) string {
	if o.Kind == "Workload" {
		return o.Root.Sub("spec").Get("queueName").Text()
	}
	return o.Labels["kueue.x-k8s.io/queue-name"]
}

// lostOfWorkload names the rules of a Workload that are not modelled.
func lostOfWorkload(o *object.Object) (lost []string) {
	if o.Annotation("kueue.x-k8s.io/workload-allowed-resource-flavors").Present() {
		lost = append(lost, "resourceFlavors")
	}
	for range o.Root.Sub("spec").Get("preemptionGates").All() {
		return append(lost, "preemptionGates")
	}
	return lost
}
