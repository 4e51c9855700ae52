// Whom to move, so that a gang fits or domains become empty? Everybody has a place again.

package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/moves"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
	"github.com/muster-sched/muster/numa"
)

// MoveGoal says what running gangs are to move for: one of Fit, Empty and Tight.
type MoveGoal struct {
	// Fit is a gang that is to have a place by its rules, without victims.
	Fit *gang.Request
	// Empty is a layer, named as in a [gang.Rule], of which so many domains are to be without members, but for those of daemons and those that are leaving. Count 0: one.
	Empty string
	Count int
	// Tight: all gangs that may move are to lie at tiers as low as can be, and then at most two across the border of each lowest domain. None lies at a higher one then.
	Tight bool
	// Tree names the topology of Empty and Tight, as in a request.
	Tree string
}

// Mover is a running gang that may move.
type Mover struct {
	Gang string
	// Request has its rules, as in [Standing]; nil: each member asks for what it holds, on any node in service.
	Request *gang.Request
	// Lost is the work that is lost once any of its members moves, in any unit: what was done since the last checkpoint.
	Lost int64
}

// MovesOptions say who may move, and how far.
type MovesOptions struct {
	// Movers are those who may; nil: all gangs that run. Members that are not preemptible, daemons, those that are leaving, and gangs of which more members count
	// in a disruption budget than may leave, stay. So does what is held, and the gang of the goal.
	Movers []Mover
	// Wider lets gangs lie at a worse tier than they do, as far as their rules allow.
	Wider bool
	// MaxMoved bounds the members that move; 0: no bound.
	MaxMoved int
	// Steps bounds the search, beside the plans that it makes; one compares some 8,192 numbers. 0: 256.
	Steps int
}

// MoveCost is what moves cost, the most important first: the work of the gangs that move, the members that get another node, and these gangs.
type MoveCost struct {
	Lost           int64
	Members, Gangs int
}

// Compare is below 0 if a costs less.
func (a MoveCost) Compare(b MoveCost) int {
	return cmp.Or(cmp.Compare(a.Lost, b.Lost), cmp.Compare(a.Members, b.Members), cmp.Compare(a.Gangs, b.Gangs))
}

// Moving is an answer of [Moves]. It belongs to the caller.
type Moving struct {
	// Moves in order: each can be carried out once those before it are, and no node is over-committed and no rule broken in between.
	Moves []Move
	// Plan is that of the gang of the goal once all have moved; nil without one.
	Plan *Result
	// Empty are the paths of the domains that are empty then, in the order of paths, those included that were before.
	Empty [][]string
	// Tighter is, for a goal of Tight, by how many tiers that have domains all gangs lie lower then, added up, and AtMost a number that it is never above.
	Tighter, AtMost int
	// AcrossBefore and Across are, for a goal of Tight where the members of all that may move hold the same, how many gangs beyond two lie in a lowest domain and in
	// others too, added up over these: at first, and then.
	AcrossBefore, Across int
	// Cost of the moves, and one that no moves are below that do the same.
	Cost, LowerBound MoveCost
	// Proven is true if no moves cost less: LowerBound is Cost. For a goal of Tight, that Tighter is AtMost and Across 0 as well.
	Proven bool
}

// Move is a step: members of one gang stop, and start again on other nodes.
type Move struct {
	Gang    string
	Members []MovedMember

	rows []cluster.Running // as they run then
}

// MovedMember is a member and its nodes. To is empty if it waits for a later move to start it again, where gangs change places; From is empty then.
type MovedMember struct {
	Member, From, To string
	// NUMA is its share of the zones of its node, as in [Assignment].
	NUMA *numa.Placed
}

// Delta is the move as a change of the cluster. O(members).
func (m *Move) Delta() (d cluster.Delta) {
	if m == nil {
		return d
	}
	for _, member := range m.Members {
		if member.From != "" {
			d.Remove = append(d.Remove, cluster.MemberRef{Gang: m.Gang, Member: member.Member})
		}
	}
	d.Place = slices.Clone(m.rows)
	return d
}

// Moves says which running gangs to move, where to and in which order, at the least cost ([MoveCost]), so that a gang fits that does not, or domains of a layer
// become empty. Whoever moves has a place by its own rules again, at a tier that is no worse unless the options allow it; nobody is left without one. A gang moves as a whole, or
// only members of it who are in the way, and the others stay.
//
// The search counts amounts of one resource after another in the lowest domains of the topology, which gives a lower bound, and proposals that are then planned;
// where members are in the way of each other on single nodes the cheapest victims that the gang would have are asked to move instead. What moves is
// planned one after the other, and may make others move in turn.
//
// It makes at most 2,048 plans, mostly one or two for each gang that moves, beside the steps; where the goal is reached already it makes one, or none. For a goal of Tight it makes
// besides up to three for each gang and lowest domain that some of it go into in the end. Nothing that it is given changes. Errors are the [Unschedulable] of the gang of the goal, or of domains that cannot be empty: Proven, if no moves would do;
// [muster.InvalidError]s of the goal and the options; those of [Plan].
func Moves(c *Cluster, goal MoveGoal, opt MovesOptions) (*Moving, error) {
	return MovesContext(context.Background(), c, goal, opt)
}

// MovesContext is [Moves] for a caller who may stop waiting, as in [PlanContext].
//
// order: moves.1
func MovesContext(ctx context.Context, c *Cluster, goal MoveGoal, opt MovesOptions) (*Moving, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	m, err := newMoves(orBackground(ctx), s, goal, opt)
	if err != nil {
		return nil, err
	}
	return m.answer()
}

