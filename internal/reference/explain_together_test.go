package reference

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster/explain"
)

// changedByAll is an input with a change and further ones. All speak of levels of groups as they are before.
func changedByAll(in Input, change *explain.Change, and []explain.Change) Input {
	all := append([]explain.Change{*change}, and...)
	slices.SortStableFunc(all, func(a, b explain.Change) int { // dropped levels last, the innermost of them first
		return cmp.Or(cmp.Compare(dropped(&a), dropped(&b)), cmp.Compare(dropped(&b)*b.Level, dropped(&a)*a.Level))
	})
	for i := range all {
		in = changedBy(in, &all[i])
	}
	return in
}

func dropped(c *explain.Change) int {
	if c.Kind == explain.KindGroup {
		return 1
	}
	return 0
}

// together says what is wrong with what is told of several changes of one kind; empty: nothing.
func (x *enumeration) together(k explain.Kind) (what, which string) {
	var all []explain.Change // the furthest of each
	for _, o := range options(&x.in) {
		for _, c := range o.changes {
			if o.kind == k && !slices.ContainsFunc(all, func(a explain.Change) bool { return keyOf(&a) == keyOf(&c) && a.Resource == c.Resource }) {
				all = append(all, c)
			}
		}
	}
	ofKind := func(r explain.Relaxation) bool {
		return r.Kind == k && !slices.ContainsFunc(r.And, func(c explain.Change) bool { return c.Kind != k })
	}
	told := slices.IndexFunc(x.e.Relaxations, ofKind)
	most := len(all)
	if told >= 0 && x.e.Relaxations[told].Least {
		most = len(x.e.Relaxations[told].And) // sets of fewer
	} else if told >= 0 || x.saysNotTried(k) {
		return "", ""
	}
	for set := range sets(all, most) {
		if _, err := planned(changedByAll(x.in, &set[0], set[1:])); err != nil {
			continue
		}
		if which = fmt.Sprintf("%+v", set); told >= 0 {
			return "is told of more than need be", which
		}
		return "is missed, of several together", which
	}
	return "", ""
}

// sets iterates over sets of one to n changes.
func sets(all []explain.Change, n int) func(yield func([]explain.Change) bool) {
	return func(yield func([]explain.Change) bool) {
		for mask := 1; mask < 1<<min(len(all), 8); mask++ {
			var set []explain.Change
			for i := range all {
				if mask>>i&1 == 1 {
					set = append(set, all[i])
				}
			}
			if len(set) <= n && !yield(set) {
				return
			}
		}
	}
}
