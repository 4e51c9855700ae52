// How does a gang that runs lie, and how could it?

package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/outcome"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// RunningGang says how the running members of a gang lie, and how they could. It belongs to the caller.
type RunningGang struct {
	// Gang and Tree are the names of the gang and of the topology.
	Gang, Tree string
	// Members is how many of its members run; those that are leaving do not count.
	Members int
	// Now is where they are, Best the best place for all of them on what is free and what they hold themselves: Now, if none is better.
	Now, Best Position
	// Wider is by how many tiers that have domains Now is wider than Best: 0 also where Best is better within the same tier, negative
	// where the rules prefer it although it is wider.
	Wider int
	// Moves are the members in rank order with their nodes in Best; nil where Now is the best.
	Moves []Assignment
	// Proven says that there is no better place than Best.
	Proven bool
}

// Position is where a gang lies.
type Position struct {
	// Tier, Layer, Domain, Strategy, StrategyNumber and Span are as in [Result].
	Tier           int
	Layer          string
	Domain         []string
	Strategy       string
	StrategyNumber int
	Span           []LayerSpan
	// Groups say how the groups of each level lie, outermost first, those with rules in another topology left out.
	Groups []GroupLevel
}

// GroupLevel is a level of groups.
type GroupLevel struct {
	// Groups is how many there are.
	Groups int
	// Within counts those that lie in one domain of a tier, for each tier that is the tightest one of some group, ascending. The last
	// one holds all.
	Within []GroupsWithin
}

// GroupsWithin counts groups that lie each in one domain of a tier, or lower.
type GroupsWithin struct {
	Tier   int
	Layer  string
	Groups int
}

// Standing says how a gang lies that runs, and how it could lie if it were planned again. req is the request that it was planned by, or
// one with no more than its name: then there are no rules and groups, and each member asks for what it holds, on any node in service.
// Which of its members wait, how many must run, quotas and victims do not matter; all that run are to lie well. With nodes that are
// refused for some (Refused) there is no better place than Now, not proven, where members would have to do more than change places.
//
// It costs an [Cluster.Update] and a [Plan]. Errors are [muster.InvalidError]s: nobody of the gang runs, the request is not one for
// those who do, or has Slots ([muster.ErrNotSupported]).
func Standing(c *Cluster, req *gang.Request) (*RunningGang, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	if req == nil {
		return nil, muster.Invalid("request", "", "missing")
	}
	if req.Slots != nil {
		return nil, muster.Unsupported("request.Slots", "", "slots that the host tells, of a gang that runs: its own room is free then")
	}
	members := staying(s, req.Name)
	if len(members) == 0 {
		return nil, muster.Invalid("request.Name", req.Name, "nobody of this gang runs")
	}
	free, err := s.Update(cluster.Delta{Remove: refsOf(members)})
	if err != nil {
		return nil, err
	}
	anew := again(s, req, members)
	if prefersLimits(anew) {
		if _, kept, err := planKeeping(free, anew, victims.Nobody); err == nil { // else there is no better place
			anew = kept
		}
	}
	f := newRefused(free, anew)
	p, err := search.New(free, f.without(), nil, bounds.Search{})
	if err != nil {
		return nil, err
	}
	defer p.Done()
	return standing(p, members, f), nil
}

// staying lists the members of a gang that are not leaving, by name.
func staying(s *snapshot.Snapshot, name string) []*snapshot.Member {
	return slices.DeleteFunc(s.MembersOf(name).Slice(), func(m *snapshot.Member) bool { return m.Leaving })
}

// again is the request for the members that run, all of them.
func again(s *snapshot.Snapshot, req *gang.Request, members []*snapshot.Member) *gang.Request {
	out := cloneOfRules(req)
	asked := map[string]*gang.Member{}
	for i := range req.Members {
		asked[req.Members[i].Name] = &req.Members[i]
	}
	held := map[*snapshot.MemberClass]*gang.Shape{}
	runs := map[string]bool{}
	for _, m := range members {
		runs[m.Name] = true
		next := gang.Member{Name: m.Name, Index: m.Index, Indexed: m.Indexed}
		if a := asked[m.Name]; a != nil {
			next.Shape = a.Shape
		} else if len(req.Shape.Resources) == 0 {
			if held[m.Class] == nil {
				held[m.Class] = &gang.Shape{Resources: s.Lineage.Held(m.Class.Holds)}
			}
			next.Shape = held[m.Class]
		}
		out.Members = append(out.Members, next)
	}
	out.Parts = partsOf(req.Parts, runs)
	if len(out.Parts) == 0 {
		out.MinParts = 0
	}
	return out
}

// cloneOfRules is what a request says of where members may go.
func cloneOfRules(req *gang.Request) *gang.Request {
	return &gang.Request{
		Name: req.Name, Tree: req.Tree, Shape: req.Shape, Gather: req.Gather, Limits: req.Limits, Groups: req.Groups, PP: req.PP, DP: req.DP,
		Exclude: req.Exclude, Inside: req.Inside, Refused: req.Refused, TakesAnyNode: req.TakesAnyNode, Tolerated: req.Tolerated, AffinityKey: req.AffinityKey, Policy: req.Policy,
		Class: req.Class, Eligible: req.Eligible, Score: req.Score, Steps: req.Steps, NeverPreempts: true,
	}
}

