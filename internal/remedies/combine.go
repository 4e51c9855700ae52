// Which changes of two kinds help together, where none helps by itself?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster/explain"
)

// combine looks for changes of two kinds: one as far as it goes, then the least of the other, then the least of the first beside that.
func (f *Search) combine(at state) {
	f.apart = map[explain.Kind]bool{}
	for i := range f.found {
		f.apart[f.found[i].Kind] = true
	}
	for i, a := range ways {
		if a.loosen == nil {
			continue
		}
		for _, e := range a.loosen(f, at) {
			loose, ok := e(at)
			if !ok {
				continue
			}
			for _, b := range ways[i+1:] {
				f.pair(at, loose, a.find, b.find)
				if len(f.found) >= maxPairs || !f.mayTry() {
					return
				}
			}
		}
	}
}

// maxPairs is how many combinations are looked for.
const maxPairs = 3

// pair tries one change of a kind that loose stands for, beside one of another kind.
func (f *Search) pair(at, loose state, first, second func(*Search, state) []step) {
	before := f.doubt
	f.doubt = false
	defer func() { f.doubt = f.doubt || before }()
	for _, b := range second(f, loose) {
		beside, ok := b.edit(at)
		if !ok {
			continue
		}
		for _, a := range first(f, beside) {
			if d := &b.change; d.Kind == explain.KindGroup && d.Part == a.change.Part && a.change.Level >= d.Level {
				a.change.Level++ // levels are those of the request as it is
			}
			if b.change.Kind == explain.KindAdd {
				nameNew(at.s, &b.change, a.plan)
			}
			and := slices.Concat(a.and, []explain.Change{b.change}, b.and)
			f.found = append(f.found, explain.Relaxation{Change: a.change, And: and, Least: a.least && b.least && !f.doubt, Plan: *a.plan})
			return
		}
	}
}
