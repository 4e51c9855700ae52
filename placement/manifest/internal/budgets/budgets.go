// Package budgets answers: how many members may leave at once? It reads PodDisruptionBudgets, and counts the members that each selects.
package budgets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/selectors"
)

// budget is a PodDisruptionBudget.
type budget struct {
	name     string
	selector *labels.Term
	none     bool // it selects nothing
	// allowed is what its status tells, if it does.
	allowed int
	told    bool
	// least are to stay available, or most may be unavailable; without either nobody may leave.
	least, most portion
}

// Counts are the members on nodes that budgets select, by the name of the budget.
type Counts map[string]counted

// counted are those of one budget, staying those of them that are not leaving.
type counted struct{ bound, staying int }

// All are the budgets of the input, by namespace. The zero value has none.
type All struct {
	bySpace map[string][]*budget
	indexes map[string]*index // of them, made when first asked for
}

// Read reads a PodDisruptionBudget. In policy/v1 an empty selector selects the whole namespace, in v1beta1 nothing, as does a
// missing one in both.
func (all *All) Read(o *object.Object) {
	spec := o.Root.Sub("spec")
	selector := spec.Sub("selector")
	b := &budget{
		name: o.FullName(), selector: selectors.ReadLabels(selector),
		least: readPortion(spec.Get("minAvailable")), most: readPortion(spec.Get("maxUnavailable")),
	}
	empty := !selector.Get("matchLabels").Present() && !selector.Get("matchExpressions").Present()
	b.none = !selector.Present() || empty && o.Version == "policy/v1beta1"
	if b.least.given && b.most.given {
		spec.Get("maxUnavailable").Fail("excludes minAvailable")
	}
	b.allowed, b.told = o.Root.Sub("status").Get("disruptionsAllowed").Whole(0)
	if all.bySpace == nil {
		all.bySpace = map[string][]*budget{}
	}
	all.bySpace[o.Namespace] = append(all.bySpace[o.Namespace], b)
	delete(all.indexes, o.Namespace)
}

// portion is a number of members, or a percentage of them.
type portion struct {
	n              int
	percent, given bool
}

// readPortion reads a number, or a percentage up to 100%.
func readPortion(f object.Field) portion {
	p := portion{given: f.Present()}
	if f.Value == nil || f.Value.Kind != document.Text {
		p.n, _ = f.Whole(0)
		return p
	}
	digits, isPercent := strings.CutSuffix(f.Value.Text, "%")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !isPercent || err != nil || n > 100 {
		f.Fail("neither a whole number nor a percentage up to 100%")
		return p
	}
	p.n, p.percent = int(n), true
	return p
}

// of is the portion of so many members, rounded up as Kubernetes does.
func (p portion) of(members int) int {
	if p.percent {
		return (p.n*members + 99) / 100
	}
	return p.n
}

// Of lists the budgets that a member on a node counts in, by its labels, and counts it there. Members whose labels say the same to all
// selectors share a slice. A pod that would have to be compared with too many has a defect, and counts in none.
func (all *All) Of(pod *object.Object, namespace string, labels map[string]string, leaving bool, bound Counts) []string {
	if len(all.bySpace) == 0 {
		return nil
	}
	names, ok := all.index(namespace).selecting(labels)
	if !ok {
		pod.Note(&object.Defect{Line: pod.Root.Line, Field: "metadata.labels", Reason: fmt.Sprintf("more than %d PodDisruptionBudgets may select it", mostBudgets)})
	}
	for _, name := range names {
		c := bound[name]
		if c.bound++; !leaving {
			c.staying++
		}
		bound[name] = c
	}
	return names
}

// Allowed says how many members may leave, in natural order of names. Those that are leaving already are missed.
func (all *All) Allowed(bound Counts) (list []cluster.Budget) {
	for _, of := range all.bySpace {
		for _, b := range of {
			n := b.allowed
			if !b.told {
				c := bound[b.name]
				n = max(0, c.staying-b.wanted(c.bound))
			}
			list = append(list, cluster.Budget{Name: b.name, Allowed: n})
		}
	}
	slices.SortFunc(list, func(a, b cluster.Budget) int { return muster.CompareNatural(a.Name, b.Name) })
	return list
}

// wanted is how many of so many selected members are to stay.
func (b *budget) wanted(bound int) int {
	switch {
	case b.least.given:
		return b.least.of(bound)
	case b.most.given:
		return max(0, bound-b.most.of(bound))
	}
	return bound
}

// Add adds other members.
func (bound Counts) Add(more Counts) {
	for name, c := range more {
		bound[name] = counted{bound[name].bound + c.bound, bound[name].staying + c.staying}
	}
}
