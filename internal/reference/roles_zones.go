package reference

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
)

// roleZones is what is known of the zones of nodes for members of several roles.
type roleZones struct {
	byNode  map[string]aligning // with the members of all roles
	lenient []bool              // by role: who goes where others must keep out
	ofRole  []int               // new members by role
	states  []*numa.Occupancy   // by node; nil: nobody gets zones there
	known   map[string]bool     // by node and counts
	earlier []*earlier          // by node, of further members; nil: nobody came earlier
}

// earlier is who came to a node before further members, which must fit in beside them once those who are waited for are gone.
type earlier struct {
	of     *roleSolver
	zones  aligning
	state  *numa.Occupancy
	counts []int
}

// readRoleZones prepares the members of all roles for the zones of every node, and those of the first role, which slots are counted for.
func (s *roleSolver) readRoleZones() error {
	s.solver.shapes = s.roles
	if err := s.solver.readZones(); err != nil {
		return err
	}
	s.roleZones = roleZones{byNode: s.solver.zones, ofRole: make([]int, len(s.roles))}
	for _, shape := range s.roles {
		s.roleZones.lenient = append(s.roleZones.lenient, validity.NUMAMember(&s.solver.in.Spec, shape).Exclusive == numa.Preferred)
	}
	for i := range s.pending {
		s.roleZones.ofRole[s.role(validity.ShapeOf(&s.solver.in.Request, &s.pending[i]))]++
	}
	s.solver.shapes = s.roles[:1]
	err := s.solver.readZones()
	s.solver.aligned = false // zones decide for nobody
	return err
}

// zonesTake says whether the zones of the i-th node take so many members of each role, or these beside others of the gang.
func (s *roleSolver) zonesTake(i int, counts []int) bool {
	key := fmt.Sprint(i, counts)
	takes, ok := s.roleZones.known[key]
	if !ok {
		zones := s.roleZones.byNode[s.nodes[i].node.Name]
		takes = total(counts) == 0 || s.roleZones.states[i] != nil && s.fill(&zones, s.roleZones.states[i], counts) != nil
		if e := s.earlierOn(i); takes && e != nil {
			takes = e.of.fill(&e.zones, e.state, plusCounts(e.counts, counts)) != nil
		}
		s.roleZones.known[key] = takes
	}
	return takes
}

func (s *roleSolver) earlierOn(i int) *earlier {
	if s.roleZones.earlier == nil {
		return nil
	}
	return s.roleZones.earlier[i]
}

func plusCounts(a, b []int) []int {
	out := slices.Clone(a)
	for r, n := range b {
		out[r] += n
	}
	return out
}

// fill gives so many members of each role zones: in the first order of the roles in which those of each find them at once beside those before; if there is
// none, as those of more members, no more than there are, the first roles the most. Nil if there is no way.
func (s *roleSolver) fill(zones *aligning, state *numa.Occupancy, counts []int) [][]numa.Placed {
	if out := s.fillExactly(zones, state, counts); out != nil {
		return out
	}
	var larger [][]int
	for more := range s.boxAbove(counts, 0) {
		larger = append(larger, slices.Clone(more))
	}
	slices.SortFunc(larger, func(a, b []int) int { return slices.Compare(b, a) })
	for _, more := range larger {
		if out := s.fillExactly(zones, state, more); out != nil {
			for r, n := range counts {
				out[r] = out[r][:n]
			}
			return out
		}
	}
	return nil
}

// boxAbove are all counts from some on, no more of a role than there are.
func (s *roleSolver) boxAbove(counts []int, role int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		if role == len(counts) {
			yield(counts)
			return
		}
		for n := counts[role]; n <= s.roleZones.ofRole[role]; n++ {
			at := slices.Clone(counts)
			at[role] = n
			for more := range s.boxAbove(at, role+1) {
				if !yield(more) {
					return
				}
			}
		}
	}
}

func (s *roleSolver) fillExactly(zones *aligning, state *numa.Occupancy, counts []int) [][]numa.Placed {
	for _, order := range s.orders(zones, counts) {
		if out := s.fillInOrder(zones, state, counts, order); out != nil {
			return out
		}
	}
	return nil
}

func (s *roleSolver) fillInOrder(zones *aligning, state *numa.Occupancy, counts, order []int) [][]numa.Placed {
	out := make([][]numa.Placed, len(counts))
	for r, n := range counts {
		if n > 0 && !zones.needs[r].Zoned() {
			if out[r] = zones.needs[r].Split(state, n); out[r] == nil {
				return nil
			}
		}
	}
	for _, r := range order {
		if out[r] = zones.needs[r].Split(state, counts[r]); out[r] == nil {
			return nil
		}
		next, err := state.Add(out[r]...)
		if err != nil {
			return nil
		}
		state = next
	}
	return out
}

