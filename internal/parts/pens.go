package parts

import (
	"encoding/binary"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/sets"
)

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
	return &pens{full: c, known: map[string]*cast{}, left: pensWork * int64(c.p.Steps()), rooms: map[*layout.View][][]int64{}}
}

// penned is the cast with its groups in other topologies in these domains; nil if that would be too much work, unless it must be.
func (c *cast) penned(at []layout.Vertex, must bool) *cast {
	s, in, key := c.pens, map[*problem.Part]layout.Vertex{}, []byte(nil)
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
		*c.p.Parts.Doubt = true
		return nil
	}
	full, ok := s.known[string(key)]
	if !ok {
		s.left -= int64(c.p.View.Nodes)
		full = s.cast(in)
		s.known[string(key)] = full
	}
	some := full
	if c.p != s.full.p {
		s.left -= pensWork
		some = full.recast(c.p.Parts.Selection)
	}
	if c.penCasts == nil {
		c.penCasts = map[string]*cast{}
	}
	c.penCasts[string(key)] = some
	return some
}

// cast is that of the whole gang with groups in these domains. Slots that only break ties are those without.
func (s *pens) cast(in map[*problem.Part]layout.Vertex) *cast {
	full := s.full
	c := &cast{p: full.p.WithDomains(in), held: full.held, gifts: full.gifts, slots: full.slots, steps: full.steps}
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
	if c.p.Zones().Bind() || len(c.p.Parts.AllowedOf) > 32 {
		return nil
	}
	first, within := layout.Vertex(c.p.View.NumDomains()), make([]uint32, c.p.View.Nodes) // by position: the roles of whose pens it is
	for r, in := range c.p.Parts.AllowedOf {
		if len(in) == 0 {
			continue
		}
		for pos := in[0].First; pos < in[0].End; pos++ {
			if id := in[0].V.Node(pos); in[1:].Holds(id) {
				within[c.p.View.At(id)] |= 1 << r
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
			open[r] = g.open[c.p.Parts.RoleBefore[r]] && (len(c.p.Parts.AllowedOf[r]) == 0 || roles>>r&1 > 0)
		}
		m.terrain.classes, m.terrain.nodes = append(m.terrain.classes, x), append(m.terrain.nodes, ground{free: g.free, open: open})
	}
	m.findDomains()
	return &m.terrain
}

// holds says whether a domain has room for the members of each role of a group, were they alone.
func (s *pens) holds(a *abroad, d layout.Vertex) bool {
	for role, n := range a.needs {
		if n > 0 && s.slots(a.part.OtherTree, role, d) < int64(n) {
			return false
		}
	}
	return true
}

// room is how many slots a domain has for the roles of a group.
func (s *pens) room(a *abroad, d layout.Vertex) (n int64) {
	for role, needs := range a.needs {
		if needs > 0 {
			n += s.slots(a.part.OtherTree, role, d)
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
				if sums[pos+1] = sums[pos]; one.Counting().Refusal(id) == "" {
					sums[pos+1] += one.Counting().Room(id, s.full.gifts[id].Amounts)
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
	v, own, before := a.part.OtherTree, s.full.p.View, s.before(a.part.OtherTree)
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
