package simulate

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// Report is what became of the gangs of a stream. It belongs to the caller. Times are in seconds.
type Report struct {
	// Arrived are all gangs; NeverFit those for which the placer has no place while nobody else is there, under no quotas that are still to come: they are left out. Ended have run to their end, and
	// Waiting wait for ever.
	Arrived, NeverFit, Ended, Waiting int
	// Restarts is how often a gang stopped as its node failed; MovedGangs and MovedMembers how often one moved for another, and how many members. Tries is how often the placer was asked for a gang that waits: not for
	// one that is known to have no place.
	Restarts, MovedGangs, MovedMembers, Tries int
	// EvictedGangs is how often a gang lost members to another one that evicted them, and EvictedMembers how many.
	EvictedGangs, EvictedMembers int
	// Waited is how long gangs waited before they started first, and BySize the same by members: of 1, 2, 3 and 4, 5 to 8, and so on.
	Waited Spread
	BySize []SizeClass
	// ByPriority is the same by priority, highest first.
	ByPriority []PriorityClass
	// Took is how long gangs that have ended took from their arrival until then.
	Took Spread
	// Resource is what is measured: the device of which the cluster has most; cpu if there is none. Capacity is what all nodes have of it.
	Resource string
	Capacity int64
	// Asked is how much gangs that fit asked for, Used how much was in use, Lost how much of that went into work that was lost, and into standing still, and Slowed how much into
	// running longer, as gangs lay wider than their ideal: in seconds of the resource, from From until To: the first arrival, and the last end.
	Asked, Used, Lost, Slowed int64
	From, To                  int64
	// Wanted is what gangs asked for that never end (Forever), and Allocated what those have of it that found a place: of the resource.
	Wanted, Allocated int64
	// LastArrival is when the last gang came: until then the load is that of the stream.
	LastArrival int64
	// Wider is how many gangs first started at a wider tier than their ideal: that of the plan that [placement.Plan] has for them while nobody else is there, the lowest one that
	// their rules allow. Tiers count their ideals and what they reached, lowest first. Gangs for which there is no such plan, as their rules are not the placer's, are
	// in neither.
	Wider int
	Tiers []TierGangs
	// Series is what waits and runs as time goes by; nil: it was not asked for.
	Series *Series
}

// SizeClass are the gangs of at most so many members, and more than half as many.
type SizeClass struct {
	Members int
	Waited  Spread
}

// PriorityClass are the gangs of a priority.
type PriorityClass struct {
	Priority int64
	Waited   Spread
}

// Spread is how a number is spread. Mean and Max are exact; quantiles are rounded up, by at most one part in 64.
type Spread struct {
	Count         int
	Sum           int64
	Mean          int64 // rounded down
	P50, P95, P99 int64
	Max           int64
	counts        []int // by bucket
}

func newReport(c *placement.Cluster) *Report {
	sums := muster.Resources{}
	for n := range c.Nodes() {
		sums.Add(n.Allocatable)
	}
	r := &Report{Resource: muster.CPU, From: -1}
	for _, name := range sums.Names() { // the first of equal ones
		if muster.IsDevice(name) && (r.Resource == muster.CPU || sums[name] > sums[r.Resource]) {
			r.Resource = name
		}
	}
	r.Capacity = sums[r.Resource]
	return r
}

// takes is what all members of a gang take of the resource.
func (r *Report) takes(req *gang.Request) (sum int64) {
	for i := range req.Members {
		sum += r.memberTakes(req, i)
	}
	return sum
}

// memberTakes is what a member takes of it.
func (r *Report) memberTakes(req *gang.Request, member int) int64 {
	return shapeOf(req, member).Resources[r.Resource]
}

// arrived notes a gang; fits: it does not wait for ever.
func (r *Report) arrived(p *pending, fits bool) {
	if r.Arrived++; r.From < 0 {
		r.From = p.Arrives
	}
	r.LastArrival = p.Arrives
	switch {
	case p.Runs == Forever:
		r.Wanted += p.asks
	case fits:
		r.Asked += p.asks * p.Runs
	}
	if !fits {
		r.NeverFit++
	}
}

func (r *Report) started(p *pending, now int64) {
	if p.ran {
		return
	}
	r.Waited.add(now - p.Arrives)
	class := bits.Len(uint(max(0, len(p.Request.Members)-1)))
	for len(r.BySize) <= class {
		r.BySize = append(r.BySize, SizeClass{Members: 1 << len(r.BySize)})
	}
	r.BySize[class].Waited.add(now - p.Arrives)
	i, known := slices.BinarySearchFunc(r.ByPriority, p.Request.Priority, func(c PriorityClass, priority int64) int { return cmp.Compare(priority, c.Priority) })
	if !known {
		r.ByPriority = slices.Insert(r.ByPriority, i, PriorityClass{Priority: p.Request.Priority})
	}
	r.ByPriority[i].Waited.add(now - p.Arrives)
}

