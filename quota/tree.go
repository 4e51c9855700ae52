package quota

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// missing is the amount of a key that a spec does not name.
const missing = -1

// Tree is the quotas and how they hang together. It is immutable and safe for concurrent use. A nil Tree and the zero one
// have no quotas. Quotas have dense ids: parents
// before their children, the children of one parent in a row, in natural order of names.
type Tree struct {
	specs     []Spec
	byName    map[string]int32
	parent    []int32 // -1 at the top
	first     []int32 // of the children; those of the root lie in [0, top)
	end       []int32
	top       int32
	resources []string // that some quota governs, in natural order

	// By id, then resource; missing where the spec has no such key. A weight that is missing here as well is the total.
	min, max, weight []int64
	most             []int64 // the own or inherited maximum; none: the largest amount
	bounded          []bool  // whether there is one
	secured          []int64 // the guarantee; without a maximum it is no more than the total
}

// New reads a tree. The amounts stay the caller's and must not change afterwards. All defects are reported, joined, each an
// [muster.InvalidError] whose field is `quota NAME.FIELD`, with `.RESOURCE` behind it where one amount is meant: an empty or
// duplicate name, an unknown parent, a cycle, a negative amount, a minimum above the maximum, a maximum for a resource for
// which the parent's has none, minima of children that add up to more than the parent's. O(n log n) for n quotas, times the
// resources.
func New(specs []Spec) (*Tree, error) {
	var d defects
	t := &Tree{byName: make(map[string]int32, len(specs))}
	for i := range specs {
		checkAmounts(&d, &specs[i])
	}
	t.order(&d, specs)
	t.readAmounts(&d)
	if len(d) > 0 {
		return nil, errors.Join(d...)
	}
	t.bound()
	t.secure()
	return t, nil
}

// noQuotas stands for a nil tree.
var noQuotas Tree

func (t *Tree) orEmpty() *Tree {
	if t == nil {
		return &noQuotas
	}
	return t
}

// defects collects everything that is wrong with a tree, so that a user sees it at once.
type defects []error

func (d *defects) add(quota, field string, value any, reason string) {
	*d = append(*d, &muster.InvalidError{Field: "quota " + quota + "." + field, Value: fmt.Sprint(value), Reason: reason})
}

