// How do holds come and go?

package holds

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/snapshot"
)

// New is the snapshot of a spec, with what it holds. The error is as of a new snapshot; holds on absent nodes are left out.
func New(spec cluster.Spec) (*snapshot.Snapshot, error) {
	for i := range spec.Running {
		if _, held := For(spec.Running[i].Gang); held {
			return nil, reserved(spec.Running[i].Gang)
		}
	}
	c, err := snapshot.New(spec)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for i := range spec.DomainHolds {
		wrong = append(wrong, checkDomain(c, &spec.DomainHolds[i], fmt.Sprintf("cluster.DomainHolds[%d]", i)))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	c.Reserved = inOrder(spec.DomainHolds) // nobody else has it yet
	if len(spec.Holds) == 0 {
		return c, nil
	}
	by := map[string][]cluster.Hold{}
	for _, h := range spec.Holds {
		by[h.Gang] = append(by[h.Gang], h)
	}
	c, err = Update(c, cluster.Delta{Observed: true, Holds: by})
	if err != nil {
		return nil, err
	}
	var defects []error
	for _, err := range c.LeftOut {
		var absent *cluster.ConflictError
		if !errors.As(err, &absent) {
			defects = append(defects, err)
		}
	}
	return c, errors.Join(defects...)
}

// reserved is the error of a gang that is called as those are for whom room is held.
func reserved(gang string) error {
	return &muster.InvalidError{Field: "gang", Value: gang, Reason: "a gang cannot be called so"}
}

// Update makes a new snapshot with a change, as [snapshot.Snapshot.Update] does, and with its holds. Those of members that run now end, those on
// nodes that go, and those of zones that their nodes have no more. O(log gangs + holds) beside what an update costs; once more where a plan
// on c did not see all that is held.
func Update(c *snapshot.Snapshot, d cluster.Delta) (*snapshot.Snapshot, error) {
	leftOut, err := own(&d)
	if err != nil {
		return nil, err
	}
	fresh := d.Holds
	d.Holds = nil
	before, gone := c, ended(c, &d, fresh)
	if len(gone) > 0 {
		d.Remove = append(slices.Clone(d.Remove), refs(gone)...)
	}
	c, err = c.Update(d)
	if err != nil {
		return nil, err
	}
	if len(gone) == 0 && len(fresh) == 0 {
		carry(before, c, d)
	}
	leftOut = append(leftOut, c.LeftOut...)
	c = come(c, before, d.Place)
	if !d.Observed && len(d.Place) > 0 {
		if c, err = Kept(reserving(before, c.Reserved), c, math.MinInt64); err != nil {
			return nil, err
		}
	}
	for _, gang := range slices.SortedFunc(maps.Keys(fresh), muster.CompareNatural) {
		next, left, err := set(c, gang, fresh[gang], d.Observed)
		if err == nil && !d.Observed {
			next, err = Kept(c, next, lowestOf(fresh[gang]))
		}
		if err != nil {
			return nil, err
		}
		c, leftOut = next, append(leftOut, left...)
	}
	c, left, err := setDomains(c, d.DomainHolds, d.Observed)
	if err != nil {
		return nil, err
	}
	c.LeftOut = append(leftOut, left...) // nobody else has it yet
	return c, nil
}

// lowestOf is the priority of what is held for a gang.
func lowestOf(list []cluster.Hold) int64 {
	lowest := int64(math.MaxInt64)
	for i := range list {
		lowest = min(lowest, list[i].Priority)
	}
	return lowest
}

// own refuses names that are called as holds are, or leaves them out of what was seen.
func own(d *cluster.Delta) (leftOut []error, err error) {
	isHeld := func(gang string) bool {
		_, held := For(gang)
		return held
	}
	of := func(ref cluster.MemberRef) bool { return isHeld(ref.Gang) }
	runs := func(r cluster.Running) bool { return isHeld(r.Gang) }
	named := func(gang string, _ int) bool { return isHeld(gang) }
	i := slices.IndexFunc(d.Place, runs)
	switch {
	case i >= 0:
		leftOut = append(leftOut, reserved(d.Place[i].Gang))
	case !slices.ContainsFunc(d.Remove, of) && !slices.ContainsFunc(d.Leaving, of) && !containsKey(d.Minima, isHeld) &&
		!slices.ContainsFunc(d.RemoveGangs, isHeld) && !slices.ContainsFunc(d.LeavingGangs, isHeld):
		return nil, nil
	default:
		leftOut = append(leftOut, reserved(prefix))
	}
	if !d.Observed {
		return nil, leftOut[0]
	}
	d.Place, d.Remove, d.Leaving = slices.DeleteFunc(slices.Clone(d.Place), runs), slices.DeleteFunc(slices.Clone(d.Remove), of), slices.DeleteFunc(slices.Clone(d.Leaving), of)
	d.RemoveGangs, d.LeavingGangs = slices.DeleteFunc(slices.Clone(d.RemoveGangs), isHeld), slices.DeleteFunc(slices.Clone(d.LeavingGangs), isHeld)
	d.Minima = maps.Clone(d.Minima)
	maps.DeleteFunc(d.Minima, named)
	return leftOut, nil
}

func containsKey(m map[string]int, is func(string) bool) bool {
	for key := range m {
		if is(key) {
			return true
		}
	}
	return false
}

// ended lists the holds that a change ends, and those that it replaces.
func ended(c *snapshot.Snapshot, d *cluster.Delta, fresh map[string][]cluster.Hold) (gone []*snapshot.Member) {
	var all []*snapshot.GangMembers
	if each(c, func(_ string, held *snapshot.GangMembers) { all = append(all, held) }); len(all) == 0 {
		return nil
	}
	runs, away, set := map[cluster.MemberRef]bool{}, map[string]bool{}, map[string]*cluster.Node{}
	for i := range d.Place {
		runs[cluster.MemberRef{Gang: d.Place[i].Gang, Member: d.Place[i].Member}] = true
	}
	for _, name := range d.RemoveNodes {
		away[name] = true
	}
	for i := range d.SetNodes {
		set[d.SetNodes[i].Name] = &d.SetNodes[i]
		delete(away, d.SetNodes[i].Name)
	}
	for _, held := range all {
		gang, _ := For(held.Name)
		_, again := fresh[gang]
		for _, m := range held.Members.All() {
			node := c.Lineage.NodeName(m.Node)
			if again || away[node] || runs[cluster.MemberRef{Gang: gang, Member: m.Name}] || !hasZones(set[node], m) {
				gone = append(gone, m)
			}
		}
	}
	return gone
}

// hasZones says whether a node, nil: as it is, has the zones of a hold.
func hasZones(n *cluster.Node, m *snapshot.Member) bool {
	if n == nil || n.NUMA == nil || m.Placed == nil {
		return true
	}
	zones, err := snapshot.NewZoneClass(n.NUMA)
	if err != nil {
		return true // the node is refused
	}
	_, err = zones.Bare.Add(*m.Placed)
	return err == nil
}

// set holds room for a gang that has none. It must be there once those who leave are gone, and takes what is held for others of a lower priority:
// unless it was seen, in which case what cannot be is left out.
func set(c *snapshot.Snapshot, gang string, holds []cluster.Hold, seen bool) (next *snapshot.Snapshot, leftOut []error, err error) {
	var rows []cluster.Running
	for i := range holds {
		h := &holds[i]
		switch {
		case h.Gang != gang:
			leftOut = append(leftOut, &muster.InvalidError{Field: fmt.Sprintf("cluster.Holds[%d].Gang", i), Value: h.Gang, Reason: "is listed for " + gang})
		case c.Member(gang, h.Member) == nil: // else it runs already
			rows = append(rows, running(h))
		}
	}
	left := roomFor(c, holds)
	for i := 0; i < len(rows) && !seen; i++ {
		for left.lacks(&rows[i]) != nil {
			taken, ok := Take(c, rows[i].Priority, c.PresentNode(rows[i].Node, -1))
			if !ok {
				return nil, nil, left.lacks(&rows[i])
			}
			c, left = taken, roomFor(taken, holds)
			for j := range i {
				left.take(&rows[j])
			}
		}
		left.take(&rows[i])
	}
	if len(rows) > 0 {
		if c, err = c.Update(cluster.Delta{Observed: true, Place: rows}); err != nil {
			return nil, nil, err
		}
		for _, err := range c.LeftOut {
			leftOut = append(leftOut, named(err))
		}
	}
	if len(leftOut) > 0 && !seen {
		return nil, nil, leftOut[0]
	}
	return c, leftOut, nil
}

// room is what holds may take: what is free once those who leave are gone, and those who have ended by then, up to the end of the holds.
type room struct {
	c         *snapshot.Snapshot
	from, end int64                       // of the holds; 0: at once, and never
	free      map[string]muster.Resources // by node, of those that were asked for
}

// roomFor is the room of some holds of a gang.
func roomFor(c *snapshot.Snapshot, list []cluster.Hold) room {
	r := room{c: c}
	for i := range list {
		h := &list[i]
		if i == 0 || h.From < r.from {
			r.from = h.From
		}
		if i == 0 || h.End == 0 || r.end != 0 && h.End > r.end {
			r.end = h.End
		}
	}
	return r
}

// on is what is left on a node, nil: it is absent. O(members on it), the first time.
func (r *room) on(node string) muster.Resources {
	free, known := r.free[node]
	if known {
		return free
	}
	if r.free == nil {
		r.free = map[string]muster.Resources{}
	}
	free, ok := r.c.FreeOn(node)
	if ok {
		for m := range snapshot.MembersOn(r.c, r.c.PresentNode(node, -1)) {
			if m.Leaving || r.hasEnded(m) {
				add(free, r.c.Lineage.Held(m.Class.Holds), 1)
			}
		}
	}
	r.free[node] = free
	return free
}

// hasEnded says whether the gang of a member ends before the room is held, or is one for which room is held once that is over.
func (r *room) hasEnded(m *snapshot.Member) bool {
	if r.from == 0 && r.end == 0 {
		return false
	}
	g, _ := r.c.Gangs.Get(&snapshot.GangMembers{Name: m.Class.Gang})
	if _, held := For(g.Name); held && begins(firstOf(g), r.end) {
		return true
	}
	end := ends.Of(g)
	return r.from != 0 && end != 0 && end <= r.from
}

// add adds amounts to those of the resources that are bounded.
func add(free, amounts muster.Resources, sign int64) {
	for name, amount := range amounts {
		if _, bounded := free[name]; bounded {
			free[name] += sign * max(0, amount)
		}
	}
}

// take takes the room of a hold.
func (r *room) take(h *cluster.Running) { add(r.on(h.Node), h.Resources, -1) }

// lacks is the conflict of a hold that has no room; nil if it has, or its node is absent.
func (r *room) lacks(h *cluster.Running) error {
	free := r.on(h.Node)
	for _, name := range h.Resources.Names() {
		if n, bounded := free[name]; bounded && h.Resources[name] > 0 && h.Resources[name] > n {
			gang, _ := For(h.Gang)
			return snapshot.OverCommitted(h.Node, gang, h.Member, name, h.Resources[name]-max(n, 0))
		}
	}
	return nil
}

// named is an error of a hold, which speaks of the gang for whom it is.
func named(err error) error {
	var conflict *cluster.ConflictError
	if errors.As(err, &conflict) {
		own := *conflict
		own.Gang, _ = For(conflict.Gang)
		return &own
	}
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		own := *invalid
		own.Field = strings.Replace(own.Field, "running member "+prefix, "hold ", 1)
		return &own
	}
	return err
}
