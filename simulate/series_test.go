package simulate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// seen notes when gangs start, and on which nodes.
type seen struct {
	simulate.Muster
	ends  map[string]int64
	nodes map[string][]string
}

func (s *seen) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	place, err := s.Muster.Place(c, req)
	if place != nil && req.End != 0 {
		s.ends[req.Name], s.nodes[req.Name] = req.End, nil
		for _, a := range place.Plan.Assignments {
			s.nodes[req.Name] = append(s.nodes[req.Name], a.Node)
		}
	}
	return place, err
}

// small is a stream of gangs of up to so many members, all of which fit into a rack of as many nodes.
func small(t *rapid.T, members int) streams.Generated {
	return streams.Generated{
		Seed: rapid.Uint64().Draw(t, "seed"), Jobs: rapid.IntRange(1, 20).Draw(t, "jobs"), Members: members, Shape: gang.Shape{Resources: gpu}, Runs: 20,
		Load: rapid.Int64Range(300, 2000).Draw(t, "load"), Slots: int64(2 * members),
		Gather: func(int) []gang.Rule { return []gang.Rule{{Layer: "rack", Strength: gang.MustGather}} },
	}
}

// At every second the series is what a recount finds, from when gangs came, started and ended, and where.
func TestSeriesIsARecount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 4
		g := small(t, nodes)
		var jobs []simulate.Job
		for j, err := range g.Stream() {
			require.NoError(t, err)
			jobs = append(jobs, j)
		}
		s := &seen{ends: map[string]int64{}, nodes: map[string][]string{}}
		discipline := rapid.SampledFrom([]queue.Discipline{queue.Strict, queue.NextThatFits}).Draw(t, "discipline") // these hold no room
		r, err := simulate.Run(simulate.Options{
			Cluster: racks(&testing.T{}, 2, nodes), Jobs: of(jobs...), Placer: s, Discipline: discipline,
			Series: &simulate.SeriesOptions{Samples: 1 << 20, Fit: &gang.Shape{Resources: gpu}},
		})
		require.NoError(t, err)
		out := r.Series
		require.Equal(t, []int64{r.From, 1, r.To - r.From + 1}, []int64{out.From, out.Step, int64(len(out.Gangs))})
		require.Len(t, out.Fits, 3)
		var used, waited int64
		for i := range out.Gangs {
			at, gangs, asked, runs, taken := out.From+int64(i), 0, int64(0), int64(0), map[string]bool{}
			for _, j := range jobs {
				members, end := int64(len(j.Request.Members)), s.ends[j.Request.Name]
				switch start := end - j.Runs; {
				case j.Arrives <= at && at < start:
					gangs, asked = gangs+1, asked+members
				case start <= at && at < end:
					runs += members
					for _, n := range s.nodes[j.Request.Name] {
						taken[n] = true
					}
				}
			}
			free := [2]int{}
			for n := range 2 * nodes {
				if !taken[fmt.Sprint("node-", n)] {
					free[n/nodes]++
				}
			}
			require.Equal(t, []int64{int64(gangs), asked, runs}, []int64{int64(out.Gangs[i]), out.Asked[i], out.Used[i]}, "at %d", at)
			for k, most := range []int{min(1, free[0]+free[1]), max(free[0], free[1]), free[0] + free[1]} { // node, rack, all
				require.Equal(t, most, out.Fits[k].Members[i], "at %d, layer %q", at, out.Fits[k].Layer)
			}
			used, waited = used+out.Used[i], waited+int64(out.Gangs[i])
		}
		require.Equal(t, []int64{r.Used, r.Waited.Sum}, []int64{used, waited})
	})
}

