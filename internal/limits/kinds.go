package limits

import "github.com/muster-sched/muster/gang"

// This file answers: what does a kind of limit bound? Engines are told the bounds, and know no kinds.

// kind is a kind of limit, by what it bounds.
type kind struct {
	inEach   func(l gang.Limit, groups bool) int64 // units in each domain of the layer, members or groups; 0, or nil: any number
	domains  bool                                  // at most so many domains of the layer are used
	alone    bool                                  // nobody else is in these
	exceeded bool                                  // a plan may be a number of units away from it
}

// kinds are all of them.
//
// order: limits.1
var kinds = map[gang.LimitKind]kind{
	gang.Apart:  {inEach: func(l gang.Limit, _ bool) int64 { return int64(l.Most) }, exceeded: true},
	gang.Alone:  {inEach: oneGroup, alone: true},
	gang.Within: {domains: true},
}

// oneGroup is in each domain, of members any number.
func oneGroup(_ gang.Limit, groups bool) int64 {
	if groups {
		return 1
	}
	return 0
}

// IsKind says whether there is such a kind of limit, and whether a plan may be a number of units away from keeping one.
func IsKind(name gang.LimitKind) (is, exceeded bool) {
	k, is := kinds[name]
	return is, k.exceeded
}

// most is how many units a limit lets into each domain; 0: it says nothing of that.
func most(l gang.Limit, groups bool) int64 {
	if count := kinds[l.Kind].inEach; count != nil {
		return count(l, groups)
	}
	return 0
}

// countsDomains says whether a limit bounds the number of domains that are used.
func countsDomains(l gang.Limit) bool { return kinds[l.Kind].domains }

// isOne says whether a limit is nothing but a MustGather.
func isOne(l gang.Limit) bool { return countsDomains(l) && l.Most == 1 }
