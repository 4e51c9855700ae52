package placement

import (
	"iter"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// engine answers every question about gangs of one kind. There are two: one for members of one shape in equal groups, one
// for all others.
type engine interface {
	// Count finds how many new members must be placed.
	Count() error
	// Admit finds how many of them the quota admits, which refuses all together.
	Admit(state *quota.State) error

	// Search is the best plan for as many new members as there is room for, nil if not even the least fit.
	Search() *outcome
	// Outcomes iterates over the best plans in every domain that some strategy allows, best first, for as many new
	// members as there is room for.
	Outcomes() iter.Seq[*outcome]
	// LeastAndMore plans the least number of members, and further ones beside them on what is free now; nil if the least
	// do not fit.
	LeastAndMore() *outcome
	// Possible says whether the least number of members can be placed at all.
	Possible() bool

	// Minimal lists problems with members of which none can be left out; whole says whether these are all there are.
	Minimal() (some []*problem, whole bool)
	// Strategies enumerates what the rules allow, best first. The slice of groups is the iterator's.
	Strategies() iter.Seq[strategy]
	// Allows says whether a strategy holds so many units, and how many members lie outside the tree then.
	Allows(units int, st strategy) (outside int64, ok bool)
	// Exact says whether the slots of a shape alone decide what fits.
	Exact() bool
	// Room bounds how many members fit on a node with what is given back there; nil: the slots of the shape say it.
	Room() func(id int32, extra []int64, zones *numa.Occupancy) int64

	// Evidence says where how many members could be placed.
	Evidence() evidence
	// MostAdmitted is how many new members the quota admits.
	MostAdmitted() int
	// HoldsWithoutRules says whether the whole cluster holds the least number of members, whatever the rules are.
	HoldsWithoutRules() bool
	// BindingRule names the MustGather that binds, BindingMultiple the multiple. Empty: none does.
	BindingRule() string
	BindingMultiple() string
}

// evidence is what a refusal rests on.
type evidence struct {
	wanted int   // how many members must be placed; 0: as many as the problem says
	fits   []fit // the best domain of each tier that the rules allow
	// proven says whether nothing was left out. It is asked last.
	proven func() bool
}

// fit is what a domain of a tier could take.
type fit struct {
	tier            int32
	domain          layout.Vertex
	members, groups int
}

// engineOf is the engine for a problem.
func engineOf(p *problem) engine {
	if p.inParts() {
		return parted{p: p}
	}
	return uniform{p: p}
}

// problemOf resolves a request against a cluster. Unschedulable without a search (too few members known) is found later; every
// error here is an InvalidError.
func problemOf(c *snapshot.Snapshot, req *gang.Request, t teammates) (*problem, error) {
	p, err := newProblem(c, req, t)
	if err != nil {
		return nil, err
	}
	e := engineOf(p)
	if err := e.Count(); err != nil {
		return nil, err
	}
	state, err := refusedTogether(p)
	if err == nil && state != nil {
		err = e.Admit(state)
	}
	if err != nil {
		return nil, err
	}
	p.ready()
	return p, nil
}
