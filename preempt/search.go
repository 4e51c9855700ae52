package preempt

import (
	"math"
	"slices"
)

// The states of a candidate while the search decides.
const (
	open  = iota
	gone  // leaves for sure
	stays // stays for sure
)

// The states of a gang that can leave whole: a surplus of it may leave, or all of it.
const (
	undecided = iota
	leaves
	runsOn
)

// search looks for the best set under one strategy and below one priority.
type search struct {
	*Problem
	positions int32   // how many there are
	classes   *search // of nodes, which stand in its Nodes; nil: every position is a node of its own
	classOf   []int32 // by position: the class; -1: no unit

	layout  layout
	ceiling int64     // candidates of gangs above it stay
	on      []int32   // the first candidate of every node, and behind the last
	of      [][]int32 // by gang that ends: its candidates
	wholes  []weight  // by the same: what it costs
	shapes  []int32   // by kind: kinds of equal shape give back the same
	above   []int64   // by candidate: the priority of its gang
	coupled bool      // candidates depend on each other
	mixed   bool      // some count in several budgets: then it matters who counts first

	// What is decided: of candidates, of gangs, and so how many of a gang are gone and how many more may leave each budget.
	state  []int8
	away   []int32 // candidates in the state gone
	gangs  []int8
	out    []int
	left   []int
	absurd bool // more of a gang is gone than may, while it runs on

	// What is known while nothing is decided: slots of nodes without any candidate up to the ceiling, curves in domains of a tier, and what the domains
	// of the gang's tier cost, the cheapest first.
	slotsLeft []int64
	freeSlots []int64
	gains     []int64 // by node: how many slots one candidate can make at most
	kindGains []int64
	saved     map[int32]*curve // that were replaced for a while
	recounts  int
	full      bool // gangs cost on each of their nodes what they cost whole
	curves    []*curve
	known     []bool
	knownTier int
	domains   []domain
	merger    merger
	steps     int
	limit     []int64 // keys that begin above it are of no use

	itemRoom []item
	freeRoom []int64
	bestRoom []weight
}

// domain is one of the gang's tier that has room if enough candidates leave.
type domain struct {
	lo, end int32
	cost    weight
}

func newSearch(p *Problem) *search {
	s := &search{
		Problem: p, positions: int32(len(p.Nodes)), layout: newLayout(p), ceiling: math.MaxInt64, on: make([]int32, len(p.Nodes)+1), shapes: shapesOf(p.Holdings),
		curves: make([]*curve, len(p.Nodes)), known: make([]bool, len(p.Nodes)), coupled: p.Legal != nil || !p.Exact, left: slices.Clone(p.Budgets),
	}
	s.coupled = s.coupled || len(p.Guaranteed) > 0 || slices.ContainsFunc(p.Holdings, func(k Holding) bool { return len(k.Budgets) > 0 }) ||
		slices.ContainsFunc(p.Gangs, func(g Gang) bool { return g.Ends })
	s.above = make([]int64, len(p.Candidates))
	for i := range p.Candidates {
		c := &p.Candidates[i]
		s.on[c.Position+1], s.above[i] = int32(i)+1, p.Gangs[c.Gang].Priority
	}
	for pos := range len(p.Nodes) {
		s.on[pos+1] = max(s.on[pos+1], s.on[pos])
	}
	s.mixed = slices.ContainsFunc(p.Holdings, func(k Holding) bool { return len(k.Budgets) > 1 })
	for pos := range int32(len(p.Nodes)) {
		s.coupled = s.coupled || s.tooMany(pos)
	}
	if !s.coupled {
		return s
	}
	s.state, s.gangs, s.out = make([]int8, len(p.Candidates)), make([]int8, len(p.Gangs)), make([]int, len(p.Gangs))
	s.listGangs()
	return s
}

// listGangs finds the candidates of every gang that ends, and what the gang costs.
func (s *search) listGangs() {
	s.of, s.wholes = make([][]int32, len(s.Gangs)), make([]weight, len(s.Gangs))
	ends, room := make([]int32, len(s.Gangs)+1), make([]int32, len(s.Candidates))
	for i := range s.Candidates {
		ends[s.Candidates[i].Gang+1]++
	}
	for g := range s.Gangs {
		lo, end := ends[g], ends[g]+ends[g+1]
		if ends[g+1] = end; s.Gangs[g].Ends && lo < end {
			s.of[g] = room[lo:lo:end]
			s.layout.fields[ended].put(&s.wholes[g], 1)
		}
	}
	for i := range s.Candidates {
		if g := s.Candidates[i].Gang; s.Gangs[g].Ends {
			s.of[g] = append(s.of[g], int32(i))
			w := s.alone(int32(i))
			s.wholes[g].add(&w)
		}
	}
}

// tooMany says whether there may be too many combinations of the candidates on a node to try them all.
func (s *search) tooMany(pos int32) bool {
	lo, end := s.on[pos], s.on[pos+1]
	if end-lo <= 16 {
		return false
	}
	count := map[[2]int32]int{}
	for i := lo; i < end; i++ {
		kind := s.Candidates[i].Holding
		count[[2]int32{s.shapes[kind], s.Holdings[kind].Tag}]++
	}
	n := 1
	for _, of := range count {
		if n *= 1 + of; n > most {
			return true
		}
	}
	return false
}

