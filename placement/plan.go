package placement

import (
	"iter"

	"github.com/muster-sched/muster/gang"
)

// Cluster is an immutable snapshot.
type Cluster struct{}

// NewCluster builds a snapshot.
func NewCluster(spec Spec) (*Cluster, error) { return nil, nil }

// Plan places a gang.
func Plan(c *Cluster, req *gang.Request) (*Result, error) { return nil, nil }

// Candidates iterates plans best first.
func Candidates(c *Cluster, req *gang.Request) iter.Seq2[*Result, error] { return nil }

// Apply applies.
func (c *Cluster) Apply(res *Result) (*Cluster, error) { return nil, nil }

// Release releases members of a gang; none named: all.
func (c *Cluster) Release(gang string, members ...string) (*Cluster, error) { return nil, nil }

// Update applies a delta.
func (c *Cluster) Update(d Delta) (*Cluster, error) { return nil, nil }

// Tree finds a topology by name.
func (c *Cluster) Tree(name string) (*NamedTree, bool) { return nil, false }

// Nodes iterates over the nodes in dense order.
func (c *Cluster) Nodes() iter.Seq[Node] { return nil }

// Running iterates over the running members, gangs in natural order, members in rank order.
func (c *Cluster) Running() iter.Seq[Running] { return nil }

// Notices lists things in the input that were accepted but matter: members on absent nodes, nodes absent from a tree.
func (c *Cluster) Notices() []string { return nil }
