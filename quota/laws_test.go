package quota_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// huge is the largest amount that is drawn; sums of it pass 64 bits.
const huge = 1 << 62

// terms explains every quota, whether it governs the resource or not: those that do not are given an empty minimum.
func termsOf(s *quota.State, name string) (quota.Terms, bool) {
	for _, t := range s.Explain(name) {
		return t, true
	}
	return quota.Terms{}, false
}

// governed gives every quota a minimum, so that its share is told. The minima of parents cover those of their children already.
func (p *plain) governed() *plain {
	for _, q := range p.quotas {
		if q.spec.Min == nil {
			q.spec.Min = muster.Resources{resource: 0}
		}
	}
	return p
}

func TestLawsOfShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, huge).governed()
		s := p.state(t, p.inOrder())
		got := p.shares(s)
		require.Equal(t, got, p.shares(p.state(t, rapid.Permutation(p.inOrder()).Draw(t, "order"))), "the order changes nothing")
		budgets := map[*refQuota]int64{nil: p.total}
		for _, q := range p.quotas {
			budgets[q] = got[q.spec.Name]
		}
		kids := map[*refQuota][]quota.Terms{}
		for _, q := range p.quotas {
			terms, ok := termsOf(s, q.spec.Name)
			require.True(t, ok)
			require.Equal(t, got[q.spec.Name], terms.Share)
			kids[q.parent] = append(kids[q.parent], terms)
		}
		for parent, list := range kids {
			checkSharing(t, budgets[parent], list)
		}
	})
}

// checkSharing holds the laws between the children of one parent.
func checkSharing(t *rapid.T, budget int64, list []quota.Terms) {
	left, floors := budget, int64(0)
	for _, q := range list {
		require.LessOrEqual(t, q.Share, q.Claim, "no more than is claimed")
		require.LessOrEqual(t, q.Share, left, "the children get no more than their parent")
		left -= q.Share
		floors = sum(floors, q.Floor)
	}
	for _, q := range list {
		if q.Share < q.Claim && q.Weight > 0 && floors < budget {
			require.Zero(t, left, "%+v could use what is left", q)
		}
		if floors <= budget {
			require.GreaterOrEqual(t, q.Share, q.Floor, "floors that fit are paid")
		} else {
			require.Zero(t, left, "no unit is lost when floors are scaled")
		}
	}
}

// change redraws one amount upwards.
func raise(t *rapid.T, r muster.Resources) muster.Resources {
	had := r[resource]
	return muster.Resources{resource: had + rapid.Int64Range(1, max(1, min(huge, math.MaxInt64-had))).Draw(t, "more")}
}

func TestLawsOfChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, rapid.SampledFrom([]int64{20, huge}).Draw(t, "most")).governed()
		before := p.shares(p.state(t, p.inOrder()))
		q := p.quotas[rapid.IntRange(0, len(p.quotas)-1).Draw(t, "quota")]
		name := q.spec.Name
		switch rapid.SampledFrom([]string{"demand", "weight", "min", "guaranteed"}).Draw(t, "what") {
		case "demand":
			if len(q.kids) > 0 {
				return
			}
			q.demand = raise(t, muster.Resources{resource: q.demand})[resource]
			after := p.shares(p.state(t, p.inOrder()))
			require.GreaterOrEqual(t, after[name], before[name], "more demand")
			for other := range before {
				if !isAbove(p.named(other), q) {
					require.LessOrEqual(t, after[other], before[other], "%s is not above %s", other, name)
				}
			}
		case "weight":
			if q.spec.Weight == nil {
				return
			}
			q.spec.Weight = raise(t, q.spec.Weight)
			require.GreaterOrEqual(t, p.shares(p.state(t, p.inOrder()))[name], before[name], "more weight")
		case "min": // with the minima above, which must cover it; all within the maxima
			more := rapid.Int64Range(1, huge).Draw(t, "more")
			for up := q; up != nil; up = up.parent {
				if key(up.spec.Min, 0) > math.MaxInt64-more || sum(key(up.spec.Min, 0), more) > key(up.spec.Max, math.MaxInt64) {
					return
				}
			}
			for up := q; up != nil; up = up.parent {
				up.spec.Min = muster.Resources{resource: key(up.spec.Min, 0) + more}
			}
			require.GreaterOrEqual(t, p.shares(p.state(t, p.inOrder()))[name], before[name], "more is guaranteed")
		case "guaranteed":
			q.spec.Guaranteed = raise(t, q.spec.Guaranteed)
			require.GreaterOrEqual(t, p.shares(p.state(t, p.inOrder()))[name], before[name], "more is guaranteed")
		}
	})
}

