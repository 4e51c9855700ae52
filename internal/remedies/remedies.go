// Package remedies answers: what is the least change that makes a refused gang start? For every kind of change ([explain.Kind]) it looks
// for the smallest one, and names none that was not planned on a changed copy of snapshot and request.
//
// How: what is to be changed is a number (members, an amount, a priority), a choice of a few (a rule, a taint) or a set (nodes,
// gangs). Numbers are found by bisection, for less asked never fits worse; choices are tried; sets are chosen by bounds on slots, and
// where these do not decide, by the search for a smallest set of package sets. What plans ran out for, or could not be proven, is
// said.
//
// A search belongs to one caller and one goroutine.
package remedies

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/internal/leavable"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Planner plans a request on a snapshot within bounds; evict says whether anybody may leave for it. No plan: nil. Proven says that it is the
// best one, or that there is none.
type Planner func(s *snapshot.Snapshot, req *gang.Request, evict bool, b bounds.Search) (plan *explain.Plan, proven bool)

// Budget is the steps of a plan, for those who hand them over.
type Budget = front.Budget

// Search has what all kinds share.
type Search struct {
	// Plan makes a trial plan; Left are the steps that all of them may spend together, and whatever is done beside them.
	Plan Planner
	Left *front.Budget
	// Plans is how many may still be made.
	Plans int
	// Lost is the work that is lost if a gang ends, by name.
	Lost map[string]int64

	made     int
	before   int // made when the kind began
	read     int // nodes that plans with victims may still read
	last     *setting
	laid     *snapshot.Lineage // of the trial for which a cluster was brought inside anew last
	doubt    bool              // since the kind began, something was left out that might help: a plan refused without proof, a plan not made
	ranOut   bool              // since the kind began, plans or steps ran out
	blind    bool              // since the kind began, a plan was refused in which nobody was looked for who might leave
	allowed  int               // plans left to the kind
	share    *front.Budget     // steps left to the kind
	had      front.Budget      // those that it began with
	inward   int64             // steps that making a problem takes
	told     int               // changes found before the kind began
	found    []explain.Relaxation
	unproven map[*explain.Plan]bool // plans that are not proven to be the best ones
	hasty    []hasty
	apart    map[explain.Kind]bool // kinds of which several changes help without any other kind: beside one they are not tried together
	notTried []explain.NotTried
}

// hasty is a change, by its place in found, whose plan is not proven to be the best one.
type hasty struct {
	found int
	edit  edit
}

// state is a snapshot and a request on the way to a plan.
type state struct {
	s   *snapshot.Snapshot
	req *gang.Request
}

// edit makes a change to a state; false: it cannot be made there.
type edit func(state) (state, bool)

// edited makes a change of the request.
func edited(c explain.Change) edit {
	return func(at state) (state, bool) {
		req, ok := kinds.Of(c.Kind).Edit(at.req, &c)
		return state{at.s, req}, ok
	}
}

// eachOf makes some changes of the request, each by itself.
func eachOf(changes func(*gang.Request) []explain.Change) func(*Search, state) []edit {
	return func(_ *Search, at state) (out []edit) {
		for _, c := range changes(at.req) {
			out = append(out, edited(c))
		}
		return out
	}
}

// step is a change that was found.
type step struct {
	change explain.Change
	and    []explain.Change // that only help together with it
	least  bool             // no smaller one helps
	edit   edit
	plan   *explain.Plan // what it leads to
}

// way is how the least change of a kind is looked for.
type way struct {
	kind   explain.Kind
	turn   int // when it is looked into: those first of which few trials tell
	find   func(*Search, state) []step
	loosen func(*Search, state) []edit // the furthest changes of the kind, for combinations
}

// ways are those of all kinds, in the order in which they are told.
var ways = [...]way{
	{explain.KindMembers, 9, (*Search).members, fewestMembers},
	{explain.KindLayer, 5, (*Search).layers, eachOf(withoutLayers)},
	{explain.KindGroup, 3, (*Search).groups, eachOf(withoutGroups)},
	{explain.KindMultiple, 4, (*Search).multiples, eachOf(withoutMultiples)},
	{explain.KindLimit, 6, (*Search).limits, eachOf(withoutLimits)},
	{explain.KindRequest, 10, (*Search).requests, withoutResource},
	{explain.KindNodes, 7, (*Search).nodes, allNodes},
	{explain.KindTaint, 1, (*Search).taints, withTolerations},
	{explain.KindSelector, 2, (*Search).selectors, withoutSelectors},
	{explain.KindQuota, 8, (*Search).quotas, withoutQuota},
	{explain.KindGangs, 11, (*Search).gangs, withoutGangs},
	{explain.KindPriority, 12, (*Search).priorities, highest},
	{explain.KindAdd, 13, (*Search).additions, nil},
}

