// How many members fit on a node and below a vertex, and why does a node take none?

package room

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// boundlessSlots are the slots of a node for members that ask for nothing it bounds, and the most that it can have:
// far above every gang, and the sum over all nodes far below the largest int64.
const boundlessSlots = 1 << 24

// table has the slots under the rules of the request. O(1) with a known index, else O(nodes * resources). An index
// has no multiples, so that these are counted.
//
// Same answer as order: slots.1, slots.2, faster.
func (k Slots) table() model.SlotTable {
	inside := k.r.Inside
	if features.KeptIndex.Takes(k.r.Model.Features()) && (!k.r.Model.Limits.CountMembers() || k.r.Model.Running.Len() == 0) &&
		(inside == layout.Root || k.keepsInside()) {
		if ix := k.OwnIndex(); ix != nil {
			if inside == layout.Root && k.r.Model.Hard {
				inside = -1 // in the tree
			}
			return model.SlotTable{Ix: ix, Inside: inside}
		}
	}
	return model.SlotTable{Flat: k.Count()}
}

// keepsInside says whether the index of all nodes serves a request that must stay in one domain: nobody of the gang runs elsewhere, and no
// limit binds the domains around.
func (k Slots) keepsInside() bool {
	return k.r.Model.Running.Len() == 0 && k.r.Model.Limits == nil
}

// tableBeside has the slots that are left beside the members of a waiting plan, which limits count by themselves: they run. They are at
// positions, and wait for leaving members. O(nodes * resources).
func (k Slots) tableBeside(positions []int32, waits []*snapshot.Member) model.SlotTable {
	slots := k.countByNode()
	for _, pos := range positions {
		x := k.r.Model.View.NodeVertex(pos)
		slots[x] = max(0, slots[x]-1) // below 0 where the plan's member waits for what is not free yet
	}
	k.r.Zones().boundFurther(slots, positions, waits)
	k.sumSlots(slots)
	return model.SlotTable{Flat: slots}
}

// OwnIndex is the index for the request, looked up once for each of the two states of leaving members; nil if there
// is none. It counts nodes outside the domain too in which the request must stay.
func (k Slots) OwnIndex() *index.Index {
	own := &k.r.indexes[Bit(k.r.LeavingGone)]
	if *own == nil {
		if shape := k.index(); shape != nil {
			if shape = k.overlay(shape); shape != nil {
				*own, k.r.mixed[Bit(k.r.LeavingGone)] = &shape.Index, shape.Spoils.Mixed
				k.r.ZoneState.inexact = k.r.ZoneState.inexact || shape.Inexact
			}
		}
	}
	return *own
}

// Count returns the slots of every vertex, in multiples if the gang has them. The slice is the caller's.
// O(nodes * resources).
//
// order: slots.2
func (k Slots) Count() []int64 {
	slots := k.countByNode()
	k.sumSlots(slots)
	return slots
}

// countByNode is Count for the nodes alone, before [Slots.sumSlots], which also counts the members that run where these keep others apart.
func (k Slots) countByNode() []int64 {
	n := k.r.Model.View.NumDomains()
	slots := make([]int64, n+int(k.r.Model.View.Nodes))
	count := k.Counter(k.Excluded(), k.LeavingReleased())
	for pos := range k.r.Model.View.Nodes {
		slots[n+int(pos)] = int64(count(k.r.Model.View.Node(pos)))
	}
	if k.r.Model.Hard {
		lo, end := k.r.Model.View.Kids(k.r.Model.View.Outside)
		clear(slots[lo:end])
	}
	return slots
}

// Counter is a function that counts the slots of a node by id: 0 on excluded ones, with the amounts and zones that
// extra gives back there. Causes of refusal are asked one by one only for nodes with marks, and for requests that
// look at names or labels.
func (k Slots) Counter(excluded Excluded, extra map[int32]Released) func(id int32) int32 {
	takes, zones, most := k.Taking(), k.r.Zones().zoneCounter(), k.r.Model.Limits.OnNode()
	return func(id int32) int32 {
		if excluded.Has(id) || !takes(id) {
			return 0
		}
		g := extra[id]
		room := min(k.Room(id, g.Amounts), most)
		if room > 0 && k.r.Zones().BindsOn(k.r.Snapshot.FlagsOf(id)) {
			room = min(room, zones(id, k.r.Zones().StateOf(id, g)).Slots)
		}
		return int32(room)
	}
}

// Taking is a function that says whether a node, by id, takes units as far as amounts and zones allow. Causes of refusal
// are asked one by one only for nodes with marks, and for requests that look at names or labels.
func (k Slots) Taking() func(id int32) bool {
	plain, others := !k.looks() && k.r.Request.Eligible == nil && !k.r.Model.Limits.AreAlone(), k.others()
	return func(id int32) bool {
		if others != nil && others(id) {
			return false
		}
		return plain && k.r.Snapshot.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || k.Refusal(id) == ""
	}
}

