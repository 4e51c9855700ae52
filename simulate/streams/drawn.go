package streams

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Drawn is a stream of jobs whose sizes and durations are drawn from distributions. Arrivals are exponential, and as far apart as it takes for the jobs that are drawn to ask for the load. Members are as
// in [Replayed].
//
// How long a job runs is drawn from the durations: a step by the part of jobs in it, then each whole second of it alike, from above the step in front. It is then multiplied by a number
// of the job's size, such that each size has its part of the time of all devices, and jobs the mean duration of the distribution. Both distributions of sizes are kept by that, and that mean; jobs of
// sizes with little time are shorter than the durations say, and those of the others longer. Each runs for a second at least, and for a year at most.
type Drawn struct {
	Seed uint64
	Jobs int
	// Sizes and Durations are in order, none falls, and the last of each is above 0. Sizes whose part of jobs is 0 never come, and the time that they have is nobody's.
	Sizes     []Size
	Durations []Duration
	// Load is how much jobs ask for, in thousandths of Devices, which are those of the cluster.
	Load, Devices int64
	// Device and PerNode are as in [Replayed], Longer, Checkpoint and Gather as in [Generated].
	Device             string
	PerNode            int64
	Longer, Checkpoint int64
	Gather             func(members int) []gang.Rule
}

// Stream yields the gangs. The error is a [muster.InvalidError] of a field. All jobs are drawn twice: first for what they ask for together.
func (d Drawn) Stream() simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		factors, err := d.factors()
		var gap uint64
		if err == nil {
			gap, err = d.gap(factors)
		}
		if err != nil {
			yield(simulate.Job{}, err)
			return
		}
		jobs := Replayed{Device: d.Device, PerNode: d.PerNode, Checkpoint: d.Checkpoint, Gather: d.Gather}
		r, later := d.random(), rand.NewPCG(d.Seed, 3)
		at := uint64(0)
		for i := range d.Jobs {
			at += exponential(later, gap)
			row := d.row(r, factors)
			expected := row.Runs
			if d.Longer > 1 {
				expected += int64(below(later, uint64(row.Runs*(d.Longer-1)+1)))
			}
			if !yield(jobs.job(i, int64(at>>20), &row, expected), nil) {
				return
			}
		}
	}
}

// random is what jobs are drawn by.
func (d *Drawn) random() *rand.PCG { return rand.NewPCG(d.Seed, 2) }

// row draws a job.
func (d *Drawn) row(r *rand.PCG, factors []uint64) Row {
	size := d.size(r)
	return Row{Devices: d.Sizes[size].Devices, Runs: d.runs(r, factors, size)}
}

// gap is the mean time between arrivals with which the jobs ask for the load, in 2^-20 seconds. It is found from the jobs that are drawn, not from the distributions: where few jobs run
// for very long, even thousands of others ask for much less than the mean.
func (d *Drawn) gap(factors []uint64) (uint64, error) {
	r, work := d.random(), int64(0)
	for range d.Jobs {
		row := d.row(r, factors)
		if row.Devices > d.PerNode { // whole nodes
			row.Devices = (row.Devices + d.PerNode - 1) / d.PerNode * d.PerNode
		}
		work += row.Devices * row.Runs
	}
	gap := big.NewRat(work, int64(d.Jobs))
	gap.Mul(gap, big.NewRat(1000<<20, d.Load)).Quo(gap, big.NewRat(d.Devices, 1))
	n := floor(gap)
	if !n.IsUint64() || n.Uint64() > 1<<60/uint64(d.Jobs) {
		return 0, muster.Invalid("drawn.Load", d.Load, "so few gangs come that the last one is too late")
	}
	return n.Uint64(), nil
}

// size draws which size a job has.
func (d *Drawn) size(r *rand.PCG) int {
	return drawn(r, d.Sizes, func(s Size) int64 { return s.Jobs })
}

// runs draws how long a job of a size runs.
func (d *Drawn) runs(r *rand.PCG, factors []uint64, size int) int64 {
	step := drawn(r, d.Durations, func(s Duration) int64 { return s.Jobs })
	from := int64(0)
	if step > 0 {
		from = d.Durations[step-1].Seconds
	}
	seconds := from + 1 + int64(below(r, uint64(d.Durations[step].Seconds-from)))
	hi, lo := bits.Mul64(uint64(seconds), factors[size])
	lo, carry := bits.Add64(lo, 1<<31, 0) // to the nearest second
	if hi += carry; hi >= 1<<31 {
		return longest
	}
	return min(longest, max(1, int64(hi<<32|lo>>32)))
}

