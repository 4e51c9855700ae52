// Package quotas answers: which quotas do the files describe, and in which of them is a pod? It reads ElasticQuotas of Koordinator and of the
// scheduler plugins, and the Queues of Volcano and KAI that somebody names.
package quotas

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/quota"
)

const (
	// Prefix begins the keys by which Koordinator speaks of quotas.
	Prefix = "quota.scheduling.koordinator.sh/"
	// rootQuota is the root of all quotas itself; nobody is in it.
	rootQuota = "koordinator-root-quota"
)

// outsideQuotas lie outside the tree: no quota governs who is in them.
var outsideQuotas = []string{"koordinator-default-quota", "koordinator-system-quota"}

// PerNamespace is the API group of quotas that stand for their whole namespace.
const PerNamespace = "scheduling.x-k8s.io"

// All are the quotas of the input.
type All struct {
	// Tree is built by Build: nil if there is no quota, or something is wrong with one.
	Tree *quota.Tree
	// Unread is what Queues that are used say and quotas lack.
	Unread []string

	goOn    bool // the rest is planned where the quotas cannot be used
	amounts amounts.Amounts

	elastic []*quotaSource
	queues  map[string]*object.Object // Queue objects by API group and name
	// ofObject are the quotas of the Queues that gangs name.
	ofObject map[*object.Object]*quotaSource
	// named are the quotas of the tree by the name they have there.
	named map[string]*quotaSource
	// spaces are the quotas of namespaces, in the order in which these three count: of their API, by name, by annotation.
	spaces [3]map[string]*quotaSource
}

// New has no quotas yet. With goOn the rest is planned where the quotas cannot be used.
func New(goOn bool, amounts amounts.Amounts) All { return All{goOn: goOn, amounts: amounts} }

// quotaSource is an object that describes a quota.
type quotaSource struct {
	obj        *object.Object
	spec       quota.Spec
	isParent   bool
	namespaces []object.Field // that it claims
}

// ReadElasticQuota reads the ElasticQuota of Koordinator and of the scheduler plugins. Names are unique across namespaces, but
// for quotas of scheduling.x-k8s.io, which are called `namespace/name` where they share one.
func (q *All) ReadElasticQuota(o *object.Object) {
	if o.Name == rootQuota || slices.Contains(outsideQuotas, o.Name) {
		return
	}
	spec := o.Root.Sub("spec")
	s := &quotaSource{obj: o, spec: quota.Spec{
		Name: o.Name, Min: q.amounts.Resources(spec.Get("min")), Max: q.amounts.Resources(spec.Get("max")),
		Weight:     q.amounts.Resources(o.Annotation(Prefix + "shared-weight").JSON()),
		Guaranteed: q.amounts.Resources(o.Annotation(Prefix + "guaranteed").JSON()),
		Keeps:      !o.Label(Prefix + "allow-lent-resource").Truth(true),
	}}
	if parent := o.Label(Prefix + "parent").Text(); parent != rootQuota {
		s.spec.Parent = parent
	}
	s.isParent = o.Label(Prefix + "is-parent").Truth(false)
	for e := range o.Annotation(Prefix + "namespaces").JSON().All() {
		e.Required()
		s.namespaces = append(s.namespaces, e)
	}
	q.elastic = append(q.elastic, s)
}

