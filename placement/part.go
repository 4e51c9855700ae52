package placement

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
)

// part is a gang that is placed in groups that differ, one of these groups, or what bundles some: docs/order.md, sections 7 and 8.
type part struct {
	gather        gathering
	label, called string
	level         int  // the number of groups around it and it; the gang's is 0
	bundle        bool // it is no group
	// abroad is the topology of its rules where that is not the gang's, else nil. around is what it lies in, nil for the gang.
	abroad *layout.View
	around *part
	idle   bool // it only bundles parts of which none must be placed, and counts as placed
	ranks  []int
	parts  []*part
	// multiples are those of its members, the gang's own those of all.
	multiples []multiple
	// least members of it and leastParts of its parts must be placed; least is 0 where all of its own must be.
	least, leastParts int
}

// each calls f with the part and all parts in it, outer ones first.
func (a *part) each(f func(*part)) {
	f(a)
	for _, b := range a.parts {
		b.each(f)
	}
}

// inTree says whether it is a group in the gang's topology.
func (a *part) inTree() bool { return !a.bundle && a.abroad == nil }

// all lists the ranks of the members in it.
func (a *part) all() (ranks []int) {
	a.each(func(b *part) { ranks = append(ranks, b.ranks...) })
	return ranks
}

// first is the lowest rank in it.
func (a *part) first() int {
	first := int(^uint(0) >> 1)
	a.each(func(b *part) {
		if len(b.ranks) > 0 {
			first = min(first, b.ranks[0])
		}
	})
	return first
}

// inParts says whether members are placed by what their parts need, those of several shapes included.
func (p *problem) inParts() bool { return p.whole != nil }

// readParts reads the parts of a request.
func readParts(p *problem) error {
	if len(p.req.Parts) == 0 {
		return nil
	}
	rank := make(map[string]int, len(p.pending)+len(p.running))
	for _, m := range p.pending {
		rank[m.name] = m.rank
	}
	for _, m := range p.running {
		rank[m.name] = m.rank
	}
	p.whole = &part{gather: p.gather, called: p.req.Name, least: p.req.MinMember}
	r := partReader{p: p, rank: rank}
	if err := r.inner(p.whole, "request", p.req.Parts, p.req.MinParts); err != nil {
		return err
	}
	for name, i := range rank {
		if !r.taken[name] {
			p.whole.ranks = append(p.whole.ranks, i)
		}
	}
	slices.Sort(p.whole.ranks)
	return nil
}

type partReader struct {
	p     *problem
	rank  map[string]int
	taken map[string]bool
}

// inner reads the parts of a part.
func (r *partReader) inner(outer *part, field string, parts []gang.Part, least int) error {
	outer.leastParts = leastOf(least, len(parts))
	for i := range parts {
		a, err := r.read(outer, fmt.Sprintf("%s.Parts[%d]", field, i), &parts[i])
		if err != nil {
			return err
		}
		outer.parts = append(outer.parts, a)
	}
	return nil
}

// leastOf resolves a minimum of parts: 0 means all, a negative one none.
func leastOf(least, all int) int {
	if least == 0 {
		return all
	}
	return max(0, least)
}

