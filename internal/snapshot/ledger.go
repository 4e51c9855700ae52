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

// bigSum is a sum of amounts in 128 bits, by two's complement: fewer than 2^64 amounts do not overflow it.
type bigSum struct{ high, low uint64 }

func (s *bigSum) add(amount int64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(amount), 0)
	s.high += carry
}

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

// ledger sums up the changes of one quota by direction and resource. The quotas are written once, when the snapshot is
// published.
type ledger struct{ used, pinned [2][]int64 }

// direction tells members that come from members that go.
type direction int

const (
	comes direction = iota
	goes
)

// newQuotas checks the quotas of a spec and begins with nothing in use.
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

// demandIn sets the pending demand of quotas.
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

// CheckQuota refuses a quota that members cannot be in.
func (c *Snapshot) CheckQuota(field, name string) error {
	switch {
	case name == "" || c.Quotas != nil && c.Quotas.IsLeaf(name):
		return nil
	case c.Quotas == nil || !c.Quotas.Has(name):
		return muster.Invalid(field, name, "unknown quota")
	}
	return muster.Invalid(field, name, "members can only be in a quota without children")
}

// count notes in the ledger of its quota that a member comes or goes. Members without a quota reduce the total that quotas
// divide. Leaving members count nowhere.
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

// addUp adds amounts to a sum, nil for none, in place. A sum that would overflow stops at the largest amount.
func addUp(sum, amounts []int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(amounts))
	}
	for r, amount := range amounts {
		sum[r] = min(sum[r], math.MaxInt64-amount) + amount
	}
	return sum
}

// raise adds amounts to totals.
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

// ownTotals are the totals to be written, by resource; nil if they are fixed or nobody divides them. The first call of a
// fork copies them. An absent node has no amounts, and then a copy changes nothing.
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

// book carries the ledgers and the totals over to the quotas.
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
	if !c.totalling {
		return nil
	}
	total := muster.Resources{}
	for r := range c.totals {
		total[c.Lineage.Resources[r]] = c.totals[r].amount()
	}
	var err error
	c.Quotas, err = c.Quotas.WithTotal(total)
	c.totalling = false
	return err
}

// describeQuotas adds the quotas to a spec.
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
