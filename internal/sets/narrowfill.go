// How do the children of a set share the units, if what is in use below them counts?

package sets

import "slices"

// narrowFill shares the units among the children of a set, in fill order, with the short group in one of them.
type narrowFill struct {
	n     *Narrower
	set   []int
	short int          // place in the set; -1: none is placed
	memo  []int32      // by place in the set and units, as that of the narrower
	parts []narrowPart // the first is that of the end
	spans []int64      // of the parts
	least []int64      // spans of the best way so far
	given []int64      // by place in the set: its units
}

// narrowPart is what one child takes, and the children behind it.
type narrowPart struct {
	units int64
	next  int32
}

// fill gives the children of a set, in fill order, the largest numbers with which as little as can be is in use below them. The short group goes to
// the last of them with which that is so.
//
// order: fill.1, short.2
func (n *Narrower) fill(set []int) {
	slices.SortStableFunc(set, n.c.compareFill)
	f, short := &n.filling, -1
	f.n, f.set, f.least, f.given = n, set, f.least[:0], f.given[:0]
	if !n.c.Short {
		f.share(-1)
	}
	for i := len(set) - 1; n.c.Short && i >= 0; i-- {
		if f.share(i) {
			short = i
		}
	}
	for i, units := range f.given {
		it := &n.c.Items[set[i]]
		it.Given, it.HasShort = units, it.HasShort || i == short
	}
}

// share shares all units with the short group at a place, and says whether no way before is as good.
func (f *narrowFill) share(short int) bool {
	f.short = short
	f.memo = append(f.memo[:0], make([]int32, int64(len(f.set))*(f.n.c.Units+1))...)
	f.parts = append(f.parts[:0], narrowPart{})
	f.spans = append(f.spans[:0], make([]int64, f.n.width())...)
	part := f.best(0, f.n.c.Units)
	if part < 0 || len(f.least) > 0 && slices.Compare(f.spansOf(part), f.least) >= 0 {
		return false
	}
	f.least, f.given = append(f.least[:0], f.spansOf(part)...), f.given[:0]
	for ; part > 0; part = f.parts[part].next {
		f.given = append(f.given, f.parts[part].units)
	}
	return true
}

// spansOf are those of a part and of all behind it.
func (f *narrowFill) spansOf(part int32) []int64 {
	return f.spans[int(part)*f.n.width() : (int(part)+1)*f.n.width()]
}

// best shares units among the children from place i on, -1 if these do not take so many.
func (f *narrowFill) best(i int, units int64) int32 {
	if i == len(f.set) {
		if units > 0 {
			return -1
		}
		return 0
	}
	at := int64(i)*(f.n.c.Units+1) + units
	if known := f.memo[at]; known != 0 {
		return known - 2
	}
	it := &f.n.c.Items[f.set[i]]
	least, most := it.least(), it.Hi
	if i == f.short {
		least, most = it.Lo, it.WithRest
	}
	best := int32(-1)
	for k := min(most, units); k >= least; k-- { // the largest first
		next := f.best(i+1, units-k)
		if next < 0 {
			continue
		}
		some := f.join(portion{item: f.set[i], units: k, short: i == f.short}, next)
		switch {
		case best < 0:
			best = some
			continue
		case slices.Compare(f.spansOf(some), f.spansOf(best)) < 0:
			f.parts[best] = f.parts[some]
			copy(f.spansOf(best), f.spansOf(some))
		}
		f.parts, f.spans = f.parts[:some], f.spans[:int(some)*f.n.width()]
	}
	f.memo[at] = best + 2
	return best
}

// join puts what a child takes before a part, as the last part.
func (f *narrowFill) join(p portion, next int32) int32 {
	some := int32(len(f.parts))
	f.parts = append(f.parts, narrowPart{p.units, next})
	for i, x := range f.n.below(p) {
		f.spans = append(f.spans, f.spans[int(next)*f.n.width()+i]+x)
	}
	return some
}
