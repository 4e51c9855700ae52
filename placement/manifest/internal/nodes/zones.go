package nodes

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement/manifest/internal/amounts"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// SchedulingPrefix begins the keys of Koordinator about one pod.
const SchedulingPrefix = "scheduling.koordinator.sh/"

// policyLabel is the label of a node with its policy.
const policyLabel = "node.koordinator.sh/numa-topology-policy"

// Spellings of policies and of exclusivity. None is a policy as well: it ends the search for another one.
var (
	koordinatorPolicies = map[string]numa.Policy{
		"None": "", "BestEffort": numa.BestEffort, "Restricted": numa.Restricted, "SingleNUMANode": numa.SingleNUMANode,
	}
	// KubeletPolicies are the spellings of the kubelet.
	KubeletPolicies = map[string]numa.Policy{
		"none": "", "best-effort": numa.BestEffort, "restricted": numa.Restricted, "single-numa-node": numa.SingleNUMANode,
	}
	exclusives = map[string]numa.Exclusive{"Required": numa.Required, "Preferred": numa.Preferred}
)

// ReadWish reads what a member wants of the zones of its node, from the annotations of a pod or a template. The policy is
// that of the first annotation that has one, in the order numa-topology-spec, resource-spec (which mostly is about CPUs
// alone), Volcano's; so is the exclusivity.
func ReadWish(notes object.Field) gang.NUMA {
	var wish gang.NUMA
	if !notes.Present() {
		return wish
	}
	var hasPolicy, hasExclusive bool
	for _, key := range []string{"numa-topology-spec", "resource-spec"} {
		spec := notes.Get(SchedulingPrefix + key)
		if !spec.Present() {
			continue
		}
		spec = spec.JSON().Mapping()
		if policy, ok := object.OneOf(spec.Get("numaTopologyPolicy"), "policy", koordinatorPolicies); ok && !hasPolicy {
			wish.Policy, hasPolicy = policy, true
		}
		if exclusive, ok := object.OneOf(spec.Get("singleNUMANodeExclusive"), "exclusivity", exclusives); ok && !hasExclusive {
			wish.Exclusive, hasExclusive = exclusive, true
		}
	}
	if policy, ok := object.OneOf(notes.Get("volcano.sh/numa-topology-policy"), "policy", KubeletPolicies); ok && !hasPolicy {
		wish.Policy = policy
	}
	return wish
}

// Zones are the zones of nodes, and what members have of them.
type Zones struct {
	amounts amounts.Amounts
	notices *object.Notices
	nodes   *Nodes

	zoned map[string]*nodeZones // by the name of the node
	read  map[*object.Object]*nodeZones

	counting map[string]*cluster.NUMA // zones with what is in use, each once
	placed   map[string]*numa.Placed  // shares of running pods, each once
}

// NewZones has no zones yet; those that are read are given to the nodes.
func NewZones(in amounts.Amounts, notices *object.Notices, to *Nodes) Zones {
	return Zones{amounts: in, notices: notices, nodes: to, zoned: map[string]*nodeZones{}, read: map[*object.Object]*nodeZones{}}
}

// nodeZones are the zones of a node as its object describes them.
type nodeZones struct {
	obj    *object.Object
	policy numa.Policy
	zones  []numa.Zone
	places []object.Field           // of the zones
	lacks  map[int]muster.Resources // what is reported as not available, by zone
}

// ReadZones reads the zones of a node. They are given to the node when all nodes are known.
func (all *Zones) ReadZones(o *object.Object) { all.zoned[o.Name] = all.zonesOf(o) }

// zonesOf reads the zones that an object describes, once.
func (all *Zones) zonesOf(o *object.Object) *nodeZones {
	if z := all.read[o]; z != nil {
		return z
	}
	z := &nodeZones{obj: o, policy: readNodePolicy(o), lacks: map[int]muster.Resources{}}
	for f := range o.Root.Get("zones").All() {
		f = f.Mapping()
		if kind := f.Get("type").Required(); kind != "Node" {
			continue // sockets, cores, or what stands for nothing
		}
		id, ok := zoneID(f.Get("name"))
		if !ok {
			continue
		}
		if _, twice := z.lacks[id]; twice {
			f.Get("name").Fail("duplicate name")
			continue
		}
		zone := numa.Zone{ID: id, Distances: readCosts(f)}
		zone.Allocatable, z.lacks[id] = all.readZoneResources(f)
		z.zones, z.places = append(z.zones, zone), append(z.places, f)
	}
	if _, err := numa.NewZones(z.zones); err != nil && len(o.Errors) == 0 {
		z.note(err)
	}
	all.read[o] = z
	return z
}