// answer is that of a search.
func (m *moveSearch) answer() (*Moving, error) {
	var refusal *Unschedulable
	switch {
	case m.goal.Fit != nil:
		r, err := m.plan(m.s, m.goal.Fit)
		if err == nil {
			return &Moving{Plan: r, Proven: true}, nil
		}
		if !errors.As(err, &refusal) || refusal.RefusedBy != nil || refusal.Rule == RuleMinMember {
			return nil, err // which no moves change
		}
	case m.goal.Tight:
		return m.tighten(), nil
	default:
		rule := fmt.Sprintf("%d of layer %s empty", m.goal.Count, m.goal.Empty)
		refusal = &Unschedulable{Refuser: RefuserRule, Rule: rule, Wanted: m.goal.Count, AtLeast: true}
		if m.goal.Count > len(m.view.Intervals()[m.emptied()]) { // there are not so many
			refusal.Proven = true
			return nil, refusal
		}
	}
	never := m.search()
	if m.best == nil {
		out := *refusal
		out.Proven = never
		return nil, &out
	}
	return m.best, nil
}

// moveSearch is a search for moves.
type moveSearch struct {
	ctx    context.Context
	s      *snapshot.Snapshot
	view   *layout.View
	goal   MoveGoal
	opt    MovesOptions
	movers []mover
	of     map[string]int // movers by gang
	plans  int            // that were made
	best   *Moving        // nil: none was found
	bound  MoveCost       // no moves cost less
}

// mostMovePlans bounds the plans that one search makes, and stepsOfMoves, unless the options say otherwise, its steps.
const (
	mostMovePlans = 1 << 11
	stepsOfMoves  = 1 << 8
)

func newMoves(ctx context.Context, s *snapshot.Snapshot, goal MoveGoal, opt MovesOptions) (*moveSearch, error) {
	m := &moveSearch{ctx: ctx, s: s, goal: goal, opt: opt, of: map[string]int{}}
	m.opt.Steps = cmp.Or(opt.Steps, stepsOfMoves)
	m.opt.Wider = opt.Wider && !goal.Tight
	m.goal.Count = max(1, goal.Count)
	switch {
	case goals(&goal) != 1:
		return nil, muster.Invalid("goal", "", "must be one of Fit, Empty and Tight")
	case goal.Fit != nil && goal.Fit.Slots != nil:
		return nil, muster.Unsupported("goal.Fit.Slots", "", "slots that the host tells, of a gang that others move for: it does not know of that")
	case goal.Count < 0:
		return nil, muster.Invalid("goal.Count", fmt.Sprint(goal.Count), "negative")
	case opt.MaxMoved < 0:
		return nil, muster.Invalid("options.MaxMoved", fmt.Sprint(opt.MaxMoved), "negative")
	}
	if goal.Fit != nil {
		fit := *goal.Fit
		fit.NeverPreempts = true
		m.goal.Fit, m.goal.Tree = &fit, fit.Tree
	}
	if m.view = s.Lineage.Tree(m.goal.Tree); m.view == nil {
		return nil, muster.Invalid("goal.Tree", m.goal.Tree, "no topology of this name")
	}
	if goal.Empty != "" {
		if tier, ok := m.view.TierNamed(goal.Empty); !ok || tier >= m.view.RootTop {
			return nil, m.view.UnknownLayer("goal.Empty", goal.Empty)
		}
	}
	return m, m.findMovers()
}

// goals is how many goals there are.
func goals(goal *MoveGoal) (n int) {
	for _, is := range []bool{goal.Fit != nil, goal.Empty != "", goal.Tight} {
		if is {
			n++
		}
	}
	return n
}

// search makes proposals and takes the one that costs least once it is planned. never: no moves will do.
func (m *moveSearch) search() (never bool) {
	for _, r := range m.resources() {
		if m.byAmounts(r) {
			return true
		}
		if m.isLeast() {
			break
		}
	}
	switch {
	case m.isLeast():
	case m.goal.Fit != nil:
		never = m.asVictims()
	case m.best == nil:
		m.asEmptied()
	}
	if m.best != nil {
		m.best.LowerBound = m.bound
		m.best.Proven = m.isLeast()
	}
	return never && m.best == nil
}

// byAmounts offers what amounts of a resource propose. never: they say that no moves will do.
//
// order: moves.6
func (m *moveSearch) byAmounts(r int) (never bool) {
	c := m.count(r)
	if c.isLarge() || m.goal.Fit != nil && c.problem.Wants[0].Amount == 0 {
		return false // it says nothing
	}
	found := moves.Solve(&c.problem)
	if found.Never {
		return true
	}
	m.atLeast(costOf(found.Bound))
	if found.Found {
		a, _ := m.carry(m.proposed(c, &found), nil)
		m.offer(a)
	}
	return false
}

// offer takes moves if none cost less, and no more move than may.
func (m *moveSearch) offer(a *Moving) {
	if a != nil && (m.best == nil || a.Cost.Compare(m.best.Cost) < 0) && (m.opt.MaxMoved == 0 || a.Cost.Members <= m.opt.MaxMoved) {
		m.best = a
	}
}

// atLeast notes a cost that no moves are below.
func (m *moveSearch) atLeast(bound MoveCost) {
	if m.bound.Compare(bound) < 0 {
		m.bound = bound
	}
}

// isLeast says whether no moves cost less than those that were found.
func (m *moveSearch) isLeast() bool { return m.best != nil && m.best.Cost.Compare(m.bound) <= 0 }

// plan plans on free capacity. Members that are leaving hold what they have: who moves there could not start.
func (m *moveSearch) plan(s *snapshot.Snapshot, req *gang.Request) (*Result, error) {
	if m.plans++; m.plans > mostMovePlans {
		return nil, &Unschedulable{Gang: req.Name, Refuser: RefuserSteps}
	}
	return planOn(m.ctx, s, req, victims.Nobody, bounds.Search{})
}
