// How does a host hold a cluster? As an immutable value over a snapshot.

package placement

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Cluster is an immutable snapshot of nodes and running members. It is safe for concurrent use; Apply, Release and
// Update return new snapshots that share everything that did not change. The zero value and nil have no nodes and take
// no changes.
type Cluster struct{ snapshot *snapshot.Snapshot }

// NewCluster builds a snapshot. The spec's slices and maps stay the caller's, but labels, taints and trees are shared
// and must not change. Members on nodes that the spec lacks, and nodes of a tree that it lacks, are accepted and
// noted ([Cluster.Notices]). All defects are returned joined, each an [muster.InvalidError]. O(n log n).
func NewCluster(spec cluster.Spec) (*Cluster, error) { return newCluster(holds.New(spec)) }

// newCluster wraps the snapshot that a change made.
func newCluster(s *snapshot.Snapshot, err error) (*Cluster, error) {
	if err != nil {
		return nil, err
	}
	return &Cluster{s}, nil
}

// made is the snapshot of a cluster to plan on or to change; an error for one that NewCluster did not make.
func (c *Cluster) made() (*snapshot.Snapshot, error) {
	if c == nil || c.snapshot == nil {
		return nil, &muster.InvalidError{Field: "cluster", Reason: "missing: NewCluster makes one"}
	}
	return c.snapshot, nil
}

// inside is the snapshot to read: an empty one for a cluster that NewCluster did not make.
func (c *Cluster) inside() *snapshot.Snapshot {
	if s, err := c.made(); err == nil {
		return s
	}
	return snapshot.Empty()
}

// Tree finds a topology by the name that requests use.
func (c *Cluster) Tree(name string) (cluster.NamedTree, bool) { return c.inside().Tree(name) }

// Trees lists the topologies; the slice is the caller's.
func (c *Cluster) Trees() []cluster.NamedTree { return c.inside().Trees() }

// NUMAExclusive is the default of the snapshot, see [cluster.Spec].
func (c *Cluster) NUMAExclusive() numa.Exclusive { return c.inside().Lineage.Exclusive }

// Notices lists defects that were accepted: members on nodes that were absent when they were given, what was left out of an observed change
// that made the snapshot, nodes and zones of which members hold more than they have, nodes of a tree that the snapshot lacks.
// O(nodes * resources); the slice is the caller's.
func (c *Cluster) Notices() []string { return append(c.inside().Notices(), excess(c.inside())...) }

// LeftOut is what was left out of the observed change that made the snapshot ([cluster.Delta]): a [cluster.ConflictError] or a
// [muster.InvalidError] each. The slice is the caller's.
func (c *Cluster) LeftOut() []error { return slices.Clone(c.inside().LeftOut) }

// Len is the number of nodes. O(nodes).
func (c *Cluster) Len() (n int) {
	for range c.inside().Nodes() {
		n++
	}
	return n
}

// Nodes iterates over the nodes in the depth-first order of the first tree, those outside it last. Labels and taints
// are shared, Allocatable is the caller's.
func (c *Cluster) Nodes() iter.Seq[cluster.Node] { return c.inside().Nodes() }

// Free is the free amount of each resource that the node bounds, less what is held there, negative where it is over-committed by what runs. False for an
// unknown node. The map is the caller's. O(resources).
func (c *Cluster) Free(name string) (muster.Resources, bool) {
	s := c.inside()
	free, ok := s.FreeOn(name)
	if !ok {
		return nil, false
	}
	for r, amount := range holds.On(s, s.PresentNode(name, -1)) {
		if n, bounded := free[s.Lineage.Resources[r]]; bounded {
			free[s.Lineage.Resources[r]] = besideHeld(n, amount)
		}
	}
	return free, true
}

// Node is the node of a name, as [Cluster.Nodes] has it; false for one that is not there. O(resources).
func (c *Cluster) Node(name string) (cluster.Node, bool) {
	s := c.inside()
	id, ok := s.Lineage.ID(name)
	if !ok || s.FlagsOf(id)&snapshot.Present == 0 {
		return cluster.Node{}, false
	}
	return snapshot.NodeAt(s, id), true
}

