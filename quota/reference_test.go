package quota_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/quota"
)

// The reference works out shares as the rules read, for one resource, unit by unit.

const resource = "gpu"

type refQuota struct {
	spec                 quota.Spec
	used, pinned, demand int64
	firm                 *int64
	kids                 []*refQuota
	parent               *refQuota

	most, secured, weight, want, claim, runtime int64
}

// plain is a tree by name, as it is drawn.
type plain struct {
	total  int64
	quotas []*refQuota // parents first
}

func (p *plain) named(name string) *refQuota {
	for _, q := range p.quotas {
		if q.spec.Name == name {
			return q
		}
	}
	return nil
}

func (p *plain) tops() (list []*refQuota) {
	for _, q := range p.quotas {
		if q.parent == nil {
			list = append(list, q)
		}
	}
	return list
}

// key is an amount of a spec, or what stands for a missing one.
func key(r muster.Resources, otherwise int64) int64 {
	if v, ok := r[resource]; ok {
		return v
	}
	return otherwise
}

func (p *plain) terms() {
	for _, q := range p.quotas {
		above := p.total
		if q.parent != nil {
			above = q.parent.most
		}
		q.most = key(q.spec.Max, above)
		q.weight = key(q.spec.Weight, q.most)
	}
	for _, q := range slices.Backward(p.quotas) {
		q.secured = max(key(q.spec.Min, 0), key(q.spec.Guaranteed, 0))
		below := int64(0)
		for _, kid := range q.kids {
			below = sum(below, kid.secured)
		}
		q.secured = min(q.most, max(q.secured, below))
	}
}

func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// usedBelow sums over the leaves.
func (q *refQuota) usedBelow() int64 {
	n := q.used
	for _, kid := range q.kids {
		n = sum(n, kid.usedBelow())
	}
	return n
}

func (q *refQuota) demandBelow() int64 {
	n := q.demand
	for _, kid := range q.kids {
		n = sum(n, kid.demandBelow())
	}
	return n
}

// claims works out what everybody asks for; lends says who only keeps what can be started with.
func (p *plain) claims(lends func(q *refQuota) bool) {
	for _, q := range slices.Backward(p.quotas) {
		q.want = sum(q.used, q.demand)
		if lends(q) {
			firm := q.demandBelow()
			if q.firm != nil {
				firm = *q.firm
			}
			q.want = max(q.usedBelow(), min(sum(q.usedBelow(), firm), q.secured))
			below := int64(0)
			for _, kid := range q.kids {
				below = sum(below, kid.claim)
			}
			q.want = max(q.want, below)
		} else {
			for _, kid := range q.kids {
				q.want = sum(q.want, max(kid.claim, kid.usedBelow()))
			}
		}
		q.want = min(q.most, q.want)
		q.claim = q.want
		if q.spec.Keeps {
			q.claim = max(q.want, q.secured)
		}
	}
}

func (p *plain) share(budget int64, kids []*refQuota) {
	slices.SortFunc(kids, func(a, b *refQuota) int { return muster.CompareNatural(a.spec.Name, b.spec.Name) })
	floors, caps, weights := make([]int64, len(kids)), make([]int64, len(kids)), make([]int64, len(kids))
	all := int64(0)
	for i, q := range kids {
		floors[i] = min(q.secured, q.claim)
		all = sum(all, floors[i])
		weights[i], caps[i] = q.weight, q.claim-floors[i]
	}
	left := budget - all
	if all >= budget {
		for i, q := range kids {
			weights[i], caps[i], floors[i] = q.secured, floors[i], 0
		}
		left = budget
	}
	got := unitByUnit(left, weights, caps)
	for i, q := range kids {
		q.runtime = floors[i] + got[i]
		p.share(q.runtime, q.kids)
	}
}

// unitByUnit hands out what is due first: unit j at (2j+1)/(2w).
func unitByUnit(budget int64, weights, caps []int64) []int64 {
	got := make([]int64, len(weights))
	for ; budget > 0; budget-- {
		first := -1
		for i := range got {
			if weights[i] == 0 || got[i] == caps[i] {
				continue
			}
			if first < 0 || (2*got[i]+1)*weights[first] < (2*got[first]+1)*weights[i] {
				first = i
			}
		}
		if first < 0 {
			break
		}
		got[first]++
	}
	return got
}