// A series is bounded: it is every so many seconds of the one that has all of them, and changes nothing else about the report.
func TestSeriesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := small(t, 6)
		g.Checkpoint = 3
		opt := simulate.Options{
			Cluster: racks(&testing.T{}, 2, 6), Discipline: queue.EASY, Outages: []simulate.Outage{{Node: "node-3", From: 30, Until: 50}}, Moves: &simulate.Moves{Pause: 2},
		}
		play := func(samples int) *simulate.Report {
			opt.Jobs, opt.Series = g.Stream(), nil
			if samples >= 0 {
				opt.Series = &simulate.SeriesOptions{Samples: samples, Fit: &gang.Shape{Resources: gpu}}
			}
			r, err := simulate.Run(opt)
			require.NoError(t, err)
			return r
		}
		samples := rapid.IntRange(2, 40).Draw(t, "samples")
		all, some, none := play(1<<20), play(samples), play(-1)
		require.LessOrEqual(t, len(some.Series.Gangs), samples)
		if some.Series.Step > 1 {
			require.Greater(t, 2*len(some.Series.Gangs), samples-1, "more than half of the bound is used")
		}
		require.Equal(t, all.Series.From, some.Series.From)
		for i := range some.Series.Gangs {
			at := int64(i) * some.Series.Step
			require.Equal(t, all.Series.Gangs[at], some.Series.Gangs[i])
			require.Equal(t, all.Series.Asked[at], some.Series.Asked[i])
			require.Equal(t, all.Series.Used[at], some.Series.Used[i])
			for k := range some.Series.Fits {
				require.Equal(t, all.Series.Fits[k].Members[at], some.Series.Fits[k].Members[i])
			}
		}
		used := int64(0)
		for _, amount := range all.Series.Used {
			used += amount
		}
		require.Equal(t, all.Used, used)
		require.Equal(t, some, play(samples))
		require.LessOrEqual(t, len(play(0).Series.Gangs), 512)
		all.Series, some.Series = nil, nil
		require.Equal(t, none, all)
		require.Equal(t, none, some)
	})
}

// What ran at first does not count, a stream without gangs has no instants, and what cannot be asked for is said.
func TestSeriesAtTheEdges(t *testing.T) {
	c := racks(t, 1, 2, cluster.Running{Gang: "before", Member: "m", Node: "node-0", Resources: gpu, End: 4})
	opt := simulate.Options{Cluster: c, Jobs: of(job("a", 2, 1, 2)), Series: &simulate.SeriesOptions{}}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, &simulate.Series{From: 1, Step: 1, Gangs: []int{1, 1, 1, 0, 0, 0}, Asked: []int64{2, 2, 2, 0, 0, 0}, Used: []int64{0, 0, 0, 2, 2, 0}}, r.Series)
	opt.Jobs = of()
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, &simulate.Series{Step: 1}, r.Series)
	for _, samples := range []int{-1, 1} {
		opt.Series.Samples = samples
		_, err = simulate.Run(opt)
		require.EqualError(t, err, fmt.Sprintf(`options.Series.Samples "%d": neither 0 nor above 1`, samples))
	}
	opt.Jobs, opt.Series = of(job("a", 2, 1, 2)), &simulate.SeriesOptions{Fit: &gang.Shape{Resources: gpu}, Tree: "x"}
	_, err = simulate.Run(opt)
	require.ErrorContains(t, err, `"x"`)
}

// Gangs lie wider than their ideal where too little is free in one domain; who places without the tree is measured by it all the same.
func TestWider(t *testing.T) {
	jobs := func() simulate.Stream {
		a, b, c := job("a", 3, 0, 10), job("b", 2, 0, 10), job("c", 1, 5, 10)
		for _, j := range []*simulate.Job{&a, &b, &c} {
			j.Request.Gather[0].Strength = gang.PreferGather
		}
		d := job("d", 5, 6, 10)
		d.Request.Gather = nil
		return of(a, b, c, d)
	}
	run := func(p simulate.Placer) *simulate.Report {
		r, err := simulate.Run(simulate.Options{Cluster: racks(t, 2, 3), Jobs: jobs(), Placer: p})
		require.NoError(t, err)
		return r
	}
	tiers := func(node, rack, root int) []simulate.TierGangs {
		return []simulate.TierGangs{{Tier: 0, Layer: "node", Ideal: 1, Reached: node}, {Tier: 1, Layer: "rack", Ideal: 2, Reached: rack}, {Tier: 2, Ideal: 1, Reached: root}}
	}
	r := run(simulate.Muster{})
	require.Equal(t, 0, r.Wider)
	require.Equal(t, tiers(1, 2, 1), r.Tiers)
	require.Equal(t, r, run(nil))
	before := cluster.Running{Gang: "before", Member: "m", Node: "node-1", Resources: gpu, End: 100}
	r, err := simulate.Run(simulate.Options{Cluster: racks(t, 2, 3, before), Jobs: jobs(), Placer: simulate.FirstFit{}})
	require.NoError(t, err)
	require.Equal(t, 1, r.Wider, "a gang lies across both racks")
	require.Equal(t, tiers(1, 1, 2), r.Tiers)
	must := job("e", 4, 0, 10) // no rack is large enough
	r, err = simulate.Run(simulate.Options{Cluster: racks(t, 2, 3), Jobs: of(must), Placer: simulate.FirstFit{}})
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 0}, []int{r.Ended, r.Wider, len(r.Tiers)})
}
