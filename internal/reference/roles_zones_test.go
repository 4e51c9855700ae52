package reference

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// Refusals of members of several roles that are said to be proven are so: however the zones of the only node were shared out among them, they would not
// all find some.
func TestProvenRefusalsOfRolesInZones(t *testing.T) { holdsFor(t, drawOneNode, provenRightly) }

// drawWithoutQuotas draws a gang of several roles without groups.
func drawWithoutQuotas(t *rapid.T, sizes draws.Sizes) Input {
	in := drawRolesFor(t, sizes)
	in.Request.Quota, in.Request.QuotaLimit, in.Request.Groups, in.Request.NeverPreempts = "", "", nil, true
	in.Spec.Quotas, in.Spec.Total, in.Spec.Demand = nil, nil, nil
	for i := range in.Spec.Running {
		in.Spec.Running[i].Quota = ""
	}
	return in
}

// Members that a waiting plan adds find zones now beside the first ones, and with them when those it waits for have left.
func TestFurtherRolesInZones(t *testing.T) { holdsFor(t, mixed(drawFurther), rolesAgree) }

// drawFurther draws few nodes that are full, where most of those who run leave, and a gang that needs few of its members.
func drawFurther(t *rapid.T) Input {
	in := drawWithoutQuotas(t, draws.Sizes{Nodes: 3, Slots: 4, Members: 6})
	for i := range in.Spec.Nodes {
		if n := &in.Spec.Nodes[i]; n.NUMA == nil || len(n.NUMA.Zones) == 0 {
			fillNode(t, &in.Spec, n, 100)
		} else {
			fillZones(t, &in.Spec, n, 90)
		}
	}
	for i := range in.Spec.Running {
		if r := &in.Spec.Running[i]; r.Gang != in.Request.Name {
			r.Gang, r.Member, r.Leaving = "ns/other", fmt.Sprintf("m-%d", draws.HostileRank(i)), draws.Chance(t, 70, "leaves")
		}
	}
	in.Request.IgnoreLeaving, in.Request.MinMember = false, rapid.IntRange(1, min(3, len(in.Request.Members))).Draw(t, "minimum")
	return in
}

// drawOneNode draws a gang of several roles for a node with zones that is all there is; CPUs may be split at will.
func drawOneNode(t *rapid.T) Input {
	in := drawWithoutQuotas(t, draws.Sizes{Nodes: 1, Slots: 4, Members: 5})
	in.Request.Gather = slices.DeleteFunc(in.Request.Gather, func(r gang.Rule) bool { return r.Multiple > 0 })
	for i := range in.Request.Members {
		shape := *in.Request.Members[i].Shape
		shape.NUMA.CPUs, shape.NUMA.ThreadsPerCore = "", 0
		in.Request.Members[i].Shape = &shape
	}
	return in
}

func provenRightly(in Input) ([]string, error) {
	if !hasRoles(&in) || !hasZones(&in.Spec) {
		return nil, nil
	}
	res, err := plan(in, &in.Request)
	var refusal *placement.Unschedulable
	if err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	s, err := newRoleSolver(&in)
	if err != nil {
		return nil, err
	}
	s.lookAgain(s.solver.canWait())
	n := s.solver.wanted()
	way := n <= len(s.pending) && s.anyWay(n)
	switch {
	case res != nil && !way:
		return nil, errors.New("placed, and there is no way")
	case res != nil:
		return []string{"placed"}, nil
	case way && refusal.Proven:
		return nil, errors.New("refused and proven, and there is a way")
	case way:
		return []string{"refused, not proven, and there is a way"}, nil
	case refusal.Proven:
		return []string{"refused, proven"}, nil
	}
	return []string{"refused, not proven, and there is no way"}, nil
}

// sharing is one way to share out the zones of a node, member by member.
type sharing struct {
	base       *roleSolver
	members    []*zonedMember
	masks      []int // by member, those that have them so far
	free       []map[string]int64
	hosts      []numa.Hosts
	keeps      []numa.Hosts
	zones, all int
}

// zonedMember is a member that gets zones.
type zonedMember struct {
	need   *numa.Need
	asks   map[string]int64 // of what has zones
	strict bool
}

// anyWay says whether the only node takes any n of the members in any way that the rules of zones allow, whoever came first.
func (s *roleSolver) anyWay(n int) bool {
	for set := range uint(1) << len(s.pending) {
		counts := make([]int, len(s.roles))
		for i := range s.pending {
			if set>>i&1 == 1 {
				counts[s.role(validity.ShapeOf(&s.solver.in.Request, &s.pending[i]))]++
			}
		}
		if bits.OnesCount(set) == n && s.anyWayFor(counts) {
			return true
		}
	}
	return false
}

