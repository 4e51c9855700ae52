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

// WithKept is the input of a gang in parts with those limits hard that it prefers and can keep, in their order, and without the others.
func WithKept(in Input) (Input, error) {
	asked := in.Request
	preferred := func(l gang.Limit) bool { return l.Preferred }
	if !slices.ContainsFunc(allLimits(&asked), func(list *[]gang.Limit) bool { return slices.ContainsFunc(*list, preferred) }) {
		return in, nil
	}
	in.Request = withOwnParts(asked)
	for _, list := range allLimits(&in.Request) {
		*list = slices.DeleteFunc(slices.Clone(*list), preferred)
	}
	best, err := SolveParts(in)
	if err != nil || !best.Placed {
		return in, err
	}
	for place, list := range allLimits(&asked) {
		for _, l := range *list {
			if l.Preferred {
				if in, best, err = withOneMore(in, best, l, place); err != nil {
					return in, err
				}
			}
		}
	}
	return in, nil
}

// withOneMore is withPreferred for a gang in parts; the list at a place of allLimits gets one more.
func withOneMore(in Input, best *Parted, l gang.Limit, place int) (Input, *Parted, error) {
	l.Preferred = false
	for last := max(l.Most, MaxMembers); l.Most <= last; l.Most++ {
		next := in
		next.Request = withOwnParts(in.Request)
		list := allLimits(&next.Request)[place]
		*list = append(slices.Clone(*list), l)
		a, err := SolveParts(next)
		if err != nil {
			return in, nil, err
		}
		if a.Placed && len(a.Selection) >= len(best.Selection) && (!a.Waits || best.Waits) {
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
