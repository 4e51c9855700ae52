package reserve

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawn are claims on a few nodes of two resources, in whose domains nodes lie by chance.
func drawn(t *rapid.T) ([]Claim, []*Node) {
	claims := make([]Claim, rapid.IntRange(1, 3).Draw(t, "claims"))
	for c := range claims {
		claims[c] = Claim{Count: rapid.IntRange(0, 4).Draw(t, "count"), From: rapid.Int64Range(0, 3).Draw(t, "from")}
		if length := rapid.Int64Range(0, 3).Draw(t, "length"); length > 0 {
			claims[c].End = claims[c].From + length
		}
	}
	nodes := make([]*Node, rapid.IntRange(0, 4).Draw(t, "nodes"))
	for i := range nodes {
		nodes[i] = &Node{}
		for c := range claims {
			if rapid.Bool().Draw(t, "in the domain") {
				nodes[i].Claims = append(nodes[i].Claims, c)
				nodes[i].Each = append(nodes[i].Each, rapid.SliceOfN(rapid.Int64Range(0, 3), 2, 2).Draw(t, "each"))
				nodes[i].Room = append(nodes[i].Room, rapid.SliceOfN(rapid.Int64Range(-2, 6), 2, 2).Draw(t, "room"))
			}
		}
	}
	return claims, nodes
}

// takes says whether a node has room, member by member.
func takes(claims []Claim, n *Node, members []int) bool {
	for j, c := range n.Claims {
		left := slices.Clone(n.Room[j])
		asked := make([]bool, len(left))
		for k, other := range n.Claims {
			if members[k] > 1 && slices.Max(n.Each[k]) == 0 {
				return false
			}
			there := claims[other].From <= claims[c].From && (claims[other].End == 0 || claims[c].From < claims[other].End)
			for r := range left {
				if there && members[k] > 0 {
					left[r] -= int64(members[k]) * n.Each[k][r]
					asked[r] = asked[r] || n.Each[k][r] > 0
				}
			}
		}
		for r := range left {
			if asked[r] && left[r] < 0 {
				return false
			}
		}
	}
	return true
}

// ways are all numbers of members that a node takes, none more than its claim counts.
func ways(claims []Claim, n *Node) (out [][]int) {
	members := make([]int, len(n.Claims))
	var walk func(k int)
	walk = func(k int) {
		if k == len(members) {
			if takes(claims, n, members) {
				out = append(out, slices.Clone(members))
			}
			return
		}
		for members[k] = 0; members[k] <= claims[n.Claims[k]].Count; members[k]++ {
			walk(k + 1)
		}
		members[k] = 0
	}
	walk(0)
	return out
}

// sums are all numbers of members that nodes take together, cut off at what claims count, with the members by node.
func sums(claims []Claim, nodes []*Node) [][]int {
	all := [][]int{make([]int, len(claims))}
	for i := range nodes {
		var next [][]int
		for _, v := range all {
			for _, members := range ways(claims, nodes[i]) {
				sum := slices.Clone(v)
				for k, c := range nodes[i].Claims {
					sum[c] = min(sum[c]+members[k], claims[c].Count)
				}
				if !slices.ContainsFunc(next, func(of []int) bool { return slices.Equal(of, sum) }) {
					next = append(next, sum)
				}
			}
		}
		all = next
	}
	return all
}

// What is kept, and whether it still is once nodes change, is as enumeration says.
func TestKeptEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims, nodes := drawn(t)
		s := New(claims, nodes)
		require.True(t, s.Exact)
		require.Equal(t, slices.MaxFunc(sums(claims, nodes), slices.Compare), s.Need)
		for i := range nodes {
			for _, members := range ways(claims, nodes[i]) {
				require.True(t, nodes[i].Takes(claims, members))
			}
		}
		changed, now := slices.Clone(nodes), map[int]*Node{}
		for i := range nodes {
			if rapid.Bool().Draw(t, "changed") {
				n := Node{Claims: nodes[i].Claims, Each: nodes[i].Each}
				for _, room := range nodes[i].Room {
					n.Room = append(n.Room, []int64{room[0] - rapid.Int64Range(-1, 3).Draw(t, "taken"), room[1]})
				}
				changed[i], now[i] = &n, &n
			}
		}
		reaches := func(need []int) bool {
			return slices.ContainsFunc(sums(claims, changed), func(v []int) bool { return isAtLeast(v, need) })
		}
		short, exact := s.Short(now)
		require.True(t, exact)
		require.Equal(t, reaches(s.Need), len(short) == 0)
		other := New(claims, changed)
		require.Equal(t, other, s.Update(now))
		short, _ = other.Reaches(s.Need)
		require.Equal(t, reaches(s.Need), len(short) == 0)
		if reaches(s.Need) {
			require.Empty(t, short)
			short, _ = other.Needing(s.Need).Short(nil)
			require.Empty(t, short)
		}
	})
}