// isAbove says whether a quota is q or above it.
func isAbove(a, q *refQuota) bool {
	for ; q != nil; q = q.parent {
		if a == q {
			return true
		}
	}
	return false
}

// Only the ratios of weights count, even where products of them pass 64 bits.
func TestScalingWeightsChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &plain{total: rapid.Int64Range(1, 60).Draw(t, "total")}
		for i := range rapid.IntRange(2, 12).Draw(t, "quotas") {
			weight := muster.Resources{resource: rapid.Int64Range(0, 7).Draw(t, "weight")}
			q := &refQuota{spec: quota.Spec{Name: fmt.Sprint(i), Min: muster.Resources{resource: 0}, Weight: weight}}
			q.demand = rapid.Int64Range(0, 60).Draw(t, "demand")
			p.quotas = append(p.quotas, q)
		}
		before := p.shares(p.state(t, p.inOrder()))
		for _, q := range p.quotas {
			q.spec.Weight[resource] <<= 60
		}
		require.Equal(t, before, p.shares(p.state(t, p.inOrder())))
	})
}

// One unit more of the total lowers nobody, where every quota has a maximum, its own or an inherited one.
func TestMoreInTotalLowersNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, rapid.SampledFrom([]int64{20, huge}).Draw(t, "most")).governed()
		for _, q := range p.tops() {
			if q.spec.Max == nil {
				q.spec.Max = muster.Resources{resource: math.MaxInt64}
			}
		}
		s := p.state(t, p.inOrder())
		before := p.shares(s)
		s, err := s.WithTotal(muster.Resources{resource: p.total + 1})
		require.NoError(t, err)
		after := p.shares(s)
		for name := range before {
			require.GreaterOrEqual(t, after[name], before[name], name)
		}
		p.total++
		require.Equal(t, p.shares(p.state(t, p.inOrder())), after, "as if it had begun with that total")
	})
}

// Any sequence of Use, Release and WithDemand ends where a new state with the same amounts begins, and none changes an older one.
func TestChangesEqualNewStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, 60).governed()
		s := p.state(t, p.inOrder())
		first, shares := s, p.shares(s)
		old := *p
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			q := p.quotas[rapid.IntRange(0, len(p.quotas)-1).Draw(t, "quota")]
			if len(q.kids) > 0 {
				continue
			}
			amount := muster.Resources{resource: rapid.Int64Range(0, 40).Draw(t, "amount")}
			var err error
			var next *quota.State
			switch name := q.spec.Name; rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				if next, err = s.Use(name, amount, amount); err == nil {
					q.used, q.pinned = q.used+amount[resource], q.pinned+amount[resource]
				}
			case 1:
				next, err = s.Release(name, amount, nil)
				require.Equal(t, amount[resource] <= q.used-q.pinned, err == nil)
				if err == nil {
					q.used -= amount[resource]
				}
			default:
				if next, err = s.WithDemand(name, amount); err == nil {
					q.demand = amount[resource]
				}
			}
			if err == nil {
				s = next
			}
			require.Equal(t, p.shares(p.state(t, p.inOrder())), p.shares(s))
		}
		require.Equal(t, shares, old.shares(first))
	})
}
