package placement

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// ranked is a member, new or running, while ranks are found.
type ranked struct {
	name    string
	index   int
	indexed bool
	pos     int32 // -1: pending
}

func compareRanked(a, b ranked) int {
	if a.indexed != b.indexed {
		if a.indexed {
			return -1
		}
		return 1
	}
	if a.indexed && a.index != b.index {
		return cmp.Compare(a.index, b.index)
	}
	return muster.CompareNatural(a.name, b.name)
}

// rankMembers orders new and running members together: by index where they have one, then by name.
func rankMembers(p *problem) error {
	if p.team != nil {
		place(p, p.team.Ranking(p))
		return nil
	}
	p.own = p.c.MembersOf(p.req.Name)
	if len(p.own) == 0 && p.ordered {
		p.pending = p.scratch.pending[:0]
		for i := range p.req.Members {
			p.pending = append(p.pending, pendingMember{p.req.Members[i].Name, i})
		}
		p.scratch.pending, p.ranks = p.pending, len(p.pending)
		return nil
	}
	for i := 0; i < len(p.req.Members) && len(p.own) > 0; i++ {
		name := p.req.Members[i].Name
		if m := snapshot.Named(p.own, name); m != nil && (!m.Leaving || p.req.IgnoreLeaving) {
			return muster.Invalid(fmt.Sprintf("request.Members[%d].Name", i), name, "the member runs already")
		}
	}
	place(p, p.ranking())
	return nil
}

// place parts members in rank order into those that wait and those that run.
func place(p *problem, all []ranked) {
	p.pending = make([]pendingMember, 0, len(p.req.Members))
	p.running = slices.Grow(p.running, max(0, len(all)-len(p.req.Members)))
	for i := range all {
		m := &all[i]
		if m.pos < 0 {
			p.pending = append(p.pending, pendingMember{m.name, i})
		} else {
			p.running = append(p.running, siblingMember{m.pos, i, m.name})
		}
	}
	p.ranks = len(all)
	p.lca = p.runningLCA()
}

// isOwn says whether a gang is the one that is planned, or one of those.
func (p *problem) isOwn(name string) bool {
	if p.team == nil {
		return name == p.req.Name
	}
	return p.team.Has(name)
}

func pendingRanked(m *gang.Member) ranked { return ranked{m.Name, m.Index, m.Indexed, -1} }

// ranking is all members in rank order, those that run and stay included.
func (p *problem) ranking() []ranked {
	all := make([]ranked, 0, len(p.req.Members)+len(p.own))
	for _, m := range p.own {
		if !m.Leaving || p.req.IgnoreLeaving {
			all = append(all, ranked{m.Name, m.Index, m.Indexed, p.v.At(m.Node)})
		}
	}
	const few = 8 // to put one of these in its place is cheaper than to sort
	if slices.IsSortedFunc(all, compareRanked) && len(p.req.Members) <= few {
		for i := range p.req.Members {
			m := pendingRanked(&p.req.Members[i])
			at, _ := slices.BinarySearchFunc(all, m, compareRanked)
			all = slices.Insert(all, at, m)
		}
		return all
	}
	for i := range p.req.Members {
		all = append(all, pendingRanked(&p.req.Members[i]))
	}
	slices.SortFunc(all, compareRanked)
	return all
}

// runningLCA is the lowest vertex above all running members of the gang, -1 if none run.
func (p *problem) runningLCA() layout.Vertex {
	x := layout.Vertex(-1)
	for _, m := range p.running {
		if at := p.v.NodeVertex(m.pos); x < 0 {
			x = at
		} else {
			x = p.v.Lca(x, at)
		}
	}
	return x
}