func (r *Report) ended(p *pending) {
	if r.To = max(r.To, p.ends); p.Runs == 0 {
		return // it ran at first
	}
	r.Ended++
	r.Took.add(p.ends - p.Arrives)
	r.Used += p.takes * (p.ends - p.started)
	r.Lost += p.takes * p.pause
	r.Slowed += p.takes * (p.ends - p.started - p.pause - p.left)
}

// shrunk notes that a gang goes on with less than it took since it started.
func (r *Report) shrunk(p *pending, now, by int64) {
	r.Used += by * (now - p.started)
	p.takes -= by
}

// interrupted notes that a gang stops, with so many seconds of its work safe: the others are lost, but for those that it ran longer as it was slower.
func (r *Report) interrupted(p *pending, now, safe int64) {
	ran := now - p.started
	slowed := max(0, ran-p.pause-p.work(now))
	r.Used += p.takes * ran
	r.Slowed += p.takes * slowed
	r.Lost += p.takes * (ran - slowed - safe)
}

// closed is the report once nothing more happens; used is what gangs have that never end.
func (r *Report) closed(waiting int, used int64) *Report {
	r.Waiting, r.Allocated, r.From = waiting, used, max(0, r.From)
	r.Waited.close()
	r.Took.close()
	for i := range r.BySize {
		r.BySize[i].Waited.close()
	}
	for i := range r.ByPriority {
		r.ByPriority[i].Waited.close()
	}
	r.BySize = slices.DeleteFunc(r.BySize, func(s SizeClass) bool { return s.Waited.Count == 0 })
	return r
}

// Load is how much gangs asked for until the last one came, in thousandths of what the cluster has.
func (r *Report) Load() int64 { return thousandths(r.Asked, r.Capacity, r.LastArrival-r.From) }

// Utilisation is how much was in use, in thousandths of what the cluster has.
func (r *Report) Utilisation() int64 { return thousandths(r.Used, r.Capacity, r.To-r.From) }

func thousandths(amount, capacity, seconds int64) int64 {
	hi, lo := bits.Mul64(uint64(max(0, capacity)), uint64(max(0, seconds)))
	if hi > 0 || lo == 0 {
		return 0
	}
	top, low := bits.Mul64(uint64(max(0, amount)), 1000)
	if top >= lo {
		return 0
	}
	out, _ := bits.Div64(top, low, lo)
	return int64(out)
}

// Write writes a report as text.
func (r *Report) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "gangs %d, ended %d, never fit %d, wait for ever %d, restarts %d, moved gangs %d of %d members, tries %d\n%s: load %s, in use %s, lost %d of %d seconds\n",
		r.Arrived, r.Ended, r.NeverFit, r.Waiting, r.Restarts, r.MovedGangs, r.MovedMembers, r.Tries, r.Resource, percent(r.Load()), percent(r.Utilisation()), r.Lost, r.Used)
	if err != nil {
		return err
	}
	if r.EvictedMembers > 0 || r.Slowed > 0 {
		if _, err = fmt.Fprintf(w, "evicted gangs %d of %d members, %d seconds by slowdown\n", r.EvictedGangs, r.EvictedMembers, r.Slowed); err != nil {
			return err
		}
	}
	if _, err = fmt.Fprintf(w, "%-10s %9s %9s %9s %9s %9s %9s\n", "members", "gangs", "mean s", "p50", "p95", "p99", "longest"); err != nil {
		return err
	}
	row := func(name string, s *Spread) error {
		_, err := fmt.Fprintf(w, "%-10s %9d %9d %9d %9d %9d %9d\n", name, s.Count, s.Mean, s.P50, s.P95, s.P99, s.Max)
		return err
	}
	for i := range r.BySize {
		c := &r.BySize[i]
		name := fmt.Sprint(c.Members)
		if c.Members > 2 {
			name = fmt.Sprintf("%d-%d", c.Members/2+1, c.Members)
		}
		if err := row(name, &c.Waited); err != nil {
			return err
		}
	}
	if len(r.ByPriority) > 1 {
		for i := range r.ByPriority {
			if err := row(fmt.Sprint("priority ", r.ByPriority[i].Priority), &r.ByPriority[i].Waited); err != nil {
				return err
			}
		}
	}
	return row("all", &r.Waited)
}

func percent(thousandths int64) string {
	return fmt.Sprintf("%d.%d %%", thousandths/10, thousandths%10)
}
