// Package apart answers: whom do the members of a gang keep away, by what files say? It reads anti-affinities of pods, makes limits of
// them and of exclusive topologies, and says which requests with limits can be planned.
//
// Nothing here is a defect of its object: a term that says more than a limit can is one that is not kept. What it returns belongs to the
// caller; requests are changed by [Drop] alone.
package apart

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Alone makes limits of the rules of an exclusive topology: nobody else is in the domain.
func Alone(rules []gang.Rule) (limits []gang.Limit) {
	for _, r := range rules {
		limits = append(limits, gang.Limit{Layer: r.Layer, Kind: gang.Alone})
	}
	return limits
}

// Term is a required anti-affinity of a pod.
type Term struct {
	// Key is the label of the nodes whose domains it speaks of; empty: the term says what no limit does.
	Key        string
	namespaces []string // empty: that of the pod
	equal      map[string]string
	among      []gang.Expression
	labels     *labels.Term // both, of the pods that it selects
	selector   string       // equal for selectors that read the same
	says       string       // equal for terms that do; empty without a key
	// What no limit says is read as far as it can be: the term selects no others.
	everywhere bool // in namespaces that a selector chooses
	nobody     bool
}

// read reads a term; one that it cannot read whole has no key.
func read(v *document.Value, own object.Field) (t Term) {
	selector := v.Get("labelSelector")
	if t.nobody = selector == nil; t.nobody {
		return t
	}
	namespaces, whole := texts(v.Get("namespaces"))
	t.namespaces, t.everywhere = namespaces, !whole || v.Get("namespaceSelector") != nil
	whole = t.readLabels(selector.Get("matchLabels")) && t.readExpressions(selector.Get("matchExpressions")) && whole
	whole = t.readOwn(v.Get("matchLabelKeys"), gang.In, own) && t.readOwn(v.Get("mismatchLabelKeys"), gang.NotIn, own) && whole
	t.selector = fmt.Sprint(t.equal, t.among) // maps print in the order of their keys
	t.labels = labels.Selector(t.equal, gang.NodeTerm{Labels: t.among})
	whole = whole && only(v, "labelSelector", "topologyKey", "namespaces", "matchLabelKeys", "mismatchLabelKeys") && only(selector, "matchLabels", "matchExpressions")
	if key, _ := t.narrow(); whole && key != "" { // else all pods, but for some
		t.Key = text(v.Get("topologyKey"))
		t.says = fmt.Sprintf("%q %q %s", t.Key, namespaces, t.selector)
	}
	return t
}

// readLabels reads labels that must be equal; false if one is no text.
func (t *Term) readLabels(v *document.Value) bool {
	if v == nil || v.IsNothing() {
		return true
	}
	t.equal = map[string]string{}
	for i, key := range v.Keys {
		if v.Items[i].Kind != document.Text {
			return false
		}
		t.equal[key] = v.Items[i].Text
	}
	return v.Kind == document.Mapping
}

// readExpressions reads expressions; false if one means nothing.
func (t *Term) readExpressions(v *document.Value) bool {
	if v == nil || v.IsNothing() {
		return true
	}
	for _, e := range v.Items {
		values, ok := texts(e.Get("values"))
		x := gang.Expression{Key: text(e.Get("key")), Operator: gang.Operator(text(e.Get("operator"))), Values: values}
		switch x.Operator {
		case gang.In, gang.NotIn:
			ok = ok && len(values) > 0
		case gang.Exists, gang.DoesNotExist:
			ok = ok && len(values) == 0
		default:
			ok = false
		}
		if !ok || x.Key == "" || !only(e, "key", "operator", "values") {
			return false
		}
		t.among = append(t.among, x)
	}
	return v.Kind == document.List
}

// readOwn reads keys of labels of which the selected pods have the value of the pod itself, or another one; a key that the pod lacks says
// nothing. False if they are no keys, or what controllers make of a template may have one that the template lacks.
func (t *Term) readOwn(v *document.Value, operator gang.Operator, own object.Field) bool {
	keys, ok := texts(v)
	if len(keys) == 0 {
		return ok
	}
	labels := own.TextMap()
	for _, key := range keys {
		if value, has := labels[key]; has {
			t.among = append(t.among, gang.Expression{Key: key, Operator: operator, Values: []string{value}})
		} else if own.Of == nil || own.Of.Kind != "Pod" {
			ok = false
		}
	}
	return ok
}

