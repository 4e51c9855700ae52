package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// roleSolver places members of different shapes. It lists all ways to put them on nodes, and keeps the best by one key of docs/order.md, section 7,
// after the other.
type roleSolver struct {
	solver    *solver
	roles     []*gang.Shape
	pending   []gang.Member // in rank order
	ranks     map[string]int
	nodes     []*vertex // in the order of paths
	tiers     []int     // of the strategy: the gang's, then every level's
	free      []muster.Resources
	gone      bool   // leaving members count as gone, see lookAgain
	kept      []bool // by node: who runs near it keeps the gang off
	roleZones roleZones
	again     func()        // looks as it did last
	quota     *quota.State  // that the gang is in; nil: in none
	placed    []gang.Member // before these, see laterRoles
}

// way is one way to place members: for every node how many of each role.
type way [][]int

// hasRoles says whether the members are of different shapes and not in equal groups that must each gather on one node.
func hasRoles(in *Input) bool {
	req := &in.Request
	if ofOneShape(req) {
		return false
	}
	own := len(validity.Own(&in.Spec, req))
	levels := validity.Levels(req, len(req.Members)+own)
	if len(levels) == 0 {
		return true
	}
	innermost := &levels[len(levels)-1]
	bundled := onNode(innermost) && own == 0 && !validity.CountsDomains(req) && len(req.Members)%innermost.Size == 0
	return (validity.HasMultiples(req) || !bundled) && innermost.Size >= len(req.Members)+own
}

// ofOneShape holds if all members ask for the same.
func ofOneShape(req *gang.Request) bool {
	first := validity.ShapeOf(req, &req.Members[0])
	return !slices.ContainsFunc(req.Members, func(m gang.Member) bool { return !validity.ShapeOf(req, &m).Equal(first) })
}

// onNode says whether groups gather on a node, as rules and limits are drawn.
func onNode(g *gang.Groups) bool {
	return slices.ContainsFunc(g.Gather, func(r gang.Rule) bool { return r.Strength == gang.MustGather && r.Layer == "0" }) ||
		slices.ContainsFunc(g.Limits, func(l gang.Limit) bool { return !l.Preferred && l.Layer == "0" })
}

// mostRoles is the largest number of roles whose vectors are enumerated.
const mostRoles = 6

func newRoleSolver(in *Input) (*roleSolver, error) { return newSolverOf(in, nil) }

// newSolverOf is newRoleSolver for roles that are known; nil: they are not.
func newSolverOf(in *Input, roles []*gang.Shape) (*roleSolver, error) {
	s, err := newSolver(in)
	if err != nil {
		return nil, err
	}
	req := &in.Request
	r := &roleSolver{solver: s, ranks: validity.Ranks(req, s.own), pending: slices.Clone(req.Members), roles: slices.Clone(roles)}
	slices.SortFunc(r.pending, func(a, b gang.Member) int { return r.ranks[a.Name] - r.ranks[b.Name] })
	for i := range r.pending {
		if shape := validity.ShapeOf(req, &r.pending[i]); r.role(shape) < 0 {
			r.roles = append(r.roles, shape)
		}
	}
	if len(r.roles) > mostRoles {
		return nil, fmt.Errorf("%w: %d roles", ErrTooMany, len(r.roles))
	}
	for _, v := range s.vertices {
		if v.node != nil {
			r.nodes = append(r.nodes, v)
		}
	}
	if req.Quota != "" {
		if r.quota, err = validity.QuotaState(&in.Spec); err == nil {
			r.quota, err = r.quota.Wanting(validity.Ask(req, req.Members))
		}
		if err != nil {
			return nil, err
		}
	}
	return r, r.readRoleZones()
}

func (s *roleSolver) role(shape *gang.Shape) int { return slices.IndexFunc(s.roles, shape.Equal) }

// lookAgain fills in what vertices hold, and what nodes have free of what members ask for; -1: without bound.
func (s *roleSolver) lookAgain(leavingGone bool) {
	s.again = func() { s.lookAgain(leavingGone) }
	s.solver.shapes = s.roles[:1] // slots are those of the first role, whatever multiples are
	plain := *s.solver
	plain.multiple = nil
	plain.look(leavingGone)
	s.free, s.kept, s.roleZones.states, s.roleZones.known = nil, nil, nil, map[string]bool{}
	for _, v := range s.nodes {
		s.gone, s.kept = leavingGone, append(s.kept, s.solver.keptOut(v, leavingGone))
		var on []cluster.Running
		for _, r := range s.solver.in.Spec.Running {
			if r.Node == v.node.Name && (!leavingGone || validity.Stays(&s.solver.in.Request, &r)) {
				on = append(on, r)
			}
		}
		free := muster.Resources{}
		for _, shape := range s.roles {
			for name := range shape.Resources {
				if amount, bounded := validity.Free(v.node, name, on); bounded {
					free[name] = max(0, amount)
				} else {
					free[name] = -1
				}
			}
		}
		s.free = append(s.free, free)
		zones := s.roleZones.byNode[v.node.Name]
		state, err := zones.with(on)
		if err != nil {
			state = nil
		}
		s.roleZones.states = append(s.roleZones.states, state)
	}
}

