package limits

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
)

// OnPart is a limit of a gang in parts, or of one of its parts, on a number in every domain of a tier, or on who else is there.
type OnPart struct {
	Name string // as refusals use it, without the part that has it
	Tier int32
	Most int64
	// Depth is 0 if it speaks of members, those of inner parts included; else of the groups so many levels below the part.
	Depth int
	// Of are the groups of which it speaks, numbered in the order of the tree of parts; nil: Depth says that.
	Of []int
	// Alone is the layer, as it is written, in whose domains nobody may be beside those of whom it speaks; empty: it limits their number.
	Alone string
}

// OfGang are those of a gang in parts, or in equal groups that are placed like parts; called is what its parts are.
func OfGang(v *layout.View, req *gang.Request, called string) []OnPart {
	return ofLevels(v, req.Limits, req.Groups, called, true)
}

// OfPart are those of a part, and of the groups that it is cut into. field is the path of the part in the request. The error says which is
// unknown or not supported.
func OfPart(v *layout.View, field string, from *gang.Part) (out []OnPart, err error) {
	if err := checkPart(v, field, from.Limits); err != nil {
		return nil, err
	}
	for i, g := range from.Groups {
		if err := checkPart(v, fmt.Sprintf("%s.Groups[%d]", field, i), g.Limits); err != nil {
			return nil, err
		}
	}
	return ofLevels(v, from.Limits, from.Groups, "parts", false), nil
}

// ofLevels are limits of members and of levels of groups, whose layers are known. whole: the members are all of a gang.
func ofLevels(v *layout.View, members []gang.Limit, groups []gang.Groups, parts string, whole bool) []OnPart {
	out := onPart(v, members, 0, parts, whole)
	for i, g := range groups {
		out = append(out, onPart(v, g.Limits, i+1, fmt.Sprintf("groups of %d", g.Size), whole)...)
	}
	return out
}

// onPart resolves limits of members at depth 0, else of groups. counted is what they count, but members. That all of a gang is alone is no
// limit on parts of it.
func onPart(v *layout.View, list []gang.Limit, depth int, counted string, whole bool) (out []OnPart) {
	for _, l := range list {
		if l.Preferred || l.Kind == gang.Within {
			continue
		}
		tier, _ := v.TierNamed(l.Layer)
		one := OnPart{Name: NameOf(l), Tier: min(tier, v.RootTop-1), Most: int64(max(1, l.Most)), Depth: depth}
		if l.OfParts {
			one.Depth = 1
		}
		if one.Depth > 0 {
			one.Name += " for " + counted
		}
		if l.Kind == gang.Apart || one.Depth > 0 {
			out = append(out, one)
		}
		if l.Kind == gang.Alone && (!whole || l.OfParts) {
			one.Alone = l.Layer
			out = append(out, one)
		}
	}
	return out
}

// checkPart refuses limits of a part, or of its groups, that are not supported.
func checkPart(v *layout.View, field string, list []gang.Limit) error {
	for i, l := range list {
		at := fmt.Sprintf("%s.Limits[%d]", field, i)
		_, known := v.TierNamed(l.Layer)
		switch {
		case !known:
			return v.UnknownLayer(at+".Layer", l.Layer)
		case l.Preferred: // those that can be kept come again as hard ones
			continue
		case l.Kind == gang.Within && !isOne(l):
			return muster.Unsupported(at, NameOf(l), "a part, or its groups, in more than one domain of a layer")
		}
	}
	return nil
}

// ImpliedInside are the rules that the limits on parts imply for each of these.
func ImpliedInside(list []gang.Limit) (rules []gang.Rule) {
	for _, l := range list {
		if l.OfParts {
			rules = Implied(rules, []gang.Limit{l}, true)
		}
	}
	return rules
}
