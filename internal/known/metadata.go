package known

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// Map says which of the two maps of an object's metadata a key stands in.
type Map string

// The maps.
const (
	Label      Map = "label"
	Annotation Map = "annotation"
)

// Place says whose metadata it is.
type Place uint8

// The places.
const (
	OnObject   Place = iota // a gang's object, an owner or a quota
	OnPod                   // of its own
	OnTemplate              // of pods
	OnLeader                // of a LeaderWorkerSet, which is an owner whose workers are the template
	OnRole                  // of a part of an owner that rules of its own bind: a job of a JobSet, a role of a RayCluster
)

// prefix has the keys under a domain, by where they are read. The harmless ones have no part in a plan, wherever they
// stand.
type prefix struct {
	labels, annotations, both, harmless string
	harmlessFrom                        string // keys that begin so are harmless; empty: none
}

// prefixes are those of the systems that are read, by domain. The harmless keys are the constants of the projects.
var prefixes = map[string]prefix{
	"gang.scheduling.koordinator.sh": {
		annotations: `name network-topology-spec networkTopologyAware network-topology-index network-topology-selector mode
			match-policy waiting-time groups`,
		both: "min-available total-number", harmless: "timeout",
	},
	"pod-group.scheduling.sigs.k8s.io": {labels: "name min-available", annotations: "match-policy"},
	"pod-group":                        {labels: "name", both: "min-available"},
	"scheduling.x-k8s.io":              {labels: "pod-group"},
	"scheduling.k8s.io":                {annotations: "group-name"},
	"quota.scheduling.koordinator.sh": {
		labels:      "name parent is-parent allow-lent-resource preemptible can-preempt can-preempible",
		annotations: "shared-weight guaranteed namespaces",
		harmless: `tree-id profile is-root runtime request child-request resource-keys total-resource unschedulable-resource
			allocated admission allow-force-update ignore-default-tree non-preemptible-request non-preemptible-used
			max-strict-check-resource-keys`,
		harmlessFrom: "custom-", // limits and uses of limiters of one's own
	},
	"scheduling.koordinator.sh":          koordinatorScheduling,
	"internal.scheduling.koordinator.sh": koordinatorScheduling,
	"kueue.x-k8s.io": {
		labels: "queue-name priority-class pod-group-name podset",
		annotations: `podset-required-topology podset-preferred-topology podset-unconstrained-topology
			podset-slice-required-topology podset-slice-size podset-slice-required-topology-constraints podset-group-name
			workload priority-boost pod-group-total-count job-min-parallelism workload-allowed-resource-flavors`,
		both: "pod-group-pod-index role-hash",
		harmless: `managed job-uid elastic-job pod-group-fast-admission pod-group-serving retriable-in-group
			prebuilt-workload-name multikueue-origin pod-group-pod-index-label tas workload-slice-name
			workload-slice-replacement-for pod-suspending-parent cannot-use-multikueue
			job-completions-equal-parallelism local-queue-name cluster-queue-name parent-workload original-node-selectors
			original-pod-sets-info max-exec-time-seconds safe-to-forcefully-terminate job-owner-gvk job-owner-name
			component-workload-index pod-index-offset workload-preemptible-slice is-group-workload multikueue-origin-uid
			multikueue-worker-workload-pod`,
	},
	"volcano.sh": {
		labels: "task-index job-name", both: "task-spec partition-id preemptable",
		annotations: `numa-topology-policy task-topology task-topology-affinity task-topology-anti-affinity`,
		harmless: `task-instance job-namespace job-version job-type job-retry-count template-uid queue-name sla-waiting-time
			cooldown-time revocable-zone jdb-min-available jdb-max-unavailable qos-level task-priority hierarchy
			hierarchy-weights topology-decision group-min-resources numatopo-info createdByJobTemplate createdByJobFlow
			createdByCronJob vgpu-node vgpu-time vgpu-ids-new vgpu-ids-to-allocate bind-phase bind-time vgpu-mode node-ip`,
	},
	"scheduling.volcano.sh": {
		annotations: "group-name group-min-member queue-name",
		harmless:    "group-min-resources queue-allocation-gate",
	},
	"kai.scheduler": {
		labels: "queue preemptibility subgroup-name",
		annotations: `topology topology-required-placement topology-preferred-placement segment-size
			segment-topology-required-placement segment-topology-preferred-placement batch-min-member`,
		harmless: `node-pool preemption-delay staleness-grace-period task-priority top-owner-metadata skip-podgrouper
			last-start-timestamp last-eviction-timestamp stale-podgroup-timestamp accounting numa-placement-policy
			numa-placement-predicted numa-placement-observed numa-memory-groups-predicted numa-memory-groups-observed
			start-time-timestamp ignore-workload-api`,
	},
	"leaderworkerset.sigs.k8s.io": {
		labels:      "name group-index worker-index",
		annotations: "size exclusive-topology subgroup-exclusive-topology",
		harmless: `group-key subgroup-index subgroup-size subgroup-key subgroup-policy-type leader-name replicas
			template-revision-hash subdomainPolicy experimental-recreate-group-after-start resize-policy
			in-place-restart-state handled-restart-counts desired-restart-generation barrier-open`,
	},
	"jobset.sigs.k8s.io": {
		labels: "jobset-name replicatedjob-name job-index",
		harmless: `jobset-uid replicatedjob-replicas job-global-index job-key job-group-index global-replicas group-name
			group-replicas restart-attempt coordinator in-place-restart-attempt disable-in-place-restart startup-policy`,
	},
	"alpha.jobset.sigs.k8s.io": {
		annotations: "exclusive-topology",
		both:        "node-selector",
		harmless:    "namespaced-job no-schedule",
	},
}

