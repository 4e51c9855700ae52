package validity

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// Division is a gang, a part of it, or one of the equal groups that a part is cut into.
type Division struct {
	// Name is that of the part; cut groups have that of the part and their place among its groups, the gang has none.
	Name string
	// Group holds for what has a tier of its own: no gang, and no part that only bundles.
	Group bool
	// Level is how many groups there are from the outermost to this one; of what is no group, to the one around it.
	Level int
	// Tree names the topology of the rules.
	Tree  string
	Rules []gang.Rule
	// Members are all in it by rank, those known; Own those that are in no inner division.
	Members, Own []string
	Inner        []*Division
	// Limits are those of the gang or part, CutLimits those of the levels of equal groups that it is cut into. What they imply is among
	// the rules.
	Limits    []gang.Limit
	CutLimits [][]gang.Limit
	// MinMember is how many members must be there, if it is; 0: all of its own. MinParts is how many of the inner divisions must be, none
	// if it is negative.
	MinMember, MinParts int
	// Optional holds for a bundle of which nothing is needed: it counts as placed in any case.
	Optional bool

	already map[string]bool // of the gang, the members that run
}

// divider makes divisions of the members that are known.
type divider struct {
	ranks   map[string]int
	parted  map[string]bool            // members in parts
	already map[string]bool            // members that run
	ofParts map[*Division][]gang.Limit // that count the groups right inside
}

// Divide says how a gang is divided into parts, or into equal groups.
func Divide(req *gang.Request, own []cluster.Running) *Division {
	d := &divider{ranks: Ranks(req, own), parted: map[string]bool{}, already: map[string]bool{}, ofParts: map[*Division][]gang.Limit{}}
	for _, r := range own {
		d.already[r.Member] = true
	}
	root := &Division{Tree: req.Tree, Rules: withImplied(req.Gather, req.Limits, false), Limits: req.Limits, MinMember: req.MinMember, already: d.already}
	d.ofParts[root] = ofParts(req.Limits)
	d.addParts(root, req.Parts, req.MinParts)
	var rest []string
	for name := range d.ranks {
		if !d.parted[name] {
			rest = append(rest, name)
		}
	}
	root.Own = d.known(rest)
	least := 0
	if req.MinMember > 0 {
		least = -1
	}
	d.cut(root, Levels(req, len(d.ranks)), least)
	root.Members = d.byRank(append(root.Members, root.Own...))
	return root
}

// known are those of the names that members have, by rank.
func (d *divider) known(names []string) []string {
	return d.byRank(slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := d.ranks[name]
		return !ok
	}))
}

func (d *divider) byRank(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(d.ranks[a], d.ranks[b]) })
	return names
}

// addParts adds inner parts, of which so many must be there: 0 means all, below none.
func (d *divider) addParts(around *Division, parts []gang.Part, least int) {
	around.MinParts = least
	for i := range parts {
		p := &parts[i]
		v := &Division{Name: p.Name, Group: !p.NoGroup, Level: around.Level, Tree: cmp.Or(p.Tree, around.Tree), Rules: withImplied(p.Gather, p.Limits, false), Limits: p.Limits, MinMember: p.MinMember, Own: d.known(p.Members), already: d.already}
		if v.Group {
			v.Rules = withImplied(v.Rules, d.ofParts[around], true)
			v.Level++
		}
		v.Optional = p.NoGroup && len(p.Parts) > 0 && p.MinParts < 0 && p.MinMember == 0 && len(p.Members) == 0
		for _, name := range p.Members {
			d.parted[name] = true
		}
		if d.ofParts[v] = d.ofParts[around]; v.Group {
			d.ofParts[v] = ofParts(p.Limits)
		}
		d.addParts(v, p.Parts, p.MinParts)
		d.cut(v, p.Groups, p.MinParts)
		v.Members = d.byRank(append(v.Members, v.Own...))
		around.Inner = append(around.Inner, v)
		around.Members = append(around.Members, v.Members...)
	}
	if around.MinParts == 0 {
		around.MinParts = len(parts)
	}
}

// cut makes groups of what is a division's own.
func (d *divider) cut(v *Division, levels []gang.Groups, least int) {
	if len(levels) == 0 {
		return
	}
	v.CutLimits = levelLimits(levels)
	rules := withImplied(levels[0].Gather, levels[0].Limits, true)
	if !v.Group {
		rules = withImplied(rules, d.ofParts[v], true)
	}
	for members := range slices.Chunk(v.Own, levels[0].Size) {
		g := &Division{
			Name: fmt.Sprintf("%s/%d", v.Name, len(v.Inner)), Group: true, Level: v.Level + 1, Tree: v.Tree, Rules: rules, Own: members, already: d.already,
		}
		d.cut(g, levels[1:], 0)
		g.Members = d.byRank(append(g.Members, g.Own...))
		v.Inner = append(v.Inner, g)
		v.Members = append(v.Members, g.Members...)
	}
	v.Own, v.MinParts = nil, cmp.Or(least, len(v.Inner))
}

