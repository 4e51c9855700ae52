// Package sets answers: which of some alternatives, together, are the best set? It knows numbers alone: no nodes, no
// gangs. [Chooser] decides which children of a domain take how many units (docs/order.md section 4, `sets` and `fill`).
// [LeastSum] and [LeastGroups] give the same answer, faster, where slots alone decide. [Fewest] finds the smallest set
// that helps where asking is dear, [Vectors] and [ClassTable] number equal things alike.
//
// Every algorithm for children is held to plain enumeration, and to each other, by one suite of random tests.
//
// Values of this package belong to one search and are not safe for concurrent use.
package sets

import (
	"math/bits"
	"slices"
)

// LeastSum picks size values out of classes of equal ones (values descending) so that their sum is at least need and as
// small as that allows, and among such picks the largest value is smallest, then the second largest, and so on. It
// returns how many of each class are picked. So many values must suffice, and no fewer.
//
// It is a program over deficits, what a pick has less than the largest values: since no smaller size suffices, the
// deficit is below the smallest of these, and a pick can pass over few values. Ours; O(classes * min(size, slack) *
// slack/64) words, with slack what the largest values have too much.
type LeastSum struct {
	Values []int64
	Counts []int
	size   int
	slack  int64
	before []int   // values in the classes before one
	sums   []int64 // of the first values
	words  int
	width  int      // states of a class: by how many values picked less than possible
	reach  []uint64 // by class, state: the deficits that the classes from there on can have
	picked []int
}

// Reset forgets the values.
func (l *LeastSum) Reset() {
	l.Values, l.Counts, l.sums = l.Values[:0], l.Counts[:0], append(l.sums[:0], 0)
}

// Add takes in one more value, none larger than the ones before.
func (l *LeastSum) Add(value int64) {
	if n := len(l.Values); n == 0 || l.Values[n-1] != value {
		l.Values, l.Counts = append(l.Values, value), append(l.Counts, 0)
	}
	l.Counts[len(l.Counts)-1]++
	l.sums = append(l.sums, l.sums[len(l.sums)-1]+value)
}

// begin prepares a pick of so many values, the largest of which suffice.
func (l *LeastSum) begin(size int, need int64) {
	l.size = size
	l.before = append(l.before[:0], 0)
	for i, n := range l.Counts {
		l.before = append(l.before, l.before[i]+n)
	}
	l.slack = l.top(0, size) - need
}

// top is the sum of the largest n values from class i on.
func (l *LeastSum) top(i, n int) int64 {
	return l.sums[l.before[i]+n] - l.sums[l.before[i]]
}

// Pick finds the counts, the largest values sufficing; the slice is good until the next pick.
func (l *LeastSum) Pick(size int, need int64) []int {
	l.begin(size, need)
	l.picked = zeros(l.picked, len(l.Values))
	picked := l.picked
	if l.slack == 0 { // only the largest values
		left := l.size
		for i := range picked {
			picked[i] = min(left, l.Counts[i])
			left -= picked[i]
		}
		return picked
	}
	if l.size == 1 { // the smallest that suffices; it may have far more than is needed, the slack of more than one may not
		for i, v := range slices.Backward(l.Values) {
			if v >= l.Values[0]-l.slack {
				picked[i] = 1
				return picked
			}
		}
	}
	l.words = int(l.slack/64) + 1
	l.width = int(min(l.slack, int64(l.size))) + 1
	l.reach = zeros(l.reach, (len(l.Values)+1)*l.width*l.words)
	for i := len(l.Values); i >= 0; i-- {
		for state := range l.width {
			if n, ok := l.left(i, state); ok {
				l.fillReach(i, n, l.at(i, state))
			}
		}
	}
	deficit := l.largest(l.at(0, 0))
	left := l.size
	for i := range picked {
		picked[i], deficit = l.fewest(i, left, deficit)
		left -= picked[i]
	}
	return picked
}

// zeros is a slice of n zeros, in the room of another one if that suffices.
func zeros[T any](room []T, n int) []T {
	if cap(room) < n {
		return make([]T, n)
	}
	room = room[:n]
	clear(room)
	return room
}

// left is how many values are still to be picked at a class if state values before it were passed over.
func (l *LeastSum) left(i, state int) (int, bool) {
	n := l.size - min(l.before[i], l.size) + state
	return n, n <= l.size && l.before[i]+n <= l.before[len(l.Values)]
}

// state is the inverse of left, false if too many values were passed over.
func (l *LeastSum) state(i, n int) (int, bool) {
	s := n - (l.size - min(l.before[i], l.size))
	return s, 0 <= s && s < l.width
}

func (l *LeastSum) at(i, state int) []uint64 {
	from := (i*l.width + state) * l.words
	return l.reach[from : from+l.words]
}

// fillReach collects the deficits with n values to pick from class i on.
func (l *LeastSum) fillReach(i, n int, into []uint64) {
	if i == len(l.Values) {
		if n == 0 {
			into[0] = 1
		}
		return
	}
	top := l.top(i, n)
	for m := min(n, l.Counts[i]); m >= 0; m-- {
		state, ok := l.state(i+1, n-m)
		if !ok || l.before[i+1]+n-m > l.before[len(l.Values)] {
			break // fewer of this class pass over more values still
		}
		lost := top - int64(m)*l.Values[i] - l.top(i+1, n-m)
		if lost > l.slack {
			break
		}
		orShifted(into, l.at(i+1, state), lost)
	}
	l.trim(into)
}

// trim forgets deficits above the slack.
func (l *LeastSum) trim(set []uint64) {
	if last := uint(l.slack%64) + 1; last < 64 {
		set[len(set)-1] &= 1<<last - 1
	}
}

// orShifted adds set, moved up by n, to into.
func orShifted(into, set []uint64, n int64) {
	words, shift := int(n/64), uint(n%64)
	for i := len(into) - 1; i >= words; i-- {
		into[i] |= set[i-words] << shift
		if shift > 0 && i > words {
			into[i] |= set[i-words-1] >> (64 - shift)
		}
	}
}

func (l *LeastSum) largest(set []uint64) int64 {
	for i := len(set) - 1; i >= 0; i-- {
		if set[i] != 0 {
			return int64(i*64 + bits.Len64(set[i]) - 1)
		}
	}
	return 0
}

// fewest is the smallest number of a class that the deficit allows, with the deficit that is left for the rest.
func (l *LeastSum) fewest(i, n int, deficit int64) (int, int64) {
	top := l.top(i, n)
	best, rest := 0, int64(0)
	for m := min(n, l.Counts[i]); m >= 0; m-- {
		state, ok := l.state(i+1, n-m)
		if !ok || l.before[i+1]+n-m > l.before[len(l.Values)] {
			break
		}
		lost := top - int64(m)*l.Values[i] - l.top(i+1, n-m)
		if lost > deficit {
			break
		}
		if d := deficit - lost; l.at(i+1, state)[d/64]>>uint(d%64)&1 == 1 {
			best, rest = m, d
		}
	}
	return best, rest
}
