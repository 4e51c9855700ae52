// Which models may an engine be asked about? Tiny ones, drawn filled.

package spec

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/roll"
)

// mostMembers of one level of groups are drawn; of several a few more.
const mostMembers = 10

// drawer draws one model.
type drawer struct {
	t     *rapid.T
	m     *model.Model
	r     *Room
	total int  // members, running ones included
	plain bool // slots and groups alone matter, as for most gangs
	focus focus
}

// focus is what is drawn more often than chance would have it, as some shortcuts are for that alone.
type focus uint8

const (
	anything   focus = iota
	fewDomains       // no groups, in few domains of the lower of three layers
	groupsOnly       // one level of groups in three layers, on nodes of which most are alike, and nothing else
	apart            // groups that are kept apart
	inDomain         // in a domain of three layers that has others beside it, no limits
)

// Draw draws a tree of at most a dozen nodes, perhaps of uneven depth, with nodes outside it, what they take, who runs there, and a gang
// with rules.
func Draw(t *rapid.T) *model.Model {
	d := &drawer{t: t, m: &model.Model{LCA: -1, Memory: &model.Memory{}}, r: &Room{}}
	d.focus = rapid.SampledFrom([]focus{anything, anything, anything, anything, anything, fewDomains, groupsOnly, groupsOnly, groupsOnly, apart, inDomain}).Draw(t, "focus")
	d.plain = d.focus == groupsOnly || d.focus == inDomain || d.chance(40, "plain")
	d.tree()
	d.policy()
	d.nodes()
	d.members()
	d.rules()
	d.limits()
	d.multiples()
	d.anchors()
	d.counts()
	d.inside()
	d.r.Of(d.m)
	d.m.Forced = d.r.forced()
	return d.m
}

// chance is true in so many of a hundred draws, about; it shrinks to false.
func (d *drawer) chance(percent int, what string) bool {
	return d.upTo(99, what) >= 100-percent
}

func (d *drawer) upTo(most int, what string) int { return rapid.IntRange(0, most).Draw(d.t, what) }

// policy draws what compares places.
func (d *drawer) policy() {
	d.m.Policy = gang.BestFit
	if !d.plain || d.chance(55, "another policy") {
		d.m.Policy = rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore, gang.Spread}).Draw(d.t, "policy")
	}
	d.r.Scored = !d.plain && d.chance(40, "scored")
	d.r.Zoned = d.chance(35, "zoned")
	d.r.Wasteful = d.chance(30, "wasteful")
	d.r.Indexed = d.chance(75, "indexed")
}

// nodes draws what nodes take and are worth.
func (d *drawer) nodes() {
	most := rapid.SampledFrom([]int{1, 2, 3, 4, 6}).Draw(d.t, "most slots")
	full, others := 10+d.upTo(40, "full nodes"), d.chance(20, "some nodes are meant for others")
	usual := 0
	if d.focus == groupsOnly || d.focus == inDomain {
		most, full, usual = rapid.SampledFrom([]int{1, 2, 1, 3, 2}).Draw(d.t, "few slots"), 5, 60
	}
	d.r.AnyNode = d.chance(5, "any node")
	for range 1 + d.upTo(2, "kinds of zones") {
		k := ZoneKind{Width: int64(d.upTo(2, "width")), Rates: make([]int64, 1)}
		for range mostMembers {
			k.Rates = append(k.Rates, int64(d.upTo(3, "rate")))
		}
		d.r.Kinds = append(d.r.Kinds, k)
	}
	for range d.m.View.Nodes {
		takes, score := 0, 0
		switch {
		case d.chance(full, "full"):
		case d.chance(usual, "as most"):
			takes = most
		case d.chance(2, "huge"):
			takes = 62 + d.upTo(3, "slots")
		default:
			takes = 1 + d.upTo(most-1, "slots")
		}
		if d.r.Scored {
			score = d.upTo(4, "score") - 1
		}
		d.r.Takes, d.r.Scores = append(d.r.Takes, int64(takes)), append(d.r.Scores, int64(score))
		d.r.Wastes = append(d.r.Wastes, int64(d.upTo(3*bit(d.r.Wasteful), "waste")))
		d.r.Others = append(d.r.Others, others && d.chance(40, "meant for others"))
		d.r.Kind = append(d.r.Kind, d.upTo(len(d.r.Kinds)-1, "zones"))
	}
}

