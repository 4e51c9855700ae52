package extender

import (
	"context"
	"net/http"
	"slices"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// filter leaves of the nodes the one that the plan of the pod's gang has for it. Of a gang that is refused, or waits for others to leave, it leaves
// none, and says that evicting somebody there would not help: the plan has looked at that.
func (e *Extender) filter(ctx context.Context, args *extenderv1.ExtenderArgs) (*extenderv1.ExtenderFilterResult, error) {
	if args.Pod == nil {
		return nil, errNoPod
	}
	nodes := offered(args)
	e.State.await(ctx, args.Pod)
	a := e.State.ask(ctx, args.Pod, nodes)
	out := &extenderv1.ExtenderFilterResult{FailedNodes: extenderv1.FailedNodesMap{}, FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{}}
	if a.err != nil {
		out.Error = a.err.Error()
		return out, nil
	}
	stays := func(node string) bool { return a.anywhere || node == a.node }
	if !a.anywhere {
		failed := out.FailedNodes
		if a.node == "" {
			failed = out.FailedAndUnresolvableNodes
		}
		for _, name := range nodes {
			if name != a.node {
				failed[name] = a.reason
			}
		}
	}
	if args.NodeNames != nil {
		names := slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return !stays(n) })
		out.NodeNames = &names
		return out, nil
	}
	out.Nodes = &v1.NodeList{}
	if args.Nodes != nil {
		out.Nodes.Items = slices.DeleteFunc(slices.Clone(args.Nodes.Items), func(n v1.Node) bool { return !stays(n.Name) })
	}
	return out, nil
}

// preempt leaves of the nodes on which the scheduler would evict somebody the one that the plan has for the pod, or else one on which somebody leaves for
// its gang, with the plan's victims there. A pod in no gang keeps what the scheduler has chosen.
func (e *Extender) preempt(ctx context.Context, args *extenderv1.ExtenderPreemptionArgs) (*extenderv1.ExtenderPreemptionResult, error) {
	if args.Pod == nil {
		return nil, errNoPod
	}
	chosen := args.NodeNameToMetaVictims
	if chosen == nil {
		chosen = map[string]*extenderv1.MetaVictims{}
		for node, v := range args.NodeNameToVictims {
			chosen[node] = meta(v)
		}
	}
	out := &extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	e.State.await(ctx, args.Pod)
	leave, err := e.State.victims(ctx, args.Pod)
	if err != nil { // the result has no place for it
		return nil, errRequest{http.StatusConflict, err.Error()}
	}
	if leave.anywhere {
		out.NodeNameToMetaVictims = chosen
		return out, nil
	}
	node := leave.at(func(node string) bool {
		_, ok := chosen[node]
		return ok
	})
	if node == "" {
		return out, nil
	}
	kept := &extenderv1.MetaVictims{}
	if of := chosen[node]; of != nil {
		kept.NumPDBViolations = of.NumPDBViolations
	}
	for _, uid := range leave.uids[node] {
		kept.Pods = append(kept.Pods, &extenderv1.MetaPod{UID: uid})
	}
	out.NodeNameToMetaVictims[node] = kept
	return out, nil
}

// meta are victims by their UIDs.
func meta(v *extenderv1.Victims) *extenderv1.MetaVictims {
	out := &extenderv1.MetaVictims{}
	if v == nil {
		return out
	}
	out.NumPDBViolations = v.NumPDBViolations
	for _, p := range v.Pods {
		if p != nil {
			out.Pods = append(out.Pods, &extenderv1.MetaPod{UID: string(p.UID)})
		}
	}
	return out
}

// bind binds a pod. It runs for the next plan before its object says so, unless that fails.
func (e *Extender) bind(ctx context.Context, args *extenderv1.ExtenderBindingArgs) (*extenderv1.ExtenderBindingResult, error) {
	if args.PodName == "" || args.PodNamespace == "" || args.Node == "" {
		return nil, errRequest{http.StatusBadRequest, "the request names no pod, or no node"}
	}
	if e.Bind == nil {
		return nil, errRequest{http.StatusNotImplemented, "nothing is bound here"}
	}
	if err := e.State.assume(args); err != nil {
		return &extenderv1.ExtenderBindingResult{Error: err.Error()}, nil
	}
	binding := &v1.Binding{Target: v1.ObjectReference{Kind: "Node", Name: args.Node}}
	binding.Namespace, binding.Name, binding.UID = args.PodNamespace, args.PodName, args.PodUID
	if err := e.Bind(ctx, binding); err != nil {
		e.State.forget(args)
		return &extenderv1.ExtenderBindingResult{Error: err.Error()}, nil
	}
	return &extenderv1.ExtenderBindingResult{}, nil
}
