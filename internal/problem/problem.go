// Package problem answers: what does a request ask of a snapshot? A [Problem] is a request brought inside: its
// topology is chosen, members have ranks, rules are tiers, groups and parts are cut. What engines see of it is its
// [model.Model], what nodes have for its members its [room.Room]. Names, quotas and the parts of a gang stand beside them.
//
// Invariants: a Problem does not change while strategies are tried. Another one is derived from it by a constructor of
// derive.go, which says of every field whether it is kept, reset or derived; a Problem is not copied by hand.
//
// A Problem belongs to one plan and is not safe for concurrent use; the snapshot that it looks at is.
package problem

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/match"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/partnames"
	"github.com/muster-sched/muster/internal/ranks"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// Problem is a request brought inside: names are resolved, rules are tiers, members have ranks. It does not change
// while strategies are tried. Its unit of search is one member; or, under groups.3 of docs/order.md, a whole group
// that is placed on a node like a member.
type Problem struct {
	Model    model.Model // all that engines see
	Room     room.Room   // what nodes have for them
	Snapshot *snapshot.Snapshot
	Request  *gang.Request
	Called   partnames.Names // the parts of the gang
	Parts    partState
	// together: units are groups that must gather on a node.
	together bool

	ordered   bool             // the request lists its members in rank order
	Pinned    map[string]bool  // members that are not preemptible
	Team      Team             // gangs that start together, whose common request this is; else nil
	Own       snapshot.Members // the gang's members on the cluster, in natural order of names
	names     []string         // of the members, or units, by rank; of the new ones alone, in rank order, where there are fresh ranks
	fresh     []int            // the ranks of the new ones, where those of Own have all others in the order in which they are; else nil
	below     *layout.Census   // how many of them are below a vertex, as the snapshot counts them; nil: it does not, or others run as well
	oneLevel  [1]model.Level   // memory of the levels, where there is no second one
	wants     *quota.Ask       // what all new members ask for, where the quota leaves some out for good; else nil
	RefusedBy *quota.Refusal   // the quota's refusal of the least members; nil: it admits them
	Unsettled bool             // the search for victims ended before it was known that none help
	scratch   *scratch
	Bounds    bounds.Search
	Unbundled *Problem // the gang itself, where whole groups are placed like members; else nil
	whole     *Problem // the same problem over all nodes, if nodes meant for others are left out here; else nil
}

// partState has the fields that only a gang in parts needs.
type partState struct {
	cut     []model.Level   // the levels of equal groups of which the parts are made; nil: the parts are others
	First   []*Problem      // tried before the parts, see triedFirst
	Groups  *Problem        // tried in place of the parts, as these are equal groups, see inGroups; else nil
	Minimal model.Selection // one that no member can be left out of; nil: there is none
	State   *quota.State    // admits a selection or not; nil: it admits all
	already quota.Ask       // of members that count as placed

	// Of the problem of one selection: it, and the problem with all members; nil for that one itself.
	Selection model.Selection
	All       *Problem

	AllowedOf  []room.Allowed // by role: where its members may be; nil: no domains of other topologies are chosen
	RoleBefore []int32        // by role: the role that it was divided from when AllowedOf was set
}

// Team are gangs that start together, planned as parts of one common request.
type Team interface {
	// Has says whether a gang is one of them.
	Has(gang string) bool
	// Ranking is all members of all gangs in rank order, running ones that stay included.
	Ranking(p *Problem) []ranks.Ranked
	// GangOf names the gang of a member, by rank.
	GangOf(rank int) string
	// Called names a gang, or a group of one, whose lowest rank is first, in a refusal of all.
	Called(first int, name string) string
}