func (p *plain) runtimes(lends func(q *refQuota) bool) map[string]int64 {
	p.terms()
	p.claims(lends)
	p.share(p.total, p.tops())
	out := map[string]int64{}
	for _, q := range p.quotas {
		out[q.spec.Name] = q.runtime
	}
	return out
}

func nobody(*refQuota) bool { return false }

// admit is the reference of [quota.State.Admit]: the name of the quota that refuses, the rule, by how much.
func (p *plain) admit(name string, request, pinned int64, limit quota.Limit) string {
	q := p.named(name)
	defer func(demand int64) { q.demand = demand }(q.demand)
	q.demand = max(q.demand, request)
	limits := p.runtimes(nobody)
	chain := map[*refQuota]bool{}
	bare := true
	named := false
	for at := q; at != nil; at = at.parent {
		chain[at] = true
		bare = bare && len(at.spec.Min) == 0
		_, ok := at.spec.Min[resource]
		named = named || ok
	}
	if limit == quota.Borrow {
		for name, more := range p.runtimes(func(q *refQuota) bool { return !chain[q] }) {
			limits[name] = max(limits[name], more)
		}
	}
	for at := q; at != nil && request > 0; at = at.parent {
		_, hasMin := at.spec.Min[resource]
		_, hasMax := at.spec.Max[resource]
		if !hasMin && !hasMax {
			continue
		}
		bound := limits[at.spec.Name]
		if limit == quota.Greedy {
			bound = math.MaxInt64
			for up := at; up != nil; up = up.parent {
				if most, ok := up.spec.Max[resource]; ok {
					bound = most
					break
				}
			}
		}
		if short := at.usedBelow() + request - bound; short > 0 {
			return fmt.Sprintf("%s limit %d", at.spec.Name, short)
		}
		if short := at.pinnedBelow() + pinned - key(at.spec.Min, 0); short > 0 && pinned > 0 && (bare || named) {
			return fmt.Sprintf("%s min %d", at.spec.Name, short)
		}
	}
	return ""
}

func (q *refQuota) pinnedBelow() int64 {
	n := q.pinned
	for _, kid := range q.kids {
		n += kid.pinnedBelow()
	}
	return n
}

// drawTree draws a tree of up to 40 quotas, 4 deep, with amounts up to most, that is no invalid one.
func drawTree(t *rapid.T, most int64) *plain {
	amount := func(label string) int64 {
		if rapid.Bool().Draw(t, "small") {
			return rapid.Int64Range(0, min(most, 9)).Draw(t, label)
		}
		return rapid.Int64Range(0, most).Draw(t, label)
	}
	maybe := func(label string) muster.Resources {
		if rapid.IntRange(0, 2).Draw(t, label+"?") == 0 {
			return nil
		}
		return muster.Resources{resource: amount(label)}
	}
	p := &plain{total: amount("total")}
	depth := map[*refQuota]int{}
	for i := range rapid.IntRange(1, 40).Draw(t, "quotas") {
		q := &refQuota{spec: quota.Spec{Name: fmt.Sprintf("q-%d", i)}}
		if i > 0 && rapid.IntRange(0, 3).Draw(t, "below") > 0 {
			if up := p.quotas[rapid.IntRange(0, i-1).Draw(t, "parent")]; depth[up] < 3 {
				q.parent, q.spec.Parent, depth[q] = up, up.spec.Name, depth[up]+1
				up.kids = append(up.kids, q)
			}
		}
		p.quotas = append(p.quotas, q)
	}
	for _, q := range p.quotas {
		q.spec.Max, q.spec.Weight, q.spec.Guaranteed = maybe("max"), maybe("weight"), maybe("guaranteed")
		if q.parent != nil && len(q.parent.spec.Max) == 0 {
			q.spec.Max = nil
		}
		q.spec.Keeps = rapid.IntRange(0, 3).Draw(t, "keeps") == 0
	}
	for _, q := range slices.Backward(p.quotas) {
		least, below := maybe("min"), int64(0)
		for _, kid := range q.kids {
			below = sum(below, key(kid.spec.Min, 0))
		}
		if below > 0 {
			least = muster.Resources{resource: sum(below, key(least, 0))}
		}
		if least != nil && key(least, 0) > key(q.spec.Max, math.MaxInt64) {
			q.spec.Max = muster.Resources{resource: key(least, 0)}
			for up := q.parent; up != nil && len(up.spec.Max) == 0; up = up.parent {
				up.spec.Max = muster.Resources{resource: amount("max")}
			}
		}
		q.spec.Min = least
	}
	for _, q := range p.quotas { // leaves are used, whatever their limits
		if len(q.kids) > 0 {
			continue
		}
		q.used, q.demand = amount("used"), amount("demand")
		q.pinned = rapid.Int64Range(0, q.used).Draw(t, "pinned")
	}
	return p
}

