package reference

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// waitByRole names whom a plan made with the leaving members gone waits for, and adds further members inside its domain on what is free now, as if
// those placed so far ran.
func (s *roleSolver) waitByRole(answer *Answer) {
	answer.WaitsFor = s.waitsForByRole(answer)
	s.shareByRole(answer)
	later, err := s.laterRoles(answer)
	if err != nil || len(later.pending) == 0 {
		return
	}
	members := later.largestFit(1)
	if members == nil {
		return
	}
	further := &Answer{}
	later.decideRoles(further, members)
	assignments := append(answer.Assignments, further.Assignments...)
	s.inTreeOrderByRole(assignments)
	answer.Worth = further.Worth // of all groups
	answer.complete(assignments)
	s.shareByRole(answer)
}

// laterRoles is the solver for the members that are left.
func (s *roleSolver) laterRoles(first *Answer) (*roleSolver, error) {
	in := *s.solver.in
	in.Request.Members = nil
	var placed []gang.Member
	for i := range s.pending {
		m := &s.pending[i]
		at := slices.IndexFunc(first.Assignments, func(a placement.Assignment) bool { return a.Member == m.Name })
		if at < 0 {
			in.Request.Members = append(in.Request.Members, *m)
			continue
		}
		a := first.Assignments[at]
		placed = append(placed, *m)
		in.Spec.Running = append(slices.Clip(in.Spec.Running), cluster.Running{
			Gang: in.Request.Name, Member: m.Name, Index: m.Index, Indexed: m.Indexed, Node: a.Node,
			Resources: validity.ShapeOf(&in.Request, m).Resources, NUMA: a.NUMA,
		})
	}
	if len(in.Request.Members) == 0 {
		return &roleSolver{}, nil
	}
	later, err := newSolverOf(&in, s.roles)
	if err != nil {
		return nil, err
	}
	later.ranks, later.quota, later.placed = s.ranks, s.quota, placed
	later.solver.gang = rules{must: s.tiers[0], hard: s.solver.gang.hard, prefer: []int{s.tiers[0]}}
	again := func() {
		later.lookAgain(false)
		later.comeAfter(s, first)
	}
	again()
	later.again = again
	return later, nil
}

// inTreeOrderByRole lets the ranks of every role follow the tree, whoever came first.
func (s *roleSolver) inTreeOrderByRole(assignments []placement.Assignment) {
	for r := range s.roles {
		var places []int
		var list []placement.Assignment
		for i, a := range assignments {
			if s.role(s.shapeNamed(a.Member)) == r {
				places, list = append(places, i), append(list, a)
			}
		}
		s.solver.inTreeOrder(list)
		for i, at := range places {
			assignments[at].Node = list[i].Node
		}
	}
}

func (s *roleSolver) shapeNamed(member string) *gang.Shape {
	i := slices.IndexFunc(s.pending, func(m gang.Member) bool { return m.Name == member })
	return validity.ShapeOf(&s.solver.in.Request, &s.pending[i])
}

// waitsForByRole names, node by node, the fewest leaving members that make room for all that is placed there.
func (s *roleSolver) waitsForByRole(answer *Answer) []placement.Waited {
	counted := map[string]int{}
	for _, v := range s.nodes {
		counted[v.node.Name] = total(s.countsOn(answer, v.node.Name))
	}
	out := s.solver.companyWaits(counted)
	for i, v := range s.nodes {
		counts := s.countsOn(answer, v.node.Name)
		if total(counts) == 0 {
			continue
		}
		var stay, leaving []cluster.Running
		for _, r := range on(s.solver.in.Spec.Running, v.node.Name) {
			if slices.ContainsFunc(out, func(w placement.Waited) bool { return w.Gang == r.Gang && w.Member == r.Member }) {
				continue
			}
			if r.Leaving {
				leaving = append(leaving, r)
			} else {
				stay = append(stay, r)
			}
		}
		slices.SortFunc(leaving, func(a, b cluster.Running) int {
			return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
		})
		for _, r := range s.makeRoom(i, stay, leaving, counts) {
			out = append(out, placement.Waited{MemberRef: cluster.MemberRef{Gang: r.Gang, Member: r.Member}, Node: r.Node})
		}
	}
	return out
}

// strategyByRole is the best strategy for members once all that leave have left: those outside the tree, and the worths; nil if they do not fit.
func strategyByRole(in *Input, members []gang.Member) ([]int, error) {
	s, err := newRoleSolver(in)
	if err != nil {
		return nil, err
	}
	s.lookAgain(true)
	if !s.fits(members) {
		return nil, nil
	}
	ways, answer := s.allowed(members), &Answer{}
	s.bestStrategies(answer, ways)
	return append([]int{answer.Outside}, answer.Worth...), nil
}

// afterByRole plans members once all that leave have left, then further ones.
func afterByRole(in *Input, members []gang.Member, answer *Answer) error {
	s, err := newRoleSolver(in)
	if err != nil {
		return err
	}
	s.lookAgain(true)
	if s.fits(members) {
		s.decideRoles(answer, members)
		s.waitByRole(answer)
	}
	return nil
}
