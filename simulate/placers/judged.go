package placers

import (
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

// Judged is a placer whose answers are compared with a plan ([simulate.Muster]) without victims on the same cluster, while it is used. It places as the placer does. A value belongs to one simulation.
type Judged struct {
	Placer simulate.Placer
	// Asked is how often it was asked, and Unasked how often not, as it has no word for what the gang asks for.
	Asked, Unasked int
	// Refused is how often it found no place where there is a plan, Placed how often both have one, and Wider how often its place is then in a wider domain: lowest domain above all members,
	// against that of the plan.
	Refused, Placed, Wider int
	// Units is how many lowest domains the gangs that both have placed are in, and Planned in how many the plans put them, on the same clusters. Nodes outside the topology count as one.
	Units, Planned int
}

// Place implements [simulate.Placer].
func (j *Judged) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	place, err := j.Placer.Place(c, req)
	if err != nil {
		return nil, err
	}
	if a, is := j.Placer.(Asked); is && !a.CanAsk(req) {
		j.Unasked++
		return place, nil
	}
	j.Asked++
	free := *req
	free.NeverPreempts = true // rules of others evict nobody here
	plan, err := simulate.Muster{}.Place(c, &free)
	switch {
	case err != nil:
		return nil, err
	case plan == nil:
		return place, nil
	case place == nil:
		j.Refused++
		return nil, nil
	}
	j.Placed++
	tree, err := treeOf(c, req)
	if err != nil {
		return nil, err
	}
	nodes := place.Nodes
	if place.Plan != nil {
		nodes = nodesOf(place.Plan)
	}
	planned := nodesOf(plan.Plan)
	j.Units, j.Planned = j.Units+units(tree, nodes), j.Planned+units(tree, planned)
	if reach(tree, nodes) > reach(tree, planned) {
		j.Wider++
	}
	return place, nil
}

// units is how many lowest domains some nodes are in. O(nodes).
func units(tree *topology.Tree, nodes []string) int {
	in := map[topology.DomainID]bool{}
	for _, name := range nodes {
		if id, is := tree.Node(name); is {
			in[tree.Leaf(id)] = true
		} else if name != "" {
			in[topology.Root] = true
		}
	}
	return len(in)
}

func nodesOf(plan *placement.Result) (nodes []string) {
	for i := range plan.Assignments {
		nodes = append(nodes, plan.Assignments[i].Node)
	}
	return nodes
}

// reach is the tier of the lowest domain above some nodes, 0 of one node; that of the root if any is outside. O(nodes * tiers).
func reach(tree *topology.Tree, nodes []string) int {
	ids := make([]topology.NodeID, 0, len(nodes))
	for _, name := range nodes {
		if name == "" {
			continue
		}
		id, in := tree.Node(name)
		if !in {
			return tree.RootTier()
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) < 2 {
		return 0
	}
	return tree.Tier(tree.LCA(ids...))
}
