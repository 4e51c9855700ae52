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

// pods is a fabric of 2 spines with so many pods each, of 4 units of 32 nodes.
func pods(b testing.TB, each int) cluster.Spec {
	b.Helper()
	var spec cluster.Spec
	tree := topology.Spec{Layers: []topology.Layer{{Name: "unit", Tier: 1}, {Name: "pod", Tier: 2}, {Name: "spine", Tier: 3}}}
	for s := range 2 {
		spine := topology.Domain{Name: fmt.Sprint("s", s), Tier: 3}
		for p := range each {
			pod := topology.Domain{Name: fmt.Sprintf("s%d-p%d", s, p), Tier: 2}
			for u := range 4 {
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

// churned is a cluster on which gangs of 1 to so many nodes, log-uniform, came as long as they fit and left at random, at a load of 0.85; and one that does not fit. They
// must gather as far as they can, or need not.
func churned(b testing.TB, largest int, gathers bool, seed uint64) (*placement.Cluster, []placement.Mover, *gang.Request) {
	b.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	spec := pods(b, 4)
	c, err := placement.NewCluster(spec)
	require.NoError(b, err)
	nodes := len(spec.Nodes)
	size := func(largest int) int { return int(math.Exp2(r.Float64() * math.Log2(float64(largest)))) }
	var names []string
	running, used := map[string]*gang.Request{}, 0
	for i := 0; ; i++ {
		last := i > 4*nodes && used <= nodes*85/100
		req := sized(fmt.Sprintf("gang-%d", i), size(largest))
		if last {
			req = sized(req.Name, size(128))
		} else if !gathers {
			req.Gather = nil
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

// churnedSeries are clusters that are made when they are asked for.
type churnedSeries struct {
	clusters []*placement.Cluster
	movers   [][]placement.Mover
	refused  []*gang.Request
}

// BenchmarkMoves asks whom to move for a gang that does not fit, so that a unit or a pod becomes empty, or so that all gangs lie as tight as can be, on a series of
// clusters: goal 250 ms, and 80 % of the answers proven.
func BenchmarkMoves(b *testing.B) {
	for _, largest := range []int{8, 128} {
		all := map[bool]*churnedSeries{false: {}, true: {}}
		for _, goal := range []string{"fit", "empty=unit", "empty=pod", "tight"} {
			b.Run(fmt.Sprintf("nodes=1024/largest=%d/%s", largest, goal), func(b *testing.B) {
				gathers := goal != "tight"
				of := all[gathers]
				found, proven, members, bound, gangs, asked, worst := 0, 0, 0, 0, 0, 0, time.Duration(0)
				for b.Loop() {
					at := asked % movesSeries
					asked++
					if at == len(of.clusters) {
						b.StopTimer()
						c, movers, req := churned(b, largest, gathers, uint64(at))
						of.clusters, of.movers, of.refused = append(of.clusters, c), append(of.movers, movers), append(of.refused, req)
						b.StartTimer()
					}
					start := time.Now()
					m, err := placement.Moves(of.clusters[at], goalOf(goal, of.refused[at]), placement.MovesOptions{Movers: of.movers[at]})
					worst = max(worst, time.Since(start))
					gangs += len(of.movers[at])
					var no *placement.Unschedulable
					switch {
					case err == nil:
						found, members, bound = found+1, members+m.Cost.Members, bound+m.LowerBound.Members
					case !errors.As(err, &no):
						b.Fatal(err)
					}
					if err == nil && m.Proven || err != nil && no.Proven {
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
