// Package ignored answers: which hard rules of a pod are known, and kept by no plan?
package ignored

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// localVolumes say nothing about which node a pod can use.
var localVolumes = []string{"configMap", "secret", "emptyDir", "downwardAPI", "projected", "hostPath", "image"}

// admissionGates are scheduling gates of those who admit gangs: they open before anybody is placed.
var admissionGates = []string{
	"kueue.x-k8s.io/admission", "kueue.x-k8s.io/topology", "kueue.x-k8s.io/elastic-job",
	"grove.io/podgang-pending-creation", "scheduling.volcano.sh/queue-allocation-gate",
}

// notes are annotations with rules about devices and reservations, by what they are counted as.
var notes = []struct{ key, rule string }{
	{prefix + "device-joint-allocate", "deviceJointAllocate"},
	{prefix + "device-allocate-hint", "deviceAllocateHint"},
	{prefix + "gpu-partition-spec", "gpuPartition"},
	{prefix + "reservation-affinity", "reservation"},
	{prefix + "exact-match-reservation", "reservation"},
	{"volcano.sh/hypernode-affinity", "hyperNodeAffinity"},
	{HyperJobName, HyperJob},
	{"volcano.sh/vgpu-use-gpuuuid", GPUShare},
	{"volcano.sh/vgpu-nouse-gpuuuid", GPUShare},
	{"gpu-fraction", GPUShare},
	{"gpu-memory", GPUShare},
	{"gpu-fraction-num-devices", GPUShare},
}

// HyperJob is counted where a member belongs to a job that Volcano divides among clusters, and HyperJobName is the key that says so.
const (
	HyperJob     = "hyperJob"
	HyperJobName = "volcano.sh/hyperjob-name"
)

// GPUShare is a part of a device, which running pods may have too.
const GPUShare = "gpuShare"

// PodAffinity is counted where a pod has to be near others, but for what package apart takes out.
const PodAffinity = "podAffinity"

// PodAntiAffinity is counted where a pod keeps away from others, or others from it. Package apart says when that is a limit of its gang.
const PodAntiAffinity = "podAntiAffinity"

// prefix begins the keys of Koordinator about one pod.
const prefix = "scheduling.koordinator.sh/"

// shares are resources that are parts of a device: their sum over a node says nothing of what one device has left.
var shares = strings.Fields(`koordinator.sh/gpu-core koordinator.sh/gpu-memory koordinator.sh/gpu-memory-ratio koordinator.sh/gpu.shared
	nvidia.com/gpumem nvidia.com/gpumem-percentage nvidia.com/gpucores amd.com/gpumem amd.com/gpucores
	cambricon.com/mlu.smlu.vcore cambricon.com/mlu.smlu.vmemory hygon.com/dcumem hygon.com/dcucores iluvatar.ai/vcuda-core iluvatar.ai/vcuda-memory
	mthreads.com/sgpu-core mthreads.com/sgpu-memory metax-tech.com/vcore metax-tech.com/vmemory enflame.com/vgcu-percentage kunlunxin.com/vxpu-memory`)

// IsShare says whether a resource is a part of a device.
func IsShare(resource string) bool {
	return slices.Contains(shares, resource) || strings.HasPrefix(resource, "volcano.sh/vgpu-") ||
		strings.HasPrefix(resource, "huawei.com/Ascend") && strings.HasSuffix(resource, "-memory")
}

// Notes names the rules that annotations state.
func Notes() (rules []string) {
	for _, n := range notes {
		rules = append(rules, n.rule)
	}
	return rules
}

// Rules has the hard rules of a pod or template that are not modelled, by their names, but for affinities to other pods, which package apart reads.
func Rules(spec, meta object.Field) map[string]int {
	found := map[string]int{}
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
	for _, n := range notes {
		if object.Stated(meta, n.key).Present() {
			found[n.rule] = 1
		}
	}
	return found
}

// WaitsForTopology says whether a pod waits for nothing but Kueue's word where it goes, which an admission has said.
func WaitsForTopology(spec object.Field) bool {
	topology := false
	for gate := range spec.Get("schedulingGates").All() {
		if topology = gate.Mapping().Get("name").Text() == "kueue.x-k8s.io/topology"; !topology {
			return false
		}
	}
	return topology
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

// OfWorkload names the rules of a Workload that are not modelled.
func OfWorkload(o *object.Object) (lost []string) {
	if o.Annotation("kueue.x-k8s.io/workload-allowed-resource-flavors").Present() {
		lost = append(lost, "resourceFlavors")
	}
	for range o.Root.Sub("spec").Get("preemptionGates").All() {
		return append(lost, "preemptionGates")
	}
	return lost
}
