package sets

import "github.com/muster-sched/muster/internal/index"

// LeastGroups picks the fewest children that hold so many whole groups, and the short one beside them if there is one,
// where the slots of a child say all of it: how many groups it holds, and what they leave over for the short one. Of
// such picks it finds the one with the fewest slots in sum, then with the smallest largest child, and so on.
//
// It is a program over deficits like [leastSum], over classes of children that hold as many groups and have room for
// the short one or not. Whoever takes n of a class takes the n with the fewest slots. Ours; O(classes * picked *
// deficits * picked).
type LeastGroups struct {
	Size, Short int64   // of a group, and of the short one, 0 if there is none
	Slots       []int64 // of the children that can take anything, largest first
	rooms       []int64 // the whole groups in the first 0, 1, ... children
	classes     []roomClass
	count       int // of the picked children
	slack       int // how many groups more than needed the largest of them hold
	sums        []int64
	choices     []int32
	one, other  []int
}

// roomClass are the children [from, to).
type roomClass struct {
	room     int64 // whole groups in each
	beside   bool  // there is room for the short group beside them
	from, to int
}

// roomState is what is still to be picked from a class on: so many children, which have so many groups to spare if the
// largest are picked. Lonely: the short group has no room beside whole ones yet, and takes that of a whole one if
// nothing changes.
type roomState struct {
	class, left, spare int
	lonely             bool
}

// mostRoomStates bounds the program; beyond it, where children hold many groups each, the general one is used.
const mostRoomStates = 1 << 11

// Begin sorts the children behind some sums into classes and says whether the program is small enough to pick for n
// groups, for which there is room and, with a short one, to spare.
func (l *LeastGroups) Begin(sums *index.ChildSums, size, short, n int64) bool {
	l.Size, l.Short = size, short
	l.Slots, l.rooms, l.classes = l.Slots[:0], append(l.rooms[:0], 0), l.classes[:0]
	least := size
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
	if short > 0 && l.rooms[l.count] == n && !l.hasRoomBeside() {
		l.count++
	}
	l.slack = int(l.rooms[l.count] - n)
	return len(l.classes)*(l.count+1)*(l.slack+1) <= mostRoomStates
}

// add takes in one more child, none larger than the ones before.
func (l *LeastGroups) add(slots int64) {
	room := slots / l.Size
	beside := l.Short > 0 && slots-room*l.Size >= l.Short
	if n := len(l.classes); n == 0 || l.classes[n-1].room != room || l.classes[n-1].beside != beside {
		l.classes = append(l.classes, roomClass{room: room, beside: beside, from: len(l.Slots)})
	}
	l.Slots, l.rooms = append(l.Slots, slots), append(l.rooms, l.rooms[len(l.Slots)]+room)
	l.classes[len(l.classes)-1].to = len(l.Slots)
}

// hasRoomBeside says whether a child that holds no fewer groups than the last one that is needed has room for the short
// one as well.
func (l *LeastGroups) hasRoomBeside() bool {
	last := l.rooms[l.count] - l.rooms[l.count-1]
	for i := range l.classes {
		if cl := &l.classes[i]; cl.room >= last && cl.beside {
			return true
		}
	}
	return false
}

// Pick lists the picked children, largest first, by their places among the slots. The list is good until the next pick.
func (l *LeastGroups) Pick() []int {
	n := len(l.classes) * (l.count + 1) * (l.slack + 1) * 2
	l.sums, l.choices = zeros(l.sums, n), zeros(l.choices, n)
	st := roomState{left: l.count, spare: l.slack, lonely: l.Short > 0}
	l.solve(st)
	l.one = l.follow(st, int(l.choices[l.at(st)]), l.one[:0])
	return l.one
}

func (l *LeastGroups) at(st roomState) int {
	at := ((st.class*(l.count+1)+st.left)*(l.slack+1) + st.spare) * 2
	if st.lonely {
		at++
	}
	return at
}

// solve is one more than the least sum of slots, -1 if there is no pick. The choice that makes it is remembered.
func (l *LeastGroups) solve(st roomState) int64 {
	if st.class == len(l.classes) {
		if st.lonely && st.spare == 0 {
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
	var slots int64
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

// after is the state when n of the first class are picked; false if the others do not hold what is needed.
func (l *LeastGroups) after(st roomState, n int) (roomState, bool) {
	cl := &l.classes[st.class]
	left := st.left - n
	if cl.to+left > len(l.Slots) {
		return st, false
	}
	largest := l.rooms[cl.from+st.left] - l.rooms[cl.from]
	spare := int64(st.spare) - largest + int64(n)*cl.room + l.rooms[cl.to+left] - l.rooms[cl.to]
	return roomState{st.class + 1, left, int(spare), st.lonely && (n == 0 || !cl.beside)}, spare >= 0
}

// follow appends the children of a choice, and of those made for what it leaves.
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

// isSmaller says whether the first of two choices of equal sum has the smaller largest child, or the smaller second
// one, and so on.
func (l *LeastGroups) isSmaller(st roomState, a, b int) bool {
	l.one, l.other = l.follow(st, a, l.one[:0]), l.follow(st, b, l.other[:0])
	for i, k := range l.one {
		if x, y := l.Slots[k], l.Slots[l.other[i]]; x != y {
			return x < y
		}
	}
	return false
}
