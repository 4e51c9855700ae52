package gang

import "fmt"

// Limit is a rule that stands beside gathering: members keep apart, are alone, or use few domains of a layer. A gang or group that has
// one satisfies it with all its members, running ones included; where the limit is Preferred it does so if that costs no member and no victim.
type Limit struct {
	// Layer is the name of a layer, or a tier, as in [Rule].
	Layer string
	// Kind says what is limited.
	Kind LimitKind
	// Most is how many members, groups or domains there may be at most, at least 1. [Alone] has none.
	Most int
	// OfParts: the limit counts the parts right inside the gang or part that has it, as one of a level of groups counts groups: each lies within
	// one domain of the layer. Those of a part with NoGroup count in what surrounds it.
	OfParts bool
	// Preferred: the limit is kept where it can be, and comes before the tier. It closes nothing to others.
	Preferred bool
}

// LimitKind is what a [Limit] limits.
type LimitKind string

const (
	// Apart says that no domain of the layer holds more than Most members of the gang or part; of a level of groups, more than Most groups, each of
	// which then lies within one domain of the layer.
	Apart LimitKind = "Apart"
	// Alone says of a gang that no member of another gang is in a domain of the layer that the gang uses. Of a level of groups: nor is a member of
	// another group, and each group lies within one domain of the layer. Of a part: nor is anybody else of the gang. While the members run,
	// their domains stay closed to other gangs.
	Alone LimitKind = "Alone"
	// Within says that the members of the gang or part lie in at most Most domains of the layer. A group may lie in several of these unless a rule of
	// its own keeps it together. 1 is a MustGather; more than 1 is not for levels of groups.
	Within LimitKind = "Within"
)

// checkLimits checks the limits of one gang, part or level of groups, with or without parts in it. A layer may have one of each kind.
func checkLimits(d *defects, field string, limits []Limit, parts bool) {
	for i, l := range limits {
		add := func(name string, value any, reason string) {
			d.add(fmt.Sprintf("%s[%d].%s", field, i, name), value, reason)
		}
		if l.Layer == "" {
			add("Layer", "", "a limit names no layer")
		}
		switch l.Kind {
		case Apart, Within:
			if l.Most < 1 {
				add("Most", l.Most, "below 1")
			}
		case Alone:
			if l.Most != 0 {
				add("Most", l.Most, "a limit of kind Alone has none")
			}
		default:
			add("Kind", l.Kind, "unknown kind")
		}
		switch {
		case l.OfParts && l.Kind == Within:
			add("OfParts", l.OfParts, "a limit of kind Within counts no parts")
		case l.OfParts && !parts:
			add("OfParts", l.OfParts, "there are no Parts")
		}
		for _, before := range limits[:i] {
			if before.Layer == l.Layer && before.Kind == l.Kind && before.OfParts == l.OfParts {
				add("Layer", l.Layer, "a second "+string(l.Kind)+" for one layer")
				break
			}
		}
	}
}
