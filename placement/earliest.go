// When has a gang a place, at the latest? The earliest instant at which it fits, as running gangs end.

package placement

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/ends"
	"github.com/muster-sched/muster/internal/front"
	"github.com/muster-sched/muster/internal/holds"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/internal/victims"
)

// EarliestOptions say from when on a gang may start, and what it wants to wait for.
type EarliestOptions struct {
	// Now is the first instant that counts, in the seconds of [cluster.Running]. What was expected to end before it ends now.
	Now int64
	// Tier is a layer, named as in a [gang.Rule]: the gang waits until it fits into one of its domains. Empty: any place that its rules allow will do.
	Tier string
}

// Start is the first instant at which a gang has a place. It belongs to the caller; nothing else refers to it.
type Start struct {
	// At is now, or when some running gang ends.
	At int64
	// Plan is the plan on the cluster without the gangs that have ended by then. As every plan it may wait for members that are leaving.
	Plan *Result
	// WaitsFor are the gangs whose end it takes, in the order of their ends, then in natural order of names: with these gone, and all others still
	// there, the plan can be carried out. Of several choices those that end first.
	WaitsFor []Ending
	// Proven is true if it is known that the gang has no place before. It is false if a search before ended by its steps or the context where it could not do without.
	Proven bool

	end int64 // of the gang
}

// Ending is a running gang and the instant at which it ends.
type Ending struct {
	Gang string
	At   int64
}

// Earliest says when a gang has a place, at the latest, if running gangs end when they are expected to (cluster.Running.End) and nobody else comes: the
// first instant from now on at which it fits by its rules without victims, members that are leaving being gone by then. A gang that waits for
// nothing starts now. Where all known ends do not help, the error is the [Unschedulable] of the gang with them gone; else errors are those of [Plan].
//
// It plans at O(log instants) of them, each with the steps of the request, and costs what ends until then, beside O(nodes + running members + gangs log gangs). Where
// room is held from some instant on (cluster.Hold.From) and the gang ends, it plans at all instants up to the start, which share these steps. Instants at which the amounts of
// nodes leave no room for the least members are not planned.
func Earliest(c *Cluster, req *gang.Request, opt EarliestOptions) (*Start, error) {
	return EarliestContext(context.Background(), c, req, opt)
}

// EarliestContext is [Earliest] for a caller who may stop waiting, as in [PlanContext]: then the start is not Proven.
//
// order: time.2
func EarliestContext(ctx context.Context, c *Cluster, req *gang.Request, opt EarliestOptions) (*Start, error) {
	s, err := c.made()
	if err != nil {
		return nil, err
	}
	if req, err = waiting(s, req, opt); err != nil {
		return nil, err
	}
	ctx = orBackground(ctx)
	line := ends.New(s, opt.Now, req.Name, holds.Gangs(s))
	// A gang that ends may have a place before room is held for another one from some instant on, and none later, when it would end behind that.
	f := starting{ctx: ctx, req: req, end: req.End, now: opt.Now, stays: req.End == 0 || !holds.AreLater(s), start: &Start{Proven: true}}
	if ask, known := askOf(s, req); known {
		line.Asks(ask, holds.Hidden(s, req.Priority, req.Name, line.Len(), func(i int) int64 { return shifted(f.end, f.now, line.At(i)) }))
	}
	i, err := line.First(f.stays, f.fits)
	if err == nil {
		i, err = f.again(i, line.Len()-1)
	}
	if err != nil {
		return nil, err
	}
	start := f.start
	start.At = line.At(i)
	start.end = ends.With(s, req.Name, start.Plan.end)
	seen := holds.Seen(s, req.Priority, req.Name, start.Plan.end, func(gang string) bool { return gang == req.Name })
	ended := line.Ended(i)
	if seen != s {
		ended = slices.DeleteFunc(slices.Clone(ended), func(g ends.Gang) bool { return seen.MembersOf(g.Name).Len() == 0 })
	}
	for _, g := range awaited(seen, ended, start.Plan) {
		start.WaitsFor = append(start.WaitsFor, Ending{holds.Called(g.Name), g.At})
	}
	return start, nil
}

