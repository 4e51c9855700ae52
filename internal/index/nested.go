package index

import "github.com/muster-sched/muster/internal/layout"

// Nested counts the units of several levels of groups, the outermost first, that fit below a domain when each must lie
// whole in one domain of its level's tier. Each level by itself is counted by its [GroupSums]. Where the tiers of inner
// levels bind the units of an outer one, these are counted when first asked for, and only below the domain asked about.
//
// It belongs to one plan.
type Nested struct {
	ix     *Index
	Levels []*GroupSums // each as if no other level were there: together no more fit
	chains []chain
}

// NewNested takes the sums of an index for the size of each level.
func NewNested(ix *Index, levels []*GroupSums) *Nested { return &Nested{ix: ix, Levels: levels} }

// chain is a level whose units lie each whole in a domain of a tier, with the levels inside it that bind them there.
// Strategies share the chains that they have in common.
type chain struct {
	level  int
	tier   int32
	inside []int32 // by level inside: its tier if it binds, else -1
	units  []int32 // by domain above the tier; -1: not counted yet
}

// Whole is how many units of level i fit below x, each in one domain of tier t, its inner units within the tiers of
// their levels. x is a domain above tier t. O(1) where the level by itself tells; else what lies below x is counted the
// first time, O(domains of tier t there).
func (n *Nested) Whole(tiers []int32, i int, t int32, x layout.Vertex) int64 {
	v := n.ix.V
	alone := n.Levels[i].Whole[v.TierIndex(t)].At(x)
	lo, end := v.Kids(x)
	if alone == 0 || !binds(tiers[i+1:], t) || v.IsNode(lo) { // a node is a domain of each tier
		return int64(alone)
	}
	units := n.chainOf(tiers, i, t).units
	if known := units[x]; known >= 0 {
		return int64(known)
	}
	var sum int64
	for c := lo; c < end; c++ {
		if v.Tier[c] > t {
			sum += n.Whole(tiers, i, t, c)
		} else {
			sum += n.own(tiers, i, c)
		}
	}
	units[x] = int32(sum)
	return sum
}

// own is how many units of level i fit below x if they may lie anywhere in it. A level with a tier at or above x's binds
// nothing there, as floor(floor(n / a) / b) = floor(n / (a * b)).
func (n *Nested) own(tiers []int32, i int, x layout.Vertex) int64 {
	for k := i + 1; k < len(n.Levels); k++ {
		if tiers[k] < n.ix.V.Tier[x] {
			return n.Whole(tiers, k, tiers[k], x) / int64(n.Levels[i].size/n.Levels[k].size)
		}
	}
	return int64(n.ix.Domains.At(x) / n.Levels[i].size)
}

// binds says whether one of these tiers is below t.
func binds(tiers []int32, t int32) bool {
	for _, inner := range tiers {
		if inner < t {
			return true
		}
	}
	return false
}

// chainOf finds or begins the chain of level i in tier t. O(chains * levels).
func (n *Nested) chainOf(tiers []int32, i int, t int32) *chain {
	for k := range n.chains {
		if c := &n.chains[k]; c.level == i && c.tier == t && c.hasInside(tiers[i+1:]) {
			return c
		}
	}
	v := n.ix.V
	c := chain{level: i, tier: t, inside: make([]int32, len(tiers)-i-1), units: make([]int32, v.UpTo[v.TierIndex(t)])}
	for x := range c.units {
		c.units[x] = -1
	}
	for k, inner := range tiers[i+1:] {
		if c.inside[k] = -1; inner < t {
			c.inside[k], t = inner, inner
		}
	}
	n.chains = append(n.chains, c)
	return &n.chains[len(n.chains)-1]
}

// hasInside says whether levels with these tiers bind as the chain's do.
func (c *chain) hasInside(tiers []int32) bool {
	t := c.tier
	for k, inner := range tiers {
		if inner < t {
			t = inner
		} else {
			inner = -1
		}
		if inner != c.inside[k] {
			return false
		}
	}
	return true
}
