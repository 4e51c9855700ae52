package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// part is a gang or a group of it as its source describes it: groups may have names, sizes and minima of their own. Groups that are
// equal become the levels of a request, which are planned by sums; others its parts.
type part struct {
	name    string
	tree    string // of the rules, where it is not that of what is around it
	rules   []gang.Rule
	limits  []gang.Limit
	members []*member // in rank order; empty where there are parts
	parts   []part
	// need is how many members are needed, 0: all; of parts, 0: as many as they need.
	need int
	// needParts is how many parts, or outermost groups that cut makes, are needed, 0: all, negative: none.
	needParts int
	// cut are levels of consecutive groups of the members.
	cut []gang.Groups

	// allOf is whose pods are all in the part, such as `task worker`: where too few of them are known a refusal names it. Empty: nobody's.
	allOf string
	// bundle is true where the part is no group: it only has minima, or groups that it cuts, of its own.
	bundle bool
	// loose are members of the part around them, which stand here for the sake of the order of ranks.
	loose bool
}

// all lists the members in rank order.
func (p *part) all() []*member {
	if len(p.parts) == 0 {
		return p.members
	}
	var out []*member
	for i := range p.parts {
		out = append(out, p.parts[i].all()...)
	}
	return out
}

// minimum is the least number of members that fulfils all minima; it is above the number of members if some are not known yet.
func (p *part) minimum() int {
	if len(p.parts) == 0 {
		if p.need > 0 {
			return p.need
		}
		return len(p.members)
	}
	var least []int
	loose := 0
	for i := range p.parts {
		if p.parts[i].loose {
			loose += len(p.parts[i].members)
			continue
		}
		least = append(least, p.parts[i].minimum())
	}
	slices.Sort(least)
	if p.needParts != 0 && p.needParts < len(least) {
		least = least[:max(0, p.needParts)]
	}
	sum := 0
	for _, n := range least {
		sum += n
	}
	if p.need == 0 {
		sum += loose
	}
	return max(sum, p.need)
}

