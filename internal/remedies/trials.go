// Which of some elements, or of some changes, help together, as far as plans tell?

package remedies

import (
	"slices"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/hitting"
)

// trial is the search for a smallest set among some elements, and of the smallest set that helped so far the plan.
type trial struct {
	*hitting.Fewest
	elements []int32
	counts   []int32
	size     int
	plan     *explain.Plan
}

// trial is such a search; e: what amounts tell of the elements, nil: nothing.
func (f *Search) trial(at state, c *choice, elements []int32, e *ending) *trial {
	class := make([]int32, len(elements))
	known := map[int32]int32{}
	for i, e := range elements {
		of := e
		if c.class != nil {
			of = c.class[e]
		}
		n, ok := known[of]
		if !ok {
			n = int32(len(known))
			known[of] = n
		}
		class[i] = n
	}
	t := &trial{elements: elements, size: len(elements) + 1}
	t.Fewest = hitting.NewFewest(class, f.allowed, func(counts []int32) bool {
		set := t.Elements(counts)
		plan := f.after(at, c.edit(pick(elements, set)))
		if plan != nil && len(set) <= t.size {
			t.counts, t.size, t.plan = slices.Clone(counts), len(set), plan
		}
		return plan != nil
	})
	if c.notAlone {
		t.May = func(counts []int32) bool { return len(t.Elements(counts)) > 1 }
	}
	if e != nil {
		t.May = func(counts []int32) bool {
			gone := make([]bool, len(elements))
			for _, i := range t.Elements(counts) {
				gone[i] = true
			}
			f.share.Packing.Spend(int64(len(e.nodes)))
			return e.may(gone)
		}
	}
	return t
}

// chosen is the smallest set that helped so far.
func (t *trial) chosen(least bool) *chosen {
	return &chosen{pick(t.elements, t.Elements(t.counts)), least, t.plan}
}

// sparePlans are kept for a set from which none can be spared, where the search for a smallest one ends early: at most a third of the plans.
const sparePlans = 24

// searched is a smallest set of the elements of a scope, as far as plans suffice, where one is known to help: quick, or all. Nil: none helps.
func (f *Search) searched(at state, c *choice, p *scope, e *ending, quick *chosen) *chosen {
	t := f.trial(at, c, p.elements, e)
	if quick == nil && !t.Helps(t.Sizes) {
		return nil
	}
	kept := min(f.allowed/3, sparePlans)
	t.Asks = f.allowed - kept
	if set := t.Search(); set != nil {
		return t.chosen(true)
	}
	f.doubt = true
	if t.plan == nil || quick != nil && len(quick.set) <= t.size {
		return quick
	}
	t.Asks = max(kept, t.Asks)
	t.Spare(t.counts)
	return t.chosen(false)
}

// spared is a set that helps, quick or all of a scope, without the elements that can be spared. Nil: none helps.
func (f *Search) spared(at state, c *choice, p *scope, quick *chosen) *chosen {
	set := p.elements
	if quick != nil {
		set = quick.set
	}
	t := f.trial(at, c, set, nil)
	t.counts, t.size = t.Sizes, len(set)
	if quick != nil {
		t.plan = quick.plan
	} else if !t.Helps(t.Sizes) {
		return nil
	}
	t.Spare(t.Sizes)
	return t.chosen(t.size == p.least)
}

// each makes each change of a kind by itself; where none of them helps, the fewest that help together.
func (f *Search) each(at state, all []explain.Change) []step {
	steps := f.all(at, all)
	if len(steps) > 0 || len(all) < 2 || f.apart[all[0].Kind] {
		return steps
	}
	c := &choice{notAlone: true, edit: func(set []int32) edit { return together(all, set) }}
	found := f.fewest(at, c, len(all))
	if found == nil {
		return nil
	}
	s := step{change: all[found.set[0]], least: found.least && !f.doubt, edit: c.edit(found.set), plan: found.plan}
	for _, i := range found.set[1:] {
		s.and = append(s.and, all[i])
	}
	return []step{s}
}

// fewest is a smallest set of so many elements, as far as plans suffice, of which none helps by itself. Nil: all together do not help.
func (f *Search) fewest(at state, c *choice, n int) *chosen {
	p := &scope{elements: make([]int32, n)}
	for i := range p.elements {
		p.elements[i] = int32(i)
	}
	if n > fewElements {
		return f.spared(at, c, p, nil)
	}
	return f.searched(at, c, p, nil, nil)
}

// together makes some of several changes, those that change anything.
func together(all []explain.Change, set []int32) edit {
	return func(at state) (state, bool) {
		changed := false
		for _, i := range set {
			if next, ok := edited(all[i])(at); ok {
				at, changed = next, true
			}
		}
		return at, changed
	}
}

// edits are the edits of all changes, each by itself, then of all together.
func edits(all []explain.Change) (out []edit) {
	set := make([]int32, len(all))
	for i, c := range all {
		out, set[i] = append(out, edited(c)), int32(i)
	}
	if len(all) > 1 {
		out = append(out, together(all, set))
	}
	return out
}
