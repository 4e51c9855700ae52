package reference

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// level is one level of groups.
type level struct {
	size  int
	rules rules
	apart []limit // of groups
}

// rules are the gather rules of the gang or of one level of groups, as tiers.
type rules struct {
	must   int // the root's tier if no rule is hard
	hard   bool
	prefer []int
}

// worth is the smallest preferred tier at or above t, a preference above the MustGather counting as the MustGather's.
// Above all preferences it is the MustGather's tier. Without a preference every tier is its own worth.
func (r rules) worth(t int) int {
	if len(r.prefer) == 0 {
		return t
	}
	best := r.must
	for _, p := range r.prefer {
		if p = min(p, r.must); p >= t {
			best = min(best, p)
		}
	}
	return best
}

// worths are all worths that tiers allowed by the rules have, ascending.
func (r rules) worths() []int {
	var out []int
	for t := 0; t <= r.must; t++ {
		out = append(out, r.worth(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// solver is what follows from the input, whatever number of members is placed.
type solver struct {
	in       *Input
	shapes   []*gang.Shape // of the members of a unit: one, unless whole groups are placed like members
	root     *vertex
	outside  *vertex // nil if every node is in the tree
	vertices []*vertex
	tiers    []int       // ascending: of nodes, of the layers, of the root
	multiple map[int]int // by tier
	gang     rules
	levels   []level
	limits   limits
	own      []cluster.Running
	zones    map[string]aligning // by node
	aligned  bool
	gone     bool   // leaving members count as gone, see look
	spares   bool   // nodes meant for others than the members take none
	idle     bool   // of the first role nobody is placed, so that no node is meant for others than it
	again    func() // looks as it did last
}

func newSolver(in *Input) (*solver, error) {
	req := &in.Request
	network, ok := validity.NewNetwork(&in.Spec, req)
	if !ok {
		return nil, &muster.InvalidError{Field: "request.Tree", Value: req.Tree, Reason: "no such topology"}
	}
	if len(req.Members) == 0 || len(req.Members) > MaxMembers {
		return nil, fmt.Errorf("%d members are not for this solver", len(req.Members))
	}
	named, _ := validity.PickTree(&in.Spec, req)
	s := &solver{in: in, shapes: in.unit, own: validity.Own(&in.Spec, req)}
	if s.shapes == nil {
		s.shapes = []*gang.Shape{firstShape(req)}
	}
	s.root = build(named.Tree, in.Spec.Nodes)
	s.vertices, s.tiers = all(s.root), []int{0}
	if named.Tree != nil {
		for _, l := range named.Tree.Layers() {
			s.tiers = append(s.tiers, l.Tier)
		}
		slices.Sort(s.tiers)
	}
	s.tiers = append(s.tiers, s.root.tier)
	if n := len(s.root.children); n > 0 && s.root.children[n-1].outside {
		s.outside = s.root.children[n-1]
	}
	s.multiple = multiplesOf(network, req.Gather)
	if len(req.Groups) > maxLevels {
		return nil, fmt.Errorf("%d levels of groups are not for this solver", len(req.Groups))
	}
	for _, g := range validity.Levels(req, len(req.Members)+len(s.own)) {
		s.levels = append(s.levels, level{size: g.Size, rules: tierRules(network, g.Gather)})
	}
	s.readLimits(network)
	return s, s.readZones()
}

// firstShape is the shape of the first member in rank order.
func firstShape(req *gang.Request) *gang.Shape {
	ranks := validity.Ranks(req, nil)
	first := &req.Members[0]
	for i := range req.Members {
		if ranks[req.Members[i].Name] < ranks[first.Name] {
			first = &req.Members[i]
		}
	}
	return validity.ShapeOf(req, first)
}

func tierRules(network *validity.Network, list []gang.Rule) rules {
	var r rules
	r.must, r.hard = network.Must(list)
	for _, rule := range list {
		if tier, ok := network.TierOf(rule.Layer); ok && rule.Strength == gang.PreferGather {
			r.prefer = append(r.prefer, tier)
		}
	}
	return r
}

// hard holds if the gang or a level of groups must gather, that of the units included; then nodes outside the tree take
// nobody.
func (s *solver) hard() bool {
	return s.in.unit != nil || s.limits.hard || s.gang.hard || slices.ContainsFunc(s.levels, func(l level) bool { return l.rules.hard })
}

// multiplesOf are the multiples in rules by tier.
func multiplesOf(network *validity.Network, list []gang.Rule) map[int]int {
	out := map[int]int{}
	for _, r := range list {
		if tier, ok := network.TierOf(r.Layer); ok && r.Multiple > 1 {
			out[tier] = lcm(max(1, out[tier]), r.Multiple)
		}
	}
	return out
}

// stepBelow is the least common multiple of all multiples at tiers below t.
func (s *solver) stepBelow(t int) int { return stepBelow(s.multiple, t) }

func stepBelow(multiple map[int]int, t int) int {
	step := 1
	for tier, m := range multiple {
		if tier < t {
			step = lcm(step, m)
		}
	}
	return step
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// sizes of the levels and, last, of a member.
func (s *solver) size(i int) int {
	if i == len(s.levels) {
		return 1
	}
	return s.levels[i].size
}
