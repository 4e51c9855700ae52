// What do all nodes together keep?

package reserve

import (
	"cmp"
	"slices"
)

// State is what is kept of some claims, the first ones before others. It is safe for concurrent use.
type State struct {
	Claims []Claim
	Nodes  []*Node // they never change
	Need   []int   // by claim: how many members are kept; less than its count where there is no more room
	Exact  bool    // no claim of Need could have had more

	loose  []bool // by claim: with those with which it is joint it could have had more
	sums   []int  // by claim: on nodes that lie in no other one's domain, as many as they take
	shared []int  // nodes of several claims
	joint  []int  // by claim: the first one of those with which it shares nodes, directly or by others
}

// New finds out what is kept. O(claims + nodes), and where nodes lie in the domains of several claims up to 4,096 numbers of members for each of them.
func New(claims []Claim, nodes []*Node) *State {
	s := &State{
		Claims: claims, Nodes: nodes, Need: make([]int, len(claims)), loose: make([]bool, len(claims)), sums: make([]int, len(claims)), joint: make([]int, len(claims)),
	}
	for c := range claims {
		s.joint[c] = c
	}
	for i, n := range nodes {
		if len(n.Claims) == 1 {
			s.sums[n.Claims[0]] += n.alone(claims)
		} else if len(n.Claims) > 1 {
			s.shared = append(s.shared, i)
			s.join(n.Claims)
		}
	}
	s.keep(s.joint)
	return s
}

// Update is the state with some nodes as they are now. O(nodes + changed nodes), and for claims that share nodes with others of changed ones as for New; for all
// claims where a node comes to be shared, or is no longer.
func (s *State) Update(now map[int]*Node) *State {
	next := *s
	next.Nodes, next.Need, next.loose, next.sums = slices.Clone(s.Nodes), slices.Clone(s.Need), slices.Clone(s.loose), slices.Clone(s.sums)
	var changed []int
	again := false
	for i, n := range now { // sums, in any order
		was := s.Nodes[i]
		again = again || !slices.Equal(was.Claims, n.Claims) && max(len(was.Claims), len(n.Claims)) > 1
		if len(was.Claims) == 1 {
			next.sums[was.Claims[0]] -= was.alone(s.Claims)
		}
		if len(n.Claims) == 1 {
			next.sums[n.Claims[0]] += n.alone(s.Claims)
		}
		for _, c := range slices.Concat(was.Claims, n.Claims) {
			changed = append(changed, s.joint[c])
		}
		next.Nodes[i] = n
	}
	if again {
		return New(s.Claims, next.Nodes)
	}
	next.keep(changed)
	return &next
}

// keep finds out how many members are kept of some claims, each the first one of those that are joint, which may be named more than once.
func (s *State) keep(of []int) {
	for c := range s.Claims {
		if s.joint[c] != c || !slices.Contains(of, c) {
			continue
		}
		with := s.with(c)
		best, exact := make([]int, len(with)), true
		for k, other := range with {
			best[k] = s.Claims[other].Count
		}
		if !s.fills(with, s.sums, best, nil) {
			var front [][]int
			front, exact = s.front(with, s.sums, nil)
			best = slices.MaxFunc(front, slices.Compare)
		}
		s.loose[c] = !exact
		for k, other := range with {
			s.Need[other] = best[k]
		}
	}
	s.Exact = !slices.Contains(s.loose, true)
}

// Needing is the state where so many members of each claim are to be kept, for whom there is room at once.
func (s *State) Needing(need []int) *State {
	next := *s
	next.Need = need
	return &next
}

// join notes that claims share a node.
func (s *State) join(claims []int) {
	first := s.joint[claims[0]]
	for _, c := range claims {
		first = min(first, s.joint[c])
	}
	for _, c := range claims {
		was := s.joint[c]
		for k := range s.joint {
			if s.joint[k] == was {
				s.joint[k] = first
			}
		}
	}
}

// with are the claims that are joint with one, itself among them, ascending.
func (s *State) with(c int) (out []int) {
	for k := range s.joint {
		if s.joint[k] == s.joint[c] {
			out = append(out, k)
		}
	}
	return out
}

// front are the largest numbers of members of joint claims that have room at once, sums of them on nodes of their own, none more than its claim counts; now
// has nodes that changed. False: there are others.
func (s *State) front(with, sums []int, now map[int]*Node) (front [][]int, all bool) {
	start := make([]int, len(with))
	for k, c := range with {
		start[k] = min(sums[c], s.Claims[c].Count)
	}
	front, all = [][]int{start}, true
	left := mostSums
	for _, i := range s.shared {
		n := s.node(i, now)
		if !slices.Contains(with, n.Claims[0]) {
			continue
		}
		ways, listed := n.ways(s.Claims)
		if all = all && listed; len(ways)*len(front) > left {
			front, all = front[:1], false
		}
		left -= len(ways) * len(front)
		var more [][]int
		for _, members := range ways {
			for _, v := range front {
				next := slices.Clone(v)
				for k, c := range n.Claims {
					at, _ := slices.BinarySearch(with, c)
					next[at] = min(next[at]+members[k], s.Claims[c].Count)
				}
				more = append(more, next)
			}
		}
		front = largest(more)
	}
	return front, all
}