// RunningOn lists the running members on a node: by gang, then by member, in natural order of names; the slice is the caller's.
// O(n log n) for n of them.
func (c *Cluster) RunningOn(name string) (out []cluster.Running) {
	s := c.inside()
	id, ok := s.Lineage.ID(name)
	if !ok {
		return nil
	}
	for m := range snapshot.MembersOn(s, id) {
		if _, held := holds.For(m.Class.Gang); !held {
			out = append(out, s.ExportMember(m))
		}
	}
	slices.SortFunc(out, func(a, b cluster.Running) int {
		return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
	})
	return out
}

// Running iterates over the running members: gangs, then members, in natural order of names.
func (c *Cluster) Running() iter.Seq[cluster.Running] {
	return func(yield func(cluster.Running) bool) {
		for r := range c.inside().Running() {
			if _, held := holds.For(r.Gang); !held && !yield(r) {
				return
			}
		}
	}
}

// Holds lists what is held for members that are to run: by gang, then by member, in natural order of names; the slice is the caller's.
func (c *Cluster) Holds() []cluster.Hold { return holds.Of(c.inside()) }

// DomainHolds lists what is held in domains: the highest priority first, then by gang in natural order of names, then as it was given; the slice is the caller's.
func (c *Cluster) DomainHolds() []cluster.DomainHold { return holds.InDomains(c.inside()) }

// Degraded lists the gangs whose running members are in a wider domain than they were in an earlier snapshot, such as the one before
// topologies changed ([cluster.Delta.Trees]), by gang and topology; members that are leaving, and gangs of one, do not count.
// O(members); the slice is the caller's.
func (c *Cluster) Degraded(since *Cluster) []cluster.Degraded {
	return slices.DeleteFunc(snapshot.Degraded(since.inside(), c.inside()), func(d cluster.Degraded) bool {
		_, held := holds.For(d.Gang)
		return held
	})
}

// Budgets lists the disruption budgets in natural order of their names; the slice is the caller's.
func (c *Cluster) Budgets() []cluster.Budget { return slices.Clone(c.inside().Budgets) }

// Quotas is the state of the quotas: amounts to divide, in use and pending; nil if there are none.
func (c *Cluster) Quotas() *quota.State { return c.inside().Quotas }

// Apply carries plans out: their members run. Victims become leaving members, which until they are removed hold only
// what the plan leaves of theirs, and their budgets allow one less each. Several results are carried out one after the
// other, once the victims of all have made room: all or none.
//
// Apply is an Update and re-checks. The error is a [cluster.ConflictError] if the snapshot no longer has room for the
// plan or still has a member that it waits for, a [muster.InvalidError] for a result that no planner made. c stays as
// it is.
func (c *Cluster) Apply(results ...*Result) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return newCluster(applyResults(s, results...))
}

// Release takes members of a gang away; none named: all. A member that does not run is a
// [cluster.ConflictError].
func (c *Cluster) Release(gang string, members ...string) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	if _, held := holds.For(gang); held {
		return nil, &cluster.ConflictError{Gang: gang, Reason: "no member of the gang runs"}
	}
	d := cluster.Delta{}
	for _, name := range members {
		d.Remove = append(d.Remove, cluster.MemberRef{Gang: gang, Member: name})
	}
	if len(members) == 0 {
		d.RemoveGangs = []string{gang}
	}
	return newCluster(holds.Update(s, d))
}

// ReleaseGangs takes all members of some gangs away. It is a [Cluster.Update] with RemoveGangs: a gang of which none runs is a
// [cluster.ConflictError].
func (c *Cluster) ReleaseGangs(gangs ...string) (*Cluster, error) {
	return c.Update(cluster.Delta{RemoveGangs: gangs})
}

// Update makes a new snapshot with a change applied as a whole, or with what can be true of one that was observed; c stays as it is and shares the rest. Each change costs
// its own size, the lists that it stands in (the gang's members, the node's, those that leave) and the page tables. A
// new resource, or a node without a place in a tree when the cluster was built, rebuilds the cluster. The error is a
// [cluster.ConflictError] or holds [muster.InvalidError]s.
func (c *Cluster) Update(d cluster.Delta) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return newCluster(holds.Update(s, d))
}
