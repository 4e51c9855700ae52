package gather

import (
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// maxScore bounds the host score of a node, so that no sum over members overflows.
const maxScore = 1 << 36

// nodeScore is the host score of one unit on a node: the host's, and the weights of the preferences it matches.
func (a *ask) nodeScore(x layout.Vertex) int64 {
	if !a.p.Scored() {
		return 0
	}
	pos := a.p.View.Position(x)
	if score, ok := a.scores[pos]; ok {
		return score
	}
	id := a.p.View.Node(pos)
	name := a.p.Snapshot.Lineage.Names[id]
	var score int64
	for _, shape := range a.p.Shapes {
		score += shape.PreferenceScore(name, a.p.Snapshot.Static.At(id).Labels)
	}
	if a.p.Request.Score != nil {
		score += a.p.Request.Score(name) * int64(a.p.Size())
	}
	if a.scores == nil {
		a.scores = map[int32]int64{}
	}
	score = max(-maxScore, min(maxScore, score))
	a.scores[pos] = score
	return score
}

// scoreOn is the score of so many units on a node.
func (a *ask) scoreOn(x layout.Vertex, units int64) sets.Score {
	return sets.Score{Zones: a.p.Zones().ZoneScore(x, units), Host: a.nodeScore(x) * units}
}

// hostScore sums host scores over the members of a share.
func (pl placer) hostScore(sh *share) (sum int64) {
	if pl.p.View.IsNode(sh.at) {
		return pl.ask.nodeScore(sh.at) * pl.ask.newMembers(&sh.demand)
	}
	for i := range sh.parts {
		sum += pl.hostScore(&sh.parts[i])
	}
	return sum
}

// scoreBelow is the score of a demand below x, when it is placed there.
func (pl placer) scoreBelow(x layout.Vertex, d demand) sets.Score {
	if pl.p.View.IsNode(x) {
		return pl.ask.scoreOn(x, pl.ask.newMembers(&d))
	}
	if !pl.p.Scored() {
		return sets.Score{}
	}
	sh := pl.place(x, d)
	return sets.Score{Host: pl.hostScore(&sh)}
}

// newMembers is the number of members of a demand.
func (a *ask) newMembers(d *demand) int64 {
	var n int64
	for level, units := range d.units {
		n += units * a.sizes[level]
	}
	if d.short {
		n += a.short
	}
	for _, g := range d.begun {
		n += a.begun[g].need * a.sizes[a.begun[g].level+1]
	}
	return n
}
