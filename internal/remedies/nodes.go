// Which nodes would have to return to service?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/snapshot"
)

// returned is a snapshot with nodes back in service.
func returned(ids []int32) edit {
	return func(at state) (state, bool) {
		var d cluster.Delta
		for _, id := range ids {
			d.SetNodes = append(d.SetNodes, cluster.InService(snapshot.NodeAt(at.s, id)))
		}
		return updated(at, d)
	}
}

// updated is a state with a changed snapshot.
func updated(at state, d cluster.Delta) (state, bool) {
	s, err := at.s.Update(d)
	if err != nil {
		return at, false
	}
	return state{s, at.req}, true
}

// outOfService lists the nodes that are cordoned or not ready, in natural order of names.
func outOfService(s *snapshot.Snapshot) (ids []int32) {
	for id := range int32(len(s.Lineage.Names)) {
		if f := s.FlagsOf(id); f&snapshot.Present != 0 && f&(snapshot.Cordoned|snapshot.NotReady) != 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int32) int { return muster.CompareNatural(s.Lineage.Names[a], s.Lineage.Names[b]) })
	return ids
}

// nodes finds the fewest nodes that would have to return to service.
func (f *Search) nodes(at state) []step {
	p := f.at(at).p
	all := outOfService(at.s)
	if p == nil || len(all) == 0 {
		return nil
	}
	r := f.at(at).bounds()
	c, ids := r.returning(all)
	if len(ids) == 0 {
		return nil
	}
	c.edit = func(set []int32) edit { return returned(pick(ids, set)) }
	found := f.smallest(at, r, c)
	if found == nil {
		return nil
	}
	change := explain.Change{Kind: explain.KindNodes}
	set := pick(ids, found.set)
	for _, id := range set {
		change.Nodes = append(change.Nodes, at.s.Lineage.Names[id])
	}
	return []step{{change: change, least: found.least, edit: returned(set), plan: found.plan}}
}

// returning are those of some nodes out of service that would have room for the gang once they are back. Equal ones are of one class.
func (r *rooms) returning(all []int32) (c *choice, ids []int32) {
	type key struct {
		leaf  int32
		units int64
	}
	classes := map[key]int32{}
	alike := !r.rough && !r.p.Room.Zones().Bind() && !r.evicts && r.p.Own.Len() == 0
	c = &choice{}
	for _, id := range all {
		pos := r.p.Model.View.At(id)
		units := r.once(id)
		if units == 0 {
			continue
		}
		class := int32(len(ids))
		ids, c.gains = append(ids, id), append(c.gains, []gain{{pos, units}})
		if k := (key{r.p.Model.View.LeafOf[pos], units}); alike {
			if first, ok := classes[k]; ok {
				class = first
			} else {
				classes[k] = class
			}
		}
		c.class = append(c.class, class)
	}
	return c, ids
}

func allNodes(_ *Search, at state) []edit {
	if all := outOfService(at.s); len(all) > 0 {
		return []edit{returned(all)}
	}
	return nil
}
