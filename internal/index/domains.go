package index

import (
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// DomainsWith iterates over the domains of a tier that have at least so many slots, in the order of paths. The number may
// rise on the way. O(domains above that have such a domain, and their children).
func (ix *Index) DomainsWith(tier int32, least func() int64) iter.Seq[layout.Vertex] {
	v, place := ix.V, ix.V.TierIndex(tier)
	return func(yield func(layout.Vertex) bool) {
		var walk func(x layout.Vertex) bool
		walk = func(x layout.Vertex) bool {
			if v.TierOf(x) <= tier {
				return ix.At(x) < least() || yield(x)
			}
			if place >= 0 && int64(ix.Most[place].At(x)) < least() {
				return true
			}
			lo, end := v.Kids(x)
			for c := lo; c < end; c++ {
				if !walk(c) {
					return false
				}
			}
			return true
		}
		walk(layout.Root)
	}
}

// HasDomain says whether some domain of a tier has so many slots; above the switch tiers it says yes. O(1).
func (ix *Index) HasDomain(tier int32, slots int64) bool {
	place := ix.V.TierIndex(tier)
	return place < 0 || place >= len(ix.Most) || slots <= int64(ix.Most[place].At(layout.Root))
}

// withAbove lists domains and all domains above them in the order of [upwards]. It may overwrite the list given.
func withAbove(v *layout.View, domains []layout.Vertex) []layout.Vertex {
	domains = upwards(domains)
	for _, x := range domains {
		for up := v.Parent[x]; up >= 0; up = v.Parent[up] {
			domains = append(domains, up)
		}
	}
	return upwards(domains)
}

// upwards sorts domains so that children come before their parents, each once. It works in place.
func upwards(domains []layout.Vertex) []layout.Vertex {
	slices.Sort(domains)
	domains = slices.Compact(domains)
	slices.Reverse(domains)
	return domains
}

// kidsUpTo is the end of those children of the domains above the tier at place i that are domains.
func kidsUpTo(v *layout.View, i int) (end int) {
	for d := range layout.Vertex(v.UpTo[i]) {
		if _, last := v.Kids(d); v.Tier[d] > v.Tiers[i] && !v.HoldsNodes(d) {
			end = max(end, int(last))
		}
	}
	return end
}
