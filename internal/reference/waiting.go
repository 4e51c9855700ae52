package reference

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
)

// wait completes a plan that was made with the leaving members gone: further members are added inside the domain on
// what is free now, and the leaving members that must be gone are named.
func (p *search) wait(answer *Answer) {
	whole := p.whole()
	if len(p.levels) > 0 {
		more := p.n < len(p.in.Request.Members)
		answer.Partial = answer.Partial || more
		p.assign(answer, whole, nil)
	} else {
		counts := map[*vertex]int{}
		count(whole, counts)
		keys := p.keys(whole)
		p.assign(answer, whole, p.further(whole.v, counts))
		answer.Keys = keys
	}
	answer.WaitsFor = p.waitsFor(answer.Counts)
}

func count(a *placed, counts map[*vertex]int) {
	if a.v.node != nil {
		counts[a.v] += a.members
	}
	for _, c := range a.inner {
		count(c, counts)
	}
}

// further places as many further members as fit inside d on what is free now. The members placed so far are like
// running ones: the nodes have their slots no more, and they bind like siblings. Afterwards the vertices stay so.
func (p *search) further(d *vertex, counts map[*vertex]int) *placed {
	p.look(false)
	total := p.n + len(p.own)
	for _, v := range p.vertices {
		if v.node != nil {
			v.own += counts[v]
			v.fits = max(0, v.fits-counts[v])
		}
	}
	p.sum()
	step := p.stepBelow(p.root.tier)
	for n := len(p.in.Request.Members) - p.n; n > 0; n-- {
		for outside := 0; outside <= n && (total+n)%step == 0; outside++ {
			next := &search{solver: p.solver, n: n, outside: outside}
			next.use(p.tiers)
			if p.fixOutside(outside) && next.sideOfTree(d) && d.takes(n) {
				return next.inside(d)
			}
		}
	}
	return nil
}

// waitsFor names, node by node, the fewest leaving members that make room, of equally few the first by name.
func (p *search) waitsFor(counts map[string]int) []placement.Waited {
	var out []placement.Waited
	for _, v := range p.vertices {
		if v.node == nil || counts[v.node.Name] == 0 {
			continue
		}
		var stay, leaving []placement.Running
		for _, r := range p.in.Spec.Running {
			if r.Node == v.node.Name && r.Leaving {
				leaving = append(leaving, r)
			} else if r.Node == v.node.Name {
				stay = append(stay, r)
			}
		}
		slices.SortFunc(leaving, func(a, b placement.Running) int {
			return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
		})
		for _, r := range p.fewest(v.node, stay, leaving, counts[v.node.Name]) {
			ref := placement.MemberRef{Gang: r.Gang, Member: r.Member}
			out = append(out, placement.Waited{MemberRef: ref, Node: r.Node})
		}
	}
	return out
}

// fewest tries the sets of leaving members by their number, then in the order of names.
func (p *search) fewest(node *placement.Node, stay, leaving []placement.Running, want int) []placement.Running {
	for size := range len(leaving) + 1 {
		if found, ok := p.firstThatFits(node, stay, leaving, nil, size, want); ok {
			return found
		}
	}
	return nil
}

// firstThatFits extends the chosen members by size more of the leaving ones; those not chosen stay.
func (p *search) firstThatFits(node *placement.Node, stay, leaving, chosen []placement.Running, size, want int) (
	[]placement.Running, bool,
) {
	if size == 0 {
		return chosen, p.copies(node, append(slices.Clip(stay), leaving...)) >= want
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
