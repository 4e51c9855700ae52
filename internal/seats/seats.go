// Package seats answers: who changes places with whom, so that nobody is on a node that is refused for him?
//
// It takes numbers and gives numbers: places are nodes, members are their own order. A member is in doubt only where it has
// refused nodes; so what a call costs beside the members follows from the pairs, and not from members times nodes.
package seats

import "slices"

// Stuck says why members cannot be seated: together they may be on too few of the places.
type Stuck struct {
	// Members are some who are more than the places that any of them may take, ascending.
	Members []int
	// Nodes have places, and none of these members may be there: in the order of the places. Every plan of these members has
	// one of them elsewhere.
	Nodes []int32
	// Seated is how many of all members can be seated at once.
	Seated int
}

// Seat gives every member a place: of members of the nodes places, one each, where refused has the nodes on which a member may
// not be (shorter: the others have none; duplicates and nodes that are no place are harmless). Going by members, each takes the
// first place with which all others can still be seated. So nobody moves if nobody is where he may not be.
//
// The answer has the place of each member, a permutation that belongs to the caller; or nil and who is stuck. The arguments stay
// as they are. O(members + pairs) if nobody has to move, else a bipartite matching by augmenting chains (Hopcroft and Karp's
// problem, one chain at a time): at most O(members + pairs) for each member on a refused node, and for each member and each earlier
// node on which others have to stay. Mostly two members just change.
//
// order: refused.2
func Seat(places []int32, refused [][]int32) ([]int, *Stuck) {
	h := newHall(places, refused)
	var unseated []int
	for i, k := range h.nodeOf {
		if h.bars(i, k) {
			unseated = append(unseated, i)
		} else {
			h.sit(i, k)
		}
	}
	if stuck := h.seat(unseated); stuck != nil {
		return nil, stuck
	}
	if len(unseated) == 0 {
		return h.identity(), nil
	}
	return h.first(), nil
}

// hall has the nodes of the places, numbered in the order of their first places, and who sits where.
type hall struct {
	nodes  []int32   // by number
	nodeOf []int     // by place: number of its node
	seats  [][]int   // by node: its places that nobody has for good, ascending
	free   []int     // by node: places without a member
	barred []barSet  // by member; shorter: the others may be anywhere
	at     []int     // by member: its node, -1: none
	on     [][]int   // by node: members there that have not got their place for good
	place  []int     // by member in on: its place in that list
	from   []arrival // by node, of the last search
	todo   []int
	rest   []int // nodes that the last search did not reach
}

// barSet are the nodes on which a member may not be.
type barSet map[int]bool

// arrival is how a search came to a node.
type arrival struct {
	node  int // -1: it began there
	mover int // who moves from that node to this one
}

func newHall(places []int32, refused [][]int32) *hall {
	n := len(places)
	h := &hall{nodeOf: make([]int, n), at: make([]int, n), place: make([]int, n)}
	number := make(map[int32]int, n)
	for s, node := range places {
		k, known := number[node]
		if !known {
			k = len(h.nodes)
			number[node] = k
			h.nodes, h.seats = append(h.nodes, node), append(h.seats, nil)
		}
		h.nodeOf[s], h.seats[k], h.at[s] = k, append(h.seats[k], s), -1
	}
	h.free, h.on, h.from = make([]int, len(h.nodes)), make([][]int, len(h.nodes)), make([]arrival, len(h.nodes))
	for k := range h.seats {
		h.free[k] = len(h.seats[k])
	}
	h.barred = make([]barSet, min(n, len(refused)))
	for i := range h.barred {
		for _, node := range refused[i] {
			if k, is := number[node]; is {
				if h.barred[i] == nil {
					h.barred[i] = barSet{}
				}
				h.barred[i][k] = true
			}
		}
	}
	return h
}

// bars says whether a member may not be on a node.
func (h *hall) bars(i, k int) bool { return i < len(h.barred) && h.barred[i][k] }

// sit gives a member a place on a node that has one.
func (h *hall) sit(i, k int) {
	h.at[i], h.place[i] = k, len(h.on[k])
	h.on[k] = append(h.on[k], i)
	h.free[k]--
}

// leave takes a member from its node.
func (h *hall) leave(i int) {
	k := h.at[i]
	last := h.on[k][len(h.on[k])-1]
	h.on[k][h.place[i]], h.place[last] = last, h.place[i]
	h.on[k] = h.on[k][:len(h.on[k])-1]
	h.at[i] = -1
	h.free[k]++
}

// identity has every member on its own place.
func (h *hall) identity() []int {
	out := make([]int, len(h.nodeOf))
	for i := range out {
		out[i] = i
	}
	return out
}