// A state that follows nodes, which come into the domains of claims and leave them, is as one that is made of them.
func TestUpdateEqualsNew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims, nodes := drawn(t)
		s := New(claims, nodes)
		changed, now := slices.Clone(nodes), map[int]*Node{}
		for i := range nodes {
			if rapid.Bool().Draw(t, "changed") {
				n := *nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "like")]
				changed[i], now[i] = &n, &n
			}
		}
		require.Equal(t, New(claims, changed), s.Update(now))
	})
}

// Whatever a node took, and does not any more, is at least one of the fewest members that it took and does not.
func TestBeyondIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims, nodes := drawn(t)
		for i := range nodes {
			was := nodes[i]
			now := &Node{Claims: was.Claims, Each: was.Each}
			for _, room := range was.Room {
				now.Room = append(now.Room, []int64{room[0] - rapid.Int64Range(0, 3).Draw(t, "taken"), room[1]})
			}
			fewest, all := Beyond(claims, was, now)
			require.True(t, all)
			for _, members := range ways(claims, was) {
				covered := slices.ContainsFunc(fewest, func(way []int) bool { return isAtLeast(members, way) })
				require.Equal(t, !takes(claims, now, members), covered, "%v of %v", members, fewest)
			}
		}
	})
}

// Members that are settled have room, and are as many as are kept where no node lies in two domains.
func TestSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		claims, nodes := drawn(t)
		s := New(claims, nodes)
		order := make([]int, len(nodes))
		shared := false
		for i := range nodes {
			order[i] = len(nodes) - 1 - i
			shared = shared || len(nodes[i].Claims) > 1
		}
		settled, all := s.Settle(order)
		if !shared {
			require.True(t, all)
		}
		count := make([]int, len(claims))
		for i, members := range settled {
			require.True(t, takes(claims, nodes[i], members))
			for k, c := range nodes[i].Claims {
				count[c] += members[k]
			}
		}
		for c := range claims {
			require.LessOrEqual(t, count[c], s.Need[c])
			require.True(t, !all || count[c] == s.Need[c])
		}
	})
}

// A node never loses more members than the bound says, for each of those that come.
func TestLosesAtMost(t *testing.T) {
	amounts := func(t *rapid.T, least int64) []int64 {
		return rapid.SliceOfN(rapid.Int64Range(least, 5), 2, 2).Draw(t, "amounts")
	}
	rapid.Check(t, func(t *rapid.T) {
		claims := []Claim{{Count: rapid.IntRange(0, 5).Draw(t, "count")}}
		n := Node{Claims: []int{0}, Each: [][]int64{amounts(t, 0)}, Room: [][]int64{{rapid.Int64Range(-3, 20).Draw(t, "room"), 9}}}
		takes, sum, most := amounts(t, 0), make([]int64, 2), 0
		for range rapid.IntRange(1, 4).Draw(t, "members") {
			sum[0], sum[1] = sum[0]+takes[0], sum[1]+takes[1]
			most += LosesAtMost(n.Each[0], takes, claims[0].Count)
			require.LessOrEqual(t, n.Loses(claims, sum), most)
		}
	})
}

// What is taken is what members ask for beyond what comes free until they come; of those that come once somebody is gone he need leave nothing.
func TestTaken(t *testing.T) {
	claims := []Claim{{Count: 2, From: 0, End: 5}, {Count: 1, From: 5}}
	n := Node{Claims: []int{0, 1}, Each: [][]int64{{2, 1}, {4, 0}}, Room: [][]int64{{5, 5}, {9, 5}}}
	require.Equal(t, []int64{4, 2}, n.Taken(claims, []int{2, 1}, []int64{5, 5}, 0))
	require.Equal(t, []int64{4, 2}, n.Taken(claims, []int{2, 0}, []int64{5, 5}, 3))
	require.Equal(t, []int64{0, 0}, n.Taken(claims, []int{0, 1}, []int64{5, 5}, 0), "four come free")
	require.Equal(t, []int64{2, 0}, n.Taken(claims, []int{0, 1}, []int64{7, 5}, 0), "two of them are free now")
	later := []Claim{{Count: 1, From: 5}}
	n = Node{Claims: []int{0}, Each: [][]int64{{4}}, Room: [][]int64{{4}}}
	require.Equal(t, []int64{0}, n.Taken(later, []int{1}, []int64{4}, 5), "it is gone by then")
	require.Equal(t, []int64{4}, n.Taken(later, []int{1}, []int64{4}, 6))
}

// Beyond bounds what is told apart: then it says so.
func TestTooManyWays(t *testing.T) {
	claims, n := make([]Claim, 4), Node{Claims: []int{0, 1, 2, 3}}
	for c := range claims {
		claims[c] = Claim{Count: 99}
		n.Each, n.Room = append(n.Each, []int64{1}), append(n.Room, []int64{99})
	}
	_, all := Beyond(claims, &n, &n)
	require.False(t, all)
	s := New(claims, []*Node{&n, &n})
	require.False(t, s.Exact)
	require.Equal(t, s, s.Update(map[int]*Node{1: &n}))
	require.True(t, takes(claims, &Node{Claims: []int{0, 1, 2, 3}, Each: n.Each, Room: [][]int64{{198}, {198}, {198}, {198}}}, s.Need))
}
