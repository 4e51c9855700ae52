package numa

import (
	"errors"
	"math"
	"slices"

	"github.com/muster-sched/muster"
)

// Unbounded is the number of slots where nothing bounds it.
const Unbounded int64 = math.MaxInt64

// Need is a member prepared for nodes with the same zones and policy: what depends on neither use nor flags is worked
// out once. The value is immutable and safe for concurrent use. A nil Need and the zero one fit nowhere.
type Need struct {
	zones     *Zones
	policy    Policy // effective
	preferred bool
	cause     Cause // why no node with these zones takes the member, whatever is free

	all []asked // every resource of a positive amount, in natural order

	// Of the zoned resources among them:
	columns     []int
	amounts     []int64
	allocatable []int64 // by resource, then zone, in whole pieces
	uniform     bool    // the zones are equally large
	width       int     // w*, for Restricted

	cpu   int // which of the columns is CPU; -1: none
	piece int64
}

// nowhere stands for a nil need and the zero one.
var nowhere = &Need{zones: &noZones, cause: CauseCapacity, piece: 1, cpu: -1}

func (q *Need) orNowhere() *Need {
	if q == nil || q.zones == nil {
		return nowhere
	}
	return q
}

// asked is an amount of a resource.
type asked struct {
	name   string
	amount int64
}

// Need prepares a member for nodes with these zones and this policy of their own. All defects are reported, joined,
// each an [muster.InvalidError]: an unknown policy, exclusivity or granularity, a negative amount, threads out of range.
// The argument is not kept. O(n k + k log k); for Restricted, O(2^n k) in the worst case.
func (t *Zones) Need(member Member, node Policy) (*Need, error) {
	if err := member.validate(node); err != nil {
		return nil, err
	}
	t = t.orEmpty()
	q := &Need{zones: t, preferred: member.Exclusive == Preferred, piece: 1, cpu: -1}
	switch member.CPUs {
	case WholeCPUs:
		q.piece = 1000
	case WholeCores:
		q.piece = 1000 * int64(max(1, member.ThreadsPerCore))
	}
	for _, name := range member.Resources.Names() {
		amount := member.Resources[name]
		if amount == 0 {
			continue
		}
		q.all = append(q.all, asked{name, amount})
		if column := slices.Index(t.names, name); column >= 0 {
			if name == muster.CPU {
				q.cpu = len(q.columns)
			}
			q.columns, q.amounts = append(q.columns, column), append(q.amounts, amount)
		}
	}
	policy, ok := Compatible(member.Policy, node)
	switch {
	case !ok:
		q.cause = CausePolicy
	case policy != "" && len(t.ids) == 0:
		q.cause = CauseCapacity
	}
	q.policy = policy
	q.capacity()
	return q, nil
}

func (m *Member) validate(node Policy) error {
	var d defects
	d.resources("member.Resources", m.Resources)
	if !m.Policy.Known() {
		d.add("member.Policy", m.Policy, "unknown policy")
	}
	if !node.Known() {
		d.add("policy", node, "unknown policy")
	}
	if !m.Exclusive.Known() {
		d.add("member.Exclusive", m.Exclusive, "unknown exclusivity")
	}
	if !m.CPUs.Known() {
		d.add("member.CPUs", m.CPUs, "unknown granularity")
	}
	if m.ThreadsPerCore < 0 || m.ThreadsPerCore > MaxThreads {
		d.add("member.ThreadsPerCore", m.ThreadsPerCore, "out of range")
	}
	return errors.Join(d...)
}

// capacity keeps what the zones have of the zoned resources, and from it w*.
func (q *Need) capacity() {
	n := len(q.zones.ids)
	q.uniform = true
	for r, column := range q.columns {
		first := len(q.allocatable)
		for _, amount := range q.zones.allocatable[column*n : column*n+n] {
			q.allocatable = append(q.allocatable, q.whole(r, amount))
			q.uniform = q.uniform && q.allocatable[first] == q.allocatable[len(q.allocatable)-1]
		}
	}
	if q.policy != Restricted || !q.Zoned() {
		return
	}
	s := search{need: q, free: q.allocatable, any: true}
	for w := s.least(full(n)); w <= n && !s.found; w++ {
		q.width = w
		s.width(w, full(n))
	}
	if !s.found {
		q.width, q.cause = 0, CauseCapacity
	}
}

// whole is what of an amount consists of whole pieces.
func (q *Need) whole(resource int, amount int64) int64 {
	if resource == q.cpu && q.piece > 1 {
		return amount - amount%q.piece
	}
	return amount
}

// Zoned says whether the member is placed on zones at all: a policy applies, and something that it asks for is reported
// by a zone.
func (q *Need) Zoned() bool { return q != nil && q.cause == "" && q.policy != "" && len(q.columns) > 0 }

// Policy is the effective policy; empty where none applies, or where two differ.
func (q *Need) Policy() Policy {
	if q == nil || q.cause == CausePolicy {
		return ""
	}
	return q.policy
}

// Width is w*: how many zones a Restricted member takes. 0 under other policies, and where no set of zones is large
// enough.
func (q *Need) Width() int { return q.orNowhere().width }

// freeOf is what is free on the node of the zoned resources, by resource, then zone, in whole pieces. It fills `room`
// unless the node keeps it as it is needed.
func (q *Need) freeOf(node *Occupancy, room []int64) []int64 {
	n, k := len(q.zones.ids), len(q.columns)
	if (q.cpu < 0 || q.piece == 1) && q.columns[k-1] == k-1 { // the first k columns
		return node.free[:n*k]
	}
	if n*k > len(room) {
		room = make([]int64, n*k)
	}
	for r, column := range q.columns {
		to := room[r*n : r*n+n]
		copy(to, node.free[column*n:])
		if r == q.cpu && q.piece > 1 {
			for z := range to {
				to[z] -= to[z] % q.piece
			}
		}
	}
	return room[:n*k]
}

// withinTotals is how many members the totals of the node take.
func (q *Need) withinTotals(node *Occupancy) int64 {
	least := Unbounded
	if node.totals == nil {
		return least
	}
	for _, a := range q.all {
		if free, ok := node.totals[a.name]; ok {
			least = min(least, max(0, free)/a.amount)
		}
	}
	return least
}

// open is the zones that a clean mask of this width may have. Exclusivity parts members of one zone by policy from those
// that span zones; a mask of one zone under another policy is neither.
func (q *Need) open(node *Occupancy, width int) Mask { return q.apartFrom(node.hosts, width) }

// allowed is the zones that any mask of this width may have: all but those where others are kept out.
func (q *Need) allowed(node *Occupancy, width int) Mask {
	if q.preferred {
		return q.apartFrom(node.keeps, width)
	}
	return q.open(node, width)
}

// every is all zones, whoever has shares of them.
func (q *Need) every(*Occupancy, int) Mask { return full(len(q.zones.ids)) }

func (q *Need) apartFrom(others marks, width int) Mask {
	switch {
	case width > 1:
		return full(len(q.zones.ids)) &^ others.single
	case q.policy == SingleNUMANode:
		return full(len(q.zones.ids)) &^ others.spanning
	}
	return full(len(q.zones.ids))
}