// members draws the gang, and its groups.
func (d *drawer) members() {
	running := 0
	if !d.plain && d.chance(60, "some run") {
		running = 1 + d.upTo(2, "running")
	}
	levels := 0
	switch {
	case d.focus != fewDomains && d.focus != groupsOnly && d.focus != inDomain && d.chance(15+20*bit(d.focus == apart), "nested"):
		levels = 2 + bit(d.chance(10, "three levels"))
	case d.focus == fewDomains && d.chance(60, "no groups"):
	case d.focus == groupsOnly || d.focus == apart || d.chance(60, "groups"):
		levels = 1
	}
	size, sizes := 1, []int{}
	for i := range levels {
		size *= 1 + bit(i > 0 || d.focus == groupsOnly || d.chance(90, "more than one in a group")) + bit(d.chance(40, "one more in a group"))
		sizes = append(sizes, size)
	}
	for i := range sizes {
		d.m.Levels = append(d.m.Levels, model.Level{Size: int64(sizes[len(sizes)-1-i])})
	}
	fresh := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, mostMembers, 8, 7, 6, 5, 4}).Draw(d.t, "members")
	if d.total = running + min(fresh, 4*size+1); running > 0 && d.chance(40, "one new member") {
		d.total = running + 1
	}
	if levels > 1 || levels == 1 && d.chance(50, "full groups") {
		d.total = (d.total + size - 1) / size * size
	}
	var those []roll.Member
	runs := map[int]bool{}
	for range running {
		runs[d.upTo(d.total-1, "rank")] = true
	}
	for rank := range d.total {
		if !runs[rank] || rank == d.total-1 && len(d.m.Pending) == 0 {
			d.m.Pending = append(d.m.Pending, rank)
			continue
		}
		those = append(those, roll.Member{Pos: int32(d.upTo(int(d.m.View.Nodes)-1, "runs on")), Rank: rank})
	}
	d.m.Running = roll.Of(those...)
}

// rules draws gather rules of the gang and its groups.
func (d *drawer) rules() {
	d.m.Gather = d.gather(d.m.View.RootTop, d.chance(25, "gang must gather"))
	outer := d.m.Gather.Must
	for i := range d.m.Levels {
		d.m.Levels[i].Gather = d.gather(outer, d.focus == apart || d.chance(25, "groups must gather"))
		outer = d.m.Levels[i].Gather.Must
	}
}

// gather draws rules that bind at least as tightly as an outer tier.
func (d *drawer) gather(outer int32, must bool) model.Gather {
	v := d.m.View
	g := model.Gather{Must: outer, Own: -1}
	if must {
		if g.Own = int32(d.upTo(int(v.RootTop)-1, "must")); g.Own <= g.Must {
			g.Must, g.Hard = g.Own, true
		}
	}
	preferred := []int32{}
	for range (1 + d.upTo(1, "preferences")) * bit(d.chance(30+30*bit(d.focus == groupsOnly), "prefers")) { // so that wide domains are compared
		preferred = append(preferred, int32(d.upTo(int(v.RootTop), "preferred")))
	}
	worth := map[int32]bool{g.Must: true}
	for _, t := range preferred {
		worth[min(t, g.Must)] = true
	}
	for _, t := range v.Tiers {
		if len(preferred) == 0 && t <= g.Must {
			worth[t] = true
		}
	}
	for t := range g.Must + 1 {
		if worth[t] {
			g.Worths = append(g.Worths, t)
		}
	}
	if len(preferred) > 0 {
		g.Finest = 1 + g.Worths[0]
	}
	return g
}

// limits draws what keeps members and groups apart, alone or in few domains, as far as the engine of equal groups takes them.
func (d *drawer) limits() {
	if d.focus == groupsOnly || d.focus == inDomain || d.focus == anything && !d.chance(40, "limits") {
		return
	}
	v := d.m.View
	l := &limits.Limits{Alone: -1, Groups: make([][]index.Cap, len(d.m.Levels))}
	tier := func(least int32) int32 { return least + int32(d.upTo(int(v.RootTop-1-least), "tier")) }
	for range d.upTo(2, "apart") * bit(d.focus == anything || d.chance(30, "apart, too")) {
		l.Apart = append(l.Apart, index.Cap{Tier: tier(0), Most: int64(1 + d.upTo(3, "most"))})
	}
	if d.focus == fewDomains || d.chance(20, "within") {
		l.Within = append(l.Within, index.Cap{Tier: tier(0), Most: int64(2 + d.upTo(1, "most domains"))})
	}
	if d.chance(15, "alone") {
		l.Alone = tier(0)
		d.r.Company = d.chance(10, "company")
	}
	for i, level := range d.m.Levels {
		if level.Gather.Hard {
			for range d.upTo(1+bit(d.chance(10, "many")), "groups apart") {
				l.Groups[i] = append(l.Groups[i], index.Cap{Tier: tier(level.Gather.Must), Most: int64(1 + d.upTo(2, "most groups"))})
			}
		}
	}
	if len(d.m.Levels) > 0 {
		l.Apart = slices.DeleteFunc(l.Apart, d.hidesGroups)
	}
	if d.isForGroups(l) {
		d.m.Limits = l
	}
}

