package reference

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// wait makes a plan with the leaving members gone: further members are added inside the domain on what is free now, but
// none with multiples, and the leaving members that must be gone are named.
func (p *search) wait(answer *Answer) {
	answer.complete(p.decide(answer))
	answer.WaitsFor = p.waitsFor(answer.Counts)
	p.solver.giveZones(answer)
	if p.solver.countsNested() || validity.HasMultiples(&p.solver.in.Request) {
		return
	}
	if later := p.later(answer).largest(); later != nil {
		further := &Answer{}
		assignments := append(answer.Assignments, later.decide(further)...)
		answer.Worth = further.Worth // of all groups
		if len(p.solver.levels) == 0 {
			p.solver.inTreeOrder(assignments)
		}
		answer.complete(assignments)
		p.solver.giveZones(answer)
	}
}

// later is the solver for the members that are left. Those placed so far run: they have their slots and shares of zones,
// and bind like siblings. The domain stays the gang's. Afterwards the vertices stay so.
func (p *search) later(first *Answer) *solver {
	s, in := *p.solver, *p.solver.in
	s.in = &in
	in.Request.Members = nil
	for _, m := range p.solver.in.Request.Members {
		i := slices.IndexFunc(first.Assignments, func(a placement.Assignment) bool { return a.Member == m.Name })
		if i < 0 {
			in.Request.Members = append(in.Request.Members, m)
			continue
		}
		r := cluster.Running{
			Gang: in.Request.Name, Member: m.Name, Index: m.Index, Indexed: m.Indexed, Node: first.Assignments[i].Node,
			Resources: s.asks(), NUMA: first.shares[i][0],
		}
		s.own = append(slices.Clip(s.own), r)
		in.Spec.Running = append(slices.Clip(in.Spec.Running), r)
		for _, shares := range first.shares[i][1:] { // of the other members of a unit
			in.Spec.Running = append(in.Spec.Running, cluster.Running{Node: r.Node, NUMA: shares})
		}
	}
	s.gang = rules{must: p.tiers[0], hard: p.solver.gang.hard, prefer: []int{p.tiers[0]}}
	s.spares = false
	again := func() {
		s.look(false)
		p.boundTogether(first)
		s.sum() // with those placed among the gang's own
	}
	again()
	s.again = again
	return &s
}

// boundTogether bounds what nodes take beside members by what their zones take of all together: whole cores may leave less to all
// at once than to one after the other.
func (p *search) boundTogether(first *Answer) {
	for _, v := range p.solver.vertices {
		if v.node == nil || first.Counts[v.node.Name] == 0 {
			continue
		}
		zones := p.solver.zones[v.node.Name]
		if state, err := zones.with(p.solver.remaining(first, v.node.Name)); err == nil {
			placed := first.Counts[v.node.Name]
			v.fits = min(v.fits, int(zones.slots(state, int64(placed+v.fits)))-placed)
		}
	}
	p.solver.sum()
}

// inTreeOrder lets ranks follow the tree, whoever came first.
func (s *solver) inTreeOrder(assignments []placement.Assignment) {
	order := map[string]int{}
	for _, v := range s.vertices {
		if v.node != nil {
			order[v.node.Name] = v.order
		}
	}
	var nodes []string
	for _, a := range assignments {
		nodes = append(nodes, a.Node)
	}
	slices.SortStableFunc(nodes, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	for i := range assignments {
		assignments[i].Node = nodes[i]
	}
}

// waitsFor names, node by node, the fewest leaving members that make room, of equally few the first by name.
func (p *search) waitsFor(counts map[string]int) []placement.Waited {
	out := p.solver.companyWaits(counts)
	for _, v := range p.solver.vertices {
		if v.node == nil || counts[v.node.Name] == 0 {
			continue
		}
		var stay, leaving []cluster.Running
		for _, r := range p.solver.in.Spec.Running {
			if slices.ContainsFunc(out, func(w placement.Waited) bool { return w.Gang == r.Gang && w.Member == r.Member }) {
				continue
			}
			if r.Node == v.node.Name && r.Leaving {
				leaving = append(leaving, r)
			} else if r.Node == v.node.Name {
				stay = append(stay, r)
			}
		}
		slices.SortFunc(leaving, func(a, b cluster.Running) int {
			return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
		})
		for _, r := range p.fewest(v.node, stay, leaving, counts[v.node.Name]) {
			ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
			out = append(out, placement.Waited{MemberRef: ref, Node: r.Node})
		}
	}
	return out
}

// fewest tries the sets of leaving members by their number, then in the order of names.
func (p *search) fewest(node *cluster.Node, stay, leaving []cluster.Running, want int) []cluster.Running {
	for size := range len(leaving) + 1 {
		if found, ok := p.firstThatFits(node, stay, leaving, nil, size, want); ok {
			return found
		}
	}
	return nil
}

// firstThatFits extends the chosen members by size more of the leaving ones; those not chosen stay.
func (p *search) firstThatFits(node *cluster.Node, stay, leaving, chosen []cluster.Running, size, want int) (
	[]cluster.Running, bool,
) {
	if size == 0 {
		return chosen, p.solver.copies(node, append(slices.Clip(stay), leaving...)) >= want
	}
	for i, r := range leaving {
		kept := append(slices.Clip(stay), leaving[:i]...)
		found, ok := p.firstThatFits(node, kept, leaving[i+1:], append(slices.Clip(chosen), r), size-1, want)
		if ok {
			return found, true
		}
	}
	return nil, false
}
