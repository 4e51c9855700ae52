// Package planner answers: what does a cycle of the scheduler plan for a gang, and what keeps it from being carried out now? It is what both plugins do
// alike: follow the snapshot, plan without what was refused, and tell which pod goes where.
package planner

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
	"github.com/muster-sched/muster/hosts/kubernetes/internal/refusals"
	"github.com/muster-sched/muster/hosts/kubernetes/mirror"
)

// Options are those of a plugin.
type Options struct {
	Mirror      mirror.Options
	Resources   []string // see [mirror.Mirror.Inform]
	Policy      gang.Policy
	Steps       int  // of the search for victims; 0: the library's
	CheckMirror bool // compares free amounts in every cycle
}

// Planner plans on a mirror of the scheduler's snapshot. It is used by one goroutine at a time.
type Planner struct {
	Mirror  *mirror.Mirror
	Refused refusals.Set

	handle  fwk.Handle
	options Options
}

// New has a mirror whose informers tell it of what they see. Errors are those of a pluginConfig.
func New(ctx context.Context, handle fwk.Handle, opt Options) (*Planner, error) {
	opt.Mirror.Changed = waker(ctx, handle)
	m, err := mirror.New(opt.Mirror)
	if err != nil {
		return nil, err
	}
	if err := m.Inform(ctx, handle, opt.Resources); err != nil {
		return nil, fmt.Errorf("pluginConfig: %w", err)
	}
	return &Planner{Mirror: m, handle: handle, options: opt}, nil
}

// Nodes are those of the snapshot of this cycle.
func (p *Planner) Nodes() fwk.NodeInfoLister { return p.handle.SnapshotSharedLister().NodeInfos() }

// Plan is what was planned for a gang. Exactly one of Result and Err is set.
type Plan struct {
	Gang    *manifest.Gang
	Result  *placement.Result
	Err     error
	Reason  string            // why it cannot be carried out now; of an error the user of the plan says it
	Nodes   map[string]string // by `namespace/name` of pods
	Members map[string]string // the same
}

// NameOf is how plans call a pod.
func NameOf(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

var errNoNodes = errors.New("the cluster has no nodes")

// Plan plans a gang on the mirror. Pods are some of it, which are alike in the ports that they ask for.
func (p *Planner) Plan(ctx context.Context, g *manifest.Gang, pods []*v1.Pod) *Plan {
	out := &Plan{Gang: g, Nodes: map[string]string{}, Members: map[string]string{}}
	if out.Result, out.Err = p.plan(ctx, g, pods); out.Err != nil {
		return out
	}
	for _, a := range out.Result.Assignments {
		if namespace, name, ok := g.Pod(a.Member); ok {
			out.Nodes[namespace+"/"+name], out.Members[namespace+"/"+name] = a.Node, a.Member
		}
	}
	switch {
	case len(out.Result.Victims) > 0:
		out.Reason = fmt.Sprintf("%d pods have to leave for it", len(out.Result.Victims))
	case out.Result.Waits():
		out.Reason = fmt.Sprintf("it waits for %d pods that are terminating", len(out.Result.WaitsFor))
	}
	return out
}

func (p *Planner) plan(ctx context.Context, g *manifest.Gang, pods []*v1.Pod) (*placement.Result, error) {
	if g.Err != nil {
		return nil, g.Err
	}
	if p.Mirror.Cluster() == nil {
		return nil, errNoNodes
	}
	req := g.Request
	req.Policy, req.Preempt.Steps = p.options.Policy, p.options.Steps
	for _, pod := range pods {
		if len(objects.HostPorts(pod.Spec.Containers)) > 0 { // two of them never fit on one node
			req.Limits = append(req.Limits[:len(req.Limits):len(req.Limits)], gang.Limit{Layer: "0", Kind: gang.Apart, Most: 1})
			break
		}
	}
	p.Refused.Apply(&req, p.Nodes())
	return placement.PlanContext(ctx, p.Mirror.Cluster(), &req)
}

// Refuse notes that another plugin has refused the node of a plan for a pod: the next plan is without the pair.
func (p *Planner) Refuse(of *Plan, pod *v1.Pod) {
	at := NameOf(pod)
	p.Refused.Keep(p.Mirror.Waits)
	p.Refused.Add(of.Gang.Request.Name, gang.Refusal{Member: of.Members[at], Node: of.Nodes[at]}, p.Nodes())
}

// Check logs what is worth saying, and where it is asked for compares the mirror with the snapshot that it has followed.
func (p *Planner) Check(ctx context.Context, infos []fwk.NodeInfo) (differences []string, compared bool) {
	logger := klog.FromContext(ctx)
	for _, line := range p.Mirror.Notices() {
		logger.V(4).Info("Muster notices", "notice", line)
	}
	if !p.options.CheckMirror {
		return nil, false
	}
	differences = p.Mirror.Differences(infos)
	for _, line := range differences {
		logger.Error(errors.New(line), "The mirror differs from the snapshot")
	}
	return differences, true
}

// Events are the changes that may let any gang start that was refused: nodes that come or change, pods that go, pods that come.
func Events() []fwk.ClusterEventWithHint {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeAllocatable | fwk.UpdateNodeLabel | fwk.UpdateNodeTaint | fwk.UpdateNodeCondition}},
		{Event: fwk.ClusterEvent{Resource: assignedPod, ActionType: fwk.Delete | fwk.UpdatePodScaleDown}},
		{Event: fwk.ClusterEvent{Resource: unscheduledPod, ActionType: fwk.Add}},
	}
}
