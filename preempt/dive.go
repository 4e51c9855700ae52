// A first set for branch and bound: the relaxed solution, made legal choice by choice. It decides no rule: the better the
// first set, the fewer branches are of use. docs/order.md, section 6, "Proof".

package preempt

import "slices"

// diveDepth bounds the choices of a dive.
const diveDepth = 32

// dive looks for a first set below the root: it lets gangs that the relaxed solution breaks leave whole, and keeps
// candidates that quotas do not let go. Where the room suffices but a rule beside it does not hold, it adds what costs
// least. What it finds is made minimal.
func (s *search) dive(root *branch) {
	b := root
	for range diveDepth {
		if s.offer(b) {
			break
		}
		next := s.deeper(b)
		if next == b {
			s.fill(b.set)
			break
		}
		if !s.visit(next) {
			break
		}
		b = next
	}
	if s.best.ok {
		s.takeIfFits(s.spare(&s.best), s.best.domain)
	}
}

// deeper settles what makes the set of a branch illegal; the branch itself if nothing does.
func (s *search) deeper(b *branch) *branch {
	s.state.apply(b)
	// Gangs come first: quotas count a gang that leaves whole as one eviction, and only know what is legal then.
	next := s.settleBroken(b)
	if next != b || s.model.problem.Legal == nil {
		return next
	}
	set, ok := s.model.completed(b.set, s.state.ceiling)
	if !ok || s.model.allowed(set) {
		return b
	}
	return s.keepRefused(b, set)
}

// settleBroken settles the gangs that the set of a branch breaks: they leave whole if they may.
func (s *search) settleBroken(b *branch) *branch {
	next := b
	count, seen := s.model.byGang(b.set), map[int32]bool{}
	for _, i := range b.set {
		g := s.model.problem.Candidates[i].Gang
		of := s.model.gang(i)
		if seen[g] || s.state.gangs[g] != undecided || !of.broken(count[g]) {
			continue
		}
		seen[g] = true
		c := choice{ofGang: true, id: g, as: runsOn}
		if of.Whole && of.Priority <= s.state.ceiling {
			c.as = leaves
		}
		next = next.with(c)
	}
	return next
}

// keepRefused keeps those of a set that quotas refuse, one after the other, what costs least being let go first.
func (s *search) keepRefused(b *branch, set []int32) *branch {
	next := b
	units := s.model.unitsOf(set)
	slices.Reverse(units)
	var away []int32
	for _, unit := range units {
		more := sorted(away, unit)
		if s.model.allowed(more) {
			away = more
			continue
		}
		if c := s.choiceOf(unit[0]); c.ofGang && s.state.gangs[c.id] == undecided {
			next = next.with(c.kept())
		} else if s.state.candidates[unit[0]] == open {
			next = next.with(choice{id: unit[0], as: staying})
		}
	}
	return next
}

// fill adds candidates to a set, those that cost least first, until the gang fits. It asks at every power of two of
// their units, since what is too much can be spared.
func (s *search) fill(set []int32) {
	set, ok := s.model.completed(set, s.state.ceiling)
	if !ok {
		return
	}
	var rest []int32
	for i := range s.model.problem.Candidates {
		if s.model.priority[i] <= s.state.ceiling && !slices.Contains(set, int32(i)) {
			rest = append(rest, int32(i))
		}
	}
	units := s.model.unitsOf(rest)
	slices.Reverse(units)
	for from, to := 0, 1; from < len(units); from, to = to, min(2*to, len(units)) {
		more, ok := s.added(set, units[from:to])
		if set = more; !ok {
			continue
		}
		if d, outside, ok := s.makesRoom(set); ok {
			s.take(set, outside, d)
			return
		}
	}
	if !s.model.legal(set) { // nothing was added that would have made it so
		return
	}
	if d, outside, ok := s.makesRoom(set); ok {
		s.take(set, outside, d)
	}
}

// added is a set with those of some units that may leave beside it: all at once, else half of them by themselves. False if none may.
func (s *search) added(set []int32, units [][]int32) ([]int32, bool) {
	more, ok := s.model.completed(sorted(set, slices.Concat(units...)), s.state.ceiling)
	if ok && s.model.allowed(more) {
		return slices.Compact(more), true // a unit may be of a gang that has been completed before
	}
	if len(units) == 1 {
		return set, false
	}
	set, first := s.added(set, units[:len(units)/2])
	set, second := s.added(set, units[len(units)/2:])
	return set, first || second
}
