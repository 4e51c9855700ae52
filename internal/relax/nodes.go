// Which nodes would have to return to service?

package relax

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// returned is a snapshot with nodes back in service.
func returned(ids []int32) edit {
	return func(at state) (state, bool) {
		var d cluster.Delta
		for _, id := range ids {
			n := snapshot.NodeAt(at.s, id)
			n.Cordoned, n.NotReady = false, false
			d.SetNodes = append(d.SetNodes, n)
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
	all := outOfService(at.s)
	if len(all) == 0 {
		return nil
	}
	whole, ok := returned(all)(at)
	if !ok {
		return nil
	}
	p := f.at(at).p
	if p == nil {
		return nil
	}
	back := f.inside(whole)
	if back == nil {
		return nil
	}
	defer back.Done()
	r, c := f.at(at).bounds(), f.returning(back, all)
	if c == nil {
		return nil
	}
	ids := c.ids
	c.edit = func(set []int32) edit { return returned(pick(ids, set)) }
	found := f.smallest(at, r, &c.choice)
	if found == nil {
		return nil
	}
	change := explain.Change{Kind: explain.KindNodes}
	set := pick(ids, found.set)
	for _, id := range set {
		change.Nodes = append(change.Nodes, at.s.Lineage.Names[id])
	}
	return []step{{change, found.least, returned(set), found.plan}}
}

// nodeChoice is a choice of nodes.
type nodeChoice struct {
	choice
	ids []int32
}

// returning are the nodes that would have room for the gang once they are back, nil if none would. Equal ones are of one class.
func (f *Search) returning(back *problem.Problem, all []int32) *nodeChoice {
	r := roomsOf(back)
	type key struct {
		leaf  int32
		units int64
	}
	c, classes := &nodeChoice{}, map[key]int32{}
	for _, id := range all {
		pos := back.View.At(id)
		units := r.on(id)
		if r.rough && units == 0 && r.takes(id) { // several shapes, of which it may hold one
			units = 1
		}
		if units == 0 {
			continue
		}
		c.ids = append(c.ids, id)
		c.gains = append(c.gains, []gain{{pos, units}})
		class := int32(len(c.ids)) - 1
		if !r.rough && !back.Zones().Bind() && !mayEvict(back) {
			k := key{back.View.LeafOf[pos], units}
			if first, ok := classes[k]; ok {
				class = first
			} else {
				classes[k] = class
			}
		}
		c.class = append(c.class, class)
	}
	if len(c.ids) == 0 {
		return nil
	}
	return c
}

func (f *Search) allNodes(at state) []edit {
	if all := outOfService(at.s); len(all) > 0 {
		return []edit{returned(all)}
	}
	return nil
}
