// What is a tree of quotas once some amounts are raised?

package remedies

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// What of a quota is raised.
const (
	maximum = iota
	minimum
)

// raises are amounts by quota on top of what it has: on its maximum and its minimum.
type raises map[string]*[2]muster.Resources

func (r raises) add(q string, side int, resource string, by int64) {
	if r[q] == nil {
		r[q] = &[2]muster.Resources{{}, {}}
	}
	r[q][side][resource] += by
}

// single is the only amount of raises that have one.
func (r raises) single() (name string, side int, resource string, by int64) {
	for name, of := range r {
		for side := range of {
			for resource, by := range of[side] {
				return name, side, resource, by
			}
		}
	}
	return "", 0, "", 0
}

func (r raises) equal(s raises) bool {
	return maps.EqualFunc(r, s, func(a, b *[2]muster.Resources) bool {
		return maps.Equal(a[maximum], b[maximum]) && maps.Equal(a[minimum], b[minimum])
	})
}

// size is of how many amounts there is more.
func (r raises) size() (n int) {
	for _, of := range r {
		n += len(of[maximum]) + len(of[minimum])
	}
	return n
}

// clone is a copy that can be raised by itself.
func (r raises) clone() raises {
	next := raises{}
	for name, of := range r {
		next[name] = &[2]muster.Resources{maps.Clone(of[maximum]), maps.Clone(of[minimum])}
	}
	return next
}

// before says whether raises are fewer quotas than others, or as many by less, of the first resource that differs.
func (r raises) before(s raises) bool {
	if len(r) != len(s) {
		return len(r) < len(s)
	}
	a, b := r.sum(), s.sum()
	for _, resource := range slices.SortedFunc(maps.Keys(a), muster.CompareNatural) {
		if a[resource] != b[resource] {
			return a[resource] < b[resource]
		}
	}
	return false
}

// sum is by how much there is more of each resource.
func (r raises) sum() muster.Resources {
	sum := muster.Resources{}
	for _, of := range r {
		for _, amounts := range of {
			for resource, by := range amounts {
				sum[resource] += by
			}
		}
	}
	return sum
}

// with is a quota with amounts on top. A maximum that it lacks is that of the quotas above, and stays missing.
func with(spec quota.Spec, more *[2]muster.Resources) quota.Spec {
	if more == nil {
		return spec
	}
	spec.Max, spec.Min = maps.Clone(spec.Max), maps.Clone(spec.Min)
	for resource, by := range more[maximum] {
		if most, ok := spec.Max[resource]; ok {
			spec.Max[resource] = most + by
		}
	}
	for resource, by := range more[minimum] {
		if spec.Min == nil {
			spec.Min = muster.Resources{}
		}
		spec.Min[resource] += by
	}
	return spec
}

// raised is the state of quotas with amounts on top and the same usage, nil if there is no such tree.
func raised(of *quota.State, r raises) *quota.State {
	var specs []quota.Spec
	for _, name := range of.Quotas() {
		spec, _ := of.Spec(name)
		specs = append(specs, with(spec, r[name]))
	}
	tree, err := quota.New(specs)
	if err != nil {
		return nil
	}
	state, err := tree.State(of.Total())
	for _, name := range of.Quotas() {
		if err != nil {
			return nil
		}
		if !of.IsLeaf(name) {
			continue
		}
		used, pinned, demand := of.Usage(name)
		if state, err = state.Use(name, used, pinned); err == nil {
			state, err = state.WithDemand(name, demand)
		}
	}
	if err != nil {
		return nil
	}
	return state
}
