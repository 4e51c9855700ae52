package sets

import "github.com/muster-sched/muster/internal/index"

// LeastGroups picks the fewest children that hold a number of whole groups, and the short group beside them if there is
// one. Slots alone decide: they give the whole groups of a child, and the slots left over for the short group. Of the
// picks it finds the one with the fewest slots in sum, then with the smallest largest child, and so on.
//
// It is a program over deficits like [LeastSum]. A class is children with equally many whole groups that all have room
// for the short group beside these, or all have not. Within a class those with the fewest slots are best, so a pick is
// a number for each class. Ours; O(classes * picked * slack) states, and O(picked) choices for each.
type LeastGroups struct {
	Size, Short int64       // slots of a group, and of the short group; 0: there is none
	Slots       []int64     // of the children that can take a group or the short group, largest first
	rooms       []int64     // the whole groups in the first 0, 1, ... children
	classes     []roomClass // in the order of Slots
	count       int         // children to pick
	slack       int         // groups that the largest count children hold beyond the need
	sums        []int64     // by state: see solve; 0: not yet known
	choices     []int32     // by state: the number of children of its class in the best pick
	one, other  []int       // scratch: lists of children
}

// roomClass is a class: the children at [from, to) in Slots.
type roomClass struct {
	room     int64 // whole groups in each
	beside   bool  // there is room for the short group beside them
	from, to int
}

// roomState is what is still to be picked from a class on: left children, which have spare groups beyond the need if
// the largest are picked. Lonely: no child picked so far has room for the short group beside whole ones.
type roomState struct {
	class, left, spare int
	lonely             bool
}

// mostRoomStates bounds the states of the program, lonely or not. Beyond it, where children hold many groups each, the
// caller uses [Chooser].
const mostRoomStates = 1 << 11

// Begin sorts the children behind some sums into classes, and says whether the program is small enough to pick for n
// groups. There must be room for n groups, and for more than n if there is a short group and no room for it beside
// them. O(children).
func (l *LeastGroups) Begin(sums *index.ChildSums, size, short, n int64) bool {
	l.Size, l.Short = size, short
	l.Slots, l.rooms, l.classes = l.Slots[:0], append(l.rooms[:0], 0), l.classes[:0]
	least := size // slots of a child that can take anything
	if short > 0 {
		least = short
	}
	var before int64
	for i := range sums.Len {
		sum := sums.Of(i + 1)
		slots := sum - before
		if before = sum; slots < least {
			break
		}
		l.add(slots)
	}
	l.count = 0
	for l.rooms[l.count] < n {
		l.count++
	}
	// The short group needs room beside whole groups, or a place of one to spare. A child more always gives the latter.
	if short > 0 && l.rooms[l.count] == n && !l.hasRoomBeside() {
		l.count++
	}
	l.slack = int(l.rooms[l.count] - n)
	return len(l.classes)*(l.count+1)*(l.slack+1) <= mostRoomStates
}

// add takes in one more child, no larger than the ones before. Of children with equally many groups those with room
// beside have more slots, so that each class is an interval.
func (l *LeastGroups) add(slots int64) {
	room := slots / l.Size
	beside := l.Short > 0 && slots-room*l.Size >= l.Short
	if n := len(l.classes); n == 0 || l.classes[n-1].room != room || l.classes[n-1].beside != beside {
		l.classes = append(l.classes, roomClass{room: room, beside: beside, from: len(l.Slots)})
	}
	l.Slots, l.rooms = append(l.Slots, slots), append(l.rooms, l.rooms[len(l.Slots)]+room)
	l.classes[len(l.classes)-1].to = len(l.Slots)
}

// hasRoomBeside says whether some set of count children without a group to spare has room for the short group beside.
// Such a set has all children with more groups than the smallest of the largest, and any of those with as many.
func (l *LeastGroups) hasRoomBeside() bool {
	last := l.rooms[l.count] - l.rooms[l.count-1]
	for i := range l.classes {
		if cl := &l.classes[i]; cl.room >= last && cl.beside {
			return true
		}
	}
	return false
}

