package validity

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// CheckSnapshot tells all defects of a cluster, joined: a node or a member twice, a member on a node that is not there,
// a node that is over-committed. O(nodes * running).
func CheckSnapshot(spec cluster.Spec) error {
	var defects []error
	failf := func(format string, args ...any) { defects = append(defects, fmt.Errorf(format, args...)) }
	nodes := map[string]bool{}
	for i := range spec.Nodes {
		if nodes[spec.Nodes[i].Name] {
			failf("node %s is there twice", spec.Nodes[i].Name)
		}
		nodes[spec.Nodes[i].Name] = true
	}
	on := map[string][]cluster.Running{}
	seen := map[cluster.MemberRef]bool{}
	for _, r := range spec.Running {
		ref := cluster.MemberRef{Gang: r.Gang, Member: r.Member}
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

// CheckApplied tells all defects of the cluster that comes of applying a plan, joined: its members run, its victims leave and hold
// no more than before, their budgets allow as many less, everybody else stays as he was, and no node is over-committed that was not. O(running^2).
func CheckApplied(before, after cluster.Spec, res *placement.Result) error {
	var defects []error
	failf := func(format string, args ...any) { defects = append(defects, fmt.Errorf(format, args...)) }
	runs := map[cluster.MemberRef]cluster.Running{}
	for _, r := range after.Running {
		runs[cluster.MemberRef{Gang: r.Gang, Member: r.Member}] = r
	}
	evicted := map[cluster.MemberRef]bool{}
	for _, v := range res.Victims {
		evicted[v.MemberRef] = true
	}
	for _, old := range before.Running {
		ref := cluster.MemberRef{Gang: old.Gang, Member: old.Member}
		r, ok := runs[ref]
		switch {
		case !ok:
			failf("%s %s is gone", old.Gang, old.Member)
		case !evicted[ref] && !reflect.DeepEqual(r, old):
			failf("%s %s was %+v, is %+v", old.Gang, old.Member, old, r)
		case evicted[ref] && (!r.Leaving || r.Node != old.Node || !within(r.Resources, old.Resources)):
			failf("%s %s was evicted, had %v on %s, has %v on %s, leaving %v", old.Gang, old.Member, old.Resources, old.Node, r.Resources, r.Node, r.Leaving)
		}
	}
	for i, b := range before.Budgets {
		n := 0
		for _, r := range before.Running {
			if evicted[cluster.MemberRef{Gang: r.Gang, Member: r.Member}] && slices.Contains(r.Budgets, b.Name) {
				n++
			}
		}
		if left := after.Budgets[i]; left.Name != b.Name || left.Allowed != b.Allowed-n {
			failf("budget %s allowed %d, %d left, it allows %d", b.Name, b.Allowed, n, left.Allowed)
		}
	}
	for _, a := range res.Assignments {
		if r, ok := runs[cluster.MemberRef{Gang: res.Gang, Member: a.Member}]; !ok || r.Node != a.Node || r.Leaving {
			failf("%s does not run on %s", a.Member, a.Node)
		}
	}
	if len(after.Running) != len(before.Running)+len(res.Assignments) {
		failf("%d members run, of %d before and %d placed", len(after.Running), len(before.Running), len(res.Assignments))
	}
	if CheckSnapshot(before) == nil {
		defects = append(defects, CheckSnapshot(after))
	}
	return errors.Join(defects...)
}

// within holds if no amount is above another.
func within(less, more muster.Resources) bool {
	for name, amount := range less {
		if amount > more[name] {
			return false
		}
	}
	return true
}

// Describe reads a snapshot back through its public accessors. Trees are named because a snapshot does not list them.
func Describe(c *placement.Cluster, trees ...string) cluster.Spec {
	var spec cluster.Spec
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
	spec.Holds, spec.DomainHolds = c.Holds(), c.DomainHolds()
	return spec
}

// Seen is a cluster as a request sees it: members for whom room is held run, and never leave, but for those of the gang itself, of gangs of a lower
// priority, and of gangs for which room is held once this one has ended.
func Seen(spec cluster.Spec, req *gang.Request) cluster.Spec {
	spec.Running = slices.Clone(spec.Running)
	least, first := map[string]int64{}, map[string]int64{} // the priority of all that is held for a gang, and from when on
	for _, h := range spec.Holds {
		if p, is := least[h.Gang]; !is || h.Priority < p {
			least[h.Gang] = h.Priority
		}
		if from, is := first[h.Gang]; !is || h.From < from {
			first[h.Gang] = h.From
		}
	}
	end := lastEnd(spec.Running, req)
	for _, h := range spec.Holds {
		before := end != 0 && first[h.Gang] != 0 && end <= first[h.Gang]
		if least[h.Gang] < req.Priority || h.Gang == req.Name || before {
			continue
		}
		spec.Running = append(spec.Running, cluster.Running{
			Gang: "hold for " + h.Gang, Member: h.Member, Node: h.Node, Resources: h.Resources, NUMA: h.NUMA, Quota: h.Quota, NonPreemptible: h.NonPreemptible,
			Unevictable: true, Priority: h.Priority, MinMember: -1, Alone: h.Alone, AloneIn: h.AloneIn, Tolerated: h.Tolerated,
		})
	}
	spec.Holds = nil
	return spec
}

// lastEnd is when the last member of a gang ends, of those that run and stay and the new ones; 0: never.
func lastEnd(running []cluster.Running, req *gang.Request) int64 {
	last := req.End
	for _, r := range running {
		switch {
		case r.Gang != req.Name || r.Leaving:
		case r.End == 0 || last == 0:
			return 0
		default:
			last = max(last, r.End)
		}
	}
	return last
}
