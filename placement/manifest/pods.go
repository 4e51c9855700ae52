package manifest

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
)

// pods are the pods of the input that are not over.
type pods struct {
	amounts amounts
	zones   *zones
	quotas  *quotas

	list []*member
}

// readPodSpec reads what a pod or a pod template asks for: its spec, and what annotations add.
func (all *pods) readPodSpec(pod field) *podSpec {
	f := pod.sub("spec")
	p := &podSpec{node: f.get("nodeName").str(), class: f.get("priorityClassName"), policy: f.get("preemptionPolicy")}
	p.class.str()
	p.policy.str()
	if n, ok := f.get("priority").number64(); ok {
		p.priority = &n
	}
	p.shape.Resources = all.amounts.request(f)
	p.shape.Selector = f.get("nodeSelector").textMap()
	for t := range f.get("tolerations").all() {
		p.shape.Tolerations = append(p.shape.Tolerations, readToleration(t.object()))
	}
	readNodeAffinity(f.sub("affinity").sub("nodeAffinity"), &p.shape)
	meta := pod.sub("metadata")
	labels, notes := meta.sub("labels"), meta.sub("annotations")
	p.shape.NUMA = readWish(notes)
	p.ignored = ignoredRules(f, notes)
	p.labels = labels
	p.quota = labels.get(quotaPrefix + "name")
	p.quota.str()
	if len(all.quotas.queues) > 0 { // which are read before pods
		p.queues = queueNames(pod)
	}
	p.readProtection(labels, notes)
	return p
}

func readToleration(f field) gang.Toleration {
	t := gang.Toleration{Key: f.get("key").str(), Value: f.get("value").str(), Effect: gang.Effect(f.get("effect").str())}
	checkEffect(f.get("effect"), t.Effect)
	switch operator := f.get("operator"); operator.str() {
	case "Exists":
		t.Exists = true
	case "Equal", "":
		if t.Key == "" && len(f.obj.errors) == 0 {
			operator.fail("must be Exists where the key is empty")
		}
	default:
		operator.fail("must be Equal or Exists")
	}
	return t
}

func readNodeAffinity(f field, shape *gang.Shape) {
	required := f.sub("requiredDuringSchedulingIgnoredDuringExecution")
	for t := range required.get("nodeSelectorTerms").all() {
		shape.Affinity = append(shape.Affinity, readTerm(t.object()))
	}
	if required.present() && len(shape.Affinity) == 0 {
		required.get("nodeSelectorTerms").fail("no terms")
	}
	for p := range f.get("preferredDuringSchedulingIgnoredDuringExecution").all() {
		p = p.object()
		weight, _ := p.get("weight").number64()
		shape.Preferred = append(shape.Preferred, gang.Preference{Weight: weight, Nodes: readTerm(p.sub("preference"))})
	}
}

func readTerm(f field) gang.NodeTerm {
	return gang.NodeTerm{Labels: readExpressions(f.get("matchExpressions")), Fields: readExpressions(f.get("matchFields"))}
}

var operators = []gang.Operator{gang.In, gang.NotIn, gang.Exists, gang.DoesNotExist, gang.Gt, gang.Lt}

func readExpressions(f field) []gang.Expression {
	var out []gang.Expression
	for e := range f.all() {
		e = e.object()
		x := readExpression(e)
		if x.Operator != "" && !slices.Contains(operators, x.Operator) {
			e.get("operator").fail("unknown operator")
		}
		out = append(out, x)
	}
	return out
}

// readPod reads a pod and keeps it for its gang. Pods that are done hold nothing; a deleted pod without a node is not
// to be placed.
func (all *pods) readPod(o *object) {
	phase := o.root.sub("status").get("phase").str()
	m := &member{obj: o, name: o.name, spec: all.readPodSpec(o.root), labels: o.labels, leaving: o.deleted}
	m.node = m.spec.node
	if phase == "Succeeded" || phase == "Failed" || (m.node == "" && o.deleted) {
		return
	}
	m.zones = all.zones.readPlaced(m)
	_, mirror := o.annotations["kubernetes.io/config.mirror"]
	m.unevictable = mirror || m.spec.unevictable || slices.ContainsFunc(o.owners, func(w owner) bool { return w.kind == "DaemonSet" })
	if at := o.root.sub("status").get("startTime").time(); !at.IsZero() {
		m.started = at.Unix()
	}
	for _, key := range indexAnnotations {
		if f := o.annotation(key); f.present() {
			m.index, m.indexed = f.count(f.str(), 0)
		}
	}
	for _, key := range indexLabels {
		if f := o.label(key); f.present() && !m.indexed {
			m.index, m.indexed = f.count(f.str(), 0)
		}
	}
	for key, value := range selectorAnnotation(o) {
		if m.spec.shape.Selector == nil {
			m.spec.shape.Selector = map[string]string{}
		}
		m.spec.shape.Selector[key] = value
	}
	m.affinityKey, _ = affinityKey(o)
	all.list = append(all.list, m)
}

// indexAnnotations and indexLabels hold a pod's rank; the first that is there counts, annotations before labels.
var (
	indexAnnotations = []string{koordinatorPrefix + "network-topology-index", "batch.kubernetes.io/job-completion-index"}
	indexLabels      = []string{"volcano.sh/task-index", "batch.kubernetes.io/job-completion-index", "kueue.x-k8s.io/pod-group-pod-index"}
)

// affinityKey is the key by which a pod is drawn to others of its key, and where it stands.
func affinityKey(o *object) (string, field) {
	const name = schedulingPrefix + "network-topology-selector"
	if o.annotations[name] == "" {
		return "", field{}
	}
	return o.annotations[name], o.annotation(name)
}

// selectorAnnotation reads the labels of the topology domain that a pod is bound to: a JSON object or `key=value,...`.
func selectorAnnotation(o *object) map[string]string {
	f := o.annotation(koordinatorPrefix + "network-topology-selector")
	s := strings.TrimSpace(f.str())
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "{") {
		return f.json().textMap()
	}
	out := map[string]string{}
	for _, pair := range strings.Split(s, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || key == "" {
			f.fail("neither a JSON object nor key=value")
			return nil
		}
		out[key] = value
	}
	return out
}
