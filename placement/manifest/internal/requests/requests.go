// Package requests answers: what does a podset of Kueue ask of a topology, and where does that stand? The places come first, then the
// rules that stand there, by the levels of a topology.
package requests

import (
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Topology is where a podset's rules stand: in a field of a Workload or in the annotations of a Job.
type Topology struct {
	Required, Preferred, Unconstrained object.Field
	SliceLevel, SliceSize              object.Field
	Constraints                        object.Field
}

// OfWorkload reads the field of a podset.
func OfWorkload(f object.Field) Topology {
	return Topology{
		Required: f.Get("required"), Preferred: f.Get("preferred"), Unconstrained: f.Get("unconstrained"),
		SliceLevel: f.Get("podSetSliceRequiredTopology"), SliceSize: f.Get("podSetSliceSize"),
		Constraints: f.Get("podsetSliceRequiredTopologyConstraints"),
	}
}

// OfJob reads annotations, where all values are text.
func OfJob(notes object.Field) Topology {
	const prefix = "kueue.x-k8s.io/podset-"
	t := Topology{
		Required: notes.Get(prefix + "required-topology"), Preferred: notes.Get(prefix + "preferred-topology"),
		Unconstrained: notes.Get(prefix + "unconstrained-topology"),
		SliceLevel:    notes.Get(prefix + "slice-required-topology"), SliceSize: notes.Get(prefix + "slice-size"),
	}
	if f := notes.Get(prefix + "slice-required-topology-constraints"); f.Present() {
		t.Constraints = f.JSON()
	}
	return t
}

// IsSet says whether any rule stands there.
func (t *Topology) IsSet() bool {
	for _, f := range []object.Field{t.Required, t.Preferred, t.Unconstrained, t.SliceLevel, t.SliceSize, t.Constraints} {
		if f.Present() {
			return true
		}
	}
	return false
}

// Sized reads a size that is a number or, in annotations, text.
func Sized(f object.Field) (int, bool) {
	if f.Value != nil && f.Value.Kind == document.Text {
		return f.Count(f.Value.Text, 1)
	}
	return f.Whole(1)
}

// On says whether a flag that is true or the text "true" is set.
func On(f object.Field) bool {
	if f.Value != nil && f.Value.Kind == document.Text {
		return f.Value.Text == "true"
	}
	return f.Flag()
}
