package preferred

import (
	"slices"

	"github.com/muster-sched/muster/gang"
)

// This file answers: where in a request do limits stand, and what is the request with others?

// with is a request with one more hard limit, at an excess.
func with(req *gang.Request, l limit, excess int) *gang.Request {
	next := changed(req, func(l gang.Limit) (gang.Limit, bool) { return l, true })
	list := listsOf(next)[l.place]
	l.Most += excess
	*list = append(*list, l.Limit)
	return next
}

// changed is a copy of a request with other limits.
func changed(req *gang.Request, change func(gang.Limit) (gang.Limit, bool)) *gang.Request {
	next := *req
	next.Groups, next.Parts = slices.Clone(req.Groups), copied(req.Parts)
	for _, list := range listsOf(&next) {
		var some []gang.Limit
		for _, l := range *list {
			if l, ok := change(l); ok {
				some = append(some, l)
			}
		}
		*list = some
	}
	return &next
}

// copied are parts with levels of groups and inner parts of their own.
func copied(parts []gang.Part) []gang.Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Groups, out[i].Parts = slices.Clone(out[i].Groups), copied(out[i].Parts)
	}
	return out
}

// listsOf are the limits of a gang, of each level of its groups, and so of each part, outer ones before inner ones.
func listsOf(req *gang.Request) (lists []*[]gang.Limit) {
	add := func(own *[]gang.Limit, groups []gang.Groups) {
		lists = append(lists, own)
		for i := range groups {
			lists = append(lists, &groups[i].Limits)
		}
	}
	add(&req.Limits, req.Groups)
	var walk func(parts []gang.Part)
	walk = func(parts []gang.Part) {
		for i := range parts {
			add(&parts[i].Limits, parts[i].Groups)
			walk(parts[i].Parts)
		}
	}
	walk(req.Parts)
	return lists
}
