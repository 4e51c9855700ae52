package reference

import (
	"slices"

	"github.com/muster-sched/muster/placement"
)

// Solve finds the best plan by the order of docs/order.md. The error is for input that this solver cannot read.
// Exponential in the number of children of one domain.
func Solve(in Input) (*Answer, error) {
	s, err := newSolver(&in)
	if err != nil {
		return nil, err
	}
	s.look(false)
	answer := &Answer{Wanted: s.wanted()}
	if p := s.largest(); p != nil && p.n >= answer.Wanted {
		p.decide(answer)
		p.assign(answer, p.whole(), nil)
		return answer, nil
	}
	if s.canWait() {
		s.look(true)
		if n := s.smallestAdmissible(answer.Wanted); n > 0 {
			if p := s.fit(n); p != nil {
				p.decide(answer)
				p.wait(answer)
				return answer, nil
			}
		}
	}
	answer.Partial = s.begun()
	if p := s.largest(); p != nil {
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

// admissible holds if n new members are a multiple and leave no group torn: all members, or whole groups.
func (s *solver) admissible(n int) bool {
	total := n + len(s.own)
	if total%s.stepBelow(s.root.tier) != 0 {
		return false
	}
	return len(s.levels) == 0 || n == len(s.in.Request.Members) || total%s.size(0) == 0
}

func (s *solver) smallestAdmissible(least int) int {
	for n := least; n <= len(s.in.Request.Members); n++ {
		if s.admissible(n) {
			return n
		}
	}
	return 0
}

// largest is the largest number of new members that can be placed; nil if not even one.
func (s *solver) largest() *search {
	for n := len(s.in.Request.Members); n > 0; n-- {
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
	return !s.in.Request.IgnoreLeaving &&
		slices.ContainsFunc(s.in.Spec.Running, func(r placement.Running) bool { return r.Leaving })
}

// decide finds the strategy: the first vector of worths for which some domain is feasible.
func (p *search) decide(answer *Answer) {
	for tiers := range p.strategies {
		p.use(tiers)
		if len(p.candidates()) > 0 {
			break
		}
	}
	answer.Placed, answer.Members, answer.Outside = true, p.n, p.outside
	answer.Partial = p.partial()
	if !p.begun() || p.outside == 0 {
		answer.Worth = p.tiers
	}
}

// partial holds if groups have running members, or lie partly outside the tree.
func (p *search) partial() bool {
	split := p.outside > 0 && p.outside < p.n
	return len(p.levels) > 0 && (split || p.begun())
}

// begun holds if groups may have running members.
func (s *solver) begun() bool { return len(s.levels) > 0 && len(s.own) > 0 }