// only says whether a mapping has no other keys with a value.
func only(v *document.Value, keys ...string) bool {
	for i, key := range v.Keys {
		if !v.Items[i].IsNothing() && !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

// text is the text of a value, empty if it is something else.
func text(v *document.Value) string {
	if v == nil || v.Kind != document.Text {
		return ""
	}
	return v.Text
}

// texts reads a list of texts; false if it is something else.
func texts(v *document.Value) (out []string, ok bool) {
	if v == nil || v.IsNothing() {
		return nil, true
	}
	for _, item := range v.Items {
		if item.Kind != document.Text {
			return nil, false
		}
		out = append(out, item.Text)
	}
	return out, v.Kind == document.List
}

// Pod is a member, with its labels.
type Pod struct {
	Terms  []Term
	Labels map[string]string
}

// Common lists the terms by which all members of a gang, whose pods are in one namespace, keep away from each other. all is false if one
// of them has another term too. O(terms of all members).
func Common(namespace string, pods []Pod) (terms []Term, all bool) {
	having := map[string]int{} // pods, by what their terms say
	for _, p := range pods {
		seen := map[string]bool{}
		for i := range p.Terms {
			if says := p.Terms[i].says; !seen[says] {
				seen[says] = true
				having[says]++
			}
		}
	}
	seen := map[string]bool{}
	for i := range pods[0].Terms {
		t := &pods[0].Terms[i]
		elsewhere := slices.ContainsFunc(t.namespaces, func(name string) bool { return name != namespace })
		if t.Key == "" || elsewhere || seen[t.says] || having[t.says] < len(pods) {
			continue
		}
		seen[t.says] = true
		if !slices.ContainsFunc(pods, func(p Pod) bool { return !t.labels.Matches("", p.Labels) }) {
			terms = append(terms, *t)
		}
	}
	return terms, len(terms) == len(having)
}

// Gangs knows whom the required anti-affinities of all pods keep away from them, running or waiting. The zero value knows of none.
type Gangs struct {
	with map[string]int // gangs whose pods have a term, by what it selects
	by   map[handle][]keeper
	// beyond has what terms select that select pods of others than their gang, by whom; crowded the handles at which there are too many terms,
	// or pods with too many, to say.
	beyond  map[string]bool
	crowded map[handle]bool
}

// Add notes the terms of a gang's pods, which are in one namespace, and names what they select. O(members * terms * mostKeepers).
func (g *Gangs) Add(of, namespace string, pods []Pod) (names []string) {
	seen := map[string]bool{}
	for _, p := range pods {
		for i := range p.Terms {
			seen[p.Terms[i].name(namespace)] = true
			names = append(names, g.keep(of, namespace, &p.Terms[i], false)...)
		}
	}
	for name := range seen {
		if g.with == nil {
			g.with = map[string]int{}
		}
		g.with[name]++
	}
	return slices.AppendSeq(names, maps.Keys(seen))
}

// AddTold notes terms of a gang's pod that the gang itself knows of, so that they keep away others alone, and names what they select.
func (g *Gangs) AddTold(of, namespace string, terms []Term) (names []string) {
	for i := range terms {
		names = append(names, g.keep(of, namespace, &terms[i], true)...)
	}
	return names
}

// Alone says whether no other gang has pods with this term, or that it selects, once all pods were seen. O(handles).
func (g *Gangs) Alone(namespace string, t *Term) bool {
	return g.with[t.name(namespace)] < 2 && !g.beyond[t.whom(namespace)] &&
		!slices.ContainsFunc(t.handles(namespace), func(h handle) bool { return g.crowded[h] })
}

// name tells what the pods of a namespace select by the term, among the names of other things.
func (t *Term) name(namespace string) string { return "Apart/" + namespace + "/" + t.selector }
