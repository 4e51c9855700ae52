// What score has a node, or a placement below a domain, and can scores tell two vertices apart?

package gather

import (
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// maxScore bounds the host score of a node, so that no sum over members overflows.
const maxScore = 1 << 36

// nodeScore is the score of one unit on a node, within maxScore of 0, and 0 without scores. It is asked of the room once for a node.
func (a *ask) nodeScore(x layout.Vertex) int64 {
	if !a.has(features.Scored) {
		return 0
	}
	pos := a.m.View.Position(x)
	if score, ok := a.scores[pos]; ok {
		return score
	}
	if a.scores == nil {
		a.scores = map[int32]int64{}
	}
	score := max(-maxScore, min(maxScore, a.m.Room.Score(x)))
	a.scores[pos] = score
	return score
}

// scoreOn is the score of so many units on a node: of the zones that they get together, and of the host for each.
func (a *ask) scoreOn(x layout.Vertex, units int64) sets.Score {
	return sets.Score{Zones: a.m.Room.ZoneScore(x, units), Host: a.nodeScore(x) * units}
}

// hostScore is the host score of a share, summed over its members. O(nodes in the share).
func (pl placer) hostScore(sh *share) (sum int64) {
	if pl.m.View.IsNode(sh.at) {
		return pl.ask.nodeScore(sh.at) * pl.ask.newMembers(&sh.demand)
	}
	for i := range sh.parts {
		sum += pl.hostScore(&sh.parts[i])
	}
	return sum
}

// scoreBelow is the score of a demand placed below x. A domain has host scores only, and without any it costs no
// placement.
func (pl placer) scoreBelow(x layout.Vertex, d demand) sets.Score {
	if pl.m.View.IsNode(x) {
		return pl.ask.scoreOn(x, pl.ask.newMembers(&d))
	}
	if !pl.ask.has(features.Scored) {
		return sets.Score{}
	}
	sh := pl.place(x, d)
	return sets.Score{Host: pl.hostScore(&sh)}
}

// nodeLike is the position + 1 of a node that all nodes with slots at or below x equal in slots and zones; 0 if there
// is none, or none is known.
func (a *ask) nodeLike(x layout.Vertex) int32 {
	switch {
	case a.slots.Flat != nil:
		return 0
	case a.m.View.IsNode(x):
		return a.m.View.Position(x) + 1
	}
	return max(0, a.slots.Ix.Alike.At(x))
}

// alike says whether all nodes with slots at or below two vertices have equally many, and zones in the same state.
// False proves nothing.
func (a *ask) alike(v, w layout.Vertex) bool {
	x, y := a.nodeLike(v), a.nodeLike(w)
	if x == y || x == 0 || y == 0 {
		return x == y && x > 0
	}
	return a.slots.Ix.Slots.At(x-1) == a.slots.Ix.Slots.At(y-1) && a.m.Room.SameZones(a.m.View.NodeVertex(x-1), a.m.View.NodeVertex(y-1))
}

// scoresTell says whether x, or a domain of the gang's tier below it, may differ in score from the best so far, if both
// are equal in all keys before.
func (f *found) scoresTell(best, x layout.Vertex) bool {
	return f.ask.has(features.Scored) || f.ask.has(features.Aligned) && f.m.View.IsNode(best) && !f.ask.alike(best, x)
}
