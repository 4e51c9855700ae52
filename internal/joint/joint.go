// Package joint answers: how much of several roles together fits at most on a node and below a domain? A [Bound] weighs
// members instead of counting them. Its index is kept from snapshot to snapshot, as slots are, so that a search for a gang
// of several shapes looks only into domains that may hold it.
//
// A Bound belongs to one plan; its index is shared and never written.
package joint

import (
	"bytes"
	"iter"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Bound bounds the members of several roles that fit below a vertex together: none of them weigh more than that, whatever
// each role takes. Requests for any numbers of members of the same shapes share its index.
type Bound struct {
	Weights []int64 // of one member, by role
	index   *index.Index
	roles   []*problem.Problem
	// whoever: it bounds what fits whoever is near. Gangs of which members run see others there than an index for all gangs does.
	whoever bool
	of      *problem.Problem // the gang
}

// mostRoles is the largest number of roles that have a bound.
const mostRoles = 8

// maxWeight is the largest weight of a member.
const maxWeight = 64

// mostOnNode is the largest bound of a node. Where it is reached, the sum of all nodes soon does not fit into an index, and
// there is no bound.
const mostOnNode = 1 << 30

// Of is the bound for the roles of a gang; nil if there is none: leaving members count as gone, no other request can share
// an index, as for the slots of a shape, or there are too many roles, or one that must stay in a domain. It counts nodes that the request excludes, too, but
// for one role, whose bound is its slots. O(kept shapes) if it is known for this snapshot, else as for the slots of a
// shape.
func Of(p *problem.Problem, roles []*problem.Problem) *Bound {
	if len(roles) == 1 && p.Room.Inside == layout.Root {
		if ix := roles[0].Room.Slots().OwnIndex(); ix != nil {
			return &Bound{index: ix, Weights: []int64{1}}
		}
		return nil
	}
	if len(roles) == 1 || len(roles) > mostRoles || p.Room.LeavingGone || p.Request.Class == "" && p.Request.Eligible != nil ||
		slices.ContainsFunc(roles, func(one *problem.Problem) bool { return one.Room.Allowed != nil }) {
		return nil
	}
	b := &Bound{Weights: weightsOf(roles), roles: roles, whoever: p.Room.Company.HasOwn(), of: p}
	key := append([]byte("joint"), room.Bit(b.whoever))
	for r, one := range roles {
		key = append(key, byte(b.Weights[r]))
		key = append(key, one.Room.Slots().Key()...)
	}
	kept := roles[0].Room.Slots().Indexes().Get(&p.Snapshot.Lineage.Clock, p.Snapshot.Lineage.KeptShapes,
		func(other []byte) bool { return bytes.Equal(other, key) },
		func(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex { return b.after(s, nodes) },
		func() ([]byte, *snapshot.ShapeIndex) { return key, b.build(p) })
	if kept == nil {
		return nil
	}
	b.index = &kept.Index
	return b
}

// weightsOf weighs roles by the first resource that all of them ask for, devices before CPU and memory; all weigh 1 if
// there is none.
func weightsOf(roles []*problem.Problem) []int64 {
	weights := slices.Repeat([]int64{1}, len(roles))
	needs := slices.Clone(roles[0].Room.Needs)
	slices.SortFunc(needs, func(a, b room.Need) int { return muster.CompareResources(a.Name, b.Name) })
	for _, n := range needs {
		asks, all := make([]int64, len(roles)), n.Name != muster.Pods
		for r, one := range roles {
			asks[r] = amount(one, n.Name)
			all = all && asks[r] > 0
		}
		if !all {
			continue
		}
		each, most := int64(0), slices.Max(asks)
		for _, a := range asks {
			each = gcd(each, a)
		}
		for r, a := range asks {
			if weights[r] = a / each; most/each > maxWeight {
				weights[r] = max(1, a/(most/maxWeight+1)) // whatever they are, the bound holds
			}
		}
		break
	}
	return weights
}

func gcd(a, b int64) int64 {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// amount is how much of a resource a member of a role asks for.
func amount(one *problem.Problem, name string) int64 {
	if i := slices.IndexFunc(one.Room.Needs, func(n room.Need) bool { return n.Name == name }); i >= 0 {
		return one.Room.Needs[i].Amount
	}
	return 0
}

// build counts every node; nil if the sum does not fit into an index.
func (b *Bound) build(p *problem.Problem) *snapshot.ShapeIndex {
	s := &snapshot.ShapeIndex{}
	if !s.Index.BuildBy(p.Model.View, b.counter()) {
		return nil
	}
	return s
}

// after is the index of a later snapshot in which only these nodes changed.
func (b *Bound) after(s *snapshot.ShapeIndex, nodes []int32) *snapshot.ShapeIndex {
	if s == nil {
		return b.build(b.roles[0])
	}
	if !b.whoever {
		nodes = b.of.Room.Company.Domains(nodes)
	}
	next := &snapshot.ShapeIndex{}
	if !next.Index.Recount(&s.Index, nodes, b.counter(), nil) {
		return nil
	}
	return next
}

// counter is a function that bounds the weight of what fits on a node. For each resource that all roles with room there
// ask for: no unit of it carries more weight than one of the role that makes most of it.
func (b *Bound) counter() func(id int32) int32 {
	type jointNeed struct {
		id   int
		asks []int64 // by role
	}
	var needs []jointNeed
	for _, n := range b.roles[0].Room.Needs {
		need := jointNeed{id: n.ID}
		for _, one := range b.roles {
			need.asks = append(need.asks, amount(one, n.Name))
		}
		if n.ID >= 0 && !slices.Contains(need.asks, 0) {
			needs = append(needs, need)
		}
	}
	rooms, takes, s := make([]int64, len(b.roles)), make([]func(id int32) bool, len(b.roles)), b.roles[0].Snapshot
	for r, one := range b.roles {
		if takes[r] = one.Room.Slots().Taking(); b.whoever {
			takes[r] = func(id int32) bool { return one.Room.Slots().RefusalForGood(id) == "" }
		}
	}
	return func(id int32) int32 {
		sum := int64(0)
		for r, one := range b.roles {
			if rooms[r] = 0; takes[r](id) {
				rooms[r] = one.Room.Slots().Room(id, nil)
			}
			sum = min(mostOnNode, sum+rooms[r]*b.Weights[r])
		}
		for _, n := range needs {
			if free := s.Free[n.id].At(id); sum > 0 && free < math.MaxInt64/maxWeight {
				sum = min(sum, b.carries(rooms, n.asks, free))
			}
		}
		return int32(sum)
	}
}

// carries is the most weight that an amount carries, of the roles with room.
func (b *Bound) carries(rooms, asks []int64, free int64) (most int64) {
	for r, room := range rooms {
		if room > 0 {
			most = max(most, free*b.Weights[r]/asks[r])
		}
	}
	return most
}

// Holds says whether members of this weight may fit below a vertex: false is certain.
func (b *Bound) Holds(x layout.Vertex, weight int64) bool { return weight <= b.index.At(x) }

// Domains iterates over the domains of a tier that may hold members of a weight, in the order of paths. The weight may rise
// on the way. O(domains above that may, and their children).
func (b *Bound) Domains(tier int32, weight func() int64) iter.Seq[layout.Vertex] {
	return b.index.DomainsWith(tier, weight)
}

// HeldAt says whether members of a weight may fit below some domain of a tier: false is certain. O(1).
func (b *Bound) HeldAt(tier int32, weight int64) bool { return b.index.HasDomain(tier, weight) }

// Roomiest is the domain of a tier that may hold most, of equals the first in the order of paths; -1 if there is none.
func (b *Bound) Roomiest(tier int32) layout.Vertex {
	best, most := layout.Vertex(-1), int64(0)
	for x := range b.Domains(tier, func() int64 { return most }) {
		best, most = x, b.index.At(x)+1
	}
	return best
}

// WithRoom is the number of children of a domain below each of which members of this weight may fit. O(log children).
func (b *Bound) WithRoom(x layout.Vertex, weight int64) int {
	sums := b.index.SumsOf(x)
	return int(sums.AtLeast(weight))
}

// Children is the least number of children of a domain below which members of this weight fit.
func (b *Bound) Children(x layout.Vertex, weight int64) int {
	sums := b.index.SumsOf(x)
	n, _ := sums.Fewest(weight)
	return int(n)
}
