// Ways: what gangs let go together, so that it may suffice.

package cover

import (
	"math"
	"slices"
)

// way is what a gang may let go: so many members beside those that are gone for sure, or all.
type way struct {
	cost    int64 // less what that brings in
	shares  int64
	members int
	whole   bool
}

func (w *way) add(cost, share int64) {
	w.cost += cost
	w.shares += share
}

// ways choose one way for each gang, at the least cost, so that the shares of those who leave reach what is lacking. A
// member's share is a part of a unit, such that no place makes more units than the shares of who leaves it: a knapsack
// that every set fills.
type ways struct {
	share   []int64   // by member
	members [][]int32 // by gang: who may leave one by one, those who bring in most first
	of      [][]way   // by gang
	chosen  []int32   // by gang: the answer
	needed  int
	rows    []int64 // by gang and shares
	after   []int64 // the same for the gangs from one on, once asked for
}

// shareParts are the parts of a unit that shares may be, few enough that a choice for all gangs is quick.
var shareParts = []int64{1, 2, 4, 8, 24, 120, 840}

// maxShares bounds what is lacking in shares, by the number of gangs.
const maxShares = 1 << 15

func newWays(p *Problem) ways {
	w := ways{members: make([][]int32, len(p.Gangs)), of: make([][]way, len(p.Gangs)), chosen: make([]int32, len(p.Gangs))}
	waste, lacking := math.Inf(1), p.Units
	for i := range p.Places {
		lacking = max(0, lacking-p.Places[i].free())
	}
	for _, parts := range shareParts {
		if parts*lacking*int64(len(p.Gangs)) > maxShares {
			break
		}
		share, sum := shares(p, parts)
		if of := float64(sum) / float64(parts); of < waste*0.999 {
			w.share, w.needed, waste = share, int(parts*lacking), of
		}
	}
	if w.share == nil { // any set is enough
		w.share = make([]int64, len(p.Members))
	}
	w.rows = make([]int64, (len(p.Gangs)+1)*(w.needed+1))
	w.after = make([]int64, len(w.rows))
	return w
}

// shares are the shares of all members in such parts of a unit, rounded up, and their sum.
func shares(p *Problem, parts int64) (share []int64, sum int64) {
	share = make([]int64, len(p.Members))
	for i := range p.Places {
		of := &p.Places[i]
		free := of.free()
		// The most units for a size of those who leave: a fraction.
		units, size := int64(0), int64(1)
		for _, o := range of.Options {
			total := int64(0)
			for k, n := range o.Count {
				total += int64(n) * of.Sizes[k]
			}
			if total > 0 && (o.Units-free)*size > units*total {
				units, size = o.Units-free, total
			}
		}
		for k, kind := range of.Kinds {
			for _, m := range kind {
				share[m] = (of.Sizes[k]*units*parts + size - 1) / size
				sum += share[m]
			}
		}
	}
	return share, sum
}

// free are the units of a place that nobody leaves.
func (p *Place) free() (units int64) {
	for _, o := range p.Options {
		if slices.Max(append([]int32{0}, o.Count...)) == 0 {
			units = max(units, o.Units)
		}
	}
	return units
}

// least is the least cost of a way for each gang, and how many were looked at; impossible if they never suffice.
func (w *ways) least() (cost int64, work int) {
	if cost, ok := w.each(); ok {
		return cost, 2 * len(w.of)
	}
	work = w.fill()
	if cost = w.row(len(w.of))[w.needed]; cost < impossible {
		w.choose()
	}
	return cost, work
}

// fill finds the least costs for all shares, and says how many numbers that took.
func (w *ways) fill() (work int) {
	n := w.needed + 1
	row := w.row(0)
	for c := range row {
		row[c] = impossible
	}
	row[0] = 0
	for g, of := range w.of {
		before, row := w.row(g), w.row(g+1)
		for c := range row {
			row[c] = impossible
		}
		for at := range of {
			take(row, before, &of[at])
		}
		work += n * len(of)
	}
	return work
}

// each chooses the cheapest way of each gang; false if these do not suffice.
func (w *ways) each() (cost int64, ok bool) {
	shares := int64(0)
	for g, of := range w.of {
		if len(of) == 0 {
			return 0, false
		}
		best := 0
		for at := range of {
			if of[at].cost < of[best].cost || of[at].cost == of[best].cost && of[at].shares > of[best].shares {
				best = at
			}
		}
		w.chosen[g] = int32(best)
		cost, shares = cost+of[best].cost, shares+of[best].shares
	}
	return cost, shares >= int64(w.needed)
}

// row is the least cost of the ways of the first gangs, by shares that they reach.
func (w *ways) row(gangs int) []int64 {
	n := w.needed + 1
	return w.rows[gangs*n : (gangs+1)*n]
}

// take lowers the costs of a row by one way more.
func take(row, before []int64, of *way) {
	from := int(min(of.shares, int64(len(row))))
	if first := before[0] + of.cost; before[0] < impossible {
		for c := range row[:from] {
			row[c] = min(row[c], first)
		}
	}
	row = row[from:]
	for c, cost := range before[:len(row)] {
		if cost < impossible {
			row[c] = min(row[c], cost+of.cost)
		}
	}
}

// choose walks back to the first ways that make up the least cost.
func (w *ways) choose() {
	c := int64(w.needed)
	for g := len(w.of) - 1; g >= 0; g-- {
		cost, before := w.row(g + 1)[c], w.row(g)
		for at := range w.of[g] {
			of := &w.of[g][at]
			if rest := max(0, c-of.shares); before[rest] < impossible && before[rest]+of.cost == cost {
				w.chosen[g], c = int32(at), rest
				break
			}
		}
	}
}

// behind finds the least cost of the ways of the last gangs, and how many numbers that took.
func (w *ways) behind() (work int) {
	work = w.fill()
	n := w.needed + 1
	for c := range w.after {
		w.after[c] = impossible
	}
	w.after[len(w.of)*n] = 0
	for g := len(w.of) - 1; g >= 0; g-- {
		for at := range w.of[g] {
			take(w.after[g*n:(g+1)*n], w.after[(g+1)*n:(g+2)*n], &w.of[g][at])
		}
		work += 2 * n * len(w.of[g])
	}
	return work
}

// with is the least cost of a way for each gang, if one takes a certain way.
func (w *ways) with(g int, of *way) int64 {
	n := int64(w.needed + 1)
	before, after := w.row(g), w.after[int64(g+1)*n:int64(g+2)*n]
	least := int64(impossible)
	for c, cost := range before {
		rest := max(0, n-1-int64(c)-of.shares)
		if cost < impossible && after[rest] < impossible {
			least = min(least, cost+of.cost+after[rest])
		}
	}
	return least
}
