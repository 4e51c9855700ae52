package simulate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// drawn is a way to play gangs on two racks, and the gangs, with classes or without.
func drawn(t *rapid.T) (opt simulate.Options, jobs func(classes bool) simulate.Stream) {
	opt.Cluster = racks(&testing.T{}, 2, 6)
	opt.Discipline = rapid.SampledFrom([]queue.Discipline{queue.Strict, queue.NextThatFits, queue.EASY, queue.Conservative}).Draw(t, "discipline")
	for at := range rapid.Int64Range(0, 3).Draw(t, "outages") {
		opt.Outages = append(opt.Outages, simulate.Outage{Node: fmt.Sprint("node-", at*5), From: at * 60, Until: at*60 + rapid.Int64Range(1, 200).Draw(t, "for")})
	}
	if rapid.Bool().Draw(t, "moves") {
		opt.Moves = &simulate.Moves{Pause: rapid.Int64Range(0, 9).Draw(t, "pause")}
	}
	inQuotas := rapid.Bool().Draw(t, "quotas")
	if inQuotas {
		opt.Cluster = withQuotas(&testing.T{}, shared(t, 4, 9), 2, 6)
		for at := range rapid.Int64Range(0, 2).Draw(t, "changes") {
			opt.Quotas = append(opt.Quotas, simulate.QuotaChange{From: at * 70, Quotas: shared(t, rapid.Int64Range(0, 6).Draw(t, "min"), rapid.Int64Range(6, 12).Draw(t, "max"))})
		}
	}
	opt.Victims, opt.Slowdown = rapid.Bool().Draw(t, "victims"), 300*rapid.Int64Range(0, 1).Draw(t, "slowdown")
	strength := rapid.SampledFrom([]gang.Strength{gang.MustGather, gang.PreferGather}).Draw(t, "strength")
	g := streams.Generated{
		Seed: rapid.Uint64().Draw(t, "seed"), Jobs: rapid.IntRange(1, 40).Draw(t, "jobs"), Members: 6, Shape: gang.Shape{Resources: gpu}, Runs: 50,
		Load: rapid.Int64Range(300, 2000).Draw(t, "load"), Slots: 12, Longer: rapid.Int64Range(0, 3).Draw(t, "longer"), Checkpoint: rapid.Int64Range(0, 20).Draw(t, "checkpoint"),
		Gather: func(int) []gang.Rule { return []gang.Rule{{Layer: "rack", Strength: strength}} },
	}
	return opt, func(classes bool) simulate.Stream {
		return func(yield func(simulate.Job, error) bool) {
			for j, err := range g.Stream() {
				if inQuotas {
					name := string(rune('a' + j.Runs%2))
					j = within(name, j)
					j.Class += name
				}
				if !classes {
					j.Class = ""
				}
				if j.Request.Priority = int64(len(j.Request.Members) % 2); !yield(j, err) {
					return
				}
			}
		}
	}
}

// checking places as Muster does, and holds each plan to the rules by recomputing them from what the cluster says of itself.
type checking struct {
	t     require.TestingT
	plans *int
}

func (p checking) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	place, err := simulate.Muster{}.Place(c, req)
	if err != nil || place == nil {
		return place, err
	}
	*p.plans++
	idle := *req
	idle.QuotaLimit = quota.Borrow // what its fair share refuses is asked for once more
	spec := validity.Describe(c, "")
	if q := c.Quotas(); q != nil {
		spec.Quotas, spec.Demand = q.Tree(), map[string]muster.Resources{}
		for _, name := range q.Quotas() {
			_, _, spec.Demand[name] = q.Usage(name)
		}
	}
	if err := validity.Check(spec, req, place.Plan); err != nil {
		require.NoError(p.t, validity.Check(spec, &idle, place.Plan), "%v", err)
	}
	return place, nil
}

// Whatever happens, gangs start by plans that keep all rules.
func TestRulesAreKept(t *testing.T) {
	plans := 0
	rapid.Check(t, func(t *rapid.T) {
		opt, jobs := drawn(t)
		opt.Placer, opt.Jobs = checking{t, &plans}, jobs(true)
		_, err := simulate.Run(opt)
		require.NoError(t, err)
	})
	require.Positive(t, plans)
}
