package member

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// Part is a gang or a group of it as its source describes it: groups may have names, sizes and minima of their own. Groups that are
// equal become the levels of a request, which are planned by sums; others its parts.
type Part struct {
	Name    string
	Tree    string // of the rules, where it is not that of what is around it
	Rules   []gang.Rule
	Limits  []gang.Limit
	Members []*Member // in rank order; empty where there are parts
	Parts   []Part
	// Need is how many members are needed, 0: all; of parts, 0: as many as they need.
	Need int
	// NeedParts is how many parts, or outermost groups that cut makes, are needed, 0: all, negative: none.
	NeedParts int
	// Cut are levels of consecutive groups of the members.
	Cut []gang.Groups

	// AllOf is whose pods are all in the part, such as `task worker`: where too few of them are known a refusal names it. Empty: nobody's.
	AllOf string
	// Bundle is true where the part is no group: it only has minima, or groups that it cuts, of its own.
	Bundle bool
	// Loose are members of the part around them, which stand here for the sake of the order of ranks.
	Loose bool
}

// All lists the members in rank order.
func (p *Part) All() []*Member {
	if len(p.Parts) == 0 {
		return p.Members
	}
	var out []*Member
	for i := range p.Parts {
		out = append(out, p.Parts[i].All()...)
	}
	return out
}

// Minimum is the least number of members that fulfils all minima; it is above the number of members if some are not known yet.
func (p *Part) Minimum() int {
	if len(p.Parts) == 0 {
		if p.Need > 0 {
			return p.Need
		}
		return len(p.Members)
	}
	var least []int
	loose := 0
	for i := range p.Parts {
		if p.Parts[i].Loose {
			loose += len(p.Parts[i].Members)
			continue
		}
		least = append(least, p.Parts[i].Minimum())
	}
	slices.Sort(least)
	if p.NeedParts != 0 && p.NeedParts < len(least) {
		least = least[:max(0, p.NeedParts)]
	}
	sum := 0
	for _, n := range least {
		sum += n
	}
	if p.Need == 0 {
		sum += loose
	}
	return max(sum, p.Need)
}

// Lacking is a part that is needed and has all pods of somebody, and too few of them; nil: there is none.
func (p *Part) Lacking() (first *Part) {
	if p.AllOf != "" && p.Need > len(p.All()) {
		return p
	}
	may := 0 // of the parts may stay out
	if p.NeedParts > 0 {
		may = len(p.Parts) - p.NeedParts
	}
	for i := range p.Parts {
		lacks := p.Parts[i].Lacking()
		if lacks == nil || p.NeedParts < 0 {
			continue
		}
		if first == nil {
			first = lacks
		}
		if may--; may < 0 {
			return first
		}
	}
	return nil
}

// Needed is minimum for a gang, where members without groups are the gang's own matter.
func (p *Part) Needed() int {
	if len(p.Parts) == 0 {
		return p.Need
	}
	return p.Minimum()
}

// levels expresses nested parts as levels of equal groups; ok is false if that cannot be done.
func (p *Part) levels() (levels []gang.Groups, ok bool) {
	if len(p.Parts) == 0 {
		return p.Cut, true
	}
	first, last := &p.Parts[0], &p.Parts[len(p.Parts)-1]
	if first.Bundle || first.Loose {
		return nil, false
	}
	size, signature := len(first.All()), first.signature()
	for i := range p.Parts {
		other := &p.Parts[i]
		switch n := len(other.All()); {
		case other.Bundle || other.Loose || other.Tree != "" || n == 0 || other.Minimum() != n:
			return nil, false
		case other == last && n < size && first.isShortened(other):
		case n != size || other.signature() != signature:
			return nil, false
		}
	}
	inner, ok := first.levels()
	for _, level := range inner {
		ok = ok && size%level.Size == 0
	}
	return append([]gang.Groups{{Size: size, Gather: first.Rules, Limits: first.Limits}}, inner...), ok
}

// isShortened says whether the other part is one like this, but with fewer members, all of the same shape.
func (p *Part) isShortened(other *Part) bool {
	if len(p.Parts)+len(other.Parts)+len(p.Cut)+len(other.Cut) > 0 || !slices.Equal(p.Rules, other.Rules) || !slices.Equal(p.Limits, other.Limits) {
		return false
	}
	shape := p.Members[0].Spec.ShapeKey()
	return !slices.ContainsFunc(slices.Concat(p.Members, other.Members), func(m *Member) bool { return m.Spec.ShapeKey() != shape })
}

// signature is equal for parts that can change places: same rules, same nesting, same shapes in any order.
func (p *Part) signature() string {
	shapes := map[string]int{}
	for _, m := range p.Members {
		shapes[m.Spec.ShapeKey()]++
	}
	parts := make([]string, len(p.Parts))
	for i := range p.Parts {
		parts[i] = p.Parts[i].signature()
	}
	return fmt.Sprintf("%q %#v %#v %#v %d %v %q", p.Tree, p.Rules, p.Limits, p.Cut, p.Minimum(), shapes, parts)
}

