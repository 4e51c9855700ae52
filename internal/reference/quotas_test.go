package reference

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/quota"
)

// drawWithQuotas draws a cluster and a gang, a third of them with quotas.
func drawWithQuotas(t *rapid.T) Input {
	in := DrawInput(t, draws.Small)
	if draws.Chance(t, 33, "with quotas") {
		drawQuotas(t, &in)
		in.Request.NeverPreempts = true // it might reclaim
	}
	return in
}

// TestPinnedMembers draws gangs that may start with some members, not all of which are preemptible: a quota may guarantee too little for
// the lowest ranks, and enough for others.
func TestPinnedMembers(t *testing.T) {
	holdsFor(t, mixed(func(t *rapid.T) Input {
		in := DrawInput(t, draws.Small)
		drawQuotas(t, &in)
		in.Request.NeverPreempts = true
		pin(t, &in.Request)
		return in
	}), planAgrees)
}

func TestVictimsOfPinnedMembers(t *testing.T) {
	holdsFor(t, mixedWithVictims(func(t *rapid.T) Input {
		in := drawCoupled(t)
		if in.Request.Quota == "" {
			drawCoupledQuotas(t, &in)
		}
		pin(t, &in.Request)
		return in
	}), func(in Input) ([]string, error) { return preemptionAgrees(in, false) })
}

// pin makes some members not preemptible, of a gang without groups that may start with some of them.
func pin(t *rapid.T, req *gang.Request) {
	req.Groups, req.PP, req.DP, req.Total = nil, 0, 0, 0
	req.Members = slices.Clone(req.Members)
	for i := range req.Members {
		req.Members[i].NonPreemptible = rapid.Bool().Draw(t, "not preemptible")
	}
	req.MinMember = rapid.IntRange(1, max(1, len(req.Members)-1)).Draw(t, "minimum")
}

// drawQuotas gives the cluster two teams below an organisation, and guests, in which its members are, and puts the gang into one of them.
func drawQuotas(t *rapid.T, in *Input) {
	some := func(most int64, label string) int64 { return rapid.Int64Range(0, most).Draw(t, label) }
	amounts := func(n int64) muster.Resources { return muster.Resources{draws.Device: n, draws.Second: 1000 * n} }
	low := [3]int64{some(12, "min"), some(6, "min"), some(6, "min")}
	teams := []quota.Spec{
		{Name: "org", Min: amounts(low[0] + low[1] + some(3, "min"))},
		{Name: "team-9", Parent: "org", Min: amounts(low[0])},
		{Name: "team-10", Parent: "org", Min: amounts(low[1])},
		{Name: "guests", Min: amounts(low[2])},
	}
	for i := range teams {
		q := &teams[i]
		q.Keeps = draws.Chance(t, 20, "keeps")
		if draws.Chance(t, 50, "with max") && (q.Parent == "" || teams[0].Max != nil) {
			q.Max = amounts(q.Min[draws.Device] + some(20, "max"))
		}
		if draws.Chance(t, 20, "with weight") {
			q.Weight = amounts(some(3, "weight"))
		}
	}
	tree, err := quota.New(teams)
	if err != nil {
		panic(err)
	}
	in.Spec.Quotas, in.Spec.Demand = tree, map[string]muster.Resources{"team-10": amounts(some(6, "demand")), "guests": amounts(some(4, "demand"))}
	if draws.Chance(t, 20, "with total") {
		in.Spec.Total = amounts(some(30, "total"))
	}
	req := &in.Request
	req.Quota = rapid.SampledFrom([]string{"team-9", "team-9", "team-10", "guests"}).Draw(t, "quota")
	req.QuotaLimit = rapid.SampledFrom([]quota.Limit{"", quota.Fair, quota.Borrow, quota.Greedy}).Draw(t, "limit")
	leaf := rapid.SampledFrom([]string{"team-9", "team-10", "guests", ""})
	running := make([]cluster.Running, len(in.Spec.Running))
	for i, r := range in.Spec.Running {
		if r.Quota = leaf.Draw(t, "quota"); r.Gang == req.Name {
			r.Quota = req.Quota
		}
		r.NonPreemptible = draws.Chance(t, 30, "not preemptible")
		running[i] = r
	}
	in.Spec.Running = running
	if draws.Chance(t, 30, "members are not preemptible") {
		for i := range req.Members {
			req.Members[i].NonPreemptible = draws.Chance(t, 50, "not preemptible")
		}
	}
}

// quotaKinds says what is special about a cluster with quotas and about its plan.
func quotaKinds(in *Input, a *Answer) []string {
	if in.Request.Quota == "" {
		return nil
	}
	refused, err := refusedByQuota(in)
	least, _ := leastOf(in)
	sets := guaranteedSets(in, least)
	admitted := len(in.Request.Members) - refused
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{"", err == nil},
		{", which refuse the gang", !a.Placed && admitted < a.Wanted},
		{", which refuse a part of the gang", a.Placed && refused > 0},
		{", which refuse a part of a gang that waits", len(a.WaitsFor) > 0 && refused > 0},
		{", which refuse a part of a gang in groups", a.Placed && refused > 0 && len(in.Request.Groups) > 0},
		{", which guarantee too few of the lowest ranks", ofOneShape(&in.Request) && sets != nil},
		{", which guarantee enough of others, placed", ofOneShape(&in.Request) && sets != nil && a.Placed && len(a.WaitsFor) == 0},
		{", which guarantee enough of others, waiting", ofOneShape(&in.Request) && sets != nil && a.Placed && len(a.WaitsFor) > 0},
		{", which refuse all that is left out", a.Placed && admitted == a.Members && refused > 0},
	} {
		if kind.holds {
			out = append(out, "with quotas"+kind.name)
		}
	}
	return out
}