// orders are those of the roles whose members get zones. Who need not keep apart does not come after one that must keep apart from him.
func (s *roleSolver) orders(zones *aligning, counts []int) (out [][]int) {
	single := func(r int) bool { return zones.needs[r].Policy() == numa.SingleNUMANode }

	var extend func(order []int)
	extend = func(order []int) {
		last := true
		for r, n := range counts {
			if n > 0 && zones.needs[r].Zoned() && !slices.Contains(order, r) {
				last = false
				extend(append(slices.Clip(order), r))
			}
		}
		wrong := slices.ContainsFunc(order, func(r int) bool {
			before := order[:slices.Index(order, r)]
			return s.roleZones.lenient[r] && slices.ContainsFunc(before, func(o int) bool { return !s.roleZones.lenient[o] && single(o) != single(r) })
		})
		if last && !wrong {
			out = append(out, order)
		}
	}
	extend(nil)
	return out
}

// countsOn is who is on a node, by role.
func (s *roleSolver) countsOn(a *Answer, node string) []int {
	counts := make([]int, len(s.roles))
	for _, x := range a.Assignments {
		if x.Node == node {
			counts[s.role(s.shapeNamed(x.Member))]++
		}
	}
	return counts
}

// shareByRole gives the new members on every node their shares of its zones, in rank order, when those who are waited for are gone.
func (s *roleSolver) shareByRole(a *Answer) {
	for _, v := range s.nodes {
		counts := s.countsOn(a, v.node.Name)
		zones := s.roleZones.byNode[v.node.Name]
		state, err := zones.with(s.solver.remaining(a, v.node.Name))
		if err != nil || total(counts) == 0 {
			continue
		}
		placed := s.fill(&zones, state, counts)
		for i := range a.Assignments {
			if x := &a.Assignments[i]; placed != nil && x.Node == v.node.Name {
				r := s.role(s.shapeNamed(x.Member))
				x.NUMA, placed[r] = sharesIn(&placed[r][0]), placed[r][1:]
			}
		}
	}
}

// comeAfter notes who came to each node before the members of this solver, by a plan of another one, and bounds the slots by that.
func (s *roleSolver) comeAfter(first *roleSolver, a *Answer) {
	s.roleZones.earlier = make([]*earlier, len(s.nodes))
	for i, v := range s.nodes {
		e := &earlier{of: first, zones: first.roleZones.byNode[v.node.Name], counts: first.countsOn(a, v.node.Name)}
		var err error
		if e.state, err = e.zones.with(first.solver.remaining(a, v.node.Name)); err != nil || total(e.counts) == 0 {
			continue
		}
		s.roleZones.earlier[i] = e
		if !s.bind(v.node) {
			continue
		}
		for v.fits > 0 {
			more := plusCounts(e.counts, nil)
			if more[0] += v.fits; more[0] <= first.roleZones.ofRole[0] && first.fill(&e.zones, e.state, more) != nil {
				break
			}
			v.fits--
		}
	}
	s.solver.sum()
}

// bind says whether zones are looked at on the node.
func (s *roleSolver) bind(node *cluster.Node) bool {
	aligned := slices.ContainsFunc(s.roles, func(shape *gang.Shape) bool { return shape.NUMA.Policy != "" })
	return aligned || node.NUMA != nil && node.NUMA.Policy != ""
}

// makeRoom are the fewest leaving members without which so many of each role fit on a node; of equally few the first.
func (s *roleSolver) makeRoom(i int, stay, leaving []cluster.Running, counts []int) []cluster.Running {
	for size := range len(leaving) + 1 {
		if found, ok := s.firstThatMakeRoom(i, stay, leaving, nil, size, counts); ok {
			return found
		}
	}
	return nil
}

// firstThatMakeRoom extends the chosen members by size more of the leaving ones; those not chosen stay.
func (s *roleSolver) firstThatMakeRoom(i int, stay, leaving, chosen []cluster.Running, size int, counts []int) ([]cluster.Running, bool) {
	if size == 0 {
		return chosen, s.takesBeside(i, append(slices.Clip(stay), leaving...), counts)
	}
	for k, r := range leaving {
		kept := append(slices.Clip(stay), leaving[:k]...)
		if found, ok := s.firstThatMakeRoom(i, kept, leaving[k+1:], append(slices.Clip(chosen), r), size-1, counts); ok {
			return found, true
		}
	}
	return nil, false
}

// takesBeside says whether a node takes so many members of each role beside those that are there.
func (s *roleSolver) takesBeside(i int, there []cluster.Running, counts []int) bool {
	node := s.nodes[i].node
	sum := muster.Resources{}
	for r, n := range counts {
		for name, amount := range s.roles[r].Resources {
			sum[name] += int64(n) * amount
		}
	}
	for name, amount := range sum {
		if free, bounded := validity.Free(node, name, there); bounded && amount > max(0, free) {
			return false
		}
	}
	zones := s.roleZones.byNode[node.Name]
	state, err := zones.with(there)
	return err == nil && s.fill(&zones, state, counts) != nil
}
