package reference

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// By every discipline no plan delays a gang for which room is held: going from start to start, with those gone that have ended, each plan can be carried out.
func TestDisciplinesDelayNoHolder(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"quotas": drawWithQuotas, "parts": drawParts, "roles": drawRoles, "victims": drawCoupled, "many quotas": drawLent,
	} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, withoutHolds(draw), disciplinesAgree)
		})
	}
}

// disciplinedQueue is the gang and four behind it: some end soon, one wants half as much, one runs already, one is in another quota, and the last may be of a higher
// priority; all may evict.
func disciplinedQueue(in *Input) (all []*gang.Request) {
	for i, name := range []string{in.Request.Name, "ns/short", "ns/half", "ns/more-1", "ns/last"} {
		req := in.Request
		req.Name, req.Members = name, slices.Clone(in.Request.Members)
		if i == 0 {
			all = append(all, &req)
			continue
		}
		draw := i + len(in.Spec.Running)
		req.End = []int64{2, 0, 4, 5, 9}[draw%5]
		req.Priority -= int64(draw % 2)
		req.MinMember = min(req.MinMember, len(req.Members)) // none of the gang's own run
		for k := range req.Members {
			req.Members[k].Name = fmt.Sprint("new-", req.Members[k].Name)
		}
		switch {
		case i == 2:
			req.Shape.Resources = maps.Clone(req.Shape.Resources)
			for name, amount := range req.Shape.Resources {
				req.Shape.Resources[name] = (amount + 1) / 2
			}
		case i == 4 && draw%3 == 0:
			req.Priority += 2
		case i == 1 && req.Quota != "" && draw%2 == 0:
			req.Quota = "team-10"
		}
		all = append(all, &req)
	}
	return all
}

func disciplinesAgree(in Input) (kinds []string, err error) {
	for _, d := range []queue.Discipline{queue.Strict, queue.NextThatFits, queue.EASY, queue.Conservative} {
		kind, err := disciplineAgrees(in, d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		kinds = append(kinds, string(d)+": "+kind)
	}
	return kinds, nil
}

func disciplineAgrees(in Input, d queue.Discipline) (kind string, err error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return "", err
	}
	requests := disciplinedQueue(&in)
	last, planned := placement.BatchBy(c, requests, placement.BatchOptions{Discipline: d})
	var starts []*placement.Start
	for i, p := range planned {
		var conflict *cluster.ConflictError
		if errors.As(p.Err, &conflict) {
			return "", fmt.Errorf("%s: %w", p.Request.Name, p.Err)
		}
		if p.Start != nil {
			starts = append(starts, p.Start)
		}
		if d == queue.NextThatFits {
			continue
		}
		if err := turnAgrees(in, planned, i, d); err != nil {
			return "", fmt.Errorf("%s: %w", p.Request.Name, err)
		}
	}
	switch d {
	case queue.Strict:
		return fmt.Sprintf("%d behind", behindOthers(planned)), nil
	case queue.NextThatFits:
		_, same := placement.Batch(c, requests)
		if a, b := outcomes(planned), outcomes(same); a != b {
			return "", fmt.Errorf("%s\nby Batch: %s", a, b)
		}
		return "as Batch", nil
	}
	return besideHolders(planned, len(starts)), allStart(last, starts)
}

// besideHolders says how many start later, and who is planned behind them.
func besideHolders(planned []placement.Planned, starts int) string {
	behind := planned[max(0, slices.IndexFunc(planned, func(p placement.Planned) bool { return p.Start != nil })):]
	victims := func(p placement.Planned) bool { return p.Result != nil && len(p.Result.Victims) > 0 }
	switch kind := fmt.Sprintf("%d start later", min(2, starts)); {
	case starts == 0:
		return kind
	case slices.ContainsFunc(behind, victims):
		return kind + ", somebody leaves behind them"
	case slices.ContainsFunc(behind, func(p placement.Planned) bool { return p.Result != nil }):
		return kind + ", others behind them"
	default:
		return kind + ", nobody behind them"
	}
}

// outcomes tells what became of a queue.
func outcomes(planned []placement.Planned) (text string) {
	for _, p := range planned {
		text += fmt.Sprintf("%s %s %s", p.Request.Name, p.Pass, resultText(p.Result, p.Err))
	}
	return text
}

// behindOthers counts those that were not planned.
func behindOthers(planned []placement.Planned) (n int) {
	for _, p := range planned {
		var why *placement.Unschedulable
		if errors.As(p.Err, &why) && why.Behind != "" {
			n++
		}
	}
	return n
}

