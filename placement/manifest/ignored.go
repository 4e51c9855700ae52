package manifest

import (
	"slices"
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
func ignoredRules(spec, notes field) map[string]int {
	found := map[string]int{}
	const hard = "requiredDuringSchedulingIgnoredDuringExecution"
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for range spec.sub("affinity").sub(kind).get(hard).all() {
			found[kind] = 1
		}
	}
	for c := range spec.get("containers").all() {
		for port := range c.object().get("ports").all() {
			if n, ok := port.object().get("hostPort").whole(0); ok && n > 0 {
				found["hostPorts"] = 1
			}
		}
	}
	for s := range spec.get("topologySpreadConstraints").all() {
		if when := s.object().get("whenUnsatisfiable").str(); when == "DoNotSchedule" || when == "" {
			found["topologySpread"] = 1
		}
	}
	for v := range spec.get("volumes").all() {
		if isBound(v.object()) {
			found["volumes"] = 1
		}
	}
	for range spec.get("resourceClaims").all() {
		found["resourceClaims"] = 1
	}
	for gate := range spec.get("schedulingGates").all() {
		if !slices.Contains(admissionGates, gate.object().get("name").str()) {
			found["schedulingGates"] = 1
		}
	}
	for _, n := range ignoredNotes {
		if notes.get(n.key).present() {
			found[n.rule] = 1
		}
	}
	return found
}

// isBound says whether a volume may bind its pod to some nodes.
func isBound(volume field) bool {
	for source, e := range volume.entries() {
		if source != "name" && e.present() && !slices.Contains(localVolumes, source) {
			return true
		}
	}
	return false
}

// kueueQueue is the name of the LocalQueue that an object names, empty if it names none.
func kueueQueue(o *object) string {
	if o.kind == "Workload" {
		return o.root.sub("spec").get("queueName").str()
	}
	return o.labels["kueue.x-k8s.io/queue-name"]
}

// lostOfWorkload names the rules of a Workload that are not modelled.
func lostOfWorkload(o *object) (lost []string) {
	if o.annotation("kueue.x-k8s.io/workload-allowed-resource-flavors").present() {
		lost = append(lost, "resourceFlavors")
	}
	for range o.root.sub("spec").get("preemptionGates").all() {
		return append(lost, "preemptionGates")
	}
	return lost
}
