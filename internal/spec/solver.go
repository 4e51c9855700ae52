// What follows from a model, whatever number of members is placed?

package spec

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// maxLevels bounds the levels of groups.
const maxLevels = 3

// solver is a model with its tree as pointers.
type solver struct {
	m        *model.Model
	room     *Room
	root     *vertex
	outside  *vertex   // all nodes outside the tree; nil if there are none
	vertices []*vertex // depth first
	byNode   map[int32]*vertex
	aligned  bool
	forced   int // new members that complete the multiples of running ones
}

// vertex is a domain or a node.
type vertex struct {
	at       layout.Vertex
	tier     int
	isNode   bool
	outside  bool
	parent   *vertex
	children []*vertex

	own, key int   // members below it that run: of the gang, with the affinity key
	score    int64 // of a node, for one member
	waste    int64 // of a node
	zones    int64 // of a node, that the next member of an aligned gang would get
	fits     int   // members that a node takes, multiples and limits aside

	// The numbers of new members that fit below: low, low+step, ..., high; none if high < low.
	step, low, high int
}

// takes holds if exactly n new members fit below v.
func (v *vertex) takes(n int) bool {
	return v.low <= n && n <= v.high && (n+v.own)%v.step == 0
}

func newSolver(m *model.Model) *solver {
	if len(m.Pending) > MaxMembers || len(m.Levels) > maxLevels {
		panic(fmt.Sprintf("%d members in %d levels are not for this solver", len(m.Pending), len(m.Levels)))
	}
	s := &solver{m: m, room: m.Room.(*Room), byNode: map[int32]*vertex{}}
	s.aligned = s.room.Zoned
	s.root = s.build(layout.Root, nil)
	s.sum()
	s.forced, _ = sumOf(s.root.children)
	return s
}

// build makes the vertices at and below x.
func (s *solver) build(x layout.Vertex, parent *vertex) *vertex {
	view := s.m.View
	v := &vertex{at: x, tier: int(view.TierOf(x)), isNode: view.IsNode(x), parent: parent}
	v.outside = x == view.Outside || parent != nil && parent.outside
	s.vertices = append(s.vertices, v)
	if v.isNode {
		pos := view.Position(x)
		s.byNode[pos] = v
		s.look(v, pos)
		return v
	}
	lo, end := view.Kids(x)
	for c := lo; c < end; c++ {
		v.children = append(v.children, s.build(c, v))
	}
	if x == view.Outside && len(v.children) > 0 {
		s.outside = v
	}
	return v
}

// look reads what the room says of a node, and who runs there.
func (s *solver) look(v *vertex, pos int32) {
	r := s.room
	v.score, v.key = r.Scores[pos], int(s.m.Friends.At(v.at))
	if s.aligned {
		v.zones = r.zonesOn(pos)
	}
	if r.wasteful() {
		v.waste = r.wasteOn(pos)
	}
	for m := range s.m.Running.All() {
		v.own += bit(m.Pos == pos)
	}
	if !(s.m.Hard && v.outside) && !(r.spared && r.Others[pos]) && s.m.View.Contains(s.room.Inside, v.at) {
		v.fits = int(r.Takes[pos])
	}
}

// sum makes, bottom-up, the numbers of new members that fit below every vertex. Children of one vertex have one step, which
// divides that of the vertex, so the sums of their numbers leave no gap.
func (s *solver) sum() {
	for _, v := range slices.Backward(s.vertices) {
		low, high := 0, v.fits
		if !v.isNode {
			v.own, v.key = 0, 0
			for _, c := range v.children {
				v.own, v.key = v.own+c.own, v.key+c.key
			}
			low, high = sumOf(v.children)
		}
		s.bound(v, low, s.atMost(v, high))
	}
}

// none is a number of members below all that can be placed, small enough to add some up.
const none = -1 << 30

// sumOf adds up the numbers of vertices; where one of them takes no number, neither do all.
func sumOf(list []*vertex) (low, high int) {
	for _, c := range list {
		if c.high < c.low {
			return 0, none
		}
		low, high = low+c.low, high+c.high
	}
	return low, high
}

