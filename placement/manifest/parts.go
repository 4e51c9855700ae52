package manifest

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
)

// part is a gang or a group of it as its source describes it: groups may have names, sizes and minima of their own.
// Requests know levels of equal groups of consecutive ranks, so levels has to find these, or say what stands against it.
type part struct {
	rules   []gang.Rule
	members []*member // in rank order; empty where there are parts
	parts   []part
	// need is how many members are needed, 0: all; of parts, 0: as many as they need.
	need int
	// needParts is how many parts are needed, 0: all, negative: none.
	needParts int
	// cut are levels of consecutive groups of the members.
	cut []gang.Groups
}

// What stands in the way of a request, see [muster.ErrNotSupported].
const (
	wantsRoles     = "roles"
	wantsUnequal   = "groups of unequal size"
	wantsMinGroups = "minimum number of groups"
	wantsMinInside = "minimum number of members in a group"
	wantsTrees     = "several topologies in one gang"
)

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

// total counts the members.
func (p *part) total() int {
	n := len(p.members)
	for i := range p.parts {
		n += p.parts[i].total()
	}
	return n
}

// minimum is the least number of members that fulfils all minima; it is above total if members are not known yet.
func (p *part) minimum() int {
	if len(p.parts) == 0 {
		if p.need > 0 {
			return p.need
		}
		return len(p.members)
	}
	least := make([]int, len(p.parts))
	for i := range p.parts {
		least[i] = p.parts[i].minimum()
	}
	slices.Sort(least)
	if p.needParts != 0 && p.needParts < len(least) {
		least = least[:max(0, p.needParts)]
	}
	sum := 0
	for _, n := range least {
		sum += n
	}
	return max(sum, p.need)
}

// needed is minimum for a gang, where members without groups are the gang's own matter.
func (p *part) needed() int {
	if len(p.parts) == 0 {
		return p.need
	}
	return p.minimum()
}

// levels expresses nested parts as levels of equal groups; why is the feature that is missing if that cannot be done.
func (p *part) levels() (levels []gang.Groups, why string) {
	if len(p.parts) == 0 {
		return p.cut, ""
	}
	first := &p.parts[0]
	size := first.total()
	if size == 0 {
		return nil, wantsUnequal
	}
	for i := range p.parts {
		other := &p.parts[i]
		switch {
		case other.total() != size || other.minimum() > size:
			return nil, wantsUnequal
		case other.minimum() < size && len(other.parts) > 0:
			return nil, wantsMinGroups
		case other.minimum() < size:
			return nil, wantsMinInside
		case first.signature() != other.signature():
			return nil, wantsRoles
		}
	}
	inner, why := first.levels()
	for _, level := range inner {
		if size%level.Size != 0 {
			return nil, wantsUnequal
		}
	}
	return append([]gang.Groups{{Size: size, Gather: first.rules}}, inner...), why
}

// signature is equal for parts that can change places: same rules, same nesting, same shapes in any order.
func (p *part) signature() string {
	var shapes, parts []string
	for _, m := range p.members {
		shapes = append(shapes, m.spec.shapeKey())
	}
	slices.Sort(shapes)
	for i := range p.parts {
		parts = append(parts, p.parts[i].signature())
	}
	return fmt.Sprintf("%#v %#v %q %q", p.rules, p.cut, shapes, parts)
}

// sortMembers puts members in rank order: by index, those without one after them in natural order of names.
func sortMembers(members []*member) {
	slices.SortFunc(members, compareMembers)
}