// Join makes bundles of groups, and loose members, those of a gang. Where that says the same the groups stand side by side.
func Join(parts []Part) Part {
	whole, flat := Part{Parts: parts}, Part{}
	bundles, alike := 0, true
	for i, p := range parts {
		if p.Loose {
			flat.Parts = append(flat.Parts, p)
			continue
		}
		alike = alike && p.Need == 0 && (bundles == 0 || p.NeedParts <= 0 && p.NeedParts == flat.NeedParts)
		flat.Parts, flat.NeedParts = append(flat.Parts, parts[i].Parts...), p.NeedParts
		bundles++
	}
	if alike {
		return flat
	}
	return whole
}

// CutUp makes the groups that are cut of a gang parts, unless they, or those of the gang once so many members more are known, are equal.
func (p *Part) CutUp(more int) {
	if len(p.Cut) < 2 || nests(p.Cut, len(p.Members)) || nests(p.Cut, len(p.Members)+more) {
		return
	}
	p.Parts = chunks("group", p.Members, p.Cut)
	p.Members, p.Cut = nil, nil
}

// partNames gives every part a name of its own.
type partNames map[string]bool

func (names partNames) unique(name string) string {
	free := name
	for n := 2; names[free]; n++ {
		free = fmt.Sprintf("%s (%d)", name, n)
	}
	names[free] = true
	return free
}

// Group gives a request the groups of a gang.
func (p *Part) Group(q *gang.Request) {
	levels, equal := p.levels()
	if equal {
		q.Groups = mergeLevels(levels)
		return
	}
	if q.Parts = p.inner(partNames{}); len(q.Parts) > 0 {
		q.MinParts = p.NeedParts
	}
}

// inner are the parts of a request; those that are loose are in none.
func (p *Part) inner(names partNames) []gang.Part {
	var out []gang.Part
	for i := range p.Parts {
		if !p.Parts[i].Loose {
			out = append(out, p.Parts[i].request(names))
		}
	}
	return out
}

// request is the part as one of a request.
func (p *Part) request(names partNames) gang.Part {
	out := gang.Part{
		Name: names.unique(p.Name), Tree: p.Tree, Gather: p.Rules, Limits: p.Limits, MinMember: p.Need, MinParts: p.NeedParts, NoGroup: p.Bundle,
	}
	out.Parts = p.inner(names)
	for i := range p.Parts {
		if p.Parts[i].Loose {
			out.Members = append(out.Members, memberNames(p.Parts[i].Members)...)
		}
	}
	switch cut := mergeLevels(p.Cut); {
	case len(cut) > 1 && !nests(cut, len(p.Members)):
		inner := Part{Parts: chunks(p.Name, p.Members, cut)}
		out.Parts = inner.inner(names)
	default:
		out.Groups, out.Members = cut, append(out.Members, memberNames(p.Members)...)
	}
	if len(p.Parts) == 0 && p.NeedParts == 0 && out.MinMember == len(p.Members) {
		out.MinMember = 0 // all
	}
	return out
}

// nests says whether so many members can be cut into the levels without a rest.
func nests(cut []gang.Groups, members int) bool {
	for i := len(cut) - 1; i >= 0; i-- {
		around := members
		if i > 0 {
			around = cut[i-1].Size
		}
		if around%cut[i].Size != 0 {
			return false
		}
	}
	return true
}

// chunks cuts members into nested groups, of which the last at any place may be short.
func chunks(name string, members []*Member, cut []gang.Groups) []Part {
	if len(cut) == 0 {
		return nil
	}
	var out []Part
	for chunk := range slices.Chunk(members, cut[0].Size) {
		p := Part{Name: fmt.Sprintf("%s/%d", name, len(out)), Rules: cut[0].Gather, Limits: cut[0].Limits}
		if p.Parts = chunks(p.Name, chunk, cut[1:]); len(p.Parts) == 0 {
			p.Members = chunk
		}
		out = append(out, p)
	}
	return out
}

// Unique drops rules, or limits, that say the same twice.
func Unique[R comparable](rules []R) []R {
	var out []R
	for _, rule := range rules {
		if !slices.Contains(out, rule) {
			out = append(out, rule)
		}
	}
	return out
}

// mergeLevels joins levels of one size: their groups are the same, so both rules hold for them.
func mergeLevels(levels []gang.Groups) []gang.Groups {
	var out []gang.Groups
	for _, level := range levels {
		if n := len(out); n > 0 && out[n-1].Size == level.Size {
			out[n-1].Gather = Unique(slices.Concat(out[n-1].Gather, level.Gather))
			out[n-1].Limits = Unique(slices.Concat(out[n-1].Limits, level.Limits))
			continue
		}
		out = append(out, level)
	}
	return out
}

// Whole makes the part a group that runs with so many members or more, and with all that are known.
func (p Part) Whole(size int) Part {
	if runs := slices.ContainsFunc(p.Members, func(m *Member) bool { return m.Node != "" }); !runs && size > len(p.Members) {
		p.Need = size
	}
	return p
}

// Fit drops groups that are larger than the gang: one group of all members says the same.
func Fit(cut []gang.Groups, members int) []gang.Groups {
	if members == 0 {
		return nil
	}
	out := make([]gang.Groups, 0, len(cut))
	for _, level := range cut {
		level.Size = min(level.Size, members)
		out = append(out, level)
	}
	return out
}