// drawn draws a step by what it has beyond the one in front.
func drawn[T any](r *rand.PCG, steps []T, of func(T) int64) int {
	n := int64(below(r, uint64(of(steps[len(steps)-1]))))
	at, _ := slices.BinarySearchFunc(steps, n, func(s T, n int64) int {
		if of(s) <= n {
			return -1
		}
		return 1
	})
	return at
}

// factors are, by size, how many times as long as the durations say a job runs, in parts of 2^-32. With p the part of jobs of a size, t its part of the time and g its devices, its jobs run
// t/(p*g) times as long as others, over the mean of that, which is the sum of all t/g.
func (d *Drawn) factors() ([]uint64, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	over := new(big.Rat)
	d.each(func(_ int, _, time, devices int64) { over.Add(over, big.NewRat(time, devices)) })
	if over.Sign() == 0 {
		return nil, muster.Invalid("drawn.Sizes", len(d.Sizes), "no size has both jobs and time")
	}
	factors := make([]uint64, len(d.Sizes))
	all, tooLong := d.Sizes[len(d.Sizes)-1].Jobs, false
	d.each(func(i int, jobs, time, devices int64) {
		f := new(big.Rat).Mul(big.NewRat(time, devices), big.NewRat(all, jobs))
		n := floor(f.Quo(f, over).Mul(f, big.NewRat(1<<32, 1)))
		tooLong = tooLong || !n.IsUint64()
		factors[i] = n.Uint64()
	})
	if tooLong {
		return nil, muster.Invalid("drawn.Sizes", len(d.Sizes), "jobs of a size run more than 2^32 times as long as the durations say")
	}
	return factors, nil
}

// each goes through the sizes that come, with what each has of jobs and time.
func (d *Drawn) each(use func(i int, jobs, time, devices int64)) {
	last := Size{}
	for i, s := range d.Sizes {
		if s.Jobs > last.Jobs {
			use(i, s.Jobs-last.Jobs, s.Time-last.Time, s.Devices)
		}
		last = s
	}
}

// floor is the whole part of a number that is not negative.
func floor(of *big.Rat) *big.Int { return new(big.Int).Quo(of.Num(), of.Denom()) }

// check is the defect of a field; nil: there is none.
func (d *Drawn) check() error {
	for _, f := range []struct {
		name        string
		value, most int64
	}{
		{"Jobs", int64(d.Jobs), mostRows},
		{"Load", d.Load, 1 << 20},
		{"Devices", d.Devices, 1 << 40},
		{"PerNode", d.PerNode, mostDevices},
	} {
		if f.value <= 0 || f.value > f.most {
			return muster.Invalid("drawn."+f.name, f.value, fmt.Sprintf("not from 1 to %d", f.most))
		}
	}
	if d.Longer < 0 || d.Longer > 1<<10 {
		return muster.Invalid("drawn.Longer", d.Longer, "not from 0 to 1024")
	}
	last := Size{}
	for i, s := range d.Sizes {
		if s.Devices <= last.Devices || s.Devices > mostDevices || s.Jobs < last.Jobs || s.Time < last.Time {
			return muster.Invalid(fmt.Sprintf("drawn.Sizes[%d]", i), fmt.Sprintf("%+v", s), "falls, or asks for too much")
		}
		last = s
	}
	if last.Jobs == 0 || last.Jobs > 1<<40 || last.Time > 1<<40 {
		return muster.Invalid("drawn.Sizes", fmt.Sprintf("%+v", last), "the last one is not from 1 to 2^40")
	}
	return d.checkDurations()
}

// checkDurations is the defect of the durations.
func (d *Drawn) checkDurations() error {
	last := Duration{}
	for i, s := range d.Durations {
		if s.Seconds <= last.Seconds || s.Seconds > longest || s.Jobs < last.Jobs {
			return muster.Invalid(fmt.Sprintf("drawn.Durations[%d]", i), fmt.Sprintf("%+v", s), "falls, or is too long")
		}
		last = s
	}
	if last.Jobs == 0 || last.Jobs > 1<<40 {
		return muster.Invalid("drawn.Durations", fmt.Sprintf("%+v", last), "the last one is not from 1 to 2^40")
	}
	return nil
}
