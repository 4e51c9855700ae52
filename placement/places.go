// Where is each member of a plan, in the words of a launcher?

package placement

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Place says where a new member of a gang is: among the gang, on its node, in its groups and in the network. [Place.Labels] and
// [Place.Env] have it for its pod.
type Place struct {
	// Member, Node and Rank are as in [Assignment].
	Member, Node string
	Rank         int
	// Part is the innermost named part of the request that the member is in; empty: in none.
	Part string
	// Gang is its place among all members of the gang, Local among those on its node. Gang.Rank is Rank, unless members of lower ranks stay
	// out: it has no gaps.
	Gang, Local RankOf
	// Host is the place of the node among those of the gang, in the order of their lowest ranks.
	Host RankOf
	// Group is the outermost group, as in [Assignment]; -1 without groups. Groups are all that the member is in, outermost first.
	Group  int
	Groups []PlaceGroup
	// Domains are those of the result's topology that the node lies in, widest first, the node itself last: a layer that its branch of the tree
	// lacks is left out. Of a node outside the topology there is only the node.
	Domains []PlaceDomain
}

// RankOf is a place in an order that has no gaps. Members stand in rank order; those count that have a place and those that run and stay.
type RankOf struct {
	// Rank is from 0 to Size-1.
	Rank, Size int
}

// PlaceGroup is a group that a member is in.
type PlaceGroup struct {
	// Group is its number among all groups of its level in the gang, in rank order or, of parts, in the order of the request.
	Group int
	// Member is the place of the member in the group.
	Member RankOf
}

// PlaceDomain is a domain that a member is in.
type PlaceDomain struct {
	// Tier, Layer and Domain are as in [Result]: the path from the root.
	Tier   int
	Layer  string
	Domain []string

	key string // of its label, told apart from those of other layers; empty: as the layer alone says
}

// Places says of each assignment of a result, in their order, where the member is. The cluster is the snapshot that was planned on, or
// another one that has the topology and the nodes: domains are those that it has.
//
// O(members * (log members + group levels) + nodes of the gang * tiers), running members included. The slice is the caller's; places share
// what they have in common, domains and paths, which must not change. The error is a [muster.InvalidError]: for a result that no planner
// made or whose ranks were changed, for a topology or a node that the cluster lacks.
func Places(c *Cluster, res *Result) ([]Place, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	if res == nil || len(res.holds) == 0 {
		return nil, &muster.InvalidError{Field: "result", Reason: "missing: Plan makes one"}
	}
	v := s.View(res.Tree)
	if v == nil {
		return nil, muster.Invalid("result.Tree", res.Tree, "unknown topology")
	}
	order, err := seatsOf(res)
	if err != nil {
		return nil, err
	}
	out := make([]Place, len(res.Assignments))
	for i := range res.Assignments {
		a := &res.Assignments[i]
		out[i] = Place{Member: a.Member, Node: a.Node, Rank: a.Rank, Group: -1}
	}
	stand(res, order, out)
	if err := putInDomains(s, v, out); err != nil {
		return nil, err
	}
	return out, nil
}

// seated is a member by rank: the place of its assignment, -1 for one that runs already.
type seated struct {
	seat
	of int
}

// seatsOf are the new members and those that run, in rank order. A caller may have changed the exported fields.
func seatsOf(res *Result) ([]seated, error) {
	order := make([]seated, 0, len(res.Assignments)+res.running.members.Len())
	for i := range res.Assignments {
		a := &res.Assignments[i]
		if a.Rank < 0 || a.Rank >= res.ranks {
			return nil, muster.Invalid(fmt.Sprintf("result.Assignments[%d].Rank", i), a.Rank, fmt.Sprintf("the gang has %d members", res.ranks))
		}
		order = append(order, seated{seat{a.Rank, a.Node}, i})
	}
	for m := range res.running.all() {
		order = append(order, seated{m, -1})
	}
	byRank := func(a, b seated) int { return a.rank - b.rank }
	if !slices.IsSortedFunc(order, byRank) {
		slices.SortStableFunc(order, byRank)
	}
	for i := 1; i < len(order); i++ {
		if order[i].rank == order[i-1].rank { // of two new members the later one, else the new one, which comes first
			at := max(order[i].of, order[i-1].of)
			return nil, muster.Invalid(fmt.Sprintf("result.Assignments[%d].Rank", at), order[i].rank, "another member has this rank")
		}
	}
	return order, nil
}

