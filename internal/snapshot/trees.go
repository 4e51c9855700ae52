// How do topologies change under what runs?

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/layout"
)

// changeTrees replaces and adds topologies of a fork, and returns the snapshot to go on with: the fork itself, in a lineage of its
// own with the same ids, where these know all nodes of the trees, else a snapshot built anew. What was kept of plans is gone.
// O(nodes) for each tree.
func changeTrees(c *Snapshot, set []cluster.NamedTree) (*Snapshot, error) {
	if len(set) == 0 {
		return c, nil
	}
	if defects := checkTrees(set); len(defects) > 0 {
		return nil, defects[0]
	}
	trees := slices.Clone(c.Lineage.trees)
	for _, t := range set {
		if i := slices.IndexFunc(trees, func(old cluster.NamedTree) bool { return old.Name == t.Name }); i >= 0 {
			trees[i] = t
		} else {
			trees = append(trees, t)
		}
	}
	if next := c.Lineage.withTrees(trees); next != nil {
		c.Lineage, c.Caches, c.follows = next, &caches{}, false
		recloseAll(c)
		return c, nil
	}
	return c.rebuild(trees, nil, nil, nil)
}

// withTrees is a lineage of other trees with the same nodes; nil if one of the trees has a node without an id. Views of trees that
// stay are shared.
func (l *Lineage) withTrees(trees []cluster.NamedTree) *Lineage {
	next := &Lineage{
		trees: trees, Names: l.Names, first: l.first, outside: l.outside, Resources: l.Resources, resourceIDs: l.resourceIDs, pods: l.pods, notices: l.notices,
		cloning: l.cloning, Exclusive: l.Exclusive, fixedTotal: l.fixedTotal, KeptShapes: l.KeptShapes, KeptSizes: l.KeptSizes,
	}
	for i, t := range trees {
		if i < len(l.trees) && l.trees[i] == t {
			next.Views = append(next.Views, l.Views[i])
			continue
		}
		order, known := l.ids(t.Tree)
		if !known {
			return nil
		}
		next.Views = append(next.Views, layout.New(t.Name, t.Tree, l.Names, order))
	}
	return next
}

// Degraded lists the gangs whose running members, leaving ones left out, are in a wider domain of a topology than they were in an
// earlier snapshot, by gang and topology. One that had members elsewhere then is compared all the same. O(members).
func Degraded(since, c *Snapshot) (out []cluster.Degraded) {
	c.Gangs.Ascend(func(g *GangMembers) bool {
		for _, v := range c.Lineage.Views {
			before := since.View(v.Name)
			if before == nil {
				continue
			}
			was, now := tierOf(before, since.MembersOf(g.Name)), tierOf(v, g.Members)
			if was >= 0 && now > was {
				out = append(out, cluster.Degraded{Gang: g.Name, Tree: v.Name, From: int(was), To: int(now)})
			}
		}
		return true
	})
	return out
}

// tierOf is the tier of the lowest domain that has all members, -1 if fewer than two stay.
func tierOf(v *layout.View, members Members) int32 {
	var positions []int32
	for _, m := range members.All() {
		if !m.Leaving {
			positions = append(positions, v.At(m.Node))
		}
	}
	if len(positions) < 2 {
		return -1
	}
	return v.TierOf(v.Lowest(positions))
}
