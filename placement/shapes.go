package placement

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// chooseShapes finds what one unit of the search asks for. That is a member, if all members are alike. If not, equal
// groups that must gather on one node are placed like members, each asking for the sum of what its members ask for.
func chooseShapes(p *problem) error {
	shapes := shapesByRank(p)
	odd := slices.IndexFunc(shapes, func(s *gang.Shape) bool { return s != shapes[0] && !s.Equal(shapes[0]) })
	if odd < 0 {
		p.shapes = shapes[:1:1]
		return p.sumNeeds()
	}
	size := 0
	if n := len(p.levels); n > 0 && p.levels[n-1].gather.hard && p.levels[n-1].gather.must == 0 {
		size = int(p.levels[n-1].size)
	}
	if size == 0 || len(p.running) > 0 || p.mult != nil || len(shapes)%size != 0 {
		return chooseRoles(p, shapes)
	}
	for i := size; i < len(shapes); i++ {
		if !shapes[i].Equal(shapes[i%size]) {
			return chooseRoles(p, shapes)
		}
	}
	bundle(p, size)
	p.shapes = shapes[:size]
	return p.sumNeeds()
}

// shapesByRank lists the shapes of the pending members in rank order; one stands for all where none has its own.
func shapesByRank(p *problem) []*gang.Shape {
	var own map[string]*gang.Shape
	for i := range p.req.Members {
		if m := &p.req.Members[i]; m.Shape != nil {
			if own == nil {
				own = map[string]*gang.Shape{}
			}
			own[m.Name] = m.Shape
		}
	}
	if own == nil {
		return []*gang.Shape{&p.req.Shape}
	}
	shapes := make([]*gang.Shape, len(p.pending))
	for i, m := range p.pending {
		shapes[i] = &p.req.Shape
		if s, ok := own[m.name]; ok {
			shapes[i] = s
		}
	}
	return shapes
}

// readNeeds is sumNeeds for units of one member that ask for nothing but what some node has; false if they do not.
func readNeeds(p *problem) bool {
	asked := 0
	for _, amount := range p.shapes[0].Resources {
		if amount > 0 {
			asked++
		}
	}
	p.needs = make([]need, 0, asked)
	for i, name := range p.c.Lineage.Resources { // in natural order
		if amount := p.shapes[0].Resources[name]; amount > 0 {
			p.needs = append(p.needs, need{id: i, amount: amount, name: name})
		}
	}
	return len(p.needs) == asked
}

// sumNeeds adds up the resources of a unit's members.
func (p *problem) sumNeeds() error {
	if len(p.shapes) == 1 && readNeeds(p) {
		return nil
	}
	p.needs = nil
	sum := map[string]int64{}
	for _, s := range p.shapes {
		for name, amount := range s.Resources {
			if amount > math.MaxInt64-sum[name] {
				return muster.Invalid("request.Members.Shape.Resources."+name, amount, "the sum of a group overflows")
			}
			sum[name] += amount
		}
	}
	for i, name := range p.c.Lineage.Resources {
		if sum[name] > 0 {
			p.needs = append(p.needs, need{id: i, amount: sum[name], name: name})
		}
		delete(sum, name)
	}
	for name, amount := range sum {
		if amount > 0 {
			p.needs = append(p.needs, need{id: -1, amount: amount, name: name})
		}
	}
	slices.SortFunc(p.needs, func(a, b need) int { return muster.CompareNatural(a.name, b.name) })
	return nil
}

// bundle makes the innermost groups the units of the search: the level goes away, and all sizes shrink.
func bundle(p *problem, size int) {
	members := *p
	p.members, p.together = &members, true
	p.pending = nil
	for rank := 0; rank < len(members.pending); rank += size {
		p.pending = append(p.pending, pendingMember{fmt.Sprintf("group %d", rank/size), rank / size})
	}
	p.levels = slices.Clone(p.levels[:len(p.levels)-1])
	for i := range p.levels {
		p.levels[i].size /= int64(size)
	}
	p.least = (p.least + size - 1) / size
}

// size is the number of members of a unit.
func (p *problem) size() int { return max(1, len(p.shapes)) }

// unbundle gives every member of a unit the unit's position.
func (p *problem) unbundle(units []int32) []int32 {
	positions := make([]int32, 0, len(units)*p.size())
	for _, pos := range units {
		for range p.size() {
			positions = append(positions, pos)
		}
	}
	return positions
}

// selects says whether a node may take every member of a unit.
func (p *problem) selects(name string, labels map[string]string) bool {
	return !slices.ContainsFunc(p.shapes, func(s *gang.Shape) bool { return !s.Selects(name, labels) })
}

func (p *problem) tolerates(taints []gang.Taint) bool {
	return !slices.ContainsFunc(p.shapes, func(s *gang.Shape) bool { return !gang.Tolerates(taints, s.Tolerations) })
}

// selective says whether any member of a unit looks at the nodes' names or labels, or must stay in domains of other topologies.
func (p *problem) selective() bool {
	return p.parting.pen != nil || slices.ContainsFunc(p.shapes, func(s *gang.Shape) bool { return len(s.Selector) > 0 || len(s.Affinity) > 0 })
}

// scored says whether nodes have host scores at all.
func (p *problem) scored() bool {
	return p.req.Score != nil || slices.ContainsFunc(p.shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
}
