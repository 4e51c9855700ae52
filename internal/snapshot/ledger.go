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

// bigSum is a sum of amounts that cannot overflow: of 128 bits, by two's complement.
type bigSum struct{ high, low uint64 }

func (s *bigSum) add(amount int64, sign int64) {
	var carry uint64
	if sign > 0 {
		s.low, carry = bits.Add64(s.low, uint64(amount), 0)
		s.high += carry
	} else {
		s.low, carry = bits.Sub64(s.low, uint64(amount), 0)
		s.high -= carry
	}
}

// amount is the sum as far as an amount can be: not negative, and no larger than the largest.
func (s bigSum) amount() int64 {
	switch {
	case int64(s.high) < 0:
		return 0
	case s.high > 0 || s.low > math.MaxInt64:
		return math.MaxInt64
	}
	return int64(s.low)
}

// ledger is what a change takes of one quota and gives back, by resource.
type ledger struct{ used, pinned [2][]int64 }

// The two columns of a ledger.
const (
	comes = iota
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

// demandIn tells what is pending.
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

// count takes what a member holds of its quota, or gives it back; a member in none lessens what there is to divide. Leaving
// members count for nobody.
func (c *Snapshot) count(m *Member, column int) {
	if m.Leaving {
		return
	}
	if column == comes {
		c.Lowest = min(c.Lowest, m.Class.Priority)
	}
	if c.Quotas == nil {
		return
	}
	if m.Class.Quota == "" {
		c.countTotal(m.Class.Holds, [...]int64{-1, 1}[column])
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
	l.used[column] = addUp(l.used[column], m.Class.Holds)
	if m.Pinned {
		l.pinned[column] = addUp(l.pinned[column], m.Class.Holds)
	}
}

// addUp adds amounts to a sum, which is made if need be. A sum that would overflow stops at the largest amount.
func addUp(sum, amounts []int64) []int64 {
	if sum == nil {
		sum = make([]int64, len(amounts))
	}
	for r, amount := range amounts {
		sum[r] = min(sum[r], math.MaxInt64-amount) + amount
	}
	return sum
}

// countTotal adds amounts to what the quotas divide, or takes them off.
func (c *Snapshot) countTotal(amounts []int64, sign int64) {
	if c.Quotas == nil || c.Lineage.fixedTotal || len(amounts) == 0 {
		return
	}
	if !c.totalling {
		own := make([]bigSum, len(c.Lineage.Resources))
		copy(own, c.totals)
		c.totals, c.totalling = own, true
	}
	for r, amount := range amounts {
		c.totals[r].add(amount, sign)
	}
}

// book carries over to the quotas what was counted while a snapshot was made.
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

// describeQuotas adds the quotas to what describes the cluster.
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
