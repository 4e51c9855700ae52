package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// What is planned beside what is held for a gang from its earliest start on delays it never: then, with those gone that have ended, its plan can be carried out.
func TestNobodyDelaysAHolder(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"quotas": drawWithQuotas, "parts": drawParts, "roles": drawRoles, "coupled": drawCoupled, "many quotas": drawLent,
	} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, withoutHolds(draw), func(in Input) ([]string, error) { return holderStarts(in, others) })
			holdsFor(t, withoutHolds(draw), func(in Input) ([]string, error) { return holderStarts(in, joining) })
		})
	}
}

// withoutHolds draws a cluster whose gangs end, in which nothing is held yet.
func withoutHolds(draw func(*rapid.T) Input) func(*rapid.T) Input {
	return func(t *rapid.T) Input {
		in := drawEnds(t, mixed(draw))
		in.Spec.Holds = nil
		return in
	}
}

// others are gangs like that of an input, some of which end by an instant, or soon after.
func others(in *Input, at int64) (all []*gang.Request) {
	for i := range 3 {
		req := in.Request
		req.Name, req.NeverPreempts = fmt.Sprintf("ns/beside-%d", i), true
		req.Priority -= int64(i)
		req.End = []int64{at, 0, at + 1}[(i+len(in.Spec.Running))%3]
		all = append(all, &req)
	}
	return all
}

// joining are such gangs, the first of which is one that runs and ends by then: its members that come now are to end later.
func joining(in *Input, at int64) []*gang.Request {
	all := others(in, at)
	for _, r := range in.Spec.Running {
		if end := endOf(in.Spec.Running, r.Gang); end != 0 && end <= at && r.Gang != in.Request.Name {
			all[0].Name, all[0].End = r.Gang, []int64{0, at + 1}[len(in.Spec.Running)%2]
			all[0].Members = slices.Clone(all[0].Members)
			for i := range all[0].Members {
				all[0].Members[i].Name = "joins-" + all[0].Members[i].Name
			}
			all[0].Parts, all[0].MinParts = nil, 0
			break
		}
	}
	return all
}

func holderStarts(in Input, beside func(*Input, int64) []*gang.Request) ([]string, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	start, err := placement.Earliest(c, &in.Request, placement.EarliestOptions{})
	if err != nil {
		return []string{"never"}, nil //nolint:nilerr // which other tests look at
	}
	if c, err = c.Update(cluster.Delta{Holds: map[string][]cluster.Hold{in.Request.Name: start.Holds()}}); err != nil {
		return nil, fmt.Errorf("at %d after %v cannot be held: %w", start.At, start.WaitsFor, err)
	}
	kind := "nobody beside"
	for _, req := range beside(&in, start.At) {
		res, err := placement.Plan(c, req)
		var refused *placement.Unschedulable
		switch {
		case errors.As(err, &refused) && refused.Behind != "":
			if kind, err = "refused for a holder", refusedRightly(c, &in, req, start); err != nil {
				return nil, err
			}
			continue
		case errors.Is(err, placement.ErrUnschedulable) || err == nil && res.Waits():
			continue
		case err != nil:
			return []string{"not supported"}, nil //nolint:nilerr // likewise
		}
		if c, err = c.Apply(res); err != nil {
			return nil, fmt.Errorf("%s cannot run meanwhile: %w", req.Name, err)
		}
		if kind = "others that stay"; req.End != 0 && req.End <= start.At {
			kind = "others meanwhile"
		}
	}
	if c, err = later(c, start.At, in.Request.Name); err != nil {
		return nil, err
	}
	if _, err := starts(c, start.Plan); err != nil {
		return nil, fmt.Errorf("does not start at %d: %w", start.At, err)
	}
	return []string{kind}, nil
}

// refusedRightly checks that a holder would not start if a gang that runs ended as late as more members of it do. Where it is in a quota that is not asked.
func refusedRightly(c *placement.Cluster, in *Input, req *gang.Request, start *placement.Start) error {
	if in.Request.Quota != "" {
		return nil
	}
	put := cluster.Delta{Observed: true}
	for r := range c.Running() {
		if r.Gang == req.Name && !r.Leaving {
			r.End = req.End
			put.Place = append(put.Place, r)
		}
	}
	next, err := c.Update(put)
	if err == nil {
		next, err = later(next, start.At, in.Request.Name)
	}
	if err != nil {
		return err
	}
	if _, err := starts(next, start.Plan); err == nil {
		return fmt.Errorf("%s is refused, and %s would start at %d", req.Name, in.Request.Name, start.At)
	}
	return nil
}

// later is a cluster at an instant: without the gangs, but for one, that have ended, and without those who were leaving.
func later(c *placement.Cluster, at int64, but string) (*placement.Cluster, error) {
	running, gone := slices.Collect(c.Running()), []string{}
	for _, r := range running {
		end := endOf(running, r.Gang)
		if end != 0 && end <= at && r.Gang != but && !slices.Contains(gone, r.Gang) {
			gone = append(gone, r.Gang)
		}
	}
	var away cluster.Delta
	for _, r := range running {
		if r.Leaving && r.Gang != but && !slices.Contains(gone, r.Gang) {
			away.Remove = append(away.Remove, cluster.MemberRef{Gang: r.Gang, Member: r.Member})
		}
	}
	c, err := c.Update(away)
	if err != nil {
		return nil, err
	}
	return c.ReleaseGangs(gone...)
}

// starts carries a plan out, once those are gone that it waits for.
func starts(c *placement.Cluster, plan *placement.Result) (*placement.Cluster, error) {
	for _, w := range plan.WaitsFor {
		if err := leave(&c, w, nil); err != nil {
			return nil, err
		}
	}
	return c.Apply(withoutWaits(plan))
}

// Gangs that start as early as each can, in order, do not meet: going from start to start, with those gone that have ended, each plan can be carried out.
func TestEarliestAllFitTogether(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{"quotas": drawWithQuotas, "roles": drawRoles, "many quotas": drawLent} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, withoutHolds(draw), startsFitTogether)
		})
	}
}

func startsFitTogether(in Input) ([]string, error) {
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	_, all := placement.EarliestAll(c, append([]*gang.Request{&in.Request}, others(&in, 3)...), placement.EarliestOptions{})
	var placed []*placement.Start
	for _, s := range all {
		switch {
		case s.Err == nil:
			placed = append(placed, s.Start)
		case !errors.Is(s.Err, placement.ErrUnschedulable):
			return []string{"not supported"}, nil
		}
	}
	slices.SortStableFunc(placed, func(a, b *placement.Start) int { return cmp.Compare(a.At, b.At) })
	waits := "" // the gang whose own members stay until the others come
	if all[0].Err == nil {
		waits = in.Request.Name
	}
	for _, s := range placed {
		if c, err = later(c, s.At, waits); err != nil {
			return nil, err
		}
		if c, err = starts(c, s.Plan); err != nil {
			return nil, fmt.Errorf("%s does not start at %d: %w%s", s.Plan.Gang, s.At, err, startsText(placed))
		}
		if s.Plan.Gang == waits {
			waits = ""
		}
	}
	return []string{fmt.Sprintf("%d start", len(placed))}, nil
}

// startsText tells starts, what is held for them, and whose end they take.
func startsText(all []*placement.Start) (text string) {
	for _, s := range all {
		text += fmt.Sprintf("\n%s at %d after %v", s.Plan.Gang, s.At, s.WaitsFor)
		for _, h := range s.Holds() {
			text += fmt.Sprintf(" %s on %s to %d", h.Member, h.Node, h.End)
		}
	}
	return text
}
