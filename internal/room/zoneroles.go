// Which counts of members of several roles do the zones of a node take together, and which shares does each member get?

package room

import (
	"slices"

	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// ZoneFit are the counts of several roles that the zones of a node take together. Every vector in Most has been put
// into the zones, so that it fits; a search that runs out of steps leaves vectors out.
type ZoneFit struct {
	Most  front.Front  // the largest counts by role, in descending order
	order [][]int      // by vector of Most: the order of the roles in which they find zones
	Bound front.Vector // by role: no more of it fit, whatever else is there
}

const (
	// zoneSteps bounds the work for the zones of one node, in counts and splits of members. leastZoneSteps are
	// allowed in any case, also once those of all nodes are spent.
	zoneSteps      = 1 << 11
	leastZoneSteps = 1 << 6
	// AllZoneSteps bounds the work for the zones of all nodes of a plan.
	AllZoneSteps = 1 << 16
)

// zoneFiller puts members of several roles into the zones of a node, role after role: the members of a role at once,
// beside the roles before. The order matters, for each role leaves other zones to the next.
type zoneFiller struct {
	needs   []*numa.Need // by role
	lenient []bool       // by role: it prefers to keep apart, and need not
	most    front.Vector // new members of the gang, by role
	steps   int          // left; 0 or less: none
	at      front.Vector // by role: members that are in the zones now
	order   []int        // the roles of at that have zones, in the order in which they came
	fit     *ZoneFit
}

// zoneFiller prepares the members of all roles for the zones of a node.
func (z Zones) zoneFiller(id int32) *zoneFiller {
	f := &zoneFiller{needs: z.NeedsOn(id), steps: zoneSteps, most: z.PendingByRole()}
	for _, m := range z.r.ZoneState.members {
		f.lenient = append(f.lenient, m.Exclusive == numa.Preferred)
	}
	return f
}

// PendingByRole counts all new members of the gang, also for a plan of some of them. Roles of one shape count in the
// first of them. O(members).
func (z Zones) PendingByRole() front.Vector {
	if z.r.All != nil { // so that all selections share what is found for a state
		z.r = z.r.All
	}
	n := make(front.Vector, len(z.r.Shapes))
	for i := range z.r.Model.Pending {
		n[z.r.Model.Twin(int(z.r.Model.Role(i)))]++
	}
	return n
}

// zoned lists the roles of which there are members in some, and which are placed on zones there, ascending.
func (f *zoneFiller) zoned(some front.Vector) (roles []int) {
	for r, need := range f.needs {
		if need.Zoned() && some[r] > 0 {
			roles = append(roles, r)
		}
	}
	return roles
}

// late says whether a role may not come after another: one of them is under SingleNUMANode, the other one is not, and
// the role only prefers to keep apart while the other must. Who must keep apart then sees the role, and does.
func (f *zoneFiller) late(role, other int) bool {
	single := func(r int) bool { return f.needs[r].Policy() == numa.SingleNUMANode }
	return f.lenient[role] && !f.lenient[other] && single(role) != single(other)
}

// slots is the number of members of a role that the zones take in a state, at most the gang's. It costs a step.
func (f *zoneFiller) slots(role int, state *numa.Occupancy) int32 {
	f.steps--
	return int32(min(f.needs[role].Slots(state).Slots, int64(f.most[role])))
}

// find finds the largest counts that zones take in a state, as far as the steps go. Each role by itself is counted
// first and in any case, so that Most is never empty.
//
// order: roles.5
func (f *zoneFiller) find(state *numa.Occupancy) *ZoneFit {
	f.fit, f.at = &ZoneFit{Bound: make(front.Vector, len(f.needs))}, make(front.Vector, len(f.needs))
	for r, need := range f.needs {
		f.fit.Bound[r] = int32(min(need.Slots(state).Bound, int64(f.most[r])))
		if !need.Zoned() { // it takes nothing of zones: its count is the same beside all others
			f.at[r] = f.slots(r, state)
		}
	}
	roles := f.zoned(f.most)
	for _, r := range roles {
		f.at[r], f.order = f.slots(r, state), []int{r}
		f.keep()
		f.at[r], f.order = 0, nil
	}
	if len(roles) != 1 { // one role is done; of none the other counts are kept
		f.extend(state, roles)
	}
	return f.fit
}

// extend puts every number of members of every role that is left into the zones, beside the members there, by
// depth-first search: larger numbers first, so that most of the smaller ones are within counts that are known.
func (f *zoneFiller) extend(state *numa.Occupancy, left []int) {
	full := true // no role that is left has room for a member
	for i, r := range left {
		slots := f.slots(r, state)
		if slots == 0 {
			continue
		}
		full = false
		rest := slices.Delete(slices.Clone(left), i, i+1)
		// A role that may not come after r has no members in this branch; in others it comes before r.
		rest = slices.DeleteFunc(rest, func(o int) bool { return f.late(o, r) })
		f.order = append(f.order, r)
		for n := slots; n > 0 && f.steps > 0; n-- {
			if f.at[r] = n; len(rest) == 0 {
				f.keep()
				break // smaller numbers are within this one
			}
			if f.covered(rest) {
				break // so are smaller numbers
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

// covered says whether no larger counts can come of the members there: even with the bound of every role of the rest
// they would be within counts that are known to fit.
func (f *zoneFiller) covered(rest []int) bool {
	most := slices.Clone(f.at)
	for _, r := range rest { // the others keep what they have, or none if they are late
		most[r] = f.fit.Bound[r]
	}
	return slices.ContainsFunc(f.fit.Most, most.Within)
}

// add returns the zones with n more members of a role; nil if they have no room. It costs a step.
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

// keep notes that the counts in at fit, unless they are within others, and drops those that are within them. Most
// stays in descending order, and order beside it.
func (f *zoneFiller) keep() {
	fit := f.fit
	if slices.ContainsFunc(fit.Most, f.at.Within) {
		return
	}
	n := 0 // those that stay move to the front
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

// ZoneFit are the counts that the zones of a node take in a state; nil: zones bind no member there. O(1) if they are
// known for an equal state. Else the search takes as many steps as it may (zoneSteps, what is left of steps, but
// leastZoneSteps in any case), and takes them off.
func (z Zones) ZoneFit(id int32, state *numa.Occupancy, steps *int) *ZoneFit {
	if !z.BindsOn(z.r.Snapshot.FlagsOf(id)) {
		return nil
	}
	return z.r.ZoneState.zoneFits.of(z.zonesOf(id), state, 0, func() *ZoneFit {
		// A node may use up no more than its own share of the steps, so that the first nodes do not take all.
		f := z.zoneFiller(id)
		f.steps = max(leastZoneSteps, min(f.steps, *steps))
		before := f.steps
		fit := f.find(state)
		*steps -= before - f.steps
		return fit
	})
}

// zonesTake says whether the zones of a node take these counts by role, for certain.
func (z Zones) zonesTake(id int32, state *numa.Occupancy, want front.Vector) bool {
	steps := zoneSteps
	fit := z.ZoneFit(id, state, &steps)
	return fit == nil || fit.Most.Holds(z.r.Model.ByShape(want))
}

// inZones gives zones of a node to counts of members by role, and returns their shares by role: in the first order of
// roles in which all find zones, else those that they have within the largest counts around them, of several the
// first. The second way is needed where the counts fit only as a part of larger ones, and where steps run out. Roles
// of one shape count as the first of them. Nil if they have no room.
//
// order: roles.5
func (z Zones) inZones(id int32, state *numa.Occupancy, want front.Vector) [][]numa.Placed {
	f := z.zoneFiller(id)
	want = z.r.Model.ByShape(want)
	roles, out := f.zoned(want), make([][]numa.Placed, len(want))
	if f.place(state, roles, want, out) {
		return out
	}
	steps := zoneSteps
	fit := z.ZoneFit(id, state, &steps)
	for i, most := range fit.Most { // with the most of the first role first
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

// place tries the orders of the roles that are left, depth first, and notes the shares by role in out. It is false if
// no order does, or if steps run out; out then has shares that do not count.
func (f *zoneFiller) place(state *numa.Occupancy, left []int, want front.Vector, out [][]numa.Placed) bool {
	for i, r := range left {
		if f.steps--; f.steps < 0 {
			return false
		}
		if slices.ContainsFunc(left, func(o int) bool { return f.late(o, r) }) {
			continue // another one must come first
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

// giveZones calls share for the members on one node that get zones, by index in pending. members are in rank order,
// and those of one shape take its shares in that order.
func (z Zones) giveZones(id int32, state *numa.Occupancy, members []int, share func(member int, placed *numa.Placed)) {
	want := make(front.Vector, len(z.r.Shapes))
	for _, i := range members {
		want[z.r.Model.Role(i)]++
	}
	// Roles of one shape draw from one list of shares.
	placed := z.inZones(id, state, want)
	if placed == nil {
		return // never: they fit
	}
	for _, i := range members {
		of := &placed[z.r.Model.Twin(int(z.r.Model.Role(i)))]
		if len(*of) == 0 {
			continue // of a role without zones here
		}
		if one := &(*of)[0]; len(one.Shares) > 0 {
			share(i, one)
		}
		*of = (*of)[1:]
	}
}

// TakeZones notes in held, by node, which zones the members placed at positions take, and how much room is beside
// them. They get their shares as the zones are once the members in waits are gone; further members must fit beside
// these shares in the zones as they are now (Zones), and together with them later (Beside).
func (z Zones) TakeZones(held map[int32]Reserved, positions []int32, waits []*snapshot.Member) {
	if !z.Bind() {
		return
	}
	gone, on := z.zonesAfter(waits), map[int32]front.Vector{} // on: placed members by node, then role
	for i, pos := range positions {
		id := z.r.Model.View.Node(pos)
		if on[id] == nil {
			on[id] = make(front.Vector, len(z.r.Shapes))
		}
		on[id][z.r.Model.Twin(int(z.r.Model.Role(i)))]++
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
				t.Beside = front.Front{make(front.Vector, len(z.r.Shapes))} // a sum overflows: no room for more
			}
		}
		held[id] = t
	}
}
