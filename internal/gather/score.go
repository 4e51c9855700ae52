package gather

import (
	"cmp"
	"iter"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// score rates where members lie: on nodes by their zones, for aligned gangs, then by the host. Higher is better.
type score struct{ zones, host int64 }

func (s score) plus(o score) score { return score{s.zones + o.zones, s.host + o.host} }

func (s score) compare(o score) int {
	return cmp.Or(cmp.Compare(s.zones, o.zones), cmp.Compare(s.host, o.host))
}

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
func (a *ask) scoreOn(x layout.Vertex, units int64) score {
	return score{a.p.Zones().ZoneScore(x, units), a.nodeScore(x) * units}
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
func (pl placer) scoreBelow(x layout.Vertex, d demand) score {
	if pl.p.View.IsNode(x) {
		return pl.ask.scoreOn(x, pl.ask.newMembers(&d))
	}
	if !pl.p.Scored() {
		return score{}
	}
	sh := pl.place(x, d)
	return score{host: pl.hostScore(&sh)}
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

// scoreOf is the score of a child that takes so many units of the level at hand, and perhaps the short group.
func (c *chooser) scoreOf(it *item, units int64, short bool) score {
	d := demand{units: make([]int64, len(c.ask.sizes)), short: short}
	d.units[c.level] = units * c.unit
	return c.placer.scoreBelow(it.at, d)
}

// bestScored is, among the sets as good as the best choice, the one with the highest score.
func (k *picker) bestScored(size int, tasks []task, best *pick) []int {
	var out []int
	var top score
	for i, t := range tasks {
		k.memo, k.bit = map[pickState]*pick{}, 1<<i
		st := pickState{0, size, max(0, t.need), t.flagged}
		if p := k.solve(st); p == nil || k.compareValues(p, best) != 0 {
			continue
		}
		for set := range k.equals(st) {
			set = k.bestScores(set)
			score := k.setScore(set)
			if order := score.compare(top); out == nil || order > 0 || order == 0 && comparePlaces(set, out) < 0 {
				out, top = set, score
			}
		}
	}
	return out
}

// equals iterates over the choices from a state on that are as good as the best one, by class.
func (k *picker) equals(st pickState) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		best := k.solve(st)
		if best == nil {
			return
		}
		if best.next == nil {
			yield(nil)
			return
		}
		cl := &k.classes[st.class]
		for m := min(st.size, len(cl.items)); m >= 0; m-- {
			rest := k.after(st, m)
			if p := k.extend(st, m, k.solve(rest)); p == nil || k.compareValues(p, best) != 0 {
				continue
			}
			for set := range k.equals(rest) {
				if !yield(append(slices.Clone(cl.items[:m]), set...)) {
					return
				}
			}
		}
	}
}

// setScore is the score of what the core and the picked children take.
func (k *picker) setScore(picked []int) score {
	return k.chooser.filledScore(slices.Concat(k.core, picked))
}

// filledScore is the score of what the children of a set take.
func (c *chooser) filledScore(set []int) (sum score) {
	filled := c.tryFill(set)
	for _, i := range set {
		sum = sum.plus(c.scoreOf(&c.items[i], filled[i].given, filled[i].demand.short))
	}
	return sum
}

// keepScored takes the first n of the rest as keepAble does; among children that are equal but for their places, those
// with the highest score. Beyond maxMixed sets the first ones in path order are compared.
func (c *chooser) keepScored(set, rest []int, n int, short bool) []int {
	best := c.keepAble(rest, n, short)
	if n == 0 || len(best) < n || !c.scored() || c.byScore() && !c.byZones {
		return best
	}
	from, to := n-1, n
	for from > 0 && c.compareUsed(rest[from-1], rest[n-1]) == 0 {
		from--
	}
	for to < len(rest) && c.compareUsed(rest[to], rest[n-1]) == 0 {
		to++
	}
	top, tries := c.filledScore(slices.Concat(set, best)), 0
	for some := range combinations(rest[from:to], n-from) {
		kept := slices.Concat(rest[:from], some)
		if tries++; tries > maxMixed || short && !c.able(kept) {
			continue
		}
		score := c.filledScore(slices.Concat(set, kept))
		if order := score.compare(top); order > 0 || order == 0 && comparePlaces(kept, best) < 0 {
			best, top = kept, score
		}
	}
	return best
}

// bestScores exchanges picked children for others of their class where that raises the score. What the k-th child
// of a class takes does not depend on which one it is, so each class is decided alone, unless classes of equal slots mix
// in fill order.
func (k *picker) bestScores(picked []int) []int {
	filled := k.chooser.tryFill(slices.Concat(k.core, picked))
	var out []int
	for from := 0; from < len(k.classes); {
		to := from
		var mixed [][]int
		for ; to < len(k.classes) && k.classes[to].slots == k.classes[from].slots && k.classes[to].zones == k.classes[from].zones; to++ {
			var parts []item
			for _, j := range k.classes[to].items {
				if slices.Contains(picked, j) {
					parts = append(parts, filled[j])
				}
			}
			if len(parts) > 0 {
				mixed = append(mixed, k.assign(k.classes[to].items, parts))
			}
		}
		if len(mixed) > 1 {
			mixed = k.bestMixed(picked, from, to, mixed)
		}
		out, from = append(out, slices.Concat(mixed...)...), to
	}
	return out
}

// maxMixed bounds how many sets of children of equal slots but different class are compared by host score one by one.
const maxMixed = 1 << 12

// bestMixed tries every exchange within several classes of equal slots together, because who is last in fill order
// depends on all of them. Beyond maxMixed sets the first ones in path order are compared.
func (k *picker) bestMixed(picked []int, from, to int, chosen [][]int) [][]int {
	var others []int
	for _, i := range picked {
		if k.chooser.items[i].slots != k.classes[from].slots || k.chooser.items[i].zones != k.classes[from].zones {
			others = append(others, i)
		}
	}
	best, tries := chosen, 0
	top := k.setScore(slices.Concat(others, slices.Concat(chosen...)))
	var classes []class
	for i := from; i < to; i++ {
		if slices.ContainsFunc(k.classes[i].items, func(j int) bool { return slices.Contains(picked, j) }) {
			classes = append(classes, k.classes[i])
		}
	}
	try := make([][]int, len(classes))
	var next func(i int) bool
	next = func(i int) bool {
		if i < len(classes) {
			for set := range combinations(classes[i].items, len(chosen[i])) {
				if try[i] = set; !next(i + 1) {
					return false
				}
			}
			return true
		}
		tries++
		score := k.setScore(slices.Concat(others, slices.Concat(try...)))
		if order := score.compare(top); order > 0 || order == 0 && comparePlaces(slices.Concat(try...), slices.Concat(best...)) < 0 {
			best, top = slices.Clone(try), score
		}
		return tries < maxMixed
	}
	next(0)
	return best
}

// combinations iterates over the ways to take m of a list, in lexicographic order. Every slice is the caller's.
func combinations(list []int, m int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var walk func(from int, taken []int) bool
		walk = func(from int, taken []int) bool {
			if len(taken) == m {
				return yield(slices.Clone(taken))
			}
			for i := from; i <= len(list)-(m-len(taken)); i++ {
				if !walk(i+1, append(taken, list[i])) {
					return false
				}
			}
			return true
		}
		walk(0, make([]int, 0, m))
	}
}

