package moves

import (
	"cmp"
	"slices"
)

// Borders asks which members go into other units, so that at most two gangs lie across the border of each: in it, and in others too. All members are alike: each
// takes the room of one. No gang gets wider: each lies in a domain of no higher tier than it does now.
type Borders struct {
	// Room is by unit how many members it has room for, those of all gangs that may move included.
	Room []int64
	// Tiers are as in [Problem].
	Tiers [][]int32
	Gangs []Spread
	// Most is how many members may be elsewhere than they were; 0: any number.
	Most int64
	// Steps bounds the search.
	Steps int
	// Stop says whether it must end now; nil: it need not.
	Stop func() bool
}

// Spread is a gang in units.
type Spread struct {
	// Now is where its members are, Was where they were at first: those that are there again have not moved. In the order of units.
	Now, Was []Held
	// Lost is the work that is lost once any of its members moves.
	Lost int64
	// Fixed gangs are to stay where they are now. Those that may not move at all take none of the room.
	Fixed, MayNotMove bool
}

// Held is how many members a unit has.
type Held struct {
	Unit    int32
	Members int64
}

// Across is an answer: where the members of each gang are then.
type Across struct {
	Then [][]Held
	Cost Cost
	// Before, Now and After are how many gangs beyond two lie across the border of a unit, added up over these: as they were, as they are, and then.
	Before, Now, After int
	// Bound is a cost that no way is below in which none are left.
	Bound Cost
}

// mostAcross is how many gangs may lie across the border of a unit.
const mostAcross = 2

// borders is a search for them.
type borders struct {
	p     *Borders
	tree  *tree
	stays func(*Spread) bool
	room  []int64   // by unit: without those who stay
	at    [][]Held  // by gang
	on    [][]int32 // by unit: gangs that do not stay with members in it, ascending
	fixed []int     // by unit: gangs that stay, across its border
	work  int       // numbers that were compared
}

// Uncross finds such a way, as few members as it can. Where all gangs that lie across a border may move there is one, and without Most it is found: unit after unit is
// filled with gang after gang. First two units at a time share those anew that are in them, as long as that lets fewer gangs lie across their borders: such moves
// are few.
func Uncross(p *Borders) Across {
	was := newBorders(p, func(g *Spread) []Held { return g.Was }, func(g *Spread) bool { return g.MayNotMove })
	b := newNow(p)
	out := Across{Before: was.excess(), Now: b.excess(), Bound: was.bound()}
	if out.Now > 0 {
		b.share()
	}
	if b.excess() > 0 {
		line := newNow(p)
		line.at = slices.Clone(b.at)
		line.list()
		line.lineUp()
		if line.share(); line.excess() < b.excess() && (p.Most == 0 || line.cost().Members <= p.Most) {
			b = line
		}
	}
	out.Then, out.Cost, out.After = b.at, b.cost(), b.excess()
	return out
}

// newNow is the search among gangs where they are now.
func newNow(p *Borders) *borders {
	return newBorders(p, func(g *Spread) []Held { return g.Now }, func(g *Spread) bool { return g.Fixed || g.MayNotMove })
}

func newBorders(p *Borders, of func(*Spread) []Held, stays func(*Spread) bool) *borders {
	b := &borders{p: p, tree: newTree(len(p.Room), p.Tiers), stays: stays, room: slices.Clone(p.Room), fixed: make([]int, len(p.Room))}
	for i := range p.Gangs {
		g, in := &p.Gangs[i], of(&p.Gangs[i])
		b.at = append(b.at, in)
		for _, held := range in {
			if stays(g) && len(in) > 1 {
				b.fixed[held.Unit]++
			}
			if stays(g) && !g.MayNotMove {
				b.room[held.Unit] -= held.Members
			}
		}
	}
	b.list()
	return b
}

// list notes who is in each unit.
func (b *borders) list() {
	b.on = make([][]int32, len(b.p.Room))
	for g, in := range b.at {
		for _, held := range in {
			if !b.stays(&b.p.Gangs[g]) {
				b.on[held.Unit] = append(b.on[held.Unit], int32(g))
			}
		}
	}
}

// across is how many gangs that may move lie across the border of a unit.
func (b *borders) across(u int32) (n int) {
	for _, g := range b.on[u] {
		if len(b.at[g]) > 1 {
			n++
		}
	}
	return n
}

// beyond is how many gangs too many lie across the border of a unit.
func (b *borders) beyond(u int32) int { return max(0, b.across(u)+b.fixed[u]-mostAcross) }

func (b *borders) excess() (n int) {
	for u := range b.on {
		n += b.beyond(int32(u))
	}
	return n
}

// Members is how many of a gang are in a unit.
func Members(in []Held, u int32) int64 {
	i, is := slices.BinarySearchFunc(in, u, func(h Held, u int32) int { return cmp.Compare(h.Unit, u) })
	if !is {
		return 0
	}
	return in[i].Members
}

// total is how many members a gang has.
func total(in []Held) (n int64) {
	for _, held := range in {
		n += held.Members
	}
	return n
}

// costOf is what it costs that a gang is in units.
func (b *borders) costOf(g int32, in []Held) (cost Cost) {
	was := b.p.Gangs[g].Was
	for _, held := range in {
		cost.Members += max(0, held.Members-Members(was, held.Unit))
	}
	if cost.Members > 0 {
		cost.Lost, cost.Gangs = b.p.Gangs[g].Lost, 1
	}
	return cost
}

func (b *borders) cost() (sum Cost) {
	for g, in := range b.at {
		sum = sum.plus(b.costOf(int32(g), in))
	}
	return sum
}

// free is how many more members a unit has room for.
func (b *borders) free(u int32) int64 {
	n := b.room[u]
	for _, g := range b.on[u] {
		n -= Members(b.at[g], u)
	}
	return n
}

// spent says whether the search must end.
func (b *borders) spent() bool { return b.work/stepWork >= b.p.Steps || b.p.Stop != nil && b.p.Stop() }