// stand counts the members in rank order: in the gang, on their nodes, in their groups. Places are in the order of the assignments.
func stand(res *Result, order []seated, out []Place) {
	hosts := map[string]RankOf{} // Rank is that of the node, Size that of its members so far
	var groups [][]int           // by level and number: the members so far
	var in []int                 // by level: the number of the member's group
	for i, m := range order {
		host, known := hosts[m.node]
		if !known {
			host.Rank = len(hosts)
		}
		host.Size++
		hosts[m.node] = host
		in = res.groupsOf(m.rank, in[:0])
		for level, group := range in {
			groups = counted(groups, level, group)
		}
		if m.of < 0 {
			continue
		}
		p := &out[m.of]
		p.Gang.Rank, p.Local.Rank, p.Host.Rank = i, host.Size-1, host.Rank
		if res.parts != nil {
			p.Part = res.parts[m.rank]
		}
		if len(in) > 0 {
			p.Group, p.Groups = in[0], make([]PlaceGroup, len(in))
		}
		for level, group := range in {
			p.Groups[level] = PlaceGroup{Group: group, Member: RankOf{Rank: groups[level][group] - 1}}
		}
	}
	for i := range out {
		p := &out[i]
		p.Gang.Size, p.Local.Size, p.Host.Size = len(order), hosts[p.Node].Size, len(hosts)
		for level := range p.Groups {
			p.Groups[level].Member.Size = groups[level][p.Groups[level].Group]
		}
	}
}

// groupsOf appends the numbers of the groups that a member is in, outermost first.
func (r *Result) groupsOf(rank int, in []int) []int {
	if r.groups != nil {
		return append(in, r.groups[rank]...)
	}
	for _, size := range r.sizes {
		in = append(in, rank/size)
	}
	return in
}

// counted counts one more member of a group.
func counted(groups [][]int, level, group int) [][]int {
	for len(groups) <= level {
		groups = append(groups, nil)
	}
	if n := group + 1 - len(groups[level]); n > 0 {
		groups[level] = append(groups[level], make([]int, n)...)
	}
	groups[level][group]++
	return groups
}

// putInDomains finds the domains of the places, once for each node.
func putInDomains(s *snapshot.Snapshot, v *layout.View, out []Place) error {
	keys, of := layerKeys(v), make(map[string][]PlaceDomain, 8)
	near := int32(-1) // the last node: often the next member has the same or the next one
	for i := range out {
		p := &out[i]
		domains, known := of[p.Node]
		if !known {
			if near = s.PresentNode(p.Node, near); near < 0 {
				return muster.Invalid(fmt.Sprintf("result.Assignments[%d].Node", i), p.Node, "the cluster has no such node")
			}
			domains = domainsOf(s, v, near, keys)
			of[p.Node] = domains
		}
		p.Domains = domains
	}
	return nil
}

// domainsOf lists the domains of a node, widest first.
func domainsOf(s *snapshot.Snapshot, v *layout.View, node int32, keys map[int32]string) []PlaceDomain {
	x := v.NodeVertex(v.At(node))
	path := v.Path(x, s.Lineage.NodeName)
	out := make([]PlaceDomain, len(path))
	for i := len(path) - 1; i >= 0; i-- { // what lies above the first name has none
		tier := v.TierOf(x)
		out[i] = PlaceDomain{Tier: int(tier), Layer: v.LayerName(tier), Domain: path[: i+1 : i+1], key: keys[tier]}
		x = v.Above(x)
	}
	return out
}
