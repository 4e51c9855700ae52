package limits

import (
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
)

// OnPart is a limit of a gang in parts, or of one part: on a number in each domain of a tier, or on company there.
type OnPart struct {
	Name string // in refusals, without its part
	Tier int32
	Most int64
	// Depth 0 counts members, with those of inner parts; n counts the groups n levels below the part.
	Depth int
	// Of are the numbers of the counted groups, in the order of the tree of parts; nil: Depth says which.
	Of []int
	// Domains: the limit is on the number of domains of the tier that the part's members lie in.
	Domains bool
	// Alone is the layer whose domains this part has to itself; empty: the limit is on a number.
	Alone string
}

// OfGang are the limits of a gang in parts, or in equal groups planned as parts. called is the word for its parts.
func OfGang(v *layout.View, req *gang.Request, called string) []OnPart {
	return ofLevels(v, req.Limits, req.Groups, called, true)
}

// OfPart are the limits of a part and of its groups. field is the path of the part in the request. The error names an unknown layer, or a
// limit without support.
func OfPart(v *layout.View, field string, from *gang.Part) (out []OnPart, err error) {
	if err := checkPart(v, field, from.Limits, false); err != nil {
		return nil, err
	}
	for i, g := range from.Groups {
		if err := checkPart(v, fmt.Sprintf("%s.Groups[%d]", field, i), g.Limits, true); err != nil {
			return nil, err
		}
	}
	return ofLevels(v, from.Limits, from.Groups, "parts", false), nil
}

// ofLevels resolves the limits of members and of levels of groups. ofGang: they are the gang's own.
func ofLevels(v *layout.View, members []gang.Limit, groups []gang.Groups, parts string, ofGang bool) []OnPart {
	out := onPart(v, members, 0, parts, ofGang)
	for i, g := range groups {
		out = append(out, onPart(v, g.Limits, i+1, fmt.Sprintf("groups of %d", g.Size), ofGang)...)
	}
	return out
}

// onPart resolves limits on members (depth 0) or groups. counted is the word for the groups. An Alone of the whole gang is none of its
// parts': it binds nodes, see [Neighbors].
func onPart(v *layout.View, list []gang.Limit, depth int, counted string, ofGang bool) (out []OnPart) {
	for _, l := range list {
		if l.Preferred || countsDomains(l) && (ofGang || isOne(l) || depth > 0) {
			continue // those of a gang stand in Limits
		}
		tier, _ := v.TierNamed(l.Layer)
		one := OnPart{Name: nameOf(l), Tier: min(tier, v.RootTop-1), Depth: depth, Domains: countsDomains(l)}
		if l.OfParts {
			one.Depth = 1
		}
		if one.Depth > 0 {
			one.Name += " for " + counted
		}
		if one.Most = most(l, one.Depth > 0); one.Domains {
			one.Most = int64(l.Most)
		}
		if one.Most > 0 {
			out = append(out, one)
		}
		if kinds[l.Kind].alone && (!ofGang || l.OfParts) {
			one.Most = 1
			one.Alone = l.Layer
			out = append(out, one)
		}
	}
	return out
}

// checkPart refuses unknown layers, and a Within of several domains for groups.
func checkPart(v *layout.View, field string, list []gang.Limit, groups bool) error {
	for i, l := range list {
		at := fmt.Sprintf("%s.Limits[%d]", field, i)
		_, known := v.TierNamed(l.Layer)
		switch {
		case !known:
			return v.UnknownLayer(at+".Layer", l.Layer)
		case l.Preferred: // once kept, it comes again as a hard one
			continue
		case groups && countsDomains(l) && !isOne(l):
			return muster.Unsupported(at, nameOf(l), "groups in more than one domain of a layer")
		}
	}
	return nil
}

// ImpliedInside are the rules for each part that limits of parts imply.
func ImpliedInside(list []gang.Limit) (rules []gang.Rule) {
	for _, l := range list {
		if l.OfParts {
			rules = Implied(rules, []gang.Limit{l}, true)
		}
	}
	return rules
}