// note gives what package numa objects to the fields where it stands. Of a single zone these are distances, by id: names and
// amounts are in order by then.
func (z *nodeZones) note(err error) {
	for _, e := range object.Invalids(err) {
		out := &object.Defect{Line: z.obj.Root.Line, Field: e.Field, Value: e.Value, Reason: e.Reason, Cause: e}
		index, below, _ := strings.Cut(strings.TrimPrefix(e.Field, "zones["), "]")
		if i, err := strconv.Atoi(index); err == nil {
			zone := z.places[i]
			out.Line, out.Field = zone.Line, zone.Path()+".costs"
			out.Value = "node-" + cmp.Or(strings.Trim(strings.TrimPrefix(below, ".Distances"), "[]"), e.Value)
		}
		z.obj.Note(out)
	}
}

// readNodePolicy reads the policy of the node's topology manager: an attribute of newer objects, else the first of a list,
// which knows the scope as well. Members are whole pods here, so the scope makes no difference.
func readNodePolicy(o *object.Object) numa.Policy {
	policy, found := numa.Policy(""), false
	for a := range o.Root.Get("attributes").All() {
		a = a.Mapping()
		if a.Get("name").Text() == "topologyManagerPolicy" {
			if p, ok := object.OneOf(a.Get("value"), "policy", KubeletPolicies, koordinatorPolicies); ok && !found {
				policy, found = p, true
			}
		}
	}
	for f := range o.Root.Get("topologyPolicies").All() {
		name := f.Required()
		p, ok := koordinatorPolicies[strings.TrimSuffix(strings.TrimSuffix(name, "PodLevel"), "ContainerLevel")]
		if !ok && name != "" {
			f.Fail("unknown policy")
		}
		if !found {
			policy, found = p, true
		}
	}
	return policy
}

// zoneID reads the name of a zone, `node-<id>`, with an id of 32 bits as everywhere.
func zoneID(f object.Field) (id int, ok bool) {
	name := f.Required()
	if name == "" {
		return 0, false
	}
	number, ok := strings.CutPrefix(name, "node-")
	parsed, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil || strconv.FormatInt(parsed, 10) != number || parsed < 0 {
		f.Fail("must be node-<id>")
		return 0, false
	}
	return int(parsed), true
}

// readCosts reads the distances of a zone by the names of the zones. Nil: none are given.
func readCosts(zone object.Field) map[int]int64 {
	var distances map[int]int64
	for c := range zone.Get("costs").All() {
		c = c.Mapping()
		id, known := zoneID(c.Get("name"))
		value := c.Get("value")
		n, ok := value.Whole(0)
		if !value.Present() {
			value.Fail("missing")
		}
		if _, twice := distances[id]; known && twice {
			c.Get("name").Fail("duplicate name")
		}
		if !known || !ok {
			continue
		}
		if distances == nil {
			distances = map[int]int64{}
		}
		distances[id] = int64(n)
	}
	return distances
}

// readZoneResources reads what members can have of a zone, and what of it is reported as not available.
func (all *Zones) readZoneResources(zone object.Field) (allocatable, lacks muster.Resources) {
	allocatable, lacks = muster.Resources{}, muster.Resources{}
	for e := range zone.Get("resources").All() {
		e = e.Mapping()
		name := e.Get("name").Required()
		if _, twice := allocatable[name]; twice {
			e.Get("name").Fail("duplicate name")
		}
		has, ok := all.amounts.Amount(e.Get("capacity"), name)
		if f := e.Get("allocatable"); f.Present() {
			has, ok = all.amounts.Amount(f, name)
		} else if !e.Get("capacity").Present() {
			f.Fail("missing")
		}
		if !ok || name == "" {
			continue
		}
		allocatable[name] = has
		if free, given := all.amounts.Amount(e.Get("available"), name); given {
			lacks[name] = max(0, has-free)
		}
	}
	return allocatable, lacks
}

// Place gives nodes their zones and, where no label says otherwise, their policy.
func (all *Zones) Place() {
	for _, name := range object.SortedKeys(all.zoned) {
		if all.nodes.ByName[name] == nil {
			all.notices.Add(all.zoned[name].obj.Title() + " is about a node that is not in the input: it is not used")
		}
	}
	for _, n := range all.nodes.List {
		all.place(n)
	}
}

// place gives a node its zones. One whose zones cannot be read takes nobody.
func (all *Zones) place(n *cluster.Node) {
	zones := cluster.NUMA{}
	if n.NUMA != nil {
		zones = *n.NUMA
	}
	switch z := all.zoned[n.Name]; {
	case z == nil:
	case len(z.obj.Errors) > 0: // nobody knows what of the node is free, or how it may be had
		n.NUMA, n.Cordoned = nil, true
		return
	default:
		if zones.Zones = z.zones; n.NUMA == nil {
			zones.Policy = z.policy
		}
	}
	if n.NUMA = &zones; len(zones.Zones) == 0 && zones.Policy == "" {
		n.NUMA = nil
	}
}

