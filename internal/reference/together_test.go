package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// Gangs of a queue that start together are placed, all or none, as well as the reference places one gang of which each is a part.
func TestQueueOfGangsTogether(t *testing.T) { holdsFor(t, drawGangsTogether, togetherAgrees) }

// drawGangsTogether draws a gang of whole groups that differ, each of which can be a gang: its members are all in parts, none runs.
// Some of the gangs are alone where others leave.
func drawGangsTogether(t *rapid.T) Input {
	in := mixed(drawParts)(t)
	draws.AloneBesideLeaving(t, &in.Spec, &in.Request)
	return asGangs(in)
}

// asGangs makes a gang in parts one of which each part can be a gang.
func asGangs(in Input) Input {
	req := &in.Request
	for len(req.Parts) > 0 && req.Parts[0].Tree != "" { // the common rules are in the tree of the first
		req.Parts = req.Parts[1:]
	}
	in.Together = true
	in.Spec.Running = slices.Clone(in.Spec.Running)
	for i := range in.Spec.Running {
		if r := &in.Spec.Running[i]; r.Gang == req.Name && r.Leaving && !req.IgnoreLeaving {
			leavesSibling(req.Parts, r, i)
		}
	}
	in.Spec.Running = slices.DeleteFunc(in.Spec.Running, func(r cluster.Running) bool {
		if r.Gang == req.Name && partOf(req, r.Member) >= 0 { // it is to be placed
			req.Members = append(req.Members, gang.Member{Name: r.Member})
		}
		return r.Gang == req.Name
	})
	req.Groups, req.MinMember, req.MinParts, req.Tolerated = nil, 0, 0, false
	req.Limits = slices.DeleteFunc(slices.Clone(req.Limits), func(l gang.Limit) bool { return l.Kind == gang.Alone && !l.OfParts })
	req.QuotaLimit = cmp.Or(req.QuotaLimit, quota.Fair) // one pass
	if req.Score != nil {
		req.Class = "scored" // which says that all have the same host
	}
	ranks := validity.Ranks(req, nil)
	var members []gang.Member
	for i := range req.Parts {
		p := &req.Parts[i]
		p.NoGroup = false
		if len(p.Groups) > 0 {
			p.MinMember, p.MinParts = 0, 0 // of groups of a gang so many members count, of those of a part so many groups
			dropMultiples(p)               // which have to divide groups of a gang
		}
		if p.Tree != "" {
			dropMultiples(p) // for the gang by itself they would be in another tree
		}
		for _, m := range req.Members {
			if slices.Contains(allOf(p), m.Name) {
				members = append(members, m)
			}
		}
	}
	slices.SortStableFunc(members, func(a, b gang.Member) int {
		return cmp.Or(cmp.Compare(partOf(req, a.Name), partOf(req, b.Name)), cmp.Compare(ranks[a.Name], ranks[b.Name]))
	})
	for i := range members {
		members[i].Index, members[i].Indexed = i, true
	}
	req.Members = members
	return in
}

// leavesSibling makes a member one of a gang that starts together with others, alone as its gang is.
func leavesSibling(parts []gang.Part, r *cluster.Running, i int) {
	if len(parts) == 0 {
		return
	}
	p := &parts[i%len(parts)]
	r.Gang, r.Member, r.Alone, r.AloneIn = p.Name, "gone-"+r.Member, "", p.Tree
	for _, l := range p.Limits {
		if l.Kind == gang.Alone && !l.Preferred && !l.OfParts {
			r.Alone = l.Layer
		}
	}
}

// dropMultiples takes the multiples from a part and from all in it.
func dropMultiples(p *gang.Part) {
	p.Gather = slices.DeleteFunc(slices.Clone(p.Gather), func(r gang.Rule) bool { return r.Multiple > 0 })
	for i := range p.Parts {
		dropMultiples(&p.Parts[i])
	}
}

// allOf lists the members of a part and of all in it.
func allOf(p *gang.Part) []string {
	all := slices.Clone(p.Members)
	for i := range p.Parts {
		all = append(all, allOf(&p.Parts[i])...)
	}
	return all
}

// partOf is the outermost part that a member is in.
func partOf(req *gang.Request, member string) int {
	return slices.IndexFunc(req.Parts, func(p gang.Part) bool { return slices.Contains(allOf(&p), member) })
}

// asQueue makes a gang of each part.
func asQueue(req *gang.Request) (queue []*gang.Request) {
	for i, p := range req.Parts {
		one := *req
		one.Name, one.Together, one.GatherTogether = p.Name, req.Name, req.Gather
		one.Limits, one.LimitsTogether = p.Limits, req.Limits
		one.Tree, one.Gather, one.Groups, one.Parts, one.MinMember, one.MinParts = p.Tree, p.Gather, p.Groups, p.Parts, p.MinMember, p.MinParts
		one.Members = slices.DeleteFunc(slices.Clone(req.Members), func(m gang.Member) bool { return partOf(req, m.Name) != i })
		queue = append(queue, &one)
	}
	return queue
}

