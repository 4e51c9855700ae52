// Zones of nodes: what they take of several roles.

package problem

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// ZoneFit is what of several roles the zones of a node take together.
type ZoneFit struct {
	Most  front.Front  // the largest counts by role
	order [][]int      // by point of most: in which order of the roles they find zones
	Bound front.Vector // of each role, whatever else is there
}

const (
	// zoneSteps bounds the work for the zones of one node, leastZoneSteps is done in any case.
	zoneSteps      = 1 << 11
	leastZoneSteps = 1 << 6
	// AllZoneSteps bounds the work for the zones of all nodes of a plan.
	AllZoneSteps = 1 << 16
)

// zoneFiller puts members of several roles into the zones of a node, role after role. A role that need not keep apart does
// not come after one that must.
type zoneFiller struct {
	needs   []*numa.Need // by role
	lenient []bool       // by role
	most    front.Vector // of the gang, by role
	steps   int          // that are left
	at      front.Vector
	order   []int
	fit     *ZoneFit
}

// zoneFiller prepares the members of all roles for the zones of a node.
func (z Zones) zoneFiller(id int32) *zoneFiller {
	f := &zoneFiller{needs: z.NeedsOn(id), steps: zoneSteps, most: z.PendingByRole()}
	for _, m := range z.p.ZoneState.members {
		f.lenient = append(f.lenient, m.Exclusive == numa.Preferred)
	}
	return f
}

// PendingByRole counts all new members of the gang, also for a plan of some of them; roles of one shape in the first one.
func (z Zones) PendingByRole() front.Vector {
	if z.p.Parts.All != nil {
		z.p = z.p.Parts.All
	}
	n := make(front.Vector, len(z.p.Shapes))
	for i := range z.p.Pending {
		n[z.p.Twin(int(z.p.Role(i)))]++
	}
	return n
}

// zoned lists the roles of some members that are placed on zones.
func (f *zoneFiller) zoned(some front.Vector) (roles []int) {
	for r, need := range f.needs {
		if need.Zoned() && some[r] > 0 {
			roles = append(roles, r)
		}
	}
	return roles
}

// late says whether a role may not come after another.
func (f *zoneFiller) late(role, other int) bool {
	single := func(r int) bool { return f.needs[r].Policy() == numa.SingleNUMANode }
	return f.lenient[role] && !f.lenient[other] && single(role) != single(other)
}

// slots is how many members of a role the zones take, at most the gang's.
func (f *zoneFiller) slots(role int, state *numa.Occupancy) int32 {
	f.steps--
	return int32(min(f.needs[role].Slots(state).Slots, int64(f.most[role])))
}

// find finds the largest counts that zones take, as far as the steps go; of each role by itself in any case.
//
// order: roles.5
func (f *zoneFiller) find(state *numa.Occupancy) *ZoneFit {
	f.fit, f.at = &ZoneFit{Bound: make(front.Vector, len(f.needs))}, make(front.Vector, len(f.needs))
	for r, need := range f.needs {
		f.fit.Bound[r] = int32(min(need.Slots(state).Bound, int64(f.most[r])))
		if !need.Zoned() {
			f.at[r] = f.slots(r, state)
		}
	}
	roles := f.zoned(f.most)
	for _, r := range roles {
		f.at[r], f.order = f.slots(r, state), []int{r}
		f.keep()
		f.at[r], f.order = 0, nil
	}
	if len(roles) != 1 {
		f.extend(state, roles)
	}
	return f.fit
}

// extend puts every number of members of every role that is left into the zones, beside the members there.
func (f *zoneFiller) extend(state *numa.Occupancy, left []int) {
	full := true
	for i, r := range left {
		slots := f.slots(r, state)
		if slots == 0 {
			continue
		}
		full = false
		rest := slices.Delete(slices.Clone(left), i, i+1)
		rest = slices.DeleteFunc(rest, func(o int) bool { return f.late(o, r) })
		f.order = append(f.order, r)
		for n := slots; n > 0 && f.steps > 0; n-- {
			if f.at[r] = n; len(rest) == 0 {
				f.keep()
				break
			}
			if f.covered(rest) {
				break
			}
			if next := f.add(r, state, n); next != nil {
				f.extend(next, rest)
			}
		}
		f.at[r], f.order = 0, f.order[:len(f.order)-1]
	}
	if full {
		f.keep()
	}
}

// covered says whether all that could come of what is there, and the rest, is within counts that are known to fit.
func (f *zoneFiller) covered(rest []int) bool {
	most := slices.Clone(f.at)
	for _, r := range rest {
		most[r] = f.fit.Bound[r]
	}
	return slices.ContainsFunc(f.fit.Most, most.Within)
}

// add is the zones with members of a role more; nil if they have no room.
func (f *zoneFiller) add(role int, state *numa.Occupancy, n int32) *numa.Occupancy {
	f.steps--
	placed := f.needs[role].Split(state, int(n))
	if placed == nil {
		return nil
	}
	next, err := state.Add(placed...)
	if err != nil {
		return nil // a sum overflows
	}
	return next
}

