package manifest

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// topologyRequest is where a podset's rules stand: in a field of a Workload or in the annotations of a Job.
type topologyRequest struct {
	required, preferred, unconstrained field
	sliceLevel, sliceSize              field
	constraints                        field
}

func workloadRequest(f field) topologyRequest {
	return topologyRequest{
		required: f.get("required"), preferred: f.get("preferred"), unconstrained: f.get("unconstrained"),
		sliceLevel: f.get("podSetSliceRequiredTopology"), sliceSize: f.get("podSetSliceSize"),
		constraints: f.get("podsetSliceRequiredTopologyConstraints"),
	}
}

// jobRequest reads annotations, where all values are text.
func jobRequest(notes field) topologyRequest {
	const prefix = "kueue.x-k8s.io/podset-"
	t := topologyRequest{
		required: notes.get(prefix + "required-topology"), preferred: notes.get(prefix + "preferred-topology"),
		unconstrained: notes.get(prefix + "unconstrained-topology"),
		sliceLevel:    notes.get(prefix + "slice-required-topology"), sliceSize: notes.get(prefix + "slice-size"),
	}
	if f := notes.get(prefix + "slice-required-topology-constraints"); f.present() {
		t.constraints = f.json()
	}
	return t
}

// isSet says whether any rule stands there.
func (t *topologyRequest) isSet() bool {
	for _, f := range []field{t.required, t.preferred, t.unconstrained, t.sliceLevel, t.sliceSize, t.constraints} {
		if f.present() {
			return true
		}
	}
	return false
}

// sized reads a size that is a number or, in annotations, text.
func sized(f field) (int, bool) {
	if f.v != nil && f.v.Kind == document.Text {
		return f.count(f.v.Text, 1)
	}
	return f.whole(1)
}

// on says whether a flag that is true or the text "true" is set.
func on(f field) bool {
	if f.v != nil && f.v.Kind == document.Text {
		return f.v.Text == "true"
	}
	return f.flag()
}

// readTopologyRequest reads a podset's own rule and its slices.
func (in *trees) readTopologyRequest(t topologyRequest) (rules []gang.Rule, cut []gang.Groups) {
	given := 0
	for _, is := range []bool{t.required.str() != "", t.preferred.str() != "", on(t.unconstrained)} {
		if is {
			given++
		}
	}
	if given > 1 {
		t.required.fail("only one of required, preferred and unconstrained")
		return nil, nil
	}
	rules = append(in.must(t.required, ""), in.prefer(t.preferred, "")...)
	bound := -1 // the tier that slices must not be above
	for _, f := range []field{t.required, t.preferred} {
		if f.present() {
			if l, ok := in.layer(f, ""); ok {
				bound = l.Tier
			}
		}
	}
	if t.constraints.present() && t.sliceLevel.present() {
		t.constraints.fail("excludes a slice level and size of its own")
	}
	if t.sliceLevel.present() || t.sliceSize.present() {
		cut = in.slice(cut, t.sliceLevel, t.sliceSize, &bound, false)
	}
	for c := range t.constraints.all() {
		c = c.object()
		cut = in.slice(cut, c.get("topology"), c.get("size"), &bound, len(cut) > 0)
	}
	return rules, cut
}

// slice appends one level of slices. Levels must not rise above bound, or, inside other slices, go strictly down.
func (in *trees) slice(cut []gang.Groups, level, size field, bound *int, inside bool) []gang.Groups {
	level.required()
	if !size.present() {
		size.fail("missing: a slice level needs a size")
	}
	n, sizeOK := sized(size)
	l, layerOK := in.layer(level, "")
	if !sizeOK || !layerOK {
		return cut
	}
	switch {
	case inside && l.Tier >= *bound:
		level.fail("must be below the level of the slices around it")
	case *bound >= 0 && l.Tier > *bound:
		level.fail("above the podset's own level")
	case inside && cut[len(cut)-1].Size%n != 0:
		size.fail("must divide the size of the slices around it")
	}
	*bound = l.Tier
	return append(cut, gang.Groups{Size: n, Gather: []gang.Rule{{Layer: l.Name, Strength: gang.MustGather}}})
}
