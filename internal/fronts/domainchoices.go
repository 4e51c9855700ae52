package fronts

import (
	"encoding/binary"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
)

// This file answers: what is a search like once domains in other topologies are chosen, and which domains are hopeless?

// domainChoices are the searches for choices of domains in other topologies, one for each choice. All selections of
// the gang share them and their budget. A search is made when its choice is first tried, since each reads all nodes.
type domainChoices struct {
	free     *Search                    // without any choice
	searches map[string]*Search         // by choiceKey, for all members
	budget   int64                      // nodes that may still be read; 0 or less: none
	slotSums map[*layout.View][][]int64 // by topology, see slotsBefore
	rooms    map[sharedRoom]map[layout.Vertex]bool
}

// sharedRoom is a question to roomWithin.
type sharedRoom struct {
	part  *model.Part
	d     layout.Vertex
	tier  int32
	needs string
}

// choiceWork, times the request's steps, bounds the nodes that are read for all choices of domains together.
const choiceWork = 64

// newDomainChoices is for a gang with groups of other topologies. s is the search without any choice.
func (s *Search) newDomainChoices() *domainChoices {
	budget := choiceWork * int64(s.m.Steps)
	return &domainChoices{free: s, searches: map[string]*Search{}, budget: budget, slotSums: map[*layout.View][][]int64{}, rooms: map[sharedRoom]map[layout.Vertex]bool{}}
}

// inDomainsCheaply is inDomains within the budget. It returns nil, and notes doubt, where a new search would exceed it.
func (s *Search) inDomainsCheaply(chosen []layout.Vertex) *Search {
	domains := s.domainsOfParts(chosen)
	key := s.choiceKey(domains)
	// A known search is free, also once the budget is spent.
	if s.byDomains[string(key)] == nil && s.choices.budget <= 0 {
		*s.m.Doubt = true
		return nil
	}
	return s.keyedInDomains(domains, key)
}

// inDomains returns the search in which each group of another topology is confined to its chosen domain; the root
// confines nothing.
func (s *Search) inDomains(chosen []layout.Vertex) *Search {
	domains := s.domainsOfParts(chosen)
	return s.keyedInDomains(domains, s.choiceKey(domains))
}

// choiceKey encodes a choice for all groups of the whole gang, so that selections without some of these groups share
// searches.
func (s *Search) choiceKey(domains map[*model.Part]layout.Vertex) (key []byte) {
	for i := range s.choices.free.crossGroups {
		key = binary.AppendVarint(key, int64(domains[s.choices.free.crossGroups[i].part])) // the root: the group has no new members
	}
	return key
}

// domainsOfParts is a choice of domains, given by group of the search, by part.
func (s *Search) domainsOfParts(chosen []layout.Vertex) map[*model.Part]layout.Vertex {
	domains := map[*model.Part]layout.Vertex{}
	for i, d := range chosen {
		domains[s.crossGroups[i].part] = d
	}
	return domains
}

// keyedInDomains finds the search for a choice, by its key, or makes it and pays for it from the budget: a search of
// the whole gang costs the nodes that it reads, one of a selection in a known choice, which reads none, a flat
// choiceWork.
func (s *Search) keyedInDomains(domains map[*model.Part]layout.Vertex, key []byte) *Search {
	if known := s.byDomains[string(key)]; known != nil {
		return known
	}
	dc := s.choices
	found := dc.searches[string(key)]
	if found == nil {
		dc.budget -= int64(s.m.View.Nodes)
		found = dc.newSearch(domains)
		dc.searches[string(key)] = found
	}
	if s.asked != dc.free.asked { // the search of a selection
		dc.budget -= choiceWork
		found = found.ForSelection(s.selection)
	}
	// byDomains is of this selection, dc.searches of the whole gang.
	if s.byDomains == nil {
		s.byDomains = map[string]*Search{}
	}
	s.byDomains[string(key)] = found
	return found
}

// newSearch makes the search of the whole gang for a choice. It takes its slots from the search without a choice:
// they only break ties, and must do so alike for all choices. Its roles are those of the gang divided by the domains,
// so that the inventory and the vertex classes are its own.
func (dc *domainChoices) newSearch(domains map[*model.Part]layout.Vertex) *Search {
	free := dc.free
	s := begin(free.asked.WithDomains(domains))
	s.slots, s.joint, s.weights = free.slots, free.joint, free.weights
	s.readGroups()
	s.sumTotals()
	s.classes = s.newVertexClasses(free.classes.demand)
	s.classes.divide(free.classes)
	return s
}

// dividedClasses are the classes of nodes once domains are chosen, from those without: a class is split by the roles
// whose domains contain the node, and everything else that makes a class stays as it is.
type dividedClasses struct {
	from    *vertexClasses
	known   intern.Classes // of class before, and roles: a bit each
	byTable []int32        // by number in known: class
}

