package gather

import (
	"slices"

	"github.com/muster-sched/muster/internal/layout"
)

// fillZoned is fillPlain where the zones of the children of x tell them apart. If the next member gets as many zones on each of
// them, slots decide how many children of which size are taken, and the score of the zones which ones of a size.
func (s *sums) fillZoned(x layout.Vertex, n int64, list []int32) []int32 {
	lo, end := s.p.View.Kids(x)
	if !s.sameZones(lo, end) {
		return s.fillChosen(x, n, list)
	}
	kept := len(s.ask.scratch.picks)
	s.pickFewest(x, n)
	picks := s.ask.scratch.picks[kept:]
	least, spare := picks[0].slots, -n
	for _, p := range picks {
		least, spare = min(least, p.slots), spare+p.slots
	}
	given := s.ask.scratch.carve(int(end - lo))
	for i, p := range picks {
		same := func(o chosen) bool { return o.slots == p.slots }
		if slices.ContainsFunc(picks[:i], same) {
			continue
		}
		count := 0
		for _, o := range picks[i:] {
			if same(o) {
				count++
			}
		}
		last := p.slots
		if last == least {
			last -= spare
		}
		s.giveBest(lo, end, count, p.slots, last, given)
	}
	s.ask.scratch.picks = s.ask.scratch.picks[:kept]
	for i, units := range given {
		for range units {
			list = append(list, s.p.View.Position(lo+layout.Vertex(i)))
		}
	}
	return list
}

// sameZones says whether the next member gets as many zones on all of some nodes that have slots.
func (s *sums) sameZones(lo, end layout.Vertex) bool {
	zones := int64(-1)
	for c := lo; c < end; c++ {
		if s.ask.slots.At(c) == 0 {
			continue
		}
		n := s.p.Zones().ZonesOn(c)
		if zones >= 0 && n != zones {
			return false
		}
		zones = n
	}
	return true
}

// giveBest fills so many nodes of a size, the last one in the order of paths as far as said, with the highest score of their
// zones.
func (s *sums) giveBest(lo, end layout.Vertex, count int, size, last int64, given []int64) {
	var equal []layout.Vertex
	for c := lo; c < end; c++ {
		if s.ask.slots.At(c) == size {
			equal = append(equal, c)
		}
	}
	value := func(i, j int) score {
		if j == count-1 {
			return s.scoreOn(equal[i], last)
		}
		return s.scoreOn(equal[i], size)
	}
	for j, i := range assign(len(equal), count, value) {
		given[equal[i]-lo] = size
		if j == count-1 {
			given[equal[i]-lo] = last
		}
	}
}

// fillChosen is fillZoned by the general choice.
func (s *sums) fillChosen(x layout.Vertex, n int64, list []int32) []int32 {
	d := demand{units: s.units()}
	d.units[s.ask.bottom()] = n
	sh := s.placeChosen(x, d)
	for i := range sh.parts {
		for range s.newMembers(&sh.parts[i].demand) {
			list = append(list, s.p.View.Position(sh.parts[i].at))
		}
	}
	return list
}