// seat finds a place for each of these members, others moving for them.
func (h *hall) seat(unseated []int) (stuck *Stuck) {
	left, vacant := 0, []int(nil)
	for k, n := range h.free {
		if n > 0 {
			vacant = append(vacant, k)
		}
	}
	for _, i := range unseated {
		if n := slices.IndexFunc(vacant, func(k int) bool { return !h.bars(i, k) }); n >= 0 { // mostly nobody has to move for it
			k := vacant[n]
			if h.sit(i, k); h.free[k] == 0 {
				vacant = slices.Delete(vacant, n, n+1)
			}
			continue
		}
		h.begin()
		for k := range h.nodes {
			if !h.bars(i, k) {
				h.reach(k, arrival{-1, i})
			}
		}
		h.rest = slices.DeleteFunc(h.rest, func(k int) bool { return !h.bars(i, k) })
		if end := h.search(); end >= 0 {
			h.move(i, end)
			vacant = slices.DeleteFunc(vacant, func(k int) bool { return h.free[k] == 0 })
			continue
		}
		if left++; stuck == nil {
			stuck = h.stuck(i)
		}
	}
	if stuck != nil {
		stuck.Seated = len(h.nodeOf) - left
	}
	return stuck
}

// stuck is what a search in vain has found: the member, and all on the nodes that it reached. These may be nowhere else, and
// the nodes are full of them.
func (h *hall) stuck(i int) *Stuck {
	s := &Stuck{Members: []int{i}}
	rest := map[int]bool{}
	for _, k := range h.rest {
		rest[k] = true
		s.Nodes = append(s.Nodes, h.nodes[k])
	}
	for j, k := range h.at {
		if k >= 0 && !rest[k] {
			s.Members = append(s.Members, j)
		}
	}
	slices.Sort(s.Members)
	return s
}

// begin starts a search that has reached nothing.
func (h *hall) begin() {
	h.todo, h.rest = h.todo[:0], h.rest[:0]
	for k := range h.nodes {
		h.rest = append(h.rest, k)
	}
}

// reach notes how a search came to a node.
func (h *hall) reach(k int, by arrival) {
	h.from[k] = by
	h.todo = append(h.todo, k)
}

// search goes on from the nodes reached, whose members may move on, until one has a free place; -1: none has. Each member
// looks at the nodes that are left: those where it may be are reached, once, the others are pairs of its own.
func (h *hall) search() int {
	for n := 0; n < len(h.todo); n++ { //nolint:intrange // it grows on the way
		k := h.todo[n]
		if h.free[k] > 0 {
			return k
		}
		for _, j := range h.on[k] {
			if len(h.rest) == 0 {
				break
			}
			h.rest = slices.DeleteFunc(h.rest, func(next int) bool {
				open := !h.bars(j, next)
				if open {
					h.reach(next, arrival{k, j})
				}
				return open
			})
		}
	}
	return -1
}

// move lets the members of a chain move on, from its end, and gives the place that becomes free at its beginning to a member.
func (h *hall) move(i, end int) {
	for h.from[end].node >= 0 {
		by := h.from[end]
		h.leave(by.mover)
		h.sit(by.mover, end)
		end = by.node
	}
	h.sit(i, end)
}

// first gives members their places for good, one after the other: the first one with which the others can still be seated.
func (h *hall) first() []int {
	out, taken := make([]int, len(h.nodeOf)), make([]bool, len(h.nodeOf))
	tried := make([]int, len(h.nodes)) // by node: the last member that could not get a place there, counted from 1
	open := 0                          // places before it are taken
	for i := range out {
		for taken[open] {
			open++
		}
		s := open
		for ; taken[s] || tried[h.nodeOf[s]] == i+1 || !h.takes(i, h.nodeOf[s]); s++ {
			if !taken[s] {
				tried[h.nodeOf[s]] = i + 1
			}
		}
		k := h.nodeOf[s]
		h.leave(i)
		h.free[k]-- // for good
		out[i], taken[s] = s, true
	}
	return out
}

// takes moves a member to a node if it may be there and the others can still be seated, and says whether it is there.
func (h *hall) takes(i, k int) bool {
	was := h.at[i]
	if was == k {
		return true
	}
	if h.bars(i, k) {
		return false
	}
	for _, j := range h.on[k] { // mostly somebody can just change with it
		if !h.bars(j, was) {
			h.leave(j)
			h.leave(i)
			h.sit(i, k)
			h.sit(j, was)
			return true
		}
	}
	h.leave(i)
	h.begin()
	h.reach(k, arrival{-1, i})
	h.rest = slices.DeleteFunc(h.rest, func(other int) bool { return other == k })
	if end := h.search(); end >= 0 {
		h.move(i, end)
		return true
	}
	h.sit(i, was)
	return false
}
