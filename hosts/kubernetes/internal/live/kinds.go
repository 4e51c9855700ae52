// Package live answers: what of a cluster does Muster read, and what of it may this client see? It asks an API server which of the kinds that
// placement/manifest reads it serves, and lists them page by page. It sends get and list, and no other verb.
package live

// Kind is a kind of object that is read, by the group that serves it and its plural there.
type Kind struct {
	Group, Resource, Kind string
	// Needed kinds are those without which there is no plan.
	Needed bool
}

// Kinds are those of docs/files.md, but for ConfigMaps: few of them hold a topology and many what is nobody's business, so those that do are
// named one by one, see [Reader.ConfigMap].
func Kinds() []Kind {
	return []Kind{
		{Group: "", Resource: "nodes", Kind: "Node", Needed: true},
		{Group: "", Resource: "pods", Kind: "Pod", Needed: true},
		{Group: "batch", Resource: "jobs", Kind: "Job"},
		{Group: "batch.volcano.sh", Resource: "jobs", Kind: "Job"},
		{Group: "jobset.x-k8s.io", Resource: "jobsets", Kind: "JobSet"},
		{Group: "kai.scheduler", Resource: "topologies", Kind: "Topology"},
		{Group: "kubeflow.org", Resource: "jaxjobs", Kind: "JAXJob"},
		{Group: "kubeflow.org", Resource: "mpijobs", Kind: "MPIJob"},
		{Group: "kubeflow.org", Resource: "paddlejobs", Kind: "PaddleJob"},
		{Group: "kubeflow.org", Resource: "pytorchjobs", Kind: "PyTorchJob"},
		{Group: "kubeflow.org", Resource: "tfjobs", Kind: "TFJob"},
		{Group: "kubeflow.org", Resource: "xgboostjobs", Kind: "XGBoostJob"},
		{Group: "kueue.x-k8s.io", Resource: "localqueues", Kind: "LocalQueue"},
		{Group: "kueue.x-k8s.io", Resource: "topologies", Kind: "Topology"},
		{Group: "kueue.x-k8s.io", Resource: "workloadpriorityclasses", Kind: "WorkloadPriorityClass"},
		{Group: "kueue.x-k8s.io", Resource: "workloads", Kind: "Workload"},
		{Group: "leaderworkerset.x-k8s.io", Resource: "leaderworkersets", Kind: "LeaderWorkerSet"},
		{Group: "policy", Resource: "poddisruptionbudgets", Kind: "PodDisruptionBudget"},
		{Group: "ray.io", Resource: "rayclusters", Kind: "RayCluster"},
		{Group: "ray.io", Resource: "rayjobs", Kind: "RayJob"},
		{Group: "scheduler.grove.io", Resource: "podgangs", Kind: "PodGang"},
		{Group: "scheduling.k8s.io", Resource: "compositepodgroups", Kind: "CompositePodGroup"},
		{Group: "scheduling.k8s.io", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "scheduling.k8s.io", Resource: "priorityclasses", Kind: "PriorityClass"},
		{Group: "scheduling.k8s.io", Resource: "workloads", Kind: "Workload"},
		{Group: "scheduling.koordinator.sh", Resource: "clusternetworktopologies", Kind: "ClusterNetworkTopology"},
		{Group: "scheduling.koordinator.sh", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "scheduling.koordinator.sh", Resource: "reservations", Kind: "Reservation"},
		{Group: "scheduling.run.ai", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "scheduling.run.ai", Resource: "queues", Kind: "Queue"},
		{Group: "scheduling.sigs.k8s.io", Resource: "elasticquotas", Kind: "ElasticQuota"},
		{Group: "scheduling.sigs.k8s.io", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "scheduling.volcano.sh", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "scheduling.volcano.sh", Resource: "queues", Kind: "Queue"},
		{Group: "scheduling.x-k8s.io", Resource: "elasticquotas", Kind: "ElasticQuota"},
		{Group: "scheduling.x-k8s.io", Resource: "podgroups", Kind: "PodGroup"},
		{Group: "topology.node.k8s.io", Resource: "noderesourcetopologies", Kind: "NodeResourceTopology"},
		{Group: "topology.volcano.sh", Resource: "hypernodes", Kind: "HyperNode"},
		{Group: "trainer.kubeflow.org", Resource: "clustertrainingruntimes", Kind: "ClusterTrainingRuntime"},
		{Group: "trainer.kubeflow.org", Resource: "trainingruntimes", Kind: "TrainingRuntime"},
		{Group: "trainer.kubeflow.org", Resource: "trainjobs", Kind: "TrainJob"},
	}
}

// Name is what people call the kind, as kubectl takes it: `podgroups.scheduling.x-k8s.io`.
func (k Kind) Name() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}
