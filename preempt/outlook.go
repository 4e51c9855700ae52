package preempt

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Outlook says where the best set of candidates lies, whoever they are.
type Outlook struct {
	// Ceiling is the lowest priority so that there is room once all candidates are gone whose gangs are not above it: none above it leaves.
	Ceiling int64
	// Domains are the intervals of positions, ascending, one of which the best set makes room in; none: there is no room at all.
	Domains [][2]int32
}

// Look finds what a problem's best set depends on apart from the names and the starts of candidates. Nodes that are alike in all else are a class: the
// problem lists classes in place of nodes, and the candidates of a class once, while Tiers are of positions, whose classes are listed; -1: the
// node takes no unit. False if more must be known: where candidates do not leave one by one, or costs that count more than the highest priority
// differ between sets. O(positions + classes * what is on them), then what merging costs.
func Look(p Problem, classOf []int32) (Outlook, bool) {
	if p.Order = anonymous(p.Order); !slices.Contains(p.Order, gang.CostHighestPriority) || !p.Exact {
		return Outlook{}, false
	}
	classes := newSearch(&p)
	if classes.coupled || !classes.layout.constant(slices.Index(p.Order, gang.CostHighestPriority), false) {
		return Outlook{}, false
	}
	s := &search{Problem: &p, positions: int32(len(classOf)), classes: classes, classOf: classOf, layout: classes.layout, above: classes.above}
	last := len(p.Strategies) - 1
	ceilings := s.ceilingsFor(last)
	if len(ceilings) == 0 {
		return Outlook{}, true
	}
	s.ceiling = ceilings[0]
	s.count()
	s.curves, s.known = make([]*curve, len(classOf)), make([]bool, len(classOf))
	s.survey(&p.Strategies[last])
	out := Outlook{Ceiling: s.ceiling}
	for _, d := range s.domains {
		if d.cost == s.domains[0].cost {
			out.Domains = append(out.Domains, [2]int32{d.lo, d.end})
		}
	}
	slices.SortFunc(out.Domains, func(a, b [2]int32) int { return int(a[0]) - int(b[0]) })
	return out, true
}

// anonymous are the first costs of an order that depend neither on who leaves nor on where the gang goes. Sets that are not the best by them are
// not the best.
func anonymous(order []gang.Cost) []gang.Cost {
	if len(order) == 0 {
		order = gang.Costs()
	}
	for i, c := range order {
		if c == gang.CostStrategy || c == gang.CostLostWork {
			return order[:i:i]
		}
	}
	return order
}

// countByClass is count where nodes are told by classes.
func (s *search) countByClass() {
	c := s.classes
	c.ceiling = s.ceiling
	c.count()
	if s.slotsLeft == nil {
		s.slotsLeft = make([]int64, s.positions)
	}
	for pos, class := range s.classOf {
		if s.slotsLeft[pos] = 0; class >= 0 {
			s.slotsLeft[pos] = c.slotsLeft[class]
		}
	}
}

// countOf is where the slots of a position are counted.
func (s *search) countOf(pos int32) (*search, int32) {
	if s.classes == nil {
		return s, pos
	}
	return s.classes, s.classOf[pos]
}

// curveOf is the curve of a class, found once.
func (s *search) curveOf(class int32) *curve {
	if !s.known[class] {
		s.known[class] = true
		s.curves[class] = s.curveOn(class, class, class+1)
	}
	return s.curves[class]
}
