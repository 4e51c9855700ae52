package simulate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/topology"
)

var gpu = muster.Resources{"gpu": 1}

// racks is a cluster of racks of so many nodes of one device each: node-0, node-1, and so on.
func racks(t testing.TB, racks, nodes int, running ...cluster.Running) *placement.Cluster {
	t.Helper()
	spec, tree := cluster.Spec{Running: running}, topology.Spec{Layers: []topology.Layer{{Name: "rack", Tier: 1}}}
	for r := range racks {
		d := topology.Domain{Name: fmt.Sprint("rack-", r), Tier: 1}
		for range nodes {
			name := fmt.Sprint("node-", len(spec.Nodes))
			d.Nodes, spec.Nodes = append(d.Nodes, name), append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpu})
		}
		tree.Roots = append(tree.Roots, d)
	}
	made, err := topology.New(tree)
	require.NoError(t, err)
	spec.Trees = []cluster.NamedTree{{Tree: made}}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	return c
}

// job is a gang of members that must gather in a rack.
func job(name string, members int, arrives, runs int64) simulate.Job {
	j := simulate.Job{Arrives: arrives, Runs: runs, Class: fmt.Sprint(members)}
	j.Request = gang.Request{Name: name, Shape: gang.Shape{Resources: gpu}, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}
	for i := range members {
		j.Request.Members = append(j.Request.Members, gang.Member{Name: fmt.Sprintf("%s-%d", name, i)})
	}
	return j
}

func of(jobs ...simulate.Job) simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		for _, j := range jobs {
			if !yield(j, nil) {
				return
			}
		}
	}
}

// starts notes when gangs start, as a placer is asked.
type starts struct {
	simulate.Placer
	at map[string]int64
}

func (s *starts) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	place, err := s.Placer.Place(c, req)
	if place != nil && req.End != 0 {
		s.at[req.Name] = req.End
	}
	return place, err
}

// One rack of four nodes: three are taken until 10, wide needs all four, a short and a long gang of one node come behind it.
func TestDisciplines(t *testing.T) {
	jobs := []simulate.Job{job("first", 3, 0, 10), job("wide", 4, 1, 10), job("long", 1, 2, 15), job("short", 1, 3, 5)}
	for discipline, want := range map[queue.Discipline]string{
		queue.Strict:       "first 0, wide 10, long 20, short 20",
		queue.NextThatFits: "first 0, wide 17, long 2, short 10", // long keeps wide off
		queue.EASY:         "first 0, wide 10, long 20, short 3",
		queue.Conservative: "first 0, wide 10, long 20, short 3",
	} {
		s := &starts{simulate.Muster{}, map[string]int64{}}
		r, err := simulate.Run(simulate.Options{Cluster: racks(t, 1, 4), Jobs: of(jobs...), Placer: s, Discipline: discipline})
		require.NoError(t, err)
		var got []string
		for _, j := range jobs {
			got = append(got, fmt.Sprintf("%s %d", j.Request.Name, s.at[j.Request.Name]-j.Runs))
		}
		require.Equal(t, want, strings.Join(got, ", "), discipline)
		require.Equal(t, 4, r.Ended)
	}
}

// Gangs of one class are passed over once one of them was refused, until something is freed: that changes nothing but how often the placer is asked. And equal
// arguments give equal bytes.
func TestClassesChangeNothing(t *testing.T) {
	evicted, slowed, moved := 0, int64(0), 0
	rapid.Check(t, func(t *rapid.T) {
		opt, jobs := drawn(t)
		play := func(classes bool) *simulate.Report {
			opt.Jobs = jobs(classes)
			r, err := simulate.Run(opt)
			require.NoError(t, err)
			require.Equal(t, r.Arrived, r.Ended+r.NeverFit+r.Waiting)
			return r
		}
		with, without := play(true), play(false)
		require.LessOrEqual(t, with.Tries, without.Tries)
		var again, first bytes.Buffer
		require.NoError(t, with.Write(&first))
		require.NoError(t, play(true).Write(&again))
		require.Equal(t, first.String(), again.String())
		evicted, slowed, moved = evicted+with.EvictedMembers, slowed+with.Slowed, moved+with.MovedMembers
		with.Tries, without.Tries = 0, 0
		require.Equal(t, without, with)
	})
	if !testing.Short() { // few draws may have none
		require.Positive(t, evicted)
		require.Positive(t, slowed)
		require.Positive(t, moved)
	}
}