// Pick lists the picked children, largest first, by their places in Slots. The list is good until the next pick. Begin
// must have returned true.
func (l *LeastGroups) Pick() []int {
	n := len(l.classes) * (l.count + 1) * (l.slack + 1) * 2
	l.sums, l.choices = zeros(l.sums, n), zeros(l.choices, n)
	st := roomState{left: l.count, spare: l.slack, lonely: l.Short > 0}
	l.solve(st)
	l.one = l.follow(st, int(l.choices[l.at(st)]), l.one[:0])
	return l.one
}

// at is the place of a state in sums and choices.
func (l *LeastGroups) at(st roomState) int {
	at := ((st.class*(l.count+1)+st.left)*(l.slack+1) + st.spare) * 2
	if st.lonely {
		at++
	}
	return at
}

// solve is one more than the least sum of slots from a state on, -1 if there is no pick. It remembers the number of
// children that makes it. Only the best pick from a state need be kept: common children change no comparison.
func (l *LeastGroups) solve(st roomState) int64 {
	if st.class == len(l.classes) {
		if st.lonely && st.spare == 0 { // no room for the short group, beside groups or in place of one
			return -1
		}
		return 1
	}
	at := l.at(st)
	if l.sums[at] != 0 {
		return l.sums[at]
	}
	best, choice := int64(-1), 0
	cl := &l.classes[st.class]
	var slots int64 // of the n smallest children of the class, with n as below
	for i := cl.to - min(st.left, cl.to-cl.from); i < cl.to; i++ {
		slots += l.Slots[i]
	}
	for n := min(st.left, cl.to-cl.from); n >= 0; n-- {
		next, ok := l.after(st, n)
		if !ok {
			break // fewer of this class would leave still more to smaller ones
		}
		if sum := l.solve(next); sum > 0 && (best < 0 || sum+slots < best || sum+slots == best && l.isSmaller(st, n, choice)) {
			best, choice = sum+slots, n
		}
		if n > 0 {
			slots -= l.Slots[cl.to-n]
		}
	}
	l.sums[at], l.choices[at] = best, int32(choice)
	return best
}

// after is the state behind its class once n children of it are picked; false if those behind are too few, or do not
// hold the groups that are still needed.
func (l *LeastGroups) after(st roomState, n int) (roomState, bool) {
	cl := &l.classes[st.class]
	left := st.left - n
	if cl.to+left > len(l.Slots) {
		return st, false
	}
	// The largest children still to be picked change: n of this class and the first ones behind it, for those so far.
	largest := l.rooms[cl.from+st.left] - l.rooms[cl.from]
	spare := int64(st.spare) - largest + int64(n)*cl.room + l.rooms[cl.to+left] - l.rooms[cl.to]
	return roomState{st.class + 1, left, int(spare), st.lonely && (n == 0 || !cl.beside)}, spare >= 0
}

// follow appends the children of a choice of n in a state, and of the remembered choices behind it, largest first.
func (l *LeastGroups) follow(st roomState, n int, list []int) []int {
	for {
		cl := &l.classes[st.class]
		for i := cl.to - n; i < cl.to; i++ {
			list = append(list, i)
		}
		st, _ = l.after(st, n)
		if st.class == len(l.classes) {
			return list
		}
		n = int(l.choices[l.at(st)])
	}
}

// isSmaller says whether a, of two choices in a state with equal sums, has the smaller largest child, then the smaller
// second largest, and so on. O(picked + classes).
func (l *LeastGroups) isSmaller(st roomState, a, b int) bool {
	l.one, l.other = l.follow(st, a, l.one[:0]), l.follow(st, b, l.other[:0])
	for i, k := range l.one {
		if x, y := l.Slots[k], l.Slots[l.other[i]]; x != y {
			return x < y
		}
	}
	return false
}
