package placement

import (
	"encoding/binary"
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/sets"
)

// pen are the nodes that members must not leave; nil: all nodes.
type pen []fence

// fence is a domain of a topology, as an interval of positions.
type fence struct {
	v          *layout.View
	first, end int32
}

func (p pen) holds(id int32) bool {
	return !slices.ContainsFunc(p, func(f fence) bool {
		pos := f.v.At(id)
		return pos < f.first || pos >= f.end
	})
}

// pens are the casts of a gang for choices of domains in other topologies.
type pens struct {
	full  *cast // without
	known map[string]*cast
	left  int64                      // of the work that is spent on them: nodes read
	rooms map[*layout.View][][]int64 // see before
}

// pensWork bounds the nodes that are read for one gang and all choices of domains, times its steps.
const pensWork = 64

// newPens is for a gang with groups in other topologies.
func (c *cast) newPens() *pens {
	return &pens{full: c, known: map[string]*cast{}, left: pensWork * int64(c.p.steps()), rooms: map[*layout.View][][]int64{}}
}

// penned is the cast with its groups in other topologies in these domains; nil if that would be too much work, unless it must be.
func (c *cast) penned(at []layout.Vertex, must bool) *cast {
	s, in, key := c.pens, map[*part]layout.Vertex{}, []byte(nil)
	for i, d := range at {
		in[c.abroad[i].part] = d
	}
	for i := range s.full.abroad {
		key = binary.AppendVarint(key, int64(in[s.full.abroad[i].part])) // the root where nothing of the group is to be placed
	}
	if some, ok := c.penCasts[string(key)]; ok {
		return some
	}
	if s.left <= 0 && !must {
		*c.p.parting.doubt = true
		return nil
	}
	full, ok := s.known[string(key)]
	if !ok {
		s.left -= int64(c.p.v.Nodes)
		full = s.cast(in)
		s.known[string(key)] = full
	}
	some := full
	if c.p != s.full.p {
		s.left -= pensWork
		some = full.recast(c.p.parting.content)
	}
	if c.penCasts == nil {
		c.penCasts = map[string]*cast{}
	}
	c.penCasts[string(key)] = some
	return some
}

// cast is that of the whole gang with groups in these domains. Slots that only break ties are those without.
func (s *pens) cast(in map[*part]layout.Vertex) *cast {
	full := s.full
	c := &cast{p: full.p.penned(in), held: full.held, gifts: full.gifts, slots: full.slots, steps: full.steps}
	c.readRoles()
	c.list()
	c.sumUp()
	if c.terrain = full.terrain.fenced(c); c.terrain == nil {
		c.terrain = c.newTerrain(full.terrain.demand)
	}
	return c
}

// fenced is the terrain for roles in pens, made of that without; nil if it has to be read anew. O(nodes + domains * log).
func (t *terrain) fenced(c *cast) *terrain {
	if c.p.zones().zonesBind() || len(c.p.parting.penOf) > 32 {
		return nil
	}
	first, within := layout.Vertex(c.p.v.NumDomains()), make([]uint32, c.p.v.Nodes) // by position: the roles of whose pens it is
	for r, in := range c.p.parting.penOf {
		if len(in) == 0 {
			continue
		}
		for pos := in[0].first; pos < in[0].end; pos++ {
			if id := in[0].v.Node(pos); in[1:].holds(id) {
				within[c.p.v.At(id)] |= 1 << r
			}
		}
	}
	m := terrainMaker{cast: c, terrain: terrain{demand: t.demand, of: make([]int32, len(t.of))}}
	known, key := sets.NewClassTable(1), make([]int64, 1)
	for pos, roles := range within {
		x := first + layout.Vertex(pos)
		old := t.of[x]
		if next := int64(old)<<32 | int64(roles); pos == 0 || next != key[0] {
			key[0] = next
			m.terrain.of[x] = known.Of(key, nil)
		} else {
			m.terrain.of[x] = m.terrain.of[x-1]
		}
		if int(m.terrain.of[x]) < len(m.terrain.nodes) {
			continue
		}
		g := t.nodes[old]
		open := make([]bool, len(c.roles))
		for r := range open {
			open[r] = g.open[c.p.parting.roleBefore[r]] && (len(c.p.parting.penOf[r]) == 0 || roles>>r&1 > 0)
		}
		m.terrain.classes, m.terrain.nodes = append(m.terrain.classes, x), append(m.terrain.nodes, ground{free: g.free, open: open})
	}
	m.findDomains()
	return &m.terrain
}

