package benchmarks_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// pods is a fabric of 2 spines, 4 pods in each, and so many units of 32 nodes in each of these.
func pods(b testing.TB, units int) cluster.Spec {
	b.Helper()
	var spec cluster.Spec
	tree := topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "pod", Tier: 2}, {Name: "spine", Tier: 3}}}
	for s := range 2 {
		spine := topology.Domain{Name: fmt.Sprint("s", s), Tier: 3}
		for p := range 4 {
			pod := topology.Domain{Name: fmt.Sprintf("s%d-p%d", s, p), Tier: 2}
			for u := range units {
				unit := topology.Domain{Name: fmt.Sprintf("s%d-p%d-u%d", s, p, u), Tier: 1}
				for range 32 {
					name := fmt.Sprintf("node-%d", len(spec.Nodes))
					unit.Nodes = append(unit.Nodes, name)
					spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: muster.Resources{"nvidia.com/gpu": 8}})
				}
				pod.Children = append(pod.Children, unit)
			}
			spine.Children = append(spine.Children, pod)
		}
		tree.Roots = append(tree.Roots, spine)
	}
	made, err := topology.New(tree)
	require.NoError(b, err)
	spec.Trees = []cluster.NamedTree{{Tree: made}}
	return spec
}

// sized is a gang of whole nodes that must gather in a unit if it fits into one, else in a pod.
func sized(name string, members int) *gang.Request {
	req := &gang.Request{Name: name, Shape: gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": 8}}, Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}
	if members > 32 {
		req.Gather[0].Layer = "pod"
	}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("%s-%d", name, i), Index: i, Indexed: true})
	}
	return req
}

// churned is a cluster on which gangs of 1 to so many nodes, log-uniform, came as long as they fit and left at random, at a load of 0.85; and one that does not fit.
func churned(b testing.TB, units, largest int, seed uint64) (*placement.Cluster, []placement.Mover, *gang.Request) {
	b.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	c, err := placement.NewCluster(pods(b, units))
	require.NoError(b, err)
	nodes := 2 * 4 * units * 32
	size := func(largest int) int { return int(math.Exp2(r.Float64() * math.Log2(float64(largest)))) }
	var names []string
	running, used := map[string]*gang.Request{}, 0
	for i := 0; ; i++ {
		last := i > 4*nodes && used <= nodes*85/100
		req := sized(fmt.Sprintf("gang-%d", i), size(largest))
		if last {
			req = sized(req.Name, size(128))
		}
		if res, err := placement.Plan(c, req); err == nil {
			c, err = c.Apply(res)
			require.NoError(b, err)
			names, running[req.Name], used = append(names, req.Name), req, used+len(req.Members)
		} else if last {
			var movers []placement.Mover
			for _, name := range names {
				movers = append(movers, placement.Mover{Gang: name, Request: running[name]})
			}
			return c, movers, req
		}
		for used > nodes*85/100 {
			at := r.IntN(len(names))
			used -= len(running[names[at]].Members)
			c, err = c.ReleaseGangs(names[at])
			require.NoError(b, err)
			names[at] = names[len(names)-1]
			names = names[:len(names)-1]
		}
	}
}

// movesSeries is how many clusters a series has.
const movesSeries = 20

// BenchmarkMoves asks whom to move for a gang that does not fit, so that a unit or a pod becomes empty, or so that all gangs lie as tight as can be, on a series of
// clusters: goal 250 ms, and 80 % of the answers proven.
func BenchmarkMoves(b *testing.B) {
	for _, size := range []int{8, 128} {
		var clusters []*placement.Cluster
		var movers [][]placement.Mover
		var refused []*gang.Request
		for _, goal := range []string{"fit", "empty=unit", "empty=pod", "tight"} {
			b.Run(fmt.Sprintf("nodes=1024/largest=%d/%s", size, goal), func(b *testing.B) {
				for seed := len(clusters); seed < movesSeries; seed++ {
					c, m, req := churned(b, 4, size, uint64(seed))
					clusters, movers, refused = append(clusters, c), append(movers, m), append(refused, req)
				}
				found, proven, members, bound, gangs, asked, worst := 0, 0, 0, 0, 0, 0, time.Duration(0)
				for b.Loop() {
					at := asked % movesSeries
					asked++
					start := time.Now()
					m, err := placement.Moves(clusters[at], goalOf(goal, refused[at]), placement.MovesOptions{Movers: movers[at]})
					worst = max(worst, time.Since(start))
					gangs += len(movers[at])
					if err != nil {
						require.ErrorIs(b, err, placement.ErrUnschedulable)
						var no *placement.Unschedulable
						if errors.As(err, &no) && no.Proven {
							proven++
						}
						continue
					}
					found++
					members, bound = members+m.Cost.Members, bound+m.LowerBound.Members
					if m.Proven {
						proven++
					}
				}
				n := float64(asked)
				b.ReportMetric(float64(found)/n*100, "found_%")
				b.ReportMetric(float64(proven)/n*100, "proven_%")
				b.ReportMetric(float64(members)/n, "moved")
				b.ReportMetric(float64(bound)/n, "bound")
				b.ReportMetric(float64(gangs)/n, "gangs")
				b.ReportMetric(float64(worst.Milliseconds()), "worst_ms")
			})
		}
	}
}

func goalOf(name string, req *gang.Request) placement.MoveGoal {
	layer, empty := strings.CutPrefix(name, "empty=")
	switch {
	case empty:
		return placement.MoveGoal{Empty: layer}
	case name == "tight":
		return placement.MoveGoal{Tight: true}
	}
	return placement.MoveGoal{Fit: req}
}