// starting plans one gang at several instants.
type starting struct {
	ctx   context.Context
	req   *gang.Request // a copy, which ends as much later as it starts
	end   int64         // of the gang if it starts now; 0: never
	now   int64
	stays bool // what fits at one instant fits at later ones: few are asked
	start *Start
	last  *snapshot.Snapshot // at the instant of the last refusal
	first *snapshot.Snapshot // at that of the last plan
	left  *front.Budget      // of the steps, where many instants are asked: they share them; nil: all
}

// fits says whether the gang has a plan on the cluster at an instant.
func (f *starting) fits(at int64, c *snapshot.Snapshot) (bool, error) {
	f.req.End = shifted(f.end, f.now, at)
	b := bounds.Search{Bare: true}
	if !f.stays {
		if f.left != nil {
			b.Left, b.Steps = f.left, f.left.Steps()
		}
		f.left = new(front.Budget)
		b.Rest = f.left
	}
	r, err := planOn(f.ctx, c, f.req, victims.Anybody, b)
	var no *Unschedulable
	switch {
	case err == nil:
		f.start.Plan, f.first = r, c
	case errors.As(err, &no):
		f.start.Proven, f.last = no.Proven && (f.stays || f.start.Proven), c
	default:
		return false, err
	}
	return err == nil, nil
}

// again plans once more where steps that instants share were too few for the best plan; and at the last instant where the gang fits at none, to say why.
func (f *starting) again(i, last int) (int, error) {
	if i >= 0 && (f.stays || f.start.Plan.Proven) {
		return i, nil
	}
	c := f.first
	if i < 0 {
		c = f.last
	}
	r, err := planOn(f.ctx, c, f.req, victims.Anybody, bounds.Search{})
	switch {
	case err == nil && i < 0: // with all steps it fits after all
		f.start.Plan, f.start.Proven, i = r, false, last
	case err == nil:
		f.start.Plan = r
	case i >= 0: // the context is done
		err = nil
	}
	return i, err
}

// shifted is when a gang ends that starts at an instant, if it ends at end where it starts now; 0: never. It runs a second at least.
func shifted(end, now, at int64) int64 {
	if end == 0 {
		return 0
	}
	length := max(1, end-now)
	if now < 0 && end > math.MaxInt64+now || at > math.MaxInt64-length {
		return math.MaxInt64
	}
	return cmp.Or(at+length, 1)
}

// Holds are what to hold for the gang until it starts ([cluster.Delta].Holds): its members on the nodes of the plan, from then on. Nil has none.
func (s *Start) Holds() (out []cluster.Hold) {
	if s == nil || s.Plan == nil {
		return nil
	}
	out = s.Plan.Holds()
	for i := range out {
		out[i].From, out[i].End = s.At, s.end
	}
	return out
}

// Starting is one of several gangs and when it starts, or why it never does.
type Starting struct {
	Start *Start
	Err   error // nil: Start is there
}

// EarliestAll is [Earliest] for several gangs in order: each starts when it has a place beside what is held for those before it ([Start.Holds]), so that none of
// them starts later for it. Queues have higher priorities first; one that comes behind a lower one takes what is held for that. It returns the cluster with
// all that is held, and a starting for each gang. Gangs that are to start together are not planned as one here.
func EarliestAll(c *Cluster, queue []*gang.Request, opt EarliestOptions) (*Cluster, []Starting) {
	return EarliestAllContext(context.Background(), c, queue, opt)
}

// EarliestAllContext is [EarliestAll] for a caller who may stop waiting, as in [EarliestContext].
//
// order: time.6
func EarliestAllContext(ctx context.Context, c *Cluster, queue []*gang.Request, opt EarliestOptions) (*Cluster, []Starting) {
	all := make([]Starting, len(queue))
	for i, req := range queue {
		c, all[i].Start, all[i].Err = earliestHeld(ctx, c, req, opt)
	}
	return c, all
}

// earliestHeld is the earliest start of a gang, and the cluster with what is held for it; an error leaves that as it is.
func earliestHeld(ctx context.Context, c *Cluster, req *gang.Request, opt EarliestOptions) (*Cluster, *Start, error) {
	s, err := EarliestContext(ctx, c, req, opt)
	if err != nil {
		return c, nil, err
	}
	next, err := c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{req.Name: s.Holds()}})
	if err != nil {
		return c, nil, err
	}
	return next, s, nil
}

