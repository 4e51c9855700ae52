package numa

import "math"

// Where members are small and many, the numbers on the masks have too many values to be tried one by one. Then the
// relaxation, in which numbers need not be whole, bounds what can be placed, and its numbers, rounded down, are nearly
// the answer.

const (
	// largest bounds the counts that the relaxation looks at, so that products stay within 63 bits; what is larger is not
	// refined.
	largest = math.MaxInt32
	// largestEntry and largestValue bound the numbers of the tableau; beyond, the relaxation gives up.
	largestEntry, largestValue = 1 << 15, 1 << 46
	// pivots bounds its steps; it needs about as many as there are masks.
	pivots = 1000
)

// refine goes on where the search gave up: with the bound of the relaxation, and from its numbers less a few.
func (p *packing) refine(bound int64) Count {
	t := p.relax()
	if t == nil || bound > largest && t.value[0]/t.scale >= largest {
		return Count{p.best, bound}
	}
	bound = min(bound, t.value[0]/t.scale)
	p.target = bound
	base := make([]int64, len(p.masks))
	for _, less := range []int64{0, 1, 3, 9} {
		if p.best >= bound {
			break
		}
		placed := int64(0)
		clear(base)
		for row, variable := range t.basic {
			if row > 0 && variable < len(base) {
				base[variable] = min(max(0, t.value[row]/t.scale-less), bound-placed)
				placed += base[variable]
			}
		}
		all := Mask(len(p.left) - 1)
		for i, m := range p.masks {
			p.take(m, all&^m, base[i])
		}
		found := p.best
		p.steps = budget
		p.try(0, placed)
		for i, m := range p.masks {
			p.take(m, all&^m, -base[i])
			if p.best > found && p.answer != nil {
				p.answer[i] += base[i]
			}
		}
	}
	if p.best < bound {
		if p.steps = patience; p.exhaust() {
			bound = p.best
		}
	}
	return Count{p.best, bound}
}

// exhaust says whether every way was tried.
func (p *packing) exhaust() bool {
	p.try(0, 0)
	return p.steps > 0
}

// tableau is a linear program in the form basic = (value - entries * nonbasic) / scale, row 0 the objective. All numbers
// are whole: a pivot divides by the pivot before it, without rest (Edmonds, Bareiss).
type tableau struct {
	entries         [][]int64
	value           []int64
	scale           int64
	basic, nonbasic []int // variables: masks, then the slacks of the rows
}

// relax maximises the sum of the numbers on masks, which need not be whole. Nil if the numbers grow too large.
// O(pivots * sets * masks).
func (p *packing) relax() *tableau {
	t := p.tableau()
	for range pivots {
		column := 0
		for j, cost := range t.entries[0] {
			if cost < t.entries[0][column] {
				column = j
			}
		}
		if t.entries[0][column] >= 0 {
			return t
		}
		if row := t.binding(column); row == 0 || !t.pivot(row, column) {
			return nil
		}
	}
	return nil
}

// tableau starts with nothing on the masks.
func (p *packing) tableau() *tableau {
	k := len(p.masks)
	t := &tableau{scale: 1, entries: [][]int64{make([]int64, k)}, value: []int64{0}, basic: []int{-1}}
	for j := range p.masks {
		t.entries[0][j] = -1
		t.nonbasic = append(t.nonbasic, j)
	}
	for s, left := range p.left {
		row, union := make([]int64, k), Mask(0)
		for j, m := range p.masks {
			if m&^Mask(s) == 0 {
				row[j] = 1
				union |= m
			}
		}
		if s > 0 && int(union) == s { // other sets have the masks of a smaller one
			t.entries, t.value = append(t.entries, row), append(t.value, min(left, largest))
			t.basic = append(t.basic, k+s)
		}
	}
	return t
}

// binding is the row that bounds how far a variable can rise; 0: none.
func (t *tableau) binding(column int) (row int) {
	for i := 1; i < len(t.entries); i++ {
		e := t.entries[i][column]
		if e > 0 && (row == 0 || t.value[i]*t.entries[row][column] < t.value[row]*e) {
			row = i
		}
	}
	return row
}

// pivot exchanges a basic variable for another; false if numbers grow too large.
func (t *tableau) pivot(row, column int) bool {
	pivot := t.entries[row][column]
	for i, entries := range t.entries {
		if i == row {
			continue
		}
		factor := entries[column]
		if factor == 0 && pivot == t.scale {
			continue
		}
		for j, e := range entries {
			e = (e*pivot - factor*t.entries[row][j]) / t.scale
			if e > largestEntry || e < -largestEntry {
				return false
			}
			entries[j] = e
		}
		entries[column] = -factor
		t.value[i] = (t.value[i]*pivot - factor*t.value[row]) / t.scale
		if t.value[i] > largestValue {
			return false
		}
	}
	t.entries[row][column] = t.scale
	t.scale = pivot
	t.basic[row], t.nonbasic[column] = t.nonbasic[column], t.basic[row]
	return true
}
