// Which strategies are there, and which domains does one allow?

package model

import (
	"iter"

	"github.com/muster-sched/muster/internal/layout"
)

// Strategy bounds the tier of the gang and of each group level.
type Strategy struct {
	Gang   int32
	Groups []int32 // by level, outermost first; for a gang in parts the miss allowed on that level
}

// Strategies enumerates the strategies that the rules of a gang of one shape allow, best first: by the gang's tier,
// then the groups', outermost first. Worths are ascending, so that nested loops give this order. For k tiers and one
// level of groups these are k(k+1)/2 strategies, and about as many times k for each further level: so whoever looks for
// the ones that fit gives try. It is asked before the tiers of a level are gone through, with this level and those
// inside it bound by their hard rules alone; if even that does not fit, no strategy with the same outer tiers does, and
// all of them are left out. With nil none is. The slices of groups are the iterator's.
//
// order: strategy.3
func (m *Model) Strategies(try func(Strategy) bool) iter.Seq[Strategy] {
	return func(yield func(Strategy) bool) {
		st := Strategy{Groups: make([]int32, len(m.Levels))}
		for _, t := range m.Gather.Worths {
			st.Gang = t
			if !m.groupTiers(st, 0, t, try, yield) {
				return
			}
		}
	}
}

// groupTiers enumerates the tiers of group levels i and inwards; outer is the tier of the level around, at most the
// gang's. A tier at or above outer binds no more than outer does. The first such tier stands for the looser ones,
// which are left out. It is false if yield ended the enumeration.
func (m *Model) groupTiers(st Strategy, i int, outer int32, try, yield func(Strategy) bool) bool {
	if i == len(st.Groups) {
		return yield(st)
	}
	if try != nil {
		for k := i; k < len(st.Groups); k++ {
			st.Groups[k] = m.Levels[k].Gather.Must
		}
		if !try(st) {
			return true
		}
	}
	for _, t := range m.Levels[i].Gather.Worths {
		st.Groups[i] = t
		if !m.groupTiers(st, i+1, min(t, outer), try, yield) {
			return false
		}
		if t >= outer {
			break
		}
	}
	return true
}

// Candidates lists the domains of a tier that may hold the gang, in the order of paths. If members run there is at
// most one, above them all. O(domains) without running members, else O(tiers).
func (m *Model) Candidates(t int32) []layout.Vertex {
	if m.LCA < 0 {
		return m.View.DomainsOf(t)
	}
	if d := m.AboveRunning(t); d >= 0 {
		return []layout.Vertex{d}
	}
	return nil
}

// AboveRunning is the domain of a tier that holds all running members of the gang, -1 if there is none.
func (m *Model) AboveRunning(t int32) layout.Vertex {
	if m.View.TierOf(m.LCA) > t {
		return -1
	}
	return m.View.Named(m.View.Highest(m.LCA, t)) // nodes outside the tree have no domain but the root
}
