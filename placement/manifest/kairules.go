package manifest

import (
	"github.com/muster-sched/muster/gang"
)

// constraintOf is the topologyConstraint of a group, under either of its names. Both at one place must be equal.
func constraintOf(f field) field {
	one, other := f.sub("topologyConstraint"), f.sub("topologyConstraints")
	switch {
	case !one.present():
		return other
	case other.present() && !one.v.Equal(other.v):
		other.fail("topologyConstraint and topologyConstraints exclude each other")
	}
	return one
}

// constraint reads the rules of a topologyConstraint, and the topology that they speak of: the first that is named of a gang is the gang's own, and that
// of constraints which name none.
func (in *trees) constraint(d *draft, f field) (tree string, rules []gang.Rule) {
	if !f.present() {
		return "", nil
	}
	tree = in.nameTree(d, f.get("topology"))
	return tree, append(in.must(f.get("requiredTopologyLevel"), tree), in.prefer(f.get("preferredTopologyLevel"), tree)...)
}

// nameTree reads the name of a topology; the first of a gang is the gang's own, which is meant where there is none.
func (in *trees) nameTree(d *draft, f field) string {
	name := f.str()
	if name == "" {
		return d.tree
	}
	if _, why := in.findTree(name); why != "" {
		f.fail(why)
	}
	if d.tree == "" {
		d.tree, d.treeField = name, f
	}
	return name
}

// kaiJobRules reads KAI's annotations of the Job itself.
func (in *trees) kaiJobRules(d *draft, o *object) []gang.Rule {
	in.nameTree(d, o.annotation("kai.scheduler/topology"))
	return append(in.must(o.annotation("kai.scheduler/topology-required-placement"), d.tree),
		in.prefer(o.annotation("kai.scheduler/topology-preferred-placement"), d.tree)...)
}
