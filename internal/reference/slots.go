package reference

import (
	"math"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/validity"
)

// look fills in what every vertex holds and takes. With the leaving members gone, or with them in place.
func (s *solver) look(leavingGone bool) {
	s.again = func() { s.look(leavingGone) }
	req := &s.in.Request
	s.gone = leavingGone
	on := map[string][]cluster.Running{}
	own, key := map[string]int{}, map[string]int{}
	for _, r := range s.in.Spec.Running {
		stays := validity.Stays(req, &r)
		if stays || !leavingGone {
			on[r.Node] = append(on[r.Node], r)
		}
		if stays && r.Gang == req.Name {
			own[r.Node]++
		}
		if stays && req.AffinityKey != "" && r.AffinityKey == req.AffinityKey {
			key[r.Node]++
		}
	}
	for _, v := range s.vertices {
		v.own, v.key, v.fits = 0, 0, 0
		if v.node == nil {
			continue
		}
		v.own, v.key = own[v.node.Name], key[v.node.Name]
		v.score = 0
		refused := v.outside && s.hard() || s.spares && !s.idle && validity.MeantForOthers(s.shapes, v.node)
		for _, shape := range s.shapes {
			v.score += validity.HostScore(req, shape, v.node)
			refused = refused || validity.Refusal(&s.in.Spec, req, shape, v.node) != ""
		}
		if !refused && !s.keptOut(v, leavingGone) {
			v.fits = s.copies(v.node, on[v.node.Name])
		}
		s.align(v, on[v.node.Name])
		v.waste = s.wasteOf(v.node, on[v.node.Name])
	}
	s.sum()
}

// copies is how many units fit on the node, and on its zones, beside those that are on it.
func (s *solver) copies(node *cluster.Node, on []cluster.Running) int {
	least := int64(math.MaxInt32)
	for resource, amount := range s.asks() {
		if amount == 0 {
			continue
		}
		if free, bounded := validity.Free(node, resource, on); bounded {
			least = min(least, max(free, 0)/amount)
		}
	}
	a := s.zones[node.Name]
	zones, err := a.with(on)
	if err != nil {
		return 0
	}
	return int(a.slots(zones, least))
}

// asks is what a unit asks for.
func (s *solver) asks() muster.Resources {
	sum := muster.Resources{}
	for _, shape := range s.shapes {
		for name, amount := range shape.Resources {
			sum[name] += amount
		}
	}
	return sum
}

// sum makes, bottom-up, the numbers of new members that fit below every vertex. Children of one vertex have one step,
// which divides that of the vertex, so the sums of their numbers leave no gap.
func (s *solver) sum() {
	for i := len(s.vertices) - 1; i >= 0; i-- {
		v := s.vertices[i]
		low, high := 0, v.fits
		if v.node == nil {
			v.own, v.key = 0, 0
			low, high = 0, 0
			for _, c := range v.children {
				v.own, v.key = v.own+c.own, v.key+c.key
				low, high = add(low, c.low), add(high, c.high)
				if c.high < c.low {
					high = math.MinInt32
				}
			}
		}
		s.bound(v, low, s.atMost(v, high))
	}
}

// bound keeps of the numbers low to high those that make the members below v, with the running ones, a multiple.
func (s *solver) bound(v *vertex, low, high int) {
	above := s.root.tier + 1
	if v.parent != nil {
		above = v.parent.tier
	}
	v.step = s.stepBelow(above)
	for (low+v.own)%v.step != 0 {
		low++
	}
	for high >= low && (high+v.own)%v.step != 0 {
		high--
	}
	v.low, v.high = low, high
}

func add(a, b int) int { return max(math.MinInt32, min(math.MaxInt32, a+b)) }

// fixOutside makes the nodes outside the tree take exactly this many members together; false if they cannot.
func (s *solver) fixOutside(members int) bool {
	if s.outside == nil {
		return members == 0
	}
	low, high := 0, 0
	for _, c := range s.outside.children {
		low, high = add(low, c.low), add(high, c.high)
	}
	s.bound(s.outside, low, high)
	if !s.outside.takes(members) {
		return false
	}
	s.outside.low, s.outside.high = members, members
	low, high = 0, 0
	for _, c := range s.root.children {
		low, high = add(low, c.low), add(high, c.high)
	}
	s.bound(s.root, low, high)
	return true
}
