package gang

import "fmt"

// Part is a named part of a gang: a role, a replica, a partition. Parts nest, and may differ in size, shapes and rules. A part is a
// group: of each nesting level the worst tier over all parts is what the strategy minimises, outermost level first. It is placed
// with all that it needs, or not at all. Parts of one shape that have equally many members of consecutive ranks and the same rules are planned as
// the equal groups that they are ([Groups]), at the cost of these.
type Part struct {
	// Name is unique in the gang; it is for errors.
	Name string
	// Members are the members that are in this part and in no inner one, by name, those included that run. Their order means nothing:
	// ranks are those of the gang. A name that no member has is one that is not known yet.
	Members []string
	// Groups are nested levels of equal groups of consecutive members of this part, outermost first, as in [Request]; with them a part
	// has no inner parts. A last group that is short may be one of a single level only.
	Groups []Groups
	// Parts are inner ones.
	Parts []Part
	// MinMember is how many members of the part, those of inner parts included, must run together once it is placed. 0: all of its
	// own, and of inner parts what they and MinParts say. Else its own members may stay out, those of the highest ranks first; where
	// the lowest ranks leave too few, any of them.
	MinMember int
	// MinParts is how many of the inner parts, or of the outermost groups, must be placed. 0: all, negative: none.
	MinParts int
	// Tree names the topology that the rules of this part, of its groups and of the parts in it speak of. Empty: that of what surrounds it, the
	// gang's in the end.
	Tree string
	// Gather are the rules of the part. Multiples count all members of the part, those of inner parts included.
	Gather []Rule
	// Limits are those of the part. They count its members, those of inner parts included.
	Limits []Limit
	// NoGroup: the part is no group. It only bundles what MinMember and MinParts speak of, and has no rules; its inner parts, groups and
	// members are as good as those of what surrounds it. One of which nothing is needed, that is with inner parts, a negative MinParts,
	// no MinMember and no members of its own, counts as placed in any case.
	NoGroup bool
}

// checkParts reports what is wrong with parts.
func (r *Request) checkParts(d *defects) {
	if len(r.Parts) == 0 {
		if r.MinParts != 0 {
			d.add("request.MinParts", r.MinParts, "there are no Parts")
		}
		return
	}
	if len(r.Groups) > 0 || r.PP != 0 || r.DP != 0 {
		d.add("request.Parts", r.Parts[0].Name, "exclude Groups, PP and DP of the gang")
	}
	c := partChecker{defects: d, parts: map[string]string{}, members: map[string]string{}}
	checkMinParts(d, "request", r.MinParts, len(r.Parts))
	for i := range r.Parts {
		c.check(fmt.Sprintf("request.Parts[%d]", i), &r.Parts[i])
	}
}

// partChecker checks parts of all depths, whose names are unique in the gang.
type partChecker struct {
	defects        *defects
	parts, members map[string]string // where the name was first seen, by name
}

func (c *partChecker) check(at string, p *Part) {
	if p.Name == "" {
		c.defects.add(at+".Name", "", "a part has no name")
	} else if first, ok := c.parts[p.Name]; ok {
		c.defects.add(at+".Name", p.Name, "duplicate name, of "+first+" too")
	} else {
		c.parts[p.Name] = at
	}
	for i, name := range p.Members {
		field := fmt.Sprintf("%s.Members[%d]", at, i)
		if first, ok := c.members[name]; ok {
			c.defects.add(field, name, "is named by "+first+" too")
		} else {
			c.members[name] = field
		}
	}
	if p.MinMember < 0 {
		c.defects.add(at+".MinMember", p.MinMember, "negative")
	}
	if p.NoGroup && len(p.Gather) > 0 {
		c.defects.add(at+".Gather", p.Gather[0].Layer, "a part with NoGroup has no rules")
	}
	if p.NoGroup && len(p.Limits) > 0 {
		c.defects.add(at+".Limits", p.Limits[0].Layer, "a part with NoGroup has no rules")
	}
	if len(p.Groups) > 0 && len(p.Parts) > 0 {
		c.defects.add(at+".Groups", p.Groups[0].Size, "exclude inner Parts")
	}
	checkRules(c.defects, at+".Gather", p.Gather, true)
	checkLimits(c.defects, at+".Limits", p.Limits, len(p.Parts) > 0)
	checkLevels(c.defects, at+".Groups", p.Groups)
	if len(p.Groups) == 0 {
		checkMinParts(c.defects, at, p.MinParts, len(p.Parts))
	}
	for i := range p.Parts {
		c.check(fmt.Sprintf("%s.Parts[%d]", at, i), &p.Parts[i])
	}
}

func checkMinParts(d *defects, at string, least, parts int) {
	if least > parts {
		d.add(at+".MinParts", least, fmt.Sprintf("above the number of parts, %d", parts))
	}
}