// node is a node as it is now.
func (s *State) node(i int, now map[int]*Node) *Node {
	if changed := now[i]; changed != nil {
		return changed
	}
	return s.Nodes[i]
}

// largest are those that are not below others, in descending order.
func largest(list [][]int) (front [][]int) {
	slices.SortFunc(list, func(a, b []int) int { return slices.Compare(b, a) })
	second := -1 // the largest one so far
	for _, v := range list {
		switch {
		case len(v) == 2 && v[1] <= second:
		case len(v) > 2 && slices.ContainsFunc(front, func(of []int) bool { return isAtLeast(of, v) }):
		case len(v) == 1 && len(front) > 0:
		default:
			front = append(front, v)
			second = v[len(v)-1]
		}
	}
	return front
}

// fills says whether joint claims have room for so many members if each in turn takes what it can, those of fewer nodes before others, and nodes of fewer claims first.
func (s *State) fills(with, sums, need []int, now map[int]*Node) bool {
	var shared []int
	nodes := make([]int, len(s.Claims))
	for _, i := range s.shared {
		if slices.Contains(with, s.Nodes[i].Claims[0]) {
			shared = append(shared, i)
			for _, c := range s.Nodes[i].Claims {
				nodes[c]++
			}
		}
	}
	slices.SortStableFunc(shared, func(a, b int) int { return cmp.Compare(len(s.Nodes[a].Claims), len(s.Nodes[b].Claims)) })
	order := slices.Clone(with)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(nodes[a], nodes[b]) })
	members := map[int][]int{}
	for _, c := range order {
		at, _ := slices.BinarySearch(with, c)
		left := need[at] - sums[c]
		for _, i := range shared {
			n := s.node(i, now)
			k, is := slices.BinarySearch(n.Claims, c)
			if left <= 0 || !is {
				continue
			}
			if members[i] == nil {
				members[i] = make([]int, len(n.Claims))
			}
			members[i][k] = min(left, n.most(s.Claims, members[i], k))
			left -= members[i][k]
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// Short are joint claims of which no longer as many members are kept once nodes are as they are now; none: all are kept as they were. It is exact where the
// room of these could be told. O(changed nodes), and for claims that share nodes as for New.
func (s *State) Short(now map[int]*Node) (claims []int, exact bool) {
	sums, changed := s.sums, map[int]bool{}
	for i, n := range now {
		for _, c := range n.Claims {
			changed[s.joint[c]] = true
		}
		if len(n.Claims) == 1 {
			if &sums[0] == &s.sums[0] {
				sums = slices.Clone(sums)
			}
			c := n.Claims[0]
			sums[c] += n.most(s.Claims, []int{0}, 0) - s.Nodes[i].most(s.Claims, []int{0}, 0)
		}
	}
	return s.first(changed, sums, s.Need, now)
}

// Spares says whether claims keep all without so many members for whom their own nodes have room, by claim. False: not so, or it is not known of claims that share nodes.
func (s *State) Spares(lost []int) bool {
	for c, n := range lost {
		if n > 0 && (s.sums[c]-n < s.Need[c] || s.isShared(c)) {
			return false
		}
	}
	return true
}

// isShared says whether a claim is joint with others.
func (s *State) isShared(c int) bool {
	for k, first := range s.joint {
		if k != c && first == s.joint[c] {
			return true
		}
	}
	return false
}

// Reaches are joint claims of which not so many members have room as are needed, by claim; none: all have. It is exact where the room of these could be told.
func (s *State) Reaches(need []int) (short []int, exact bool) {
	all := map[int]bool{}
	for c := range s.Claims {
		all[s.joint[c]] = true
	}
	return s.first(all, s.sums, need, nil)
}

// first are the first joint claims, of those that are asked for by their first one, that lack room.
func (s *State) first(of map[int]bool, sums, all []int, now map[int]*Node) (short []int, exact bool) {
	for c := range s.Claims {
		if s.joint[c] != c || !of[c] {
			continue
		}
		with := s.with(c)
		need := make([]int, len(with))
		for k, other := range with {
			need[k] = all[other]
		}
		if s.fills(with, sums, need, now) {
			continue
		}
		front, listed := s.front(with, sums, now)
		if !slices.ContainsFunc(front, func(v []int) bool { return isAtLeast(v, need) }) {
			return with, listed && s.Exact
		}
	}
	return nil, true
}

// Settle says of each node, in an order in which those come first that are better taken, how many members of its claims lie there so that all is kept; by node. False:
// not so.
func (s *State) Settle(order []int) (map[int][]int, bool) {
	out, left := map[int][]int{}, slices.Clone(s.Need)
	for _, i := range order {
		n := s.Nodes[i]
		members := make([]int, len(n.Claims))
		for k, c := range n.Claims {
			if more := min(n.most(s.Claims, members, k)-members[k], left[c]); more > 0 {
				members[k] += more
				left[c] -= more
				out[i] = members
			}
		}
	}
	return out, !slices.ContainsFunc(left, func(n int) bool { return n > 0 })
}
