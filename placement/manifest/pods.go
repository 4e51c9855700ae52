package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/ignored"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/nodes"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// pods are the pods of the input that are not over.
type pods struct {
	amounts amounts.Amounts
	zones   *nodes.Zones
	held    nodes.Held // of the zones, by running pods
	quotas  *quotas.All
	notices *object.Notices
	reports func(resource string) bool // says whether a node says how much of it there is

	list []*member.Member
	over []*member.Member // have succeeded
	done []*member.Member // have failed, or are not to be placed

	known map[*object.Object]*readOnce // that were read before
	fresh map[*object.Object]*readOnce // that are read now, to be known; nil: nobody wants to know
}

// readOnce is a pod as it was read, before its gang is known.
type readOnce struct {
	member member.Member
	end    podEnd
}

// podEnd says whether a pod is over.
type podEnd int8

const (
	notOver podEnd = iota
	hasSucceeded
	isDone // has failed, or is not to be placed
)

// keep keeps a pod for its gang.
func (all *pods) keep(m *member.Member, end podEnd) {
	switch end {
	case hasSucceeded:
		all.over = append(all.over, m)
	case isDone:
		all.done = append(all.done, m)
	default:
		all.list = append(all.list, m)
	}
	// what was read beside the pod itself may be otherwise the next time: the zones of its node, what nodes report
	if share := m.Spec.Ignored[ignored.GPUShare]; all.fresh != nil && share == 0 && !m.Obj.Annotation(nodes.Status).Present() {
		all.fresh[m.Obj] = &readOnce{*m, end}
	}
}

// readPodSpec reads what a pod or a pod template asks for: its spec, and what annotations add.
func (all *pods) readPodSpec(pod object.Field) *member.Spec {
	f := pod.Sub("spec")
	p := &member.Spec{Node: f.Get("nodeName").Text(), Class: f.Get("priorityClassName"), Policy: f.Get("preemptionPolicy"), Template: pod}
	p.Class.Text()
	p.Policy.Text()
	if n, ok := f.Get("priority").Number(); ok {
		p.Priority = &n
	}
	p.Shape.Resources = all.amounts.Request(f)
	p.Shape.Selector = f.Get("nodeSelector").TextMap()
	for t := range f.Get("tolerations").All() {
		p.Shape.Tolerations = append(p.Shape.Tolerations, selectors.ReadToleration(t.Mapping()))
	}
	selectors.ReadNodeAffinity(f.Sub("affinity").Sub("nodeAffinity"), &p.Shape)
	meta := pod.Sub("metadata")
	labels, notes := meta.Sub("labels"), meta.Sub("annotations")
	p.Shape.NUMA = nodes.ReadWish(notes)
	p.Ignored = ignored.Rules(f, meta)
	var drawn bool
	if p.Apart, drawn, p.Added = apart.Required(f, meta); drawn {
		p.Ignored[ignored.PodAffinity] = 1
	}
	for name := range p.Shape.Resources {
		if ignored.IsShare(name) {
			if p.Ignored[ignored.GPUShare] = 1; !all.reports(name) {
				delete(p.Shape.Resources, name) // no node says how much of it there is
			}
		}
	}
	p.Labels = labels
	p.Quota = labels.Get(quotas.Prefix + "name")
	p.Quota.Text()
	p.Queues = all.quotas.QueuesOfPod(pod) // which are read before pods
	p.ReadProtection(meta)
	return p
}

// readPod reads a pod and keeps it for its gang. Pods that are done hold nothing; a deleted pod without a node is not
// to be placed.
func (all *pods) readPod(o *object.Object) {
	if before := all.known[o]; before != nil {
		m := before.member
		all.keep(&m, before.end)
		all.fresh[o] = before
		return
	}
	phase := o.Root.Sub("status").Get("phase").Text()
	m := &member.Member{Obj: o, Name: o.Name, Spec: all.readPodSpec(o.Root), Labels: o.Labels, Leaving: o.Deleted}
	m.Node, m.Nominated = m.Spec.Node, o.Root.Sub("status").Get("nominatedNodeName").Text()
	for _, key := range indexKeys {
		if f := o.Stated(key); f.Present() && !m.Indexed {
			m.Index, m.Indexed = f.Count(f.Text(), 0)
		}
	}
	switch {
	case phase == "Succeeded":
		all.keep(m, hasSucceeded)
		return
	case phase == "Failed" || m.Node == "" && o.Deleted:
		all.keep(m, isDone)
		return
	}
	if m.Node != "" {
		m.Spec.Shape.Resources = amounts.Held(o.Root.Sub("spec").Get("containers"), m.Spec.Shape.Resources)
	}
	m.Zones = all.zones.Placed(o, m.Node, m.Spec.Shape.NUMA.Policy, all.held, all.notices)
	mirror := o.Stated("kubernetes.io/config.mirror").Present()
	m.Tolerated = mirror || slices.ContainsFunc(o.Owners, func(w object.Reference) bool { return w.Kind == "DaemonSet" })
	m.Unevictable = m.Tolerated || m.Spec.Unevictable
	m.Started = seconds(o.Root.Sub("status").Get("startTime").Time())
	readEnd(m, o)
	for key, value := range selectors.OfDomain(o.Annotation(koordinatorPrefix + "network-topology-selector")) {
		if m.Spec.Shape.Selector == nil {
			m.Spec.Shape.Selector = map[string]string{}
		}
		m.Spec.Shape.Selector[key] = value
	}
	m.AffinityKey, _ = affinityKey(o)
	all.keep(m, notOver)
}

// indexKeys hold a pod's rank; the first that is there counts.
var indexKeys = []string{
	koordinatorPrefix + "network-topology-index", "batch.kubernetes.io/job-completion-index", "volcano.sh/task-index", "kueue.x-k8s.io/pod-group-pod-index",
}

// affinityKey is the key by which a pod is drawn to others of its key, and where it stands.
func affinityKey(o *object.Object) (string, object.Field) {
	const name = nodes.SchedulingPrefix + "network-topology-selector"
	if o.Annotations[name] == "" {
		return "", object.Field{}
	}
	return o.Annotations[name], o.Annotation(name)
}
