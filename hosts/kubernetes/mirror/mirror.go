// Package mirror answers: what cluster does the scheduler see in this cycle? What is there comes from the scheduler's own snapshot, node by node
// where its generation changed; what is assumed and not yet bound is in it already. Informers bring only what a snapshot lacks: groups, classes,
// budgets, topologies, quotas, and which waiting pods are nominated for a node.
package mirror

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/muster-sched/muster/hosts/kubernetes/internal/objects"
)

// Mirror is the cluster of the scheduler's last snapshot. [Mirror.Observe] and its like may be called by any goroutine, the rest by that of the
// scheduling cycle alone.
type Mirror struct {
	store   *manifest.Store
	cluster *placement.Cluster
	all     bool
	gangs   map[string]manifest.Gang // that wait, by name
	gangOf  map[string]string        // with all: by `namespace/name` of pods that wait
	events  []permit.Event           // with all: that nobody has taken yet
	round   int
	nodes   map[string]*node
	order   []*node // as the snapshot had them last
	pods    map[types.UID]*pod
	names   map[string]types.UID   // of pods in the store, by `namespace/name`: the newest of those that had it
	waiting map[string][]types.UID // by gang: the pods that were waiting when it was planned last
	counted *pod                   // whose amounts were counted last
	left    []types.UID            // pods that this round missed where they were
	notices []string

	changed func()

	mu    sync.Mutex
	inbox []func()
}

// node is one of the snapshot, as it was read last.
type node struct {
	name       string
	generation int64
	object     *v1.Node
	pods       []types.UID
	round      int
}

// pod is one that the store has.
type pod struct {
	object    *v1.Pod
	amounts   fwk.Resource
	node      string // empty: it waits
	nominated string
	gone      bool   // the API server has it no more, the snapshot still does
	alias     string // its name in the store, where another pod has its name by now
}

