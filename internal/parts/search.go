// Package parts answers: where does a gang go whose members are of several shapes, whose groups differ, or whose groups lie
// in another topology? [Engine] searches: it lists what the gang consists of, finds which vertices are alike, sums up the
// tree which members fit together (package front), and decides strategy, domain, children and members.
//
// The rules are sections 7 and 8 of docs/order.md. A search that ends before everything was tried says so: its plan is not
// proven, and a refusal neither.
//
// Everything here belongs to one plan; only fronts cached by a capacity are shared, by the searches of that plan.
package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/problem"
)

// search is a gang that is placed in parts: what it consists of, and where what fits.
type search struct {
	p     *problem.Problem
	roles []*problem.Problem
	slots problem.SlotTable // of the first role
	// reserved is what new members take that are placed already.
	reserved map[int32]problem.Reserved
	released map[int32]problem.Released
	asks     [][]int64 // by role, as the problem's needs
	classes  *vertexClasses
	// relaxed: each role finds zones by itself, whatever the others take.
	relaxed bool

	// Counts are of members by role, then of groups by kind.
	want        front.Vector // the gang's own members and its outermost groups
	totals      front.Vector // of all
	sizes       front.Weights
	scales      []front.Weights // sizes, and what of each resource is asked for
	groups      []groupClass
	done        []finished
	misses      [][]int32      // by level: those that any group may have, ascending
	crossGroups []crossGroup   // groups in other topologies
	choices     *domainChoices // nil where there are none
	// byDomains are the casts for choices of domains there, see penned.
	byDomains map[string]*search
	// multiples are, by rule about multiples, the members that it counts; nil: it binds no domains.
	multiples []front.Weights
	// cached are those that were found.
	cached      []*tables
	outside     int64 // members that must lie outside the tree
	feasibility verdict
	steps       *int64 // of work, for all that is tried for the gang
}

// verdict
type verdict int8

const (
	unknown verdict = iota
	yes
	no
)

// newSearch finds what a gang consists of. held, by node and resource, is as good as taken. O(nodes * roles * resources + members).
func newSearch(p *problem.Problem, reserved map[int32]problem.Reserved) *search {
	s := &search{p: p, reserved: reserved, released: p.Counting().LeavingReleased(), steps: new(int64)}
	s.readRoles()
	s.slots = s.slotsBeside(reserved)
	s.readGroups()
	if s.crossesTrees() {
		s.choices = s.newDomainChoices()
	}
	s.sumTotals()
	s.classes = s.newVertexClasses(s.totalDemand())
	return s
}

// readGroups finds what is to be placed.
func (s *search) readGroups() {
	s.want, s.groups, s.done = takeInventory(s.p)
	s.findCrossGroups()
	s.readMisses()
}

// relax is the cast, relaxed.
func (s *search) relax() *search {
	out := *s
	out.relaxed, out.cached, out.feasibility = true, nil, 0
	if s.classes.relaxed == nil {
		s.classes.relaxed = out.newVertexClasses(s.classes.demand)
	}
	out.classes = s.classes.relaxed
	return &out
}

// forSelection is the cast of a content of the same gang.
func (s *search) forSelection(in problem.Selection) *search {
	out := *s
	out.p, out.cached, out.byDomains, out.feasibility = s.p.Only(in), nil, nil, 0
	out.readGroups()
	out.sumTotals()
	return &out
}

// sumTotals finds how many there are of everything, and how large each kind is.
func (s *search) sumTotals() {
	r := len(s.roles)
	s.totals = slices.Clone(s.want)
	for k := range s.groups { // outer ones first
		for i, n := range s.groups[k].needs {
			s.totals[i] += n * s.totals[r+k]
		}
	}
	one := make(front.Weights, r)
	for i := range one {
		one[i] = 1
	}
	s.sizes = s.weigh(one)
	s.scales = []front.Weights{s.sizes}
	for i := range s.p.Needs {
		ask := make(front.Weights, r)
		for role := range ask {
			ask[role] = s.asks[role][i]
		}
		s.scales = append(s.scales, s.weigh(ask))
	}
	s.weighMultiples()
}

// weigh adds what groups of each kind weigh to what members of each role do.
func (s *search) weigh(roles front.Weights) front.Weights {
	r := len(roles)
	w := append(roles, make(front.Weights, len(s.groups))...)
	for k := len(s.groups) - 1; k >= 0; k-- {
		for i, n := range s.groups[k].needs {
			if n > 0 {
				w[r+k] += int64(n) * w[i]
			}
		}
	}
	return w
}

// scarcestScale is the scale by which the most places are needed for what is wanted, and how many: were there nothing but weights.
func (s *search) scarcestScale(places []front.Front, want front.Vector) (best front.Weights, n int) {
	room := make([]int64, len(places))
	for _, w := range s.scales {
		left, taken := w.Of(want), 0
		for i, f := range places {
			room[i] = w.Most(f)
		}
		slices.Sort(room)
		for i := len(room) - 1; i >= 0 && left > 0; i-- {
			left, taken = left-room[i], taken+1
		}
		if best == nil || taken > n {
			best, n = w, taken
		}
	}
	return best, n
}

// readMisses lists, for every level, what the strategy can tell apart.
func (s *search) readMisses() {
	s.misses = nil
	add := func(level int, rules problem.GatherRules) {
		for len(s.misses) < level {
			s.misses = append(s.misses, []int32{0})
		}
		s.misses[level-1] = append(s.misses[level-1], rules.Worths[1:]...)
	}
	for _, k := range s.groups {
		add(k.level, k.gather)
	}
	for _, d := range s.done {
		add(d.level, d.gather)
	}
	for _, a := range s.crossGroups {
		add(a.part.Level, a.part.Gather)
	}
	for level, list := range s.misses {
		slices.Sort(list)
		s.misses[level] = slices.Compact(list)
	}
}

// slotsBeside are the slots of the first role beside what is as good as taken.
func (s *search) slotsBeside(reserved map[int32]problem.Reserved) problem.SlotTable {
	first := s.roles[0]
	if len(reserved) == 0 {
		return first.Counting().SlotTable()
	}
	slots := first.Counting().CountSlots()
	for id, t := range reserved {
		left := make([]int64, len(t.Amounts))
		for r, amount := range t.Amounts {
			left[r] = -amount
		}
		x := s.p.View.NodeVertex(s.p.View.At(id))
		slots[x] = min(slots[x], first.Counting().Room(id, left))
		if t.Zones != nil {
			slots[x] = min(slots[x], int64(t.Beside.Most(0)), first.Zones().CountZones(first.Zones().NeedsOn(id), t.Zones).Slots)
		}
	}
	first.Counting().SumSlots(slots)
	return problem.SlotTable{Flat: slots}
}

// readRoles finds what the members of each role ask for.
func (s *search) readRoles() {
	s.roles = s.p.OfRoles()
	for r := range s.p.Shapes {
		ask := make([]int64, len(s.p.Needs))
		for i, n := range s.p.Needs {
			ask[i] = s.p.Shapes[r].Resources[n.Name]
		}
		s.asks = append(s.asks, ask)
	}
}

// members is the number of members of counts.
func (s *search) members(a front.Vector) int64 { return s.sizes.Of(a) }
