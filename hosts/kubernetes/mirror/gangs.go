package mirror

import (
	"errors"
	"slices"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
)

// Object is one that the scheduler brings along, with its kind.
type Object struct {
	Value any
	Kind  schema.GroupVersionKind
}

// Gang is the gang of a name with exactly these pods waiting, and these groups as they are in this cycle. It is nil if the pods make no gang of that name.
func (m *Mirror) Gang(name string, pods []*v1.Pod, groups []Object) (*manifest.Gang, error) {
	var errs []error
	for _, g := range groups {
		obj, err := objects.Of(g.Value, g.Kind)
		if err == nil {
			err = m.store.Set(obj)
		}
		errs = append(errs, err)
	}
	uids := make([]types.UID, 0, len(pods))
	for _, p := range pods {
		nominated := p.Status.NominatedNodeName
		if known := m.pods[p.UID]; known != nil {
			nominated = known.nominated
		}
		errs = append(errs, m.setWaiting(p, nominated))
		uids = append(uids, p.UID)
	}
	for _, uid := range m.waiting[name] {
		if p := m.pods[uid]; p != nil && p.node == "" && !slices.Contains(uids, uid) {
			errs = append(errs, m.deletePod(uid))
		}
	}
	m.waiting[name] = uids
	if err := errors.Join(append(errs, m.update())...); err != nil {
		return nil, err
	}
	g, ok := m.gangs[name]
	if !ok {
		return nil, nil
	}
	return &g, nil
}

// Nominate holds the places of a plan for the pods of its gang, until they run there or are nominated otherwise.
func (m *Mirror) Nominate(g *manifest.Gang, res *placement.Result) error {
	nodes := map[string]string{}
	for _, a := range res.Assignments {
		if namespace, name, ok := g.Pod(a.Member); ok {
			nodes[namespace+"/"+name] = a.Node
		}
	}
	return m.nominate(g.Request.Name, func(p *v1.Pod) string { return nodes[p.Namespace+"/"+p.Name] })
}

// Clear holds nothing any more for a gang.
func (m *Mirror) Clear(name string) error {
	return m.nominate(name, func(*v1.Pod) string { return "" })
}

func (m *Mirror) nominate(gang string, node func(*v1.Pod) string) error {
	var errs []error
	for _, uid := range m.waiting[gang] {
		if p := m.pods[uid]; p != nil && p.node == "" {
			errs = append(errs, m.setWaiting(p.object, node(p.object)))
		}
	}
	return errors.Join(append(errs, m.update())...)
}

// Observe tells of an object of an informer, as a client without types holds it.
func (m *Mirror) Observe(logger klog.Logger, obj map[string]any) {
	m.later(func() {
		if err := m.store.Set(obj); err != nil {
			logger.Error(err, "An object cannot be read")
		}
	})
}

// Forget tells that such an object is gone.
func (m *Mirror) Forget(logger klog.Logger, obj map[string]any) {
	m.later(func() {
		if err := m.store.Delete(obj); err != nil {
			logger.Error(err, "An object cannot be forgotten")
		}
	})
}

// ObservePod tells of a pod without a node. One that is nominated for a node, and that no cycle has met, holds it: so a scheduler that comes
// anew keeps what the one before held.
func (m *Mirror) ObservePod(logger klog.Logger, p *v1.Pod) {
	if p.Spec.NodeName != "" || p.Status.NominatedNodeName == "" {
		return
	}
	m.later(func() {
		if m.pods[p.UID] != nil {
			return
		}
		if err := m.setWaiting(p, p.Status.NominatedNodeName); err != nil {
			logger.Error(err, "A nominated pod cannot be read", "pod", klog.KObj(p))
		}
	})
}

// ForgetPod tells that a pod is gone. One on a node goes with the snapshot that has it there no more, as for the scheduler.
func (m *Mirror) ForgetPod(logger klog.Logger, p *v1.Pod) {
	m.later(func() {
		known := m.pods[p.UID]
		if known == nil {
			return
		}
		if known.gone = true; m.nodes[known.node] != nil {
			return
		}
		if err := m.deletePod(p.UID); err != nil {
			logger.Error(err, "A pod cannot be forgotten", "pod", klog.KObj(p))
		}
	})
}

func (m *Mirror) later(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inbox = append(m.inbox, do)
}

func (m *Mirror) take() []func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.inbox
	m.inbox = nil
	return out
}
