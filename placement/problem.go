package placement

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

// problem is a request brought inside: names are resolved, rules are tiers, members have ranks. It does not change
// while strategies are tried.
type problem struct {
	c       *snapshot.Snapshot
	v       *layout.View
	req     *gang.Request
	shapes  []*gang.Shape // of the members of a unit: one, unless whole groups are placed like members; or of the roles
	roleOf  []int32       // of the pending members; nil: all are of one shape, or in units
	twins   []int32       // by role: the first one of the same shape; nil: all shapes differ
	whole   *part         // the gang, if it is placed in parts; else nil
	ranks   int           // how many members there are, running ones included
	parting parting
	// together: units are groups that must gather on a node.
	together bool
	needs    []need // of a unit
	policy   gang.Policy

	ordered  bool               // the request lists its members in rank order
	pending  []pendingMember    // in rank order
	pinned   map[string]bool    // members that are not preemptible
	team     teammates          // gangs that start together, whose common request this is; else nil
	own      []*snapshot.Member // the gang's members on the cluster, in natural order of names
	running  []siblingMember    // the gang's own running members that stay, in rank order
	least    int                // new members that must be placed
	levels   []level
	oneLevel [1]level // of groups, where there is no second one
	gather   gathering
	mult     []int64       // of a gang in no parts, by tier: the least common multiple of all multiples at or below it; nil: none
	lca      layout.Vertex // of the running members, -1 if none
	siblings,
	friends layout.Tally // running members of the gang, and of the affinity key, below a vertex
	// forced is how many new members a vertex must take to complete multiples that running members began; nil: none.
	forced      layout.Tally
	evens       []evenRule // the multiples that bind a gang in parts
	leavingGone bool
	admitted    int             // new units that the quota admits
	refusedBy   *quota.Refusal  // what refuses the least, if these are known
	unsettled   bool            // the search for victims ended before it was known that none help
	indexes     [2]*index.Index // see ownIndex
	alignment   alignment
	scratch     *paper
	members     *problem // the gang itself, where whole groups are placed like members; else nil
}

// teammates are gangs that start together, planned as parts of one common request.
type teammates interface {
	// Has says whether a gang is one of them.
	Has(gang string) bool
	// Ranking is all members of all of them in rank order, those that run and stay included.
	Ranking(p *problem) []ranked
	// Called is what a refusal of all calls a gang, or a group of one.
	Called(a *part) string
}

// need is one resource that a member asks for.
type need struct {
	id     int // -1: no node has it
	amount int64
	name   string
}

type pendingMember struct {
	name string
	rank int
}

type siblingMember struct {
	pos  int32
	rank int
	name string
}

// level is one level of groups, outermost first.
type level struct {
	size   int64
	gather gathering
}

// gathering are the gather rules of a gang or a group level.
type gathering struct {
	must int32 // no domain above this tier; the root's tier if there is no MustGather
	hard bool  // there is a MustGather
	name string
	// own is the tier of its MustGather, which one around it may make redundant; -1: it has none.
	own int32
	// worths are the tiers at which a tighter fit is worth having, ascending, the last is must.
	worths []int32
}

