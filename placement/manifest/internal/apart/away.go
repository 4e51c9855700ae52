package apart

import (
	"fmt"
	"maps"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Kubernetes asks pods that are there, too, before it places another one: those that they keep away stay away.

// handle is what every pod that a term selects has: a namespace, and in it a label, or the key of one. Empty: any.
type handle struct{ space, key, value string }

// name is the handle among the names of other things.
func (h handle) name() string { return "Away/" + h.space + "/" + h.key + "=" + h.value }

// keeper is a term of pods in a namespace: of a gang, or of others too.
type keeper struct {
	term        *Term
	space, whom string
	gang        string
	others      bool
	told        bool // to the gang itself in another way
}

// mostKeepers bounds the terms that are looked at for a pod: beyond them it counts as selected.
const mostKeepers = 256

// keep notes a term of a pod of a gang, and names whom it selects.
func (g *Gangs) keep(of, namespace string, t *Term, told bool) (names []string) {
	if g.by == nil {
		g.by = map[handle][]keeper{}
	}
	next := keeper{term: t, space: namespace, whom: t.whom(namespace), gang: of, told: told}
	for _, h := range t.handles(namespace) {
		names = append(names, h.name())
		list := g.by[h]
		switch at := slices.IndexFunc(list, func(k keeper) bool { return k.whom == next.whom }); {
		case at >= 0:
			list[at].others, list[at].told = list[at].others || list[at].gang != of, list[at].told && told
		case len(list) <= mostKeepers:
			g.by[h] = append(list, next)
		default:
			g.crowd(h)
		}
	}
	return names
}

func (g *Gangs) crowd(h handle) {
	if g.crowded == nil {
		g.crowded = map[handle]bool{}
	}
	g.crowded[h] = true
}

// See notes a pod of a gang, once the terms of all are known, and asks for whom may select it. O(labels * log labels + mostKeepers * selector).
func (g *Gangs) See(of, namespace string, labels map[string]string, names *object.Names) {
	if len(g.by) == 0 && names == nil {
		return
	}
	looks := 0
	for _, h := range handlesOf(namespace, labels) {
		if names != nil {
			names.Ask(h.name())
		}
		for _, k := range g.by[h] {
			if k.gang == of && !k.others || g.beyond[k.whom] {
				continue
			}
			if looks++; looks > mostKeepers {
				g.crowd(h)
				break
			}
			if k.term.selects(k.space, namespace, labels) {
				if g.beyond == nil {
					g.beyond = map[string]bool{}
				}
				g.beyond[k.whom] = true
			}
		}
	}
}

// KeepAway says whether a term keeps away a pod of a gang: one of other pods or, unless the gang keeps its own, of these.
// O(labels * log labels + mostKeepers * selector).
func (g *Gangs) KeepAway(of string, keepsOwn bool, namespace string, labels map[string]string) bool {
	if len(g.by) == 0 {
		return false
	}
	looks := 0
	for _, h := range handlesOf(namespace, labels) {
		for _, k := range g.by[h] {
			if (keepsOwn || k.told) && k.gang == of && !k.others {
				continue
			}
			if looks++; looks > mostKeepers || k.term.selects(k.space, namespace, labels) {
				return true
			}
		}
	}
	return false
}

// handlesOf are the handles of a pod.
func handlesOf(namespace string, labels map[string]string) (all []handle) {
	keys := slices.Sorted(maps.Keys(labels))
	for _, space := range []string{"", namespace} {
		all = append(all, handle{space: space})
		for _, key := range keys {
			all = append(all, handle{space, key, ""})
			if labels[key] != "" {
				all = append(all, handle{space, key, labels[key]})
			}
		}
	}
	return all
}

// fewSpaces are so few namespaces that a term with several values has handles in each.
const fewSpaces = 4

// handles are those of which each pod that the term selects has one.
func (t *Term) handles(own string) (all []handle) {
	if t.nobody {
		return nil
	}
	key, values := t.narrow()
	spaces := t.spaces(own)
	if len(spaces) > fewSpaces && len(values) > 1 {
		spaces = []string{""} // not the product of both
	}
	for _, space := range spaces {
		for _, value := range values {
			all = append(all, handle{space, key, value})
		}
	}
	return all
}

// narrow is a label that each pod has that the term selects, with its possible values; an empty value is any.
func (t *Term) narrow() (key string, values []string) {
	for _, key := range slices.Sorted(maps.Keys(t.equal)) {
		return key, []string{t.equal[key]}
	}
	for _, x := range t.among {
		if x.Operator == gang.In {
			return x.Key, x.Values
		}
		if x.Operator == gang.Exists {
			return x.Key, []string{""}
		}
	}
	return "", []string{""}
}

// spaces are the namespaces of whom a term of a pod selects; an empty one is any.
func (t *Term) spaces(own string) []string {
	switch {
	case t.everywhere:
		return []string{""}
	case len(t.namespaces) > 0:
		return t.namespaces
	}
	return []string{own}
}

// selects says whether a term of a pod in a namespace selects a pod in another one.
func (t *Term) selects(own, namespace string, labels map[string]string) bool {
	return !t.nobody && (t.everywhere || slices.Contains(t.spaces(own), namespace)) && t.labels.Matches("", labels)
}

// whom is equal for terms of pods in a namespace that select the same.
func (t *Term) whom(own string) string {
	return fmt.Sprintf("%q %s", t.spaces(own), t.selector)
}
