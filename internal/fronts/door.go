package fronts

import (
	"iter"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/packing"
)

// This file answers: what is a search asked, beside its plans?

// Model is what the members of the search ask for.
func (s *Search) Model() *model.Model { return s.m }

// Selection is the selection that the search is for; nil: it is for all members of its model.
func (s *Search) Selection() model.Selection { return s.selection }

// Keep makes a search keep these multiples, and no others.
func Keep(s *Search, rules []model.MultipleRule) {
	s.m.Multiples = rules
	s.weighRules()
}

// CountsRoles says whether vectors of roles say what fits: there are no groups and limits, and not too many roles.
func (s *Search) CountsRoles() bool { return s.isPlain() && s.manyShapes == nil }

// MostOf is the largest number of members that some vectors have.
func MostOf(s *Search, room []front.Vector) int64 { return s.sizes.Most(room) }

// Allows says whether the gang fits under a strategy, and how many members then lie outside the tree.
func Allows(s *Search, st model.Strategy) (outside int64, ok bool) {
	possible := s.Possible()
	if s.manyShapes != nil {
		return s.outside, possible && s.manyShapes.FitsAt(st.Gang)
	}
	return s.outside, possible && s.firstCapacity(st) != nil
}

// Strategies enumerates the strategies of all classes, fitting or not.
func Strategies(asked Asked) iter.Seq[model.Strategy] {
	s := begin(asked)
	s.readGroups()
	return s.strategies(func(model.Strategy) bool { return true })
}

// OnNode counts the members, of any roles, that a node takes.
type OnNode struct {
	Demand   []int64 // amounts that all new members ask for, by need
	search   *Search
	capacity *capacity // nil: members are bounded by their number alone
}

// NewOnNode is ready to count members of a gang.
func NewOnNode(asked Asked) *OnNode {
	s := begin(asked)
	s.readGroups()
	s.sumTotals()
	o := &OnNode{search: s, Demand: s.totalDemand()}
	if s.vectors() <= manyShapesFrom {
		o.capacity = &capacity{m: s.m, search: s, tables: &tables{space: front.NewSpace(s.totals, s.m.Steps, &s.m.Left.Fronts)}}
	}
	return o
}

// ByVectors says whether vectors are counted, and so what zones take.
func (o *OnNode) ByVectors() bool { return o.capacity != nil }

// Most bounds the members that a node takes, with so much free, open to these roles, by what its zones take. Where vectors are forgotten it says
// that all fit.
func (o *OnNode) Most(a *front.Node) int64 {
	s := o.search
	if o.capacity == nil {
		kind := packing.Kind{Free: a.Free, Open: a.Open}
		return packing.New(s.asks, []packing.Kind{kind}, s.totals[:s.roles], &s.m.Left.Packing).Most(0)
	}
	f, forgot := o.capacity.onNode(a.Free, a.Open, a.Zones)
	if forgot {
		return int64(len(s.m.Pending))
	}
	return s.sizes.Most(f)
}
