// Package search answers: which engine plans this gang, and what is tried where nothing fits now? [For] chooses between
// gather and parts, in one place. [New] makes a problem ready for its engine. Where nothing fits now, the wait for
// leaving members is tried here; if nothing helps, the rule that binds is found here (docs/order.md, refusals).
package search

import (
	"iter"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/parts"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Engine answers every question about gangs of one kind. There are two: one for members of one shape in equal groups,
// one for all others.
type Engine interface {
	// Count finds how many new members must be placed, and notes it in the problem.
	Count()
	// Admit finds how many of them the quota admits, if it refuses all together.
	Admit(state *quota.State) error

	// Search and Outcomes are as [Best] and [Outcomes].
	Search() *outcome.Outcome
	Outcomes() iter.Seq[*outcome.Outcome]
	// LeastAndMore plans the least number of members, and further ones beside them on what is free now; nil if the
	// least number does not fit.
	LeastAndMore() *outcome.Outcome
	// Possible says whether the least number of members can be placed at all.
	Possible() bool

	// Minimal lists problems of which no member can be left out; whole says that there are no others.
	Minimal() (some []*problem.Problem, whole bool)
	// Strategies enumerates the strategies that the rules allow, best first. The slice of groups is the iterator's.
	Strategies() iter.Seq[model.Strategy]
	// Allows says whether the units fit under a strategy, and how many of them lie outside the tree then.
	Allows(units int, st model.Strategy) (outside int64, ok bool)
	// Exact says whether the slots of a shape alone decide what fits.
	Exact() bool
	// Room bounds how many members fit on a node with extra amounts, and its zones, given back; nil: the slots of the
	// shape say it.
	Room() func(id int32, extra []int64, zones *numa.Occupancy) int64

	// Evidence has the best domain of each tier, and how many members it could take.
	Evidence() outcome.Evidence
	// MostAdmitted is how many new members the quota admits.
	MostAdmitted() int
	// HoldsWithoutRules says whether the whole cluster holds the least number of members, whatever the rules are.
	HoldsWithoutRules() bool
	// BindingRule names the MustGather that binds, BindingMultiple the multiple. Empty: none does.
	BindingRule() string
	BindingMultiple() string
}

// For is the engine for a problem. It holds nothing but the problem, so it is made as often as it is asked.
func For(p *problem.Problem) Engine {
	if p.InParts() {
		return parts.Engine{P: p}
	}
	return equal{p}
}

// Best is the best plan for the most new members that fit, nil if not even the least number fits.
func Best(p *problem.Problem) *outcome.Outcome {
	if groups := p.Parts.Groups; groups != nil {
		if o := (equal{groups}).Search(); o != nil || groups.ProvenBest() {
			return o // what does not fit in groups does not in parts
		}
	}
	for _, first := range p.Parts.First {
		if o := (equal{first}).Search(); o != nil {
			return o
		}
	}
	return For(p).Search()
}

// Outcomes iterates over the best plans in every domain that some strategy allows, best first, all for the most new members that fit. A
// domain may come again.
func Outcomes(p *problem.Problem) iter.Seq[*outcome.Outcome] {
	if p.Parts.Groups != nil {
		return equal{p.Parts.Groups}.Outcomes()
	}
	var all []iter.Seq[*outcome.Outcome]
	for _, first := range p.Parts.First {
		all = append(all, equal{first}.Outcomes())
	}
	all = append(all, For(p).Outcomes())
	return func(yield func(*outcome.Outcome) bool) {
		for _, some := range all {
			for o := range some {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// New brings a request inside and makes it ready for its engine: how many members must be placed, and how many the
// quota admits. t has the gangs of a common request, nil for a gang alone. Every error is an InvalidError; a gang of
// which too few members are known is refused later. The caller gives the problem back by its Done.
func New(c *snapshot.Snapshot, req *gang.Request, t problem.Team, b bounds.Search) (*problem.Problem, error) {
	return ready(c, req, t, b, func(p *problem.Problem) { For(p).Count() })
}

// Again is New for the request of a problem on a snapshot where the same members of the gang run: these are not counted
// again.
func Again(c *snapshot.Snapshot, before *problem.Problem, b bounds.Search) (*problem.Problem, error) {
	return ready(c, before.Request, before.Team, b, func(p *problem.Problem) {
		if p.InParts() { // an engine of one shape has nothing to count
			parts.Engine{P: p}.CountAs(before)
		}
	})
}

// ready makes a problem, which count counts, ready for its engine.
func ready(c *snapshot.Snapshot, req *gang.Request, t problem.Team, b bounds.Search, count func(p *problem.Problem)) (*problem.Problem, error) {
	p, err := problem.New(c, req, t, b)
	if err != nil {
		return nil, err
	}
	count(p)
	state, err := problem.RefusedTogether(p)
	if err == nil && state != nil {
		err = For(p).Admit(state)
	}
	if err != nil {
		return nil, err
	}
	p.Ready()
	return p, nil
}
