package manifest

import (
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// rules reads the rules of all systems, with the trees that they speak of.
type rules struct{ trees *trees.Lookup }

// constraintOf is the topologyConstraint of a group, under either of its names. Both at one place must be equal.
func constraintOf(f object.Field) object.Field {
	one, other := f.Sub("topologyConstraint"), f.Sub("topologyConstraints")
	switch {
	case !one.Present():
		return other
	case other.Present() && !one.Value.Equal(other.Value):
		other.Fail("topologyConstraint and topologyConstraints exclude each other")
	}
	return one
}

// constraint reads the rules of a topologyConstraint, and the topology that they speak of: the first that is named of a gang is the gang's own, and that
// of constraints which name none.
func (in *rules) constraint(d *draft, f object.Field) (tree string, rules []gang.Rule) {
	if !f.Present() {
		return "", nil
	}
	tree = in.nameTree(d, f.Get("topology"))
	return tree, append(in.trees.Must(f.Get("requiredTopologyLevel"), tree), in.trees.Prefer(f.Get("preferredTopologyLevel"), tree)...)
}

// nameTree reads the name of a topology; the first of a gang is the gang's own, which is meant where there is none.
func (in *rules) nameTree(d *draft, f object.Field) string {
	name := f.Text()
	if name == "" {
		return d.tree
	}
	if _, why := in.trees.Find(name); why != "" {
		f.Fail(why)
	}
	if d.tree == "" {
		d.tree, d.treeField = name, f
	}
	return name
}

// kaiJobRules reads KAI's annotations of the Job itself.
func (in *rules) kaiJobRules(d *draft, o *object.Object) []gang.Rule {
	in.nameTree(d, o.Annotation(kaiTopology))
	return in.kaiPlacement(o.Root.Sub("metadata").Sub("annotations"), kaiTopology, d.tree)
}

// kaiPlacement reads KAI's annotations of a rule, which begin alike for gangs and for segments.
func (in *rules) kaiPlacement(notes object.Field, prefix, tree string) []gang.Rule {
	return append(in.trees.Must(notes.Get(prefix+"-required-placement"), tree), in.trees.Prefer(notes.Get(prefix+"-preferred-placement"), tree)...)
}

// How KAI's annotations begin that speak of a gang, or a part of it, and of segments.
const (
	kaiTopology   = "kai.scheduler/topology"
	segmentPrefix = "kai.scheduler/segment-"
)
