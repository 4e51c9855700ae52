//go:build !kubernetes1.36

package evict

import (
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

func preemptsBy(_ fwk.Handle, e *preemption.Executor) preempt { return e.PreemptPod }