// all lists every way to place members.
func (s *roleSolver) all(members []gang.Member) []way {
	want := s.wants(members)
	var out []way
	at := make(way, len(s.nodes))
	var from func(i int)
	from = func(i int) {
		if i == len(s.nodes) {
			if !slices.ContainsFunc(want, func(n int) bool { return n > 0 }) {
				out = append(out, slices.Clone(at))
			}
			return
		}
		s.onNode(i, 0, make([]int, len(want)), want, func(counts []int) {
			at[i] = slices.Clone(counts)
			for r, n := range counts {
				want[r] -= n
			}
			from(i + 1)
			for r, n := range counts {
				want[r] += n
			}
		})
	}
	from(0)
	return out
}

// onNode calls back for all counts that fit on a node together.
func (s *roleSolver) onNode(i, role int, counts, want []int, each func([]int)) {
	s.solver.in.spend()
	if role == len(s.roles) {
		if s.fitsTogether(i, counts) && s.zonesTake(i, counts) {
			each(counts)
		}
		return
	}
	for n := range want[role] + 1 {
		if n > 0 && (s.kept[i] || s.nodes[i].outside && s.solver.hard() || s.refuses(i, role)) {
			break
		}
		counts[role] = n
		s.onNode(i, role+1, counts, want, each)
	}
	counts[role] = 0
}

func (s *roleSolver) refuses(i, role int) bool {
	shape, node := s.roles[role], s.nodes[i].node
	return validity.Refusal(&s.solver.in.Spec, &s.solver.in.Request, shape, node) != "" || s.solver.spares && validity.MeantForOthers([]*gang.Shape{shape}, node)
}

func (s *roleSolver) fitsTogether(i int, counts []int) bool {
	for name, free := range s.free[i] {
		var sum int64
		for r, n := range counts {
			sum += int64(n) * s.roles[r].Resources[name]
		}
		if free >= 0 && sum > free {
			return false
		}
	}
	return true
}

// sumBelow adds up what a way places below a vertex, by role.
func (s *roleSolver) sumBelow(v *vertex, c way) []int {
	sum := make([]int, len(s.roles))
	for i, node := range s.nodes {
		if above(v, node) {
			for r, n := range c[i] {
				sum[r] += n
			}
		}
	}
	return sum
}

func total(counts []int) (n int) {
	for _, m := range counts {
		n += m
	}
	return n
}

// smallestOf is the smallest domain that holds the gang placed so, running members included.
func (s *roleSolver) smallestOf(c way) *vertex { return smallest(s.solver.root, s.used(c)) }

// used lists the nodes that have members of the gang, those included that run.
func (s *roleSolver) used(c way) (nodes []*vertex) {
	for i, v := range s.nodes {
		if total(c[i]) > 0 || v.own > 0 {
			nodes = append(nodes, v)
		}
	}
	return nodes
}

// allowed lists the ways to place members that keep the hard rules.
func (s *roleSolver) allowed(members []gang.Member) []way {
	if out := s.solver.outside; s.solver.broken(s.gone) || out != nil && out.own > 0 && s.solver.hard() {
		return nil
	}
	return slices.DeleteFunc(s.all(members), func(c way) bool {
		tier := s.smallestOf(c).tier
		return !s.keepsMultiples(c) || !s.keepsApart(c) || tier > s.solver.gang.must || slices.ContainsFunc(s.solver.levels, func(l level) bool { return tier > l.rules.must })
	})
}

// keepsMultiples holds if below every vertex there is a multiple of members, those included that run.
func (s *roleSolver) keepsMultiples(c way) bool {
	return !slices.ContainsFunc(s.solver.vertices, func(v *vertex) bool {
		return v.parent != nil && (v.own+total(s.sumBelow(v, c)))%s.solver.stepBelow(v.parent.tier) != 0
	})
}

