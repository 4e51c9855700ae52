package object

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/known"
)

// free are the kinds whose metadata may say anything: those of nodes and queues, and of what only others refer to.
var free = map[string]bool{
	"Node": true, "NodeResourceTopology": true, "Queue": true, "LocalQueue": true, "ConfigMap": true, "PriorityClass": true,
	"WorkloadPriorityClass": true, "PodDisruptionBudget": true, "HyperNode": true, "Topology": true, "ClusterNetworkTopology": true,
	"Reservation": true,
}

// checkKeys notes the keys of an object that nobody knows: in its placement blocks, and in the metadata of its own and of
// its templates under the prefixes of the systems that are read. What stands bare in templates counts as text, see quote.
func checkKeys(o *Object, keys verdicts, notices *Notices) {
	CheckBlock(o.Root, known.Blocks[o.Group+"/"+o.Kind])
	for _, inner := range known.Inners[o.Group+"/"+o.Kind] {
		at := o.Root
		for _, key := range inner.Path {
			at = at.Get(key)
		}
		CheckBlock(at, inner.Block)
	}
	if free[o.Kind] {
		return
	}
	if o.Kind == "Pod" {
		checkMetadata(o.Root, keys, known.OnPod)
		return
	}
	switch {
	case o.Kind == "LeaderWorkerSet":
		checkMetadata(o.Root, keys, known.OnLeader)
	case o.IsCopy():
		checkMetadata(o.Root, keys, known.OnCopy)
	default:
		checkMetadata(o.Root, keys, known.OnObject)
	}
	eachTemplate(o.Root.Get("spec"), func(template Field) {
		o.quote(template.Get("metadata"), notices)
		place := known.OnTemplate
		if o.Kind == "JobSet" && template.Value.Get("spec").Get("template") != nil || strings.HasPrefix(o.Kind, "Ray") {
			place = known.OnRole
		}
		checkMetadata(template, keys, place)
	})
}

// copying are the API groups of the PodGroups to which controllers give all labels and annotations of their owner.
var copying = map[string]bool{"scheduling.run.ai": true, "scheduling.volcano.sh": true, "scheduling.x-k8s.io": true, "scheduling.sigs.k8s.io": true}

// IsCopy says whether the keys of an object's metadata are those of its owner, and speak of that.
func (o *Object) IsCopy() bool { return o.Kind == "PodGroup" && copying[o.Group] && len(o.Owners) > 0 }

// CheckBlock notes the keys that are not known, at every depth. What is of another type is left to the reader.
func CheckBlock(f Field, b known.Block) {
	switch {
	case f.Value == nil || b == nil:
	case f.Value.Kind == document.List:
		for e := range f.All() {
			CheckBlock(e, b)
		}
	case f.Value.Kind == document.Mapping:
		for key, e := range f.Entries() {
			below, ok := b[key]
			if !ok {
				e.Fail("unknown field, did you mean " + known.Nearest(key, slices.Collect(maps.Keys(b))) + "?")
				continue
			}
			CheckBlock(e, below)
		}
	}
}

// verdicts are what becomes of keys, each judged once: many objects have the same.
type verdicts map[keyAt]known.Verdict

// keyAt is a key among the labels or annotations of an object at a place.
type keyAt struct {
	key string
	in  known.Side
	at  known.Place
}

func (all verdicts) of(key string, in known.Side, at known.Place) known.Verdict {
	v, ok := all[keyAt{key, in, at}]
	if !ok {
		v = known.Judge(key, in, at)
		all[keyAt{key, in, at}] = v
	}
	return v
}

// sides are the two maps of metadata.
var sides = []struct {
	name, other string
	in          known.Side
}{
	{"labels", "annotations", known.Labels},
	{"annotations", "labels", known.Annotations},
}

// checkMetadata notes annotations and labels that are read otherwise than they stand, and those that nobody knows. O(keys): only what is known,
// which is bounded, is looked for on the other side too.
func checkMetadata(of Field, keys verdicts, at known.Place) {
	for _, side := range sides {
		values := of.Value.Get("metadata").Get(side.name)
		if values == nil || values.Kind != document.Mapping {
			continue
		}
		meta := of.Get("metadata")
		other, base := meta.Value.Get(side.other), ""
		field := func(i int) Field { // paths are made for what is told alone
			if base == "" {
				base = meta.Get(side.name).Path()
			}
			return Field{Of: of.Of, Value: values}.entry(base, i)
		}
		for i, key := range values.Keys {
			v := keys.of(key, side.in, at)
			switch {
			case v.Unknown:
				of.Of.unknown(field(i))
			case known.SaysOne(key) && contradicts(other.Get(key), values.Items[i]):
				if side.in == known.Annotations { // once
					field(i).Fail("contradicts the label of that name, which says " + strconv.Quote(other.Get(key).Text))
				}
			case v.Objection != "" && !(v.WrongSide && other.Get(key) != nil):
				field(i).Fail(v.Objection)
			}
		}
	}
}

func contradicts(one, other *document.Value) bool { return one != nil && !one.Equal(other) }

