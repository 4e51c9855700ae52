package reference

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Solve finds the best plan by the order of docs/order.md. The error is for input that this solver cannot read.
// Exponential in the number of children of one domain.
func Solve(in Input) (*Answer, error) {
	if groups, equal := asGroups(&in); equal {
		return Solve(groups)
	}
	var err error
	if in.refused, err = refusedByQuota(&in); err != nil {
		return nil, err
	}
	if prefers(&in.Request) {
		return solvePreferring(in)
	}
	if len(in.Request.Members) > 0 {
		if hasRoles(&in) {
			return solveRoles(in)
		}
		if units, members := unitsOf(&in); members != nil {
			a, err := solve(units)
			if err != nil {
				return nil, err
			}
			levels := validity.Levels(&in.Request, len(members))
			return a.ofMembers(members, len(units.unit), levels[0].Size), nil
		}
		least, err := leastOf(&in)
		if err != nil {
			return nil, err
		}
		if sets := guaranteedSets(&in, least); sets != nil {
			return solveSets(in, least, sets)
		}
	}
	return solve(in)
}

// solve is Solve for members of one shape, or for units.
func solve(in Input) (*Answer, error) {
	s, err := newSolver(&in)
	if err != nil {
		return nil, err
	}
	s.look(false)
	answer := &Answer{Wanted: s.wanted()}
	if p := s.largest(); p != nil && p.n >= answer.Wanted {
		answer.complete(p.decide(answer))
		s.giveZones(answer)
		return answer, nil
	}
	if s.canWait() {
		s.look(true)
		if n := s.smallestAdmissible(answer.Wanted); n > 0 {
			if p := s.fit(n); p != nil {
				p.wait(answer)
				return answer, nil
			}
		}
	}
	if s.refused(answer.Wanted) {
		answer.Fits = s.largestAdmissible(s.most())
	} else if p := s.largest(); p != nil {
		answer.Fits = p.n
	}
	return answer, nil
}

// wanted is the least number of new members: up to MinMember in all, and at least one.
func (s *solver) wanted() int {
	least := s.in.Request.MinMember
	if least == 0 {
		least = len(s.in.Request.Members) + len(s.own)
	}
	return max(1, least-len(s.own))
}

// leastOf is the least number of new members that the rules allow; 0 if there is none.
func leastOf(in *Input) (int, error) {
	whole := *in
	whole.refused = 0
	s, err := newSolver(&whole)
	if err != nil {
		return 0, err
	}
	s.look(true)
	return s.smallestAdmissible(s.wanted()), nil
}

// admissible holds if the first n new members are a multiple with those that run, and leave no group torn: the next
// one belongs to another group. A group of which members run may stay as it is.
func (s *solver) admissible(n int) bool {
	if (n+len(s.own))%s.stepBelow(s.root.tier) != 0 {
		return false
	}
	if len(s.levels) == 0 || n == len(s.in.Request.Members) {
		return true
	}
	ranks := validity.Ranks(&s.in.Request, s.own)
	var fresh []int
	for i := range s.in.Request.Members {
		fresh = append(fresh, ranks[s.in.Request.Members[i].Name])
	}
	slices.Sort(fresh)
	return fresh[n-1]/s.size(0) != fresh[n]/s.size(0)
}

func (s *solver) smallestAdmissible(least int) int {
	for n := least; n <= s.most(); n++ {
		if s.admissible(n) {
			return n
		}
	}
	return 0
}

// largestAdmissible is 0 if there is none.
func (s *solver) largestAdmissible(most int) int {
	for most > 0 && !s.admissible(most) {
		most--
	}
	return most
}

// refused holds if the quota admits no admissible number, though there is one.
func (s *solver) refused(least int) bool {
	n := s.largestAdmissible(len(s.in.Request.Members))
	return n >= least && s.smallestAdmissible(least) == 0
}

// largest is the largest number of new members that can be placed; nil if not even one.
func (s *solver) largest() *search {
	for n := s.most(); n > 0; n-- {
		if s.admissible(n) {
			if p := s.fit(n); p != nil {
				return p
			}
		}
	}
	return nil
}

// canWait holds if members are leaving and may be waited for.
func (s *solver) canWait() bool {
	return !s.in.Request.IgnoreLeaving && !s.in.now &&
		slices.ContainsFunc(s.in.Spec.Running, func(r cluster.Running) bool { return r.Leaving })
}

// decide finds the strategy and places the gang.
func (p *search) decide(answer *Answer) []placement.Assignment {
	p.settleStrategy()
	if sparing := p.withoutOthers(); sparing != nil {
		p, answer.Spared = sparing, true
	}
	whole := p.whole()
	answer.Placed, answer.Outside, answer.Worth = true, p.outside, p.tiers
	answer.Domain, answer.Keys = whole.v.path, p.keys(whole)
	return p.assign(whole)
}

// withoutOthers is the search for as many members under the same strategy without the nodes meant for others; nil if they do not fit,
// or more of them lie outside the tree. Then all nodes are as they were.
func (p *search) withoutOthers() *search {
	s := p.solver
	if s.in.Request.TakesAnyNode {
		return nil
	}
	s.spares = true
	s.again()
	if q := s.fit(p.n); q != nil && q.outside == p.outside {
		if q.use(p.tiers); len(q.candidates()) > 0 {
			return q
		}
	}
	s.spares = false
	s.again()
	s.fit(p.n)
	p.use(p.tiers)
	return nil
}

// settleStrategy uses the first strategy that some domain is feasible for. There is one.
func (p *search) settleStrategy() {
	for tiers := range p.solver.strategies {
		if p.use(tiers); len(p.candidates()) > 0 {
			return
		}
	}
}

// complete enters the assignments, in rank order.
func (a *Answer) complete(assignments []placement.Assignment) {
	a.Assignments, a.Members, a.Counts = assignments, len(assignments), map[string]int{}
	for _, x := range assignments {
		a.Counts[x.Node]++
	}
}
