// What does a gang take at least to start, whatever its rules say?

package placement

import (
	"math"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/snapshot"
)

// askOf is what every plan of a gang takes at least; false: nothing is known of that. O(nodes + members * resources).
// What a plan may take beyond the amounts of nodes, such as what is not seen or leaves, is to be known to [ends.Timeline.Asks].
//
// order: time.3
func askOf(s *snapshot.Snapshot, req *gang.Request) (a ends.Ask, known bool) {
	a.Members = int64(leastNew(s, req))
	v := s.Lineage.Tree(req.Tree)
	if a.Members < 1 || v == nil || req.Slots != nil {
		return a, false // the plan says what is wrong, or the host what a node takes
	}
	inside := layout.Root
	if len(req.Inside) > 0 {
		if inside, known = v.Find(req.Inside, s.Lineage.ID); !known {
			return a, false
		}
	}
	a.Amounts = leastAmounts(s, req)
	a.Domain = make([]int32, len(s.Lineage.Names))
	for id := range a.Domain {
		a.Domain[id] = -1
	}
	domains := []layout.Vertex{layout.Root}
	if tier, ok := tightest(v, req.Gather); ok {
		domains = v.DomainsOf(tier)
	}
	for d, x := range domains {
		for pos := max(v.First(x), v.First(inside)); pos < min(v.EndOf(x), v.EndOf(inside)); pos++ {
			a.Domain[v.Node(pos)] = int32(d)
		}
	}
	for _, name := range req.Exclude {
		if id, ok := s.Lineage.ID(name); ok {
			a.Domain[id] = -1
		}
	}
	a.Domains = len(domains)
	return a, true
}

// tightest is the lowest tier at which rules want a gang to be together; false: at none.
func tightest(v *layout.View, rules []gang.Rule) (tier int32, is bool) {
	tier = math.MaxInt32
	for _, r := range rules {
		if t, ok := v.TierNamed(r.Layer); ok && r.Strength == gang.MustGather {
			tier, is = min(tier, t, v.RootTop-1), true
		}
	}
	return tier, is
}

// leastNew is the number of new members that are placed at least.
func leastNew(s *snapshot.Snapshot, req *gang.Request) int {
	switch {
	case req.MinMember > 0:
		return max(1, req.MinMember-s.MembersOf(req.Name).Len())
	case req.MinParts == 0 && allWhole(req.Parts):
		return len(req.Members)
	}
	return min(1, len(req.Members))
}

// allWhole says whether all members of parts must be placed.
func allWhole(parts []gang.Part) bool {
	for i := range parts {
		if p := &parts[i]; p.MinMember != 0 || p.MinParts != 0 || !allWhole(p.Parts) {
			return false
		}
	}
	return true
}

// leastAmounts are what each member takes at least, by resource; what the cluster lacks is left out.
func leastAmounts(s *snapshot.Snapshot, req *gang.Request) (least []int64) {
	pool := s.Lineage.Amounts()
	for i := range req.Members {
		shape := &req.Shape
		if own := req.Members[i].Shape; own != nil {
			shape = own
		} else if i > 0 && req.Members[i-1].Shape == nil {
			continue
		}
		amounts := pool.Vector(shape.Resources, 0) // nil: the plan says what is wrong
		if least == nil {
			least = append(least, amounts...)
		}
		for r := range amounts {
			least[r] = min(least[r], amounts[r])
		}
	}
	return least
}
