// Package parts answers: where does a gang go whose members are of several shapes, whose groups differ, or whose groups lie
// in another topology? [Engine] searches: it lists what the gang consists of, finds which vertices are alike, sums up the
// tree which members fit together (package front), and decides strategy, domain, children and members.
//
// The rules are sections 6 to 8 of docs/order.md. A search that ends before everything was tried says so: its plan is not
// proven, and a refusal neither.
//
// Everything here belongs to one plan; only fronts cached by a capacity are shared, by the searches of that plan.
package parts

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/problem"
)

// cast is a gang that is placed in parts: what it consists of, and where what fits.
type cast struct {
	p     *problem.Problem
	roles []*problem.Problem
	slots problem.SlotTable // of the first role
	// held is what new members take that are placed already.
	held    map[int32]problem.Reserved
	gifts   map[int32]problem.Released
	asks    [][]int64 // by role, as the problem's needs
	terrain *terrain
	// relaxed: each role finds zones by itself, whatever the others take.
	relaxed bool

	// Counts are of members by role, then of groups by kind.
	want   front.Vector // the gang's own members and its outermost groups
	most   front.Vector // of all
	sizes  front.Weights
	scales []front.Weights // sizes, and what of each resource is asked for
	kinds  []groupKind
	done   []finished
	misses [][]int32 // by level: those that any group may have, ascending
	abroad []abroad  // groups in other topologies
	pens   *pens     // nil where there are none
	// penCasts are the casts for choices of domains there, see penned.
	penCasts map[string]*cast
	// counted are, by rule about multiples, the members that it counts; nil: it binds no domains.
	counted []front.Weights
	// fittings are those that were found.
	fittings []*fitting
	beyond   int64  // members that must lie outside the tree
	fit      int8   // 1 if the gang can be placed at all, -1 if not, 0: not known yet
	steps    *int64 // of work, for all that is tried for the gang
}

// newCast finds what a gang consists of. held, by node and resource, is as good as taken. O(nodes * roles * resources + members).
func newCast(p *problem.Problem, held map[int32]problem.Reserved) *cast {
	c := &cast{p: p, held: held, gifts: p.Counting().LeavingReleased(), steps: new(int64)}
	c.readRoles()
	c.slots = c.slotsBeside(held)
	c.list()
	if c.spreads() {
		c.pens = c.newPens()
	}
	c.sumUp()
	c.terrain = c.newTerrain(c.demandOf())
	return c
}

// list finds what is to be placed.
func (c *cast) list() {
	c.want, c.kinds, c.done = billOf(c.p)
	c.findAbroad()
	c.readMisses()
}

// loose is the cast, relaxed.
func (c *cast) loose() *cast {
	some := *c
	some.relaxed, some.fittings, some.fit = true, nil, 0
	if c.terrain.loose == nil {
		c.terrain.loose = some.newTerrain(c.terrain.demand)
	}
	some.terrain = c.terrain.loose
	return &some
}

// recast is the cast of a content of the same gang.
func (c *cast) recast(in problem.Selection) *cast {
	some := *c
	some.p, some.fittings, some.penCasts, some.fit = c.p.Only(in), nil, nil, 0
	some.list()
	some.sumUp()
	return &some
}

// sumUp finds how many there are of everything, and how large each kind is.
func (c *cast) sumUp() {
	r := len(c.roles)
	c.most = slices.Clone(c.want)
	for k := range c.kinds { // outer ones first
		for i, n := range c.kinds[k].needs {
			c.most[i] += n * c.most[r+k]
		}
	}
	one := make(front.Weights, r)
	for i := range one {
		one[i] = 1
	}
	c.sizes = c.scale(one)
	c.scales = []front.Weights{c.sizes}
	for i := range c.p.Needs {
		ask := make(front.Weights, r)
		for role := range ask {
			ask[role] = c.asks[role][i]
		}
		c.scales = append(c.scales, c.scale(ask))
	}
	c.weighEvens()
}

// scale adds what groups of each kind weigh to what members of each role do.
func (c *cast) scale(roles front.Weights) front.Weights {
	r := len(roles)
	w := append(roles, make(front.Weights, len(c.kinds))...)
	for k := len(c.kinds) - 1; k >= 0; k-- {
		for i, n := range c.kinds[k].needs {
			if n > 0 {
				w[r+k] += int64(n) * w[i]
			}
		}
	}
	return w
}

// scarcest is the scale by which the most places are needed for what is wanted, and how many: were there nothing but weights.
func (c *cast) scarcest(places []front.Front, want front.Vector) (best front.Weights, n int) {
	room := make([]int64, len(places))
	for _, w := range c.scales {
		left, taken := w.Of(want), 0
		for i, f := range places {
			room[i] = w.Most(f)
		}
		slices.Sort(room)
		for i := len(room) - 1; i >= 0 && left > 0; i-- {
			left, taken = left-room[i], taken+1
		}
		if best == nil || taken > n {
			best, n = w, taken
		}
	}
	return best, n
}

// readMisses lists, for every level, what the strategy can tell apart.
func (c *cast) readMisses() {
	c.misses = nil
	add := func(level int, g problem.GatherRules) {
		for len(c.misses) < level {
			c.misses = append(c.misses, []int32{0})
		}
		c.misses[level-1] = append(c.misses[level-1], g.Worths[1:]...)
	}
	for _, k := range c.kinds {
		add(k.level, k.gather)
	}
	for _, d := range c.done {
		add(d.level, d.gather)
	}
	for _, a := range c.abroad {
		add(a.part.Level, a.part.Gather)
	}
	for level, list := range c.misses {
		slices.Sort(list)
		c.misses[level] = slices.Compact(list)
	}
}

// slotsBeside are the slots of the first role beside what is as good as taken.
func (c *cast) slotsBeside(held map[int32]problem.Reserved) problem.SlotTable {
	first := c.roles[0]
	if len(held) == 0 {
		return first.Counting().SlotTable()
	}
	slots := first.Counting().CountSlots()
	for id, t := range held {
		left := make([]int64, len(t.Amounts))
		for r, amount := range t.Amounts {
			left[r] = -amount
		}
		x := c.p.View.NodeVertex(c.p.View.At(id))
		slots[x] = min(slots[x], first.Counting().Room(id, left))
		if t.Zones != nil {
			slots[x] = min(slots[x], int64(t.Beside.Most(0)), first.Zones().CountZones(first.Zones().NeedsOn(id), t.Zones).Slots)
		}
	}
	first.Counting().SumSlots(slots)
	return problem.SlotTable{Flat: slots}
}

// readRoles finds what the members of each role ask for.
func (c *cast) readRoles() {
	c.roles = c.p.OfRoles()
	for r := range c.p.Shapes {
		ask := make([]int64, len(c.p.Needs))
		for i, n := range c.p.Needs {
			ask[i] = c.p.Shapes[r].Resources[n.Name]
		}
		c.asks = append(c.asks, ask)
	}
}

// members is the number of members of counts.
func (c *cast) members(a front.Vector) int64 { return c.sizes.Of(a) }
