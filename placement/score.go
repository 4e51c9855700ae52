package placement

import "slices"

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

// scoreOf is the host score of a child that takes so many units of the level at hand, and perhaps the short group.
func (c *chooser) scoreOf(it *item, units int64, short bool) int64 {
	d := demand{units: make([]int64, len(c.sizes)), short: short}
	d.units[c.level] = units * c.unit
	if c.v.isNode(it.at) {
		return c.nodeScore(it.at) * c.newMembers(&d)
	}
	return c.score(c.place(it.at, d))
}

// bestScores exchanges picked children for others of their class where that raises the host score. What the k-th child
// of a class takes does not depend on which one it is, so each class is decided alone.
func (k *picker) bestScores(picked []int) []int {
	filled := k.tryFill(slices.Concat(k.core, picked))
	var out []int
	for i := range k.classes {
		cl := &k.classes[i]
		var parts []item
		for _, j := range cl.items {
			if slices.Contains(picked, j) {
				parts = append(parts, filled[j])
			}
		}
		out = append(out, k.assign(cl.items, parts)...)
	}
	return out
}

// tryFill is what the children would be given if they were the set; the items stay as they are.
func (k *picker) tryFill(set []int) []item {
	before := slices.Clone(k.items)
	k.fill(slices.Clone(set))
	filled := slices.Clone(k.items)
	copy(k.items, before)
	return filled
}

// assign chooses children, in path order, to take what these parts took so that the host score is largest; ties go to
// the earlier children. O(children * parts).
func (k *picker) assign(children []int, parts []item) []int {
	n, m := len(children), len(parts)
	if n == m || m == 0 {
		return children[:m]
	}
	value := func(i, j int) int64 { return k.scoreOf(&k.items[children[i]], parts[j].given, parts[j].short) }
	best := make([][]int64, n+1) // best[i][j]: children from i on take the parts from j on
	for i := n; i >= 0; i-- {
		best[i] = make([]int64, m+1)
		for j := m - 1; j >= max(0, m-(n-i)); j-- {
			best[i][j] = value(i, j) + best[i+1][j+1]
			if n-i > m-j {
				best[i][j] = max(best[i][j], best[i+1][j])
			}
		}
	}
	var out []int
	for i, j := 0, 0; j < m; i++ {
		if n-i == m-j || best[i][j] == value(i, j)+best[i+1][j+1] {
			out, j = append(out, children[i]), j+1
		}
	}
	return out
}