// divide takes the classes of nodes from those without a choice. It does not where classes must be found anew: zones bind,
// whose fronts are by role, or there are too many roles for the bits.
func (c *vertexClasses) divide(from *vertexClasses) {
	if c.search.chosen.Split {
		c.divided = &dividedClasses{from: from, known: intern.NewClasses(1)}
	}
}

// divideNode classifies a node by its class before, and the roles whose domains contain it. O(roles).
func (c *vertexClasses) divideNode(x layout.Vertex) {
	m, chosen, roles := c.search.m, c.search.chosen, uint32(0)
	id, old := m.View.Node(m.View.Position(x)), c.divided.from.Of(x)
	for r := range c.search.roles {
		if chosen.Inside(r, id) {
			roles |= 1 << r
		}
	}
	c.key = append(c.key[:0], int64(old)<<32|int64(roles))
	c.enter(x, &c.divided.byTable, c.divided.known.Of(c.key, nil), func() vertexClass {
		// A role is open where the role that it was divided from is, within its domains.
		before := c.divided.from.list[old].node
		open := make([]bool, c.search.roles)
		for r := range open {
			open[r] = before.Open[chosen.RoleBefore[r]] && roles>>r&1 > 0
		}
		return vertexClass{first: x, node: &front.Node{Free: before.Free, Open: open}}
	})
}

// mayHold is false only if a domain cannot hold a group: it lacks slots for one of its roles by itself. O(roles).
func (dc *domainChoices) mayHold(a *crossGroup, d layout.Vertex) bool {
	for role, n := range a.needs { // roles of the gang without a choice: slots are by these
		if n > 0 && dc.slots(a.part.OtherTree, role, d) < int64(n) {
			return false
		}
	}
	return true
}

// slotsFor sums the slots of a domain over the roles of a group. It is the key that orders domains.
func (dc *domainChoices) slotsFor(a *crossGroup, d layout.Vertex) (n int64) {
	for role, needs := range a.needs {
		if needs > 0 {
			n += dc.slots(a.part.OtherTree, role, d)
		}
	}
	return n
}

// slots is an upper bound for the members of a role below a vertex of a topology. It counts free amounts, and no node
// that refuses the role, but leaves zones and other roles out. O(1) once slotsBefore is known.
func (dc *domainChoices) slots(v *layout.View, role int, d layout.Vertex) int64 {
	before := dc.slotsBefore(v)[role]
	return before[v.EndOf(d)] - before[v.First(d)]
}

// slotsBefore returns, by role, for each position of a topology the sum of the slots before it. So a domain, an
// interval of positions, takes two look-ups. O(nodes * roles * resources) the first time.
func (dc *domainChoices) slotsBefore(v *layout.View) [][]int64 {
	if dc.slotSums[v] == nil {
		for role := range dc.free.roles {
			sums, slots := make([]int64, v.Nodes+1), dc.free.asked.SlotsOf(role)
			for pos := range v.Nodes {
				sums[pos+1] = sums[pos] + slots(v.Node(pos))
			}
			dc.slotSums[v] = append(dc.slotSums[v], sums)
		}
	}
	return dc.slotSums[v]
}

// roomWithin are the domains of the gang's tree, of a tier, that may hold a group on the nodes that they share with d: all
// others lack slots there for one of its roles by itself. O(nodes of d * (tiers + roles)) the first time.
func (dc *domainChoices) roomWithin(a *crossGroup, d layout.Vertex, tier int32) map[layout.Vertex]bool {
	key := sharedRoom{a.part, d, tier, keyOf(a.needs)}
	if room := dc.rooms[key]; room != nil {
		return room
	}
	v, own, before := a.part.OtherTree, dc.free.m.View, dc.slotsBefore(a.part.OtherTree)
	room, sums, of, last := map[layout.Vertex]bool{}, map[layout.Vertex][]int64{}, []int64(nil), layout.Vertex(-1)
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		// x is the domain of the tier that the node lies in; nodes of one domain need not be neighbours in v.
		x := own.Highest(own.NodeVertex(own.At(v.Node(pos))), tier)
		if x != last {
			if of, last = sums[x], x; of == nil {
				of = make([]int64, len(a.needs))
				sums[x] = of
			}
		}
		for role, n := range a.needs {
			if n > 0 {
				of[role] += before[role][pos+1] - before[role][pos]
			}
		}
	}
	for x, of := range sums {
		fits := true
		for role, n := range a.needs {
			fits = fits && of[role] >= int64(n)
		}
		if fits {
			room[x] = true
		}
	}
	dc.rooms[key] = room
	return room
}

// keyOf is different for different vectors of one length.
func keyOf(a front.Vector) string {
	key := make([]byte, 0, 64)
	for _, n := range a {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}
