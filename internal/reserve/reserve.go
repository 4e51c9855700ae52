// Package reserve answers: is there still room for so many members of each of several gangs, each in its domain, wherever they lie there? Amounts of
// nodes in, numbers out; of gangs, rules and time it knows nothing but instants.
package reserve

import "slices"

const (
	// mostSums bounds the sums of numbers of members that are made while nodes of several claims are added up.
	mostSums = 1 << 17
	// mostWays bounds the numbers of members of several claims that are tried on one node.
	mostWays = 1024
)

// Claim is that so many members have room, from one instant until another.
type Claim struct {
	Count     int   // not negative
	From, End int64 // End 0: for ever
}

// at says whether the members are there at an instant.
func (c *Claim) at(instant int64) bool { return c.From <= instant && (c.End == 0 || instant < c.End) }

// Node is one that lies in the domains of some claims.
type Node struct {
	Claims []int     // ascending
	Each   [][]int64 // by claim of the node: what a member of it takes, by resource; who takes nothing is there once at most
	Room   [][]int64 // by claim of the node: what is free once the claim begins, negative where the node is over-committed
}

// Takes says whether the node has room for so many members of each of its claims, at each instant at which one begins. O(claims² * resources).
func (n *Node) Takes(claims []Claim, members []int) bool {
	for k, each := range n.Each {
		if members[k] > 1 && !slices.ContainsFunc(each, func(amount int64) bool { return amount > 0 }) {
			return false
		}
	}
	for j, c := range n.Claims {
		for r, free := range n.Room[j] {
			for k, other := range n.Claims {
				each, count := n.Each[k][r], int64(members[k])
				if count == 0 || each == 0 || !claims[other].at(claims[c].From) {
					continue
				}
				if free < 0 || each > free/count {
					return false
				}
				free -= each * count
			}
		}
	}
	return true
}

// Taken is what so many members take that is neither free now nor comes free in time: what must not be given to who is there at the instants up to an end,
// 0: for ever. free is by resource.
func (n *Node) Taken(claims []Claim, members []int, free []int64, end int64) []int64 {
	out := make([]int64, len(free))
	for j, c := range n.Claims {
		if end != 0 && end <= claims[c].From {
			continue
		}
		for r := range out {
			sum := int64(0)
			for k, other := range n.Claims {
				if claims[other].at(claims[c].From) {
					sum += int64(members[k]) * n.Each[k][r]
				}
			}
			if sum > 0 {
				out[r] = max(out[r], sum-(n.Room[j][r]-free[r]))
			}
		}
	}
	return out
}

// most is how many members of one of its claims a node takes, of which others have so many; at least 0.
func (n *Node) most(claims []Claim, members []int, k int) int {
	if len(n.Claims) == 1 {
		return n.alone(claims)
	}
	members = slices.Clone(members)
	low, high := 0, claims[n.Claims[k]].Count
	for low < high {
		members[k] = (low + high + 1) / 2
		if n.Takes(claims, members) {
			low = members[k]
		} else {
			high = members[k] - 1
		}
	}
	return low
}

// alone is how many members of its only claim a node takes.
func (n *Node) alone(claims []Claim) int { return n.beside(claims, nil) }

// Loses is how many members fewer of its only claim a node takes beside what takes so much, by resource.
func (n *Node) Loses(claims []Claim, takes []int64) int {
	return n.alone(claims) - n.beside(claims, takes)
}

// LosesAtMost is a bound of how many members fewer a node takes of which each takes so much, nil: a whole node, beside one more that takes so much; none takes more than count.
func LosesAtMost(each, takes []int64, count int) int {
	if each == nil {
		return 1
	}
	most := int64(0)
	for r, amount := range each {
		if amount > 0 && takes[r] > 0 {
			most = max(most, (takes[r]-1)/amount+1)
		}
	}
	return int(min(most, int64(count)))
}

// beside is how many members of its only claim a node takes beside what takes so much; nil: nothing.
func (n *Node) beside(claims []Claim, takes []int64) int {
	top, nothing := int64(claims[n.Claims[0]].Count), true
	for r, each := range n.Each[0] {
		if each > 0 {
			room := n.Room[0][r]
			if takes != nil {
				room -= takes[r]
			}
			nothing, top = false, min(top, max(0, room)/each)
		}
	}
	if nothing {
		top = min(top, 1)
	}
	return int(top)
}

// ways are the numbers of members of all claims but the last that a node takes, each with the most of the last one; false: there are more.
func (n *Node) ways(claims []Claim) (out [][]int, all bool) {
	members := make([]int, len(n.Claims))
	var walk func(k int) bool
	walk = func(k int) bool {
		top := n.most(claims, members, k)
		if k == len(members)-1 {
			members[k] = top
			out = append(out, slices.Clone(members))
			members[k] = 0
			return len(out) < mostWays
		}
		for ; top >= 0; top-- {
			if members[k] = top; !walk(k + 1) {
				return false
			}
		}
		members[k] = 0
		return true
	}
	all = walk(0)
	return out, all
}

// Beyond are the fewest members that a node takes as it was, and not as it is now: any numbers that it took and does not any more are at least one of these.
// False: there are more than are listed.
func Beyond(claims []Claim, was, now *Node) (ways [][]int, all bool) {
	members := make([]int, len(was.Claims))
	tops := make([]int, len(members))
	total := 1
	for k := range tops {
		tops[k] = was.most(claims, members, k)
		if total *= tops[k] + 1; total > mostWays {
			return nil, false
		}
	}
	for range total {
		smaller := func(way []int) bool { return isAtLeast(members, way) }
		if was.Takes(claims, members) && !now.Takes(claims, members) && !slices.ContainsFunc(ways, smaller) {
			ways = append(ways, slices.Clone(members))
		}
		next(members, tops)
	}
	return ways, true
}

// next counts on, the last place first: so each number comes behind all that are at most as large in each place.
func next(members, tops []int) {
	for k := len(members) - 1; k >= 0; k-- {
		if members[k]++; members[k] <= tops[k] {
			return
		}
		members[k] = 0
	}
}

func isAtLeast(a, b []int) bool {
	for k := range a {
		if a[k] < b[k] {
			return false
		}
	}
	return true
}
