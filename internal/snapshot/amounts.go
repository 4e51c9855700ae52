package snapshot

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/sets"
)

// Boundless is the number of pods that a node takes if it does not name any. It is in no sum: what runs there takes
// nothing away from it.
const Boundless = math.MaxInt64

// Amounts brings resources inside and shares equal vectors of them.
type Amounts struct {
	f       *Lineage
	first   [][]int64          // the first few vectors: often there are no more
	others  map[string][]int64 // by their bytes
	last    []int64            // the vector that was asked for last: often the next one is equal
	dropped bool               // the resources that were asked for last have a name that the fabric lacks

	next []int64
	key  []byte
}

// Amounts brings resources inside; one serves a whole change, so that equal vectors are shared.
func (f *Lineage) Amounts() *Amounts { return &Amounts{f: f, next: make([]int64, len(f.Resources))} }

// Vector is r by resource id, with so many pods if r does not name any; nil if r is not valid. Names that the fabric
// lacks are dropped. O(resources).
func (a *Amounts) Vector(r muster.Resources, pods int64) []int64 {
	clear(a.next)
	a.next[a.f.pods], a.dropped = pods, false
	for name, amount := range r {
		if name == "" || amount < 0 {
			return nil
		}
		if i := a.f.resource(name); i >= 0 {
			a.next[i] = amount
		} else {
			a.dropped = true
		}
	}
	if !slices.Equal(a.next, a.last) {
		a.last = a.shared()
	}
	return a.last
}

// shared is the one vector that equals the next one.
func (a *Amounts) shared() []int64 {
	for _, v := range a.first {
		if slices.Equal(v, a.next) {
			return v
		}
	}
	if len(a.first) < 8 {
		v := slices.Clone(a.next)
		a.first = append(a.first, v)
		return v
	}
	if a.others == nil {
		a.others = map[string][]int64{}
	}
	a.key = sets.AppendAmounts(a.key[:0], a.next)
	v, ok := a.others[string(a.key)]
	if !ok {
		v = slices.Clone(a.next)
		a.others[string(a.key)] = v
	}
	return v
}

// resourceNames lists what nodes have or members hold, in natural order. Pods are always among them: a node that does
// not name them now may do so later, and then the pods that run count. O(all amounts).
func resourceNames(spec cluster.Spec) []string {
	names := []string{muster.Pods}
	add := func(r muster.Resources) {
		for name := range r {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for i := range spec.Nodes {
		add(spec.Nodes[i].Allocatable)
	}
	for i := range spec.Running {
		add(spec.Running[i].Resources)
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// resource finds a resource's column, -1 if no node has it. There are few; to compare them is cheaper than to search.
func (f *Lineage) resource(name string) int { return slices.Index(f.Resources, name) }

// bounds says whether a node with these amounts bounds a resource at all.
func (f *Lineage) bounds(allocatable []int64, resource int) bool {
	return allocatable[resource] != Boundless || resource != f.pods
}

// allocatable is the inverse of vector for a node. That it takes no pods is said, since not to name them means the
// opposite.
func (f *Lineage) allocatable(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if f.bounds(v, i) && (amount != 0 || i == f.pods) {
			r[f.Resources[i]] = amount
		}
	}
	return r
}

// Held is the inverse of vector for a member.
func (f *Lineage) Held(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if amount != 0 {
			r[f.Resources[i]] = amount
		}
	}
	return r
}
