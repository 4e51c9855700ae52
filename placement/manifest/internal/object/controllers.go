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

// LostNode says of a node that cannot be used whether the input has none of that name.
func (all *Set) LostNode(name string) string {
	if all.Seen["/Node/"+name] != nil {
		return "cannot be used"
	}
	return "is not in the input"
}

// ControllerOf is the object in the input that controls another one, nil if none does.
func (all *Set) ControllerOf(o *Object) *Object {
	for _, w := range o.Owners {
		if w.controller {
			return all.Titled(w.title(o))
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

// Controllers are the objects of the input that control another one, from the nearest to the outermost.
func (all *Set) Controllers(o *Object) iter.Seq[*Object] { return climb(o, all.ControllerOf) }

// Owners are the same, with those of plain owners.
func (all *Set) Owners(o *Object) iter.Seq[*Object] {
	return climb(o, func(o *Object) *Object { return cmp.Or(all.ControllerOf(o), all.plainController(o)) })
}

// climb goes up until there is nobody, or somebody again.
func climb(o *Object, above func(*Object) *Object) iter.Seq[*Object] {
	return func(yield func(*Object) bool) {
		seen := map[*Object]bool{o: true}
		for up := above(o); up != nil && !seen[up] && yield(up); up = above(up) {
			seen[up] = true
		}
	}
}

// plainController is the controller of an object among the owners whose pods are placed one by one.
func (all *Set) plainController(o *Object) *Object {
	for _, w := range o.Owners {
		if w.controller {
			return all.ownPlain(w.title(o))
		}
	}
	return nil
}

// ownPlain is an owner of a title as this reading has it: what is wrong with it here, another reading may find right.
func (all *Set) ownPlain(title string) *Object {
	meta := all.Plain[title].meta
	if meta == nil || all.plainHere[title] != nil {
		return all.plainHere[title]
	}
	own := *meta
	own.Root = Field{Of: &own, Value: meta.Root.Value, Line: meta.Root.Line}
	own.Errors, own.noted, own.listed = slices.Clone(meta.Errors), nil, 0
	if all.plainHere == nil {
		all.plainHere = map[string]*Object{}
	}
	all.plainHere[title] = &own
	return &own
}

// TopOwner is the outermost controller of an object in the input, nil if it has none.
func (all *Set) TopOwner(o *Object) (top *Object) {
	for up := range all.Controllers(o) {
		top = up
	}
	return top
}

// LacksOwner is the kind of the object's controller if that makes gangs and is not in the input, empty else.
func (all *Set) LacksOwner(o *Object) string {
	for _, w := range o.Owners {
		if w.controller && slices.Contains(gangOwners, w.Kind) && all.Titled(w.title(o)) == nil {
			return w.Kind
		}
	}
	return ""
}

// PlainOwner is an owner whose pods are placed one by one: its rules for gangs bind nobody, which is counted.
type PlainOwner struct {
	rules bool
	meta  *Object // of its object no more than the metadata
}

// IsPlainOwner says whether objects of a kind that is not read own pods.
func IsPlainOwner(kind string) bool { return slices.Contains(plainOwners, kind) }

// ReadPlainOwner reads of an object whether it has rules, and by which title pods know it.
func ReadPlainOwner(kind string, v *document.Value) (title string, owner PlainOwner) {
	meta := v.Get("metadata")
	owner.rules = hasPlacement(meta.Get("annotations"))
	for _, path := range [][]string{{"template"}, {"jobTemplate"}, {"jobTemplate", "spec", "template"}} {
		at := v.Get("spec")
		for _, key := range path {
			at = at.Get(key)
		}
		owner.rules = owner.rules || hasPlacement(at.Get("metadata").Get("annotations"))
	}
	o := &Object{Kind: kind}
	o.Root = Field{Of: o, Value: &document.Value{Kind: document.Mapping}}
	if meta != nil {
		o.Root.Value.Keys, o.Root.Value.Items = []string{"metadata"}, []*document.Value{meta}
	}
	o.readMetadata(&Notices{})
	owner.meta = o
	return o.Kind + "/" + o.Namespace + "/" + o.Name, owner
}

// hasPlacement says whether annotations have a rule for gangs: KAI's or Kueue's.
func hasPlacement(notes *document.Value) bool {
	return notes != nil && slices.ContainsFunc(notes.Keys, func(key string) bool {
		return strings.HasPrefix(key, "kai.scheduler/topology") || strings.HasPrefix(key, "kai.scheduler/segment-") || strings.HasPrefix(key, "kueue.x-k8s.io/podset-")
	})
}

// HasRules says whether a pod belongs to owners that make no gang and have rules for one.
func (all *Set) HasRules(o *Object) bool {
	next := o.titlesOfOwners()
	for n := 0; n < len(next) && n < 100; n++ { // chains of owners are short, and a circle ends
		all.Names.Ask(next[n])
		owner := all.Plain[next[n]]
		if owner.rules {
			return true
		}
		if owner.meta != nil {
			next = append(next, owner.meta.titlesOfOwners()...)
		}
	}
	return false
}

// title is what an owner of an object goes by.
func (w Reference) title(o *Object) string { return w.Kind + "/" + o.Namespace + "/" + w.Name }

func (o *Object) titlesOfOwners() (titles []string) {
	for _, w := range o.Owners {
		titles = append(titles, w.title(o))
	}
	return titles
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
