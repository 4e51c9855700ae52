// What does a vertex hand to its children, level by level?

package spec

import "slices"

// and the begun groups whose homes lie there.
type state struct {
	units        [maxLevels + 1]int
	short, begun bool
}

type placedKey struct {
	v     *vertex
	state state
}

// placed is a vertex with what it takes and the children that take it.
type placed struct {
	v       *vertex
	state   state
	members int
	span    []int // by tier of the tree below v: the highest vertices of at most that tier that are in use
	score   int64
	numa    int64     // the NUMA score of a node
	inner   []*placed // in the order of paths
}

// child is a child of the vertex at hand: what it is to take so far, and how many units of the level at hand that is.
type child struct {
	v     *vertex
	place int // in the order that decides between equal ones
	state state
	given int
	able  bool // the short group, which comes with single members, may lie whole in it
}

// hand is what is handed out to children at once: n units of a level, those that they have already included.
type hand struct {
	at       *vertex // the vertex whose children they are
	level, n int
	short    bool
	singles  bool // single members are placed at the vertex
	nodes    bool // all children that have slots are nodes
}

// membersBelow are the new members of a state below v.
func (p *search) membersBelow(v *vertex, st state) int {
	n := 0
	for i := range len(p.solver.m.Levels) + 1 {
		n += st.units[i] * p.solver.size(i)
	}
	if st.short {
		n += p.rest
	}
	if st.begun {
		n += p.beside(0, v)
	}
	return n
}

// place decides a vertex by docs/order/4-children.md, and then every child that takes anything alone.
func (p *search) place(v *vertex, st state) *placed {
	key := placedKey{v, st}
	if done, ok := p.placed[key]; ok {
		return done
	}
	out := &placed{v: v, state: st, members: p.membersBelow(v, st), span: make([]int, len(p.solver.m.View.TiersBelow(int32(v.tier))))}
	switch {
	case v.isNode:
		out.score = int64(out.members) * v.score
		if p.solver.aligned {
			out.numa = p.solver.room.rate(p.solver.m.View.Position(v.at), out.members)
		}
	case out.members > 0:
		for _, c := range p.distribute(v, st) {
			c.state.begun = st.begun
			inner := p.place(c.v, c.state)
			if inner.members > 0 {
				out.inner = append(out.inner, inner)
				out.score += inner.score
			}
			addSpan(out.span, inner)
		}
	case v.own > 0:
		for _, c := range p.solver.childrenOf(v) {
			addSpan(out.span, p.place(c, state{}))
		}
	}
	p.placed[key] = out
	return out
}

// distribute hands out the units of a vertex to its children, level by level. Begun groups at home here, and groups that
// no child can hold whole, become units of the next level. The members of the short group become members like the
// others if no child can hold it.
func (p *search) distribute(v *vertex, st state) []*child {
	var children []*child
	for _, between := range []bool{true, false} {
		for _, c := range p.solver.childrenOf(v) {
			if p.between(c) == between {
				children = append(children, &child{v: c, place: len(children)})
			}
		}
	}
	split := p.splitHere(v, st)
	if v == p.solver.root && p.outside > 0 && len(p.solver.m.Levels) > 0 {
		p.fillTree(st, split, children)
		return children
	}
	for level := range len(p.solver.m.Levels) + 1 {
		h := hand{at: v, level: level, n: st.units[level] + split[level], short: st.short}
		h.nodes = !slices.ContainsFunc(children, func(c *child) bool { return !c.v.isNode && c.v.high > 0 })
		h.singles = st.units[len(p.solver.m.Levels)]+split[len(p.solver.m.Levels)] > 0
		if level == len(p.solver.m.Levels) && st.short && !slices.ContainsFunc(children, func(c *child) bool { return c.able }) {
			h.n, h.short = h.n+p.rest, false
		}
		base := p.intoUnits(level, children)
		if h.n > 0 || h.short {
			for _, c := range children {
				h.n += c.given
			}
			left := p.handOut(v, h, children)
			if level < len(p.solver.m.Levels) {
				split[level+1] += left * p.solver.size(level) / p.solver.size(level+1)
			}
			st.short = h.short && !slices.ContainsFunc(children, func(c *child) bool { return c.state.short })
		}
		for i, c := range children {
			c.state.units[level] = c.given - base[i]
		}
	}
	return children
}

// intoUnits counts what the children have in units of the next level.
func (p *search) intoUnits(level int, children []*child) []int {
	var base []int
	for _, c := range children {
		if level > 0 {
			c.given = c.given * p.solver.size(level-1) / p.solver.size(level)
		}
		base = append(base, c.given)
	}
	return base
}

// splitHere is what the begun groups at home in v need, by level.
func (p *search) splitHere(v *vertex, st state) []int {
	split := make([]int, len(p.solver.m.Levels)+2)
	for _, g := range p.begun {
		if st.begun && g.home == v {
			split[g.level+1] += g.need
		}
	}
	return split
}