// withImplied are rules with those that limits imply: what is counted as a group lies in one domain of the layer, and at most one domain is
// what a MustGather says.
func withImplied(rules []gang.Rule, limits []gang.Limit, groups bool) []gang.Rule {
	out := slices.Clone(rules)
	for _, l := range limits {
		if !l.Preferred && (groups || l.Kind == gang.Within && l.Most == 1) {
			out = append(out, gang.Rule{Layer: l.Layer, Strength: gang.MustGather})
		}
	}
	return out
}

// ofParts are the limits that count parts, ofMembers those that do not.
func ofParts(limits []gang.Limit) []gang.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l gang.Limit) bool { return !l.OfParts })
}

func ofMembers(limits []gang.Limit) []gang.Limit {
	return slices.DeleteFunc(slices.Clone(limits), func(l gang.Limit) bool { return l.OfParts })
}

// Below lists the groups so many levels below; a bundle is no level.
func (v *Division) Below(levels int) (out []*Division) {
	for _, inner := range v.Inner {
		switch {
		case !inner.Group:
			out = append(out, inner.Below(levels)...)
		case levels == 1:
			out = append(out, inner)
		default:
			out = append(out, inner.Below(levels-1)...)
		}
	}
	return out
}

// All lists the division and those in it, each before its inner ones.
func (v *Division) All() []*Division {
	out := []*Division{v}
	for _, inner := range v.Inner {
		out = append(out, inner.All()...)
	}
	return out
}

// Groups lists the groups of a level in the order of the request.
func (v *Division) Groups(level int) []*Division {
	return slices.DeleteFunc(v.All(), func(g *Division) bool { return !g.Group || g.Level != level })
}

// Depth is the highest level of any group.
func (v *Division) Depth() int {
	depth := 0
	for _, g := range v.All() {
		if g.Group {
			depth = max(depth, g.Level)
		}
	}
	return depth
}

// Lacks says what rule is broken if of the division these new members run and those that run already; empty if none is. Of some of its own
// members the lowest ranks come first, or any may be there.
func (v *Division) Lacks(placed []string, anybody bool) string {
	fresh := func(name string) bool { return slices.Contains(placed, name) }
	there := func(name string) bool { return v.already[name] || fresh(name) }
	count := func(names []string, of func(string) bool) (n int) {
		for _, name := range names {
			if of(name) {
				n++
			}
		}
		return n
	}
	n := count(v.Members, there)
	switch {
	case v.MinMember == 0 && count(v.Own, there) < len(v.Own):
		return fmt.Sprintf("%q has %d of its own %d members", v.Name, count(v.Own, there), len(v.Own))
	case n < v.MinMember:
		return fmt.Sprintf("%q has %d members, at least %d are needed", v.Name, n, v.MinMember)
	}
	out := false
	for _, name := range v.Own {
		if out = out || !there(name) && !anybody; out && fresh(name) {
			return fmt.Sprintf("%q has %s and not one of a lower rank", v.Name, name)
		}
	}
	parts := 0
	for _, inner := range v.Inner {
		some := count(inner.Members, there) > 0
		if some || inner.Optional {
			parts++
		}
		if !some {
			continue
		}
		if why := inner.Lacks(placed, anybody); why != "" {
			return why
		}
	}
	if parts < v.MinParts {
		return fmt.Sprintf("%q has %d of its parts, at least %d are needed", v.Name, parts, v.MinParts)
	}
	return ""
}

// Selections iterates over the sets of these new members, by rank, with which the gang may run; anybody is as in Lacks. O(2^members).
func (v *Division) Selections(fresh []string, anybody bool) iter.Seq[[]string] {
	fresh = slices.SortedFunc(slices.Values(fresh), func(a, b string) int { return slices.Index(v.Members, a) - slices.Index(v.Members, b) })
	return func(yield func([]string) bool) {
		for bits := 1; bits < 1<<len(fresh); bits++ {
			var set []string
			for i, name := range fresh {
				if bits>>i&1 == 1 {
					set = append(set, name)
				}
			}
			if v.Lacks(set, anybody) == "" && !yield(set) {
				return
			}
		}
	}
}

// Leasts are the selections of which nothing can be left out, those with the fewest members first.
func (v *Division) Leasts(fresh []string, anybody bool) [][]string {
	all := slices.SortedStableFunc(v.Selections(fresh, anybody), func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	var out [][]string
	for _, set := range all {
		more := func(less []string) bool {
			return !slices.ContainsFunc(less, func(name string) bool { return !slices.Contains(set, name) })
		}
		if !slices.ContainsFunc(out, more) {
			out = append(out, set)
		}
	}
	return out
}