// lacking is a part that is needed and has all pods of somebody, and too few of them; nil: there is none.
func (p *part) lacking() (first *part) {
	if p.allOf != "" && p.need > len(p.all()) {
		return p
	}
	may := 0 // of the parts may stay out
	if p.needParts > 0 {
		may = len(p.parts) - p.needParts
	}
	for i := range p.parts {
		lacks := p.parts[i].lacking()
		if lacks == nil || p.needParts < 0 {
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

// needed is minimum for a gang, where members without groups are the gang's own matter.
func (p *part) needed() int {
	if len(p.parts) == 0 {
		return p.need
	}
	return p.minimum()
}

// levels expresses nested parts as levels of equal groups; ok is false if that cannot be done.
func (p *part) levels() (levels []gang.Groups, ok bool) {
	if len(p.parts) == 0 {
		return p.cut, true
	}
	first, last := &p.parts[0], &p.parts[len(p.parts)-1]
	if first.bundle || first.loose {
		return nil, false
	}
	size, signature := len(first.all()), first.signature()
	for i := range p.parts {
		other := &p.parts[i]
		switch n := len(other.all()); {
		case other.bundle || other.loose || other.tree != "" || n == 0 || other.minimum() != n:
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
	return append([]gang.Groups{{Size: size, Gather: first.rules, Limits: first.limits}}, inner...), ok
}

// isShortened says whether the other part is one like this, but with fewer members, all of the same shape.
func (p *part) isShortened(other *part) bool {
	if len(p.parts)+len(other.parts)+len(p.cut)+len(other.cut) > 0 || !slices.Equal(p.rules, other.rules) || !slices.Equal(p.limits, other.limits) {
		return false
	}
	shape := p.members[0].spec.shapeKey()
	return !slices.ContainsFunc(slices.Concat(p.members, other.members), func(m *member) bool { return m.spec.shapeKey() != shape })
}

// signature is equal for parts that can change places: same rules, same nesting, same shapes in any order.
func (p *part) signature() string {
	shapes := map[string]int{}
	for _, m := range p.members {
		shapes[m.spec.shapeKey()]++
	}
	parts := make([]string, len(p.parts))
	for i := range p.parts {
		parts[i] = p.parts[i].signature()
	}
	return fmt.Sprintf("%q %#v %#v %#v %d %v %q", p.tree, p.rules, p.limits, p.cut, p.minimum(), shapes, parts)
}

// join makes bundles of groups, and loose members, those of a gang. Where that says the same the groups stand side by side.
func join(parts []part) part {
	whole, flat := part{parts: parts}, part{}
	bundles, alike := 0, true
	for i, p := range parts {
		if p.loose {
			flat.parts = append(flat.parts, p)
			continue
		}
		alike = alike && p.need == 0 && (bundles == 0 || p.needParts <= 0 && p.needParts == flat.needParts)
		flat.parts, flat.needParts = append(flat.parts, parts[i].parts...), p.needParts
		bundles++
	}
	if alike {
		return flat
	}
	return whole
}

// cutUp makes the groups that are cut of a gang parts, unless they, or those of the gang once so many members more are known, are equal.
func (p *part) cutUp(more int) {
	if len(p.cut) < 2 || nests(p.cut, len(p.members)) || nests(p.cut, len(p.members)+more) {
		return
	}
	p.parts = chunks("group", p.members, p.cut)
	p.members, p.cut = nil, nil
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

// group gives a request the groups of a gang.
func (p *part) group(q *gang.Request) {
	levels, equal := p.levels()
	if equal {
		q.Groups = mergeLevels(levels)
		return
	}
	if q.Parts = p.inner(partNames{}); len(q.Parts) > 0 {
		q.MinParts = p.needParts
	}
}

// inner are the parts of a request; those that are loose are in none.
func (p *part) inner(names partNames) []gang.Part {
	var out []gang.Part
	for i := range p.parts {
		if !p.parts[i].loose {
			out = append(out, p.parts[i].request(names))
		}
	}
	return out
}

// request is the part as one of a request.
func (p *part) request(names partNames) gang.Part {
	out := gang.Part{
		Name: names.unique(p.name), Tree: p.tree, Gather: p.rules, Limits: p.limits, MinMember: p.need, MinParts: p.needParts, NoGroup: p.bundle,
	}
	out.Parts = p.inner(names)
	for i := range p.parts {
		if p.parts[i].loose {
			out.Members = append(out.Members, memberNames(p.parts[i].members)...)
		}
	}
	switch cut := mergeLevels(p.cut); {
	case len(cut) > 1 && !nests(cut, len(p.members)):
		inner := part{parts: chunks(p.name, p.members, cut)}
		out.Parts = inner.inner(names)
	default:
		out.Groups, out.Members = cut, append(out.Members, memberNames(p.members)...)
	}
	if len(p.parts) == 0 && p.needParts == 0 && out.MinMember == len(p.members) {
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
func chunks(name string, members []*member, cut []gang.Groups) []part {
	if len(cut) == 0 {
		return nil
	}
	var out []part
	for chunk := range slices.Chunk(members, cut[0].Size) {
		p := part{name: fmt.Sprintf("%s/%d", name, len(out)), rules: cut[0].Gather, limits: cut[0].Limits}
		if p.parts = chunks(p.name, chunk, cut[1:]); len(p.parts) == 0 {
			p.members = chunk
		}
		out = append(out, p)
	}
	return out
}

// unique drops rules, or limits, that say the same twice.
func unique[R comparable](rules []R) []R {
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
			out[n-1].Gather = unique(slices.Concat(out[n-1].Gather, level.Gather))
			out[n-1].Limits = unique(slices.Concat(out[n-1].Limits, level.Limits))
			continue
		}
		out = append(out, level)
	}
	return out
}

// whole makes the part a group that runs with so many members or more, and with all that are known.
func (p part) whole(size int) part {
	if runs := slices.ContainsFunc(p.members, func(m *member) bool { return m.node != "" }); !runs && size > len(p.members) {
		p.need = size
	}
	return p
}

// fit drops groups that are larger than the gang: one group of all members says the same.
func fit(cut []gang.Groups, members int) []gang.Groups {
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