func (r *partReader) read(outer *part, field string, from *gang.Part) (*part, error) {
	a := &part{label: from.Name, called: "part " + from.Name, level: outer.level, bundle: from.NoGroup, abroad: outer.abroad, around: outer, least: from.MinMember}
	if from.Tree != "" {
		if a.abroad = r.p.c.View(from.Tree); a.abroad == nil {
			return nil, muster.Invalid(field+".Tree", from.Tree, "unknown topology")
		}
		if a.abroad == r.p.v {
			a.abroad = nil
		}
	}
	of := r.p.in(a)
	a.gather = r.p.inherited(a)
	if !a.bundle {
		a.level++
		var err error
		if a.gather, err = of.gathering(field+".Gather", from.Gather, a.gather.must); err != nil {
			return nil, err
		}
		if a.multiples = of.multiplesIn(from.Gather); len(a.multiples) > 0 && a.abroad != nil {
			return nil, muster.Unsupported(field+".Gather", from.Tree, "multiples in another topology than the gang's")
		}
	}
	for _, name := range from.Members {
		if i, ok := r.rank[name]; ok {
			a.ranks = append(a.ranks, i)
		}
		if r.taken == nil {
			r.taken = map[string]bool{}
		}
		r.taken[name] = true
	}
	slices.Sort(a.ranks)
	a.idle = a.bundle && len(from.Parts) > 0 && from.MinParts < 0 && from.MinMember == 0 && len(from.Members) == 0
	if len(from.Groups) == 0 {
		return a, r.inner(a, field, from.Parts, from.MinParts)
	}
	if len(from.Groups) > 1 && len(a.ranks)%from.Groups[0].Size != 0 {
		return nil, muster.Unsupported(field+".Groups[0].Size", fmt.Sprint(from.Groups[0].Size), fmt.Sprintf("unequal nested groups, as in a part of %d", len(a.ranks)))
	}
	ranks := a.ranks
	a.ranks = nil
	levels := make([]level, len(from.Groups))
	must := a.gather.must
	for i, g := range from.Groups {
		gather, err := of.gathering(fmt.Sprintf("%s.Groups[%d].Gather", field, i), g.Gather, must)
		if err != nil {
			return nil, err
		}
		levels[i], must = level{size: int64(g.Size), gather: gather}, gather.must
	}
	a.cut(ranks, levels)
	a.leastParts = leastOf(from.MinParts, len(a.parts))
	return a, nil
}

// cut makes groups of consecutive ranks, level by level; the last one may be short.
func (a *part) cut(ranks []int, levels []level) {
	if len(levels) == 0 {
		a.ranks = ranks
		return
	}
	for group := range slices.Chunk(ranks, int(levels[0].size)) {
		b := &part{label: fmt.Sprintf("%s/%d", a.label, len(a.parts)), gather: levels[0].gather, called: fmt.Sprintf("groups of %d", levels[0].size), level: a.level + 1, abroad: a.abroad, around: a}
		b.cut(group, levels[1:])
		a.parts = append(a.parts, b)
	}
	a.leastParts = len(a.parts)
}

// cutByLevels makes parts of the equal groups of a gang whose members are of several shapes; these groups are placed whole.
func cutByLevels(p *problem) {
	ranks := make([]int, len(p.pending)+len(p.running))
	for i := range ranks {
		ranks[i] = i
	}
	p.whole = &part{gather: p.gather, called: p.req.Name, least: p.req.MinMember}
	p.whole.cut(ranks, p.levels)
	if p.whole.least > 0 {
		p.whole.leastParts = 0
	}
	p.levels = nil
}

// places finds where in pending the member of each rank stands; -1: it runs.
func (p *problem) places() []int32 {
	at := slices.Repeat([]int32{-1}, p.ranks)
	for i, m := range p.pending {
		at[m.rank] = int32(i)
	}
	return at
}

// positionsByRank are where members run; -1: they do not.
func (p *problem) positionsByRank() []int32 {
	at := slices.Repeat([]int32{-1}, p.ranks)
	for _, m := range p.running {
		at[m.rank] = m.pos
	}
	return at
}

// groupOf numbers the outermost groups in the order of the request and says in which one each rank is; -1: in none.
func (p *problem) groupOf() []int {
	of, n := slices.Repeat([]int{-1}, p.ranks), 0
	var walk func(a *part)
	walk = func(a *part) {
		for _, b := range a.parts {
			if b.bundle {
				walk(b)
				continue
			}
			for _, rank := range b.all() {
				of[rank] = n
			}
			n++
		}
	}
	walk(p.whole)
	return of
}

// reachedByParts is the worst tier of each level over the groups that have members, these being at positions by rank.
func reachedByParts(p *problem, at []int32) []int32 {
	var out []int32
	p.whole.each(func(a *part) {
		if a.level == 0 || a.bundle {
			return
		}
		if len(out) < a.level {
			out = append(out, 0)
		}
		if x := p.v.LowestOf(a.all(), at); x >= 0 {
			out[a.level-1] = max(out[a.level-1], p.v.TierOf(x))
		}
	})
	return out
}

// hasHardPart says whether any group has a MustGather.
func (p *problem) hasHardPart() (has bool) {
	if p.whole == nil {
		return false
	}
	p.whole.each(func(a *part) { has = has || a.level > 0 && a.inTree() && a.gather.hard })
	return has
}

func comparePartRanks(a, b *part) int { return cmp.Compare(a.first(), b.first()) }