// others is a function that says whether a node is left out as it is meant for others than the members; nil if none is.
func (k Slots) others() func(id int32) bool {
	if !k.r.Spared {
		return nil
	}
	return othersThan(k.r.Snapshot, k.r.Judges, k.r.Shapes)
}

// Room is the number of units that fit into the free and the extra amounts of a node, whatever else refuses them;
// extra may be negative, nil stands for none. O(resources).
//
// order: slots.1
func (k Slots) Room(id int32, extra []int64) int64 {
	if k.r.Request.Slots != nil {
		return k.hostSlots(id)
	}
	room := int64(boundlessSlots)
	for i := range k.r.Needs {
		free := k.FreeOf(id, k.r.Needs[i], extra)
		if free < k.r.Needs[i].Amount {
			return 0
		}
		room = min(room, free/k.r.Needs[i].Amount)
	}
	return room
}

// hostSlots is how many members a node takes, as the host says.
//
// order: slots.3
func (k Slots) hostSlots(id int32) int64 {
	return min(max(0, int64(k.r.Request.Slots(k.r.Snapshot.Lineage.Names[id]))), boundlessSlots)
}

// FreeOf is the free amount of a resource on a node, with extra amounts by resource; nil: none.
func (k Slots) FreeOf(id int32, n Need, extra []int64) int64 {
	if n.ID < 0 {
		return 0
	}
	free := k.r.Snapshot.Free[n.ID].At(id)
	if extra == nil || free == snapshot.Boundless {
		return free
	}
	return free + extra[n.ID]
}

// Refusal is the first cause, apart from resources, for which a node takes no member: cordoned, not-ready, taint,
// selector, eligible, closed, occupied; empty if none. An absent node is not-ready.
func (k Slots) Refusal(id int32) string {
	if cause := k.RefusalForGood(id); cause != "" {
		return cause
	}
	return k.r.Company.KeepsOff(id, k.State())
}

// State says who counts as being there: for an index everybody does.
func (k Slots) State() limits.State {
	switch {
	case k.shared:
		return limits.Everybody
	case k.r.LeavingGone:
		return limits.Staying
	}
	return limits.Others
}

// RefusalForGood is the first cause for which a node takes no member, whoever leaves.
//
// order: slots.2
func (k Slots) RefusalForGood(id int32) string {
	flags, class, name := k.r.Snapshot.FlagsOf(id), k.r.Snapshot.Static.ClassOf(id), k.r.Snapshot.Lineage.Names[id]
	switch {
	case flags&snapshot.Cordoned != 0:
		return "cordoned"
	case flags&snapshot.NotReady != 0 || flags&snapshot.Present == 0:
		return "not-ready"
	case flags&snapshot.Tainted != 0 && !k.tolerates(class.Taints):
		return "taint"
	case !k.selects(name, k.r.Snapshot.LabelsOf(id)):
		return "selector"
	case k.r.Request.Eligible != nil && !k.r.Request.Eligible(name):
		return "eligible"
	case !k.r.Allowed.Holds(id):
		return "topology"
	case k.r.Spared && (meantForOthers(class.Kind, k.r.Judges, k.r.Shapes) || missesPreference(k.r.Snapshot, id, k.r.Judges, k.r.Shapes)):
		return "others" // nobody hears of it: refusals are told over all nodes
	}
	return ""
}

// SuitsInService says whether a node may take members as far as taints, selectors and the host's filter decide: a node that is out of
// service would, once it is back, without the taints that go then.
func (k Slots) SuitsInService(id int32) bool {
	flags, class, name := k.r.Snapshot.FlagsOf(id), k.r.Snapshot.Static.ClassOf(id), k.r.Snapshot.Lineage.Names[id]
	out := flags&(snapshot.Cordoned|snapshot.NotReady) != 0
	return (flags&snapshot.Tainted == 0 || k.tolerates(class.Taints) || out && k.toleratesLasting(class.Taints)) && k.selects(name, k.r.Snapshot.LabelsOf(id)) &&
		(k.r.Request.Eligible == nil || k.r.Request.Eligible(name))
}

// toleratesLasting is tolerates without the taints that a node loses when it returns to service.
func (k Slots) toleratesLasting(taints []gang.Taint) bool {
	for i, t := range taints {
		if !cluster.EndsWithOutage(t) && !k.tolerates(taints[i:i+1]) {
			return false
		}
	}
	return true
}

// ServesAgain says whether a node that is out of service would take members once it is back: nobody near it keeps them off.
func (k Slots) ServesAgain(id int32) bool { return k.SuitsInService(id) && !k.KeptOff(id) }

// KeptOff says whether somebody near a node keeps members off.
func (k Slots) KeptOff(id int32) bool { return k.r.Company.KeepsOff(id, k.State()) != "" }

