package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// budget is a PodDisruptionBudget.
type budget struct {
	name     string
	selector labelSelector
	none     bool // it selects nothing
	// allowed is what its status tells, if it does.
	allowed int
	told    bool
	// least are to stay available, or most may be unavailable; without either nobody may leave.
	least, most portion
	// bound are the selected members on nodes, staying those of them that are not leaving.
	bound, staying int
}

// budgets are the budgets of the input, by namespace.
type budgets struct {
	bySpace map[string][]*budget
	// shared are the lists that members have, by the names in them, since few differ.
	shared map[string][]string
	list   []cluster.Budget // in natural order of names, once they are counted
}

// readBudget reads a PodDisruptionBudget. In policy/v1 an empty selector selects the whole namespace, in v1beta1 nothing, as does a
// missing one in both.
func (all *budgets) readBudget(o *object.Object) {
	spec := o.Root.Sub("spec")
	selector := spec.Sub("selector")
	b := &budget{
		name: o.FullName(), selector: readLabelSelector(selector),
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

// budgetsOf lists the budgets that a member on a node counts in, and counts it there.
func (all *budgets) of(d *draft, m *member) []string {
	if len(all.bySpace) == 0 {
		return nil
	}
	var names []string
	for _, b := range all.bySpace[d.place().Namespace] {
		if b.none || !b.selector.matches(m.labels) {
			continue
		}
		names = append(names, b.name)
		if b.bound++; !m.leaving {
			b.staying++
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(names, muster.CompareNatural)
	key := fmt.Sprintf("%q", names)
	if all.shared == nil {
		all.shared = map[string][]string{}
	}
	if all.shared[key] == nil {
		all.shared[key] = names
	}
	return all.shared[key]
}

// countBudgets says how many members may leave, when all members are known. Those that are leaving already are missed.
func (all *budgets) count() {
	for _, list := range all.bySpace {
		for _, b := range list {
			if !b.told {
				b.allowed = max(0, b.staying-b.wanted())
			}
			all.list = append(all.list, cluster.Budget{Name: b.name, Allowed: b.allowed})
		}
	}
	slices.SortFunc(all.list, func(a, b cluster.Budget) int { return muster.CompareNatural(a.Name, b.Name) })
}

// wanted is how many of the selected members are to stay.
func (b *budget) wanted() int {
	switch {
	case b.least.given:
		return b.least.of(b.bound)
	case b.most.given:
		return max(0, b.bound-b.most.of(b.bound))
	}
	return b.bound
}
