// Package streams answers: which gangs come, and when? Streams for package simulate, made from a seed: equal arguments give equal gangs on every machine.
package streams

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Generated is a stream of gangs whose sizes are log-uniform, and whose arrivals and durations are exponential. Members are whole nodes, or parts of them, all alike.
type Generated struct {
	Seed uint64
	Jobs int
	// Members is the largest size; half of the gangs are smaller than its square root.
	Members int
	// Shape is what a member asks for.
	Shape gang.Shape
	// Runs is the mean duration in seconds.
	Runs int64
	// Load is how much gangs ask for, in thousandths of Slots, which is how many members the cluster has room for.
	Load  int64
	Slots int64
	// Longer is up to how many times as long as they run gangs say that they do; 0 and 1: they know it.
	Longer int64
	// Checkpoint is as in [simulate.Job].
	Checkpoint int64
	// Gather are the rules of a gang of so many members; nil: none.
	Gather func(members int) []gang.Rule
	// Prefix begins the names of gangs; empty: "gang".
	Prefix string
}

// Stream yields the gangs. The error is a [muster.InvalidError] of a field.
func (g Generated) Stream() simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		if err := g.check(); err != nil {
			yield(simulate.Job{}, err)
			return
		}
		r := rand.NewPCG(g.Seed, 0)
		sizes := logUniform(g.Members)
		// Seconds between arrivals, so that size * duration / seconds is the load: as a fraction, for means below one.
		work := float64(sizes.mean()) * float64(g.Runs) * 1000 / (float64(g.Load) * float64(g.Slots))
		gap := uint64(math.Round(work * (1 << 20))) // in 2^-20 seconds
		at := uint64(0)
		for i := range g.Jobs {
			at += exponential(r, gap)
			runs := max(1, int64(exponential(r, uint64(g.Runs)<<10)>>10))
			members := sizes.draw(r)
			expected := runs
			if g.Longer > 1 {
				expected = runs + int64(r.Uint64()%uint64(runs*(g.Longer-1)+1))
			}
			if !yield(g.job(i, members, int64(at>>20), runs, expected), nil) {
				return
			}
		}
	}
}

func (g Generated) check() error {
	for _, f := range []struct {
		name  string
		value int64
	}{{"Jobs", int64(g.Jobs)}, {"Members", int64(g.Members)}, {"Runs", g.Runs}, {"Load", g.Load}, {"Slots", g.Slots}} {
		if f.value <= 0 {
			return muster.Invalid("generated."+f.name, f.value, "not positive")
		}
	}
	if g.Runs > 1<<32 || g.Members > 1<<20 || g.Longer < 0 || g.Longer > 1<<10 {
		return muster.Invalid("generated", fmt.Sprintf("runs %d, members %d, longer %d", g.Runs, g.Members, g.Longer), "out of bounds")
	}
	return nil
}

// job is one gang.
func (g Generated) job(i, members int, arrives, runs, expected int64) simulate.Job {
	name := g.Prefix
	if name == "" {
		name = "gang"
	}
	j := simulate.Job{Arrives: arrives, Runs: runs, Expected: expected, Checkpoint: g.Checkpoint, Class: fmt.Sprint(members)}
	j.Request = gang.Request{Name: fmt.Sprintf("%s-%d", name, i), Shape: g.Shape, Members: make([]gang.Member, members)}
	for k := range j.Request.Members {
		j.Request.Members[k] = gang.Member{Name: fmt.Sprintf("%s-%d-%d", name, i, k), Index: k, Indexed: true}
	}
	if g.Gather != nil {
		j.Request.Gather = g.Gather(members)
	}
	return j
}

// exponential draws a number with this mean: by comparisons alone, so that no machine rounds it otherwise (von Neumann, Various techniques used in connection with
// random digits, 1951). Of numbers that fall the first one is the fraction, if they fall an even number of times; else the whole part counts one more.
func exponential(r *rand.PCG, mean uint64) uint64 {
	for whole := uint64(0); ; whole++ {
		first := r.Uint64()
		last, falls := first, 0
		for next := r.Uint64(); next < last; next = r.Uint64() {
			last, falls = next, falls+1
		}
		if falls%2 == 0 {
			part, _ := bits.Mul64(first, mean)
			return whole*mean + part
		}
	}
}

// weights are sizes by how often they come: of s of them the first has the weight of sizes up to it.
type weights []uint64

// logUniform has sizes from 1 to a largest one, of which s comes in proportion to log((s+1)/s).
func logUniform(largest int) weights {
	out := make(weights, largest)
	for s := range out {
		out[s] = uint64(math.Round(math.Log2(float64(s+2)) / math.Log2(float64(largest+1)) * (1 << 40)))
	}
	return out
}

// draw draws a size.
func (w weights) draw(r *rand.PCG) int {
	n := r.Uint64() % w[len(w)-1]
	low, high := 0, len(w)-1
	for low < high {
		if mid := (low + high) / 2; n < w[mid] {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low + 1
}

// mean is the mean size.
func (w weights) mean() float64 {
	sum, before := 0.0, uint64(0)
	for s, n := range w {
		sum += float64(s+1) * float64(n-before)
		before = n
	}
	return sum / float64(w[len(w)-1])
}