// shapesOf finds the kinds that give back the same.
func shapesOf(kinds []Holding) []int32 {
	out := make([]int32, len(kinds))
	for k := range kinds {
		out[k] = int32(k)
		for o := range min(k, 64) { // among very many kinds some are told apart that need not be
			if slices.Equal(kinds[o].Amounts, kinds[k].Amounts) {
				out[k] = out[o]
				break
			}
		}
	}
	return out
}

// kind is what a candidate has in common with others.
func (s *search) kind(i int32) *Holding { return &s.Holdings[s.Candidates[i].Holding] }

// below says whether a candidate's gang is not above the ceiling.
func (s *search) below(i int32) bool { return s.above[i] <= s.ceiling }

// stateOf is what is decided of a candidate.
func (s *search) stateOf(i int32) int8 {
	if s.state == nil {
		return open
	}
	return s.state[i]
}

// together says whether a gang's members that are open leave all at once or not at all.
func (s *search) together(g int32) bool { return s.Gangs[g].Ends && s.Gangs[g].Surplus == 0 }

// share is what each node's part of a gang costs at least that can only leave whole, within an interval: what the gang costs, split over its nodes there.
func (s *search) share(g, lo, end int32) weight {
	nodes, last := uint64(0), int32(-1)
	for _, i := range s.of[g] {
		if pos := s.Candidates[i].Position; pos != last && pos >= lo && pos < end {
			nodes, last = nodes+1, pos
		}
	}
	return s.wholes[g].over(nodes)
}

// decision is a branch of the search: a candidate, or a gang, and what becomes of it.
type decision struct {
	parent *decision
	bound  []int64 // no set below has a lower key
	depth  int
	gang   bool
	which  int32
	as     int8
	set    []int32 // that the relaxed problem takes
	domain domain  // in which it makes room
}

// set puts the candidates and gangs in the states that a branch decides, and returns the nodes that it concerns.
func (s *search) set(d *decision) []int32 {
	s.absurd = false
	clear(s.state)
	s.away = s.away[:0]
	clear(s.gangs)
	clear(s.out)
	copy(s.left, s.Budgets)
	var path []*decision
	for at := d; at.depth > 0; at = at.parent {
		path = append(path, at)
	}
	var touched []int32
	for _, at := range slices.Backward(path) {
		if at.gang {
			touched = s.decideGang(at.which, at.as, touched)
		} else {
			touched = s.decide(at.which, at.as, touched)
		}
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}

// decide settles a candidate; one that stays makes those like it on its node stay that would leave after it, unless they were settled before.
func (s *search) decide(i int32, as int8, touched []int32) []int32 {
	c := &s.Candidates[i]
	if s.state[i] != open {
		return touched
	}
	s.state[i] = as
	touched = append(touched, c.Position)
	if as == gone {
		s.away = append(s.away, i)
		s.out[c.Gang]++
		touched = s.draw(i, touched)
		return s.closeGang(c.Gang, touched)
	}
	own := s.alone(i)
	for j := s.on[c.Position]; j < s.on[c.Position+1]; j++ {
		if s.state[j] != open || !s.exchangeable(i, j) {
			continue
		}
		if w := s.alone(j); own.less(&w) || own == w && j > i {
			s.state[j] = stays
		}
	}
	return touched
}

// draw takes a candidate that is gone off its budgets.
func (s *search) draw(i int32, touched []int32) []int32 {
	for _, b := range s.kind(i).Budgets {
		if s.left[b]--; s.left[b] != 0 {
			continue
		}
		for j := range s.Candidates {
			if slices.Contains(s.kind(int32(j)).Budgets, b) {
				touched = append(touched, s.Candidates[j].Position)
			}
		}
	}
	return touched
}

// exchangeable says whether two candidates of a node stand for the same, but for what they cost.
func (s *search) exchangeable(i, j int32) bool {
	a, b := &s.Candidates[i], &s.Candidates[j]
	if s.mixed && len(s.kind(i).Budgets) > 0 {
		return false
	}
	return a.Holding == b.Holding && (a.Gang == b.Gang || !s.Gangs[a.Gang].Ends && !s.Gangs[b.Gang].Ends)
}

// closeGang keeps the rest of a gang that runs on, once its surplus is gone.
func (s *search) closeGang(g int32, touched []int32) []int32 {
	if !s.Gangs[g].Ends || s.gangs[g] != runsOn || s.out[g] < s.Gangs[g].Surplus {
		return touched
	}
	s.absurd = s.absurd || s.out[g] > s.Gangs[g].Surplus
	for _, i := range s.of[g] {
		if s.state[i] == open {
			s.state[i] = stays
			touched = append(touched, s.Candidates[i].Position)
		}
	}
	return touched
}

// decideGang settles whether a gang leaves whole.
func (s *search) decideGang(g int32, as int8, touched []int32) []int32 {
	s.gangs[g] = as
	if as == runsOn {
		return s.closeGang(g, touched)
	}
	for _, i := range s.of[g] {
		touched = s.decide(i, gone, touched)
	}
	return touched
}

// settled lists what is gone for sure.
func (s *search) settled() []int32 {
	out := slices.Clone(s.away)
	slices.Sort(out)
	return out
}
