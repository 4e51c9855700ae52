package problem

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Ranked is a member, new or running, while ranks are found.
type Ranked struct {
	Name    string
	Index   int
	Indexed bool
	Pos     int32 // -1: pending
}

// CompareRanked orders by index, then by name; members without an index come last.
func CompareRanked(a, b Ranked) int {
	if a.Indexed != b.Indexed {
		if a.Indexed {
			return -1
		}
		return 1
	}
	if a.Indexed && a.Index != b.Index {
		return cmp.Compare(a.Index, b.Index)
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// rankMembers orders new and running members together: by index where they have one, then by name.
func rankMembers(p *Problem) error {
	if p.Team != nil {
		place(p, p.Team.Ranking(p))
		return nil
	}
	p.Own = p.Snapshot.MembersOf(p.Request.Name)
	if len(p.Own) == 0 && p.ordered {
		p.Pending = p.Paper.pending[:0]
		for i := range p.Request.Members {
			p.Pending = append(p.Pending, pendingMember{p.Request.Members[i].Name, i})
		}
		p.Paper.pending, p.Ranks = p.Pending, len(p.Pending)
		return nil
	}
	for i := 0; i < len(p.Request.Members) && len(p.Own) > 0; i++ {
		name := p.Request.Members[i].Name
		if m := snapshot.Named(p.Own, name); m != nil && (!m.Leaving || p.Request.IgnoreLeaving) {
			return muster.Invalid(fmt.Sprintf("request.Members[%d].Name", i), name, "the member runs already")
		}
	}
	place(p, p.Ranking())
	return nil
}

// place parts members in rank order into those that wait and those that run.
func place(p *Problem, all []Ranked) {
	p.Pending = make([]pendingMember, 0, len(p.Request.Members))
	p.Running = slices.Grow(p.Running, max(0, len(all)-len(p.Request.Members)))
	for i := range all {
		m := &all[i]
		if m.Pos < 0 {
			p.Pending = append(p.Pending, pendingMember{m.Name, i})
		} else {
			p.Running = append(p.Running, siblingMember{m.Pos, i, m.Name})
		}
	}
	p.Ranks = len(all)
	p.LCA = runningLCA(p)
}

// IsOwn says whether a gang is the one that is planned, or one of those.
func (p *Problem) IsOwn(name string) bool {
	if p.Team == nil {
		return name == p.Request.Name
	}
	return p.Team.Has(name)
}

func pendingRanked(m *gang.Member) Ranked { return Ranked{m.Name, m.Index, m.Indexed, -1} }

// Ranking is all members in rank order, those that run and stay included.
func (p *Problem) Ranking() []Ranked {
	all := make([]Ranked, 0, len(p.Request.Members)+len(p.Own))
	for _, m := range p.Own {
		if !m.Leaving || p.Request.IgnoreLeaving {
			all = append(all, Ranked{m.Name, m.Index, m.Indexed, p.View.At(m.Node)})
		}
	}
	const few = 8 // to put one of these in its place is cheaper than to sort
	if slices.IsSortedFunc(all, CompareRanked) && len(p.Request.Members) <= few {
		for i := range p.Request.Members {
			m := pendingRanked(&p.Request.Members[i])
			at, _ := slices.BinarySearchFunc(all, m, CompareRanked)
			all = slices.Insert(all, at, m)
		}
		return all
	}
	for i := range p.Request.Members {
		all = append(all, pendingRanked(&p.Request.Members[i]))
	}
	slices.SortFunc(all, CompareRanked)
	return all
}

// runningLCA is the lowest vertex above all running members of the gang, -1 if none run.
func runningLCA(p *Problem) layout.Vertex {
	x := layout.Vertex(-1)
	for _, m := range p.Running {
		if at := p.View.NodeVertex(m.Pos); x < 0 {
			x = at
		} else {
			x = p.View.LCA(x, at)
		}
	}
	return x
}
