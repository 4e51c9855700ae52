package placement

// leastGroups picks the fewest children that hold so many whole groups, and the short one beside them if there is one, where the
// slots of a child say all of it: how many groups it holds, and what they leave over for the short one. Of such picks it finds the
// one with the fewest slots in sum, then with the smallest largest child, and so on.
//
// It is a program over deficits like [leastSum], over classes of children that hold as many groups and have room for the
// short one or not. Whoever takes n of a class takes the n with the fewest slots. Ours; O(classes * picked * deficits * picked).
type leastGroups struct {
	size, short int64   // of a group, and of the short one, 0 if there is none
	slots       []int64 // of the children that can take anything, largest first
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

// roomState is what is still to be picked from a class on: so many children, which have so many groups to spare if the largest are
// picked. Lonely: the short group has no room beside whole ones yet, and takes that of a whole one if nothing changes.
type roomState struct {
	class, left, spare int
	lonely             bool
}

// mostRoomStates bounds the program; beyond it, where children hold many groups each, the general one is used.
const mostRoomStates = 1 << 11

// begin sorts the children behind some sums into classes and says whether the program is small enough to pick for n groups, for
// which there is room and, with a short one, to spare.
func (l *leastGroups) begin(sums *childSums, size, short, n int64) bool {
	l.size, l.short = size, short
	l.slots, l.rooms, l.classes = l.slots[:0], append(l.rooms[:0], 0), l.classes[:0]
	least := size
	if short > 0 {
		least = short
	}
	var before int64
	for i := range sums.len {
		sum := sums.of(i + 1)
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
func (l *leastGroups) add(slots int64) {
	room := slots / l.size
	beside := l.short > 0 && slots-room*l.size >= l.short
	if n := len(l.classes); n == 0 || l.classes[n-1].room != room || l.classes[n-1].beside != beside {
		l.classes = append(l.classes, roomClass{room: room, beside: beside, from: len(l.slots)})
	}
	l.slots, l.rooms = append(l.slots, slots), append(l.rooms, l.rooms[len(l.slots)]+room)
	l.classes[len(l.classes)-1].to = len(l.slots)
}

// hasRoomBeside says whether a child that holds no fewer groups than the last one that is needed has room for the short one as well.
func (l *leastGroups) hasRoomBeside() bool {
	last := l.rooms[l.count] - l.rooms[l.count-1]
	for i := range l.classes {
		if cl := &l.classes[i]; cl.room >= last && cl.beside {
			return true
		}
	}
	return false
}

// pick lists the picked children, largest first, by their places among the slots. The list is good until the next pick.
func (l *leastGroups) pick() []int {
	n := len(l.classes) * (l.count + 1) * (l.slack + 1) * 2
	l.sums, l.choices = zeros(l.sums, n), zeros(l.choices, n)
	st := roomState{left: l.count, spare: l.slack, lonely: l.short > 0}
	l.solve(st)
	l.one = l.follow(st, int(l.choices[l.at(st)]), l.one[:0])
	return l.one
}

func (l *leastGroups) at(st roomState) int {
	return ((st.class*(l.count+1)+st.left)*(l.slack+1)+st.spare)*2 + int(bit(st.lonely))
}

// solve is one more than the least sum of slots, -1 if there is no pick. The choice that makes it is remembered.
func (l *leastGroups) solve(st roomState) int64 {
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
		slots += l.slots[i]
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
			slots -= l.slots[cl.to-n]
		}
	}
	l.sums[at], l.choices[at] = best, int32(choice)
	return best
}

// after is the state when n of the first class are picked; false if the others do not hold what is needed.
func (l *leastGroups) after(st roomState, n int) (roomState, bool) {
	cl := &l.classes[st.class]
	left := st.left - n
	if cl.to+left > len(l.slots) {
		return st, false
	}
	largest := l.rooms[cl.from+st.left] - l.rooms[cl.from]
	spare := int64(st.spare) - largest + int64(n)*cl.room + l.rooms[cl.to+left] - l.rooms[cl.to]
	return roomState{st.class + 1, left, int(spare), st.lonely && (n == 0 || !cl.beside)}, spare >= 0
}

// follow appends the children of a choice, and of those made for what it leaves.
func (l *leastGroups) follow(st roomState, n int, list []int) []int {
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

// isSmaller says whether the first of two choices of equal sum has the smaller largest child, or the smaller second one, and so on.
func (l *leastGroups) isSmaller(st roomState, a, b int) bool {
	l.one, l.other = l.follow(st, a, l.one[:0]), l.follow(st, b, l.other[:0])
	for i, k := range l.one {
		if x, y := l.slots[k], l.slots[l.other[i]]; x != y {
			return x < y
		}
	}
	return false
}
