package validity

import (
	"errors"
	"fmt"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement"
)

// CheckSnapshot tells all defects of a cluster, joined: a node or a member twice, a member on a node that is not there,
// a node that is over-committed. O(nodes * running).
func CheckSnapshot(spec placement.Spec) error {
	var defects []error
	failf := func(format string, args ...any) { defects = append(defects, fmt.Errorf(format, args...)) }
	nodes := map[string]bool{}
	for i := range spec.Nodes {
		if nodes[spec.Nodes[i].Name] {
			failf("node %s is there twice", spec.Nodes[i].Name)
		}
		nodes[spec.Nodes[i].Name] = true
	}
	on := map[string][]placement.Running{}
	seen := map[placement.MemberRef]bool{}
	for _, r := range spec.Running {
		ref := placement.MemberRef{Gang: r.Gang, Member: r.Member}
		if seen[ref] {
			failf("%s %s runs twice", r.Gang, r.Member)
		}
		if !nodes[r.Node] {
			failf("%s %s runs on %q, which does not exist", r.Gang, r.Member, r.Node)
		}
		seen[ref], on[r.Node] = true, append(on[r.Node], r)
	}
	for i := range spec.Nodes {
		node := &spec.Nodes[i]
		asked := muster.Resources{}
		for _, r := range on[node.Name] {
			for name, amount := range r.Resources {
				asked[name] += amount
			}
		}
		for _, name := range asked.Names() {
			if free, bounded := Free(node, name, on[node.Name]); bounded && asked[name] > 0 && free < 0 {
				failf("%s is over-committed: %s by %d", node.Name, name, -free)
			}
		}
	}
	return errors.Join(defects...)
}

// Describe reads a snapshot back through its public accessors. Trees are named because a snapshot does not list them.
func Describe(c *placement.Cluster, trees ...string) placement.Spec {
	var spec placement.Spec
	for _, name := range trees {
		if t, ok := c.Tree(name); ok {
			spec.Trees = append(spec.Trees, t)
		}
	}
	spec.Budgets = c.Budgets()
	for n := range c.Nodes() {
		spec.Nodes = append(spec.Nodes, n)
	}
	for r := range c.Running() {
		spec.Running = append(spec.Running, r)
	}
	return spec
}