// mostRead bounds the nodes that all trials which look for victims may read together: each of them may read all. Beyond that nobody
// leaves in a trial, and what is refused is not proven to be.
const mostRead = 1 << 20

// Find looks for changes of every kind for a gang that was refused, in the order of [explain.Kinds]; combinations of two kinds where
// no single change helps. What was not looked into, or not to its end, is in notTried; made is the number of plans.
func (f *Search) Find(s *snapshot.Snapshot, req *gang.Request) (found []explain.Relaxation, notTried []explain.NotTried, made int) {
	if len(levels(state{s, req})) > 0 {
		leavable.Of(s) // which later searches for victims share
	}
	at := state{snapshot.Aside(s), req}
	f.read, f.inward, f.unproven = mostRead, trialSteps(at), map[*explain.Plan]bool{}
	defer f.forget()
	inTurn := ways
	slices.SortStableFunc(inTurn[:], func(a, b way) int { return a.turn - b.turn })
	for n, k := range inTurn {
		f.begin(min(3, len(ways)-n))
		for _, c := range k.find(f, at) {
			if f.unproven[c.plan] {
				f.hasty = append(f.hasty, hasty{len(f.found), c.edit})
			}
			f.found = append(f.found, explain.Relaxation{Change: c.change, And: c.and, Least: c.least, Plan: *c.plan})
		}
		f.end(k.kind)
	}
	f.planAgain(at)
	f.sort()
	if !slices.ContainsFunc(f.found, func(r explain.Relaxation) bool { return len(r.And) == 0 }) {
		f.begin(1)
		f.combine(at)
		f.end(explain.KindCombination)
		f.sort()
	}
	if req.Eligible != nil || len(req.Exclude) > 0 || len(req.Refused) > 0 {
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindNodes, Reason: "nodes that the host's own filter keeps out: it is the host's to change"})
	}
	if len(req.Inside) > 0 {
		f.notTried = append(f.notTried, explain.NotTried{Kind: explain.KindNodes, Reason: "nodes outside the domain in which its new members must be"})
	}
	return f.found, f.notTried, f.made
}

// sort orders what was found, and what was not, as it is told.
func (f *Search) sort() {
	place := func(k explain.Kind) int { return slices.Index(explain.Kinds(), k) }
	slices.SortStableFunc(f.found, func(a, b explain.Relaxation) int { return place(a.Kind) - place(b.Kind) })
	slices.SortStableFunc(f.notTried, func(a, b explain.NotTried) int { return place(a.Kind) - place(b.Kind) })
}

// fewPlans is how many a kind may make at least, as long as there are any.
const fewPlans = 4

// begin starts a kind, which may take one of so many parts of the plans and the steps that are left.
func (f *Search) begin(parts int) {
	f.doubt, f.ranOut, f.blind, f.before, f.told = false, false, false, f.made, len(f.found)
	f.allowed, f.share = max(fewPlans, f.Plans/parts), f.Left.Part(int64(parts))
	f.had = *f.share
}

// end notes what the kind did not look into. A kind that is neither told nor noted is known not to help.
func (f *Search) end(kind explain.Kind) {
	f.Left.Spend(&f.had, f.share)
	reason := "no plans were left for it"
	switch n := f.made - f.before; {
	case f.ranOut && f.spent():
		reason = "the steps for it ran out"
	case f.ranOut && n > 0:
		reason = fmt.Sprintf("the plans for it ran out after %d", n)
	case f.ranOut:
	case f.blind:
		reason = "with victims, not to its end: looking for these had read so many nodes"
	case f.doubt && len(f.found) == f.told:
		reason = "nothing was found, and not everything was looked at" + map[bool]string{true: fmt.Sprintf(" (trial plans: %d)", n)}[n > 0]
	default:
		return
	}
	f.notTried = append(f.notTried, explain.NotTried{Kind: kind, Reason: reason})
}

func (f *Search) spent() bool { return f.share.Fronts.Spent() || f.share.Packing.Spent() }

// mayTry says whether there are plans and steps left for a trial.
func (f *Search) mayTry() bool {
	if f.Plans > 0 && f.allowed > 0 && !f.spent() {
		return true
	}
	f.doubt, f.ranOut = true, true
	return false
}

// try plans a changed copy; nil: it is refused, or there are no plans left for that. A trial may take half of the steps that are left.
func (f *Search) try(at state) *explain.Plan {
	if !f.mayTry() {
		return nil
	}
	f.Plans, f.allowed, f.made = f.Plans-1, f.allowed-1, f.made+1
	evict := true
	if mayLeave(at) {
		evict, f.read = f.read >= 0, f.read-len(at.s.Lineage.Names)
	}
	f.share.Packing.Spend(f.inward)
	part := f.share.Part(trialShare)
	had := *part
	plan, proven := f.Plan(at.s, at.req, evict, within(part))
	f.share.Spend(&had, part)
	proven, f.blind = proven && evict, f.blind || plan == nil && !evict
	switch {
	case proven:
	case plan == nil:
		f.doubt = true
	default:
		f.unproven[plan] = true
	}
	return plan
}

