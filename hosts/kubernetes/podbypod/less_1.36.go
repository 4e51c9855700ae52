//go:build kubernetes1.36

package podbypod

import fwk "k8s.io/kube-scheduler/framework"

// Less says who comes first.
func (p *Plugin) Less(a, b fwk.QueuedPodInfo) bool {
	return p.queue.less(a.GetPodInfo().GetPod(), b.GetPodInfo().GetPod(), a.GetTimestamp(), b.GetTimestamp())
}
