// What is in each domain of a topology?

package placement

import (
	"iter"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Domain is what a domain of a topology has. It belongs to the caller.
type Domain struct {
	// Path, Tier and Layer are as in [Result]; the path of the whole topology is empty, and its nodes are all of the cluster.
	Path  []string
	Tier  int
	Layer string
	// Nodes is how many nodes there are, InService how many of them are neither cordoned nor not ready.
	Nodes, InService int
	// Allocatable is what all the nodes have, Used what running members hold there, leaving ones included, and Free what is left on
	// the nodes in service; one that is over-committed has nothing left. Nodes that bound no pods count for none. Sums end at the
	// largest amount.
	Allocatable, Used, Free muster.Resources
	// Slots is how many members of the shape fit now, each node by itself; 0 without a shape.
	Slots int
	// Gangs are those with members there, in natural order of names.
	Gangs []DomainGang
}

// DomainGang is how many members of a gang, leaving ones included, are in a domain.
type DomainGang struct {
	Gang    string
	Members int
}

// Domains iterates over the domains of a topology, named as in [gang.Request], each before those in it, in the order of paths; the whole
// topology first. Nodes are not among them, see [Cluster.Nodes]. shape may be nil.
//
// It costs O((nodes + domains) * resources + running members) at once, the index of the shape where that is not known, and for each
// domain O(members in it), sorted. Errors are [muster.InvalidError]s.
func (c *Cluster) Domains(tree string, shape *gang.Shape) (iter.Seq[Domain], error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	req := &gang.Request{Name: "domains", Members: []gang.Member{{Name: "domains-0"}}, Tree: tree}
	if shape != nil {
		req.Shape = *shape
	}
	p, err := search.New(s, req, nil, bounds.Search{})
	if err != nil {
		return nil, err
	}
	defer p.Done()
	sums, gangs := sumDomains(s, p.Model.View), gangsInOrder(s)
	if shape != nil {
		ix := p.Room.Slots().OwnIndex()
		if ix == nil {
			return nil, tooSmall("shape.Resources")
		}
		for d := range sums {
			sums[d].slots = int(ix.At(layout.Vertex(d)))
		}
	}
	v := p.Model.View
	return func(yield func(Domain) bool) {
		var walk func(d layout.Vertex) bool
		walk = func(d layout.Vertex) bool {
			if d != layout.Root && v.Named(d) == layout.Root { // what is outside, and what holds the nodes of a topology without layers
				return true
			}
			if !yield(domainOf(s, v, d, &sums[d], gangs)) {
				return false
			}
			first, end := v.Kids(d)
			for x := first; x < end && !v.IsNode(x); x++ {
				if !walk(x) {
					return false
				}
			}
			return true
		}
		walk(layout.Root)
	}, nil
}

// tooSmall is the error of a shape of which more members fit than can be counted.
func tooSmall(field string) error {
	return muster.Invalid(field, "", "asks for next to nothing: more fit than can be counted")
}

// domainSum is what the nodes of a domain have, by resource.
type domainSum struct {
	allocatable, used, free []int64
	nodes, inService, slots int
}

// sumDomains sums up every domain of a view.
func sumDomains(s *snapshot.Snapshot, v *layout.View) []domainSum {
	n := len(s.Lineage.Resources)
	amounts := make([]int64, 3*n*v.NumDomains())
	sums := make([]domainSum, v.NumDomains())
	for d := range sums {
		own := amounts[3*n*d : 3*n*(d+1)]
		sums[d].allocatable, sums[d].used, sums[d].free = own[:n], own[n:2*n], own[2*n:]
	}
	for pos := range v.Nodes {
		sums[v.LeafOf[pos]].addNode(s, v.Node(pos))
	}
	for d := len(sums) - 1; d > 0; d-- { // parents come first
		up, own := &sums[v.Parent[d]], &sums[d]
		addUp(up.allocatable, own.allocatable)
		addUp(up.used, own.used)
		addUp(up.free, own.free)
		up.nodes, up.inService = up.nodes+own.nodes, up.inService+own.inService
	}
	return sums
}

// addNode adds a node, if it is there.
func (d *domainSum) addNode(s *snapshot.Snapshot, id int32) {
	flags := s.FlagsOf(id)
	if flags&snapshot.Present == 0 {
		return
	}
	d.nodes++
	serves := flags&(snapshot.Cordoned|snapshot.NotReady) == 0
	if serves {
		d.inService++
	}
	for r, amount := range s.Static.ClassOf(id).Capacity() {
		if amount == snapshot.Boundless && s.Lineage.Resources[r] == muster.Pods {
			continue
		}
		d.allocatable[r] = plus(d.allocatable[r], amount)
		if serves {
			d.free[r] = plus(d.free[r], max(0, s.Free[r].At(id)))
		}
	}
	for m := range snapshot.MembersOn(s, id) {
		if _, held := holds.For(m.Class.Gang); !held {
			addUp(d.used, m.Class.Holds)
		}
	}
}

func addUp(sums, amounts []int64) {
	for r, amount := range amounts {
		sums[r] = plus(sums[r], amount)
	}
}

// plus is a sum of amounts that ends at the largest one.
func plus(a, b int64) int64 { return min(a, math.MaxInt64-b) + b }

// gangOrder are the gangs of a snapshot in natural order of names, and the place of each.
type gangOrder struct {
	names []string
	place map[string]int32
}

func gangsInOrder(s *snapshot.Snapshot) *gangOrder {
	o := &gangOrder{place: map[string]int32{}}
	s.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		o.place[g.Name], o.names = int32(len(o.names)), append(o.names, g.Name)
		return true
	})
	return o
}

func domainOf(s *snapshot.Snapshot, v *layout.View, d layout.Vertex, sum *domainSum, gangs *gangOrder) Domain {
	out := Domain{
		Path: v.Path(d, s.Lineage.NodeName), Tier: int(v.TierOf(d)), Layer: v.LayerName(v.TierOf(d)),
		Nodes: sum.nodes, InService: sum.inService, Slots: sum.slots,
		Allocatable: muster.Resources{}, Used: muster.Resources{}, Free: muster.Resources{},
	}
	for r, name := range s.Lineage.Resources {
		if sum.allocatable[r] > 0 {
			out.Allocatable[name], out.Free[name] = sum.allocatable[r], sum.free[r]
		}
		if sum.used[r] > 0 {
			out.Used[name] = sum.used[r]
		}
	}
	var there []int32 // the place of the gang of each member
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		for m := range snapshot.MembersOn(s, v.Node(pos)) {
			if _, held := holds.For(m.Class.Gang); !held {
				there = append(there, gangs.place[m.Class.Gang])
			}
		}
	}
	slices.Sort(there)
	for i, g := range there {
		if i == 0 || there[i-1] != g {
			out.Gangs = append(out.Gangs, DomainGang{Gang: gangs.names[g]})
		}
		out.Gangs[len(out.Gangs)-1].Members++
	}
	return out
}