// handOut finds the smallest tier at which the units stay whole in the children of v, and for the short group the
// smallest at which it has room beside them. Where there is none, the groups are split: every child keeps as many whole
// as it can, and the others are left. The short group comes with single members then, and where groups are not split but
// leave no place for another one.
func (p *search) handOut(v *vertex, h hand, children []*child) (left int) {
	for _, t := range p.keepingTiers(v, h.level) {
		if !p.suffice(p.portions(h, t, t, children), hand{n: h.n}) {
			continue
		}
		for short := 0; h.short && short < v.tier; short++ {
			portions := p.portions(h, t, short, children)
			if !p.suffice(portions, h) {
				continue
			}
			if h.level < len(p.solver.m.Levels) && h.singles && p.places(t, v) == h.n {
				for i, c := range portions {
					children[i].able = c.short>>highest(c.full)&1 == 1
				}
				break
			}
			p.chooseSet(h, portions)
			return 0
		}
		if h.short = false; h.n > 0 {
			p.chooseSet(h, p.portions(h, t, t, children))
		}
		return 0
	}
	left = h.n
	for _, c := range children {
		c.given = max(c.given, p.most(h.level, v.tier-1, c.v))
		left -= c.given
	}
	for short := 0; h.short && short < v.tier && !slices.ContainsFunc(children, func(c *child) bool { return c.able }); short++ {
		for _, c := range children {
			c.able = p.anywhere(0, c.v).short>>c.given&1 == 1 && p.leads(short, c.v)
		}
	}
	return left
}

// portion is a child with its bounds: the numbers of units it may take, without and beside the short group.
type portion struct {
	child       *child
	low         int
	full, short uint64
}

// portions bounds the children if units stay whole at tier t and the short group at tier short: each takes at least what
// it has and what can stay whole one tier below, at most what can stay whole at t.
func (p *search) portions(h hand, t, short int, children []*child) []portion {
	var out []portion
	for _, c := range children {
		fits := p.free(h.level, t, t, c.v)
		switch {
		case !h.short:
		case h.level < len(p.solver.m.Levels):
			fits.short = p.exact(c.v, 0, tally{short: p.withShort(t, short, c.v, p.full)}).short
		case c.able:
			fits.short = fits.full >> p.rest
		}
		most := max(0, highest(fits.full))
		if c.v == p.solver.outside {
			most = min(most, p.outside/p.solver.size(h.level))
		}
		low := max(c.given, c.v.low/p.solver.size(h.level))
		if h.level < len(p.solver.m.Levels) && t > 0 && !p.solver.spans(c.v.parent) {
			low = max(low, p.most(h.level, t-1, c.v))
		}
		if c.state.short {
			fits.full >>= p.rest
		}
		if c.given > most { // whole outer groups need not be whole in their parts at t
			fits.full, most = 1<<c.given, c.given
		}
		window := uint64(1)<<(most+1) - 1
		beneath := uint64(1)<<low - 1
		out = append(out, portion{child: c, low: low, full: fits.full & window &^ beneath, short: fits.short & window &^ beneath})
	}
	return out
}

// suffice holds if the children can take exactly the units, and the short group if it is handed out.
func (p *search) suffice(portions []portion, h hand) bool {
	sum := tally{full: 1}
	for _, c := range portions {
		sum = fold(sum, tally{c.full, c.short}, h.n)
	}
	if h.short {
		return sum.short>>h.n&1 == 1
	}
	return sum.full>>h.n&1 == 1
}

// fillTree is the distribution where the tree is full, and the members that it has no slots for lie outside: every child
// of the root takes as many as it has slots. Child by child, as many groups are whole as fit and are left, then as many
// of the next level, and so on.
func (p *search) fillTree(st state, split []int, children []*child) {
	left := make([]int, len(p.solver.m.Levels)+1)
	for i := range left {
		left[i] = st.units[0] * p.solver.size(0) / p.solver.size(i)
		for j := 1; j <= i; j++ {
			left[i] += split[j] * p.solver.size(j) / p.solver.size(i)
		}
	}
	left[len(p.solver.m.Levels)] += p.rest
	for _, c := range children {
		room := c.v.high - p.before(len(p.solver.m.Levels), c.v)
		if p.tiers[1] < p.solver.root.tier { // so that whole groups fill it
			c.state.units[0] = min(left[0], room/p.solver.size(0))
			left[0] -= c.state.units[0]
			c.state.short = st.short && room == c.state.units[0]*p.solver.size(0)+p.rest
			continue
		}
		whole := 0 // members in groups of the levels around
		for i := range left {
			n := min(left[i], room/p.solver.size(i), p.roomOf(i, p.solver.root.tier, c.v))
			left[i] -= n
			c.state.units[i] = n - whole/p.solver.size(i)
			whole = n * p.solver.size(i)
		}
	}
	if st.short && p.tiers[1] >= p.solver.root.tier {
		keepShort(children, len(p.solver.m.Levels), p.rest)
	}
}

// keepShort makes the short group, of rest members, whole in a child that has as many single ones, which are the units of level q, where no other
// child has any.
func keepShort(children []*child, q, rest int) {
	with := slices.DeleteFunc(slices.Clone(children), func(c *child) bool { return c.state.units[q] == 0 })
	if len(with) == 1 && with[0].state.units[q] == rest {
		with[0].state.units[q], with[0].state.short = 0, true
	}
}