// notTogether holds if there is nothing to start together, or somebody is not known yet.
func notTogether(in *Input) bool {
	alone := len(in.Request.Parts) == 1 && len(in.Request.Gather)+len(in.Request.Limits) == 0 // it is the gang
	return alone || len(in.Request.Parts) == 0 || slices.ContainsFunc(in.Request.Parts, func(p gang.Part) bool { return slices.Contains(allOf(&p), "unknown") })
}

func togetherAgrees(in Input) ([]string, error) {
	if notTogether(&in) {
		return []string{"no gangs together"}, nil
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	kept, err := WithKept(in)
	switch {
	case errors.Is(err, ErrFurther):
		return []string{"prefers limits, waiting, further members"}, nil // see TestPreferredLimitsOfGangsTogether
	case err != nil:
		return nil, err
	}
	want, err := SolveParts(kept)
	if err != nil {
		return nil, err
	}
	_, planned := placement.Batch(c, asQueue(&in.Request))
	var all placement.Result
	for _, p := range planned {
		if p.Result == nil {
			return togetherRefused(want, planned)
		}
		all.Assignments = append(all.Assignments, p.Result.Assignments...)
		all.WaitsFor = append(all.WaitsFor, p.Result.WaitsFor...)
	}
	if !want.Placed {
		return nil, fmt.Errorf("placed %+v, want unschedulable", all.Assignments)
	}
	if err := selectionOf(&kept, want, &all); err != nil {
		return nil, fmt.Errorf("%w\nreference: %+v\nplan: %+v", err, *want, all)
	}
	for _, p := range planned {
		if p.Request.Tree != "" { // its ranks follow the tree of the first, and only its own MustGathers bar nodes outside its own
			continue
		}
		alone := Input{Spec: dump(in, p.Cluster), Request: *p.Request}
		if err := withoutRing(p.Request, validity.CheckTogether(alone.Spec, &alone.Request, p.Result)); err != nil && !want.Waits {
			return nil, fmt.Errorf("%s: %w", p.Request.Name, err)
		}
	}
	kind := fmt.Sprintf("%d gangs placed", len(planned))
	if want.Waits {
		kind += ", waiting"
	}
	return []string{kind}, nil
}

// withoutRing leaves out, for a gang with a short group, that its ranks do not follow the tree in a ring: the short group's child comes
// last where a gang is alone (ranks.2), while gangs together have the ranks of parts (parts.10).
func withoutRing(req *gang.Request, err error) error {
	if len(req.Groups) != 1 || len(req.Members)%req.Groups[0].Size == 0 {
		return err
	}
	var kept []error
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range all.Unwrap() {
			if !strings.HasPrefix(e.Error(), "the ring of ranks") {
				kept = append(kept, e)
			}
		}
	}
	return errors.Join(kept...)
}

// togetherRefused holds if nobody is placed, and rightly so where that is said to be proven.
func togetherRefused(want *Parted, planned []placement.Planned) ([]string, error) {
	proven, waiting := true, 0
	beside := slices.ContainsFunc(planned, func(p placement.Planned) bool { return limitedBesides(p.Request) })
	for _, p := range planned {
		var why *placement.Unschedulable
		var invalid *muster.InvalidError
		switch {
		case errors.As(p.Err, &invalid) && invalid.Unsupported && beside: // which is said of any of them
			return []string{"not supported together"}, nil // though as parts of one gang they are
		case p.Result != nil:
			return nil, fmt.Errorf("%s is placed, others are not", p.Request.Name)
		case !errors.As(p.Err, &why):
			return nil, fmt.Errorf("%s: another error than Unschedulable: %w", p.Request.Name, p.Err)
		}
		proven, waiting = proven && why.Proven, waiting+bit(len(why.Together) > 0)
	}
	if want.Placed && proven {
		return nil, fmt.Errorf("refused, want %+v: %w", *want, planned[0].Err)
	}
	if waiting > 0 {
		return []string{"refused, some wait for others"}, nil
	}
	return []string{"refused"}, nil
}

// limitedBesides holds for limits beside multiples, or of a gang in another topology, which are not supported; of parts they may be, as these have
// the multiples and the topology of their gang.
func limitedBesides(req *gang.Request) bool {
	limited := slices.ContainsFunc(allLimits(req), func(list *[]gang.Limit) bool { return len(*list) > 0 }) || len(req.LimitsTogether) > 0
	common := slices.ContainsFunc(req.GatherTogether, func(r gang.Rule) bool { return r.Multiple > 0 })
	return limited && (common || req.Tree != "" || validity.HasMultiples(req))
}

// selectionOf compares who is placed, and the strategy of all.
func selectionOf(in *Input, want *Parted, all *placement.Result) error {
	var placed []string
	for _, a := range all.Assignments {
		placed = append(placed, a.Member)
	}
	more := slices.DeleteFunc(slices.Clone(placed), func(name string) bool { return slices.Contains(want.Selection, name) })
	if len(placed)-len(more) < len(want.Selection) || len(more) > 0 && !want.Waits {
		return errors.New("other members are placed")
	}
	if (len(all.WaitsFor) > 0) != want.Waits {
		return errors.New("waits")
	}
	outside, worth, err := StrategyOf(in, all)
	if err == nil && len(more) == 0 && (outside != want.Outside || !slices.Equal(worth, want.Worth)) {
		err = fmt.Errorf("reaches %v, with %d outside", worth, outside)
	}
	return err
}
