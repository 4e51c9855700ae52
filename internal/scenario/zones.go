package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
)

// Between zones of a cell, and before the members that are on the node and in no zone.
const (
	border = '|'
	beside = '+'
)

// somebody holds the slots of a zone of which nothing else is known; vacated are the slots that victims leave free.
var (
	somebody = cluster.MemberRef{Gang: string(unknown)}
	vacated  = cluster.MemberRef{Gang: "-"}
)

// ends are the places in a cell where its zones end. A cell without a border has no zones.
type ends []int

// readZones takes the borders out of a cell. One behind the last zone changes nothing, so that a node can have a single
// zone.
func readZones(cell string) (bare string, zones ends) {
	inZones, others, _ := strings.Cut(cell, string(beside))
	if !strings.ContainsRune(inZones, border) {
		return cell, nil
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(inZones, string(border)), string(border)) {
		bare += part
		zones = append(zones, len(bare))
	}
	return bare + others, zones
}

// in cuts the slots of a node into its zones.
func (z ends) in(slots []cluster.MemberRef) [][]cluster.MemberRef {
	var out [][]cluster.MemberRef
	from := 0
	for _, end := range z {
		out = append(out, slots[from:end])
		from = end
	}
	return out
}

// describe gives a node the devices of its zones, and what somebody unknown has of them.
func (z ends) describe(n *cluster.Node, slots []cluster.MemberRef) {
	n.NUMA = &cluster.NUMA{}
	n.Allocatable[device] = int64(z[len(z)-1])
	for id, zone := range z.in(slots) {
		n.NUMA.Zones = append(n.NUMA.Zones, numa.Zone{ID: id, Allocatable: muster.Resources{device: int64(len(zone))}})
		if used := count(zone, somebody); used > 0 {
			n.NUMA.InUse = append(n.NUMA.InUse, numa.Occupied{ID: id, Used: muster.Resources{device: used}})
		}
	}
}

func count(slots []cluster.MemberRef, ref cluster.MemberRef) (n int64) {
	for _, r := range slots {
		if r == ref {
			n++
		}
	}
	return n
}

// shares is what a member has of the zones as drawn, nil if it is in none.
func (z ends) shares(slots []cluster.MemberRef, ref cluster.MemberRef, policy numa.Policy) *numa.Placed {
	p := &numa.Placed{Policy: policy}
	for id, zone := range z.in(slots) {
		if n := count(zone, ref); n > 0 {
			p.Shares = append(p.Shares, numa.Share{Zone: id, Resources: muster.Resources{device: n}})
		}
	}
	if len(p.Shares) == 0 {
		return nil
	}
	return p
}

// put draws a member on a node: in the slots of its zones, or of the node where it has no zones; beside the zones where it
// has no share of them. It returns the slots of the node.
func (z ends) put(slots []cluster.MemberRef, p *numa.Placed, n int64, ref cluster.MemberRef, gone map[cluster.MemberRef]bool) []cluster.MemberRef {
	switch {
	case z == nil:
		fill(slots, n, ref, gone)
	case p == nil:
		return append(slots, slices.Repeat([]cluster.MemberRef{ref}, int(n))...)
	default:
		zones := z.in(slots)
		for _, s := range p.Shares {
			fill(zones[s.Zone], s.Resources[device], ref, gone)
		}
	}
	return slots
}

// draw puts the borders into a cell.
func (z ends) draw(cell string) string {
	if z == nil {
		return cell
	}
	last := z[len(z)-1]
	others := cell[last:]
	text, from := "", 0
	for i, end := range z {
		if text += cell[from:end]; i == 0 || i < len(z)-1 {
			text += string(border)
		}
		from = end
	}
	if others != "" {
		text += string(beside) + others
	}
	return text
}

// zonesOf reads what a `node` directive says of a node's zones: `numa=Restricted`, CPUs by zone in milli-CPU such as
// `cpu=4000,3500`, distances by zone and other zone such as `distances=10/21,21/10`.
func zonesOf(w *words, n *cluster.Node) error {
	zones := cluster.NUMA{}
	if n.NUMA != nil {
		zones = cluster.NUMA{Zones: slices.Clone(n.NUMA.Zones), Policy: n.NUMA.Policy, InUse: n.NUMA.InUse}
	}
	cpus, rows := w.numbers("cpu"), w.list("distances")
	if len(cpus) > len(zones.Zones) || len(rows) > len(zones.Zones) {
		return fmt.Errorf("%s has %d zones", n.Name, len(zones.Zones))
	}
	for i, cpu := range cpus {
		z := &zones.Zones[i]
		z.Allocatable = muster.Resources{device: z.Allocatable[device], muster.CPU: int64(cpu)}
		n.Allocatable[muster.CPU] += int64(cpu)
	}
	for i, row := range rows {
		zones.Zones[i].Distances = map[int]int64{}
		for to, text := range strings.Split(row, "/") {
			distance, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			zones.Zones[i].Distances[to] = distance
		}
	}
	if policy := w.text("numa"); policy != "" {
		zones.Policy = numa.Policy(policy)
	}
	n.Allocatable[device] = int64(w.number("total", int(n.Allocatable[device])))
	if len(zones.Zones) > 0 || zones.Policy != "" {
		n.NUMA = &zones
	}
	return nil
}

// numaOf reads what a `plan` directive says of zones.
func numaOf(w *words) gang.NUMA {
	return gang.NUMA{
		Policy: numa.Policy(w.text("numa")), Exclusive: numa.Exclusive(w.text("exclusive")),
		CPUs: numa.Granularity(w.text("whole")), ThreadsPerCore: w.number("threads", 0),
	}
}
