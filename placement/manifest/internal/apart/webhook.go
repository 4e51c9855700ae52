package apart

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Added are terms that the webhook of an owner writes into a pod for an annotation: within a domain of a key, and nobody else of that owner's kind there.
// The limit that the annotation is says the same, and more.
type Added struct {
	Note, Key string
	// Draws says that there is an affinity to the pod's own group, Terms has the anti-affinities to other groups.
	Draws bool
	Terms []Term
}

// webhooks are those that add terms: by an annotation, for pods with the same value of a label.
var webhooks = []struct {
	note, label string
	also        string // a label that those who are kept away share in newer releases
	everywhere  bool   // they are in any namespace
}{
	{note: ExclusiveGroups, label: "leaderworkerset.sigs.k8s.io/group-key"},
	{note: ExclusiveSubgroups, label: "leaderworkerset.sigs.k8s.io/subgroup-key"},
	{note: ExclusiveJobs, label: "jobset.sigs.k8s.io/job-key", also: "jobset.sigs.k8s.io/priority", everywhere: true},
}

// Required reads the required affinities of the spec of a pod, or of a template, with this metadata: its anti-affinities, whether it has
// affinities, and apart from both what a webhook added. O(terms and their values).
func Required(spec, meta object.Field) (terms []Term, drawn bool, added []Added) {
	affinity := spec.Sub("affinity")
	away, together := required(affinity.Sub("podAntiAffinity")), required(affinity.Sub("podAffinity"))
	if len(away)+len(together) == 0 {
		return nil, false, nil
	}
	labels := meta.Get("labels")
	notes := meta.Get("annotations").Value
	for _, v := range away {
		t := read(v, labels)
		at := addedBy(v, &t, labels.Value, notes, true, &added)
		if at == nil {
			terms = append(terms, t)
		} else {
			at.Terms = append(at.Terms, t)
		}
	}
	for _, v := range together {
		t := read(v, labels)
		if at := addedBy(v, &t, labels.Value, notes, false, &added); at == nil {
			drawn = true
		} else {
			at.Draws = true
		}
	}
	return terms, drawn, added
}

// required are the required terms of an affinity or anti-affinity.
func required(affinity object.Field) []*document.Value {
	list := affinity.Get("requiredDuringSchedulingIgnoredDuringExecution")
	if !list.Is(document.List) {
		return nil
	}
	return list.Value.Items
}

// noted is what was added for an annotation.
func noted(added *[]Added, note, key string) *Added {
	at := slices.IndexFunc(*added, func(a Added) bool { return a.Note == note })
	if at < 0 {
		at, *added = len(*added), append(*added, Added{Note: note, Key: key})
	}
	return &(*added)[at]
}

// addedBy is where a term that stands at v counts among what webhooks added to a pod with these labels and annotations. Nil: it says anything else, and
// is the pod's own.
func addedBy(v *document.Value, t *Term, labels, notes *document.Value, keepsAway bool, added *[]Added) *Added {
	key, in, selector := text(v.Get("topologyKey")), v.Get("namespaceSelector"), v.Get("labelSelector")
	list := selector.Get("matchExpressions")
	if key == "" || list == nil || len(list.Items) != len(t.among) || !only(selector, "matchExpressions") || !only(v, "labelSelector", "topologyKey", "namespaceSelector") {
		return nil
	}
	for i := range webhooks {
		w := &webhooks[i]
		mine, also := text(labels.Get(w.label)), text(labels.Get(w.also))
		if mine == "" || text(notes.Get(w.note)) != key || w.everywhere != (in != nil) || in != nil && (in.Kind != document.Mapping || len(in.Keys) > 0) {
			continue
		}
		says := []gang.Expression{{Key: w.label, Operator: gang.In, Values: []string{mine}}}
		if keepsAway {
			says = []gang.Expression{{Key: w.label, Operator: gang.Exists}, {Key: w.label, Operator: gang.NotIn, Values: []string{mine}}}
		}
		if keepsAway && also != "" && len(t.among) > len(says) {
			says = append(says, gang.Expression{Key: w.also, Operator: gang.In, Values: []string{also}})
		}
		if sameExpressions(t.among, says) {
			return noted(added, w.note, key)
		}
	}
	return nil
}

// sameExpressions says whether two lists have the same expressions, in any order.
func sameExpressions(a, b []gang.Expression) bool {
	has := func(list []gang.Expression, x gang.Expression) bool {
		return slices.ContainsFunc(list, func(y gang.Expression) bool {
			return x.Key == y.Key && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
		})
	}
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x gang.Expression) bool { return !has(b, x) }) &&
		!slices.ContainsFunc(b, func(x gang.Expression) bool { return !has(a, x) })
}
