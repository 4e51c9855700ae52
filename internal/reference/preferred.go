package reference

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// prefers holds if the gang prefers any limit.
func prefers(req *gang.Request) bool {
	for level := range len(req.Groups) + 1 {
		if slices.ContainsFunc(*limitsAt(req, level), func(l gang.Limit) bool { return l.Preferred }) {
			return true
		}
	}
	return false
}

// limitsAt are the limits of the gang, at level 0, or of its groups.
func limitsAt(req *gang.Request, level int) *[]gang.Limit {
	if level == 0 {
		return &req.Limits
	}
	return &req.Groups[level-1].Limits
}

// solvePreferring is Solve for a gang that prefers limits: with those, in their order, that cost neither a member nor a wait.
func solvePreferring(in Input) (*Answer, error) {
	asked := in.Request
	in.Request.Groups = slices.Clone(in.Request.Groups)
	for level := range len(asked.Groups) + 1 {
		list := limitsAt(&in.Request, level)
		*list = slices.DeleteFunc(slices.Clone(*list), func(l gang.Limit) bool { return l.Preferred })
	}
	best, err := Solve(in)
	if err != nil || !best.Placed {
		return best, err
	}
	defer func() { best.kept = &in }()
	for level := range len(asked.Groups) + 1 {
		for _, l := range *limitsAt(&asked, level) {
			if !l.Preferred {
				continue
			}
			if in, best, err = withPreferred(in, best, l, level); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// withPreferred is the input, and its answer, with one more limit where that costs nothing; one that keeps apart as tightly as can be.
func withPreferred(in Input, best *Answer, l gang.Limit, level int) (Input, *Answer, error) {
	l.Preferred = false
	for last := max(l.Most, MaxMembers); l.Most <= last; l.Most++ {
		next := in
		next.Request.Groups = slices.Clone(in.Request.Groups)
		list := limitsAt(&next.Request, level)
		*list = append(slices.Clone(*list), l)
		a, err := Solve(next)
		if err != nil {
			return in, nil, err
		}
		if a.Placed && a.Members >= best.Members && (len(a.WaitsFor) == 0 || len(best.WaitsFor) > 0) {
			return next, a, nil
		}
		if l.Kind != gang.Apart {
			break
		}
	}
	return in, best, nil
}
