package moves

import "slices"

// tree are the domains of all tiers as vertices: those of a tier follow each other, and the units, of the narrowest one, come first.
type tree struct {
	first, end []int32 // by vertex: the interval of its units
	parent     []int32 // by vertex: the domain of the next tier that it is in; -1 of all
	tier       []int
	from       []int32 // by tier: its first vertex; one more
}

func newTree(units int, tiers [][]int32) *tree {
	t := &tree{from: []int32{0}}
	for k, starts := range tiers {
		for i, first := range starts {
			end := int32(units)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			t.first, t.end, t.tier = append(t.first, first), append(t.end, end), append(t.tier, k)
		}
		t.from = append(t.from, int32(len(t.first)))
	}
	for x := range t.first {
		t.parent = append(t.parent, -1)
		if k := t.tier[x]; k+1 < len(tiers) {
			t.parent[x] = t.at(t.first[x], k+1)
		}
	}
	return t
}

// at is the vertex of a tier that a unit is in.
func (t *tree) at(unit int32, tier int) int32 {
	of := t.first[t.from[tier]:t.from[tier+1]]
	i, is := slices.BinarySearch(of, unit)
	if !is {
		i--
	}
	return t.from[tier] + int32(i)
}

// has says whether a unit is in a vertex.
func (t *tree) has(x, unit int32) bool { return t.first[x] <= unit && unit < t.end[x] }

// holds says whether x is y, or above it.
func (t *tree) holds(x, y int32) bool {
	return t.tier[x] >= t.tier[y] && t.first[x] <= t.first[y] && t.end[y] <= t.end[x]
}

// home is the narrowest vertex of at least a tier that has all units of a gang.
func (t *tree) home(g *Gang) int32 {
	return t.over(g.Parts[0].Unit, g.Parts[len(g.Parts)-1].Unit, g.Tier)
}

// over is the narrowest vertex of at least a tier that has two units, and those between them.
func (t *tree) over(low, high int32, tier int) int32 {
	for k := tier; ; k++ {
		if x := t.at(low, k); high < t.end[x] {
			return x
		}
	}
}
