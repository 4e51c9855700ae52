package placement

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
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
func (c *Snapshot) newQuotas(spec Spec) error {
	switch {
	case spec.Quotas == nil && (spec.Total != nil || spec.Demand != nil):
		return muster.Invalid("cluster.Quotas", "", "missing, while their total or demand is given")
	case spec.Quotas == nil:
		return nil
	}
	c.lineage.fixedTotal = spec.Total != nil
	var err error
	if c.quotas, err = spec.Quotas.State(spec.Total); err != nil {
		return below("cluster", err)
	}
	return c.demandIn(spec.Demand)
}

// demandIn tells what is pending.
func (c *Snapshot) demandIn(demand map[string]muster.Resources) error {
	var errs []error
	for _, name := range slices.SortedFunc(maps.Keys(demand), muster.CompareNatural) {
		if c.quotas == nil {
			return muster.Invalid("cluster.Demand", name, "unknown quota: there are none")
		}
		next, err := c.quotas.WithDemand(name, demand[name])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.quotas = next
	}
	return errors.Join(errs...)
}

// checkQuota refuses a quota that members cannot be in.
func (c *Snapshot) checkQuota(field, name string) error {
	switch {
	case name == "" || c.quotas != nil && c.quotas.IsLeaf(name):
		return nil
	case c.quotas == nil || !c.quotas.Has(name):
		return muster.Invalid(field, name, "unknown quota")
	}
	return muster.Invalid(field, name, "members can only be in a quota without children")
}

// count takes what a member holds of its quota, or gives it back; a member in none lessens what there is to divide. Leaving
// members count for nobody.
func (c *Snapshot) count(m *member, column int) {
	if m.leaving {
		return
	}
	if column == comes {
		c.lowest = min(c.lowest, m.class.priority)
	}
	if c.quotas == nil {
		return
	}
	if m.class.quota == "" {
		c.countTotal(m.class.holds, [...]int64{-1, 1}[column])
		return
	}
	l := c.ledgers[m.class.quota]
	if l == nil {
		l = &ledger{}
		if c.ledgers == nil {
			c.ledgers = map[string]*ledger{}
		}
		c.ledgers[m.class.quota] = l
	}
	l.used[column] = addUp(l.used[column], m.class.holds)
	if m.pinned {
		l.pinned[column] = addUp(l.pinned[column], m.class.holds)
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
	if c.quotas == nil || c.lineage.fixedTotal || len(amounts) == 0 {
		return
	}
	if !c.totalling {
		own := make([]bigSum, len(c.lineage.resources))
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
		next, err := c.quotas.Release(name, c.lineage.held(l.used[goes]), c.lineage.held(l.pinned[goes]))
		if err == nil {
			next, err = next.Use(name, c.lineage.held(l.used[comes]), c.lineage.held(l.pinned[comes]))
		}
		if err != nil {
			return err
		}
		c.quotas = next
	}
	c.ledgers = nil
	if !c.totalling {
		return nil
	}
	total := muster.Resources{}
	for r := range c.totals {
		total[c.lineage.resources[r]] = c.totals[r].amount()
	}
	var err error
	c.quotas, err = c.quotas.WithTotal(total)
	c.totalling = false
	return err
}

// asks is what the first n units of a gang take of its quota.
func (p *problem) asks(n int) quota.Ask {
	members := p
	if p.members != nil {
		members, n = p.members, n*p.size()
	}
	a := quota.Ask{Quota: p.req.Quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i, m := range members.pending[:n] {
		shape := p.shapeOf(i)
		a.Request.Add(shape.Resources)
		if p.pinned[m.name] {
			a.Pinned.Add(shape.Resources)
		}
	}
	return a
}

// pinnedMembers are the members of a gang that are not preemptible, nil if there are none.
func pinnedMembers(req *gang.Request) (pinned map[string]bool) {
	for i := range req.Members {
		if m := &req.Members[i]; m.NonPreemptible {
			if pinned == nil {
				pinned = map[string]bool{}
			}
			pinned[m.Name] = true
		}
	}
	return pinned
}

// capByQuota finds how many units the quota admits. The whole gang counts as demand.
func (p *problem) capByQuota() error {
	p.admitted = len(p.pending)
	if err := p.c.checkQuota("request.Quota", p.req.Quota); err != nil || p.req.Quota == "" {
		return err
	}
	limit, whole := p.req.QuotaLimit, p.asks(len(p.pending))
	state, err := p.c.quotas.Wanting(whole)
	if err != nil {
		return err
	}
	refusal, err := state.Admit(whole, limit)
	if err != nil || refusal == nil {
		return err
	}
	if p.inParts() {
		p.parting.state = state
		return p.judgeContent()
	}
	p.admitted = sort.Search(len(p.pending)-1, func(n int) bool {
		refusal, err := state.Admit(p.asks(n+1), limit)
		return refusal != nil || err != nil // never the latter: it is a part of the whole
	})
	return p.judgeLeast(state)
}

// judgeLeast finds what refuses the least number of members that the rules allow.
func (p *problem) judgeLeast(state *quota.State) error {
	wholes := p.wholes(max(1, p.least), len(p.pending))
	if len(wholes) == 0 || wholes[0] <= p.admitted {
		return nil
	}
	var err error
	p.refusedBy, err = state.Admit(p.asks(wholes[0]), p.req.QuotaLimit)
	return err
}

// admits checks, for a result, that the quota still admits its members.
func admits(c *Snapshot, res *Result) error {
	if res.quota == "" {
		return nil
	}
	if err := c.checkQuota("result", res.quota); err != nil {
		return err
	}
	refusal, err := c.quotas.Admit(res.ask(), res.limit)
	if err != nil || refusal == nil {
		return err
	}
	short := refusal.Short[0]
	return &ConflictError{
		Gang: res.Gang, Member: res.Assignments[0].Member, Resource: short.Resource, By: short.By,
		Reason: fmt.Sprintf("quota %s refuses by its %s", refusal.Quota, refusal.Rule),
	}
}

// ask is what the members of a result take of its quota.
func (res *Result) ask() quota.Ask {
	a := quota.Ask{Quota: res.quota, Request: muster.Resources{}, Pinned: muster.Resources{}}
	for i := range res.Assignments {
		holds := res.holds[res.kindOf(&res.Assignments[i])]
		a.Request.Add(holds)
		if res.pinned[res.Assignments[i].Member] {
			a.Pinned.Add(holds)
		}
	}
	return a
}

// satisfy takes what was placed off the demand of its quota.
func satisfy(c *Snapshot, res *Result) error {
	if res.quota == "" {
		return nil
	}
	_, _, demand := c.quotas.Usage(res.quota)
	for name, amount := range res.ask().Request {
		if has, ok := demand[name]; ok {
			demand[name] = max(0, has-amount)
		}
	}
	var err error
	c.quotas, err = c.quotas.WithDemand(res.quota, demand)
	return err
}

// describeQuotas adds the quotas to what describes the cluster.
func (c *Snapshot) describeQuotas(spec *Spec) {
	if c.quotas == nil {
		return
	}
	spec.Quotas, spec.Demand = c.quotas.Tree(), map[string]muster.Resources{}
	if c.lineage.fixedTotal {
		spec.Total = c.quotas.Total()
	}
	for _, name := range c.quotas.Quotas() {
		if c.quotas.IsLeaf(name) {
			_, _, spec.Demand[name] = c.quotas.Usage(name)
		}
	}
}