func nameOf(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

// Options say what a mirror reads. The zero value is the default.
type Options struct {
	// Layers are keys of labels of nodes, widest first, for clusters without an object that tells their topology.
	Layers []string
	// Waiting: informers tell of all pods that wait, in place of [Mirror.Gang] of those of one gang, see [Mirror.GangOf].
	Waiting bool
	// Changed is called when an object of further resources has changed, and the mirror follows it with its next cycle; nil: nobody asks.
	Changed func()
}

// New knows nothing yet.
func New(opt Options) (*Mirror, error) {
	m := &Mirror{
		store: manifest.NewStore(manifest.Options{KeepGoing: true, Layers: opt.Layers}), all: opt.Waiting, changed: opt.Changed,
		gangs: map[string]manifest.Gang{}, gangOf: map[string]string{}, nodes: map[string]*node{}, pods: map[types.UID]*pod{}, names: map[string]types.UID{}, waiting: map[string][]types.UID{},
	}
	return m, m.update()
}

// Cluster is what is planned on, as of the last call of Sync, Gang, Nominate or Clear; nil without nodes.
func (m *Mirror) Cluster() *placement.Cluster { return m.cluster }

// Notices are what is worth saying of the objects, and was not said before. They are told once.
func (m *Mirror) Notices() []string {
	out := m.notices
	m.notices = nil
	return out
}

// Sync follows a snapshot: all nodes of it. O(nodes) comparisons, and what changed is read again.
func (m *Mirror) Sync(infos []fwk.NodeInfo) error {
	m.round++
	var errs []error
	for _, do := range m.take() {
		do()
	}
	var set []func() error
	for i, info := range infos {
		n := m.nodeAt(i, info.Node().Name)
		n.round = m.round
		if n.generation != info.GetGeneration() {
			set = append(set, m.look(n, info)...)
			n.generation = info.GetGeneration()
		}
	}
	errs = append(errs, m.drop(len(infos)))
	for _, do := range set {
		errs = append(errs, do())
	}
	return errors.Join(append(errs, m.update())...)
}

// nodeAt is a node of the snapshot. Mostly it stands where it stood in the one before, which is faster to see than to find it by its name.
func (m *Mirror) nodeAt(i int, name string) *node {
	if i < len(m.order) && m.order[i].name == name {
		return m.order[i]
	}
	n := m.nodes[name]
	if n == nil {
		n = &node{name: name, generation: -1}
		m.nodes[name] = n
	}
	m.order = append(m.order[:i], n)
	return n
}

// look compares a node with what was read of it, and says what is to be set once what is gone is deleted.
func (m *Mirror) look(n *node, info fwk.NodeInfo) (set []func() error) {
	object := info.Node()
	if n.object != object {
		if n.object == nil || n.object.ResourceVersion != object.ResourceVersion {
			set = append(set, func() error { return m.setNode(object) })
		}
		n.object = object
	}
	before := n.pods
	n.pods = make([]types.UID, 0, len(info.GetPods()))
	for _, p := range info.GetPods() {
		next := pod{object: p.GetPod(), amounts: p.CalculateResource().Resource, node: object.Name}
		n.pods = append(n.pods, next.object.UID)
		known := m.pods[next.object.UID]
		if known != nil {
			next.gone, next.alias = known.gone, known.alias
		}
		switch {
		case known != nil && known.node == "" && m.names[nameOf(next.object)] == next.object.UID && sameForPlans(known, &next):
			set = append(set, func() error { return m.assume(&next) })
		case known == nil || known.node != next.node || !sameForPlans(known, &next):
			set = append(set, func() error { return m.setPod(&next) })
		}
		m.pods[next.object.UID] = &next
	}
	for _, uid := range before {
		if p := m.pods[uid]; p != nil && p.node == object.Name && !slices.Contains(n.pods, uid) {
			p.node = ""
			m.left = append(m.left, uid)
		}
	}
	return set
}

// sameForPlans says whether two states of one pod mean the same to plans, their nodes aside: of a spec that was scheduled nothing else changes.
func sameForPlans(a, b *pod) bool {
	old, now := a.object, b.object
	return old == now || old.ResourceVersion == now.ResourceVersion || old.Status.Phase == now.Status.Phase && old.Status.StartTime.Equal(now.Status.StartTime) &&
		old.DeletionTimestamp.IsZero() == now.DeletionTimestamp.IsZero() && len(old.Spec.Tolerations) == len(now.Spec.Tolerations) &&
		maps.Equal(old.Labels, now.Labels) && maps.Equal(old.Annotations, now.Annotations) && equalAmounts(a.amounts, b.amounts)
}

func equalAmounts(a, b fwk.Resource) bool {
	return a.GetMilliCPU() == b.GetMilliCPU() && a.GetMemory() == b.GetMemory() && a.GetEphemeralStorage() == b.GetEphemeralStorage() &&
		maps.Equal(a.GetScalarResources(), b.GetScalarResources())
}

// drop deletes nodes that the snapshot has no more, and pods that left their node for none. What runs on a node that is gone stays while its
// pod does: members are missed there.
func (m *Mirror) drop(nodes int) error {
	var errs []error
	for _, uid := range m.left { // it waits again, or is gone, unless another node has it
		if p := m.pods[uid]; p != nil && p.node == "" {
			errs = append(errs, m.unplace(uid, p))
		}
	}
	m.left = m.left[:0]
	if len(m.nodes) == nodes {
		return errors.Join(errs...)
	}
	for name, n := range m.nodes {
		if n.round != m.round {
			delete(m.nodes, name)
			n.name = "" // it is none of the snapshot any more
			for _, uid := range n.pods {
				if p := m.pods[uid]; p != nil && p.node == name && p.gone {
					errs = append(errs, m.deletePod(uid))
				}
			}
			errs = append(errs, m.store.Delete(key("v1", "Node", "", name)))
		}
	}
	return errors.Join(errs...)
}

func key(apiVersion, kind, namespace, name string) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"namespace": namespace, "name": name}}
}

func (m *Mirror) setNode(n *v1.Node) error {
	obj, err := objects.Node(n)
	if err != nil {
		return err
	}
	return m.store.Set(obj)
}

