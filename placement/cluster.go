package placement

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// Cluster is an immutable snapshot of nodes and running members. It is safe for concurrent use; Apply, Release and
// Update return new snapshots that share what did not change. The zero value and nil have no nodes and take no changes.
type Cluster struct{ snapshot *snapshot.Snapshot }

// NewCluster builds a snapshot. The spec's slices and maps stay the caller's, but labels, taints and trees are shared
// and must not change. Members on nodes that the spec lacks, and nodes of a tree that it lacks, are accepted and
// noted ([Cluster.Notices]). All defects are returned joined, each an [muster.InvalidError]. O(n log n).
func NewCluster(spec cluster.Spec) (*Cluster, error) { return clusterOf(snapshot.New(spec)) }

// clusterOf is the cluster of a snapshot that a change made.
func clusterOf(s *snapshot.Snapshot, err error) (*Cluster, error) {
	if err != nil {
		return nil, err
	}
	return &Cluster{s}, nil
}

// made is the snapshot of a cluster that NewCluster made.
func (c *Cluster) made() (*snapshot.Snapshot, error) {
	if c == nil || c.snapshot == nil {
		return nil, &muster.InvalidError{Field: "cluster", Reason: "missing: NewCluster makes one"}
	}
	return c.snapshot, nil
}

// inside is the snapshot to be read: an empty one for a cluster that NewCluster did not make.
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

// NUMAExclusive is the default of the snapshot, see [Spec].
func (c *Cluster) NUMAExclusive() numa.Exclusive { return c.inside().NUMAExclusive() }

// Notices lists what was accepted but matters: members on nodes that were absent when they were given, zones of which
// members held more than there is, nodes of a tree that the snapshot lacks. O(nodes); the slice is the caller's.
func (c *Cluster) Notices() []string { return c.inside().Notices() }

// Len is the number of nodes. O(nodes).
func (c *Cluster) Len() int { return c.inside().Len() }

// Nodes iterates over the nodes in the depth-first order of the first tree, those outside it last. Labels and taints are
// shared, Allocatable is the caller's.
func (c *Cluster) Nodes() iter.Seq[cluster.Node] { return c.inside().Nodes() }

// Free is what is left on a node: negative where it is over-committed, without the resources that the node does not
// bound. It is false for an unknown node. The map is the caller's. O(resources).
func (c *Cluster) Free(name string) (muster.Resources, bool) { return c.inside().FreeOn(name) }

// Running iterates over the running members: gangs, then members, in natural order of names.
func (c *Cluster) Running() iter.Seq[cluster.Running] { return c.inside().Running() }

// Budgets lists the disruption budgets in natural order of their names; the slice is the caller's.
func (c *Cluster) Budgets() []cluster.Budget { return slices.Clone(c.inside().Budgets) }

// Quotas is what the quotas of the snapshot divide, and what is in use and pending; nil if there are none.
func (c *Cluster) Quotas() *quota.State { return c.inside().Quotas }

// Apply carries a plan out: its members run. Its victims become leaving members, which hold only what the plan leaves of theirs until they
// are removed, and their budgets allow one less each. It is an Update and re-checks: if the snapshot has changed since the plan was made so that
// it no longer holds, or a member that it waits for is still there, the error is a [ConflictError]; for a result that no planner made it is a
// [muster.InvalidError]. c stays as it is. Several results are carried out one after the other, once the victims of all have made room: all or none.
func (c *Cluster) Apply(results ...*Result) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return clusterOf(applyResults(s, results...))
}

// Release takes members of a gang away; none named: all. A member that does not run is a [ConflictError].
func (c *Cluster) Release(gang string, members ...string) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return clusterOf(s.Release(gang, members...))
}

// Update makes a new snapshot with a change applied as a whole; c stays as it is and shares what did not change. The
// cost is that of what changes, of the lists it stands in (the gang's members, the node's, those that leave), and of
// the page tables; a node that no tree had a place for when the cluster was built, or a new resource, rebuilds the
// cluster. The error is a [ConflictError] or holds [muster.InvalidError]s.
func (c *Cluster) Update(d cluster.Delta) (*Cluster, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	return clusterOf(s.Update(d))
}