// penned is the problem with members in these domains: such as are in different ones are of different roles.
func (p *problem) penned(at map[*part]layout.Vertex) *problem {
	some := *p
	if p.parting.everyone != nil {
		same := *p.parting.everyone
		same.whole = p.whole // some rules may be left out
		all := same.penned(at)
		some.parting.everyone, some.shapes, some.twins, some.parting.penOf, some.parting.roleBefore, some.roleOf = all, all.shapes, all.twins, all.parting.penOf, all.parting.roleBefore, nil
		for i, is := range p.parting.content {
			if is {
				some.roleOf = append(some.roleOf, all.roleOf[i])
			}
		}
	} else {
		pens, of := fences(p, at)
		divideByPens(&some, pens, of)
	}
	some.evens = slices.Clone(p.evens)
	for i := range some.evens {
		before := some.evens[i].roles
		some.evens[i].roles = make(front.Weights, len(some.shapes))
		for r, from := range some.parting.roleBefore {
			some.evens[i].roles[r] = before[from]
		}
	}
	some.alignment = alignment{gifts: p.alignment.gifts}
	align(&some)
	return &some
}

// fences lists the pens of new members, and the place of each one's among them.
func fences(p *problem, at map[*part]layout.Vertex) (pens []pen, of []int32) {
	pens, of = []pen{nil}, make([]int32, len(p.pending))
	place := p.places()
	p.whole.each(func(a *part) { // inner ones come later, and bind more
		d, ok := at[a]
		if !ok || d == layout.Root {
			return
		}
		f, next := fence{a.abroad, a.abroad.First(d), a.abroad.EndOf(d)}, map[int32]int32{}
		for _, rank := range a.all() {
			i := place[rank]
			if i < 0 {
				continue
			}
			to, known := next[of[i]]
			if !known {
				in := append(slices.DeleteFunc(slices.Clone(pens[of[i]]), func(o fence) bool { return o.v == f.v }), f)
				k := slices.IndexFunc(pens, func(o pen) bool { return slices.Equal(o, in) })
				if k < 0 {
					k, pens = len(pens), append(pens, in)
				}
				to = int32(k)
				next[of[i]] = to
			}
			of[i] = to
		}
	})
	return pens, of
}

// divideByPens makes roles of the members of each role in each pen.
func divideByPens(p *problem, pens []pen, of []int32) {
	before := p.roleOf
	divideRoles(p, of)
	findTwins(p)
	p.parting.penOf, p.parting.roleBefore = make([]pen, len(p.shapes)), make([]int32, len(p.shapes))
	for i, role := range p.roleOf {
		p.parting.penOf[role] = pens[of[i]]
		if before != nil {
			p.parting.roleBefore[role] = before[i]
		}
	}
}

// holds says whether a domain has room for the members of each role of a group, were they alone.
func (s *pens) holds(a *abroad, d layout.Vertex) bool {
	for role, n := range a.needs {
		if n > 0 && s.slots(a.part.abroad, role, d) < int64(n) {
			return false
		}
	}
	return true
}

// room is how many slots a domain has for the roles of a group.
func (s *pens) room(a *abroad, d layout.Vertex) (n int64) {
	for role, needs := range a.needs {
		if needs > 0 {
			n += s.slots(a.part.abroad, role, d)
		}
	}
	return n
}

// slots is how many members of a role have room below a vertex of a topology, as far as free amounts and rules say; not less.
func (s *pens) slots(v *layout.View, role int, d layout.Vertex) int64 {
	before := s.before(v)[role]
	return before[v.EndOf(d)] - before[v.First(d)]
}

// before is, by role, how many slots the nodes before each position of a topology have. O(nodes * roles) the first time.
func (s *pens) before(v *layout.View) [][]int64 {
	if s.rooms[v] == nil {
		for _, one := range s.full.roles {
			sums := make([]int64, v.Nodes+1)
			for pos := range v.Nodes {
				id := v.Node(pos)
				if sums[pos+1] = sums[pos]; one.refusal(id) == "" {
					sums[pos+1] += one.room(id, s.full.gifts[id].amounts)
				}
			}
			s.rooms[v] = append(s.rooms[v], sums)
		}
	}
	return s.rooms[v]
}

// fitsIn says whether some domain of the gang's topology, of this tier or below, has room for the members of each role of a group in what it has in common
// with a domain of the group's, were they alone. O(nodes there * tiers).
func (s *pens) fitsIn(a *abroad, d layout.Vertex, tier int32) bool {
	v, own, before := a.part.abroad, s.full.p.v, s.before(a.part.abroad)
	sums := map[layout.Vertex][]int64{}
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		x := own.Highest(own.NodeVertex(own.At(v.Node(pos))), tier)
		if sums[x] == nil {
			sums[x] = make([]int64, len(a.needs))
		}
		fits := true
		for role, n := range a.needs {
			if n > 0 {
				sums[x][role] += before[role][pos+1] - before[role][pos]
				fits = fits && sums[x][role] >= int64(n)
			}
		}
		if fits {
			return true
		}
	}
	return false
}