// planAgain plans with the steps that are left what a trial that had few may have placed elsewhere than a plan does.
func (f *Search) planAgain(at state) {
	for i, h := range f.hasty {
		f.begin(len(f.hasty) - i)
		if plan := f.after(at, h.edit); plan != nil {
			r := &f.found[h.found]
			if r.Kind == explain.KindAdd {
				nameNew(at.s, &r.Change, plan)
			}
			r.Plan = *plan
		}
		f.Left.Spend(&f.had, f.share)
	}
}

// within are the bounds of a plan that may spend so much: nothing in it may do more than a plan with so many steps.
func within(left *front.Budget) bounds.Search {
	return bounds.Search{Left: left, Steps: left.Steps(), Bare: true}
}

// trialShare is the part of the steps of a kind that one trial may take: one in so many.
const trialShare = 2

// trialSteps is what it takes, beside searching, to make a problem of a gang: its members once, and each node for what the shapes ask for.
func trialSteps(at state) int64 {
	asked, known, one := int64(1+len(at.req.Shape.Resources)), map[*gang.Shape]bool{}, int64(1)
	if len(at.req.Parts) > 0 {
		one = memberSteps
	}
	listed := match.Listed(&at.req.Shape)
	for i := range at.req.Members {
		if s := at.req.Members[i].Shape; s != nil && !known[s] {
			known[s] = true
			asked, one = asked+int64(1+len(s.Resources)), memberSteps
			listed += match.Listed(s)
		}
	}
	if at.s.ManyTaints {
		for id := range int32(len(at.s.Lineage.Names)) {
			listed += len(at.s.Static.ClassOf(id).Taints)
		}
	}
	nodes := int64(len(at.s.Lineage.Names))
	return nodes*asked/looksAtNode + int64(len(at.req.Members))*one + lookUp*int64(listed)/looksInStep
}

// What a step stands for beside nodes and members looked at in a search: so many looks at an amount of a node, fewer where a problem is made;
// and a part of the work for a node or a gang that is brought inside anew, or for a member of a gang in parts in each problem.
const (
	looksInStep = 8
	lookUp      = 16 // looks that it takes to bring a value, or a toleration, inside, or to look it up
	looksAtNode = 4
	insideSteps = 32
	memberSteps = 48
)

// one is a change of the request, if it has a plan.
func (f *Search) one(at state, c explain.Change) []step {
	e := edited(c)
	return found(c, e, f.after(at, e))
}

// all are the changes of the request that have a plan, each by itself.
func (f *Search) all(at state, changes []explain.Change) (steps []step) {
	for _, c := range changes {
		steps = append(steps, f.one(at, c)...)
	}
	return steps
}

// after plans a state with a change, nil: it is refused.
func (f *Search) after(at state, e edit) *explain.Plan {
	if !f.mayTry() {
		return nil
	}
	next, ok := e(at)
	nodes := int64(len(at.s.Lineage.Names))
	switch {
	case !ok:
		return nil
	case next.s.Lineage != at.s.Lineage && next.s.Lineage != f.laid: // all of it was brought inside anew
		f.laid = next.s.Lineage
		f.share.Packing.Spend((insideSteps + int64(len(at.s.Lineage.Resources))) * (nodes + int64(at.s.Gangs.Len())))
	case next.s != at.s:
		f.share.Packing.Spend(nodes / looksInStep)
	}
	return f.try(next)
}

// setting is a state brought inside, with what bounds its domains once that is asked for.
type setting struct {
	of    state
	p     *problem.Problem // nil: the request is not supported
	rooms *rooms
}

// at brings a state inside, leaving members being gone; the last one is kept.
func (f *Search) at(of state) *setting {
	if f.last != nil && f.last.of == of {
		return f.last
	}
	f.forget()
	f.last = &setting{of: of, p: f.inside(of)}
	return f.last
}

// inside is a problem of a state that its caller gives back; nil if it is not supported.
func (f *Search) inside(of state) *problem.Problem {
	f.share.Packing.Spend(f.inward)
	p, err := search.New(of.s, of.req, nil, within(f.share))
	if err != nil {
		return nil
	}
	p.Room.LeavingGone = search.Awaits(p)
	return p
}

// forget gives back the problem that is kept.
func (f *Search) forget() {
	if f.last != nil && f.last.p != nil {
		f.last.p.Done()
	}
	f.last = nil
}

// bounds are those of a state that is supported.
func (r *setting) bounds() *rooms {
	if r.rooms == nil {
		r.rooms = roomsOf(r.p)
	}
	return r.rooms
}
