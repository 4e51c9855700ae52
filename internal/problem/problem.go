// Package problem answers: what does a request ask of a snapshot? A [Problem] is a request brought inside: its topology is
// chosen, members have ranks, rules are tiers, groups and parts are cut, amounts are resource ids. It also knows what
// follows from request and snapshot alone: the slots of each node ([Counting]), what the zones of a node take ([Zones]), what
// the quota admits, for whom a plan would wait.
//
// Invariants: a Problem does not change while strategies are tried. Another one is derived from it by a constructor of
// derive.go, which says of every field whether it is kept, reset or derived; nobody copies a Problem by hand.
//
// A Problem belongs to one plan and is not safe for concurrent use; the snapshot that it looks at is.
package problem

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// Problem is a request brought inside: names are resolved, rules are tiers, members have ranks. It does not change
// while strategies are tried.
type Problem struct {
	Snapshot *snapshot.Snapshot
	View     *layout.View
	Request  *gang.Request
	Shapes   []*gang.Shape // of the members of a unit: one, unless whole groups are placed like members; or of the roles
	RoleOf   []int32       // of the pending members; nil: all are of one shape, or in units
	twins    []int32       // by role: the first one of the same shape; nil: all shapes differ
	Gang     *Part         // the gang, if it is placed in parts; else nil
	Ranks    int           // how many members there are, running ones included
	Parts    partState
	// together: units are groups that must gather on a node.
	together bool
	Needs    []Need // of a unit
	Policy   gang.Policy

	ordered  bool               // the request lists its members in rank order
	Pending  []pendingMember    // in rank order
	Pinned   map[string]bool    // members that are not preemptible
	Team     Team               // gangs that start together, whose common request this is; else nil
	Own      []*snapshot.Member // the gang's members on the cluster, in natural order of names
	Running  []siblingMember    // the gang's own running members that stay, in rank order
	Least    int                // new members that must be placed
	Levels   []Level
	oneLevel [1]Level // of groups, where there is no second one
	Gather   GatherRules
	Multiple []int64       // of a gang in no parts, by tier: the least common multiple of all multiples at or below it; nil: none
	LCA      layout.Vertex // of the running members, -1 if none
	Siblings,
	Friends layout.Tally // running members of the gang, and of the affinity key, below a vertex
	// Forced is how many new members a vertex must take to complete multiples that running members began; nil: none.
	Forced      layout.Tally
	Multiples   []MultipleRule // the multiples that bind a gang in parts
	LeavingGone bool
	Admitted    int             // new units that the quota admits
	RefusedBy   *quota.Refusal  // what refuses the least, if these are known
	Unsettled   bool            // the search for victims ended before it was known that none help
	indexes     [2]*index.Index // see ownIndex
	ZoneState   zoneState
	Paper       *paper
	Unbundled   *Problem // the gang itself, where whole groups are placed like members; else nil
}

// Team are gangs that start together, planned as parts of one common request.
type Team interface {
	// Has says whether a gang is one of them.
	Has(gang string) bool
	// Ranking is all members of all of them in rank order, those that run and stay included.
	Ranking(p *Problem) []Ranked
	// Called is what a refusal of all calls a gang, or a group of one.
	Called(a *Part) string
}

// Need is one resource that a member asks for.
type Need struct {
	ID     int // -1: no node has it
	Amount int64
	Name   string
}

// pendingMember is a member that waits for a node.
type pendingMember struct {
	Name string
	Rank int
}

// siblingMember is a running member of the gang.
type siblingMember struct {
	Pos  int32
	Rank int
	name string
}

// Level is one level of groups, outermost first.
type Level struct {
	Size   int64
	Gather GatherRules
}

// GatherRules are the gather rules of a gang or a group level.
type GatherRules struct {
	Must int32 // no domain above this tier; the root's tier if there is no MustGather
	Hard bool  // there is a MustGather
	Name string
	// own is the tier of its MustGather, which one around it may make redundant; -1: it has none.
	own int32
	// Worths are the tiers at which a tighter fit is worth having, ascending, the last is must.
	Worths []int32
}