// order gives the quotas their ids, those that are not on a cycle or below one.
func (t *Tree) order(d *defects, specs []Spec) {
	byName, below := map[string]*Spec{}, map[string][]*Spec{}
	for i := range specs {
		s := &specs[i]
		switch other := byName[s.Name]; {
		case s.Name == "":
			d.add("", "name", "", fmt.Sprintf("the quota at %d has no name", i))
		case other != nil:
			d.add(s.Name, "name", s.Name, "duplicate name")
		default:
			byName[s.Name] = s
			below[s.Parent] = append(below[s.Parent], s)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(byName), muster.CompareNatural) {
		if s := byName[name]; s.Parent != "" && byName[s.Parent] == nil {
			d.add(name, "parent", s.Parent, "unknown quota")
		}
	}
	for _, list := range below {
		slices.SortFunc(list, func(a, b *Spec) int { return muster.CompareNatural(a.Name, b.Name) })
	}
	t.append(below[""], -1)
	t.top = int32(len(t.specs))
	for id := int32(0); int(id) < len(t.specs); id++ {
		t.first[id] = int32(len(t.specs))
		t.append(below[t.specs[id].Name], id)
		t.end[id] = int32(len(t.specs))
	}
	if len(t.specs) < len(byName) {
		t.reportCycles(d, byName)
	}
}

func (t *Tree) append(list []*Spec, parent int32) {
	for _, s := range list {
		t.byName[s.Name] = int32(len(t.specs))
		t.specs, t.parent = append(t.specs, *s), append(t.parent, parent)
		t.first, t.end = append(t.first, 0), append(t.end, 0)
	}
}

// reportCycles names, of every cycle, the quota that is first in natural order.
func (t *Tree) reportCycles(d *defects, byName map[string]*Spec) {
	done := map[string]bool{}
	for _, name := range slices.SortedFunc(maps.Keys(byName), muster.CompareNatural) {
		var path []string
		on := map[string]bool{}
		at := name
		for byName[at] != nil && !done[at] && !on[at] {
			path, on[at] = append(path, at), true
			at = byName[at].Parent
		}
		for _, n := range path {
			done[n] = true
		}
		if on[at] {
			cycle := path[slices.Index(path, at):]
			first := slices.MinFunc(cycle, muster.CompareNatural)
			d.add(first, "parent", byName[first].Parent, "the quota lies below itself")
		}
	}
}

// Amounts are kept side by side, for each quota one of each resource that any governs: the product must not be far above what is given.
const (
	mostForAmount = 64
	cellsAnyway   = 1 << 20
)

// checkCells refuses far more quotas times resources than amounts, and names the first quota of those with the most.
func (t *Tree) checkCells(d *defects) bool {
	given, most := 0, 0
	for i := range t.specs {
		s := &t.specs[i]
		given += 1 + len(s.Min) + len(s.Max) + len(s.Weight) + len(s.Guaranteed)
		if len(s.Max) > len(t.specs[most].Max) {
			most = i
		}
	}
	if int64(len(t.resources))*int64(len(t.specs)) <= cellsAnyway+mostForAmount*int64(given) {
		return true
	}
	d.add(t.specs[most].Name, "max", len(t.resources), fmt.Sprintf("resources of different names: quotas times resources are more than %d for each amount", mostForAmount))
	return false
}

// readAmounts lays the amounts out and checks them.
func (t *Tree) readAmounts(d *defects) {
	governed := map[string]bool{}
	for i := range t.specs {
		for _, r := range []muster.Resources{t.specs[i].Min, t.specs[i].Max} {
			for name := range r {
				governed[name] = true
			}
		}
	}
	t.resources = slices.SortedFunc(maps.Keys(governed), muster.CompareNatural)
	if !t.checkCells(d) {
		return
	}
	for i := range t.specs {
		s := &t.specs[i]
		t.min, t.max = t.read(t.min, s.Min), t.read(t.max, s.Max)
		t.weight, t.secured = t.read(t.weight, s.Weight), t.read(t.secured, s.Guaranteed)
	}
	for id := range int32(len(t.specs)) {
		for r, resource := range t.resources {
			t.check(d, id, r, resource)
		}
	}
}

func (t *Tree) read(list []int64, amounts muster.Resources) []int64 {
	for _, name := range t.resources {
		if amount, ok := amounts[name]; ok {
			list = append(list, amount)
		} else {
			list = append(list, missing)
		}
	}
	return list
}

// checkAmounts reports what is wrong with the amounts of a quota by itself.
func checkAmounts(d *defects, s *Spec) {
	for _, f := range []struct {
		name    string
		amounts muster.Resources
	}{{"min", s.Min}, {"max", s.Max}, {"weight", s.Weight}, {"guaranteed", s.Guaranteed}} {
		for _, name := range f.amounts.Names() {
			if name == "" {
				d.add(s.Name, f.name, "", "a resource has no name")
			} else if f.amounts[name] < 0 {
				d.add(s.Name, f.name+"."+name, f.amounts[name], "negative amount")
			}
		}
	}
	for _, name := range s.Min.Names() {
		if most, ok := s.Max[name]; ok && s.Min[name] > most && most >= 0 {
			d.add(s.Name, "min."+name, s.Min[name], fmt.Sprintf("above the max of %d", most))
		}
	}
}

// check compares the amounts of one quota and resource with those of the quotas around it.
func (t *Tree) check(d *defects, id int32, r int, resource string) {
	name, at := t.specs[id].Name, t.at(id, r)
	if up := t.parent[id]; up >= 0 && t.max[at] != missing && t.max[t.at(up, r)] == missing {
		d.add(name, "max."+resource, t.max[at], "the max of the parent "+t.specs[up].Name+" lacks this resource")
	}
	sum := int64(0)
	for kid := t.first[id]; kid < t.end[id]; kid++ {
		sum = plus(sum, max(0, t.min[t.at(kid, r)]))
	}
	if least := max(0, t.min[at]); sum > least {
		d.add(name, "min."+resource, least, fmt.Sprintf("the minima of the children add up to %d", sum))
	}
}

// bound hands maxima down, and takes them for weights where these are missing.
func (t *Tree) bound() {
	t.most, t.bounded = make([]int64, len(t.max)), make([]bool, len(t.max))
	for id := range int32(len(t.specs)) {
		for r := range t.resources {
			at, up := t.at(id, r), t.parent[id]
			switch {
			case t.max[at] != missing:
				t.most[at], t.bounded[at] = t.max[at], true
			case up >= 0:
				t.most[at], t.bounded[at] = t.most[t.at(up, r)], t.bounded[t.at(up, r)]
			default:
				t.most[at] = math.MaxInt64
			}
			if t.weight[at] == missing && t.bounded[at] {
				t.weight[at] = t.most[at]
			}
		}
	}
}

// secure adds guarantees up.
func (t *Tree) secure() {
	for id := int32(len(t.specs)) - 1; id >= 0; id-- {
		for r := range t.resources {
			at, below := t.at(id, r), int64(0)
			for kid := t.first[id]; kid < t.end[id]; kid++ {
				below = plus(below, t.secured[t.at(kid, r)])
			}
			t.secured[at] = min(t.most[at], max(0, t.min[at], t.secured[at], below))
		}
	}
}

// at is the place of a quota's resource in the amounts.
func (t *Tree) at(id int32, r int) int { return int(id)*len(t.resources) + r }

// of is the part of amounts by quota and resource that is a quota's.
func (t *Tree) of(amounts []int64, id int32) []int64 {
	k := len(t.resources)
	return amounts[int(id)*k : int(id)*k+k : int(id)*k+k]
}

// governs says whether a quota speaks of a resource: only then its share is told and gangs are held to it.
func (t *Tree) governs(id int32, r int) bool {
	return t.max[t.at(id, r)] != missing || t.min[t.at(id, r)] != missing
}

// Quotas lists the names, parents before their children, the children of one parent in natural order. The list is the
// caller's. O(n).
func (t *Tree) Quotas() []string {
	t = t.orEmpty()
	names := make([]string, len(t.specs))
	for i := range t.specs {
		names[i] = t.specs[i].Name
	}
	return names
}

// Spec finds a quota by name.
func (t *Tree) Spec(name string) (Spec, bool) {
	t = t.orEmpty()
	id, ok := t.byName[name]
	if !ok {
		return Spec{}, false
	}
	return t.specs[id], true
}

// Has says whether there is a quota of this name.
func (t *Tree) Has(name string) bool {
	t = t.orEmpty()
	_, ok := t.byName[name]
	return ok
}

// IsLeaf says whether members may be in the quota: it exists and has no children.
func (t *Tree) IsLeaf(name string) bool {
	t = t.orEmpty()
	id, ok := t.byName[name]
	return ok && t.first[id] == t.end[id]
}

// path is the names from the top down to a quota.
func (t *Tree) path(id int32) []string {
	var names []string
	for _, id := range t.ids(id) {
		names = append(names, t.specs[id].Name)
	}
	return names
}
