// What do quotas divide, and what is in use? Changes are summed up while a snapshot is made, and told once.

package snapshot

import (
	"errors"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// bigSum is a sum of amounts in 128 bits, by two's complement: fewer than 2^64 amounts do not overflow it. A sum that
// stopped at the largest amount could not be undone; this one can be lowered again by everything that raised it.
type bigSum struct{ high, low uint64 }

// add adds an amount, which is not negative.
func (s *bigSum) add(amount int64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(amount), 0)
	s.high += carry
}

// subtract is the inverse of add. The sum may become negative.
func (s *bigSum) subtract(amount int64) {
	var borrow uint64
	s.low, borrow = bits.Sub64(s.low, uint64(amount), 0)
	s.high -= borrow
}

// amount is the sum within the range of amounts: from 0 to the largest one.
func (s bigSum) amount() int64 {
	switch {
	case int64(s.high) < 0:
		return 0
	case s.high > 0 || s.low > math.MaxInt64:
		return math.MaxInt64
	}
	return int64(s.low)
}

// ledger sums up the changes of one quota by direction, then resource; nil: nothing changed. Pinned is the part of used
// that is not preemptible. The quotas are immutable, and each change of them costs a way through their tree: so they
// are written once, when the snapshot is published.
type ledger struct{ used, pinned [2][]int64 }

// direction tells members that come from members that go. The two are summed apart: sums of either alone never fall.
type direction int

const (
	comes direction = iota
	goes
)

// newQuotas checks the quotas of a spec and begins with nothing in use; book tells them later what the running members
// use. Without a total in the spec it is the nodes' allocatable amounts less what members without a quota hold.
func (c *Snapshot) newQuotas(spec cluster.Spec) error {
	switch {
	case spec.Quotas == nil && (spec.Total != nil || spec.Demand != nil):
		return muster.Invalid("cluster.Quotas", "", "missing, while their total or demand is given")
	case spec.Quotas == nil:
		return nil
	}
	c.Lineage.fixedTotal = spec.Total != nil
	var err error
	if c.Quotas, err = spec.Quotas.State(spec.Total); err != nil {
		return below("cluster", err)
	}
	return c.demandIn(spec.Demand)
}

// demandIn sets the pending demand of quotas. Names are read in natural order, so that joined errors have one order.
func (c *Snapshot) demandIn(demand map[string]muster.Resources) error {
	var errs []error
	for _, name := range slices.SortedFunc(maps.Keys(demand), muster.CompareNatural) {
		if c.Quotas == nil {
			return muster.Invalid("cluster.Demand", name, "unknown quota: there are none")
		}
		next, err := c.Quotas.WithDemand(name, demand[name])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.Quotas = next
	}
	return errors.Join(errs...)
}

// count notes in the ledger of its quota that a member comes or goes. Members without a quota reduce the total that
// quotas divide. Leaving members count nowhere: whoever marks a member counts it as gone before. O(resources).
//
// In a lineage Lowest only falls. When the member of the lowest priority goes, it stays a bound, which is all that is
// asked of it.
func (c *Snapshot) count(m *Member, to direction) {
	if m.Leaving {
		return
	}
	if to == comes {
		c.Lowest = min(c.Lowest, m.Class.Priority)
	}
	if c.Quotas == nil {
		return
	}
	if m.Class.Quota == "" {
		if to == comes {
			reduce(c.ownTotals(), m.Class.Holds)
		} else {
			raise(c.ownTotals(), m.Class.Holds)
		}
		return
	}
	l := c.ledgers[m.Class.Quota]
	if l == nil {
		l = &ledger{}
		if c.ledgers == nil {
			c.ledgers = map[string]*ledger{}
		}
		c.ledgers[m.Class.Quota] = l
	}
	l.used[to] = addUp(l.used[to], m.Class.Holds)
	if m.Pinned {
		l.pinned[to] = addUp(l.pinned[to], m.Class.Holds)
	}
}

// addUp adds amounts to a sum in place, a new one if it is nil, and returns it. A sum that would overflow stops at the
// largest amount.
func addUp(sum, amounts []int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(amounts))
	}
	for r, amount := range amounts {
		sum[r] = min(sum[r], math.MaxInt64-amount) + amount
	}
	return sum
}

// raise adds amounts to totals. It does nothing where there is nothing to write (no totals, see ownTotals) and for an
// absent node, which has no amounts: hence the shorter length.
func raise(totals []bigSum, amounts []int64) {
	for r := range min(len(totals), len(amounts)) {
		totals[r].add(amounts[r])
	}
}

// reduce is the inverse of raise.
func reduce(totals []bigSum, amounts []int64) {
	for r := range min(len(totals), len(amounts)) {
		totals[r].subtract(amounts[r])
	}
}

// ownTotals are the totals to be written, by resource; nil if the spec fixes them or there are no quotas to divide
// them. The first call of a fork copies them, since the snapshot before reads its own.
func (c *Snapshot) ownTotals() []bigSum {
	if c.Quotas == nil || c.Lineage.fixedTotal {
		return nil
	}
	if !c.totalling {
		own := make([]bigSum, len(c.Lineage.Resources))
		copy(own, c.totals)
		c.totals, c.totalling = own, true
	}
	return c.totals
}

// book carries the ledgers and the totals over to the quotas, and begins new ones. The error is a sum that overflows.
//
// In each quota the members that go come first: they were in use before, so the release cannot fall below zero, and the
// sum in between is not larger than needed. Names are in natural order, so that of several errors it is always the
// same.
func (c *Snapshot) book() error {
	for _, name := range slices.SortedFunc(maps.Keys(c.ledgers), muster.CompareNatural) {
		l := c.ledgers[name]
		next, err := c.Quotas.Release(name, c.Lineage.Held(l.used[goes]), c.Lineage.Held(l.pinned[goes]))
		if err == nil {
			next, err = next.Use(name, c.Lineage.Held(l.used[comes]), c.Lineage.Held(l.pinned[comes]))
		}
		if err != nil {
			return err
		}
		c.Quotas = next
	}
	c.ledgers = nil
	if !c.totalling { // neither nodes nor members without a quota changed
		return nil
	}
	var err error
	c.Quotas, err = c.Quotas.WithTotal(amountsOf(c.Lineage, c.totals))
	c.totalling = false
	return err
}

// amountsOf are totals as quotas are told them.
func amountsOf(l *Lineage, totals []bigSum) muster.Resources {
	out := muster.Resources{}
	for r := range totals {
		out[l.Resources[r]] = totals[r].amount()
	}
	return out
}

// describeQuotas adds the quotas of a snapshot to a spec: tree, demand, and the total if it was given. Use follows from
// the running members in the spec.
func describeQuotas(c *Snapshot, spec *cluster.Spec) {
	if c.Quotas == nil {
		return
	}
	spec.Quotas, spec.Demand = c.Quotas.Tree(), map[string]muster.Resources{}
	if c.Lineage.fixedTotal {
		spec.Total = c.Quotas.Total()
	}
	for _, name := range c.Quotas.Quotas() {
		if c.Quotas.IsLeaf(name) {
			_, _, spec.Demand[name] = c.Quotas.Usage(name)
		}
	}
}
