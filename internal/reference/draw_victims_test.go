package reference

import (
	"fmt"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// crowded is the size of clusters in which all sets of candidates are looked at, most of how many.
var crowded = draws.Sizes{Nodes: 8, Slots: 3, Members: 5}

const mostCandidates = 9

// drawUncoupled draws a cluster that is nearly full, and a gang that may well need victims. Members leave one by one: no minimum, no
// budget, no quota but the gang's own.
func drawUncoupled(t *rapid.T) Input {
	in := crowd(t)
	withoutLimits(&in)
	drawPreemptor(t, &in)
	if draws.Chance(t, 12, "in a quota") {
		drawQuotas(t, &in)
		in.Spec.Running = slices.Clone(in.Spec.Running)
		alone := draws.Chance(t, 30, "some in none")
		for i := range in.Spec.Running {
			r := &in.Spec.Running[i]
			r.Quota, r.NonPreemptible = in.Request.Quota, false
			if alone && r.Gang != in.Request.Name && draws.Chance(t, 30, "in none") {
				r.Quota = ""
			}
		}
	}
	boundCandidates(&in)
	return in
}

// withoutLimits takes away what couples nodes.
func withoutLimits(in *Input) {
	in.Request.Limits, in.Request.Groups = nil, slices.Clone(in.Request.Groups)
	for i := range in.Request.Groups {
		in.Request.Groups[i].Limits = nil
	}
	for i := range in.Spec.Running {
		in.Spec.Running[i].Alone = ""
	}
}

// drawCoupled draws victims that depend on each other: gangs with a minimum, budgets, quotas.
func drawCoupled(t *rapid.T) Input {
	in := crowd(t)
	if HasParts(&in) { // which drawPartVictims draws
		withoutLimits(&in)
	}
	drawPreemptor(t, &in)
	minima, budgets, quotas := draws.Chance(t, 80, "with minima"), draws.Chance(t, 50, "with budgets"), draws.Chance(t, 75, "with quotas")
	if quotas {
		drawCoupledQuotas(t, &in)
	}
	if minima || !budgets && !quotas {
		drawMinima(t, &in)
	}
	if budgets {
		drawBudgets(t, &in)
	}
	if draws.Chance(t, 15, "few steps") {
		in.Request.Preempt.Steps = rapid.SampledFrom([]int{1, 2, 5, 20}).Draw(t, "steps")
	}
	boundCandidates(&in)
	return in
}

// crowd draws a cluster, and members in most of what is free.
func crowd(t *rapid.T) Input {
	in := DrawInput(t, crowded)
	full := rapid.SampledFrom([]int{100, 100, 90, 70}).Draw(t, "full")
	for i := range in.Spec.Nodes {
		if n := &in.Spec.Nodes[i]; n.NUMA == nil || len(n.NUMA.Zones) == 0 {
			fillNode(t, &in.Spec, n, full)
		} else {
			fillZones(t, &in.Spec, n, full)
		}
	}
	gangs := rapid.IntRange(1, 5).Draw(t, "gangs")
	for i := range in.Spec.Running {
		if r := &in.Spec.Running[i]; r.Gang != in.Request.Name {
			r.Gang = fmt.Sprintf("ns/g-%d", draws.HostileRank(rapid.IntRange(1, gangs).Draw(t, "gang")))
			r.Member = fmt.Sprintf("m-%d", draws.HostileRank(i))
		}
	}
	return in
}

// fillNode draws members that take what is free on a node without zones.
func fillNode(t *rapid.T, spec *cluster.Spec, n *cluster.Node, full int) {
	for {
		devices, _ := validity.Free(n, draws.Device, on(spec.Running, n.Name))
		cpus, _ := validity.Free(n, draws.Second, on(spec.Running, n.Name))
		pods, bounded := validity.Free(n, muster.Pods, on(spec.Running, n.Name))
		if devices <= 0 || bounded && pods <= 0 || !draws.Chance(t, full, "taken") {
			return
		}
		takes := max(rapid.Int64Range(1, devices).Draw(t, "devices"), rapid.Int64Range(1, devices).Draw(t, "devices"))
		r := draws.RunningMember(len(spec.Running), n.Name, "other")
		r.Resources = muster.Resources{draws.Device: takes, draws.Second: max(0, min(cpus, 1000*takes)), muster.Pods: 1}
		if cpus > 0 && draws.Chance(t, 20, "other CPUs") {
			r.Resources[draws.Second] = 500 * rapid.Int64Range(0, cpus/500).Draw(t, "CPUs")
		}
		if draws.Chance(t, 4, "more than there is") {
			r.Resources[draws.Device] += rapid.Int64Range(1, 2).Draw(t, "more")
		}
		spec.Running = append(spec.Running, r)
	}
}

// fillZones draws for every zone of a node a member that has what is free there, as far as the totals allow.
func fillZones(t *rapid.T, spec *cluster.Spec, n *cluster.Node, full int) {
	for _, z := range n.NUMA.Zones {
		left := muster.Resources{}
		for name, amount := range z.Allocatable {
			total, _ := validity.Free(n, name, on(spec.Running, n.Name))
			left[name] = min(amount-usedIn(spec, n, z.ID, name), total)
		}
		if left[draws.Device] <= 0 || !draws.Chance(t, full, "taken") {
			continue
		}
		share := numa.Share{Zone: z.ID, Resources: muster.Resources{draws.Device: rapid.Int64Range(1, left[draws.Device]).Draw(t, "devices")}}
		if left[draws.Second] > 0 {
			share.Resources[draws.Second] = 500 * rapid.Int64Range(0, left[draws.Second]/500).Draw(t, "CPUs")
		}
		r := draws.RunningMember(len(spec.Running), n.Name, "other")
		r.Resources, r.NUMA = muster.Resources{}, &numa.Placed{Policy: rapid.SampledFrom(draws.Policies).Draw(t, "policy"), Shares: []numa.Share{share}}
		r.Resources.Add(share.Resources)
		spec.Running = append(spec.Running, r)
	}
}

func usedIn(spec *cluster.Spec, n *cluster.Node, zone int, resource string) int64 {
	sum := int64(0)
	for _, o := range n.NUMA.InUse {
		if o.ID == zone {
			sum += o.Used[resource]
		}
	}
	for _, r := range on(spec.Running, n.Name) {
		if r.NUMA == nil {
			continue
		}
		for _, s := range r.NUMA.Shares {
			if s.Zone == zone {
				sum += s.Resources[resource]
			}
		}
	}
	return sum
}

// drawPreemptor gives everybody a priority and a start, and says how the gang preempts.
func drawPreemptor(t *rapid.T, in *Input) {
	req := &in.Request
	req.Priority = rapid.Int64Range(0, 4).Draw(t, "priority")
	classes := map[string]int64{}
	for i := range in.Spec.Running {
		r := &in.Spec.Running[i]
		if _, known := classes[r.Gang]; !known {
			classes[r.Gang] = req.Priority - rapid.SampledFrom([]int64{1, 2, 3, 1, 2, 0, -1}).Draw(t, "priority")
		}
		r.Priority = classes[r.Gang]
		if draws.Chance(t, 20, "of another priority") {
			r.Priority += rapid.Int64Range(0, 2).Draw(t, "higher")
		}
		if !draws.Chance(t, 25, "of unknown start") {
			r.Started = rapid.Int64Range(1, 5).Draw(t, "start")
		}
		r.NonPreemptible, r.Unevictable = draws.Chance(t, 6, "not preemptible"), draws.Chance(t, 6, "not evictable")
	}
	req.NeverPreempts = draws.Chance(t, 4, "never preempts")
	if draws.Chance(t, 20, "in another order") {
		order := rapid.Permutation(gang.Costs()).Draw(t, "order")
		req.Preempt.Order = order[:rapid.IntRange(1, len(order)).Draw(t, "costs")]
	}
	if draws.Chance(t, 12, "for a tier") {
		layers := []string{"0"}
		for _, l := range draws.Layers(&in.Spec) {
			layers = append(layers, strconv.Itoa(l.Tier))
		}
		req.Preempt.ForTier = rapid.SampledFrom(layers).Draw(t, "tier")
		for _, r := range req.Gather {
			if r.Multiple > 0 { // those above the rule would have to divide groups
				req.Preempt.ForTier = ""
			}
		}
	}
}

// drawMinima gives gangs a minimum; they may have more members or, seldom, fewer. Of some all must run, of others each member
// stands for itself.
func drawMinima(t *rapid.T, in *Input) {
	size := map[string]int{}
	for _, r := range in.Spec.Running {
		size[r.Gang] += bit(!r.Leaving)
	}
	least := map[string]int{}
	for i := range in.Spec.Running {
		r := &in.Spec.Running[i]
		if _, known := least[r.Gang]; !known {
			least[r.Gang] = -bit(draws.Chance(t, 60, "of members that stand for themselves"))
			if draws.Chance(t, 70, "with a minimum") {
				least[r.Gang] = rapid.IntRange(1, max(1, size[r.Gang]+bit(draws.Chance(t, 15, "below its minimum")))).Draw(t, "minimum")
			}
		}
		if r.MinMember = least[r.Gang]; draws.Chance(t, 8, "does not know the minimum") {
			r.MinMember = -1
		}
	}
}

// drawBudgets draws budgets, and who counts in them.
func drawBudgets(t *rapid.T, in *Input) {
	var names []string
	for i := range rapid.IntRange(1, 2).Draw(t, "budgets") {
		name := fmt.Sprintf("b-%d", draws.HostileRank(i))
		names = append(names, name)
		in.Spec.Budgets = append(in.Spec.Budgets, cluster.Budget{Name: name, Allowed: rapid.IntRange(-1, 2).Draw(t, "allowed")})
	}
	for i := range in.Spec.Running {
		for _, name := range names {
			if r := &in.Spec.Running[i]; draws.Chance(t, 40, "in the budget") {
				r.Budgets = append(slices.Clip(r.Budgets), name)
			}
		}
	}
}

// drawCoupledQuotas puts running gangs into quotas, and the gang mostly into one.
func drawCoupledQuotas(t *rapid.T, in *Input) {
	if draws.Chance(t, 88, "with lenders") {
		in.Request.Quota = "team-9"
		quotasByGang(t, in, []string{"team-9", "team-10", "guests", "staff", "team-9", "guests", "staff", ""})
		drawLenders(t, in)
	} else {
		drawQuotas(t, in)
		quotasByGang(t, in, []string{"team-9", "team-10", "guests", "team-10", "guests", ""})
	}
	if draws.Chance(t, 12, "in no quota") {
		in.Request.Quota, in.Request.QuotaLimit = "", ""
		for i := range in.Spec.Running {
			if r := &in.Spec.Running[i]; r.Gang == in.Request.Name {
				r.Quota = ""
			}
		}
	}
}

// quotasByGang puts the members of a gang into one of these quotas, most of them.
func quotasByGang(t *rapid.T, in *Input, names []string) {
	leaf := rapid.SampledFrom(names)
	of := map[string]string{in.Request.Name: in.Request.Quota}
	in.Spec.Running = slices.Clone(in.Spec.Running)
	for i := range in.Spec.Running {
		r := &in.Spec.Running[i]
		if _, known := of[r.Gang]; !known {
			of[r.Gang] = leaf.Draw(t, "quota")
		}
		if r.Quota, r.NonPreemptible = of[r.Gang], false; r.Gang != in.Request.Name && draws.Chance(t, 10, "in another quota") {
			r.Quota = leaf.Draw(t, "quota")
		}
	}
}

// drawLenders gives the gang's quota a min that about covers it, and others one that they use a bit more than.
func drawLenders(t *rapid.T, in *Input) {
	used := map[string]muster.Resources{"team-9": validity.Ask(&in.Request, in.Request.Members).Request}
	for _, r := range in.Spec.Running {
		if used[r.Quota] == nil {
			used[r.Quota] = muster.Resources{}
		}
		if !r.Leaving {
			used[r.Quota].Add(r.Resources)
		}
	}
	spare := func() int64 { return rapid.Int64Range(0, 2).Draw(t, "min") }
	minOf := func(name string) muster.Resources {
		out := muster.Resources{draws.Device: used[name][draws.Device] - spare() - spare() - spare(), draws.Second: used[name][draws.Second] - 1000*spare()}
		if name == "team-9" {
			out = muster.Resources{draws.Device: used[name][draws.Device] + 2*spare() - 1, draws.Second: used[name][draws.Second] + 2000*spare() - 500}
		} else if draws.Chance(t, 20, "devices alone") {
			delete(out, draws.Second)
		}
		for resource, amount := range out {
			out[resource] = max(0, amount)
		}
		return out
	}
	above := func(a, b quota.Spec) muster.Resources {
		return muster.Resources{draws.Device: a.Min[draws.Device] + b.Min[draws.Device] + spare()/2, draws.Second: a.Min[draws.Second] + b.Min[draws.Second] + 1000*spare()/2}
	}
	teams := []quota.Spec{
		{Name: "org"},
		{Name: "team-9", Parent: "org", Min: minOf("team-9")},
		{Name: "team-10", Parent: "org", Min: minOf("team-10")},
		{Name: "lab"},
		{Name: "guests", Parent: "lab", Min: minOf("guests")},
		{Name: "staff", Parent: "lab", Min: minOf("staff")},
	}
	teams[0].Min, teams[3].Min = above(teams[1], teams[2]), above(teams[4], teams[5])
	tree, err := quota.New(teams)
	if err != nil {
		panic(err)
	}
	in.Spec.Quotas = tree
	if draws.Chance(t, 85, "with total") { // enough for all
		in.Spec.Total = muster.Resources{draws.Device: 99, draws.Second: 99000}
	}
	in.Request.QuotaLimit = rapid.SampledFrom([]quota.Limit{"", quota.Greedy, quota.Greedy, quota.Greedy}).Draw(t, "limit")
	if draws.Chance(t, 15, "members are not preemptible") {
		for i := range in.Request.Members {
			in.Request.Members[i].NonPreemptible = draws.Chance(t, 50, "not preemptible")
		}
	}
}

// boundCandidates makes members unevictable, so that not too many may leave: for the lowest ranks, nor for any others, which a quota may admit
// where it refuses these.
func boundCandidates(in *Input) {
	in.Spec.Running = slices.Clone(in.Spec.Running)
	least := 1
	if s, err := newSolver(in); err == nil {
		least = max(1, s.smallestAdmissible(s.wanted()))
	}
	boundFor := func(members, most int) {
		rules, err := validity.NewEvictions(&in.Spec, &in.Request, validity.Lowest(&in.Spec, &in.Request, min(members, len(in.Request.Members))))
		if err != nil {
			return
		}
		for _, i := range rules.Candidates()[min(most, len(rules.Candidates())):] {
			in.Spec.Running[i].Unevictable = true
		}
	}
	boundFor(least, mostCandidates)
	boundFor(0, MaxCandidates)
}