// anyWayFor is anyWay for so many members of each role.
func (s *roleSolver) anyWayFor(counts []int) bool {
	node := s.nodes[0].node
	for r, shape := range s.roles {
		if counts[r] > 0 && (s.kept[0] || s.nodes[0].outside && s.solver.hard() || validity.Refusal(&s.solver.in.Spec, &s.solver.in.Request, shape, node) != "") {
			return false
		}
	}
	if !s.fitsTogether(0, counts) || !s.keepsApart(way{counts}) {
		return false
	}
	w := &sharing{base: s}
	if node.NUMA != nil {
		for _, z := range node.NUMA.Zones {
			w.free, w.hosts = append(w.free, s.roleZones.states[0].Free(z.ID)), append(w.hosts, s.roleZones.states[0].Hosts(z.ID))
			w.keeps = append(w.keeps, s.roleZones.states[0].Keeps(z.ID))
		}
	}
	w.zones, w.all = len(w.free), 1<<len(w.free)-1
	zones := s.roleZones.byNode[node.Name]
	for r, count := range counts {
		m := &zonedMember{need: zones.needs[r], asks: map[string]int64{}, strict: !s.roleZones.lenient[r]}
		switch c := m.need.Fit(s.roleZones.states[0]).Cause; {
		case count == 0:
			continue
		case c == numa.CausePolicy:
			return false
		case !m.need.Zoned() && m.need.Policy() != "" && w.zones == 0:
			return false // a policy, and no zones
		}
		for name, amount := range s.roles[r].Resources {
			if amount > 0 && slices.ContainsFunc(w.free, func(free map[string]int64) bool { _, ok := free[name]; return ok }) {
				m.asks[name] = amount
			}
		}
		for range count {
			if m.need.Policy() != "" && len(m.asks) > 0 {
				w.members = append(w.members, m)
			}
		}
	}
	return w.extend(0)
}

// extend tries all sets of zones for the members from one on.
func (w *sharing) extend(i int) bool {
	if i == len(w.members) {
		return true
	}
	first := 1
	if i > 0 && w.members[i] == w.members[i-1] {
		first = w.masks[i-1] // those alike in the order of their zones
	}
	for mask := first; mask <= w.all; mask++ {
		w.masks = append(w.masks, mask)
		if w.allowed(i) && w.suffices() && w.extend(i+1) {
			return true
		}
		w.masks = w.masks[:i]
	}
	return false
}

// allowed looks at the width and at who must keep apart.
func (w *sharing) allowed(i int) bool {
	m, mask := w.members[i], w.masks[i]
	single, spans := m.need.Policy() == numa.SingleNUMANode, width(mask) > 1
	switch {
	case single && spans, m.need.Policy() == numa.Restricted && width(mask) != m.need.Width():
		return false
	}
	for z, hosts := range w.hosts {
		if !m.strict {
			hosts = w.keeps[z]
		}
		if foe := spans && hosts&numa.HostsSingle != 0 || single && hosts&numa.HostsSpanning != 0; mask>>z&1 == 1 && foe {
			return false
		}
	}
	for k, o := range w.members[:i] {
		foe := single && width(w.masks[k]) > 1 || spans && o.need.Policy() == numa.SingleNUMANode
		if mask&w.masks[k] != 0 && foe && m.strict && o.strict {
			return false
		}
	}
	return true
}

func width(mask int) (n int) {
	for ; mask > 0; mask &= mask - 1 {
		n++
	}
	return n
}

// suffices says whether no zones are asked for more than they have: then every resource can be split.
func (w *sharing) suffices() bool {
	for some := 1; some <= w.all; some++ {
		left := map[string]int64{}
		for z, free := range w.free {
			for name, amount := range free {
				if some>>z&1 == 1 {
					left[name] += amount
				}
			}
		}
		for i, mask := range w.masks {
			for name, amount := range w.members[i].asks {
				if mask&^some == 0 {
					if left[name] -= amount; left[name] < 0 {
						return false
					}
				}
			}
		}
	}
	return true
}

// waitsWithoutNeed tells a leaving member that a plan waits for though all roles find zones on its node while it is there. Who keeps others off is not
// looked at.
func waitsWithoutNeed(in *Input, res *placement.Result) error {
	if ofOneShape(&in.Request) || slices.ContainsFunc(allLimits(&in.Request), func(list *[]gang.Limit) bool { return len(*list) > 0 }) {
		return nil
	}
	after := *in
	after.Spec = validity.Without(&in.Spec, func(ref cluster.MemberRef) bool {
		return slices.ContainsFunc(res.Victims, func(v placement.Victim) bool { return v.MemberRef == ref })
	})
	s, err := newRoleSolver(&after)
	if err != nil {
		return err
	}
	for k, w := range res.WaitsFor {
		i := slices.IndexFunc(s.nodes, func(v *vertex) bool { return v.node.Name == w.Node })
		there := slices.DeleteFunc(on(after.Spec.Running, w.Node), func(r cluster.Running) bool {
			return slices.ContainsFunc(slices.Delete(slices.Clone(res.WaitsFor), k, k+1), func(o placement.Waited) bool { return o.Gang == r.Gang && o.Member == r.Member })
		})
		counts := s.countsOn(&Answer{Assignments: res.Assignments}, w.Node)
		keeps := slices.ContainsFunc(there, func(r cluster.Running) bool { return r.Alone != "" })
		if w.Gang != in.Request.Name && !keeps && s.takesBeside(i, there, counts) {
			return fmt.Errorf("waits for %s without need: all find zones beside it", w.Member)
		}
	}
	return nil
}