// New brings a request inside as far as nothing need be searched for. Too few known members are found later; every
// error here is an InvalidError.
func New(c *snapshot.Snapshot, req *gang.Request, t Team) (*Problem, error) {
	ordered, err := req.Ordered()
	if err != nil {
		return nil, err
	}
	r := takePaper(c.Lineage)
	p := &r.problem
	*p = Problem{Snapshot: c, Request: req, Team: t, ordered: ordered, LCA: -1, Policy: cmp.Or(req.Policy, gang.BestFit), Paper: r, Pinned: pinnedMembers(req)}
	steps := [...]func(*Problem) error{
		chooseTree, rankMembers, countMembers, readRules, checkMultiples, readParts,
		chooseShapes, settleMultiples,
	}
	for _, step := range steps {
		if err := step(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Ready finishes a problem of which it is known how many members must be placed.
func (p *Problem) Ready() {
	align(p)
	findAnchors(p)
	forceMultiples(p)
}

func chooseTree(p *Problem) error {
	name := p.Request.Tree
	if name == "" {
		if len(p.Snapshot.Lineage.Views) == 1 {
			p.View = p.Snapshot.Lineage.Views[0]
			return nil
		}
		name = "default"
	}
	if p.View = p.Snapshot.View(name); p.View == nil {
		return muster.Invalid("request.Tree", p.Request.Tree, "unknown topology")
	}
	return nil
}

// countMembers resolves MinMember and the groups against the gang's total.
func countMembers(p *Problem) error {
	total := len(p.Pending) + len(p.Running)
	groups, err := p.Request.Levels(max(total, p.Request.Total))
	if err == nil && len(groups) > 1 { // those of a gang that is not known as a whole must divide what is
		_, err = p.Request.Levels(total)
	}
	if err != nil && total >= p.Request.MinMember { // else it is refused anyway, and its size will be another one
		return err
	}
	p.Levels = p.oneLevel[:0]
	for _, g := range groups {
		p.Levels = append(p.Levels, Level{Size: int64(g.Size)})
	}
	p.Least = len(p.Pending)
	if p.Request.MinMember > 0 {
		p.Least = max(1, p.Request.MinMember-len(p.Running))
	}
	return nil
}

// readRules turns layers into tiers. An inner group is bound at least as tightly as what surrounds it.
func readRules(p *Problem) error {
	g, err := gatherRules(p.View, "request.Gather", p.Request.Gather, p.View.RootTop)
	if err != nil {
		return err
	}
	p.Gather = g
	p.Multiple = unitsOf(p, p.MultiplesIn(p.Request.Gather))
	outer := g.Must
	for i := range p.Levels {
		if i < len(p.Request.Groups) {
			g, err = gatherRules(p.View, fmt.Sprintf("request.Groups[%d].Gather", i), p.Request.Groups[i].Gather, outer)
		} else {
			g, err = gatherRules(p.View, "", nil, outer) // PP and DP carry no rules
		}
		if err != nil {
			return err
		}
		p.Levels[i].Gather = g
		outer = g.Must
	}
	return nil
}

// gatherRules reads the rules of a gang or group level that lies within a domain of tier outer at most.
func gatherRules(v *layout.View, field string, rules []gang.Rule, outer int32) (GatherRules, error) {
	g := GatherRules{Must: outer, own: -1}
	var preferred []int32
	for i, r := range rules {
		tier, ok := tierOf(v, r.Layer)
		if !ok {
			return g, muster.Invalid(fmt.Sprintf("%s[%d].Layer", field, i), r.Layer, "unknown layer")
		}
		switch r.Strength {
		case gang.MustGather:
			// The root satisfies no rule: a bound above all layers is the highest layer.
			top := min(tier, v.RootTop-1)
			if g.own < 0 || top <= g.own {
				g.own, g.Name = top, r.Layer
			}
			if top <= g.Must {
				g.Must, g.Hard = top, true
			}
		case gang.PreferGather:
			preferred = append(preferred, tier)
		}
	}
	if i, exact := slices.BinarySearch(v.Tiers, g.Must); exact && len(preferred) == 0 {
		g.Worths = v.Tiers[: i+1 : i+1]
		return g, nil
	}
	if len(preferred) == 0 {
		preferred = append(preferred, 0)
		for _, l := range v.Layers {
			preferred = append(preferred, int32(l.Tier))
		}
	}
	for _, t := range preferred {
		g.Worths = append(g.Worths, min(t, g.Must))
	}
	g.Worths = append(g.Worths, g.Must)
	slices.Sort(g.Worths)
	g.Worths = slices.Compact(g.Worths)
	return g, nil
}

// Tier resolves a layer: a name, else a tier in digits.
func (p *Problem) Tier(layer string) (int32, bool) { return tierOf(p.View, layer) }

func tierOf(v *layout.View, layer string) (int32, bool) {
	if l, ok := v.Tree.Layer(layer); ok {
		return int32(l.Tier), true
	}
	if layer == "node" && v.Tree.NodeLayer() == "" {
		return 0, true
	}
	if n, err := strconv.ParseUint(layer, 10, 31); err == nil {
		return min(int32(n), v.RootTop), true
	}
	return 0, false
}

// findAnchors counts running members of the gang and of its affinity key at every vertex above them.
func findAnchors(p *Problem) {
	for i, m := range p.Running {
		if i == 0 {
			p.Siblings = make(layout.Tally, 2*len(p.Running))
		}
		p.Siblings[p.View.NodeVertex(m.Pos)]++
	}
	for i := 0; i < len(p.Running); { // those in a row below one switch at once
		leaf, n := p.View.LeafOf[p.Running[i].Pos], i
		for i < len(p.Running) && p.View.LeafOf[p.Running[i].Pos] == leaf {
			i++
		}
		p.Siblings.Add(p.View, leaf, int64(i-n))
	}
	if p.Request.AffinityKey == "" {
		return
	}
	p.Friends = layout.Tally{}
	p.Snapshot.EachWithKey(p.Request.AffinityKey, func(m *snapshot.Member) {
		if !m.Leaving || p.Request.IgnoreLeaving {
			p.Friends.Add(p.View, p.View.NodeVertex(p.View.At(m.Node)), 1)
		}
	})
}

// Hard says whether any rule keeps members from the nameless root, and so from nodes outside the tree.
func (p *Problem) Hard() bool {
	hard := p.Gather.Hard || p.together
	for _, l := range p.Levels {
		hard = hard || l.Gather.Hard
	}
	return hard || hasHardPart(p)
}