// newProblem brings a request inside as far as nothing need be searched for. Too few known members are found later; every
// error here is an InvalidError.
func newProblem(c *snapshot.Snapshot, req *gang.Request, t teammates) (*problem, error) {
	ordered, err := req.Ordered()
	if err != nil {
		return nil, err
	}
	r := takePaper(c.Lineage)
	p := &r.problem
	*p = problem{c: c, req: req, team: t, ordered: ordered, lca: -1, policy: cmp.Or(req.Policy, gang.BestFit), scratch: r, pinned: pinnedMembers(req)}
	steps := [...]func(*problem) error{
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

// ready finishes a problem of which it is known how many members must be placed.
func (p *problem) ready() {
	align(p)
	findAnchors(p)
	forceMultiples(p)
}

func chooseTree(p *problem) error {
	name := p.req.Tree
	if name == "" {
		if len(p.c.Lineage.Views) == 1 {
			p.v = p.c.Lineage.Views[0]
			return nil
		}
		name = "default"
	}
	if p.v = p.c.View(name); p.v == nil {
		return muster.Invalid("request.Tree", p.req.Tree, "unknown topology")
	}
	return nil
}

// countMembers resolves MinMember and the groups against the gang's total.
func countMembers(p *problem) error {
	total := len(p.pending) + len(p.running)
	groups, err := p.req.Levels(max(total, p.req.Total))
	if err == nil && len(groups) > 1 { // those of a gang that is not known as a whole must divide what is
		_, err = p.req.Levels(total)
	}
	if err != nil && total >= p.req.MinMember { // else it is refused anyway, and its size will be another one
		return err
	}
	p.levels = p.oneLevel[:0]
	for _, g := range groups {
		p.levels = append(p.levels, level{size: int64(g.Size)})
	}
	p.least = len(p.pending)
	if p.req.MinMember > 0 {
		p.least = max(1, p.req.MinMember-len(p.running))
	}
	return nil
}

// readRules turns layers into tiers. An inner group is bound at least as tightly as what surrounds it.
func readRules(p *problem) error {
	g, err := p.gathering("request.Gather", p.req.Gather, p.v.RootTop)
	if err != nil {
		return err
	}
	p.gather = g
	p.mult = p.unitsOf(p.multiplesIn(p.req.Gather))
	outer := g.must
	for i := range p.levels {
		if i < len(p.req.Groups) {
			g, err = p.gathering(fmt.Sprintf("request.Groups[%d].Gather", i), p.req.Groups[i].Gather, outer)
		} else {
			g, err = p.gathering("", nil, outer) // PP and DP carry no rules
		}
		if err != nil {
			return err
		}
		p.levels[i].gather = g
		outer = g.must
	}
	return nil
}

// gathering reads the rules of a gang or group level that lies within a domain of tier outer at most.
func (p *problem) gathering(field string, rules []gang.Rule, outer int32) (gathering, error) {
	g := gathering{must: outer, own: -1}
	var preferred []int32
	for i, r := range rules {
		tier, ok := p.tier(r.Layer)
		if !ok {
			return g, muster.Invalid(fmt.Sprintf("%s[%d].Layer", field, i), r.Layer, "unknown layer")
		}
		switch r.Strategy {
		case gang.MustGather:
			// The root satisfies no rule: a bound above all layers is the highest layer.
			top := min(tier, p.v.RootTop-1)
			if g.own < 0 || top <= g.own {
				g.own, g.name = top, r.Layer
			}
			if top <= g.must {
				g.must, g.hard = top, true
			}
		case gang.PreferGather:
			preferred = append(preferred, tier)
		}
	}
	if i, exact := slices.BinarySearch(p.v.Tiers, g.must); exact && len(preferred) == 0 {
		g.worths = p.v.Tiers[: i+1 : i+1]
		return g, nil
	}
	if len(preferred) == 0 {
		preferred = append(preferred, 0)
		for _, l := range p.v.Layers {
			preferred = append(preferred, int32(l.Tier))
		}
	}
	for _, t := range preferred {
		g.worths = append(g.worths, min(t, g.must))
	}
	g.worths = append(g.worths, g.must)
	slices.Sort(g.worths)
	g.worths = slices.Compact(g.worths)
	return g, nil
}

// tier resolves a layer: a name, else a tier in digits.
func (p *problem) tier(layer string) (int32, bool) {
	if l, ok := p.v.Tree.Layer(layer); ok {
		return int32(l.Tier), true
	}
	if layer == "node" && p.v.Tree.NodeLayer() == "" {
		return 0, true
	}
	if n, err := strconv.ParseUint(layer, 10, 31); err == nil {
		return min(int32(n), p.v.RootTop), true
	}
	return 0, false
}

// findAnchors counts running members of the gang and of its affinity key at every vertex above them.
func findAnchors(p *problem) {
	for i, m := range p.running {
		if i == 0 {
			p.siblings = make(layout.Tally, 2*len(p.running))
		}
		p.siblings[p.v.NodeVertex(m.pos)]++
	}
	for i := 0; i < len(p.running); { // those in a row below one switch at once
		leaf, n := p.v.LeafOf[p.running[i].pos], i
		for i < len(p.running) && p.v.LeafOf[p.running[i].pos] == leaf {
			i++
		}
		p.siblings.Add(p.v, leaf, int64(i-n))
	}
	if p.req.AffinityKey == "" {
		return
	}
	p.friends = layout.Tally{}
	p.c.EachWithKey(p.req.AffinityKey, func(m *snapshot.Member) {
		if !m.Leaving || p.req.IgnoreLeaving {
			p.friends.Add(p.v, p.v.NodeVertex(p.v.At(m.Node)), 1)
		}
	})
}

// hard says whether any rule keeps members from the nameless root, and so from nodes outside the tree.
func (p *problem) hard() bool {
	hard := p.gather.hard || p.together
	for _, l := range p.levels {
		hard = hard || l.gather.hard
	}
	return hard || p.hasHardPart()
}
