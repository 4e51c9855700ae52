package problem

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// chooseShapes finds what one unit of the search asks for. That is a member, if all members are alike. If not, equal
// groups that must gather on one node are placed like members, each asking for the sum of what its members ask for.
func chooseShapes(p *Problem) error {
	shapes := shapesByRank(p)
	odd := slices.IndexFunc(shapes, func(s *gang.Shape) bool { return s != shapes[0] && !s.Equal(shapes[0]) })
	if odd < 0 {
		p.Shapes = shapes[:1:1]
		return sumNeeds(p)
	}
	size := 0
	if n := len(p.Levels); n > 0 && p.Levels[n-1].Gather.Hard && p.Levels[n-1].Gather.Must == 0 {
		size = int(p.Levels[n-1].Size)
	}
	if size == 0 || len(p.Running) > 0 || p.Multiple != nil || len(shapes)%size != 0 {
		return chooseRoles(p, shapes)
	}
	for i := size; i < len(shapes); i++ {
		if !shapes[i].Equal(shapes[i%size]) {
			return chooseRoles(p, shapes)
		}
	}
	bundle(p, size)
	p.Shapes = shapes[:size]
	return sumNeeds(p)
}

// shapesByRank lists the shapes of the pending members in rank order; one stands for all where none has its own.
func shapesByRank(p *Problem) []*gang.Shape {
	var own map[string]*gang.Shape
	for i := range p.Request.Members {
		if m := &p.Request.Members[i]; m.Shape != nil {
			if own == nil {
				own = map[string]*gang.Shape{}
			}
			own[m.Name] = m.Shape
		}
	}
	if own == nil {
		return []*gang.Shape{&p.Request.Shape}
	}
	shapes := make([]*gang.Shape, len(p.Pending))
	for i, m := range p.Pending {
		shapes[i] = &p.Request.Shape
		if s, ok := own[m.Name]; ok {
			shapes[i] = s
		}
	}
	return shapes
}

// readNeeds is sumNeeds for units of one member that ask for nothing but what some node has; false if they do not.
func readNeeds(p *Problem) bool {
	asked := 0
	for _, amount := range p.Shapes[0].Resources {
		if amount > 0 {
			asked++
		}
	}
	p.Needs = make([]Need, 0, asked)
	for i, name := range p.Snapshot.Lineage.Resources { // in natural order
		if amount := p.Shapes[0].Resources[name]; amount > 0 {
			p.Needs = append(p.Needs, Need{ID: i, Amount: amount, Name: name})
		}
	}
	return len(p.Needs) == asked
}

// sumNeeds adds up the resources of a unit's members.
func sumNeeds(p *Problem) error {
	if len(p.Shapes) == 1 && readNeeds(p) {
		return nil
	}
	p.Needs = nil
	sum := map[string]int64{}
	for _, s := range p.Shapes {
		for name, amount := range s.Resources {
			if amount > math.MaxInt64-sum[name] {
				return muster.Invalid("request.Members.Shape.Resources."+name, amount, "the sum of a group overflows")
			}
			sum[name] += amount
		}
	}
	for i, name := range p.Snapshot.Lineage.Resources {
		if sum[name] > 0 {
			p.Needs = append(p.Needs, Need{ID: i, Amount: sum[name], Name: name})
		}
		delete(sum, name)
	}
	for name, amount := range sum {
		if amount > 0 {
			p.Needs = append(p.Needs, Need{ID: -1, Amount: amount, Name: name})
		}
	}
	slices.SortFunc(p.Needs, func(a, b Need) int { return muster.CompareNatural(a.Name, b.Name) })
	return nil
}

// bundle makes the innermost groups the units of the search: the level goes away, and all sizes shrink.
func bundle(p *Problem, size int) {
	members := p.unbundled()
	p.Unbundled, p.together = members, true
	p.Pending = nil
	for rank := 0; rank < len(members.Pending); rank += size {
		p.Pending = append(p.Pending, pendingMember{fmt.Sprintf("group %d", rank/size), rank / size})
	}
	p.Levels = slices.Clone(p.Levels[:len(p.Levels)-1])
	for i := range p.Levels {
		p.Levels[i].Size /= int64(size)
	}
	p.Least = (p.Least + size - 1) / size
}

// Size is the number of members of a unit.
func (p *Problem) Size() int { return max(1, len(p.Shapes)) }

// Unbundle gives every member of a unit the unit's position.
func Unbundle(p *Problem, units []int32) []int32 {
	positions := make([]int32, 0, len(units)*p.Size())
	for _, pos := range units {
		for range p.Size() {
			positions = append(positions, pos)
		}
	}
	return positions
}

// selects says whether a node may take every member of a unit.
func (k Counting) selects(name string, labels map[string]string) bool {
	return !slices.ContainsFunc(k.p.Shapes, func(s *gang.Shape) bool { return !s.Selects(name, labels) })
}

func (k Counting) tolerates(taints []gang.Taint) bool {
	return !slices.ContainsFunc(k.p.Shapes, func(s *gang.Shape) bool { return !gang.Tolerates(taints, s.Tolerations) })
}

// Selective says whether any member of a unit looks at the nodes' names or labels, or must stay in domains of other topologies.
func (k Counting) Selective() bool {
	return k.p.Parts.Allowed != nil || slices.ContainsFunc(k.p.Shapes, func(s *gang.Shape) bool { return len(s.Selector) > 0 || len(s.Affinity) > 0 })
}

// Scored says whether nodes have host scores at all.
func (p *Problem) Scored() bool {
	return p.Request.Score != nil || slices.ContainsFunc(p.Shapes, func(s *gang.Shape) bool { return len(s.Preferred) > 0 })
}
