// Package sets answers: which children together are the best set, and how many does each take? It knows numbers alone: no nodes, no
// gangs. [Chooser] decides which children of a domain take how many units (docs/order.md section 4, `sets` and `fill`).
// [LeastSum] and [LeastGroups] give the same answer, faster, where slots alone decide.
//
// Every algorithm for children is held to plain enumeration, and to each other, by one suite of random tests.
//
// Values of this package belong to one search and are not safe for concurrent use.
package sets

import (
	"math/bits"
	"slices"
)

// LeastSum picks a fixed number of values out of classes of equal ones. Their sum is at least need, and the least that
// is. Of such picks it finds the one whose largest value is smallest, then the second largest, and so on. It returns
// the number of values picked of each class. The size must suffice, and no smaller one.
//
// It is a program over deficits: the deficit of a pick is the sum of the largest values less its own sum, and the slack
// is the deficit that need allows. No smaller size suffices, so that the slack is below the smallest of the largest
// values. Each of the largest values that a pick passes over costs at least 1 of the slack, because a smaller one takes
// its place. The largest deficit within the slack is the least sum; picking as few as possible of each class, the
// largest first, keeps the largest values small. Ours; O(classes * width * slack/64) words of memory with width =
// min(size, slack) + 1, and at most width operations for each of them.
type LeastSum struct {
	Values []int64  // by class, descending
	Counts []int    // by class: the number of values
	size   int      // values to pick
	slack  int64    // the deficit that need allows
	before []int    // by class: the number of values in the classes before it
	sums   []int64  // of the first 0, 1, 2, ... values
	words  int      // of a bitset of deficits
	width  int      // states of a class: see left
	reach  []uint64 // by class, state: the deficits, within the slack, that the classes from there on can have
	picked []int    // by class
}

// Reset forgets the values.
func (l *LeastSum) Reset() {
	l.Values, l.Counts, l.sums = l.Values[:0], l.Counts[:0], append(l.sums[:0], 0)
}

// Add takes in one more value, which must be no larger than the ones before.
func (l *LeastSum) Add(value int64) {
	if n := len(l.Values); n == 0 || l.Values[n-1] != value {
		l.Values, l.Counts = append(l.Values, value), append(l.Counts, 0)
	}
	l.Counts[len(l.Counts)-1]++
	l.sums = append(l.sums, l.sums[len(l.sums)-1]+value)
}

// begin prepares a pick of size values. The largest must suffice, so that the slack is not negative.
func (l *LeastSum) begin(size int, need int64) {
	l.size = size
	l.before = append(l.before[:0], 0)
	for i, n := range l.Counts {
		l.before = append(l.before, l.before[i]+n)
	}
	l.slack = l.top(0, size) - need
}

// top is the sum of the largest n values from class i on; so many must be left.
func (l *LeastSum) top(i, n int) int64 {
	return l.sums[l.before[i]+n] - l.sums[l.before[i]]
}

// Pick finds the counts, by class; the slice is good until the next pick. The largest size values must hold need, and
// the largest size-1 less than that.
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
	// One value may be many times the need, and the table as wide. With more of them the slack is less than the need:
	// it is below the smallest value, and all values but the smallest hold less than the need.
	if l.size == 1 {
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
	for i := len(l.Values); i >= 0; i-- { // upwards, as each class reads the one behind it
		for state := range l.width {
			if n, ok := l.left(i, state); ok {
				l.fillReach(i, n, l.at(i, state))
			}
		}
	}
	deficit := l.largest(l.at(0, 0)) // 0 at least: the largest values are a pick
	left := l.size
	for i := range picked {
		picked[i], deficit = l.fewest(i, left, deficit)
		left -= picked[i]
	}
	return picked
}

// zeros is a slice of n zeros, in the memory of room if that suffices.
func zeros[T any](room []T, n int) []T {
	if cap(room) < n {
		return make([]T, n)
	}
	room = room[:n]
	clear(room)
	return room
}

// left is the number of values still to be picked at a class in a state: the number of the largest values before the
// class that were passed over. False if there is no such state.
func (l *LeastSum) left(i, state int) (int, bool) {
	n := l.size - min(l.before[i], l.size) + state
	return n, n <= l.size && l.before[i]+n <= l.before[len(l.Values)]
}

// state is the inverse of left. False if more values were passed over than the slack allows.
func (l *LeastSum) state(i, n int) (int, bool) {
	s := n - (l.size - min(l.before[i], l.size))
	return s, 0 <= s && s < l.width
}

// at is the bitset of a class in a state.
func (l *LeastSum) at(i, state int) []uint64 {
	from := (i*l.width + state) * l.words
	return l.reach[from : from+l.words]
}

// fillReach collects the deficits with n values to pick from class i on. The classes behind i are done. The deficit of
// m values of class i is what they and the largest n-m behind lose on the largest n; that of the rest adds to it.
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
		if lost > l.slack { // fewer of this class lose no less
			break
		}
		orShifted(into, l.at(i+1, state), lost)
	}
	l.trim(into)
}

// trim forgets deficits above the slack: the last bits of the last word.
func (l *LeastSum) trim(set []uint64) {
	if last := uint(l.slack%64) + 1; last < 64 {
		set[len(set)-1] &= 1<<last - 1
	}
}

// orShifted adds n to all numbers of a bitset and puts them into another of the same length; what is too large gets
// lost.
func orShifted(into, set []uint64, n int64) {
	words, shift := int(n/64), uint(n%64)
	for i := len(into) - 1; i >= words; i-- {
		into[i] |= set[i-words] << shift
		if shift > 0 && i > words {
			into[i] |= set[i-words-1] >> (64 - shift)
		}
	}
}

// largest is the largest number of a bitset, 0 if it is empty.
func (l *LeastSum) largest(set []uint64) int64 {
	for i := len(set) - 1; i >= 0; i-- {
		if set[i] != 0 {
			return int64(i*64 + bits.Len64(set[i]) - 1)
		}
	}
	return 0
}

// fewest is the smallest number of values of class i with which a pick of n has exactly this deficit, and the deficit
// that is left for the classes behind it. It goes the way of fillReach, which found the deficit, so that some number
// always does.
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
