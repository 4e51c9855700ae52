package manifest

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
)

const schedulingPrefix = "scheduling.koordinator.sh/"

// policyLabel is the label of a node with its policy.
const policyLabel = "node.koordinator.sh/numa-topology-policy"

// Spellings of policies and of exclusivity. None is a policy as well: it ends the search for another one.
var (
	koordinatorPolicies = map[string]numa.Policy{
		"None": "", "BestEffort": numa.BestEffort, "Restricted": numa.Restricted, "SingleNUMANode": numa.SingleNUMANode,
	}
	kubeletPolicies = map[string]numa.Policy{
		"none": "", "best-effort": numa.BestEffort, "restricted": numa.Restricted, "single-numa-node": numa.SingleNUMANode,
	}
	exclusives = map[string]numa.Exclusive{"Required": numa.Required, "Preferred": numa.Preferred}
)

// readWish reads what a member wants of the zones of its node, from the annotations of a pod or a template. The policy is
// that of the first annotation that has one, in the order numa-topology-spec, resource-spec (which mostly is about CPUs
// alone), Volcano's; so is the exclusivity.
func readWish(notes field) gang.NUMA {
	var wish gang.NUMA
	if !notes.present() {
		return wish
	}
	var hasPolicy, hasExclusive bool
	for _, key := range []string{"numa-topology-spec", "resource-spec"} {
		spec := notes.get(schedulingPrefix + key)
		if !spec.present() {
			continue
		}
		spec = spec.json().object()
		if policy, ok := oneOf(spec.get("numaTopologyPolicy"), "policy", koordinatorPolicies); ok && !hasPolicy {
			wish.Policy, hasPolicy = policy, true
		}
		if exclusive, ok := oneOf(spec.get("singleNUMANodeExclusive"), "exclusivity", exclusives); ok && !hasExclusive {
			wish.Exclusive, hasExclusive = exclusive, true
		}
	}
	if policy, ok := oneOf(notes.get("volcano.sh/numa-topology-policy"), "policy", kubeletPolicies); ok && !hasPolicy {
		wish.Policy = policy
	}
	return wish
}

// zones are the zones of nodes, and what members have of them.
type zones struct {
	amounts amounts
	notices *notices
	nodes   *nodes

	zoned  map[string]*nodeZones   // by the name of the node
	placed map[string]*numa.Placed // shares of running pods, each once
}

// nodeZones are the zones of a node as its object describes them.
type nodeZones struct {
	obj    *object
	policy numa.Policy
	zones  []numa.Zone
	places []field // of the zones
	// lacks is what is reported as not available, by zone; the shares of running pods are taken off as they are read.
	lacks map[int]muster.Resources
}

// readZones reads the zones of a node. They are given to the node when all nodes are known.
func (all *zones) readZones(o *object) {
	z := &nodeZones{obj: o, policy: readNodePolicy(o), lacks: map[int]muster.Resources{}}
	for f := range o.root.get("zones").all() {
		f = f.object()
		if kind := f.get("type").required(); kind != "Node" {
			continue // sockets, cores, or what stands for nothing
		}
		id, ok := zoneID(f.get("name"))
		if !ok {
			continue
		}
		if _, twice := z.lacks[id]; twice {
			f.get("name").fail("duplicate name")
			continue
		}
		zone := numa.Zone{ID: id, Distances: readCosts(f)}
		zone.Allocatable, z.lacks[id] = all.readZoneResources(f)
		z.zones, z.places = append(z.zones, zone), append(z.places, f)
	}
	if _, err := numa.NewZones(z.zones); err != nil && len(o.errors) == 0 {
		z.note(err)
	}
	if all.zoned == nil {
		all.zoned = map[string]*nodeZones{}
	}
	all.zoned[o.name] = z
}

// note gives what package numa objects to the fields where it stands. Of a single zone these are distances, by id: names and
// amounts are in order by then.
func (z *nodeZones) note(err error) {
	for _, e := range invalids(err) {
		out := &Error{Line: z.obj.root.line, Field: e.Field, Value: e.Value, Reason: e.Reason, cause: e}
		index, below, _ := strings.Cut(strings.TrimPrefix(e.Field, "zones["), "]")
		if i, err := strconv.Atoi(index); err == nil {
			zone := z.places[i]
			out.Line, out.Field = zone.line, zone.path()+".costs"
			out.Value = "node-" + cmp.Or(strings.Trim(strings.TrimPrefix(below, ".Distances"), "[]"), e.Value)
		}
		z.obj.note(out)
	}
}

// readNodePolicy reads the policy of the node's topology manager: an attribute of newer objects, else the first of a list,
// which knows the scope as well. Members are whole pods here, so the scope makes no difference.
func readNodePolicy(o *object) numa.Policy {
	policy, found := numa.Policy(""), false
	for a := range o.root.get("attributes").all() {
		a = a.object()
		if a.get("name").str() == "topologyManagerPolicy" {
			if p, ok := oneOf(a.get("value"), "policy", kubeletPolicies, koordinatorPolicies); ok && !found {
				policy, found = p, true
			}
		}
	}
	for f := range o.root.get("topologyPolicies").all() {
		name := f.required()
		p, ok := koordinatorPolicies[strings.TrimSuffix(strings.TrimSuffix(name, "PodLevel"), "ContainerLevel")]
		if !ok && name != "" {
			f.fail("unknown policy")
		}
		if !found {
			policy, found = p, true
		}
	}
	return policy
}

