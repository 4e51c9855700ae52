// Package whatif answers: which nodes and gangs do the names mean that somebody asks about, and what are the objects without them? It knows
// names, patterns and domains of topologies, and changes a set of objects before it is read.
package whatif

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
	"github.com/muster-sched/muster/topology"
)

// Asked are the names of options.
type Asked struct {
	WithoutNodes, WithoutDomains, WithoutGangs, Returned []string
	Topology                                             string   // of the domains; empty: that which has them
	Layers                                               []string // of labels; one that no node has is an error
}

// Nothing says whether nobody asks for anything.
func (a *Asked) Nothing() bool {
	return len(a.WithoutNodes)+len(a.WithoutDomains)+len(a.WithoutGangs)+len(a.Returned) == 0
}

// Nodes are those that are left out, and those that are back in service and were not, in natural order.
type Nodes struct{ Without, Returned []string }

// ChangeNodes forgets the nodes that are left out, and brings back those that are to be. Read reads a copy of the objects, to
// say which topologies there are.
func (a *Asked) ChangeNodes(objects *object.Set, read func(copied *object.Set) []cluster.NamedTree) (changed Nodes, err error) {
	objects.Drop(func(*object.Object) bool { return false }) // what others stand for
	var all []string
	for _, o := range objects.List {
		if isNode(o) {
			all = append(all, o.Name)
		}
	}
	without, returned := map[string]bool{}, map[string]bool{}
	if err := choose("WithoutNodes", "node", a.WithoutNodes, all, without); err != nil {
		return changed, err
	}
	if err := choose("Returned", "node", a.Returned, all, returned); err != nil {
		return changed, err
	}
	if len(a.WithoutDomains) > 0 {
		copied, _ := objects.Copy()
		if err := a.chooseDomains(read(copied), without); err != nil {
			return changed, err
		}
	}
	objects.Drop(func(o *object.Object) bool { return isNode(o) && without[o.Name] })
	back := map[string]bool{}
	for _, o := range objects.List {
		if isNode(o) && returned[o.Name] && returnToService(o) {
			back[o.Name] = true
		}
	}
	return Nodes{object.SortedKeys(without), object.SortedKeys(back)}, a.checkLayers(objects)
}

// checkLayers says of the layers which one no node has; where there is no node at all, that is what is told.
func (a *Asked) checkLayers(objects *object.Set) error {
	var labeled []topology.LabeledNode
	for _, o := range objects.List {
		if isNode(o) && len(a.Layers) > 0 {
			labeled = append(labeled, topology.LabeledNode{Name: o.Name, Labels: o.Labels})
		}
	}
	if len(labeled) == 0 {
		return nil
	}
	_, err := trees.LayersOf(a.Layers, labeled)
	return err
}

func isNode(o *object.Object) bool { return o.Kind == "Node" && o.Group == "" }

// choose adds what each of some names means.
func choose(option, what string, names, all []string, to map[string]bool) error {
	for i, name := range names {
		called, err := chosen(option, what, i, name, all)
		if err != nil {
			return err
		}
		for _, n := range called {
			to[n] = true
		}
	}
	return nil
}

// chosen are those of all names that one in an option means: itself or, where nobody is called so, those that it matches as a pattern. The
// error tells the nearest one.
func chosen(option, what string, i int, name string, all []string) (names []string, err error) {
	if slices.Contains(all, name) {
		return []string{name}, nil
	}
	isPattern := strings.ContainsAny(name, `*?[`)
	if isPattern {
		for _, n := range all {
			if ok, err := path.Match(name, n); err == nil && ok {
				names = append(names, n)
			}
		}
	}
	var reason string
	switch {
	case len(names) > 0:
		return names, nil
	case len(all) == 0:
		reason = fmt.Sprintf("there is no %s at all", what)
	case isPattern:
		reason = fmt.Sprintf("no %s has a name of this pattern", what)
	case what == "gang":
		reason = fmt.Sprintf("no such %s; the nearest one is %s", what, known.NearestName(name, all))
	default:
		reason = fmt.Sprintf("no such %s; the nearest one is %s", what, known.Nearest(name, all))
	}
	return nil, muster.Invalid(fmt.Sprintf("options.%s[%d]", option, i), name, reason)
}

// returnToService makes an object of a node the one that it is once somebody has uncordoned it and its controllers have seen it ready, and
// says whether it was another one.
func returnToService(o *object.Object) bool {
	old := o.Root.Value
	root := old.Clone() // of what is parsed nobody changes what it says
	o.Root.Value = root
	spec, status := root.Get("spec"), root.Get("status")
	if flag := spec.Get("unschedulable"); flag != nil && flag.Text == "true" {
		*flag = document.Value{Kind: document.Boolean, Text: "false", Line: flag.Line}
	}
	if taints := spec.Get("taints"); taints != nil && taints.Kind == document.List {
		taints.Items = slices.DeleteFunc(taints.Items, func(t *document.Value) bool {
			key := t.Get("key")
			return key != nil && key.Kind == document.Text && cluster.EndsWithOutage(gang.Taint{Key: key.Text})
		})
	}
	if conditions := status.Get("conditions"); conditions != nil && conditions.Kind == document.List {
		for _, c := range conditions.Items {
			kind, says := c.Get("type"), c.Get("status")
			if kind != nil && kind.Text == "Ready" && says != nil {
				*says = document.Value{Kind: document.Text, Text: "True", Line: says.Line}
			}
		}
	}
	return !root.Equal(old)
}