// state builds the tree, its quotas in the order of a permutation.
func (p *plain) state(t require.TestingT, order []int) *quota.State {
	specs := make([]quota.Spec, len(p.quotas))
	for i, q := range p.quotas {
		specs[order[i]] = q.spec
	}
	tree, err := quota.New(specs)
	require.NoError(t, err)
	s, err := tree.State(muster.Resources{resource: p.total})
	require.NoError(t, err)
	for _, i := range order {
		q := p.quotas[i]
		if len(q.kids) > 0 {
			continue
		}
		s, err = s.Use(q.spec.Name, muster.Resources{resource: q.used}, muster.Resources{resource: q.pinned})
		require.NoError(t, err)
		s, err = s.WithDemand(q.spec.Name, muster.Resources{resource: q.demand})
		require.NoError(t, err)
	}
	for _, q := range p.quotas {
		if q.firm != nil {
			s, err = s.WithFirm(q.spec.Name, muster.Resources{resource: *q.firm})
			require.NoError(t, err)
		}
	}
	return s
}

// shares are the shares of all quotas that govern the resource.
func (p *plain) shares(s *quota.State) map[string]int64 {
	out := map[string]int64{}
	for _, q := range p.quotas {
		if share, ok := s.Share(q.spec.Name)[resource]; ok {
			out[q.spec.Name] = share
		}
	}
	return out
}

func (p *plain) inOrder() []int {
	order := make([]int, len(p.quotas))
	for i := range order {
		order[i] = i
	}
	return order
}

func TestSharesEqualUnitByUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, 60)
		want := p.runtimes(nobody)
		for name, share := range p.shares(p.state(t, rapid.Permutation(p.inOrder()).Draw(t, "order"))) {
			require.Equal(t, want[name], share, name)
		}
	})
}

func TestAdmitEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTree(t, 60)
		for _, q := range p.quotas {
			if rapid.IntRange(0, 2).Draw(t, "firm?") == 0 {
				firm := rapid.Int64Range(0, 60).Draw(t, "firm")
				q.firm = &firm
			}
		}
		s := p.state(t, p.inOrder())
		for _, q := range p.quotas {
			if len(q.kids) > 0 {
				continue
			}
			request := rapid.Int64Range(0, 30).Draw(t, "request")
			pinned := rapid.Int64Range(0, request).Draw(t, "pinned")
			for _, limit := range []quota.Limit{quota.Fair, quota.Borrow, quota.Greedy} {
				want := p.admit(q.spec.Name, request, pinned, limit)
				refusal, err := s.Admit(quota.Ask{
					Quota: q.spec.Name, Request: muster.Resources{resource: request}, Pinned: muster.Resources{resource: pinned},
				}, limit)
				require.NoError(t, err)
				got := ""
				if refusal != nil {
					got = fmt.Sprintf("%s %s %d", refusal.Quota, refusal.Rule, refusal.Short[0].By)
				}
				require.Equal(t, want, got, "%s asks %s for %d", limit, q.spec.Name, request)
			}
		}
	})
}
