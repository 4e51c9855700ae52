package placement

import (
	"cmp"
	"slices"
)

// scored says whether nodes have host scores at all.
func (p *problem) scored() bool { return p.req.Score != nil || len(p.shape.Preferred) > 0 }

// nodeScore is the host score of one member on a node: the host's, and the weights of the preferences it matches.
func (s *sums) nodeScore(x vertex) int64 {
	if !s.scored() {
		return 0
	}
	pos := s.v.position(x)
	if score, ok := s.scores[pos]; ok {
		return score
	}
	id := s.v.node(pos)
	name := s.c.names[id]
	score := s.shape.PreferenceScore(name, s.c.static.at(id).labels)
	if s.req.Score != nil {
		score += s.req.Score(name)
	}
	if s.scores == nil {
		s.scores = map[int32]int64{}
	}
	s.scores[pos] = score
	return score
}

// score sums host scores over the members of a share.
func (s *sums) score(sh *share) int64 {
	if s.v.isNode(sh.at) {
		return s.nodeScore(sh.at) * s.newMembers(&sh.demand)
	}
	var sum int64
	for _, part := range sh.parts {
		sum += s.score(part)
	}
	return sum
}

// newMembers is the number of members of a demand.
func (s *sums) newMembers(d *demand) int64 {
	var n int64
	for level, units := range d.units {
		n += units * s.sizes[level]
	}
	if d.short {
		n += s.short
	}
	for _, g := range d.begun {
		n += s.begun[g].need * s.sizes[s.begun[g].level+1]
	}
	return n
}

// scoreOf is the host score of a child that takes so many units of the level at hand.
func (c *chooser) scoreOf(it *item, units int64) int64 {
	if c.v.isNode(it.at) {
		return c.nodeScore(it.at) * units * c.unit * c.sizes[c.level]
	}
	d := demand{units: make([]int64, len(c.sizes))}
	d.units[c.level] = units * c.unit
	return c.score(c.place(it.at, d))
}

// bestScores exchanges picked children for others of their class where that raises the host score. How many units the
// k-th child of a class takes does not depend on which one it is, so each class is decided alone.
func (k *picker) bestScores(picked []int) []int {
	given := k.tryFill(slices.Concat(k.core, picked))
	var out []int
	for i := range k.classes {
		cl := &k.classes[i]
		var units []int64
		for _, j := range cl.items {
			if slices.Contains(picked, j) {
				units = append(units, given[j])
			}
		}
		out = append(out, k.assign(cl.items, units)...)
	}
	return out
}

// tryFill finds how many units each child of a set would take, and leaves the items as they were.
func (k *picker) tryFill(set []int) []int64 {
	before := slices.Clone(k.items)
	k.fill(slices.Clone(set))
	given := make([]int64, len(k.items))
	for i := range k.items {
		given[i] = k.items[i].given
	}
	copy(k.items, before)
	return given
}

// assign chooses children, in path order, for the given units so that the host score is largest; ties go to the
// earlier children. O(children * units).
func (k *picker) assign(children []int, units []int64) []int {
	n, m := len(children), len(units)
	if n == m || m == 0 {
		return children[:m]
	}
	best := make([][]int64, n+1) // best[i][j]: children from i on take units from j on
	for i := n; i >= 0; i-- {
		best[i] = make([]int64, m+1)
		for j := m - 1; j >= max(0, m-(n-i)); j-- {
			take := k.scoreOf(&k.items[children[i]], units[j]) + best[i+1][j+1]
			if n-i > m-j {
				take = max(take, best[i+1][j])
			}
			best[i][j] = take
		}
	}
	var out []int
	for i, j := 0, 0; j < m; i++ {
		if n-i == m-j || best[i][j] == k.scoreOf(&k.items[children[i]], units[j])+best[i+1][j+1] {
			out, j = append(out, children[i]), j+1
		}
	}
	return out
}

// bestByScore is the set with the largest host score as it will be filled: a program over the children in fill order,
// in which those after the one at hand keep a unit each.
func (k *picker) bestByScore(size int) []int {
	order := slices.Concat(k.core, k.pool)
	slices.SortStableFunc(order, k.compareFill)
	p := scoreProgram{picker: k, order: order, memo: map[scoreState]*scorePick{}, must: map[int]bool{}}
	for _, i := range k.core {
		p.must[i] = true
	}
	best := p.solve(scoreState{at: 0, extra: size, left: k.n})
	if best == nil {
		return nil
	}
	var out []int
	for ; best.next != nil; best = best.next {
		if i := order[best.at]; best.taken && !p.must[i] {
			out = append(out, i)
		}
	}
	return out
}

type scoreState struct {
	at, extra int
	left      int64 // units that the children from here on take
}

type scorePick struct {
	at             int
	taken          bool
	friends, score int64
	next           *scorePick
}

type scoreProgram struct {
	*picker
	order []int
	must  map[int]bool
	memo  map[scoreState]*scorePick
}

func (p *scoreProgram) solve(st scoreState) *scorePick {
	if st.at == len(p.order) {
		if st.extra > 0 || st.left > 0 {
			return nil
		}
		return &scorePick{at: st.at}
	}
	if best, ok := p.memo[st]; ok {
		return best
	}
	i := p.order[st.at]
	best := p.take(st, i)
	if !p.must[i] {
		if next := p.solve(scoreState{st.at + 1, st.extra, st.left}); next != nil {
			skip := &scorePick{at: st.at, friends: next.friends, score: next.score, next: next}
			if best == nil || p.compareScored(skip, best) < 0 {
				best = skip
			}
		}
	}
	p.memo[st] = best
	return best
}

// take gives the child as much as it can hold while every one after it keeps what it must.
func (p *scoreProgram) take(st scoreState, i int) *scorePick {
	extra := st.extra
	if !p.must[i] {
		extra--
	}
	if extra < 0 {
		return nil
	}
	after := int64(extra)
	for _, j := range p.order[st.at+1:] {
		if p.must[j] {
			after += max(1, p.items[j].lo)
		}
	}
	it := &p.items[i]
	n := min(it.hi, st.left-after)
	if n < max(1, it.lo) {
		return nil
	}
	next := p.solve(scoreState{st.at + 1, extra, st.left - n})
	if next == nil {
		return nil
	}
	return &scorePick{at: st.at, taken: true, friends: next.friends + it.friends, score: next.score + p.scoreOf(it, n), next: next}
}

// compareScored prefers the affinity key, then the score, then the order of paths.
func (p *scoreProgram) compareScored(a, b *scorePick) int {
	if c := cmp.Or(cmp.Compare(b.friends, a.friends), cmp.Compare(b.score, a.score)); c != 0 {
		return c
	}
	x, y := p.chosen(a), p.chosen(b)
	return slices.Compare(x, y)
}

func (p *scoreProgram) chosen(k *scorePick) []int {
	var out []int
	for ; k.next != nil; k = k.next {
		if k.taken {
			out = append(out, p.order[k.at])
		}
	}
	slices.Sort(out)
	return out
}
