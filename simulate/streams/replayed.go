package streams

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
)

// Replayed is a stream of the jobs of a table. One that takes no more devices than a node has is one member, a larger one has whole nodes as members.
type Replayed struct {
	Rows []Row // in the order of Submit
	// Copies is how often the table is played at the same time; 0: once. Each copy but the first begins at another instant of it, which Seed draws, and comes to its beginning behind
	// its end: so there is as much more load, of the same kind.
	Copies int
	Seed   uint64
	// Device is the resource that jobs take, and PerNode how much of it a node has.
	Device  string
	PerNode int64
	// Longer and Checkpoint are as in [Generated].
	Longer, Checkpoint int64
	// Gather are the rules of a gang of so many members; nil: none.
	Gather func(members int) []gang.Rule
}

// Members is how many members a job has.
func (p *Replayed) Members(r *Row) int { return int((r.Devices + p.PerNode - 1) / p.PerNode) }

// Stream yields the gangs. The error is a [muster.InvalidError] of a field. O(rows * copies) memory: 24 bytes each.
func (p Replayed) Stream() simulate.Stream {
	return func(yield func(simulate.Job, error) bool) {
		if err := p.check(); err != nil {
			yield(simulate.Job{}, err)
			return
		}
		r := rand.NewPCG(p.Seed, 1)
		for i, a := range p.arrivals() {
			row := &p.Rows[a.row]
			expected := row.Runs
			if p.Longer > 1 {
				expected += int64(below(r, uint64(row.Runs*(p.Longer-1)+1)))
			}
			if !yield(p.job(i, a.at, row, expected), nil) {
				return
			}
		}
	}
}

func (p *Replayed) check() error {
	switch {
	case p.PerNode <= 0:
		return muster.Invalid("replayed.PerNode", p.PerNode, "not positive")
	case p.Longer < 0 || p.Longer > 1<<10:
		return muster.Invalid("replayed.Longer", p.Longer, "not from 0 to 1024")
	case p.Copies < 0 || int64(p.Copies)*int64(len(p.Rows)) > mostRows:
		return muster.Invalid("replayed.Copies", p.Copies, fmt.Sprintf("negative, or more than %d jobs in all", mostRows))
	}
	return nil
}

// arrival is a row of a copy.
type arrival struct {
	at        int64
	copy, row int
}

// arrivals are those of all copies, in order.
func (p *Replayed) arrivals() []arrival {
	if len(p.Rows) == 0 {
		return nil
	}
	r := rand.NewPCG(p.Seed, 0)
	whole := p.Rows[len(p.Rows)-1].Submit + 1
	all := make([]arrival, 0, max(1, p.Copies)*len(p.Rows))
	for k := range max(1, p.Copies) {
		var from int64
		if k > 0 {
			from = int64(below(r, uint64(whole)))
		}
		for i := range p.Rows {
			all = append(all, arrival{(p.Rows[i].Submit + from) % whole, k, i})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.copy, b.copy), cmp.Compare(a.row, b.row))
	})
	return all
}

// below draws a number below another one: the whole part of a fraction of it.
func below(r *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}

// job is one gang.
func (p *Replayed) job(i int, at int64, row *Row, expected int64) simulate.Job {
	members := p.Members(row)
	each := min(row.Devices, p.PerNode)
	shape := gang.Shape{Resources: muster.Resources{p.Device: each}}
	j := Generated{Shape: shape, Checkpoint: p.Checkpoint, Gather: p.Gather, Prefix: "job"}.job(i, members, at, row.Runs, expected)
	j.Class = fmt.Sprint(members, " of ", each)
	return j
}