// partsOf are the parts of the members that run, each needed as a whole.
func partsOf(parts []gang.Part, runs map[string]bool) (out []gang.Part) {
	for i := range parts {
		p := parts[i]
		p.Members = slices.DeleteFunc(slices.Clone(p.Members), func(name string) bool { return !runs[name] })
		p.Parts, p.MinMember, p.MinParts = partsOf(p.Parts, runs), 0, 0
		if len(p.Members) > 0 || len(p.Parts) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// standing describes the members of a problem where they run, and where they could.
func standing(p *problem.Problem, members []*snapshot.Member, f *refused) *RunningGang {
	whole := p
	if p.Unbundled != nil {
		whole = p.Unbundled
	}
	at := map[string]int32{}
	for _, m := range members {
		at[m.Name] = p.Model.View.At(m.Node)
	}
	now := make([]int32, len(whole.Model.Pending))
	for i := range whole.Model.Pending {
		now[i] = at[whole.NameOf(whole.Model.Pending[i])]
	}
	g := &RunningGang{Gang: p.Request.Name, Tree: p.Model.View.Name, Members: len(members)}
	r := describePlaced(whole, now)
	g.Now = positionOf(whole, r, now)
	g.Best, g.Proven = g.Now, r.Proven
	o := search.Best(p)
	if o == nil {
		return g // the nodes that it is on take nobody any more
	}
	_, best := o.Members()
	r = resultOf(o)
	if f.seat(r) != nil {
		g.Proven = false // nobody has looked for another one
		return g
	}
	there := positionOf(whole, r, best)
	g.Proven = r.Proven
	if compare(whole, &there, &g.Now) < 0 {
		g.Best, g.Moves = there, r.Assignments
		g.Wider = p.Model.View.TierIndex(int32(g.Now.Tier)) - p.Model.View.TierIndex(int32(there.Tier))
	}
	return g
}

func positionOf(p *problem.Problem, r *Result, positions []int32) Position {
	return Position{
		Tier: r.Tier, Layer: r.Layer, Domain: r.Domain, Strategy: r.Strategy, StrategyNumber: r.StrategyNumber, Span: r.Span,
		Groups: groupLevels(p, positions),
	}
}

// groupLevels says how the groups of each level lie.
func groupLevels(p *problem.Problem, positions []int32) []GroupLevel {
	at, v := outcome.AllByRank(p, positions), p.Model.View
	var tiers [][]int32 // of each group, by level
	note := func(level int, ranks []int) {
		for len(tiers) <= level {
			tiers = append(tiers, nil)
		}
		if x := v.LowestOf(ranks, at); x >= 0 {
			tiers[level] = append(tiers[level], v.TierOf(v.Named(x)))
		}
	}
	if p.InParts() {
		p.Model.Gang.Each(func(a *model.Part) {
			if a.InTree() && a.Level > 0 {
				note(a.Level-1, a.All())
			}
		})
	} else {
		ranks := make([]int, len(at))
		for i := range ranks {
			ranks[i] = i
		}
		for level := range p.Model.Levels {
			for some := range slices.Chunk(ranks, int(p.Model.Levels[level].Size)) {
				note(level, some)
			}
		}
	}
	out := make([]GroupLevel, 0, len(tiers))
	for _, of := range tiers {
		out = append(out, groupLevel(v, of))
	}
	return out
}

// groupLevel counts groups by their tiers.
func groupLevel(v *layout.View, tiers []int32) GroupLevel {
	slices.Sort(tiers)
	l := GroupLevel{Groups: len(tiers)}
	for i, t := range tiers {
		if i+1 == len(tiers) || tiers[i+1] != t {
			l.Within = append(l.Within, GroupsWithin{Tier: int(t), Layer: v.LayerName(t), Groups: i + 1})
		}
	}
	return l
}

// within is how many groups of a level lie each in one domain of a tier.
func (l *GroupLevel) within(tier int) (n int) {
	for _, w := range l.Within {
		if w.Tier <= tier {
			n = w.Groups
		}
	}
	return n
}

// compare is below 0 if a is the better position: by the strategy, whole groups, fewer domains.
func compare(p *problem.Problem, a, b *Position) int {
	if n := cmp.Compare(worth(p.Model.Gather.Worths, a.Tier), worth(p.Model.Gather.Worths, b.Tier)); n != 0 {
		return n
	}
	for i := range min(len(a.Groups), len(b.Groups)) {
		var worths []int32 // of groups that differ each has its own
		if i < len(p.Model.Levels) {
			worths = p.Model.Levels[i].Gather.Worths
		}
		if n := cmp.Compare(worth(worths, a.Groups[i].worst()), worth(worths, b.Groups[i].worst())); n != 0 {
			return n
		}
	}
	for i := range min(len(a.Groups), len(b.Groups)) {
		for _, t := range slices.Backward(p.Model.View.Tiers) {
			if n := cmp.Compare(b.Groups[i].within(int(t)), a.Groups[i].within(int(t))); n != 0 {
				return n
			}
		}
	}
	return slices.CompareFunc(a.Span, b.Span, func(x, y LayerSpan) int { return cmp.Compare(x.Domains, y.Domains) })
}

// worst is the tier of the widest group.
func (l *GroupLevel) worst() int {
	if len(l.Within) == 0 {
		return 0
	}
	return l.Within[len(l.Within)-1].Tier
}

// worth is the tier that the rules take a tier for.
func worth(worths []int32, tier int) int {
	for _, w := range worths {
		if tier <= int(w) {
			return int(w)
		}
	}
	return tier
}