// A gang whose node fails starts anew with what it has done until its last checkpoint, elsewhere or once the node is back.
func TestOutages(t *testing.T) {
	j := job("a", 2, 0, 100)
	j.Checkpoint = 30
	s := &starts{simulate.Muster{}, map[string]int64{}}
	opt := simulate.Options{Cluster: racks(t, 1, 2), Jobs: of(j), Placer: s, Outages: []simulate.Outage{{Node: "node-1", From: 70, Until: 90}, {Node: "node-0", From: 500}}}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, int64(130), s.at["a"], "60 of 100 seconds are done; 40 more from 90 on")
	require.Equal(t, 1, r.Restarts)
	require.Equal(t, []int64{2 * 10, 2 * 110, 2 * 100, 130}, []int64{r.Lost, r.Used, r.Asked, r.To})
	opt.Outages = []simulate.Outage{{Node: "node-1", From: 70, Until: 90}, {Node: "node-1", From: 80, Until: 95}}
	opt.Jobs = of(j)
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, int64(135), r.To, "it is back once both are over")
	opt.Outages = []simulate.Outage{{Node: "node-1", From: 70}}
	opt.Jobs = of(j)
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, 1, r.Waiting, "the node never comes back")
}

// careless puts gangs of one on the first node that is free.
type careless struct{ simulate.Muster }

func (p careless) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	if len(req.Members) == 1 {
		return simulate.FirstFit{}.Place(c, req)
	}
	return p.Muster.Place(c, req)
}

// A gang moves so that one that waits fits, is done later by what it has lost, and nobody moves for more members than the one that waits has.
func TestMoves(t *testing.T) {
	a, b := job("a", 1, 0, 100), job("b", 1, 0, 100)
	a.Checkpoint = 7
	a.Request.Gather[0].Strength, b.Request.Gather[0].Strength = gang.PreferGather, gang.PreferGather
	s := &starts{careless{}, map[string]int64{}}
	opt := simulate.Options{
		Cluster: racks(t, 2, 2), Jobs: of(a, job("aa", 1, 0, 10), b, job("wide", 2, 10, 5)), Placer: s, Moves: &simulate.Moves{Pause: 5},
	}
	r, err := simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 4}, []int{r.MovedGangs, r.MovedMembers, r.Ended})
	require.Equal(t, int64(100+3+5), r.To, "it loses three of ten seconds, and stands still for five")
	require.Equal(t, int64(3+5), r.Lost)
	require.Equal(t, int64(0), r.Waited.Sum)
	opt.Moves, opt.Jobs = nil, of(a, job("aa", 1, 0, 10), b, job("wide", 2, 10, 5))
	r, err = simulate.Run(opt)
	require.NoError(t, err)
	require.Equal(t, int64(90), r.Waited.Sum)
	opt.Moves = &simulate.Moves{MaxMoved: -1}
	_, err = simulate.Run(opt)
	require.EqualError(t, err, `options.Moves "{MaxMoved:-1 Pause:0}": negative`)
}

// What runs at first ends when it is expected to; a gang too large for the cluster is left out, once.
func TestWhatRunsAtFirst(t *testing.T) {
	c := racks(t, 1, 2, cluster.Running{Gang: "before", Member: "m", Node: "node-0", Resources: gpu, End: 40})
	s := &starts{simulate.Muster{}, map[string]int64{}}
	r, err := simulate.Run(simulate.Options{Cluster: c, Jobs: of(job("huge", 3, 0, 5), job("a", 2, 0, 5), job("huge", 3, 1, 5)), Placer: s})
	require.NoError(t, err)
	require.Equal(t, int64(45), s.at["a"])
	require.Equal(t, []int{3, 2, 1, 0}, []int{r.Arrived, r.NeverFit, r.Ended, r.Waiting})
	c = racks(t, 1, 2, cluster.Running{Gang: "before", Member: "m", Node: "node-0", Resources: gpu})
	r, err = simulate.Run(simulate.Options{Cluster: c, Jobs: of(job("a", 2, 0, 5))})
	require.NoError(t, err)
	require.Equal(t, 1, r.Waiting, "it never ends")
	leaving := cluster.Running{Gang: "before", Member: "n", Node: "node-1", Resources: gpu, Leaving: true}
	c = racks(t, 1, 2, leaving, cluster.Running{Gang: "before", Member: "m", Node: "node-0", Resources: gpu, End: 40})
	r, err = simulate.Run(simulate.Options{Cluster: c, Jobs: of(job("b", 1, 0, 5), job("a", 2, 0, 5)), Placer: s})
	require.NoError(t, err)
	require.Equal(t, []int64{5, 45}, []int64{s.at["b"], s.at["a"]}, "who is leaving has gone, and its gang ends with the others")
	require.Equal(t, 2, r.Ended)
}

