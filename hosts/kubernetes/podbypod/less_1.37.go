//go:build !kubernetes1.36

package podbypod

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Less says who comes first.
func (p *Plugin) Less(a, b fwk.QueuedEntityInfo) bool {
	one, ok := a.(podInfo)
	other, is := b.(podInfo)
	if !ok || !is { // groups, where their cycle is on
		return a.GetPriority() > b.GetPriority() || a.GetPriority() == b.GetPriority() && a.GetTimestamp().Before(b.GetTimestamp())
	}
	return p.queue.less(one.GetPod(), other.GetPod(), a.GetTimestamp(), b.GetTimestamp())
}

type podInfo interface{ GetPod() *v1.Pod }