// Held is what pods have of zones, by node and zone.
type Held map[string]map[int]muster.Resources

// Add counts what other pods have, too.
func (h Held) Add(more Held) {
	for node, zones := range more {
		for id, amounts := range zones {
			h.add(node, id, amounts)
		}
	}
}

// closed stands for all of a node, beside its zones.
const closed = -1

// Close notes that nobody knows what is held on a node.
func (h Held) Close(node string) { h.add(node, closed, muster.Resources{"": 1}) }

func (h Held) isClosed(node string) bool { return h[node][closed] != nil }

func (h Held) add(node string, zone int, amounts muster.Resources) {
	if h[node] == nil {
		h[node] = map[int]muster.Resources{}
	}
	if h[node][zone] == nil {
		h[node][zone] = muster.Resources{}
	}
	h[node][zone].Add(amounts)
}

// Status is the annotation of a pod that tells its parts of zones.
const Status = SchedulingPrefix + "resource-status"

// Placed reads which parts of the zones of its node a pod has, which adds to what is held, and under which policy. Nil: none, or
// its node is not in the input, or has no zones.
func (all *Zones) Placed(pod *object.Object, on string, wish numa.Policy, held Held, notices *object.Notices) *numa.Placed {
	status := pod.Annotation(Status)
	node, zoned := all.nodes.ByName[on], all.zoned[on]
	if !status.Present() || node == nil || zoned != nil && len(zoned.obj.Errors) > 0 {
		return nil
	}
	var shares []numa.Share
	var places []object.Field
	for e := range status.JSON().Mapping().Get("numaNodeResources").All() {
		e = e.Mapping()
		zone := e.Get("node")
		id, ok := zone.Whole(0)
		if !zone.Present() {
			zone.Fail("missing")
		}
		share := amounts.Held(e.Get("resources"), all.amounts.Resources(e.Get("resources")))
		if !ok || !slices.ContainsFunc(share.Names(), func(name string) bool { return share[name] > 0 }) {
			continue // a share of nothing
		}
		if slices.ContainsFunc(shares, func(s numa.Share) bool { return s.Zone == id }) {
			zone.Fail("duplicate zone")
		}
		shares, places = append(shares, numa.Share{Zone: id, Resources: share}), append(places, zone)
	}
	switch {
	case len(shares) == 0:
		return nil
	case node.NUMA == nil || len(node.NUMA.Zones) == 0:
		notices.Add(fmt.Sprintf("%s has shares of the zones of node %s, which are not in the input: it counts against totals only",
			pod.Title(), on))
		return nil
	}
	for i, s := range shares {
		if zoned.lacks[s.Zone] == nil {
			places[i].Fail("node " + on + " has no such zone")
			continue
		}
		held.add(on, s.Zone, s.Resources)
	}
	policy, _ := numa.Compatible(wish, node.NUMA.Policy)
	return shared(&all.placed, &numa.Placed{Policy: policy, Shares: shares})
}

// shared returns the first of equal values. Large clusters have few different ones, and whoever gets them sees that from the
// address.
func shared[T any](known *map[string]*T, v *T) *T {
	key := fmt.Sprintf("%#v", *v)
	if first := (*known)[key]; first != nil {
		return first
	}
	if *known == nil || len(*known) > 10_000 { // not to grow for ever, where objects come and go
		*known = map[string]*T{}
	}
	(*known)[key] = v
	return v
}

// Counted are the nodes with what somebody unknown has of their zones, when it is known what pods hold.
func (all *Zones) Counted(held Held) []cluster.Node {
	out := slices.Grow([]cluster.Node(nil), len(all.nodes.List))
	for i, n := range all.nodes.List {
		out = append(out, *n)
		out[i].NUMA = all.counted(&out[i], held[out[i].Name])
		out[i].Cordoned = out[i].Cordoned || held.isClosed(out[i].Name)
	}
	return out
}

// counted are the zones of a node, of which so much is held.
func (all *Zones) counted(n *cluster.Node, held map[int]muster.Resources) *cluster.NUMA {
	if n.NUMA == nil {
		return nil
	}
	zones := *n.NUMA
	for _, zone := range zones.Zones {
		used := muster.Resources{}
		for name, amount := range all.zoned[n.Name].lacks[zone.ID] {
			if rest := amount - held[zone.ID][name]; rest > 0 {
				used[name] = rest
			}
		}
		if len(used) > 0 {
			zones.InUse = append(zones.InUse, numa.Occupied{ID: zone.ID, Used: used})
		}
	}
	return shared(&all.counting, &zones)
}