// Prefix has the keys under a domain, each list in natural order. HarmlessFrom is how more harmless ones begin, empty: none.
type Prefix struct {
	Domain                              string
	Labels, Annotations, Both, Harmless []string
	HarmlessFrom                        string
}

// Prefixes lists the domains whose keys must be known, in natural order. O(keys).
func Prefixes() (all []Prefix) {
	list := func(names string) []string { return slices.SortedFunc(strings.FieldsSeq(names), muster.CompareNatural) }
	for _, domain := range slices.SortedFunc(maps.Keys(prefixes), muster.CompareNatural) {
		p := prefixes[domain]
		all = append(all, Prefix{domain, list(p.labels), list(p.annotations), list(p.both), list(p.harmless), p.harmlessFrom})
	}
	return all
}

var koordinatorScheduling = prefix{
	labels: "preemption-policy disable-preemptible",
	annotations: `numa-topology-spec resource-spec resource-status network-topology-selector device-joint-allocate
		device-allocate-hint gpu-partition-spec reservation-affinity exact-match-reservation`,
	harmless: `usage-thresholds device-allocated reservation-order reservation-allocated reservation-ignored
		reservation-restricted-options bind-gang-group-id bind-gang-member-count scheduler-name eviction-cost soft-eviction
		scheduling-hint operating-mode schedule-after extended-resource-spec gpu-partitions
		current-owner workload-type priority load-estimated-scaling-factors load-estimated-seconds-after-pod-scheduled
		load-estimated-seconds-after-initialized reservation-owners reservation-current-owner reservation-node
		reservation-resize-allocatable reserve-pod is-pre-allocation original-scheduler-name sandbox sandbox-template-hash
		sandbox-pipeline sandbox-scheduling-hint sandbox-warmpool-ref questioned-object-key topology-key-to-explain`,
}

// HardRules are the annotations with hard rules of gangs.
var HardRules = []string{
	"kai.scheduler/topology-required-placement", "kai.scheduler/segment-topology-required-placement",
	"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-required-topology-constraints",
	"gang.scheduling.koordinator.sh/network-topology-spec", "gang.scheduling.koordinator.sh/networkTopologyAware",
	"leaderworkerset.sigs.k8s.io/exclusive-topology", "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
	"alpha.jobset.sigs.k8s.io/exclusive-topology",
}

// elsewhere has keys that are read at some places alone, with these and their name in words.
var elsewhere = []struct {
	prefix string
	at     []Place
	words  string
}{
	{"kueue.x-k8s.io/podset-", []Place{OnPod, OnTemplate, OnRole}, "the pod template"},
	{"kai.scheduler/segment-", []Place{OnPod, OnTemplate, OnRole, OnLeader}, "the pod template"},
	{"kai.scheduler/topology", []Place{OnObject, OnPod, OnRole, OnLeader}, "the owner itself"},
	{"kai.scheduler/batch-min-member", []Place{OnObject, OnPod, OnRole, OnLeader}, "the owner itself"},
}

// where is in which maps a key is known.
type where struct{ label, annotation bool }

// index has the keys of each prefix.
var index = indexOf(prefixes)

func indexOf(all map[string]prefix) map[string]map[string]where {
	out := map[string]map[string]where{}
	for domain, p := range all {
		out[domain] = map[string]where{}
		for names, at := range map[string]where{
			p.labels: {label: true}, p.annotations: {annotation: true}, p.both + " " + p.harmless: {label: true, annotation: true},
		} {
			for name := range strings.FieldsSeq(names) {
				out[domain][name] = at
			}
		}
	}
	return out
}

// Objection says what is wrong with a key of the metadata of an object; empty: nothing is, or the key is of nobody's prefix.
// O(1), and O(keys of the prefix) for an objection.
func Objection(key string, in Map, at Place) string {
	domain, name, found := strings.Cut(key, "/")
	p, ours := prefixes[domain]
	if !ours || !found || p.harmlessFrom != "" && strings.HasPrefix(name, p.harmlessFrom) {
		return ""
	}
	switch known, ok := index[domain][name]; {
	case !ok:
		return "unknown " + string(in) + ", did you mean " + domain + "/" + Nearest(name, slices.Collect(maps.Keys(index[domain]))) + "?"
	case in == Label && !known.label:
		return "is read from annotations"
	case in == Annotation && !known.annotation:
		return "is read from labels"
	}
	for _, e := range elsewhere {
		if strings.HasPrefix(key, e.prefix) && !slices.Contains(e.at, at) {
			return "is read from " + e.words
		}
	}
	return ""
}
