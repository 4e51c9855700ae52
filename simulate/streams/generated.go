// Package streams answers: which gangs come, and when? Streams for package simulate, made from a seed, of the jobs of tables, and of gangs that are known: equal arguments give equal gangs on every machine.
package streams

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"

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
	// Lone says how many of the gangs are single pods that take a part of a member; the others are drawn as without.
	Lone Lone
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
		gap, _ := g.gap()
		r, lone := rand.NewPCG(g.Seed, 0), rand.NewPCG(g.Seed, 1)
		at := uint64(0)
		for i := range g.Jobs {
			at += exponential(r, gap)
			runs := max(1, int64(exponential(r, uint64(g.Runs)<<10)>>10))
			members := logUniform(r, g.Members)
			expected := runs
			if g.Longer > 1 {
				expected = runs + int64(r.Uint64()%uint64(runs*(g.Longer-1)+1))
			}
			j := g.job(i, members, int64(at>>20), runs, expected)
			if g.Lone.draw(lone, &j, &g.Shape, g.Gather); !yield(j, nil) {
				return
			}
		}
	}
}

// gap is the mean time between arrivals with which size * duration / gap is the load, in 2^-20 seconds; false: the last gang would come too late.
func (g Generated) gap() (gap uint64, ok bool) {
	hi, lo := bits.Mul64(uint64(g.Lone.mean(meanSize(g.Members), &g.Shape))*uint64(g.Runs), 1<<20)
	slots := uint64(g.Load) * uint64(g.Slots)
	if hi >= slots {
		return 0, false
	}
	gap, _ = bits.Div64(hi, lo, slots)
	return gap, gap <= 1<<60/uint64(g.Jobs)
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
	if g.Runs > 1<<30 || g.Members > 1<<16 || g.Load > 1<<20 || g.Slots > 1<<40 || g.Longer < 0 || g.Longer > 1<<10 {
		return muster.Invalid("generated", fmt.Sprintf("runs %d, members %d, load %d, slots %d, longer %d", g.Runs, g.Members, g.Load, g.Slots, g.Longer), "out of bounds")
	}
	if err := g.Lone.check(&g.Shape); err != nil {
		return err
	}
	if _, ok := g.gap(); !ok {
		return muster.Invalid("generated.Load", g.Load, "so few gangs come that the last one is too late")
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
	name += "-" + strconv.Itoa(i)
	j.Request = gang.Request{Name: name, Shape: g.Shape, Members: make([]gang.Member, members)}
	for k := range j.Request.Members {
		j.Request.Members[k] = gang.Member{Name: name + "-" + strconv.Itoa(k), Index: k, Indexed: true}
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

// logUniform draws a size from 1 to a largest one, where s comes in proportion to log((s+1)/s): the whole part of a number whose logarithm is uniform. Of numbers
// from one power of two to the next, all of which come as often, one of 1+f times the power is kept with the chance 1/(1+f).
func logUniform(r *rand.PCG, largest int) int {
	powers := uint64(bits.Len64(uint64(largest)))
	for {
		power, f := r.Uint64()%powers, r.Uint64()>>32
		if chance := r.Uint64() >> 33; chance*(1<<32+f) >= 1<<63 {
			continue
		}
		if size := int((1<<32 + f) << power >> 32); size <= largest {
			return size
		}
	}
}

// meanSize is the mean of these, in thousandths.
func meanSize(largest int) int64 {
	sum := 0.0
	for s := 1; s <= largest; s++ {
		sum += float64(float64(s) * math.Log1p(1/float64(s)))
	}
	return int64(math.Round(sum / math.Log(float64(largest+1)) * 1000))
}
