package placement

import (
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// boundless is the number of pods that a node takes if it does not name any. It is in no sum: what runs there takes
// nothing away from it.
const boundless = math.MaxInt64

// amounts shares equal vectors of resources.
type amounts map[string][]int64

// checkAmounts is Resources.Validate without its cost for the common, sound case.
func checkAmounts(field string, r muster.Resources) error {
	for name, amount := range r {
		if name == "" || amount < 0 {
			return r.Validate(field)
		}
	}
	return nil
}

// resourceNames lists what nodes have or members hold. Pods are always among them: a node that does not name them now
// may do so later, and then the pods that run count.
func resourceNames(spec Spec) []string {
	seen := map[string]bool{muster.Pods: true}
	for i := range spec.Nodes {
		for name := range spec.Nodes[i].Allocatable {
			seen[name] = true
		}
	}
	for i := range spec.Running {
		for name := range spec.Running[i].Resources {
			seen[name] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// vector is r by resource id; missing says what a name that r lacks counts. Names that the fabric lacks are dropped.
func (a amounts) vector(f *fabric, r muster.Resources, missing func(name string) int64) []int64 {
	v := make([]int64, len(f.resources))
	key := make([]byte, 0, 8*len(v))
	for i, name := range f.resources {
		amount, ok := r[name]
		if !ok {
			amount = missing(name)
		}
		v[i] = amount
		for s := 0; s < 64; s += 8 {
			key = append(key, byte(amount>>s))
		}
	}
	if shared, ok := a[string(key)]; ok {
		return shared
	}
	a[string(key)] = v
	return v
}

func nothing(string) int64 { return 0 }

func boundlessPods(name string) int64 {
	if name == muster.Pods {
		return boundless
	}
	return 0
}

// bounds says whether a node with these amounts bounds a resource at all.
func (f *fabric) bounds(allocatable []int64, resource int) bool {
	return allocatable[resource] != boundless || f.resources[resource] != muster.Pods
}

// allocatable is the inverse of vector for a node. That it takes no pods is said, since not to name them means the
// opposite.
func (f *fabric) allocatable(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if f.bounds(v, i) && (amount != 0 || f.resources[i] == muster.Pods) {
			r[f.resources[i]] = amount
		}
	}
	return r
}

// held is the inverse of vector for a member.
func (f *fabric) held(v []int64) muster.Resources {
	r := muster.Resources{}
	for i, amount := range v {
		if amount != 0 {
			r[f.resources[i]] = amount
		}
	}
	return r
}