// Build builds the tree: of all ElasticQuotas, and of the Queues that gangs name, by API group and name.
func (q *All) Build(used map[string]bool) {
	sources := slices.Concat(q.elastic, q.namedQueues(used))
	slices.SortStableFunc(sources, func(a, b *quotaSource) int {
		return cmp.Or(muster.CompareNatural(a.spec.Name, b.spec.Name), muster.CompareNatural(a.obj.Namespace, b.obj.Namespace))
	})
	count := map[string]int{}
	for _, s := range sources {
		count[s.spec.Name]++
	}
	q.named = map[string]*quotaSource{}
	var specs []quota.Spec
	sound := true
	for _, s := range sources {
		if s.obj.Group == PerNamespace && count[s.spec.Name] > 1 {
			s.spec.Name = s.obj.Namespace + "/" + s.obj.Name
		}
		if q.named[s.spec.Name] == nil {
			q.named[s.spec.Name] = s
		}
		q.claimNamespaces(s)
		specs, sound = append(specs, s.spec), sound && len(s.obj.Errors) == 0
	}
	if len(sources) == 0 || !sound {
		return
	}
	tree, err := quota.New(specs)
	if err != nil {
		noteQuotas(sources, err)
		return
	}
	q.Tree = tree
	for _, s := range sources {
		s.isParent = s.isParent || !tree.IsLeaf(s.spec.Name)
	}
}

// claimNamespaces enters the namespaces that a quota stands for. One namespace may not belong to two.
func (q *All) claimNamespaces(s *quotaSource) {
	claim := func(rule int, namespace string, f object.Field) {
		if q.spaces[rule] == nil {
			q.spaces[rule] = map[string]*quotaSource{}
		}
		if other := q.spaces[rule][namespace]; other != nil && other != s {
			f.Fail(fmt.Sprintf("namespace %s belongs to %s too", namespace, other.obj.Title()))
			return
		}
		q.spaces[rule][namespace] = s
	}
	if s.obj.Kind != "ElasticQuota" {
		return
	}
	at := s.obj.Root.Sub("metadata").Get("namespace")
	if s.obj.Group == PerNamespace {
		claim(0, s.obj.Namespace, at)
	} else if s.obj.Name == s.obj.Namespace {
		claim(1, s.obj.Namespace, at)
	}
	for _, f := range s.namespaces {
		claim(2, f.Text(), f)
	}
}

// noteQuotas gives the defects of the tree to the objects that they name.
func noteQuotas(sources []*quotaSource, err error) {
	for _, e := range object.Invalids(err) {
		var at *quotaSource
		for _, s := range sources {
			// The longest name, since names have dots; of several with one name the last, which is the one too many.
			if strings.HasPrefix(e.Field, "quota "+s.spec.Name+".") && (at == nil || len(s.spec.Name) >= len(at.spec.Name)) {
				at = s
			}
		}
		at.obj.Note(&object.Defect{Line: at.obj.Root.Line, Field: e.Field, Value: e.Value, Reason: e.Reason, Cause: e})
	}
}

// Place is what tells the quota of a pod.
type Place struct {
	Label  object.Field // that names the quota, of the pod or its template
	Queues []Queue      // that it and its gang name, in the order in which they count
	Waits  bool         // for a node
}

// Of is the quota of a pod, empty if none governs it; ok is false if it cannot be in the one that it names, which is noted.
// The label counts first, then the Queue that the pod or its gang names, then the namespace.
func (q *All) Of(p Place) (name string, ok bool) {
	s, ok := q.source(p)
	if s == nil {
		return "", ok
	}
	return s.spec.Name, ok
}

func (q *All) source(p Place) (s *quotaSource, ok bool) {
	at := p.Label
	switch name := at.Text(); {
	case slices.Contains(outsideQuotas, name):
		return nil, true
	case name == rootQuota:
		at.Fail("members can only be in a quota without children")
		return nil, false
	case name != "":
		if s = q.named[name]; s == nil {
			at.Fail("unknown quota")
			return nil, false
		}
	default:
		s, at = q.ofQueue(p)
		for i := 0; s == nil && i < len(q.spaces); i++ {
			s, at = q.spaces[i][at.Of.Namespace], at.Of.Root.Sub("metadata").Get("namespace")
		}
	}
	if s != nil && q.Tree == nil && q.goOn {
		if p.Waits {
			at.Fail("the quotas of the input cannot be used, see what is wrong with them")
		}
		return nil, false
	}
	if s != nil && s.isParent {
		at.Fail("members can only be in a quota without children, which " + s.spec.Name + " is not")
		return nil, false
	}
	return s, true
}
