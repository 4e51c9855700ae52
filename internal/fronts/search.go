// Package fronts answers: where does a gang go whose members are of several shapes, whose groups differ, or whose
// groups lie in another topology? A [Search] takes an inventory of the gang and divides vertices into classes. It sums
// fronts up the tree (package front), and decides strategy, domain, children and members. It sees the model alone, and what
// nodes have through [Asked].
//
// The rules are those of docs/order/7-shapes.md and docs/order/8-parts.md. A search that ends before everything was
// tried notes it in the model's Doubt: then neither its plan nor a refusal is proven.
//
// Everything here belongs to one plan and is not safe for concurrent use. All searches of a plan share steps, vertex
// classes and domain choices; tables are each search's own.
package fronts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/manyshapes"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: what does a search know before it decides? The inventory, the weights and the slots are made here.

// Search looks for the best plan of one selection of a gang. It holds the inventory of the gang, the classes of
// vertices, and the tables that capacities of it share.
//
// Vectors here have one number for each role, then one for each class of groups: dimension len(roles)+k counts groups
// of class k.
type Search struct {
	m         *model.Model
	asked     Asked
	roles     int
	slots     model.SlotTable // of the first role
	chosen    *Chosen         // nil: no domains of other topologies are chosen
	selection model.Selection // nil: all members of the model are placed
	asks      [][]int64       // amounts that one member asks for, by role, then by need
	classes   *vertexClasses
	joint     Bound         // bounds what fits below a vertex; nil: nothing does but fronts
	weights   []int64       // by role, as the joint bound weighs one member
	loads     front.Weights // as the joint bound weighs
	// relaxed: each role finds zones by itself, whatever the others take.
	relaxed bool

	want        front.Vector    // the gang's own members and its outermost groups
	totals      front.Vector    // all new members and groups, inner ones included
	sizes       front.Weights   // by dimension: members in one
	scales      []front.Weights // sizes, then for each need the amount that one asks for
	groups      []groupClass
	done        []finished
	misses      [][]int32      // by level: the misses that groups may have, ascending
	crossGroups []crossGroup   // groups in other topologies
	choices     *domainChoices // nil without crossGroups
	// byDomains are the searches for choices of domains, by choiceKey.
	byDomains map[string]*Search
	// multiples has, for each rule, the members of each dimension that it counts; nil: the rule binds no domain.
	multiples []front.Weights
	caps      capRules
	counted   *countedDomains // nil: the gang and its parts may lie in any number of domains
	// cached are the tables made so far, one for each vector of bounds.
	cached      []*tables
	outside     int64              // members that must lie outside the tree; possible sets it
	feasibility verdict            // of the selection, under the hard rules
	manyShapes  *manyshapes.Search // decides in place of fronts; nil: fronts do
	broken      bool               // running members break a limit of the gang: no node takes any
	Within      bool               // no steps are spent beyond those that are left
	Fewest      int                // for a refusal: so many members must be placed, of any ranks; 0: the lowest
	built       *model.Answer      // a plan where fronts left a doubt
}

// verdict caches the answer to a yes-or-no question; the zero value stands for a question that was not asked yet.
type verdict int8

const (
	unknown verdict = iota
	yes
	no
)

// New reads the gang and classifies the vertices. O(nodes * roles * resources + members).
func New(asked Asked) *Search {
	s := begin(asked)
	s.broken, s.slots = s.m.Room.Broken(), asked.Slots()
	s.joint, s.weights = asked.Bound()
	s.readGroups()
	if s.CrossesTrees() {
		s.choices = s.newDomainChoices()
	}
	s.sumTotals()
	s.classes = s.newVertexClasses(s.totalDemand())
	s.avoidLongFronts()
	return s
}

// begin is a search that knows its roles.
func begin(asked Asked) *Search {
	s := &Search{m: asked.Model(), asked: asked, chosen: asked.Chosen()}
	s.asks = s.m.Room.Asks()
	s.roles = len(s.asks)
	return s
}

