package preempt

import "slices"

// dive looks for a first set: it lets gangs that a relaxed solution breaks leave whole, keeps candidates that quotas do not let go, and where
// the room suffices but something else is short adds what costs least. What it finds is made minimal.
func (s *search) dive(f *found, root *decision, strategy int) {
	d := root
	for range 32 {
		if s.offer(f, d, strategy) {
			break
		}
		next := s.deeper(d)
		if next == nil {
			s.fill(f, root, d.set, strategy)
			break
		}
		set, bound, ok := s.visit(strategy, next)
		if !ok {
			break
		}
		next.set, next.bound = set, bound
		d = next
	}
	if f.ok {
		set := s.spare(f, strategy)
		if outside, ok := s.Fits(set, strategy); ok {
			s.take(f, set, outside, root.domain)
		}
	}
}

// deeper decides what makes the set of a branch illegal; nil if nothing does.
func (s *search) deeper(d *decision) *decision {
	s.set(d)
	next := d
	add := func(gang bool, which int32, as int8) {
		next = &decision{parent: next, depth: next.depth + 1, gang: gang, which: which, as: as}
	}
	count, seen := s.byGang(d.set), map[int32]bool{}
	for _, i := range d.set {
		g := s.Candidates[i].Gang
		of := &s.Gangs[g]
		if seen[g] || s.gangs[g] != undecided || !of.broken(count[g]) {
			continue
		}
		seen[g] = true
		if of.Whole && of.Priority <= s.ceiling {
			add(true, g, leaves)
		} else {
			add(true, g, runsOn)
		}
	}
	if next != d || s.Legal == nil {
		return below(next, d)
	}
	set, ok := s.completed(d.set)
	if !ok || s.Legal(set) {
		return nil
	}
	units := s.unitsOf(set)
	slices.Reverse(units)
	var kept []int32
	for _, unit := range units {
		more := slices.Sorted(slices.Values(slices.Concat(kept, unit)))
		if s.Legal(more) {
			kept = more
			continue
		}
		if gang, which, _ := s.settling(unit[0]); gang && s.gangs[which] == undecided {
			add(true, which, runsOn)
		} else if s.state[unit[0]] == open {
			add(false, unit[0], stays)
		}
	}
	return below(next, d)
}

// below is a decision if it is another than the one it was to go beyond.
func below(next, d *decision) *decision {
	if next == d {
		return nil
	}
	return next
}

// fill adds candidates to a set, those that cost least first, until the gang fits.
func (s *search) fill(f *found, root *decision, set []int32, strategy int) {
	set, ok := s.completed(set)
	if !ok {
		return
	}
	var rest []int32
	for i := range s.Candidates {
		if s.below(int32(i)) && !slices.Contains(set, int32(i)) {
			rest = append(rest, int32(i))
		}
	}
	units := s.unitsOf(rest)
	slices.Reverse(units)
	tried := 1
	for n, unit := range units {
		more, ok := s.completed(slices.Sorted(slices.Values(slices.Concat(set, unit))))
		if !ok || s.Legal != nil && !s.Legal(more) {
			continue
		}
		set = slices.Compact(more)
		if n+1 < tried && n+1 < len(units) {
			continue
		}
		tried = 2 * (n + 1)
		if outside, ok := s.Fits(set, strategy); ok {
			s.take(f, set, outside, root.domain)
			return
		}
	}
	if !s.legal(set) { // nothing was added that would have made it so
		return
	}
	if outside, ok := s.Fits(set, strategy); ok {
		s.take(f, set, outside, root.domain)
	}
}
