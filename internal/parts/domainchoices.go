package parts

import (
	"encoding/binary"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/sets"
)

// domainChoices are the casts of a gang for choices of domains in other topologies.
type domainChoices struct {
	free     *search // without
	searches map[string]*search
	budget   int64                      // of the work that is spent on them: nodes read
	slotSums map[*layout.View][][]int64 // see before
}

// choiceWork bounds the nodes that are read for one gang and all choices of domains, times its steps.
const choiceWork = 64

// newDomainChoices is for a gang with groups in other topologies.
func (s *search) newDomainChoices() *domainChoices {
	return &domainChoices{free: s, searches: map[string]*search{}, budget: choiceWork * int64(s.p.Steps()), slotSums: map[*layout.View][][]int64{}}
}

// inDomainsCheaply
func (s *search) inDomainsCheaply(chosen []layout.Vertex) *search {
	key := s.choiceKey(chosen)
	if s.byDomains[string(key)] == nil && s.choices.budget <= 0 {
		*s.p.Parts.Doubt = true
		return nil
	}
	return s.keyedInDomains(chosen, key)
}

// inDomains
func (s *search) inDomains(chosen []layout.Vertex) *search {
	return s.keyedInDomains(chosen, s.choiceKey(chosen))
}

// choiceKey
func (s *search) choiceKey(chosen []layout.Vertex) (key []byte) {
	domains := s.domainsOfParts(chosen)
	for i := range s.choices.free.crossGroups {
		key = binary.AppendVarint(key, int64(domains[s.choices.free.crossGroups[i].part])) // the root: the group has no new members
	}
	return key
}

// domainsOfParts
func (s *search) domainsOfParts(chosen []layout.Vertex) map[*problem.Part]layout.Vertex {
	domains := map[*problem.Part]layout.Vertex{}
	for i, d := range chosen {
		domains[s.crossGroups[i].part] = d
	}
	return domains
}

// keyedInDomains
func (s *search) keyedInDomains(chosen []layout.Vertex, key []byte) *search {
	if known := s.byDomains[string(key)]; known != nil {
		return known
	}
	dc := s.choices
	found := dc.searches[string(key)]
	if found == nil {
		dc.budget -= int64(s.p.View.Nodes)
		found = dc.newSearch(s.domainsOfParts(chosen))
		dc.searches[string(key)] = found
	}
	if s.p != dc.free.p {
		dc.budget -= choiceWork
		found = found.forSelection(s.p.Parts.Selection)
	}
	if s.byDomains == nil {
		s.byDomains = map[string]*search{}
	}
	s.byDomains[string(key)] = found
	return found
}

// newSearch is that of the whole gang with groups in these domains. Slots that only break ties are those without.
func (dc *domainChoices) newSearch(domains map[*problem.Part]layout.Vertex) *search {
	free := dc.free
	s := &search{p: free.p.WithDomains(domains), reserved: free.reserved, released: free.released, slots: free.slots, steps: free.steps}
	s.readRoles()
	s.readGroups()
	s.sumTotals()
	if s.classes = free.classes.restricted(s); s.classes == nil {
		s.classes = s.newVertexClasses(free.classes.demand)
	}
	return s
}

// restricted is the terrain for roles in pens, made of that without; nil if it has to be read anew. O(nodes + domains * log).
func (c *vertexClasses) restricted(s *search) *vertexClasses {
	if s.p.Zones().Bind() || len(s.p.Parts.AllowedOf) > 32 {
		return nil
	}
	first, within := layout.Vertex(s.p.View.NumDomains()), make([]uint32, s.p.View.Nodes) // by position: the roles of whose pens it is
	for r, in := range s.p.Parts.AllowedOf {
		if len(in) == 0 {
			continue
		}
		for pos := in[0].First; pos < in[0].End; pos++ {
			if id := in[0].V.Node(pos); in[1:].Holds(id) {
				within[s.p.View.At(id)] |= 1 << r
			}
		}
	}
	f := classFinder{search: s, classes: vertexClasses{demand: c.demand, of: make([]int32, len(c.of))}}
	known, key := sets.NewClassTable(1), make([]int64, 1)
	for pos, roles := range within {
		x := first + layout.Vertex(pos)
		old := c.of[x]
		if next := int64(old)<<32 | int64(roles); pos == 0 || next != key[0] {
			key[0] = next
			f.classes.of[x] = known.Of(key, nil)
		} else {
			f.classes.of[x] = f.classes.of[x-1]
		}
		if int(f.classes.of[x]) < len(f.classes.nodes) {
			continue
		}
		class := c.nodes[old]
		open := make([]bool, len(s.roles))
		for r := range open {
			open[r] = class.open[s.p.Parts.RoleBefore[r]] && (len(s.p.Parts.AllowedOf[r]) == 0 || roles>>r&1 > 0)
		}
		f.classes.first, f.classes.nodes = append(f.classes.first, x), append(f.classes.nodes, nodeClass{free: class.free, open: open})
	}
	f.findDomains()
	return &f.classes
}

// mayHold says whether a domain has room for the members of each role of a group, were they alone.
func (dc *domainChoices) mayHold(a *crossGroup, d layout.Vertex) bool {
	for role, n := range a.needs {
		if n > 0 && dc.slots(a.part.OtherTree, role, d) < int64(n) {
			return false
		}
	}
	return true
}

// slotsFor is how many slots a domain has for the roles of a group.
func (dc *domainChoices) slotsFor(a *crossGroup, d layout.Vertex) (n int64) {
	for role, needs := range a.needs {
		if needs > 0 {
			n += dc.slots(a.part.OtherTree, role, d)
		}
	}
	return n
}

// slots is how many members of a role have room below a vertex of a topology, as far as free amounts and rules say; not less.
func (dc *domainChoices) slots(v *layout.View, role int, d layout.Vertex) int64 {
	before := dc.slotsBefore(v)[role]
	return before[v.EndOf(d)] - before[v.First(d)]
}

// slotsBefore is, by role, how many slots the nodes before each position of a topology have. O(nodes * roles) the first time.
func (dc *domainChoices) slotsBefore(v *layout.View) [][]int64 {
	if dc.slotSums[v] == nil {
		for _, one := range dc.free.roles {
			sums := make([]int64, v.Nodes+1)
			for pos := range v.Nodes {
				id := v.Node(pos)
				if sums[pos+1] = sums[pos]; one.Counting().Refusal(id) == "" {
					sums[pos+1] += one.Counting().Room(id, dc.free.released[id].Amounts)
				}
			}
			dc.slotSums[v] = append(dc.slotSums[v], sums)
		}
	}
	return dc.slotSums[v]
}

// mayHoldWithin says whether some domain of the gang's topology, of this tier or below, has room for the members of each role of a group in what it has in common
// with a domain of the group's, were they alone. O(nodes there * tiers).
func (dc *domainChoices) mayHoldWithin(a *crossGroup, d layout.Vertex, tier int32) bool {
	v, own, before := a.part.OtherTree, dc.free.p.View, dc.slotsBefore(a.part.OtherTree)
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