// waiting is a copy of a request that evicts nobody, and must lie in one domain of the layer that is waited for.
func waiting(s *snapshot.Snapshot, req *gang.Request, opt EarliestOptions) (*gang.Request, error) {
	if req == nil {
		req = &gang.Request{}
	}
	next := *req
	next.NeverPreempts = true
	if opt.Tier == "" {
		return &next, nil
	}
	return gathered(s.Lineage.Tree(req.Tree), &next, "options.Tier", opt.Tier)
}

// mostLeftOut bounds how many gangs a plan tries to leave out that waits for more than room on its nodes.
const mostLeftOut = 64

// awaited are those of the gangs that have ended without whose end a plan cannot be carried out. Room on its nodes tells, but for quotas, zones and limits: for
// these all gangs that end before an instant are added, and then as many are left out as can be, those that end last before others.
//
// order: time.4
func awaited(s *snapshot.Snapshot, ended []ends.Gang, r *Result) []ends.Gang {
	suffices := func(gone []ends.Gang) bool {
		next, err := ends.Without(s, gone)
		if err == nil {
			_, err = carryOut(next, r)
		}
		return err == nil
	}
	out := ends.ForRoom(s, ended, needsOf(s, r), leavingFor(s, r))
	if suffices(out) {
		return out
	}
	with := func(n int) (all []ends.Gang) {
		for i, g := range ended {
			if i < n || slices.Contains(out, g) {
				all = append(all, g)
			}
		}
		return all
	}
	low, high := 0, len(ended)
	for high-low > 1 {
		if mid := (low + high) / 2; suffices(with(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
	all := with(high)
	for i, tried := len(all)-1, 0; i >= 0 && tried < mostLeftOut; i, tried = i-1, tried+1 {
		if without := slices.Delete(slices.Clone(all), i, i+1); suffices(without) {
			all = without
		}
	}
	return all
}

// needsOf is what the new members of a plan hold, node by node: in ascending order of their ids.
func needsOf(s *snapshot.Snapshot, r *Result) []ends.Need {
	each, size := heldByKind(s, r), len(s.Lineage.Resources)
	needs, sums := make([]ends.Need, 0, len(r.Assignments)), make([]int64, len(r.Assignments)*size)
	near, ordered := int32(-1), true
	for i := range r.Assignments {
		a := &r.Assignments[i]
		if i == 0 || a.Node != r.Assignments[i-1].Node { // mostly members of a node follow each other
			id := s.PresentNode(a.Node, near)
			ordered = ordered && near < id
			needs, near = append(needs, ends.Need{Node: id, Sum: sums[:size:size]}), id
			sums = sums[size:]
		}
		addTo(needs[len(needs)-1].Sum, each[r.holdingOf(a)])
	}
	if ordered {
		return needs
	}
	slices.SortStableFunc(needs, func(a, b ends.Need) int { return cmp.Compare(a.Node, b.Node) })
	once := needs[:0]
	for _, n := range needs {
		if last := len(once) - 1; last >= 0 && once[last].Node == n.Node {
			addTo(once[last].Sum, n.Sum)
		} else {
			once = append(once, n)
		}
	}
	return once
}

// heldByKind is what a new member of a plan holds, by resource, for each of the kinds of members.
func heldByKind(s *snapshot.Snapshot, r *Result) [][]int64 {
	pool, each := s.Lineage.Amounts(), make([][]int64, len(r.holds))
	for kind := range each {
		each[kind] = slices.Clone(pool.Vector(r.holds[kind], 0))
	}
	return each
}

// addTo adds amounts to a sum.
func addTo(sum, amounts []int64) {
	for k, amount := range amounts {
		sum[k] += amount
	}
}

// leavingFor are the leaving members that a plan waits for.
func leavingFor(s *snapshot.Snapshot, r *Result) (out []*snapshot.Member) {
	for _, w := range r.WaitsFor {
		out = append(out, s.Member(w.Gang, w.Member))
	}
	return out
}
