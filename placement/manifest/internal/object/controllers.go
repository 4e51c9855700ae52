package object

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/document"
)

// Who controls whom: ownerReferences among the objects of the input.

// Titled is the object in the input of a title `Kind/namespace/name`, as ownerReferences name it; nil if there is none.
func (all *Set) Titled(title string) *Object {
	all.Names.Ask(title)
	return all.byTitle[title]
}

// ControllerOf is the object in the input that controls another one, nil if none does.
func (all *Set) ControllerOf(o *Object) *Object {
	for _, w := range o.Owners {
		if w.controller {
			return all.Titled(w.Kind + "/" + o.Namespace + "/" + w.Name)
		}
	}
	return nil
}

// PodReferences are the pods that a PodGang lists, `namespace/name`, with where; none of other objects.
func (o *Object) PodReferences() iter.Seq2[Field, string] {
	return func(yield func(Field, string) bool) {
		if o.Kind != "PodGang" {
			return
		}
		for group := range o.Root.Sub("spec").Get("podgroups").All() {
			for ref := range group.Mapping().Get("podReferences").All() {
				ref = ref.Mapping()
				name := cmp.Or(ref.Get("namespace").Text(), o.Namespace) + "/" + ref.Get("name").Text()
				if !yield(ref.Get("name"), name) {
					return
				}
			}
		}
	}
}

// OwnersOf are the controllers of an object, from the nearest to the outermost, those of plain owners too.
func (all *Set) OwnersOf(o *Object) (chain []*Object) {
	for up := o; len(chain) < 100; { // chains of owners are short, and a circle ends
		next := all.ControllerOf(up)
		if next == nil {
			next = all.plainController(up)
		}
		if next == nil || next == o || slices.Contains(chain, next) {
			return chain
		}
		chain, up = append(chain, next), next
	}
	return chain
}

// plainController is the controller of an object among the owners whose pods are placed one by one, as far as these name a queue or a
// class.
func (all *Set) plainController(o *Object) *Object {
	for _, w := range o.Owners {
		if w.controller {
			return all.Plain[w.Kind+"/"+o.Namespace+"/"+w.Name].says
		}
	}
	return nil
}

// TopOwner is the outermost controller of an object in the input, nil if it has none.
func (all *Set) TopOwner(o *Object) (top *Object) {
	seen := map[*Object]bool{o: true}
	for up := all.ControllerOf(o); up != nil && !seen[up]; up = all.ControllerOf(up) {
		top, seen[up] = up, true
	}
	return top
}

// LacksOwner is the kind of the object's controller if that makes gangs and is not in the input, empty else.
func (all *Set) LacksOwner(o *Object) string {
	for _, w := range o.Owners {
		if w.controller && slices.Contains(gangOwners, w.Kind) && all.Titled(w.Kind+"/"+o.Namespace+"/"+w.Name) == nil {
			return w.Kind
		}
	}
	return ""
}

// PlainOwner is an owner whose pods are placed one by one: its rules for gangs bind nobody, which is counted.
type PlainOwner struct {
	rules bool
	above []string // titles of its own owners
	says  *Object  // its metadata
}

// IsPlainOwner says whether objects of a kind that is not read own pods.
func IsPlainOwner(kind string) bool { return slices.Contains(plainOwners, kind) }

// ReadPlainOwner reads of an object whether it has rules, and by which title pods know it.
func ReadPlainOwner(kind string, v *document.Value) (title string, owner PlainOwner) {
	meta := v.Get("metadata")
	o := &Object{Kind: kind}
	root := Field{Of: o, Value: v}
	space := cmp.Or(root.Sub("metadata").Get("namespace").Text(), defaultNamespace)
	owner.rules = hasPlacement(meta.Get("annotations"))
	for _, path := range [][]string{{"template"}, {"jobTemplate"}, {"jobTemplate", "spec", "template"}} {
		at := v.Get("spec")
		for _, key := range path {
			at = at.Get(key)
		}
		owner.rules = owner.rules || hasPlacement(at.Get("metadata").Get("annotations"))
	}
	for e := range root.Sub("metadata").Get("ownerReferences").All() {
		e = e.Mapping()
		owner.above = append(owner.above, e.Get("kind").Text()+"/"+space+"/"+e.Get("name").Text())
		o.Owners = append(o.Owners, Reference{Kind: e.Get("kind").Text(), Name: e.Get("name").Text(), controller: e.Get("controller").Flag()})
	}
	if meta != nil {
		o.Name, o.Namespace = root.Sub("metadata").Get("name").Text(), space
		o.Labels, o.Annotations = root.Sub("metadata").Get("labels").TextMap(), root.Sub("metadata").Get("annotations").TextMap()
		o.Root = Field{Of: o, Value: &document.Value{Kind: document.Mapping, Keys: []string{"metadata"}, Items: []*document.Value{meta}}}
		owner.says = o
	}
	return kind + "/" + space + "/" + root.Sub("metadata").Get("name").Text(), owner
}

// hasPlacement says whether annotations have a rule for gangs: KAI's or Kueue's.
func hasPlacement(notes *document.Value) bool {
	return notes != nil && slices.ContainsFunc(notes.Keys, func(key string) bool {
		return strings.HasPrefix(key, "kai.scheduler/topology") || strings.HasPrefix(key, "kai.scheduler/segment-") || strings.HasPrefix(key, "kueue.x-k8s.io/podset-")
	})
}

// HasRules says whether a pod belongs to owners that make no gang and have rules for one.
func (all *Set) HasRules(o *Object) bool {
	var next []string
	for _, w := range o.Owners {
		next = append(next, w.Kind+"/"+o.Namespace+"/"+w.Name)
	}
	for n := 0; n < len(next) && n < 100; n++ { // chains of owners are short, and a circle ends
		all.Names.Ask(next[n])
		if all.Plain[next[n]].rules {
			return true
		}
		next = append(next, all.Plain[next[n]].above...)
	}
	return false
}

var (
	// gangOwners are the kinds whose pods are gangs.
	gangOwners = strings.Fields(`Job JobSet LeaderWorkerSet PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob TrainJob
		RayCluster RayJob RayService PodGang PodClique PodCliqueSet PodCliqueScalingGroup PodGroup Workload`)
	// plainOwners are those whose pods are placed one by one.
	plainOwners = strings.Fields(`StatefulSet ReplicaSet Deployment ReplicationController DaemonSet CronJob Node`)
)

// IsUnknown says whether a controller is of a kind whose rules are not known.
func (w Reference) IsUnknown() bool {
	return w.controller && !slices.Contains(gangOwners, w.Kind) && !slices.Contains(plainOwners, w.Kind)
}
