// Package objects answers: how does Muster read an object that a client has decoded? It takes the map that a client without types would hold, and of
// pods only what decides where they go, with the amounts that the scheduler itself counts.
package objects

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
)

// Of is an object of a kind; typed objects do not know their own.
func Of(obj any, kind schema.GroupVersionKind) (map[string]any, error) {
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	out["apiVersion"], out["kind"] = kind.GroupVersion().String(), kind.Kind
	delete(out["metadata"].(map[string]any), "managedFields")
	return out, nil
}

// Last is an object that an informer tells is gone, as it was last: where the watch missed the deletion, it is wrapped.
func Last(obj any) any {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return gone.Obj
	}
	return obj
}

// Node is a node, without what changes with every heartbeat.
func Node(n *v1.Node) (map[string]any, error) {
	bare := &v1.Node{
		ObjectMeta: n.ObjectMeta,
		Spec:       v1.NodeSpec{Taints: n.Spec.Taints, Unschedulable: n.Spec.Unschedulable},
		Status:     v1.NodeStatus{Allocatable: n.Status.Allocatable},
	}
	bare.ManagedFields = nil
	for _, c := range n.Status.Conditions {
		if c.Type == v1.NodeReady {
			bare.Status.Conditions = []v1.NodeCondition{{Type: c.Type, Status: c.Status}}
		}
	}
	return Of(bare, v1.SchemeGroupVersion.WithKind("Node"))
}

// Pod is a pod on a node, or nominated for one, with the amounts of the scheduler in one container. It is built by hand: a cycle reads hundreds.
func Pod(pod *v1.Pod, amounts fwk.Resource, node, nominated string) (map[string]any, error) {
	spec := map[string]any{"containers": []any{map[string]any{"name": "pod", "resources": map[string]any{"requests": requests(amounts)}}}}
	set(spec, "nodeName", node)
	set(spec, "priorityClassName", pod.Spec.PriorityClassName)
	if pod.Spec.Priority != nil {
		spec["priority"] = int64(*pod.Spec.Priority)
	}
	if pod.Spec.PreemptionPolicy != nil {
		spec["preemptionPolicy"] = string(*pod.Spec.PreemptionPolicy)
	}
	if g := pod.Spec.SchedulingGroup; g != nil && g.PodGroupName != nil {
		spec["schedulingGroup"] = map[string]any{"podGroupName": *g.PodGroupName}
	}
	status := map[string]any{"phase": string(pod.Status.Phase)}
	set(status, "nominatedNodeName", nominated)
	if t := pod.Status.StartTime; t != nil {
		status["startTime"] = t.UTC().Format(time.RFC3339)
	}
	out := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata(&pod.ObjectMeta), "spec": spec, "status": status}
	return out, rules(pod, spec)
}

// rules adds what few pods have.
func rules(pod *v1.Pod, spec map[string]any) error {
	bare := v1.PodSpec{
		NodeSelector: pod.Spec.NodeSelector, Affinity: pod.Spec.Affinity, Tolerations: pod.Spec.Tolerations, ResourceClaims: pod.Spec.ResourceClaims,
		TopologySpreadConstraints: pod.Spec.TopologySpreadConstraints, Volumes: claims(pod.Spec.Volumes),
	}
	ports := HostPorts(pod.Spec.Containers)
	if reflect.ValueOf(bare).IsZero() && ports == nil {
		return nil
	}
	bare.Containers = []v1.Container{{Ports: ports}}
	further, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&bare)
	if err != nil {
		return err
	}
	if ports != nil {
		spec["containers"].([]any)[0].(map[string]any)["ports"] = further["containers"].([]any)[0].(map[string]any)["ports"]
	}
	delete(further, "containers")
	maps.Copy(spec, further)
	return nil
}

func set(in map[string]any, key, value string) {
	if value != "" {
		in[key] = value
	}
}

func metadata(m *metav1.ObjectMeta) map[string]any {
	out := map[string]any{"name": m.Name, "namespace": m.Namespace, "uid": string(m.UID)}
	if len(m.Labels) > 0 {
		out["labels"] = texts(m.Labels)
	}
	if len(m.Annotations) > 0 {
		out["annotations"] = texts(m.Annotations)
	}
	if !m.CreationTimestamp.IsZero() {
		out["creationTimestamp"] = m.CreationTimestamp.UTC().Format(time.RFC3339)
	}
	if m.DeletionTimestamp != nil {
		out["deletionTimestamp"] = m.DeletionTimestamp.UTC().Format(time.RFC3339)
	}
	var owners []any
	for i := range m.OwnerReferences {
		o := &m.OwnerReferences[i]
		owner := map[string]any{"apiVersion": o.APIVersion, "kind": o.Kind, "name": o.Name, "uid": string(o.UID)}
		if o.Controller != nil {
			owner["controller"] = *o.Controller
		}
		owners = append(owners, owner)
	}
	if owners != nil {
		out["ownerReferences"] = owners
	}
	return out
}

func texts(of map[string]string) map[string]any {
	out := make(map[string]any, len(of))
	for k, v := range of {
		out[k] = v
	}
	return out
}

// requests are the amounts that the scheduler counts, as texts. Pods are counted by Muster itself.
func requests(r fwk.Resource) map[string]any {
	out := map[string]any{}
	if n := r.GetMilliCPU(); n > 0 {
		out[string(v1.ResourceCPU)] = strconv.FormatInt(n, 10) + "m"
	}
	if n := r.GetMemory(); n > 0 {
		out[string(v1.ResourceMemory)] = strconv.FormatInt(n, 10)
	}
	if n := r.GetEphemeralStorage(); n > 0 {
		out[string(v1.ResourceEphemeralStorage)] = strconv.FormatInt(n, 10)
	}
	for name, n := range r.GetScalarResources() {
		if n > 0 {
			out[string(name)] = strconv.FormatInt(n, 10)
		}
	}
	return out
}

// claims are the volumes that may bind a pod to nodes.
func claims(all []v1.Volume) (out []v1.Volume) {
	for _, v := range all {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			out = append(out, v)
		}
	}
	return out
}

// HostPorts are the ports of its node that a pod's containers ask for.
func HostPorts(all []v1.Container) (out []v1.ContainerPort) {
	for i := range all {
		for _, p := range all[i].Ports {
			if p.HostPort > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// Allocatable are the amounts that a node has by the scheduler's count, by name: milli-CPU, bytes, pieces.
func Allocatable(info fwk.NodeInfo) map[string]int64 {
	out := amounts(info.GetAllocatable())
	out[string(v1.ResourcePods)] = int64(info.GetAllocatable().GetAllowedPodNumber())
	return out
}

// Requested are the amounts that the pods of a node have by the scheduler's count.
func Requested(info fwk.NodeInfo) map[string]int64 {
	out := amounts(info.GetRequested())
	out[string(v1.ResourcePods)] = int64(len(info.GetPods()))
	return out
}

func amounts(r fwk.Resource) map[string]int64 {
	out := map[string]int64{
		string(v1.ResourceCPU): r.GetMilliCPU(), string(v1.ResourceMemory): r.GetMemory(), string(v1.ResourceEphemeralStorage): r.GetEphemeralStorage(),
	}
	for name, n := range r.GetScalarResources() {
		out[string(name)] = n
	}
	return out
}
