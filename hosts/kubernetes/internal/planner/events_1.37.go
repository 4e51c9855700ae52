//go:build !kubernetes1.36

package planner

import fwk "k8s.io/kube-scheduler/framework"

// The pods of events.
const (
	assignedPod    = fwk.AssignedPod
	unscheduledPod = fwk.UnscheduledPod
)