// nowhere puts each gang on one node.
type nowhere struct{ simulate.Muster }

func (nowhere) Place(_ *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	p := &simulate.Place{}
	for range req.Members {
		p.Nodes = append(p.Nodes, "node-0")
	}
	return p, nil
}

// What is wrong is named.
func TestDefects(t *testing.T) {
	c := racks(t, 1, 2)
	run := func(change func(*simulate.Options), jobs ...simulate.Job) error {
		opt := simulate.Options{Cluster: c, Jobs: of(jobs...)}
		if change != nil {
			change(&opt)
		}
		_, err := simulate.Run(opt)
		return err
	}
	a := job("a", 1, 5, 5)
	with := func(change func(*simulate.Job)) simulate.Job {
		j := a
		change(&j)
		return j
	}
	for want, err := range map[string]error{
		`options: a simulation needs a cluster and jobs`:              run(func(o *simulate.Options) { o.Jobs = nil }),
		`options.Discipline "esy": unknown`:                           run(func(o *simulate.Options) { o.Discipline = "esy" }),
		`options.Outages[0].Node "x": the node is not in the cluster`: run(func(o *simulate.Options) { o.Outages = []simulate.Outage{{Node: "x"}} }),
		`options.Outages[0].Until "1": not behind From`:               run(func(o *simulate.Options) { o.Outages = []simulate.Outage{{Node: "node-0", From: 1, Until: 1}} }),
		`options.Outages[1].From "1": before the one in front of it`: run(func(o *simulate.Options) {
			o.Outages = []simulate.Outage{{Node: "node-0", From: 2}, {Node: "node-0", From: 1}}
		}),
		`job: Request.Name: missing`:                                            run(nil, with(func(j *simulate.Job) { j.Request.Name = "" })),
		`job b: Arrives "4": before the one in front of it, which is at 5`:      run(nil, a, job("b", 1, 4, 5)),
		`job a: Runs "0": not positive`:                                         run(nil, with(func(j *simulate.Job) { j.Runs = 0 })),
		`job a: Expected "-1": negative`:                                        run(nil, with(func(j *simulate.Job) { j.Expected = -1 })),
		`job a: Checkpoint "-1": negative`:                                      run(nil, with(func(j *simulate.Job) { j.Checkpoint = -1 })),
		`job: Request.Name "a": a gang of this name runs or waits already`:      run(nil, a, a),
		`request.Gather[0].Layer "floor": unknown layer: not one of rack, node`: run(nil, with(func(j *simulate.Job) { j.Request.Gather = []gang.Rule{{Layer: "floor", Strength: gang.MustGather}} })),
		`conflict: node node-0, member a a-1: over-committed (gpu by 1)`:        run(func(o *simulate.Options) { o.Placer = nowhere{} }, job("a", 2, 0, 5)),
	} {
		require.EqualError(t, err, want)
	}
}

// First fit takes the first nodes that have room, and no rule keeps it off.
func TestFirstFit(t *testing.T) {
	c := racks(t, 2, 2, cluster.Running{Gang: "before", Member: "m", Node: "node-0", Resources: gpu, End: 40})
	r, err := simulate.Run(simulate.Options{Cluster: c, Jobs: of(job("a", 3, 0, 5), job("b", 1, 0, 5), job("c", 4, 0, 5)), Placer: simulate.FirstFit{}})
	require.NoError(t, err)
	require.Equal(t, int64(0+5+40), r.Waited.Sum, "a gang that must gather in a rack lies across two")
	a := job("a", 3, 0, 5)
	res, err := simulate.FirstFit{}.Place(c, &a.Request)
	require.NoError(t, err)
	require.Equal(t, []string{"node-1", "node-2", "node-3"}, res.Nodes)
}
