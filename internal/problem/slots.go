// How many members fit on a node and below a vertex, and why does a node take none?

package problem

import (
	"slices"
	"strings"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/model"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// boundlessSlots are the slots of a node for members that ask for nothing it bounds, and the most that it can have:
// far above every gang, and the sum over all nodes far below the largest int64.
const boundlessSlots = 1 << 24

// Table has the slots under the rules of the request. O(1) with a known index, else O(nodes * resources). An index
// has no multiples, so that these are counted.
//
// Same answer as order: slots.1, slots.2, faster.
func (k Slots) Table() model.SlotTable {
	if features.KeptIndex.Takes(k.p.Model.Features()) && (!k.p.Model.Limits.CountMembers() || len(k.p.Model.Running) == 0) {
		if ix := k.OwnIndex(); ix != nil {
			return model.SlotTable{Ix: ix, InTree: k.p.Hard()}
		}
	}
	return model.SlotTable{Flat: k.Count()}
}

// besideOthers counts the slots that are left beside the members of a waiting plan, which limits count by themselves: they run.
func (k Slots) besideOthers(o *Outcome) model.SlotTable {
	slots := k.countByNode()
	for _, pos := range o.Positions {
		x := k.p.Model.View.NodeVertex(pos)
		slots[x] = max(0, slots[x]-1) // below 0 where the plan's member waits for what is not free yet
	}
	k.p.Zones().boundFurther(slots, o.Positions, o.Waits)
	k.SumSlots(slots)
	return model.SlotTable{Flat: slots}
}

// OwnIndex is the index for the request, looked up once for each of the two states of leaving members; nil if there
// is none.
func (k Slots) OwnIndex() *index.Index {
	own := &k.p.indexes[Bit(k.p.LeavingGone)]
	if *own == nil {
		if shape := k.index(); shape != nil {
			if shape = k.overlay(shape); shape != nil {
				*own = &shape.Index
				k.p.ZoneState.inexact = k.p.ZoneState.inexact || shape.Inexact
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
	k.SumSlots(slots)
	return slots
}

// countByNode is Count for the nodes alone, before [Slots.SumSlots], which also counts the members that run where these keep others apart.
func (k Slots) countByNode() []int64 {
	n := k.p.Model.View.NumDomains()
	slots := make([]int64, n+int(k.p.Model.View.Nodes))
	count := k.Counter(k.Excluded(), k.LeavingReleased())
	for pos := range k.p.Model.View.Nodes {
		slots[n+int(pos)] = int64(count(k.p.Model.View.Node(pos)))
	}
	if k.p.Hard() {
		lo, end := k.p.Model.View.Kids(k.p.Model.View.Outside)
		clear(slots[lo:end])
	}
	return slots
}

// Counter is a function that counts the slots of a node by id: 0 on excluded ones, with the amounts and zones that
// extra gives back there. Causes of refusal are asked one by one only for nodes with marks, and for requests that
// look at names or labels.
func (k Slots) Counter(excluded map[int32]bool, extra map[int32]Released) func(id int32) int32 {
	takes, zones, most := k.Taking(), k.p.Zones().zoneCounter(), k.p.Model.Limits.OnNode()
	return func(id int32) int32 {
		if excluded[id] || !takes(id) {
			return 0
		}
		g := extra[id]
		room := min(k.Room(id, g.Amounts), most)
		if room > 0 && k.p.Zones().BindsOn(k.p.Snapshot.FlagsOf(id)) {
			room = min(room, zones(id, k.p.Zones().StateOf(id, g)).Slots)
		}
		return int32(room)
	}
}

// Taking is a function that says whether a node, by id, takes units as far as amounts and zones allow. Causes of refusal
// are asked one by one only for nodes with marks, and for requests that look at names or labels.
func (k Slots) Taking() func(id int32) bool {
	plain, others := !k.looks() && k.p.Request.Eligible == nil && !k.p.Model.Limits.AreAlone(), k.others()
	return func(id int32) bool {
		if others != nil && others(id) {
			return false
		}
		return plain && k.p.Snapshot.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || k.Refusal(id) == ""
	}
}

// others is a function that says whether a node is left out as it is meant for others than the members; nil if none is.
func (k Slots) others() func(id int32) bool {
	if k.p.whole == nil {
		return nil
	}
	return othersThan(k.p.Snapshot, k.p.Judges, k.p.Shapes)
}

// Room is the number of units that fit into the free and the extra amounts of a node, whatever else refuses them;
// extra may be negative, nil stands for none. O(resources).
//
// order: slots.1
func (k Slots) Room(id int32, extra []int64) int64 {
	if k.p.Request.Slots != nil {
		return k.hostSlots(id)
	}
	room := int64(boundlessSlots)
	for i := range k.p.Needs {
		free := k.FreeOf(id, k.p.Needs[i], extra)
		if free < k.p.Needs[i].Amount {
			return 0
		}
		room = min(room, free/k.p.Needs[i].Amount)
	}
	return room
}

// hostSlots is how many members a node takes, as the host says.
//
// order: slots.3
func (k Slots) hostSlots(id int32) int64 {
	return min(max(0, int64(k.p.Request.Slots(k.p.Snapshot.Lineage.Names[id]))), boundlessSlots)
}

// FreeOf is the free amount of a resource on a node, with extra amounts by resource; nil: none.
func (k Slots) FreeOf(id int32, n Need, extra []int64) int64 {
	if n.ID < 0 {
		return 0
	}
	free := k.p.Snapshot.Free[n.ID].At(id)
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
	return k.p.Company.KeepsOff(id, k.state())
}

// state says who counts as being there: for an index everybody does.
func (k Slots) state() limits.State {
	switch {
	case k.shared:
		return limits.Everybody
	case k.p.LeavingGone:
		return limits.Staying
	}
	return limits.Others
}

// Broken says whether running members of the gang break one of its limits by themselves, so that no plan keeps it.
func (k Slots) Broken() bool {
	return k.p.Model.Limits.Broken(k.p.Model.View, runningAt(k.p), k.p.Model.Siblings, k.p.Company, k.state()) || k.aloneBroken()
}

// RefusalForGood is the first cause for which a node takes no member, whoever leaves.
//
// order: slots.2
func (k Slots) RefusalForGood(id int32) string {
	n := k.p.Snapshot.Static.At(id)
	name := k.p.Snapshot.Lineage.Names[id]
	switch {
	case n.Flags&snapshot.Cordoned != 0:
		return "cordoned"
	case n.Flags&snapshot.NotReady != 0 || n.Flags&snapshot.Present == 0:
		return "not-ready"
	case n.Flags&snapshot.Tainted != 0 && !k.tolerates(n.Class.Taints):
		return "taint"
	case !k.selects(name, n.Labels):
		return "selector"
	case k.p.Request.Eligible != nil && !k.p.Request.Eligible(name):
		return "eligible"
	case !k.p.Parts.Allowed.Holds(id):
		return "topology"
	case k.p.whole != nil && (meantForOthers(n.Class.Kind, k.p.Judges, k.p.Shapes) || missesPreference(k.p.Snapshot, id, k.p.Judges, k.p.Shapes)):
		return "others" // nobody hears of it: refusals are told over all nodes
	}
	return ""
}

// SuitsInService says whether a node may take members as far as taints, selectors and the host's filter decide: a node that is out of
// service would, once it is back, without the taints that go then.
func (k Slots) SuitsInService(id int32) bool {
	n, name := k.p.Snapshot.Static.At(id), k.p.Snapshot.Lineage.Names[id]
	out := n.Flags&(snapshot.Cordoned|snapshot.NotReady) != 0
	return (n.Flags&snapshot.Tainted == 0 || k.tolerates(n.Class.Taints) || out && k.toleratesLasting(n.Class.Taints)) && k.selects(name, n.Labels) &&
		(k.p.Request.Eligible == nil || k.p.Request.Eligible(name))
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
func (k Slots) KeptOff(id int32) bool { return k.p.Company.KeepsOff(id, k.state()) != "" }

// selects says whether a node may take every member of a unit.
func (k Slots) selects(name string, labels map[string]string) bool {
	return !slices.ContainsFunc(k.p.Shapes, func(s *gang.Shape) bool { return !k.p.Judges.Selects(s, name, labels) })
}

func (k Slots) tolerates(taints []gang.Taint) bool {
	return !slices.ContainsFunc(k.p.Shapes, func(s *gang.Shape) bool { return !k.p.Judges.Tolerates(s, taints) })
}

// Keys are the taints, or the keys of labels, for which a node takes no member, by the cause that [Slots.Refusal] names, each once; none for
// every other cause.
func (k Slots) Keys(id int32, cause string) (keys []string) {
	n := k.p.Snapshot.Static.At(id)
	add := func(key string) {
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, s := range k.p.Shapes {
		switch cause {
		case "taint":
			for i, t := range n.Class.Taints {
				if !k.p.Judges.Tolerates(s, n.Class.Taints[i:i+1]) {
					add(strings.TrimSuffix(t.Key+"="+t.Value, "=") + ":" + string(t.Effect))
				}
			}
		case "selector":
			for key := range k.p.Judges.Misses(s, k.p.Snapshot.Lineage.Names[id], n.Labels) {
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
func (k Slots) Cause(id int32, excluded map[int32]bool, extra map[int32]Released) string {
	if cause := k.RefusalForGood(id); cause != "" {
		return cause
	}
	if excluded[id] {
		return "eligible"
	}
	if cause := k.p.Company.KeepsOff(id, k.state()); cause != "" {
		return cause
	}
	if k.p.Request.Slots != nil && k.hostSlots(id) == 0 {
		return "slots"
	}
	inZones := k.p.Zones().zoneCause(id, extra[id])
	if inZones == numa.CausePolicy {
		return string(inZones)
	}
	for _, n := range k.p.Needs {
		if k.FreeOf(id, n, extra[id].Amounts) < n.Amount {
			return "resource:" + n.Name
		}
	}
	return string(inZones)
}

// CauseForAll is the cause for which a node takes no member of the first role, empty if it takes one of any role.
func CauseForAll(roles []*Problem, cause func(one *Problem) string) string {
	first := cause(roles[0])
	if first == "" || slices.ContainsFunc(roles[1:], func(one *Problem) bool { return cause(one) == "" }) {
		return ""
	}
	return first
}

// Selective says whether more than marks decides whether a node may take members: some look at names or labels, must stay in
// domains of other topologies, or keep off nodes meant for others.
func (k Slots) Selective() bool { return k.p.whole != nil || k.looks() }

// looks says whether any member of a unit looks at names or labels of nodes, or must stay in domains of other topologies.
func (k Slots) looks() bool {
	looks := func(s *gang.Shape) bool { return len(s.Selector) > 0 || len(s.Affinity) > 0 }
	return k.p.Parts.Allowed != nil || slices.ContainsFunc(k.p.Shapes, looks)
}

// Opening returns a function that says whether the node at a position takes members as far as amounts and zones allow.
// refusal is asked for nodes with marks, and for requests that look at names or labels.
func (k Slots) Opening(refusal func(id int32) string) func(pos int32) bool {
	excluded, hard, end := k.Excluded(), k.p.Hard(), k.p.Model.View.FirstPos[k.p.Model.View.Outside]
	plain := !k.Selective() && k.p.Request.Eligible == nil
	return func(pos int32) bool {
		id := k.p.Model.View.Node(pos)
		if excluded[id] || hard && pos >= end {
			return false
		}
		return plain && k.p.Snapshot.FlagsOf(id)&^snapshot.Zoned == snapshot.Present || refusal(id) == ""
	}
}

// Excluded has the nodes, by id, that the request excludes; nil if it excludes none.
func (k Slots) Excluded() map[int32]bool {
	if len(k.p.Request.Exclude) == 0 {
		return nil
	}
	out := make(map[int32]bool, len(k.p.Request.Exclude))
	for _, name := range k.p.Request.Exclude {
		if id, ok := k.p.Snapshot.Lineage.ID(name); ok {
			out[id] = true
		}
	}
	return out
}
