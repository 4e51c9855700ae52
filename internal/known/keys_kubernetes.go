package known

// Keys of Kubernetes itself and of the scheduler plugins.

var kubernetesKeys = []Key{
	{"pod-group.scheduling.sigs.k8s.io/min-available", Labels, Minimum, "users"},
	{"pod-group/min-available", Either, Minimum, "users"},
	{"pod-group.scheduling.sigs.k8s.io", Labels, Group, "users"},
	{"pod-group.scheduling.sigs.k8s.io/name", Labels, Group, "users, kubeflow"},
	{"pod-group/name", Labels, Group, "users"},
	{"scheduling.x-k8s.io/pod-group", Labels, Group, "users, kubeflow"},
	{"scheduling.k8s.io/group-name", Annotations, Group, "Volcano, users"},
	{"batch.kubernetes.io/job-name", Labels, Group, "the Job controller"},
	{"job-name", Labels, Group, "the Job controller"},
	{"kubernetes.io/config.mirror", Annotations, Preemption, "the kubelet"},
	{"batch.kubernetes.io/job-completion-index", Either, Order, "the Job controller"},
	{"pod-group.scheduling.sigs.k8s.io/match-policy", Annotations, Terms, "users"},
	{"scheduling.k8s.io/group-template-name", Either, Own, "JobSet"},
}
