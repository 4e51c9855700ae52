package simulate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/streams"
)

// another is the same placer, of which nothing is known.
type another struct{ simulate.Muster }

// Whoever is larger than a gang of its kind that was refused is not tried: that changes nothing but how often the placer is asked.
func TestLargerGangsAreRefusedToo(t *testing.T) {
	all, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := racks(&testing.T{}, 3, 4)
		g := streams.Generated{
			Seed: rapid.Uint64().Draw(t, "seed"), Jobs: rapid.IntRange(1, 60).Draw(t, "jobs"), Members: rapid.IntRange(1, 12).Draw(t, "largest"), Shape: gang.Shape{Resources: gpu}, Runs: 50,
			Load: rapid.Int64Range(500, 3000).Draw(t, "load"), Slots: 12,
			Gather: func(members int) []gang.Rule {
				if members > 4 {
					return nil
				}
				return []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
			},
		}
		var outages []simulate.Outage
		for at := range rapid.Int64Range(0, 3).Draw(t, "outages") {
			outages = append(outages, simulate.Outage{Node: fmt.Sprint("node-", at*3), From: at * 60, Until: at*60 + rapid.Int64Range(1, 200).Draw(t, "for")})
		}
		discipline, longer := rapid.SampledFrom([]queue.Discipline{queue.NextThatFits, queue.EASY}).Draw(t, "discipline"), rapid.Int64Range(1, 3).Draw(t, "longer")
		g.Longer, g.Checkpoint = longer, 20
		slowdown := 250 * rapid.Int64Range(0, 1).Draw(t, "slowdown")
		others := rapid.Bool().Draw(t, "others") // whose rules are more than a size
		play := func(p simulate.Placer) *simulate.Report {
			r, err := simulate.Run(simulate.Options{Cluster: c, Outages: outages, Placer: p, Discipline: discipline, Slowdown: slowdown, Jobs: func(yield func(simulate.Job, error) bool) {
				i := 0
				for j, err := range g.Stream() {
					i++
					j.Request.Priority = int64(i % 3)
					if others {
						vary(&j, i)
					}
					if !yield(j, err) {
						return
					}
				}
			}})
			require.NoError(t, err)
			return r
		}
		with, without := play(simulate.Muster{}), play(another{})
		require.LessOrEqual(t, with.Tries, without.Tries)
		all, tried = all+without.Tries, tried+with.Tries
		with.Tries, without.Tries = 0, 0
		require.Equal(t, without, with)
	})
	require.Less(t, tried, all, "some need not be tried")
}

// vary gives some gangs more than a shape and a layer.
func vary(j *simulate.Job, i int) {
	n := len(j.Request.Members)
	switch kind := i % 6; {
	case kind == 1 && n > 1:
		j.Request.MinMember = n - 1
	case kind == 2:
		j.Request.MinMember = n
	case kind == 3 && n%2 == 0:
		j.Request.Groups = []gang.Groups{{Size: 2, Gather: []gang.Rule{{Layer: "node", Strength: gang.MustGather}}}}
	case kind == 4:
		j.Request.Gather = []gang.Rule{{Layer: "rack", Multiple: 2}}
	case kind == 5:
		j.Request.Exclude = []string{"node-0"}
	default:
		return
	}
	j.Class += fmt.Sprint(" ", i%6)
}

// Where a refusal says nothing of larger gangs they are tried: beside room that is held, on nodes with zones, where members ask for different things, and of kinds that differ.
func TestWhoIsTriedAllTheSame(t *testing.T) {
	jobs := func(second func(j *simulate.Job)) simulate.Stream {
		first, small, large := job("first", 4, 0, 100), job("small", 2, 1, 10), job("large", 3, 2, 10)
		second(&large)
		return of(first, small, large)
	}
	tries := func(opt simulate.Options, change func(j *simulate.Job)) int {
		opt.Jobs = jobs(change)
		r, err := simulate.Run(opt)
		require.NoError(t, err)
		require.Equal(t, 3, r.Ended)
		return r.Tries
	}
	none := func(*simulate.Job) {}
	c := racks(t, 1, 5)
	require.Equal(t, 4, tries(simulate.Options{Cluster: c}, none), "first, small in vain, small, large")
	for name, change := range map[string]func(j *simulate.Job){
		"a shape of its own": func(j *simulate.Job) { j.Request.Members[0].Shape = &gang.Shape{Resources: gpu} },
		"another shape": func(j *simulate.Job) {
			j.Request.Shape.Selector, j.Request.Shape.Tolerations = nil, []gang.Toleration{{Exists: true}}
		},
		"another layer":       func(j *simulate.Job) { j.Request.Gather = []gang.Rule{{Layer: "rack", Strength: gang.PreferGather}} },
		"a multiple":          func(j *simulate.Job) { j.Request.Gather = []gang.Rule{{Layer: "rack", Multiple: 3}} },
		"bound to its quota":  func(j *simulate.Job) { j.Request.Members[0].NonPreemptible = true },
		"zones":               func(j *simulate.Job) { j.Request.Shape.NUMA.ThreadsPerCore = 1 },
		"fewer members start": func(j *simulate.Job) { j.Request.MinMember = 2 },
	} {
		require.Equal(t, 5, tries(simulate.Options{Cluster: c}, change), name)
	}
	require.Equal(t, 5, tries(simulate.Options{Cluster: c, Moves: &simulate.Moves{}}, none), "moves")
	n, _ := c.Node("node-4")
	n.NUMA = &cluster.NUMA{Zones: []numa.Zone{{Allocatable: muster.Resources{"gpu": 1}}}}
	zoned, err := c.Update(cluster.Delta{SetNodes: []cluster.Node{n}})
	require.NoError(t, err)
	require.Equal(t, 5, tries(simulate.Options{Cluster: zoned}, none), "nodes with zones")
	held, err := c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{"late": {{Gang: "late", Member: "late-0", Node: "node-4", Resources: gpu, From: 10000}}}})
	require.NoError(t, err)
	require.Equal(t, 5, tries(simulate.Options{Cluster: held}, none), "room that is held")
}
