// How do amounts look inside? As vectors by resource, equal ones mostly one slice.

package snapshot

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/intern"
)

// Boundless is the number of pods that a node takes if it names none. Running pods take nothing from it.
const Boundless = math.MaxInt64

// Vectors brings resources inside. Equal vectors of one Vectors are one slice, so that addresses compare them.
type Vectors struct {
	lineage *Lineage
	first   [][]int64      // the first few vectors: often there are no more
	others  intern.Vectors // the rest of them
	last    []int64        // the last answer: often the next one is equal
	dropped bool           // the last resources have a name that the lineage lacks

	next []int64 // buffer for the vector that is looked up
}

// Amounts returns an empty Vectors for one caller; it is not safe for concurrent use.
func (l *Lineage) Amounts() *Vectors {
	return &Vectors{lineage: l, next: make([]int64, len(l.Resources))}
}

// Vector is r by resource id, with so many pods if r does not name any; nil if r is not valid. Names that the lineage
// lacks are dropped. Nobody may change the slice. O(resources).
func (a *Vectors) Vector(r muster.Resources, pods int64) []int64 {
	clear(a.next)
	a.next[a.lineage.pods], a.dropped = pods, false
	for name, amount := range r {
		if name == "" || amount < 0 {
			return nil
		}
		if i := a.lineage.resource(name); i >= 0 {
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

// shared is the one slice for all vectors that equal a.next.
func (a *Vectors) shared() []int64 {
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
	return a.others.List[a.others.Of(a.next)]
}

// resourceNames lists the resources of nodes and members in natural order. Pods are always among them: a node that does
// not bound them now may do so later, and then the pods that run count. O(all amounts).
func resourceNames(spec cluster.Spec, coming []cluster.Running) []string {
	names := []string{muster.Pods}
	var known map[string]bool // once there are many
	add := func(r muster.Resources) {
		for name := range r {
			if known == nil && slices.Contains(names, name) || known[name] {
				continue
			}
			if names = append(names, name); known != nil {
				known[name] = true
			} else if len(names) > fewResources {
				known = make(map[string]bool, 2*len(names))
				for _, name := range names {
					known[name] = true
				}
			}
		}
	}
	for i := range spec.Nodes {
		add(spec.Nodes[i].Allocatable)
	}
	for _, list := range [][]cluster.Running{spec.Running, coming} {
		for i := range list {
			add(list[i].Resources)
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// fewResources are so few that a scan is cheaper than a map.
const fewResources = 32

// resource finds a resource's id, -1 if the lineage lacks it.
func (l *Lineage) resource(name string) int {
	if l.resourceIDs == nil {
		return slices.Index(l.Resources, name)
	}
	if id, known := l.resourceIDs[name]; known {
		return id
	}
	return -1
}

// Amounts are kept side by side, for each node and each running member one of each resource that anybody has: the product must not be far
// above what is given.
const (
	mostForAmount = 64
	cellsAnyway   = 1 << 22
)

// checkCells refuses a cluster of far more nodes and members times resources than amounts. O(nodes + members).
func checkCells(spec cluster.Spec, resources int) error {
	given, rows := int64(0), int64(len(spec.Nodes)+len(spec.Running))
	for i := range spec.Nodes {
		given += 1 + int64(len(spec.Nodes[i].Allocatable))
	}
	for i := range spec.Running {
		given += 1 + int64(len(spec.Running[i].Resources))
	}
	if int64(resources)*rows <= cellsAnyway+mostForAmount*given {
		return nil
	}
	return muster.Invalid("cluster.Nodes", resources, fmt.Sprintf("resources of different names: nodes and running members times resources are more than %d for each amount", mostForAmount))
}

// bounds says whether a node with these amounts bounds a resource at all.
func (l *Lineage) bounds(allocatable []int64, resource int) bool {
	return allocatable[resource] != Boundless || resource != l.pods
}

// allocatable is the inverse of Vector for a node. 0 pods are written out: a missing entry would mean "not bounded".
func (l *Lineage) allocatable(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if l.bounds(v, i) && (amount != 0 || i == l.pods) {
			r[l.Resources[i]] = amount
		}
	}
	return r
}

// Held is the inverse of Vector for a member; the map is the caller's.
func (l *Lineage) Held(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if amount != 0 {
			r[l.Resources[i]] = amount
		}
	}
	return r
}
