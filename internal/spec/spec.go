// Package spec answers: which answer is best, by definition? It reads a [model.Model] whose room is a [Room], enumerates every
// domain and, at every vertex, every set of children, and compares whole vectors of keys, as pages 1 to 5 and 10 of docs/order
// word them. It shares with the engines nothing but the model. It is meant for tests, on models of a dozen nodes and at most
// [MaxMembers] members; [Conforms] holds an engine against it.
//
//	m := spec.Draw(t)
//	require.Equal(t, spec.Best(m), gather.Search(m))
package spec

import (
	"slices"

	"github.com/muster-sched/muster/internal/model"
)

// MaxMembers bounds the new members of a gang, so that sets of counts are bits of one word.
const MaxMembers = 60

// Best is the best answer for as many new members as there is room for; nil if not even the least number fits.
func Best(m *model.Model) *model.Answer {
	s := newSolver(m)
	for _, n := range slices.Backward(s.counts()) {
		if p := s.fit(n); p != nil {
			return p.decide()
		}
	}
	return nil
}

// Least is the best answer for the least number of new members; nil if they do not fit.
func Least(m *model.Model) *model.Answer {
	s := newSolver(m)
	if counts := s.counts(); len(counts) > 0 {
		if p := s.fit(counts[0]); p != nil {
			return p.decide()
		}
	}
	return nil
}

// All lists the best answer of each domain, best first: by strategy, and under one strategy first those without the nodes meant
// for others.
func All(m *model.Model) (out []*model.Answer) {
	s := newSolver(m)
	counts := s.counts()
	for len(counts) > 0 && s.fit(counts[len(counts)-1]) == nil {
		counts = counts[:len(counts)-1]
	}
	if len(counts) == 0 {
		return nil
	}
	p, seen := s.fit(counts[len(counts)-1]), map[int32]bool{}
	for tiers := range s.strategies {
		for _, q := range []*search{p.withoutOthers(tiers), p} {
			if q == nil {
				continue
			}
			q.use(tiers)
			for _, found := range q.ranked() {
				if d := found.v.at; !seen[d] {
					seen[d] = true
					out = append(out, q.answer(found))
				}
			}
		}
	}
	return out
}

// Possible says whether the least number of new members fits.
func Possible(m *model.Model) bool {
	s := newSolver(m)
	counts := s.counts()
	return len(counts) > 0 && s.fit(counts[0]) != nil
}

// Allows says whether some domain holds the first n pending members under a strategy with as few members outside the tree as the slots
// of all nodes allow, and how many that are, beside those that multiples force there.
func Allows(m *model.Model, n int, st model.Strategy) (outside int64, ok bool) {
	s := newSolver(m)
	p, forced := &search{solver: s, n: n}, 0
	if s.outside != nil {
		forced = s.outside.low
	}
	p.cut()
	if p.broken() {
		return 0, false
	}
	for p.outside = range n + 1 {
		if s.fixOutside(p.outside) && s.root.low <= n && n <= s.root.high {
			p.use(tiersOf(st))
			return int64(p.outside - forced), len(p.candidates()) > 0
		}
	}
	return 0, false
}

// tiersOf lists the tiers of a strategy: the gang's, then those of its groups.
func tiersOf(st model.Strategy) []int {
	out := []int{int(st.Gang)}
	for _, t := range st.Groups {
		out = append(out, int(t))
	}
	return out
}

func strategyOf(tiers []int) model.Strategy {
	st := model.Strategy{Gang: int32(tiers[0])}
	for _, t := range tiers[1:] {
		st.Groups = append(st.Groups, int32(t))
	}
	return st
}

// decide finds the strategy and places the gang.
//
// The first strategy for which some domain is feasible is the best one; if it is possible without the nodes meant for others as
// well, these are left out.
func (p *search) decide() *model.Answer {
	for tiers := range p.solver.strategies {
		p.use(tiers)
		if len(p.candidates()) == 0 {
			continue
		}
		if q := p.withoutOthers(tiers); q != nil {
			p = q
		}
		return p.answer(p.ranked()[0])
	}
	return nil
}

// withoutOthers is the search for as many members under the same strategy without the nodes meant for others; nil if they do not
// fit, if more of them lie outside the tree then, or if no other plan can come of it.
func (p *search) withoutOthers(tiers []int) *search {
	s := p.solver
	spared := s.room.withoutOthers(s.m, tiers)
	if spared == nil {
		return nil
	}
	q := newSolver(spared).fit(p.n)
	if q == nil || q.outside != p.outside {
		return nil
	}
	if q.use(tiers); len(q.candidates()) == 0 {
		return nil
	}
	return q
}

// answer gives the members of a placement their positions.
func (p *search) answer(a *placed) *model.Answer {
	return &model.Answer{Of: p.solver.m, Domain: a.v.at, Tier: int32(p.tiers[0]), Positions: p.assign(a)}
}
