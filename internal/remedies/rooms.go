// How many members can a domain hold at most, and what could a change add to it?

package remedies

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/quota"
)

// mayEvict says whether any member might leave for the gang, as [victims.Evict] does before it looks.
func mayEvict(p *problem.Problem) bool { return mayLeave(state{p.Snapshot, p.Request}) }

// mayLeave is mayEvict for a state. Where quotas take back what is theirs priorities do not count.
func mayLeave(of state) bool {
	if of.req.NeverPreempts || of.req.QuotaLimit == quota.Borrow {
		return false
	}
	return of.s.Lowest < of.req.Priority || of.req.Quota != "" && of.s.Quotas != nil
}

// rooms bound from above what fits in domains: units on each node once leaving members are gone, and with them whoever might be a
// victim.
type rooms struct {
	p *problem.Problem
	// rough: the bounds say nothing, and what is outside a domain may help the gang in it.
	rough bool
	// exact: what the bounds allow there is a plan for.
	exact bool
	// evicts: somebody might leave for the gang.
	evicts   bool
	upTo     []int64         // by position, the units before it
	above    []layout.Vertex // by lowest domain, see widest; the root: not known
	excluded room.Excluded
	takes    func(id int32) bool
	spare    func(id int32) []int64 // amounts that a node gets back, by resource; nil: none
	// company: who keeps the gang off nodes; nil: nobody can.
	company *company

	binds  []int8 // by node, the place in Needs of what bounds its slots; -1: nothing, closed: it takes nobody. Nil where that is not fixed
	byNode snapshot.ByNode
	gains  []gain  // of all gangs, one behind the other
	sorted []int64 // memory that is used again
}

// closed stands for a node that takes no member.
const closed = -2

// roomsOf bounds the domains for a gang. O(nodes * resources), and O(running members) where there may be victims.
func roomsOf(p *problem.Problem) *rooms {
	r := &rooms{p: p, evicts: mayEvict(p), rough: p.InParts() || p.RefusedBy != nil || p.Request.Quota != ""}
	r.exact = !r.rough && !r.evicts && !isRuled(p)
	open := p.Room.Slots().Taking()
	r.excluded = p.Room.Slots().Excluded()
	r.takes = func(id int32) bool { return !r.excluded.Has(id) && open(id) }
	released := p.Room.Slots().LeavingReleased()
	r.spare = func(id int32) []int64 { return released[id].Amounts }
	if r.evicts {
		r.spare = func(id int32) []int64 { return withVictims(p, id, released[id].Amounts) }
	}
	if !r.rough {
		r.company = companyOf(r)
		r.sum()
	}
	return r
}

// isRuled says whether more than room decides where a gang fits.
func isRuled(p *problem.Problem) bool {
	hard := slices.ContainsFunc(p.Model.Levels, func(l model.Level) bool { return l.Gather.Hard })
	return hard || p.Model.Multiple != nil || p.Room.Zones().Bind() || p.Room.Company != nil
}

// sum adds up the units on all nodes, and keeps what bounds them where that is fixed.
func (r *rooms) sum() {
	v, units := r.p.Model.View, r.on
	r.upTo = make([]int64, v.Nodes+1)
	if !r.evicts && r.p.Model.RoleOf == nil && len(r.p.Room.Needs) < math.MaxInt8 {
		r.binds = make([]int8, v.Nodes)
		units = r.bind
	}
	for pos := range v.Nodes {
		r.upTo[pos+1] = r.upTo[pos] + units(v.Node(pos))
	}
}

// bind is how many units fit on a node, and notes what bounds them.
func (r *rooms) bind(id int32) int64 {
	if !r.takes(id) {
		r.binds[id] = closed
		return 0
	}
	i, units := binding(r.p, id, r.spare(id))
	r.binds[id] = int8(i)
	return units
}

// whenEmpty bounds the units in a domain once nobody but daemons that stay is there. O(nodes and members there).
func (r *rooms) whenEmpty(d layout.Vertex) (units int64) {
	if r.rough || r.p.Model.RoleOf != nil {
		return math.MaxInt32
	}
	v := r.p.Model.View
	all := make([]int64, len(r.p.Snapshot.Lineage.Resources))
	for pos := v.First(d); pos < v.EndOf(d); pos++ {
		id := v.Node(pos)
		if !r.takes(id) && !r.company.keeps(id) {
			continue
		}
		clear(all)
		for m := range snapshot.MembersOn(r.p.Snapshot, id) {
			if !m.IsDaemon() || m.Leaving && r.p.Room.LeavingGone {
				for i, amount := range m.Class.Holds {
					all[i] += amount
				}
			}
		}
		units += r.p.Room.Slots().Room(id, all)
	}
	return units
}

// withVictims are amounts with those of all members on a node that might be victims. The slice is new.
func withVictims(p *problem.Problem, id int32, amounts []int64) []int64 {
	out := make([]int64, len(p.Snapshot.Lineage.Resources))
	copy(out, amounts)
	for m := range snapshot.MembersOn(p.Snapshot, id) {
		if m.MayLeave() && !p.IsOwn(m.Class.Gang) {
			for i, amount := range m.Class.Holds {
				out[i] += amount
			}
		}
	}
	return out
}

