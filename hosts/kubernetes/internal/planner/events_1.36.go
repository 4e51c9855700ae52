//go:build kubernetes1.36

package planner

import fwk "k8s.io/kube-scheduler/framework"

// The pods of events, which nobody can tell apart yet.
const (
	assignedPod    = fwk.Pod
	unscheduledPod = fwk.Pod
)
