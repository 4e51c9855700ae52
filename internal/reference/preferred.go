package reference

import (
	"errors"
	"slices"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// prefers holds if the gang, or a part of it, prefers any limit.
func prefers(req *gang.Request) bool {
	return slices.ContainsFunc(allLimits(req), func(list *[]gang.Limit) bool { return slices.ContainsFunc(*list, isPreferred) })
}

func isPreferred(l gang.Limit) bool { return l.Preferred }

// keepingAll is a request with all limits hard that it prefers.
func keepingAll(req *gang.Request) *gang.Request {
	if !prefers(req) {
		return req
	}
	kept := withOwnParts(*req)
	for _, list := range allLimits(&kept) {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i].Preferred = false
		}
	}
	return &kept
}

// leavesOut holds if fewer members are placed than were, or some of higher ranks in the place of lower ones, by their ascending ranks.
func leavesOut(ranks, were []int) bool {
	return len(ranks) < len(were) || slices.Compare(ranks[:len(were)], were) > 0
}

func ranksOf(placed []placement.Assignment) (ranks []int) {
	for _, a := range placed {
		ranks = append(ranks, a.Rank)
	}
	return ranks
}

// solvePreferring is Solve for a gang that prefers limits: with those, in their order, that cost neither a member nor a wait.
func solvePreferring(in Input) (*Answer, error) {
	k := preferring[*Answer]{
		solve:  Solve,
		placed: func(a *Answer) bool { return a.Placed },
		asGood: func(a, best *Answer) bool {
			return !leavesOut(ranksOf(a.Assignments), ranksOf(best.Assignments)) && (len(a.WaitsFor) == 0 || len(best.WaitsFor) > 0)
		},
	}
	in, best, err := k.keep(in)
	if err == nil && best.Placed {
		best.kept = &in
	}
	return best, err
}

// ErrFurther says that a gang in parts waits, and that what it prefers may cost further members, which this solver does not look for.
var ErrFurther = errors.New("further members may be placed")

// WithKept is the input of a gang in parts with those limits hard that it prefers and can keep, in their order, and without the others.
func WithKept(in Input) (Input, error) {
	if !prefers(&in.Request) {
		return in, nil
	}
	ranks := validity.Ranks(&in.Request, validity.Own(&in.Spec, &in.Request))
	of := func(selection []string) (out []int) {
		for _, name := range selection {
			out = append(out, ranks[name])
		}
		return out
	}
	k := preferring[*Parted]{
		solve:  SolveParts,
		placed: func(a *Parted) bool { return a.Placed },
		asGood: func(a, best *Parted) bool {
			return !leavesOut(of(a.Selection), of(best.Selection)) && (!a.Waits || best.Waits)
		},
	}
	kept, best, err := k.keep(in)
	if err == nil && best.Waits && len(best.Selection) < len(in.Request.Members) {
		err = ErrFurther
	}
	return kept, err
}

// preferring makes limits hard that a gang prefers, as far as answers to it stay as good.
type preferring[A any] struct {
	solve  func(Input) (A, error)
	placed func(A) bool
	asGood func(a, best A) bool
}

// keep is the input without preferred limits, but with those hard that can be kept, and its answer.
func (k preferring[A]) keep(in Input) (kept Input, best A, err error) {
	asked := in.Request
	in.Request = withOwnParts(asked)
	for _, list := range allLimits(&in.Request) {
		*list = slices.DeleteFunc(slices.Clone(*list), isPreferred)
	}
	if best, err = k.solve(in); err != nil || !k.placed(best) {
		return in, best, err
	}
	for place, list := range allLimits(&asked) {
		for _, l := range *list {
			if l.Preferred {
				if in, best, err = k.with(in, best, l, place); err != nil {
					return in, best, err
				}
			}
		}
	}
	return in, best, nil
}

// with is the input, and its answer, with one more limit at a place of allLimits, where that costs nothing; one that keeps apart as tightly as
// can be.
func (k preferring[A]) with(in Input, best A, l gang.Limit, place int) (Input, A, error) {
	l.Preferred = false
	all := len(in.Request.Members) + len(validity.Own(&in.Spec, &in.Request))
	for last := max(l.Most, all); l.Most <= last; l.Most++ {
		next := in
		next.Request = withOwnParts(in.Request)
		list := allLimits(&next.Request)[place]
		*list = append(slices.Clone(*list), l)
		a, err := k.solve(next)
		if err != nil {
			return in, best, err
		}
		if k.placed(a) && k.asGood(a, best) {
			return next, a, nil
		}
		if l.Kind != gang.Apart {
			break
		}
	}
	return in, best, nil
}

// withOwnParts is a request whose groups and parts are its own.
func withOwnParts(req gang.Request) gang.Request {
	var own func(parts []gang.Part) []gang.Part
	own = func(parts []gang.Part) []gang.Part {
		parts = slices.Clone(parts)
		for i := range parts {
			parts[i].Groups, parts[i].Parts = slices.Clone(parts[i].Groups), own(parts[i].Parts)
		}
		return parts
	}
	req.Groups, req.Parts = slices.Clone(req.Groups), own(req.Parts)
	return req
}

// allLimits are those of the gang, of its groups, and so of each part.
func allLimits(req *gang.Request) (lists []*[]gang.Limit) {
	lists = append(lists, &req.Limits)
	for i := range req.Groups {
		lists = append(lists, &req.Groups[i].Limits)
	}
	var of func(parts []gang.Part)
	of = func(parts []gang.Part) {
		for i := range parts {
			lists = append(lists, &parts[i].Limits)
			for k := range parts[i].Groups {
				lists = append(lists, &parts[i].Groups[k].Limits)
			}
			of(parts[i].Parts)
		}
	}
	of(req.Parts)
	return lists
}
