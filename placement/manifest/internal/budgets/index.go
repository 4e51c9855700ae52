package budgets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/labels"
)

// mostBudgets is how many budgets a pod may be compared with: those that no label tells apart. Kubernetes evicts no pod that more than one
// selects.
const mostBudgets = 256

// index finds the budgets of a namespace that select a pod. A pod is not compared with budgets of which it has no more than a common label.
type index struct {
	list  []*budget
	terms labels.Terms
	about map[string]bool // labels that some selector is about
	// known are the budgets of pods, by what their labels say to the selectors, and lists the ones of equal names.
	known, lists map[string][]string
	compared     int // for tests
}

// index is that of a namespace. O(values of all its selectors), once.
func (all *All) index(namespace string) *index {
	if x := all.indexes[namespace]; x != nil {
		return x
	}
	x := &index{about: map[string]bool{}, known: map[string][]string{}, lists: map[string][]string{}}
	var terms []*labels.Term
	for _, b := range all.bySpace[namespace] {
		if b.none {
			continue
		}
		x.list, terms = append(x.list, b), append(terms, b.selector)
		for _, key := range b.selector.Labels() {
			x.about[key] = true
		}
	}
	x.terms = labels.Index(terms)
	if all.indexes == nil {
		all.indexes = map[string]*index{}
	}
	all.indexes[namespace] = x
	return x
}

// selecting names the budgets that select a pod with these labels, in natural order; false: too many may.
func (x *index) selecting(labels map[string]string) (names []string, ok bool) {
	var says []string
	for key, value := range labels {
		if x.about[key] {
			says = append(says, fmt.Sprintf("%q=%q", key, value)) // quoted, as labels of a file may hold any byte
		}
	}
	slices.Sort(says)
	said := strings.Join(says, ",")
	if names, ok = x.known[said]; ok {
		return names, true
	}
	looks := 0
	for i := range x.terms.MayMatch("", labels) {
		if looks++; looks > mostBudgets {
			return nil, false
		}
		if x.list[i].selector.Matches("", labels) {
			names = append(names, x.list[i].name)
		}
	}
	x.compared += looks
	slices.SortFunc(names, muster.CompareNatural)
	if list := fmt.Sprintf("%q", names); x.lists[list] != nil {
		names = x.lists[list]
	} else {
		x.lists[list] = names
	}
	x.known[said] = names
	return names, true
}
