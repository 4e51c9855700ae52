package mirror

import (
	"errors"
	"slices"

	"github.com/muster-sched/muster/gang/permit"
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
			if known.node != "" { // somebody else has bound it: it is where the snapshot has it
				continue
			}
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

// Meet lets a mirror of all waiting pods know the one of this cycle, of which no informer may have told yet.
func (m *Mirror) Meet(p *v1.Pod) error {
	if m.pods[p.UID] != nil {
		return nil
	}
	return errors.Join(m.setWaiting(p, p.Status.NominatedNodeName), m.update())
}

// GangOf is the gang of a pod that waits, with all of its pods that wait; nil if there is none. It is for mirrors of all waiting pods.
func (m *Mirror) GangOf(p *v1.Pod) *manifest.Gang {
	g, ok := m.gangs[m.gangOf[nameOf(p)]]
	if !ok {
		return nil
	}
	return &g
}

// Waits says whether pods of a gang wait.
func (m *Mirror) Waits(gang string) bool {
	_, ok := m.gangs[gang]
	return ok
}

// PodsOf are the pods of a gang that wait, by `namespace/name`.
func (m *Mirror) PodsOf(g *manifest.Gang) map[string]*v1.Pod {
	out := map[string]*v1.Pod{}
	for i := range g.Request.Members {
		if p := m.podOf(g, g.Request.Members[i].Name); p != nil {
			out[nameOf(p.object)] = p.object
		}
	}
	return out
}

// podOf is the pod of a member that waits; nil: there is none.
func (m *Mirror) podOf(g *manifest.Gang, member string) *pod {
	namespace, name, ok := g.Pod(member)
	if p := m.pods[m.names[namespace+"/"+name]]; ok && p != nil && p.node == "" {
		return p
	}
	return nil
}

// Events are what has happened to gangs and their pods since the last call, for mirrors of all waiting pods. Pods that are assumed count as bound.
func (m *Mirror) Events() []permit.Event {
	out := m.events
	m.events = nil
	return out
}

func (m *Mirror) noteGang(g manifest.Gang) {
	m.forgetGang(g.Request.Name)
	m.gangs[g.Request.Name] = g
	if !m.all {
		return
	}
	for i := range g.Request.Members {
		if namespace, name, ok := g.Pod(g.Request.Members[i].Name); ok {
			m.gangOf[namespace+"/"+name] = g.Request.Name
		}
	}
}

func (m *Mirror) forgetGang(name string) {
	old, ok := m.gangs[name]
	delete(m.gangs, name)
	if !ok || !m.all {
		return
	}
	for i := range old.Request.Members {
		if namespace, pod, ok := old.Pod(old.Request.Members[i].Name); ok && m.gangOf[namespace+"/"+pod] == name {
			delete(m.gangOf, namespace+"/"+pod)
		}
	}
}

// Nominate holds the places of a plan for the pods of its gang, until they run there or are nominated otherwise.
func (m *Mirror) Nominate(g *manifest.Gang, res *placement.Result) error {
	nodes := map[string]string{}
	for _, a := range res.Assignments {
		nodes[a.Member] = a.Node
	}
	return m.nominate(g, nodes)
}

// Clear holds nothing any more for a gang.
func (m *Mirror) Clear(g *manifest.Gang) error { return m.nominate(g, nil) }

// nominate nominates the pods of a gang for nodes, by member.
func (m *Mirror) nominate(g *manifest.Gang, nodes map[string]string) error {
	var errs []error
	for i := range g.Request.Members {
		member := g.Request.Members[i].Name
		if p := m.podOf(g, member); p != nil {
			errs = append(errs, m.setWaiting(p.object, nodes[member]))
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
	if p.Spec.NodeName != "" || p.Status.NominatedNodeName == "" && !m.all {
		return
	}
	m.later(func() {
		known, nominated := m.pods[p.UID], p.Status.NominatedNodeName
		if known != nil {
			if !m.all || known.node != "" || known.gone {
				return
			}
			nominated = known.nominated // what a cycle has decided is newer
		}
		if err := m.setWaiting(p, nominated); err != nil {
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
