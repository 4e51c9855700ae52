package known

// Keys of KAI.

var kaiKeys = []Key{
	{"kai.scheduler/topology", Annotations, Layer, "users"},
	{"kai.scheduler/topology-required-placement", Annotations, Layer, "users"},
	{"kai.scheduler/topology-preferred-placement", Annotations, Layer, "users"},
	{"kai.scheduler/segment-size", Annotations, Layer, "users"},
	{"kai.scheduler/segment-topology-required-placement", Annotations, Layer, "users"},
	{"kai.scheduler/segment-topology-preferred-placement", Annotations, Layer, "users"},
	{"kai.scheduler/batch-min-member", Annotations, Minimum, "users"},
	{"kai.scheduler/subgroup-name", Labels, Group, "the pod grouper"},
	{"pod-group-name", Annotations, Group, "the pod grouper"},
	{"kai.scheduler/preemptibility", Labels, Preemption, "users"},
	{"kai.scheduler/queue", Labels, Quota, "users"},
	{"priorityClassName", Labels, Order, "users"},
	{"gpu-fraction", Either, Counted, "users"},
	{"gpu-memory", Either, Counted, "users"},
	{"gpu-fraction-num-devices", Either, Counted, "users"},
	{"kai.scheduler/node-pool", Either, Own, "users"},
	{"kai.scheduler/preemption-delay", Either, Own, "users"},
	{"kai.scheduler/staleness-grace-period", Either, Own, "users"},
	{"kai.scheduler/task-priority", Either, Own, "users"},
	{"kai.scheduler/skip-podgrouper", Either, Own, "users"},
	{"kai.scheduler/ignore-workload-api", Either, Own, "users"},
	{"kai.scheduler/top-owner-metadata", Either, Own, "the scheduler"},
	{"kai.scheduler/last-start-timestamp", Either, Own, "the scheduler"},
	{"kai.scheduler/last-eviction-timestamp", Either, Own, "the scheduler"},
	{"kai.scheduler/stale-podgroup-timestamp", Either, Own, "the scheduler"},
	{"kai.scheduler/accounting", Either, Own, "the scheduler"},
	{"kai.scheduler/start-time-timestamp", Either, Own, "the scheduler"},
}
