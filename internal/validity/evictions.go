package validity

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/quota"
)

// Evictions is what docs/order.md, section 6, says about who may leave for a gang.
type Evictions struct {
	spec *cluster.Spec
	req  *gang.Request
	ask  muster.Resources // of the members that must be placed
	// topmost is the highest quota above the gang whose limit refuses these members; empty: none does.
	topmost string
	gangs   map[string]*running
	used    map[string]muster.Resources // by quota, those above included

	kinds  map[string]*eviction // by key
	orders map[string]bool      // by the keys of evictions: whether there is an order in which all are legal
}

// running is a gang as far as its members stay.
type running struct {
	priority int64
	least    int   // members that must run together; 0: each stands for itself
	members  []int // of the spec's
}

// NewEvictions looks at a cluster and a gang of which these members must be placed. The error is that of [QuotaState].
func NewEvictions(spec *cluster.Spec, req *gang.Request, members []gang.Member) (*Evictions, error) {
	ask := Ask(req, members)
	e := &Evictions{
		spec: spec, req: req, ask: ask.Request, gangs: map[string]*running{}, used: map[string]muster.Resources{},
		kinds: map[string]*eviction{}, orders: map[string]bool{},
	}
	whole := map[string]bool{}
	for i, r := range spec.Running {
		if r.Leaving {
			continue
		}
		whole[r.Gang] = whole[r.Gang] || r.MinMember == 0
		g := e.gangs[r.Gang]
		if g == nil {
			g = &running{priority: r.Priority}
			e.gangs[r.Gang] = g
		}
		g.priority, g.least, g.members = min(g.priority, r.Priority), max(g.least, r.MinMember), append(g.members, i)
	}
	for name, g := range e.gangs {
		if whole[name] && len(g.members) > 1 {
			g.least = max(g.least, len(g.members))
		}
	}
	if req.Quota == "" {
		return e, nil
	}
	for _, name := range spec.Quotas.Quotas() {
		e.used[name], _ = usage(spec, name)
	}
	return e, e.findTopmost()
}

// findTopmost asks every quota above the gang by itself. What may be borrowed is not recomputed: there the quotas say it.
func (e *Evictions) findTopmost() error {
	state, err := wanting(e.spec, e.req)
	if err != nil {
		return err
	}
	if e.req.QuotaLimit == quota.Borrow {
		refusals, err := state.Refusals(quota.Ask{Quota: e.req.Quota, Request: e.ask}, quota.Borrow)
		for _, r := range refusals {
			e.topmost = r.Quota
		}
		return err
	}
	chain := chainOf(e.spec.Quotas, e.req.Quota)
	for _, q := range chain {
		share := state.Share(q.Name)
		for resource, asked := range e.ask {
			if asked > 0 && governs(&q, resource) && e.used[q.Name][resource]+asked > limitOf(e.req, chain, q.Name, share, resource) {
				e.topmost = q.Name
			}
		}
	}
	return nil
}

// Least is the least number of new members that a plan places: MinMember of the gang run then, and no group is torn.
func Least(net *Network, spec *cluster.Spec, req *gang.Request) int {
	own := Own(spec, req)
	all := len(req.Members) + len(own)
	least := max(1, cmp.Or(req.MinMember, all)-len(own))
	levels := Levels(req, all)
	ranks := newRanks(spec, req)
	for n := least; n <= len(req.Members); n++ {
		torn := len(levels) > 0 && n < len(req.Members) && ranks[n-1]/levels[0].Size == ranks[n]/levels[0].Size
		for _, rule := range req.Gather {
			if tier, ok := net.TierOf(rule.Layer); ok && tier < net.rootTier && rule.Multiple > 0 {
				torn = torn || (n+len(own))%rule.Multiple != 0
			}
		}
		if !torn {
			return n
		}
	}
	return 0
}

// newRanks are the ranks of the new members, ascending.
func newRanks(spec *cluster.Spec, req *gang.Request) []int {
	ranks := Ranks(req, Own(spec, req))
	var out []int
	for _, m := range req.Members {
		out = append(out, ranks[m.Name])
	}
	slices.Sort(out)
	return out
}

// Lowest are the n new members of the lowest ranks.
func Lowest(spec *cluster.Spec, req *gang.Request, n int) []gang.Member {
	ranks := Ranks(req, Own(spec, req))
	members := slices.SortedFunc(slices.Values(req.Members), func(a, b gang.Member) int { return cmp.Compare(ranks[a.Name], ranks[b.Name]) })
	return members[:n]
}

// Candidates lists the running members that may leave, if others do so as well, in natural order of gang and name.
func (e *Evictions) Candidates() []int {
	var out []int
	for i := range e.spec.Running {
		if e.Spared(&e.spec.Running[i]) == "" {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(i, j int) int { return compareRunning(&e.spec.Running[i], &e.spec.Running[j]) })
	return out
}

// Lowest is the lowest priority of any candidate: sums of priorities are compared as counted from there.
func (e *Evictions) Lowest() int64 {
	lowest := int64(math.MaxInt64)
	for _, i := range e.Candidates() {
		lowest = min(lowest, e.gangs[e.spec.Running[i].Gang].priority)
	}
	return lowest
}

func compareRunning(a, b *cluster.Running) int {
	return cmp.Or(muster.CompareNatural(a.Gang, b.Gang), muster.CompareNatural(a.Member, b.Member))
}

// Spared says why a member is no candidate; empty if it is one.
func (e *Evictions) Spared(r *cluster.Running) string {
	inReach := func(q quota.Spec) bool { return q.Name == e.topmost }
	switch {
	case r.Leaving:
		return "is leaving"
	case r.NonPreemptible:
		return "is not preemptible"
	case r.Unevictable:
		return "is not evictable"
	case r.Gang == e.req.Name:
		return "is the gang's own"
	case e.byPriority(r) && e.gangs[r.Gang].priority >= e.req.Priority:
		return "has no lower priority"
	case e.topmost != "" && (r.Quota == "" || !slices.ContainsFunc(chainOf(e.spec.Quotas, r.Quota), inReach)):
		return "is not below " + e.topmost + ", which refuses"
	}
	return ""
}

// byPriority holds for members whom priority judges; the others are reclaimed.
func (e *Evictions) byPriority(r *cluster.Running) bool {
	return r.Quota == e.req.Quota || r.Quota == "" || e.req.Quota == ""
}

// Illegal says why these members may not leave together; empty if they may.
func (e *Evictions) Illegal(set []int) string {
	leaving, own := map[string]int{}, muster.Resources{}
	for _, i := range set {
		r := &e.spec.Running[i]
		if why := e.Spared(r); why != "" {
			return r.Gang + " " + r.Member + " " + why
		}
		leaving[r.Gang]++
		if r.Quota == e.req.Quota {
			own.Add(r.Resources)
		}
	}
	for name, n := range leaving {
		g := e.gangs[name]
		if stay := len(g.members) - n; stay > 0 && stay < g.least {
			return fmt.Sprintf("%s keeps %d of at least %d members", name, stay, g.least)
		}
	}
	var list []string
	for _, v := range e.evictions(set) {
		if q := e.beyondMin(v.quota, own); q != "" {
			return "the gang reclaims in " + v.quota + ", and passes the min of " + q
		}
		list = append(list, v.key())
		e.kinds[v.key()] = v
	}
	if slices.Sort(list); !e.ordered(list) {
		return "there is no order in which all quotas of the victims are over their min"
	}
	return ""
}