// selects says whether a node may take every member of a unit.
func (k Slots) selects(name string, labels map[string]string) bool {
	return !slices.ContainsFunc(k.r.Shapes, func(s *gang.Shape) bool { return !k.r.Judges.Selects(s, name, labels) })
}

func (k Slots) tolerates(taints []gang.Taint) bool {
	return !slices.ContainsFunc(k.r.Shapes, func(s *gang.Shape) bool { return !k.r.Judges.Tolerates(s, taints) })
}

// Keys are the taints, or the keys of labels, for which a node takes no member, by the cause that [Slots.Refusal] names, each once; none for
// every other cause.
func (k Slots) Keys(id int32, cause string) (keys []string) {
	taints := k.r.Snapshot.Static.ClassOf(id).Taints
	add := func(key string) {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, s := range k.r.Shapes {
		switch cause {
		case "taint":
			for i, t := range taints {
				if !k.r.Judges.Tolerates(s, taints[i:i+1]) {
					add(strings.TrimSuffix(t.Key+"="+t.Value, "=") + ":" + string(t.Effect))
				}
			}
		case "selector":
			for key := range k.r.Judges.Misses(s, k.r.Snapshot.Lineage.Names[id], k.r.Snapshot.LabelsOf(id)) {
				add(key)
			}
		}
	}
	return keys
}

// Which is the first of [Slots.Keys], empty if there is none.
func (k Slots) Which(id int32, cause string) string {
	if keys := k.Keys(id, cause); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// Cause is the first cause for which a node takes no further member, resources and zones included; empty if it takes
// one.
//
// order: refusals.5
func (k Slots) Cause(id int32, excluded Excluded, extra map[int32]Released) string {
	if cause := k.RefusalForGood(id); cause != "" {
		return cause
	}
	if excluded.Has(id) {
		return "eligible"
	}
	if cause := k.r.Company.KeepsOff(id, k.State()); cause != "" {
		return cause
	}
	if k.r.Request.Slots != nil && k.hostSlots(id) == 0 {
		return "slots"
	}
	inZones := k.r.Zones().zoneCause(id, extra[id])
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	for _, n := range k.r.Needs {
		if k.FreeOf(id, n, extra[id].Amounts) < n.Amount {
			return "resource:" + n.Name
		}
	}
	return string(inZones)
}

// Selective says whether more than marks decides whether a node may take members: some look at names or labels, must stay in
// domains of other topologies, or keep off nodes meant for others.
func (k Slots) Selective() bool { return k.r.Spared || k.looks() }

// looks says whether any member of a unit looks at names or labels of nodes, or must stay in domains of other topologies.
func (k Slots) looks() bool {
	looks := func(s *gang.Shape) bool { return len(s.Selector) > 0 || len(s.Affinity) > 0 }
	return k.r.Allowed != nil || slices.ContainsFunc(k.r.Shapes, looks)
}

// Opening returns a function that says whether the node at a position takes members as far as amounts and zones allow.
// refusal is asked for nodes with marks, and for requests that look at names or labels.
func (k Slots) Opening(refusal func(id int32) string) func(pos int32) bool {
	excluded, hard, end := k.Excluded(), k.r.Model.Hard, k.r.Model.View.FirstPos[k.r.Model.View.Outside]
	plain := !k.Selective() && k.r.Request.Eligible == nil
	return func(pos int32) bool {
		id := k.r.Model.View.Node(pos)
		if excluded.Has(id) || hard && pos >= end {
			return false
		}
		return plain && k.r.Snapshot.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || refusal(id) == ""
	}
}

// Excluded are the nodes that a request excludes: those that it names, and those that are not in the domain that it asks for. The zero value
// has none.
type Excluded struct {
	named  map[int32]bool
	inside *Interval // nil: anywhere
}

// Has says whether a node, by id, is excluded.
func (e Excluded) Has(id int32) bool {
	return e.inside != nil && !e.inside.holds(id) || len(e.named) > 0 && e.named[id]
}

// any says whether some node may be excluded.
func (e Excluded) any() bool { return e.inside != nil || len(e.named) > 0 }

// Excluded are the nodes that the request excludes. O(nodes that it names).
//
// order: slots.2
func (k Slots) Excluded() (out Excluded) {
	if x, v := k.r.Inside, k.r.Model.View; x != layout.Root {
		out.inside = &Interval{View: v, First: v.First(x), End: v.EndOf(x)}
	}
	if len(k.r.Request.Exclude) == 0 {
		return out
	}
	out.named = make(map[int32]bool, len(k.r.Request.Exclude))
	for _, name := range k.r.Request.Exclude {
		if id, ok := k.r.Snapshot.Lineage.ID(name); ok {
			out.named[id] = true
		}
	}
	return out
}
