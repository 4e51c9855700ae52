package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// replayCase is one row: gangs of 1 to 256 members unless the number of members is set, of one shape or of four.
type replayCase struct {
	fill
	gang, shapes int
}

func (c replayCase) name() string {
	name := fmt.Sprintf("nodes=%d", c.nodes)
	if c.gang != 0 {
		name += fmt.Sprintf("/gang=%d", c.gang)
	}
	name += c.segments()
	if c.shapes > 1 {
		name += fmt.Sprintf("/shapes=%d", c.shapes)
	}
	return name
}

// BenchmarkReplay plays a queue through: in one iteration a gang comes, is planned and applied, and as many others
// leave, each by a Release, as keep the cluster 70 % full; on average one.
func BenchmarkReplay(b *testing.B) {
	for _, c := range []replayCase{
		{fragmented(1024), 0, 1},
		{fragmented(10240), 0, 1},
		{fragmented(10240), 64, 1},
		{fill{nodes: 10240, name: "frag70", slots: 8}, 0, 4},
		{fragmented(102400), 0, 1},
	} {
		b.Run(c.name(), c.run)
	}
}

func (c replayCase) run(b *testing.B) {
	forget()
	p := c.start(b)
	var requests []*gang.Request
	total, released := sum{}, p.released
	b.ReportAllocs()
	for b.Loop() {
		i := total.plans % 1024
		if i == 0 {
			b.StopTimer()
			requests = p.arrivals(1024)
			b.StartTimer()
		}
		res, err := p.step(requests[i])
		if err != nil {
			b.Fatal(err)
		}
		total.add(requests[i], res)
	}
	total.report(b, c.nodes)
	b.ReportMetric(float64(total.placed)/b.Elapsed().Seconds(), "replays/s")
	b.ReportMetric(float64(p.released-released)/float64(total.plans), "releases")
	b.ReportMetric(100*float64(total.plans-total.placed)/float64(total.plans), "refused-%")
	b.ReportMetric(p.fill(), "fill-%")
}

// player holds the cluster and who runs on it.
type player struct {
	replayCase
	shape    benchmarks.Shape
	rng      *rand.Rand
	cluster  *placement.Cluster
	first    []resident // of the fill that it started with; they leave first
	resident []resident
	slots    int // in the cluster
	taken    int
	arrived  int
	released int
}

// resident is a running gang and the slots that it holds.
type resident struct {
	name  string
	slots int
}

// start plays until nobody of the first fill is left.
func (c replayCase) start(tb testing.TB) *player {
	tb.Helper()
	fleet := c.fleet(tb)
	p := &player{replayCase: c, shape: fleet.Shape, rng: rand.New(rand.NewPCG(4, 0)), slots: fleet.NumSlots()}
	var err error
	p.cluster, err = fleet.Next()
	require.NoError(tb, err)
	p.taken = p.slots - fleet.FreeSlots()
	for i, name := range fleet.Gangs() {
		p.first = append(p.first, resident{name, min(64, p.taken-i*64)})
	}
	for len(p.first) > 0 {
		p.play(tb, 1)
	}
	return p
}

func (p *player) play(tb testing.TB, gangs int) {
	tb.Helper()
	for range gangs {
		_, err := p.step(p.arrivals(1)[0])
		require.NoError(tb, err)
	}
}

// gangSizes are what gangs of varying sizes are drawn from: many small ones, few large ones, 15 members on average.
var gangSizes = func() []int {
	var sizes []int
	for k, times := range []int{16, 11, 8, 6, 4, 3, 2, 1, 1} {
		for range times {
			sizes = append(sizes, 1<<k)
		}
	}
	return sizes
}()

// arrivals draws the next gangs that come.
func (p *player) arrivals(n int) []*gang.Request {
	out := make([]*gang.Request, n)
	for i := range out {
		size := gangSizes[p.rng.IntN(len(gangSizes))]
		if p.gang != 0 {
			size = sizesAround(p.gang)[p.rng.IntN(64)]
		}
		out[i] = request(p.shape, size, 0)
		out[i].Name = fmt.Sprintf("replay/gang-%d", p.arrived)
		p.arrived++
		if times := int64(1) << p.rng.IntN(p.shapes); times > 1 {
			for name := range out[i].Shape.Resources {
				out[i].Shape.Resources[name] *= times
			}
		}
	}
	return out
}

// step plans a gang and applies the plan; then others leave. It returns nil if the gang was refused.
func (p *player) step(r *gang.Request) (*placement.Result, error) {
	res, err := planned(p.cluster, r)
	if res == nil {
		return nil, err
	}
	if p.cluster, err = p.cluster.Apply(res); err != nil {
		return nil, err
	}
	each := r.Shape.Resources["nvidia.com/gpu"] / p.shape.Member()["nvidia.com/gpu"]
	came := resident{r.Name, len(r.Members) * int(each)}
	p.resident, p.taken = append(p.resident, came), p.taken+came.slots
	for p.taken*100 > p.slots*70 {
		gone := p.leaving()
		if p.cluster, err = p.cluster.Release(gone.name); err != nil {
			return nil, err
		}
		p.taken -= gone.slots
		p.released++
	}
	return res, nil
}

// leaving draws who leaves, and crosses it off.
func (p *player) leaving() resident {
	list := &p.resident
	if len(p.first) > 0 {
		list = &p.first
	}
	i, last := p.rng.IntN(len(*list)), len(*list)-1
	gone := (*list)[i]
	(*list)[i] = (*list)[last]
	*list = (*list)[:last]
	return gone
}

// fill is how full the cluster is, in percent.
func (p *player) fill() float64 { return 100 * float64(p.taken) / float64(p.slots) }

// The cluster stays as full as it was, by the player's count and by the snapshot's.
func TestReplayStaysAtTheFill(t *testing.T) {
	for _, c := range []replayCase{
		{fragmented(10240), 0, 1},
		{fragmented(10240), 64, 1},
		{fill{nodes: 10240, name: "frag70", slots: 8}, 0, 4},
	} {
		t.Run(c.name(), func(t *testing.T) {
			p := c.start(t)
			require.Empty(t, p.first)
			released := p.released
			for range 20 {
				p.play(t, 10)
				require.InDelta(t, 70, p.fill(), 3)
				devices := int64(0)
				for m := range p.cluster.Running() {
					devices += m.Resources["nvidia.com/gpu"]
				}
				require.EqualValues(t, p.taken, devices*int64(c.slots)/8)
			}
			require.InDelta(t, 200, p.released-released, 150, "about as many gangs leave as come")
		})
	}
}