// hidesGroups says whether slots tell nothing of groups where a limit on members is kept.
func (d *drawer) hidesGroups(c index.Cap) bool {
	short := int64(d.total)%d.m.Levels[0].Size != 0
	return c.Tier > 0 && (short || c.Most >= d.m.Levels[len(d.m.Levels)-1].Size)
}

// isForGroups says whether slots of members and of whole groups tell what limits leave (limits.10 of docs/order).
func (d *drawer) isForGroups(l *limits.Limits) bool {
	if l.CapAbove() {
		return false
	}
	if len(d.m.Levels) == 0 {
		return true
	}
	outer := d.m.Levels[0]
	short := int64(d.total)%outer.Size != 0
	if l.CountDomains() && (short || outer.Gather.Must > l.Within[0].Tier) {
		return false
	}
	return !l.CountGroups() || !short && (len(d.m.Levels) == 1 || d.m.Running.Len() == 0)
}

// inside draws where all new members must be: a domain or a node of the tree.
func (d *drawer) inside() {
	if v := d.m.View; d.chance(15+85*bit(d.focus == inDomain), "inside") {
		x := layout.Vertex(d.upTo(v.NumDomains()-1, "in"))
		if d.focus == inDomain {
			x = min(x, layout.Vertex(d.upTo(3, "high up")))
		}
		if d.chance(10, "on a node") {
			x = v.NodeVertex(int32(d.upTo(int(v.Nodes)-1, "in")))
		}
		if v.IsNode(x) && v.Position(x) < v.FirstPos[v.Outside] || !v.IsNode(x) && v.Named(x) == x {
			d.r.Inside = x
		}
	}
}

// multiples draws numbers of which members in domains are multiples.
func (d *drawer) multiples() {
	l := d.m.Limits
	counts := l.CountMembers() || l.CountGroups() || l.CountDomains()
	if d.plain || counts || len(d.m.Levels) > 0 && d.m.Running.Len() > 0 || !d.chance(50, "multiples") {
		return
	}
	of := make([]int64, d.m.View.RootTop+1)
	for i := range of {
		of[i] = 1
	}
	for range 1 + d.upTo(1, "multiples") {
		tier, m := d.upTo(int(d.m.View.RootTop), "tier of a multiple"), 2+d.upTo(1, "multiple")
		for t := tier; t < len(of); t++ {
			of[t] = int64(lcm(int(of[t]), m))
		}
	}
	for _, level := range d.m.Levels { // multiples.3
		if level.Size%of[level.Gather.Must] != 0 || int64(d.total)%level.Size != 0 && level.Size%of[len(of)-1] != 0 {
			return
		}
	}
	d.m.Multiple = of
}

// anchors draws members with the affinity key, and counts those that run.
func (d *drawer) anchors() {
	v := d.m.View
	if !d.plain && d.chance(50, "friends") {
		d.m.Friends = layout.Tally{}
		for pos := range v.Nodes {
			if n := d.upTo(2, "friends"); n > 0 && d.chance(50, "has friends") {
				d.m.Friends.Add(v, v.NodeVertex(pos), int64(n))
			}
		}
	}
	for i, pos := range slices.Collect(d.m.Running.Positions()) {
		x := v.NodeVertex(pos)
		if i == 0 {
			d.m.Siblings, d.m.LCA = layout.NewCensus(v), x
		}
		d.m.Siblings.Add(pos, 1)
		d.m.LCA = v.LCA(d.m.LCA, x)
	}
}

// counts draws how many must be placed and may be, and whether nodes outside the tree take any.
func (d *drawer) counts() {
	d.m.Least, d.m.Admitted = len(d.m.Pending), len(d.m.Pending)
	if d.chance(40, "may start with fewer") {
		d.m.Least = 1 + d.upTo(len(d.m.Pending)-1, "least")
	}
	if d.chance(10, "quota") {
		d.m.Admitted = d.upTo(len(d.m.Pending), "admitted")
	}
	d.m.Hard = d.m.Gather.Hard || d.m.Limits.AreHard() || d.m.Running.Len() == 0 && d.chance(5, "units")
	for _, l := range d.m.Levels {
		d.m.Hard = d.m.Hard || l.Gather.Hard
	}
}
