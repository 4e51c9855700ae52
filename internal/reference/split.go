package reference

import "math/bits"

// state is what a vertex is to take: units of the active level, whole groups or, after the last level, members, and
// whether the short group is among them. Levels before the active one were split above: every child keeps as many of
// their groups whole as it can.
type state struct {
	level, units int
	short        bool
}

type placedKey struct {
	v int
	state
}

// placed is a vertex with what it takes and the children that take it.
type placed struct {
	v       *vertex
	state   state
	members int
	used    int // children that take something or hold running members of the gang
	score   int64
	inner   []*placed // in the order of paths
}

// portion is a child with its bounds: the numbers of units it may take, without and beside the short group.
type portion struct {
	v           *vertex
	low         int
	full, short uint64
}

// place decides a vertex by docs/order.md section 4, and then every chosen child alone.
func (p *search) place(v *vertex, st state) *placed {
	key := placedKey{v.order, st}
	if done, ok := p.placed[key]; ok {
		return done
	}
	out := &placed{v: v, state: st, members: st.units * p.size(st.level)}
	if st.short {
		out.members += p.rest
	}
	if v.node != nil {
		out.score = int64(out.members) * v.score
	} else if out.members > 0 {
		active, portions := p.keepOrSplit(v, st)
		p.chooseSet(out, active, portions)
	}
	p.placed[key] = out
	return out
}

// keepOrSplit finds the smallest tier at which the units stay whole in the children of v. Where there is none, the
// groups are split here: the next level becomes active, and so on down to members.
func (p *search) keepOrSplit(v *vertex, st state) (state, []portion) {
	for ; st.level < len(p.levels); st = p.split(st) {
		for t := range v.tier {
			portions := p.portions(v, st, t)
			if p.suffice(portions, st) {
				return st, portions
			}
		}
	}
	return st, p.portions(v, st, 0)
}

// split makes the next level active. The members of a short group are then members like the others.
func (p *search) split(st state) state {
	next := state{level: st.level + 1, units: st.units * p.size(st.level) / p.size(st.level+1)}
	if st.short {
		next.units += p.rest
	}
	return next
}

// portions bounds the children if units stay whole at tier t: each takes at least what can stay whole one tier below
// (and the groups that are kept whole of levels split above), at most what can stay whole at t.
func (p *search) portions(v *vertex, st state, t int) []portion {
	var out []portion
	for _, c := range v.children {
		tally := p.exact(c, st.level, p.tally(st.level, t, c))
		forced := p.forced(v, c, st.level)
		most := p.most(st.level, t, c)
		if forced > most { // whole outer groups need not be whole in their parts at t
			tally = p.exact(c, st.level, p.tally(st.level, v.tier-1, c))
			most = forced
		}
		low := max(forced, c.low/p.size(st.level))
		if st.level < len(p.levels) && t > 0 {
			low = max(low, p.most(st.level, t-1, c))
		}
		window := uint64(1)<<(most+1) - 1
		beneath := uint64(1)<<low - 1
		out = append(out, portion{v: c, low: low, full: tally.full & window &^ beneath, short: tally.short & window &^ beneath})
	}
	return out
}

// forced is the number of units that child c of v takes at least, so that of every level split at v or above it keeps
// as many groups whole as it can.
func (p *search) forced(v, c *vertex, active int) int {
	least := 0
	for i := range active {
		least = max(least, p.most(i, v.tier-1, c)*p.size(i)/p.size(active))
	}
	return least
}

// suffice holds if the children can take exactly the units, and the short group if it is here.
func (p *search) suffice(portions []portion, st state) bool {
	sum := tally{full: 1}
	for _, c := range portions {
		sum = fold(sum, tally{c.full, c.short}, st.units)
	}
	if st.short {
		return sum.short>>st.units&1 == 1
	}
	return sum.full>>st.units&1 == 1
}

func highest(set uint64) int { return bits.Len64(set) - 1 }
func lowest(set uint64) int  { return bits.TrailingZeros64(set) }
