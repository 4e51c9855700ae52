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
	layout  layout
	ceiling int64    // candidates of gangs above it stay
	weights []weight // of candidates that leave by themselves, budgets apart
	on      []int32  // the first candidate of every node, and behind the last
	of      [][]int32
	parts   []weight // by gang: what each node's part of it costs at least, if the gang leaves whole
	wholes  []weight // by gang: what it costs
	coupled bool     // candidates depend on each other

	state  []int8
	gangs  []int8
	out    []int // by gang: members that are gone for sure
	left   []int // by budget: how many more may leave
	absurd bool  // more of a gang is gone than may, while it runs on
	curves []*curve
	base   []*curve // the curves while nothing is decided
	merger merger
	steps  int
	limit  []int64 // keys that begin above it are of no use

	itemRoom []item
	freeRoom []int64
	bestRoom []weight
}

func newSearch(p *Problem) *search {
	n := len(p.Candidates)
	s := &search{
		Problem: p, layout: newLayout(p), ceiling: math.MaxInt64, weights: make([]weight, n), on: make([]int32, len(p.Nodes)+1),
		of: make([][]int32, len(p.Gangs)), parts: make([]weight, len(p.Gangs)), wholes: make([]weight, len(p.Gangs)),
		state: make([]int8, n), gangs: make([]int8, len(p.Gangs)), out: make([]int, len(p.Gangs)), left: slices.Clone(p.Budgets),
		curves: make([]*curve, len(p.Nodes)), coupled: p.Legal != nil || !p.Exact,
	}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		s.weights[i] = s.layout.of(p, c)
		s.on[c.Position+1] = int32(i) + 1
		s.coupled = s.coupled || len(c.Budgets) > 0
		if g := &p.Gangs[c.Gang]; g.Ends {
			s.coupled = true
			s.of[c.Gang] = append(s.of[c.Gang], int32(i))
			s.wholes[c.Gang].add(&s.weights[i])
		}
	}
	for pos := range len(p.Nodes) {
		s.on[pos+1] = max(s.on[pos+1], s.on[pos])
	}
	for g := range p.Gangs {
		s.prepare(int32(g))
	}
	return s
}

// prepare finds what a gang costs whole, and splits that over its nodes.
func (s *search) prepare(g int32) {
	if len(s.of[g]) == 0 {
		return
	}
	s.layout.fields[ended].put(&s.wholes[g], 1)
	nodes, last := uint64(0), int32(-1)
	for _, i := range s.of[g] {
		if pos := s.Candidates[i].Position; pos != last {
			nodes, last = nodes+1, pos
		}
	}
	s.parts[g] = s.wholes[g].over(nodes)
}

// together says whether a gang's members that are open leave all at once or not at all.
func (s *search) together(g int32) bool {
	return s.Gangs[g].Ends && s.Gangs[g].Surplus == 0
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
}

// set puts the candidates and gangs in the states that a branch decides, and returns the nodes that it concerns.
func (s *search) set(d *decision) []int32 {
	var path []*decision
	for at := d; at != nil && at.depth > 0; at = at.parent {
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

// decide settles a candidate; one that stays makes those like it on its node stay, too, unless they were settled before.
func (s *search) decide(i int32, as int8, touched []int32) []int32 {
	c := &s.Candidates[i]
	if s.state[i] != open {
		return touched
	}
	s.state[i] = as
	touched = append(touched, c.Position)
	if as == gone {
		s.out[c.Gang]++
		touched = s.draw(c, touched)
		return s.closeGang(c.Gang, touched)
	}
	for j := s.on[c.Position]; j < s.on[c.Position+1]; j++ {
		if o := &s.Candidates[j]; s.state[j] == open && s.exchangeable(c, o) && (s.weights[j] != s.weights[i] || j > i) && !s.weights[j].less(&s.weights[i]) {
			s.state[j] = stays
		}
	}
	return touched
}

// draw takes a candidate that is gone off its budgets.
func (s *search) draw(c *Candidate, touched []int32) []int32 {
	for _, b := range c.Budgets {
		if s.left[b]--; s.left[b] == 0 {
			for i := range s.Candidates {
				if slices.Contains(s.Candidates[i].Budgets, b) {
					touched = append(touched, s.Candidates[i].Position)
				}
			}
		}
	}
	return touched
}

// exchangeable says whether two candidates of a node stand for the same, but for what they cost.
func (s *search) exchangeable(a, b *Candidate) bool {
	alone := a.Gang == b.Gang || !s.Gangs[a.Gang].Ends && !s.Gangs[b.Gang].Ends
	return alone && a.Kind == b.Kind && slices.Equal(a.Amounts, b.Amounts) && slices.Equal(a.Budgets, b.Budgets)
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
		if s.state[i] == open {
			s.state[i] = gone
			s.out[g]++
			touched = s.draw(&s.Candidates[i], append(touched, s.Candidates[i].Position))
		}
	}
	return touched
}

// reset takes back what set did.
func (s *search) reset() {
	s.absurd = false
	clear(s.state)
	clear(s.gangs)
	clear(s.out)
	copy(s.left, s.Budgets)
}

// visit solves the relaxed problem of a branch: the set that it takes, the key that no set below is under, and the gangs and candidates that are
// settled stay so until reset.
func (s *search) visit(st int, d *decision) (set []int32, bound []int64, ok bool) {
	s.steps++
	s.reset()
	touched := s.set(d)
	if s.absurd {
		return nil, nil, false
	}
	for _, pos := range touched {
		s.curves[pos] = s.curveOn(pos)
	}
	defer func() {
		for _, pos := range touched {
			s.curves[pos] = s.base[pos]
		}
	}()
	r := s.relax(&s.Strategies[st])
	if r.ok {
		set = s.settledSet()
		w := s.weightOf(set)
		w.add(&r.weight)
		bound = s.key(w, set)
		set = append(set, s.taken(&s.Strategies[st], r)...)
		slices.Sort(set)
	}
	return set, bound, r.ok
}

// settledSet lists what is gone for sure.
func (s *search) settledSet() []int32 {
	var out []int32
	if !s.coupled {
		return out
	}
	for i, st := range s.state {
		if st == gone {
			out = append(out, int32(i))
		}
	}
	return out
}
