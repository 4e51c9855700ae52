// What does a gang ask of a place, in words that other schedulers have?

package placers

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// plain says that a request asks for nothing but amounts, nodes of a kind, and layers to gather in. Multiples are told apart: one scheduler knows them.
func plain(req *gang.Request, multiples bool) bool {
	switch {
	case req == nil || len(req.Members) == 0:
		return false
	case req.MinMember != 0 && req.MinMember != len(req.Members):
		return false
	case len(req.Groups) > 0 || req.PP != 0 || req.DP != 0 || len(req.Parts) > 0:
		return false
	case len(req.Limits) > 0 || req.Together != "" || len(req.GatherTogether) > 0 || len(req.LimitsTogether) > 0:
		return false
	case req.Quota != "":
		return false
	case usesHost(req):
		return false
	case !multiples && slices.ContainsFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 1 }):
		return false
	}
	s, same := commonShape(req)
	return same && s.NUMA == gang.NUMA{} && len(s.Preferred) == 0
}

// usesHost says that the host has its own word about nodes.
func usesHost(req *gang.Request) bool {
	return req.Eligible != nil || req.Slots != nil || req.Score != nil || len(req.Exclude) > 0 || len(req.Inside) > 0 || len(req.Refused) > 0
}

// commonShape is what each member asks for; false: they ask for different things.
func commonShape(req *gang.Request) (*gang.Shape, bool) {
	first := shapeOf(req, 0)
	for i := range req.Members {
		if s := shapeOf(req, i); s != first && !s.Equal(first) {
			return first, false
		}
	}
	return first, true
}

func shapeOf(req *gang.Request, member int) *gang.Shape {
	if own := req.Members[member].Shape; own != nil {
		return own
	}
	return &req.Shape
}

// gathering is in which layers a gang gathers, by tier.
type gathering struct {
	must   int // the lowest layer in which it must; -1: none
	prefer int // the lowest layer in which it would rather; the lowest of all where it does not say, never above must
	// multiples are by tier; nil: none.
	multiples map[int]int64
}

// gathers reads the rules of a gang.
func gathers(tree *topology.Tree, req *gang.Request) (gathering, error) {
	g := gathering{must: -1, prefer: -1}
	for _, r := range req.Gather {
		tier, ok := tierOf(tree, r.Layer)
		if !ok {
			return g, muster.Invalid("request.Gather", r.Layer, "unknown layer")
		}
		switch {
		case r.Strength == gang.MustGather && (g.must < 0 || tier < g.must):
			g.must = tier
		case r.Strength == gang.PreferGather && (g.prefer < 0 || tier < g.prefer):
			g.prefer = tier
		}
		if r.Multiple > 1 {
			if g.multiples == nil {
				g.multiples = map[int]int64{}
			}
			g.multiples[tier] = int64(r.Multiple)
		}
	}
	if layers := tree.Layers(); g.prefer < 0 && len(layers) > 0 {
		g.prefer = layers[0].Tier
	}
	g.prefer = max(g.prefer, 0)
	if g.must >= 0 {
		g.prefer = min(g.prefer, g.must)
	}
	return g, nil
}

// tierOf is the tier of a layer by its name, or by the tier in digits.
func tierOf(tree *topology.Tree, layer string) (int, bool) {
	if l, ok := tree.Layer(layer); ok {
		return l.Tier, true
	}
	tier, err := strconv.Atoi(layer)
	if err != nil {
		return 0, false
	}
	return tier, tier == 0 || slices.ContainsFunc(tree.Layers(), func(l topology.Layer) bool { return l.Tier == tier })
}

// byRank are the members of a gang in the order of their ranks. O(members), sorted where they do not stand in it.
func byRank(req *gang.Request) []int {
	return sorted(req, func(a, b *gang.Member) int {
		switch {
		case a.Indexed && b.Indexed:
			return cmp.Or(cmp.Compare(a.Index, b.Index), muster.CompareNatural(a.Name, b.Name))
		case a.Indexed != b.Indexed:
			if a.Indexed {
				return -1
			}
			return 1
		}
		return muster.CompareNatural(a.Name, b.Name)
	})
}

// byName are the members in the order of the bytes of their names.
func byName(req *gang.Request) []int {
	return sorted(req, func(a, b *gang.Member) int { return cmp.Compare(a.Name, b.Name) })
}

func sorted(req *gang.Request, compare func(a, b *gang.Member) int) []int {
	order := make([]int, len(req.Members))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compare(&req.Members[a], &req.Members[b]) })
	return order
}