// readGroups takes the inventory of the problem's selection.
func (s *Search) readGroups() {
	s.want, s.groups, s.done = takeInventory(s.m, s.roles)
	if s.counted = countedOf(s.m); s.counted != nil {
		s.want = append(slices.Clip(s.want), make(front.Vector, s.counted.dims())...)
		s.counted.bound(s.want)
	}
	s.findCrossGroups()
	s.readMisses()
}

// relax returns the search with a looser rule for zones: each role finds zones by itself, as if the others took none.
// No plan may come of it; a gang that does not fit here does not fit at all, so that a refusal is proven.
func (s *Search) relax() *Search {
	out := *s
	out.relaxed, out.cached, out.feasibility = true, nil, 0
	if s.classes.relaxed == nil {
		s.classes.relaxed = out.newVertexClasses(s.classes.demand)
	}
	out.classes = s.classes.relaxed
	return &out
}

// ForSelection returns the search for another selection of the same gang. Roles, slots and vertex classes stay valid,
// for the classes are capped at the demand of the whole gang; the groups are counted anew.
func (s *Search) ForSelection(in model.Selection) *Search {
	s.m.Left.Packing.Spend(int64(s.vertices()))
	out := *s
	out.asked, out.selection, out.cached, out.byDomains, out.feasibility, out.built = s.asked.Only(in), in, nil, nil, 0, nil
	out.m = out.asked.Model()
	out.readGroups()
	out.sumTotals()
	out.avoidLongFronts()
	return &out
}

// sumTotals counts every role and class in the whole selection, and weighs one group of each class. Outer classes
// come first, so that the number of a class is known before that of its inner groups.
func (s *Search) sumTotals() {
	r := s.roles
	s.totals = slices.Clone(s.want)
	clear(s.totals[len(s.totals)-s.counted.dims():])
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
	for i := range s.asks[0] {
		ask := make(front.Weights, r)
		for role := range ask {
			ask[role] = s.asks[role][i]
		}
		if w := s.weigh(ask); !slices.ContainsFunc(s.scales, w.IsMultiple) {
			s.scales = append(s.scales, w)
		}
	}
	if s.joint != nil {
		load := make(front.Weights, r)
		for role := range load {
			before := role
			if s.chosen != nil { // domains were chosen, and roles divided
				before = int(s.chosen.RoleBefore[role])
			}
			load[role] = s.weights[before]
		}
		s.loads = s.weigh(load)
	}
	s.weighRules()
	if s.caps = capsOf(s); s.caps.broken(s.m.View) || breakDomains(s.m) {
		s.caps, s.broken = nil, true // of the nodes none takes any, and no front would keep what is broken
	}
}

// weigh extends weights of roles by weights of classes: a group weighs the sum of its members, with
// inner groups. Inner classes come later in the list, so one pass from the back suffices.
func (s *Search) weigh(roles front.Weights) front.Weights {
	return extend(append(roles, make(front.Weights, len(s.want)-s.roles)...), s.roles, s.groups)
}

// extend fills in, after the weights of r roles, the weight of one group of each class: the sum of its members. It changes w.
func extend(w front.Weights, r int, groups []groupClass) front.Weights {
	for k := len(groups) - 1; k >= 0; k-- {
		for i, n := range groups[k].needs {
			if n > 0 {
				w[r+k] += int64(n) * w[i]
			}
		}
	}
	return w
}

// readMisses lists by level the misses that a strategy can tell apart: 0, and all worths of its groups but their
// smallest.
func (s *Search) readMisses() {
	s.misses = nil
	add := func(level int, rules model.Gather) {
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

// members is the number of members that a vector stands for.
func (s *Search) members(a front.Vector) int64 { return s.sizes.Of(a) }

// bit is 1 for true.
func bit(is bool) int64 {
	if is {
		return 1
	}
	return 0
}
