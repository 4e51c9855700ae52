package reference

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/changed"
	"github.com/muster-sched/muster/internal/draws"
)

// smallerQuotas are changes of quotas that are smaller than one, and that a tree of quotas can have.
func smallerQuotas(in *Input, c *explain.Change) []explain.Change {
	out := append(fewerQuotas(in, c), lessOfAnother(in, c)...)
	add := func(i int, change func(*explain.QuotaChange)) {
		next := *c
		next.Quotas = slices.Clone(c.Quotas)
		change(&next.Quotas[i])
		out = append(out, next)
	}
	for i, q := range c.Quotas {
		for resource, amount := range q.Max {
			add(i, func(less *explain.QuotaChange) {
				less.Max = changed.Over(q.Max, muster.Resources{resource: amount - 1})
			})
		}
		for resource, amount := range q.Min {
			add(i, func(less *explain.QuotaChange) {
				less.Min = changed.Over(q.Min, muster.Resources{resource: amount - 1})
			})
		}
	}
	return slices.DeleteFunc(out, func(c explain.Change) bool {
		_, err := changed.Quotas(in.Spec.Quotas, &c)
		return err != nil
	})
}

// fewerQuotas are changes of fewer quotas than one changes, as far as they go: with larger maxima, and with larger minima too.
func fewerQuotas(in *Input, c *explain.Change) (out []explain.Change) {
	path := quotaPath(in)
	for mask := 1; mask < 1<<len(path); mask++ {
		most, both := explain.Change{Kind: explain.KindQuota}, explain.Change{Kind: explain.KindQuota}
		for i := len(path) - 1; i >= 0; i-- { // from the top
			if mask>>i&1 == 0 {
				continue
			}
			s, _ := in.Spec.Quotas.Spec(path[i])
			larger, least := muster.Resources{}, muster.Resources{}
			for resource, amount := range s.Max {
				larger[resource] = amount + 1e7
			}
			for _, resource := range []string{draws.Device, muster.CPU} {
				more := int64(1e6) >> (len(path) - i)
				if above := i + 1; above < len(path) && mask>>above&1 == 0 {
					more = roomAbove(in, path[above], resource)
				}
				least[resource] = s.Min[resource] + more
			}
			most.Quotas = append(most.Quotas, explain.QuotaChange{Quota: path[i], Max: larger})
			both.Quotas = append(both.Quotas, explain.QuotaChange{Quota: path[i], Max: maps.Clone(larger), Min: least})
		}
		if len(most.Quotas) < len(c.Quotas) {
			out = append(out, most, both)
		}
	}
	return out
}

// quotaPath is the gang's quota and those above it.
func quotaPath(in *Input) (path []string) {
	for name := in.Request.Quota; name != ""; {
		path = append(path, name)
		s, _ := in.Spec.Quotas.Spec(name)
		name = s.Parent
	}
	return path
}

// roomAbove is by how much the minima of the children of a quota may still rise in sum.
func roomAbove(in *Input, name, resource string) int64 {
	s, _ := in.Spec.Quotas.Spec(name)
	room := s.Min[resource]
	for _, child := range in.Spec.Quotas.Quotas() {
		if below, _ := in.Spec.Quotas.Spec(child); below.Parent == name {
			room -= below.Min[resource]
		}
	}
	return max(0, room)
}

// lessOfAnother are changes of one amount of one quota of the path by less than another one changes.
func lessOfAnother(in *Input, c *explain.Change) (out []explain.Change) {
	if len(c.Quotas) != 1 || len(c.Quotas[0].Max)+len(c.Quotas[0].Min) != 1 {
		return nil
	}
	told, _ := in.Spec.Quotas.Spec(c.Quotas[0].Quota)
	resource, by := "", int64(0)
	for name, amount := range c.Quotas[0].Max {
		resource, by = name, amount-told.Max[name]
	}
	for name, amount := range c.Quotas[0].Min {
		resource, by = name, amount-told.Min[name]
	}
	for _, name := range quotaPath(in) {
		s, _ := in.Spec.Quotas.Spec(name)
		for less := by - 1; less > 0 && less > by-20; less-- {
			if _, bounded := s.Max[resource]; bounded {
				out = append(out, explain.Change{Kind: explain.KindQuota, Quotas: []explain.QuotaChange{{Quota: name, Max: muster.Resources{resource: s.Max[resource] + less}}}})
			}
			out = append(out, explain.Change{Kind: explain.KindQuota, Quotas: []explain.QuotaChange{{Quota: name, Min: muster.Resources{resource: s.Min[resource] + less}}}})
		}
	}
	return out
}
