package requests

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// Rules reads a podset's own rule and its slices, in the topology of the gang.
func (t Topology) Rules(in *trees.Lookup) (rules []gang.Rule, cut []gang.Groups) {
	given := 0
	for _, is := range []bool{t.Required.Text() != "", t.Preferred.Text() != "", On(t.Unconstrained)} {
		if is {
			given++
		}
	}
	if given > 1 {
		t.Required.Fail("only one of required, preferred and unconstrained")
		return nil, nil
	}
	rules = append(in.Must(t.Required, ""), in.Prefer(t.Preferred, "")...)
	bound := -1 // the tier that slices must not be above
	for _, f := range []object.Field{t.Required, t.Preferred} {
		if f.Present() {
			if l, ok := in.Layer(f, ""); ok {
				bound = l.Tier
			}
		}
	}
	if t.Constraints.Present() && t.SliceLevel.Present() {
		t.Constraints.Fail("excludes a slice level and size of its own")
	}
	if t.SliceLevel.Present() || t.SliceSize.Present() {
		cut = slice(in, cut, t.SliceLevel, t.SliceSize, &bound, false)
	}
	for c := range t.Constraints.All() {
		c = c.Mapping()
		cut = slice(in, cut, c.Get("topology"), c.Get("size"), &bound, len(cut) > 0)
	}
	return rules, cut
}

// slice appends one level of slices. Levels must not rise above bound, or, inside other slices, go strictly down.
func slice(in *trees.Lookup, cut []gang.Groups, level, size object.Field, bound *int, inside bool) []gang.Groups {
	level.Required()
	if !size.Present() {
		size.Fail("missing: a slice level needs a size")
	}
	n, sizeOK := Sized(size)
	l, layerOK := in.Layer(level, "")
	if !sizeOK || !layerOK {
		return cut
	}
	switch {
	case inside && l.Tier >= *bound:
		level.Fail("must be below the level of the slices around it")
	case *bound >= 0 && l.Tier > *bound:
		level.Fail("above the podset's own level")
	case inside && cut[len(cut)-1].Size%n != 0:
		size.Fail("must divide the size of the slices around it")
	}
	*bound = l.Tier
	return append(cut, gang.Groups{Size: n, Gather: []gang.Rule{{Layer: l.Name, Strength: gang.MustGather}}})
}