// on bounds the units on a node, with several shapes the members of any of them; zones may allow fewer.
func (r *rooms) on(id int32) (units int64) {
	if r.evicts && r.company.keeps(id) {
		return r.company.kept[id] // they may be victims
	}
	if r.p.Model.RoleOf == nil {
		if r.takes(id) {
			units = r.p.Room.Slots().Room(id, r.spare(id))
		}
		return units
	}
	for _, one := range r.p.OfRoles() {
		if one.Room.Slots().Taking()(id) && !r.excluded.Has(id) {
			units = max(units, one.Room.Slots().Room(id, r.spare(id)))
		}
	}
	return units
}

// once bounds the units on a node that is out of service, once it is back; with several shapes, the members of any of them.
func (r *rooms) once(id int32) (units int64) {
	if r.excluded.Has(id) {
		return 0
	}
	for _, one := range problem.EachAlone(r.p) {
		if s := one.Room.Slots(); s.ServesAgain(id) || r.evicts && s.SuitsInService(id) { // who keeps the gang off may be a victim
			units = max(units, s.Room(id, r.spare(id)))
		}
	}
	return units
}

// in bounds the units in a domain.
func (r *rooms) in(d layout.Vertex) int64 {
	if r.rough {
		return math.MaxInt32
	}
	v := r.p.Model.View
	if d == layout.Root && r.p.Model.Hard {
		return r.upTo[v.First(v.Outside)]
	}
	return r.upTo[v.EndOf(d)] - r.upTo[v.First(d)]
}

// domainOf is the widest domain at a position in which the rules allow the gang to lie; false if there is none.
func (r *rooms) domainOf(pos int32) (layout.Vertex, bool) {
	v, must := r.p.Model.View, r.p.Model.Gather.Must
	if r.rough || must >= v.RootTop {
		return layout.Root, r.rough || !r.p.Model.Hard || pos < v.FirstPos[v.Outside]
	}
	if pos >= v.FirstPos[v.Outside] {
		return layout.Root, false
	}
	d := v.Named(r.widest(pos, must))
	if d == layout.Root || r.p.Model.LCA >= 0 && !v.Contains(d, r.p.Model.LCA) {
		return d, false
	}
	return d, true
}

// spans are the widest domains in which the rules allow the gang to lie, as intervals of positions.
func (r *rooms) spans() (out [][2]int32) {
	v := r.p.Model.View
	for pos := int32(0); pos < v.Nodes; {
		d, ok := r.domainOf(pos)
		end := v.EndOf(d)
		switch {
		case d == layout.Root && !ok:
			end = pos + 1
		case d == layout.Root && r.p.Model.Hard:
			end = v.FirstPos[v.Outside]
		}
		if ok {
			out = append(out, [2]int32{pos, end})
		}
		pos = end
	}
	return out
}

// withLess is a function that says whether there may be room for the gang in a domain if members ask for no more than an amount of a
// resource; nil: that is not known. Only on nodes whose slots the resource bounds there is more room for less of it.
// O(nodes + those * resources), and O(those) for each amount.
func (r *rooms) withLess(resource string) func(amount int64) bool {
	if r.binds == nil || r.p.Room.Size() > 1 {
		return nil
	}
	place := slices.IndexFunc(r.p.Room.Needs, func(n room.Need) bool { return n.Name == resource })
	type node struct{ free, units int64 } // of the resource, and what all others allow
	type span struct {
		needs int64 // units that must fit on the nodes
		nodes []node
	}
	var spans []span
	for _, d := range r.spans() {
		s := span{needs: r.units()}
		for pos := d[0]; pos < d[1]; pos++ {
			id := r.p.Model.View.Node(pos)
			if int(r.binds[id]) != place {
				s.needs -= r.upTo[pos+1] - r.upTo[pos]
			} else if free := r.p.Room.Slots().FreeOf(id, r.p.Room.Needs[place], r.spare(id)); free > 0 {
				s.nodes = append(s.nodes, node{free, r.without(id, place)})
			}
		}
		spans = append(spans, s)
	}
	return func(amount int64) bool {
		return slices.ContainsFunc(spans, func(s span) bool {
			left := s.needs
			for _, n := range s.nodes {
				left -= min(n.units, n.free/amount)
			}
			return left <= 0
		})
	}
}

// without is how many units fit on a node whatever is free of one of the needed resources, at most as many as there are to be placed.
func (r *rooms) without(id int32, place int) int64 {
	units := int64(len(r.p.Model.Pending))
	for i, n := range r.p.Room.Needs {
		if i != place {
			units = min(units, max(0, r.p.Room.Slots().FreeOf(id, n, r.spare(id)))/n.Amount)
		}
	}
	return units
}

// widest is the widest vertex above a position of at most a tier, that of the rules. It is looked up once for each lowest domain.
func (r *rooms) widest(pos, must int32) layout.Vertex {
	v := r.p.Model.View
	leaf := v.LeafOf[pos]
	if v.TierOf(leaf) > must {
		return v.NodeVertex(pos)
	}
	if r.above == nil {
		r.above = make([]layout.Vertex, v.NumDomains())
	}
	if r.above[leaf] == layout.Root { // no domain in the tree is
		r.above[leaf] = v.Highest(leaf, must)
	}
	return r.above[leaf]
}

// units is how many must be placed at least: whole groups.
func (r *rooms) units() int64 { return unitsOf(r.p) }

func unitsOf(p *problem.Problem) int64 {
	if n := p.Model.Wholes(max(1, p.Model.Least), len(p.Model.Pending)); len(n) > 0 {
		return int64(n[0])
	}
	return int64(p.Model.Least)
}