// keepsApart holds if no domain has more members than may be in one, and no more domains have any than may, those included that run.
func (s *roleSolver) keepsApart(c way) bool {
	for _, l := range s.solver.limits.apart {
		for _, v := range s.solver.vertices {
			if v.tier <= l.tier && v.own+total(s.sumBelow(v, c)) > l.most {
				return false
			}
		}
	}
	return !slices.ContainsFunc(s.solver.limits.within, func(l limit) bool {
		return domainsIn(s.used(c), l.tier) > l.most
	})
}

// solveRoles is Solve for members of different shapes.
func solveRoles(in Input) (*Answer, error) {
	s, err := newRoleSolver(&in)
	if err != nil {
		return nil, err
	}
	s.lookAgain(false)
	answer := &Answer{Wanted: s.solver.wanted()}
	if members := s.largestFit(answer.Wanted); members != nil {
		s.decideRoles(answer, members)
		return answer, nil
	}
	if s.solver.canWait() {
		s.lookAgain(true)
		if members := s.leastFit(answer.Wanted); members != nil {
			s.decideRoles(answer, members)
			s.waitByRole(answer)
			return answer, nil
		}
	}
	answer.Fits = s.fitsThough(answer.Wanted)
	return answer, nil
}

// decideRoles finds the best way to place members.
func (s *roleSolver) decideRoles(answer *Answer, members []gang.Member) {
	ways := s.bestStrategies(answer, s.allowed(members))
	if sparing := s.withoutOthers(answer, members); sparing != nil {
		ways, answer.Spared = sparing, true
	}
	domain := s.bestDomain(ways)
	answer.Domain = domain.path
	ways = s.mostIntact(keep(ways, func(c way) bool { return above(domain, s.smallestOf(c)) }))
	way := s.down(domain, ways)[0]
	lists := make([][]*vertex, len(s.roles))
	for i, v := range s.nodes {
		for r, n := range way[i] {
			for range n {
				lists[r] = append(lists[r], v)
			}
		}
	}
	var out []placement.Assignment
	for i := range members {
		m := &members[i]
		r := s.role(validity.ShapeOf(&s.solver.in.Request, m))
		a := placement.Assignment{Member: m.Name, Rank: s.ranks[m.Name], Group: -1, Node: lists[r][0].node.Name}
		if len(s.solver.levels) > 0 {
			a.Group = 0
		}
		lists[r] = lists[r][1:]
		out = append(out, a)
	}
	answer.Placed = true
	answer.complete(out)
	s.shareByRole(answer)
}

// withoutOthers are the ways under the strategy of an answer in which each role is off the nodes meant for others; nil if there are none.
// Then all nodes are as they were.
func (s *roleSolver) withoutOthers(answer *Answer, members []gang.Member) []way {
	if s.solver.in.Request.TakesAnyNode {
		return nil
	}
	s.solver.spares, s.solver.idle = true, s.wants(members)[0] == 0
	s.again()
	if ways := s.allowed(members); len(ways) > 0 {
		own := &Answer{}
		ways = s.bestStrategies(own, ways)
		if own.Outside == answer.Outside && slices.Equal(own.Worth, answer.Worth) {
			return ways
		}
	}
	s.solver.spares = false
	s.again()
	s.tiers = answer.Worth
	return nil
}

func keep(ways []way, holds func(way) bool) []way {
	return slices.DeleteFunc(slices.Clone(ways), func(c way) bool { return !holds(c) })
}

// least keeps the ways with the smallest key.
func least[K any](ways []way, key func(way) K, compare func(a, b K) int) []way {
	best := key(slices.MinFunc(ways, func(a, b way) int { return compare(key(a), key(b)) }))
	return keep(ways, func(c way) bool { return compare(key(c), best) == 0 })
}

// bestStrategies keeps the ways with the fewest members outside the tree, the first roles inside, and the best strategy.
func (s *roleSolver) bestStrategies(answer *Answer, ways []way) []way {
	outside := func(c way) []int {
		if s.solver.outside == nil {
			return make([]int, len(s.roles))
		}
		return s.sumBelow(s.solver.outside, c)
	}
	ways = least(ways, func(c way) int { return total(outside(c)) }, cmp.Compare)
	ways = least(ways, outside, slices.Compare)
	ways = least(ways, s.worthOf, slices.Compare)
	answer.Outside, answer.Worth = total(outside(ways[0])), s.worthOf(ways[0])
	s.tiers = answer.Worth
	return ways
}

func (s *roleSolver) worthOf(c way) []int {
	tier := s.smallestOf(c).tier
	worth := []int{s.solver.gang.worth(tier)}
	for _, l := range s.solver.levels {
		worth = append(worth, l.rules.worth(tier))
	}
	return worth
}
