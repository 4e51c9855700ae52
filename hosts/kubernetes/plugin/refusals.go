package plugin

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// refusals are nodes that a filter of the scheduler refused for a pod of a gang, by gang. They count until the node changes.
type refusals map[string][]refusal

type refusal struct {
	pod        string
	node       string
	generation int64
}

// add notes the pods of a plan that got as far as their node, and not onto it.
func (r refusals) add(of *plan, pods []*v1.Pod, nodes fwk.NodeInfoLister) (added int) {
	name := of.gang.Request.Name
	for _, pod := range pods {
		at := nameOf(pod)
		if !of.tried.Has(at) || of.kept.Has(at) {
			continue
		}
		if info, err := nodes.Get(of.nodes[at]); err == nil {
			r[name] = append(r[name], refusal{at, of.nodes[at], info.GetGeneration()})
			added++
		}
	}
	return added
}

// apply keeps a request from nodes that still are as they were when they were refused.
func (r refusals) apply(req *gang.Request, nodes fwk.NodeInfoLister) {
	still := slices.DeleteFunc(r[req.Name], func(one refusal) bool {
		info, err := nodes.Get(one.node)
		return err != nil || info.GetGeneration() != one.generation
	})
	if len(still) == 0 {
		delete(r, req.Name)
		return
	}
	r[req.Name] = still
	req.Exclude = slices.Clone(req.Exclude)
	for _, one := range still {
		req.Exclude = append(req.Exclude, one.node)
	}
}