// turnAgrees says whether a gang of a queue is planned, or waits, by the discipline.
func turnAgrees(in Input, planned []placement.Planned, i int, d queue.Discipline) error {
	p := planned[i]
	first := slices.IndexFunc(planned, func(p placement.Planned) bool { return errors.Is(p.Err, placement.ErrUnschedulable) })
	var why *placement.Unschedulable
	refused := errors.As(p.Err, &why)
	switch {
	case p.Index != i:
		return errors.New("not in the order of the queue")
	case d == queue.Strict && first >= 0 && i > first:
		if !refused || why.Behind != planned[first].Request.Name {
			return fmt.Errorf("planned behind %s: %w", planned[first].Request.Name, p.Err)
		}
		return nil
	case p.Result != nil:
		for _, v := range p.Result.Victims {
			if slices.ContainsFunc(planned[:i], func(o placement.Planned) bool {
				return o.Start != nil && o.Request.Name == v.Gang && o.Request.Priority >= p.Request.Priority
			}) {
				return fmt.Errorf("%s leaves, which waits in front of it", v.Gang)
			}
		}
		alone := Input{Spec: dump(in, p.Cluster), Request: *p.Request}
		alone.Request.QuotaLimit = p.Pass
		return validity.Check(alone.Spec, &alone.Request, p.Result)
	case !refused || why.Behind != "":
		return nil
	}
	above := func(o placement.Planned) bool { return o.Request.Priority > p.Request.Priority }
	if slices.ContainsFunc(planned[i:], above) || d == queue.EASY && slices.ContainsFunc(planned, above) {
		return nil // what is held for it may be for them
	}
	before := false
	for _, o := range planned[:i] {
		if before = before || o.Start != nil; o.Start != nil && o.Request.Priority >= p.Request.Priority && slices.ContainsFunc(o.Start.WaitsFor, func(e placement.Ending) bool { return e.Gang == p.Request.Name }) {
			if p.Start != nil {
				return fmt.Errorf("%s waits for its end", o.Request.Name)
			}
			return nil
		}
	}
	start, err := placement.Earliest(p.Cluster, p.Request, placement.EarliestOptions{})
	switch wanted := err == nil && d.Holds(map[bool]int{true: 1}[before]); {
	case !wanted && p.Start != nil:
		return errors.New("room is held for it")
	case wanted && p.Start == nil:
		return fmt.Errorf("nothing is held for it, which starts at %d", start.At)
	case wanted && p.Start.At != start.At:
		return fmt.Errorf("starts at %d and not at %d", p.Start.At, start.At)
	}
	return nil
}

// allStart carries plans out from start to start, on the cluster after a queue.
func allStart(c *placement.Cluster, all []*placement.Start) (err error) {
	waiting := map[string]bool{} // whose own members stay until the others come
	for _, s := range all {
		waiting[s.Plan.Gang] = true
		if held := heldFor(c, s.Plan.Gang); !slices.Equal(held, heldBy(s)) {
			return fmt.Errorf("%s: held is %v, and not %v", s.Plan.Gang, held, heldBy(s))
		}
	}
	if c, err = withNothingHeld(c); err != nil { // starts are what holds were for
		return err
	}
	slices.SortStableFunc(all, func(a, b *placement.Start) int { return cmp.Compare(a.At, b.At) })
	for _, s := range all {
		if c, err = laterWithout(c, s.At, waiting); err != nil {
			return err
		}
		if c, err = starts(c, s.Plan); err != nil {
			return fmt.Errorf("%s does not start at %d: %w%s", s.Plan.Gang, s.At, err, startsText(all))
		}
		delete(waiting, s.Plan.Gang)
	}
	return nil
}

// heldFor and heldBy tell what is held for a gang, and is to be held for a start.
func heldFor(c *placement.Cluster, gang string) (all []string) {
	for _, h := range c.Holds() {
		if h.Gang == gang {
			all = append(all, fmt.Sprint(h.Member, h.Node, h.From, h.End))
		}
	}
	slices.Sort(all)
	return all
}

func heldBy(s *placement.Start) (all []string) {
	for _, h := range s.Holds() {
		all = append(all, fmt.Sprint(h.Member, h.Node, h.From, h.End))
	}
	slices.Sort(all)
	return all
}

// withNothingHeld is a cluster without what is held.
func withNothingHeld(c *placement.Cluster) (*placement.Cluster, error) {
	none := map[string][]cluster.Hold{}
	for _, h := range c.Holds() {
		none[h.Gang] = nil
	}
	return c.Update(cluster.Delta{Holds: none})
}

// laterWithout is a cluster at an instant: without the gangs that have ended, but for those that wait, and without members that leave.
func laterWithout(c *placement.Cluster, at int64, but map[string]bool) (*placement.Cluster, error) {
	running, gone, left := slices.Collect(c.Running()), []string{}, cluster.Delta{}
	for _, r := range running {
		end := endOf(running, r.Gang)
		switch {
		case r.Leaving:
			left.Remove = append(left.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
		case end != 0 && end <= at && !but[r.Gang] && !slices.Contains(gone, r.Gang):
			gone = append(gone, r.Gang)
		}
	}
	c, err := c.Update(left)
	if err != nil {
		return nil, err
	}
	return c.ReleaseGangs(gone...)
}