// setPod sets a pod in the store under its name. Another one that had the name and still is on a node in the snapshot keeps that under a name of its own.
func (m *Mirror) setPod(p *pod) error {
	if p.alias == "" {
		if err := m.displace(p); err != nil {
			return err
		}
		m.names[nameOf(p.object)] = p.object.UID
	}
	obj, err := objects.Pod(p.object, p.amounts, p.node, p.nominated)
	if err != nil {
		return err
	}
	if p.alias != "" { // it is no member of anything that waits
		obj["metadata"].(map[string]any)["name"] = p.alias
		delete(obj["metadata"].(map[string]any), "labels")
		delete(obj["metadata"].(map[string]any), "annotations")
		delete(obj["spec"].(map[string]any), "schedulingGroup")
	}
	return m.store.Set(obj)
}

// displace makes room for the name of a pod.
func (m *Mirror) displace(p *pod) error {
	uid := m.names[nameOf(p.object)]
	other := m.pods[uid]
	if uid == p.object.UID || other == nil {
		return nil
	}
	if err := m.store.Delete(key("v1", "Pod", p.object.Namespace, p.object.Name)); err != nil {
		return err
	}
	if other.node == "" {
		delete(m.pods, uid)
		return nil
	}
	other.alias = other.object.Name + "~" + string(uid)
	return m.setPod(other)
}

// assume lets a pod that waits in the store run on its node.
func (m *Mirror) assume(p *pod) error {
	if err := m.store.Assume(key("v1", "Pod", p.object.Namespace, p.object.Name), p.node); err == nil {
		return nil
	}
	return m.setPod(p) // another pod of that name is there
}

// unplace takes a pod from its node: it waits again if informers tell of waiting pods, else the cycle of its gang tells of it.
func (m *Mirror) unplace(uid types.UID, p *pod) error {
	if !m.all || p.gone || p.alias != "" {
		return m.deletePod(uid)
	}
	return errors.Join(m.store.Forget(key("v1", "Pod", p.object.Namespace, p.object.Name)), m.setPod(p))
}

func (m *Mirror) deletePod(uid types.UID) error {
	p := m.pods[uid]
	delete(m.pods, uid)
	if p.alias != "" {
		return m.store.Delete(key("v1", "Pod", p.object.Namespace, p.alias))
	}
	if m.names[nameOf(p.object)] != uid {
		return nil
	}
	delete(m.names, nameOf(p.object))
	return m.store.Delete(key("v1", "Pod", p.object.Namespace, p.object.Name))
}

// setWaiting lets a pod wait, on the node that it is nominated for.
func (m *Mirror) setWaiting(p *v1.Pod, nominated string) error {
	known := m.pods[p.UID]
	if known != nil && known.node == "" && known.nominated == nominated && (known.object == p || known.object.ResourceVersion == p.ResourceVersion) {
		return nil
	}
	if m.counted == nil || !objects.AskAlike(m.counted.object, p) { // pods of one gang often do
		info, err := framework.NewPodInfo(p)
		if err != nil {
			return err
		}
		m.counted = &pod{object: p, amounts: info.CalculateResource().Resource}
	}
	m.pods[p.UID] = &pod{object: p, amounts: m.counted.amounts, nominated: nominated}
	return m.setPod(m.pods[p.UID])
}

// update reads what was set, and takes it into the cluster.
func (m *Mirror) update() error {
	changes := m.store.Changes()
	for _, name := range changes.Gone {
		m.forgetGang(name)
		delete(m.waiting, name)
	}
	for _, g := range changes.Gangs {
		m.noteGang(g)
	}
	if m.all {
		m.events = append(m.events, changes.Events...)
	}
	m.notices = append(m.notices, changes.Notices...)
	for _, err := range changes.Defects {
		m.notices = append(m.notices, err.Error())
	}
	if len(m.nodes) == 0 {
		m.cluster = nil
		return nil
	}
	next, err := m.cluster, error(nil)
	if m.cluster == nil || changes.Rebuild {
		next, err = placement.NewCluster(m.store.Input().Spec)
	} else {
		next, err = m.cluster.Update(changes.Delta)
	}
	if err != nil {
		return fmt.Errorf("the cluster of the snapshot: %w", err)
	}
	m.cluster = next
	for _, err := range next.LeftOut() {
		m.notices = append(m.notices, err.Error())
	}
	return nil
}