// unknown notes a key that nobody knows, once.
func (o *Object) unknown(f Field) {
	if o.told[f.key] {
		return
	}
	if o.told == nil {
		o.told = map[string]bool{}
	}
	o.told[f.key] = true
	o.Unknown = append(o.Unknown, f)
}

// RefuseUnknown notes the keys that nobody knows as defects.
func (o *Object) RefuseUnknown() {
	for _, f := range o.Unknown {
		f.Fail("is not known here")
	}
}

// UnknownKey is a key that nobody knows, of objects of a kind.
type UnknownKey struct{ Kind, Key string }

// Unknown counts the objects with keys that nobody knows.
func (all *Set) Unknown() map[UnknownKey]int {
	var count map[UnknownKey]int
	for _, o := range all.List {
		if count == nil && len(o.Unknown) > 0 {
			count = map[UnknownKey]int{}
		}
		o.CountUnknown(count, 1)
	}
	return count
}

// CountUnknown counts an object with the keys of its that nobody knows, once more or less.
func (o *Object) CountUnknown(count map[UnknownKey]int, by int) {
	for _, f := range o.Unknown {
		key := UnknownKey{o.Kind, f.key}
		if count[key] += by; count[key] == 0 {
			delete(count, key)
		}
	}
}

// SaysAlike says whether two objects have the same owners, labels and annotations, but for some keys and those that nobody knows.
func (o *Object) SaysAlike(other *Object, but []string) bool {
	within := func(a, b map[string]string) bool {
		for key, value := range a {
			if b[key] != value && !o.told[key] && !other.told[key] && !slices.Contains(but, key) {
				return false
			}
		}
		return true
	}
	alike := func(a, b map[string]string) bool { return within(a, b) && within(b, a) }
	return slices.Equal(o.Owners, other.Owners) && alike(o.Labels, other.Labels) && alike(o.Annotations, other.Annotations)
}

// Told says how many objects have a key that nobody knows: `17 pods have volcano.sh/foo, which is not known here`.
func (k UnknownKey) Told(objects int) string {
	kind := k.Kind
	if kind == "Pod" {
		kind = "pod"
	}
	if objects == 1 {
		return "1 " + kind + " has " + k.Key + ", which is not known here"
	}
	return Plural(objects, kind) + " have " + k.Key + ", which is not known here"
}

// quote makes text of the bare booleans and whole numbers among labels and annotations, which the API server would refuse,
// and says so.
func (o *Object) quote(meta Field, notices *Notices) {
	for _, name := range []string{"labels", "annotations"} {
		values := meta.Value.Get(name)
		if values == nil || values.Kind != document.Mapping {
			continue
		}
		o.respell(meta.Get(name))
		for i, v := range values.Items {
			if v.Kind == document.Boolean || v.Kind == document.Integer {
				values.Items[i] = &document.Value{Kind: document.Text, Line: v.Line, Text: v.Text}
				at := meta.Get(name).Get(values.Keys[i]).Path()
				notices.Add(o.Title() + ": " + at + " is " + v.Kind.String() + ": it counts as the text " + v.Text)
			}
		}
	}
}

// respell gives the keys that Koordinator writes with `internal.` before them the spelling without. Where both stand they must
// say the same.
func (o *Object) respell(values Field) {
	for i, key := range values.Value.Keys {
		plain, is := strings.CutPrefix(key, "internal.")
		if !is || !strings.HasPrefix(plain, "scheduling.koordinator.sh/") {
			continue
		}
		if other := values.Value.Get(plain); other == nil {
			values.Value.Keys[i] = plain
		} else if !other.Equal(values.Value.Items[i]) {
			values.Get(key).Fail("contradicts " + plain)
		}
	}
}

// RefuseUnasked notes the annotations of an object and of its templates that have hard rules, and that no reader has asked for:
// the object is not one whose gang has rules there. Where pods are given, what pods are asked for need not stand in templates.
func (o *Object) RefuseUnasked(pods bool) {
	refuse := func(of Field, skip string) {
		notes := of.Value.Get("metadata").Get("annotations")
		for _, key := range known.HardRules {
			if v := notes.Get(key); v != nil && !v.Asked && (skip == "" || !strings.HasPrefix(key, skip)) {
				of.Get("metadata").Get("annotations").Get(key).Fail("is not read from " + o.Kind + " objects of " + o.Version)
			}
		}
	}
	refuse(o.Root, "")
	eachTemplate(o.Root.Get("spec"), func(template Field) {
		refuse(template, map[bool]string{true: "gang.scheduling.koordinator.sh/"}[pods])
	})
}

// eachTemplate finds the pod templates of an owner, at any depth.
func eachTemplate(f Field, found func(template Field)) {
	switch {
	case f.Value == nil:
	case f.Value.Kind == document.List:
		for e := range f.All() {
			eachTemplate(e, found)
		}
	case f.Value.Kind == document.Mapping:
		for key, e := range f.Entries() {
			if key == "template" && e.Value != nil && e.Value.Kind == document.Mapping {
				found(e)
			}
			eachTemplate(e, found)
		}
	}
}