// bound keeps of the numbers low to high those that make the members below v, with the running ones, a multiple.
func (s *solver) bound(v *vertex, low, high int) {
	v.step = s.stepOf(v)
	for (low+v.own)%v.step != 0 {
		low++
	}
	for high >= low && (high+v.own)%v.step != 0 {
		high--
	}
	v.low, v.high = low, high
}

// stepOf is the number of which the members below v are a multiple: a vertex stands for every missing tier up to its parent.
func (s *solver) stepOf(v *vertex) int {
	switch {
	case s.m.Multiple == nil:
		return 1
	case v.parent == nil:
		return int(s.m.Multiple[v.tier])
	}
	return int(s.m.Multiple[v.parent.tier-1])
}

// fixOutside makes the nodes outside the tree take exactly so many members together; false if they cannot.
func (s *solver) fixOutside(members int) bool {
	if s.outside == nil {
		return members == 0
	}
	low, high := sumOf(s.outside.children)
	s.bound(s.outside, low, high)
	if !s.outside.takes(members) {
		return false
	}
	s.outside.low, s.outside.high = members, members
	low, high = sumOf(s.root.children)
	s.bound(s.root, low, high)
	return true
}

// size is that of a group of a level; of a member behind the last.
func (s *solver) size(i int) int {
	if i == len(s.m.Levels) {
		return 1
	}
	return int(s.m.Levels[i].Size)
}

func (s *solver) byScore() bool { return s.m.Policy == gang.ByScore }

// counts are the numbers of new members that may be placed, ascending: a multiple with those that run, and no group is torn. The
// next member belongs to another group.
func (s *solver) counts() []int { return s.countsUpTo(max(1, s.m.Least), s.m.Admitted) }

// countsUpTo are those from a least number on, and not below what multiples force.
func (s *solver) countsUpTo(least, most int) (out []int) {
	pending := s.m.Pending
	for n := max(least, s.forced); n <= min(len(pending), most); n++ {
		torn := len(s.m.Levels) > 0 && n < len(pending) && pending[n-1]/s.size(0) == pending[n]/s.size(0)
		if !torn && (n+s.m.Running.Len())%s.root.step == 0 {
			out = append(out, n)
		}
	}
	return out
}

// strategies iterates over the vectors of worths, gang first, in lexicographic order.
func (s *solver) strategies(yield func([]int) bool) {
	worths := [][]int32{s.m.Gather.Worths}
	for _, l := range s.m.Levels {
		worths = append(worths, l.Gather.Worths)
	}
	var extend func(prefix []int) bool
	extend = func(prefix []int) bool {
		if len(prefix) == len(worths) {
			return yield(prefix)
		}
		for _, w := range worths[len(prefix)] {
			if !extend(append(slices.Clip(prefix), int(w))) {
				return false
			}
		}
		return true
	}
	extend(nil)
}

// loosest is the strategy that binds by the hard rules alone.
func (s *solver) loosest() []int {
	tiers := []int{int(s.m.Gather.Must)}
	for _, l := range s.m.Levels {
		tiers = append(tiers, int(l.Gather.Must))
	}
	return tiers
}

// under lists the domains of tier t: the maximal vertices below v, or v itself, of at most this tier.
func under(v *vertex, t int) (out []*vertex) {
	if v.tier <= t {
		return []*vertex{v}
	}
	for _, c := range v.children {
		out = append(out, under(c, t)...)
	}
	return out
}

// above holds if v is n or lies above it.
func above(v, n *vertex) bool {
	for ; n != nil; n = n.parent {
		if n == v {
			return true
		}
	}
	return false
}

// domainOf is the highest vertex, v or above it, of at most a tier.
func (v *vertex) domainOf(tier int) *vertex {
	for v.parent != nil && v.parent.tier <= tier {
		v = v.parent
	}
	return v
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
