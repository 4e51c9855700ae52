package manifest

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// topologyRequest is where a podset's rules stand: in a field of a Workload or in the annotations of a Job.
type topologyRequest struct {
	required, preferred, unconstrained object.Field
	sliceLevel, sliceSize              object.Field
	constraints                        object.Field
}

func workloadRequest(f object.Field) topologyRequest {
	return topologyRequest{
		required: f.Get("required"), preferred: f.Get("preferred"), unconstrained: f.Get("unconstrained"),
		sliceLevel: f.Get("podSetSliceRequiredTopology"), sliceSize: f.Get("podSetSliceSize"),
		constraints: f.Get("podsetSliceRequiredTopologyConstraints"),
	}
}

// jobRequest reads annotations, where all values are text.
func jobRequest(notes object.Field) topologyRequest {
	const prefix = "kueue.x-k8s.io/podset-"
	t := topologyRequest{
		required: notes.Get(prefix + "required-topology"), preferred: notes.Get(prefix + "preferred-topology"),
		unconstrained: notes.Get(prefix + "unconstrained-topology"),
		sliceLevel:    notes.Get(prefix + "slice-required-topology"), sliceSize: notes.Get(prefix + "slice-size"),
	}
	if f := notes.Get(prefix + "slice-required-topology-constraints"); f.Present() {
		t.constraints = f.JSON()
	}
	return t
}

// isSet says whether any rule stands there.
func (t *topologyRequest) isSet() bool {
	for _, f := range []object.Field{t.required, t.preferred, t.unconstrained, t.sliceLevel, t.sliceSize, t.constraints} {
		if f.Present() {
			return true
		}
	}
	return false
}

// sized reads a size that is a number or, in annotations, text.
func sized(f object.Field) (int, bool) {
	if f.Value != nil && f.Value.Kind == document.Text {
		return f.Count(f.Value.Text, 1)
	}
	return f.Whole(1)
}

// on says whether a flag that is true or the text "true" is set.
func on(f object.Field) bool {
	if f.Value != nil && f.Value.Kind == document.Text {
		return f.Value.Text == "true"
	}
	return f.Flag()
}

// readTopologyRequest reads a podset's own rule and its slices.
func (in *rules) readTopologyRequest(t topologyRequest) (rules []gang.Rule, cut []gang.Groups) {
	given := 0
	for _, is := range []bool{t.required.Text() != "", t.preferred.Text() != "", on(t.unconstrained)} {
		if is {
			given++
		}
	}
	if given > 1 {
		t.required.Fail("only one of required, preferred and unconstrained")
		return nil, nil
	}
	rules = append(in.trees.Must(t.required, ""), in.trees.Prefer(t.preferred, "")...)
	bound := -1 // the tier that slices must not be above
	for _, f := range []object.Field{t.required, t.preferred} {
		if f.Present() {
			if l, ok := in.trees.Layer(f, ""); ok {
				bound = l.Tier
			}
		}
	}
	if t.constraints.Present() && t.sliceLevel.Present() {
		t.constraints.Fail("excludes a slice level and size of its own")
	}
	if t.sliceLevel.Present() || t.sliceSize.Present() {
		cut = in.slice(cut, t.sliceLevel, t.sliceSize, &bound, false)
	}
	for c := range t.constraints.All() {
		c = c.Mapping()
		cut = in.slice(cut, c.Get("topology"), c.Get("size"), &bound, len(cut) > 0)
	}
	return rules, cut
}

// slice appends one level of slices. Levels must not rise above bound, or, inside other slices, go strictly down.
func (in *rules) slice(cut []gang.Groups, level, size object.Field, bound *int, inside bool) []gang.Groups {
	level.Required()
	if !size.Present() {
		size.Fail("missing: a slice level needs a size")
	}
	n, sizeOK := sized(size)
	l, layerOK := in.trees.Layer(level, "")
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