// zoneID reads the name of a zone, `node-<id>`, with an id of 32 bits as everywhere.
func zoneID(f field) (id int, ok bool) {
	name := f.required()
	if name == "" {
		return 0, false
	}
	number, ok := strings.CutPrefix(name, "node-")
	parsed, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil || strconv.FormatInt(parsed, 10) != number || parsed < 0 {
		f.fail("must be node-<id>")
		return 0, false
	}
	return int(parsed), true
}

// readCosts reads the distances of a zone by the names of the zones. Nil: none are given.
func readCosts(zone field) map[int]int64 {
	var distances map[int]int64
	for c := range zone.get("costs").all() {
		c = c.object()
		id, known := zoneID(c.get("name"))
		value := c.get("value")
		n, ok := value.whole(0)
		if !value.present() {
			value.fail("missing")
		}
		if _, twice := distances[id]; known && twice {
			c.get("name").fail("duplicate name")
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
func (all *zones) readZoneResources(zone field) (allocatable, lacks muster.Resources) {
	allocatable, lacks = muster.Resources{}, muster.Resources{}
	for e := range zone.get("resources").all() {
		e = e.object()
		name := e.get("name").required()
		if _, twice := allocatable[name]; twice {
			e.get("name").fail("duplicate name")
		}
		has, ok := all.amounts.amount(e.get("capacity"), name)
		if f := e.get("allocatable"); f.present() {
			has, ok = all.amounts.amount(f, name)
		} else if !e.get("capacity").present() {
			f.fail("missing")
		}
		if !ok || name == "" {
			continue
		}
		allocatable[name] = has
		if free, given := all.amounts.amount(e.get("available"), name); given {
			lacks[name] = max(0, has-free)
		}
	}
	return allocatable, lacks
}

// placeZones gives nodes their zones and, where no label says otherwise, their policy.
func (all *zones) placeZones() {
	for _, name := range sortedKeys(all.zoned) {
		z, n := all.zoned[name], all.nodes.byName[name]
		if n == nil {
			all.notices.add(z.obj.title() + " is about a node that is not in the input: it is not used")
			continue
		}
		if n.NUMA == nil {
			n.NUMA = &cluster.NUMA{Policy: z.policy}
		}
		n.NUMA.Zones = z.zones
	}
	for i := range all.nodes.list {
		if n := &all.nodes.list[i]; n.NUMA != nil && len(n.NUMA.Zones) == 0 && n.NUMA.Policy == "" {
			n.NUMA = nil
		}
	}
}

// readPlaced reads which parts of the zones of its node a pod has, and under which policy. Nil: none, or its node is not
// in the input, or has no zones.
func (all *zones) readPlaced(m *member) *numa.Placed {
	status := m.obj.annotation(schedulingPrefix + "resource-status")
	node, zoned := all.nodes.byName[m.node], all.zoned[m.node]
	if !status.present() || node == nil || zoned != nil && len(zoned.obj.errors) > 0 {
		return nil
	}
	var shares []numa.Share
	var places []field
	for e := range status.json().object().get("numaNodeResources").all() {
		e = e.object()
		zone := e.get("node")
		id, ok := zone.whole(0)
		if !zone.present() {
			zone.fail("missing")
		}
		amounts := all.amounts.resources(e.get("resources"))
		if !ok || !slices.ContainsFunc(amounts.Names(), func(name string) bool { return amounts[name] > 0 }) {
			continue // a share of nothing
		}
		if slices.ContainsFunc(shares, func(s numa.Share) bool { return s.Zone == id }) {
			zone.fail("duplicate zone")
		}
		shares, places = append(shares, numa.Share{Zone: id, Resources: amounts}), append(places, zone)
	}
	switch {
	case len(shares) == 0:
		return nil
	case node.NUMA == nil || len(node.NUMA.Zones) == 0:
		all.notices.add(fmt.Sprintf("%s has shares of the zones of node %s, which are not in the input: it counts against totals only",
			m.obj.title(), m.node))
		return nil
	}
	for i, s := range shares {
		if zoned.lacks[s.Zone] == nil {
			places[i].fail("node " + m.node + " has no such zone")
			continue
		}
		for name, n := range s.Resources {
			zoned.lacks[s.Zone][name] = max(0, zoned.lacks[s.Zone][name]-n)
		}
	}
	policy, _ := numa.Compatible(m.spec.shape.NUMA.Policy, node.NUMA.Policy)
	return shared(&all.placed, &numa.Placed{Policy: policy, Shares: shares})
}

// shared returns the first of equal values. Large clusters have few different ones, and whoever gets them sees that from the
// address.
func shared[T any](known *map[string]*T, v *T) *T {
	key := fmt.Sprintf("%#v", *v)
	if first := (*known)[key]; first != nil {
		return first
	}
	if *known == nil {
		*known = map[string]*T{}
	}
	(*known)[key] = v
	return v
}

// countUnknown finds what is in use by somebody unknown, when all running pods are known.
func (all *zones) countUnknown() {
	var known map[string]*cluster.NUMA
	for i := range all.nodes.list {
		n := &all.nodes.list[i]
		if n.NUMA == nil {
			continue
		}
		for _, zone := range n.NUMA.Zones {
			used := muster.Resources{}
			for name, amount := range all.zoned[n.Name].lacks[zone.ID] {
				if amount > 0 {
					used[name] = amount
				}
			}
			if len(used) > 0 {
				n.NUMA.InUse = append(n.NUMA.InUse, numa.Occupied{ID: zone.ID, Used: used})
			}
		}
		n.NUMA = shared(&known, n.NUMA)
	}
}
