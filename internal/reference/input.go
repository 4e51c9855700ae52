// Package reference answers the same question as package placement, slowly: which is the best plan, by the order that
// docs/order.md states? It is the readable definition. It enumerates every domain and, at every vertex, every set of
// children, and compares whole vectors of keys; it shares nothing with the fast planner but the types. It is meant for
// tests on small clusters (some twelve nodes, gangs of at most [MaxMembers]).
//
//	answer, err := reference.Solve(reference.Input{Spec: spec, Request: request})
package reference

import (
	"errors"
	"math/big"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// MaxMembers bounds the new members of a gang, so that sets of counts are bits of one word.
const MaxMembers = 60

// Input is a cluster and a gang to place in it.
type Input struct {
	Spec    cluster.Spec
	Request gang.Request

	// Together holds if each part is a gang, of its name, and all start together.
	Together bool

	left    *int          // steps of enumerations; nil: as many as it takes
	refused int           // of the members, those of the highest ranks, that the quota does not admit
	now     bool          // on what is free: nobody is waited for
	unit    []*gang.Shape // of the members of the units that the request's members stand for; nil: they are members
}

// Answer is the best plan, or why there is none.
type Answer struct {
	// Placed is false if the gang cannot be placed; then only Wanted and Fits say something.
	Placed bool
	// Wanted is the least number of new members to place, Fits the most that the rules allow, with leaving members gone
	// if they may be waited for.
	Wanted, Fits int
	// Members is the number of new members, Outside how many of them are on nodes outside the tree.
	Members, Outside int
	// Spared says that nodes meant for others were left out.
	Spared bool
	// Worth is the strategy: the worth of the gang's tier and of every level of groups.
	Worth []int
	// Domain is the path of the domain chosen, and Keys the vector that chose it.
	Domain []string
	Keys   Keys
	// Counts is the number of new members by node.
	Counts map[string]int
	// Assignments are in rank order.
	Assignments []placement.Assignment
	// WaitsFor is in the order of nodes by path, then of names.
	WaitsFor []placement.Waited

	kept   *Input           // with the preferred limits that are kept made hard; nil: there were none
	shares [][]*numa.Placed // of the members of the unit that an assignment places
}

// Keys are what candidate domains are compared by, in this order (docs/order.md, section 3).
type Keys struct {
	// Intact has for every level of groups how many of them can lie whole at each tier below the group tier, highest
	// first.
	Intact  [][]int
	Anchors int
	// Span is how many vertices are in use, layer by layer below the domain, as far down as the order looks.
	Span []int
	// Zones, between nodes for an aligned gang.
	Zones int
	// Waste, between nodes: free devices and what the next member spoils of them.
	Waste *big.Rat
	// Free are the slots of the domain, of its parent, and so on.
	Free []int
	// NUMA is the NUMA score of a node for an aligned gang.
	NUMA  int64
	Score int64
}

// WithoutIndex is the request planned by counting every node, which must give the same plan: hooks without a class promise
// nothing that the planner could keep.
func WithoutIndex(req gang.Request) *gang.Request {
	if req.Class = ""; req.Eligible == nil {
		req.Eligible = func(string) bool { return true }
	}
	return &req
}

// ErrTooMany says that more may leave, or that there are more members or roles, than can be enumerated.
var ErrTooMany = errors.New("too many for this solver")

// spend takes a step of an enumeration. Without any left it panics with ErrTooMany.
func (in *Input) spend() {
	if in.left == nil {
		return
	}
	if *in.left--; *in.left < 0 {
		panic(ErrTooMany)
	}
}