// keep notes counts that fit, unless they are within others, which are in descending order.
func (f *zoneFiller) keep() {
	fit := f.fit
	if slices.ContainsFunc(fit.Most, f.at.Within) {
		return
	}
	n := 0
	for i, p := range fit.Most {
		if !p.Within(f.at) {
			fit.Most[n], fit.order[n] = p, fit.order[i]
			n++
		}
	}
	at, _ := slices.BinarySearchFunc(fit.Most[:n], f.at, func(p, q front.Vector) int { return slices.Compare(q, p) })
	fit.Most = slices.Insert(fit.Most[:n], at, slices.Clone(f.at))
	fit.order = slices.Insert(fit.order[:n], at, slices.Clone(f.order))
}

// ZoneFit is what the zones of a node take in a state; nil: zones bind no member there. O(1) if the state is known, else
// O(steps), which are taken off.
func (z Zones) ZoneFit(id int32, state *numa.Occupancy, steps *int) *ZoneFit {
	if !z.BindsOn(z.p.Snapshot.FlagsOf(id)) {
		return nil
	}
	return z.p.ZoneState.zoneFits.of(z.zonesOf(id), state, 0, func() *ZoneFit {
		f := z.zoneFiller(id)
		f.steps = max(leastZoneSteps, min(f.steps, *steps))
		before := f.steps
		fit := f.find(state)
		*steps -= before - f.steps
		return fit
	})
}

// zonesTake says whether the zones of a node take counts of members.
func (z Zones) zonesTake(id int32, state *numa.Occupancy, want front.Vector) bool {
	steps := zoneSteps
	fit := z.ZoneFit(id, state, &steps)
	return fit == nil || fit.Most.Holds(ByShape(z.p, want))
}

// inZones gives counts of members zones of a node, by role: in the first order of roles in which all find zones, else as in
// the first of the largest counts that holds them. Roles of one shape count as the first one. Nil if they have no room.
//
// order: roles.5
func (z Zones) inZones(id int32, state *numa.Occupancy, want front.Vector) [][]numa.Placed {
	f := z.zoneFiller(id)
	want = ByShape(z.p, want)
	roles, out := f.zoned(want), make([][]numa.Placed, len(want))
	if f.place(state, roles, want, out) {
		return out
	}
	steps := zoneSteps
	fit := z.ZoneFit(id, state, &steps)
	for i, most := range fit.Most {
		if !want.Within(most) {
			continue
		}
		for _, r := range fit.order[i] {
			placed := f.needs[r].Split(state, int(most[r]))
			next, err := state.Add(placed...)
			if placed == nil || err != nil {
				return nil // never: they fitted
			}
			state, out[r] = next, placed[:want[r]]
		}
		return out
	}
	return nil
}

// place tries the orders of some roles; false if none does, or after many steps.
func (f *zoneFiller) place(state *numa.Occupancy, left []int, want front.Vector, out [][]numa.Placed) bool {
	for i, r := range left {
		if f.steps--; f.steps < 0 {
			return false
		}
		if slices.ContainsFunc(left, func(o int) bool { return f.late(o, r) }) {
			continue
		}
		placed := f.needs[r].Split(state, int(want[r]))
		if placed == nil {
			continue
		}
		next, err := state.Add(placed...)
		if err != nil {
			continue // a sum overflows
		}
		out[r] = placed
		if f.place(next, slices.Delete(slices.Clone(left), i, i+1), want, out) {
			return true
		}
	}
	return len(left) == 0
}

// giveZones gives members that are on one node their shares of its zones, by role, in rank order.
func (z Zones) giveZones(id int32, state *numa.Occupancy, members []int, share func(member int, placed *numa.Placed)) {
	want := make(front.Vector, len(z.p.Shapes))
	for _, i := range members {
		want[z.p.Role(i)]++
	}
	placed := z.inZones(id, state, want)
	if placed == nil {
		return // never: they fit
	}
	for _, i := range members {
		of := &placed[z.p.Twin(int(z.p.Role(i)))]
		if len(*of) == 0 {
			continue // of a role without zones here
		}
		if one := &(*of)[0]; len(one.Shares) > 0 {
			share(i, one)
		}
		*of = (*of)[1:]
	}
}

// TakeZones notes what placed members take of zones. Later members must fit beside them now; they get their shares when the
// leaving members that the plan waits for are gone.
func (z Zones) TakeZones(held map[int32]Reserved, positions []int32, waits []*snapshot.Member) {
	if !z.Bind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]front.Vector{}
	for i, pos := range positions {
		id := z.p.View.Node(pos)
		if on[id] == nil {
			on[id] = make(front.Vector, len(z.p.Shapes))
		}
		on[id][z.p.Twin(int(z.p.Role(i)))]++
	}
	for id, some := range on {
		steps, state := zoneSteps, z.StateOf(id, Released{zones: gone[id]})
		fit := z.ZoneFit(id, state, &steps)
		if fit == nil {
			continue
		}
		t := held[id]
		t.Zones, t.Beside = z.StateOf(id, Released{}), fit.Most.Beside(some)
		for _, placed := range z.inZones(id, state, some) {
			if next, err := t.Zones.Add(placed...); err == nil {
				t.Zones = next
			} else {
				t.Beside = front.Front{make(front.Vector, len(z.p.Shapes))} // a sum overflows
			}
		}
		held[id] = t
	}
}