// tryFill is what the children would be given if they were the set; the items stay as they are.
func (c *chooser) tryFill(set []int) []item {
	before := slices.Clone(c.items)
	c.fill(slices.Clone(set))
	filled := slices.Clone(c.items)
	copy(c.items, before)
	return filled
}

// assign chooses children to take what these parts took so that the score is largest; ties go to the earlier children.
func (k *picker) assign(children []int, parts []item) []int {
	value := func(i, j int) score {
		return k.chooser.scoreOf(&k.chooser.items[children[i]], parts[j].given, parts[j].demand.short)
	}
	out := make([]int, 0, len(parts))
	for _, i := range assign(len(children), len(parts), value) {
		out = append(out, children[i])
	}
	return out
}

// assign chooses m of n things, in order, to take m parts, in order, so that the sum of the values is largest; ties go to the
// earlier things. O(n * m).
func assign(n, m int, value func(i, j int) score) []int {
	out := make([]int, 0, m)
	if n == m || m == 0 {
		for i := range m {
			out = append(out, i)
		}
		return out
	}
	best := make([]score, (n+1)*(m+1)) // at i*(m+1)+j: things from i on take the parts from j on
	at := func(i, j int) *score { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= max(0, m-(n-i)); j-- {
			*at(i, j) = value(i, j).plus(*at(i+1, j+1))
			if n-i > m-j && at(i+1, j).compare(*at(i, j)) > 0 {
				*at(i, j) = *at(i+1, j)
			}
		}
	}
	for i, j := 0, 0; j < m; i++ {
		if n-i == m-j || *at(i, j) == value(i, j).plus(*at(i+1, j+1)) {
			out, j = append(out, i), j+1
		}
	}
	return out
}
