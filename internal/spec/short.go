// Where does the short last group stay whole?

package spec

// shortTier is the smallest tier at which the short group stays whole below d beside all full groups, these as tight as they can be.
func (p *search) shortTier(d *vertex) int {
	at := 0
	for p.tally(0, at, at, d).full>>p.full&1 == 0 {
		at++
	}
	short := 0
	for p.withShort(at, short, d, p.full)>>p.full&1 == 0 {
		short++
	}
	return short
}

// withShort is the set of numbers of full groups that v takes, each whole at tier t, beside the short group whole at tier short.
// Full groups come first: what can stay whole below tier t does, but for what the vertices above cannot hold.
func (p *search) withShort(t, short int, v *vertex, most int) uint64 {
	set, low := p.anywhere(0, v).short, 0
	if t > 0 {
		low = min(most, p.most(0, t-1, v))
	}
	switch {
	case v.tier > max(t, short):
		var sum tally
		for i := range v.children {
			one := tally{full: 1}
			for j, c := range v.children {
				x := tally{full: p.tally(0, t, t, c).full}
				if i == j {
					x = tally{short: p.withShort(t, short, c, low)}
				}
				one = fold(one, x, p.full)
			}
			sum.short |= one.short
		}
		set &= sum.short
	case v.tier > t:
		set &= p.tally(0, t, t, v).full
	case v.tier > short && !p.leads(short, v):
		return 0
	}
	return set &^ (1<<low - 1)
}

// leads holds if the short group may be whole at a tier below v, and each vertex on the way, v left out, has room for it beside all
// groups that the vertex can hold.
func (p *search) leads(short int, v *vertex) bool {
	if v.tier <= short {
		return true
	}
	for _, c := range v.children {
		if x := p.anywhere(0, c); x.full > 0 && x.short>>highest(x.full)&1 == 1 && p.leads(short, c) {
			return true
		}
	}
	return false
}

// places is how many full groups the children of v take, each whole at tier t, however many there are.
func (p *search) places(t int, v *vertex) int {
	n := 0
	for _, c := range v.children {
		whole := 0
		for c.high >= (whole+1)*p.solver.size(0)+p.beside(0, c) {
			whole++
		}
		if c.tier > t {
			whole = min(whole, p.places(t, c))
		}
		n += whole
	}
	return n
}
