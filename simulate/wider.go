// How many gangs lie wider than they would if nobody else were there?

package simulate

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// TierGangs counts gangs by a tier: Ideal those that would lie in one of its domains if nobody else were there, and Reached those that did when they first started. Tier and Layer
// are as in [placement.Result].
type TierGangs struct {
	Tier           int
	Layer          string
	Ideal, Reached int
}

// lies is the tier of the smallest domain that holds a gang.
type lies struct {
	tier  int
	layer string
}

// alone is what becomes of a gang where nobody else is.
type alone struct {
	never bool  // the placer has no place for it
	ideal *lies // nil: it has none by its own rules, which the placer does not know
}

// aloneOf finds it: by the placer whether it has a place, under quotas to come if not under these, and by [placement.Plan] where it would lie, which is the lowest tier that its rules allow.
func (l *loop) aloneOf(req *gang.Request) (alone, error) {
	c := l.empty
	place, err := l.opt.Placer.Place(c, req)
	for i := 0; i < len(l.quotas.coming) && place == nil && err == nil; i++ {
		c = l.quotas.coming[i]
		place, err = l.opt.Placer.Place(c, req)
	}
	if err != nil || place == nil {
		return alone{never: true}, err
	}
	plan := place.Plan
	if _, is := l.opt.Placer.(Muster); !is {
		if plan, err = placement.Plan(c, req); err != nil { // what is wrong with its rules is for the placer to say, if it cares
			return alone{}, nil //nolint:nilerr // see above
		}
	}
	return alone{ideal: &lies{plan.Tier, plan.Layer}}, nil
}

// reached is where a gang lies that starts at a place. O(members) where that has nodes and no plan.
func (l *loop) reached(req *gang.Request, place *Place) lies {
	if place.Plan != nil {
		return lies{place.Plan.Tier, place.Plan.Layer}
	}
	tree := l.treeOf(req.Tree)
	used := slices.Compact(slices.Sorted(slices.Values(place.Nodes)))
	used = slices.DeleteFunc(used, func(name string) bool { return name == "" })
	if len(used) == 1 {
		return lies{0, "node"}
	}
	var ids []topology.NodeID
	for _, name := range used {
		id, is := tree.Node(name)
		if !is { // outside of the tree
			return lies{tree.RootTier(), ""}
		}
		ids = append(ids, id)
	}
	tier := tree.Tier(tree.LCA(ids...))
	if tier >= tree.RootTier() {
		return lies{tier, ""}
	}
	return lies{tier, cmp.Or(tree.LayerName(tier), strconv.Itoa(tier))}
}

// treeOf is the topology that a request means by a name: without one the only one, else "default"; nil: there is none.
func (l *loop) treeOf(name string) *topology.Tree {
	trees := l.opt.Cluster.Trees()
	if name == "" && len(trees) == 1 {
		return trees[0].Tree
	}
	tree, _ := l.opt.Cluster.Tree(cmp.Or(name, "default"))
	return tree.Tree
}

// lies notes where a gang lies that first starts, and where it would if nobody else were there.
func (r *Report) lies(ideal, at lies) {
	if at.tier > ideal.tier {
		r.Wider++
	}
	r.tier(ideal).Ideal++
	r.tier(at).Reached++
}

// tier is the row of a tier: they stand by tier, then by layer.
func (r *Report) tier(of lies) *TierGangs {
	i, is := slices.BinarySearchFunc(r.Tiers, of, func(row TierGangs, of lies) int {
		return cmp.Or(cmp.Compare(row.Tier, of.tier), cmp.Compare(row.Layer, of.layer))
	})
	if !is {
		r.Tiers = slices.Insert(r.Tiers, i, TierGangs{Tier: of.tier, Layer: of.layer})
	}
	return &r.Tiers[i]
}