// New brings a request inside, without any search. Too few known members are found later; every error here is an
// InvalidError. O(members * log).
func New(c *snapshot.Snapshot, req *gang.Request, t Team, b bounds.Search) (*Problem, error) {
	ordered, err := req.Ordered()
	if err != nil {
		return nil, err
	}
	judges, err := match.ForRequest(req, c.ManyTaints)
	if err != nil {
		return nil, err
	}
	own := func(gang string) bool { return gang == req.Name || t != nil && t.Has(gang) }
	if c = holds.Seen(c, req.Priority, req.Name, req.End, own); len(c.Reserved) > 0 {
		c = holds.Settled(c, req.Priority, req.Name, req.End, own)
	}
	r := takeScratch(c.Lineage)
	p := &r.problem
	*p = Problem{
		Snapshot: c, Request: req, Team: t, ordered: ordered, scratch: r, Pinned: pinnedMembers(req), Bounds: b,
		Model: model.Model{LCA: -1, Policy: cmp.Or(req.Policy, gang.BestFit), Memory: &r.memory},
		Room:  room.Room{Model: &p.Model, Snapshot: c, Request: req, Judges: judges, Memory: &r.rooms, Owner: p},
	}
	if p.Model.Room = p.Room.Nodes(); t != nil {
		p.Called.Gangs = t
	}
	readSteps(p)
	for _, step := range [...]func(*Problem) error{chooseTree, rankMembers, countMembers, readRules, readFeatures, chooseShapes, settleHostSlots} {
		if err := step(p); err != nil {
			return nil, err
		}
	}
	if p.Model.Multiple != nil || p.InParts() {
		if err := settleMultiples(p); err != nil {
			return nil, err
		}
	}
	if p.InParts() {
		if err := settleParts(p); err != nil {
			return nil, err
		}
	}
	p.Model.Hard = isHard(p)
	return p, nil
}

// readFeatures reads what few requests have: multiples and parts.
func readFeatures(p *Problem) error {
	if slices.ContainsFunc(p.Request.Gather, func(r gang.Rule) bool { return r.Multiple > 0 }) {
		p.Model.Multiple = unitsOf(p, p.MultiplesIn(p.Request.Gather))
		if err := checkMultiples(p); err != nil {
			return err
		}
	}
	var err error
	if p.Model.Limits, err = limits.Read(p.Model.View, p.Request); err != nil {
		return err
	}
	p.Room.Company = nearby(p)
	if len(p.Request.Parts) == 0 {
		return nil
	}
	return readParts(p)
}

// readSteps says how much work the searches of a problem may take.
func readSteps(p *Problem) {
	p.Model.Stop = p.Bounds.Stop
	p.Model.Steps, p.Model.Charged = p.Bounds.Of(p.Request.Steps)
}

// NewBudget is the budget of a whole plan.
func (p *Problem) NewBudget() *front.Budget { return front.NewBudget(p.Model.Steps, p.Model.Stop) }

// Ready finishes a problem once Least is known: it reads policies of zones, and counts running members by vertex.
func (p *Problem) Ready() {
	p.Room.Align()
	if p.Model.Running.Len() > 0 || p.Request.AffinityKey != "" {
		findAnchors(p)
	}
	if p.Model.Multiple != nil && p.Model.Siblings.Any() && !p.InParts() {
		forceMultiples(p)
	}
	if p.InParts() {
		p.Parts.First, p.Parts.Groups = triedFirst(p), inGroups(p)
	}
}

// Of is the problem of which a model is.
func Of(m *model.Model) *Problem { return room.OwnerOf(m.Room).(*Problem) }

// ProvenBest says whether nothing better was left out: no search ran out of steps, and zones were counted exactly.
// Cost of ZonesProven.
func (p *Problem) ProvenBest() bool {
	if p.whole != nil { // there the strategy was found, and that is what proofs are about
		return p.whole.ProvenBest()
	}
	if p.Model.Doubt != nil && *p.Model.Doubt {
		return false
	}
	return p.Room.Proven()
}

// InParts says whether the parts engine places the members: they are in parts or of several shapes.
func (p *Problem) InParts() bool { return p.Model.Gang != nil }

// isHard says whether any rule keeps members from the nameless root. Then nodes outside the tree take none.
func isHard(p *Problem) bool {
	hard := p.Model.Gather.Hard || p.together || p.Model.Limits.AreHard()
	for _, l := range p.Model.Levels {
		hard = hard || l.Gather.Hard
	}
	return hard || p.InParts() && hasHardPart(p)
}

// scratch is memory that no result keeps, the problem included. The plans of a lineage reuse a pool of it.
type scratch struct {
	problem Problem
	pending []int
	names   []string
	memory  model.Memory // of the engine
	rooms   room.Memory
}

// takeScratch takes a scratch from the lineage's pool.
func takeScratch(l *snapshot.Lineage) *scratch {
	r, _ := l.Scratch.Get().(*scratch)
	if r == nil {
		r = &scratch{}
	}
	return r
}

// Done gives the scratch to other plans; nothing refers to the problem any more.
func (p *Problem) Done() {
	r, l := p.scratch, p.Snapshot.Lineage
	r.problem = Problem{} // it holds the snapshot
	if r.memory.Search != nil {
		r.memory.Search.Reset()
	}
	l.Scratch.Put(r)
}
