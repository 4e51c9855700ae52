// Gangs that leave whole: in each domain it is asked which gangs and members leave at the least cost so that its nodes
// hold the gang. Package cover answers with exact bounds, for one number at a time: the costs that count most first,
// then the next ones among the sets that are best by those. docs/order.md, section 6, "Proof".

package preempt

import (
	"math"
	"slices"

	"github.com/muster-sched/muster/internal/cover"
)

const (
	// coverCombinations bounds the combinations of kinds of candidates on a node.
	coverCombinations = 1 << 10
	// sizeParts is in how many parts a unit is measured.
	sizeParts = 840
	// coverMembers bounds the candidates of a domain.
	coverMembers = 1 << 13
	// coverNumbers bounds the units that are lacking by those that all nodes can make: what it takes to value them once.
	coverNumbers = 1 << 22
)

// coverable says whether nothing but gangs couples candidates, and numbers decide: then their sets are covers.
func (s *search) coverable() bool {
	m := s.model
	l := &m.layout
	return m.problem.Exact && m.problem.Legal == nil && l.guaranteed == 0 && l.fields[brokenBudgets].width == 0 &&
		l.fields[outsideUnits].width == 0 && len(s.tiers.Groups) == 0 && m.coupled
}

// covering is one domain as a question to package cover.
type covering struct {
	model   *model
	domain  domain
	problem cover.Problem
	ids     []int32         // by member: the candidate
	gangs   []int32         // by gang: that of the problem
	gangOf  map[int32]int32 // by gang of the problem
	ends    []weight        // by gang: what it costs beside its members here if it leaves whole
}

// looked is a domain in which not all is settled, and what no set there costs less than.
type looked struct {
	domain domain
	bound  []int64
}

// cover finds the best set domain by domain: after some climbs it looks into each, those first that may cost least, and
// then settles those that may still hold something better. False if that cannot be asked, or finds nothing.
func (s *search) cover() (answer, bool) {
	s.state.reset()
	s.relaxed.survey(s.tiers)
	s.climbFirst(s.budget.used + (s.budget.most-s.budget.used)/8)
	s.state.reset()
	var open []looked
	until := s.budget.used + (s.budget.most-s.budget.used)/2
	for at, d := range s.relaxed.domains {
		of := looked{d, s.model.key(d.cost, nil, s.state.ceiling)}
		if s.useless(of.bound) {
			break // those behind are no better
		}
		if left := until - s.budget.used; left > 0 {
			closed, ok := s.coverIn(&of, max(left/(len(s.relaxed.domains)-at), int(d.end-d.lo)/2))
			if !ok {
				return answer{}, false
			}
			if closed {
				continue
			}
		}
		open = append(open, of)
	}
	slices.SortStableFunc(open, func(a, b looked) int { return slices.Compare(a.bound, b.bound) })
	var lowest []int64
	for _, of := range open {
		if s.useless(of.bound) {
			break
		}
		closed, _ := s.coverIn(&of, s.budget.most-s.budget.used)
		if !closed && (lowest == nil || slices.Compare(of.bound, lowest) < 0) {
			lowest = of.bound
		}
	}
	s.best.bound, s.best.proven = s.best.key, true
	if lowest != nil && !s.useless(lowest) {
		s.best.bound, s.best.proven = lowest, false
	}
	if s.best.ok && s.best.proven {
		s.earliest()
	}
	return s.best, s.best.ok || s.best.proven
}

// earliest prefers the first nodes and members among sets in which the same gangs leave whole.
//
// order: victims.6
func (s *search) earliest() {
	c, ok := s.newCovering(s.best.domain)
	if !ok {
		return
	}
	t := newTally(c, &s.best)
	for !t.complete() {
		if !t.advance(s) {
			return
		}
	}
	t.write(s)
	var gone, beside []int32
	for _, i := range s.best.set {
		if m := slices.Index(c.ids, i); m >= 0 {
			gone = append(gone, int32(m))
		} else {
			beside = append(beside, i)
		}
	}
	set := sorted(c.candidates(cover.Earliest(&c.problem, gone)), beside)
	if ok := s.model.legal(set); ok && slices.Equal(s.model.key(s.model.weightOf(set), set, s.state.ceiling), s.best.key) {
		s.best.set = set
	}
}

// candidates are those of some members, ascending.
func (c *covering) candidates(members []int32) []int32 {
	set := make([]int32, len(members))
	for at, m := range members {
		set[at] = c.ids[m]
	}
	slices.Sort(set)
	return set
}

// useless says whether no set of such a bound is better than the best one, or of any use.
func (s *search) useless(bound []int64) bool {
	return s.best.ok && slices.Compare(bound, s.best.key) >= 0 || s.beyond(bound)
}

// beyond says whether a bound is above the limit of the search.
func (s *search) beyond(bound []int64) bool {
	return s.limit != nil && slices.Compare(bound[:len(s.limit)], s.limit) > 0
}

// coverIn settles the costs in one domain, those that count most first, with so many steps, and offers what it finds.
// Closed, if no set there is better than the best one; else the bound rises to what none costs less than. False if it
// cannot be asked.
func (s *search) coverIn(of *looked, steps int) (closed, ok bool) {
	if s.budget.spent() {
		return false, true
	}
	until := s.budget.used + steps
	s.budget.used += int(of.domain.end-of.domain.lo) / 8
	c, ok := s.newCovering(of.domain)
	if !ok {
		return false, false
	}
	for t := newTally(c, &s.best); !t.complete(); {
		c.problem.Steps = until - s.budget.used
		if c.problem.Steps <= 0 || s.budget.stopped() || !t.advance(s) {
			return false, true
		}
		t.write(s)
		found := cover.Solve(&c.problem)
		s.budget.used += found.Steps
		s.offerCover(c, found.Gone)
		if !s.best.ok {
			return found.Bound == found.Cost, true
		}
		if b := t.bound(s, found.Bound); slices.Compare(b, of.bound) > 0 {
			of.bound = b
		}
		if found.Bound < found.Cost || s.beyond(of.bound) {
			return s.beyond(of.bound), true
		}
	}
	return true, true
}

// offerCover offers the candidates of members that leave.
func (s *search) offerCover(c *covering, gone []int32) {
	if gone != nil {
		s.offerIn(c.candidates(gone), c.domain)
	}
}

// newCovering lists who may leave a domain, and what that makes there. False if nobody must leave, or if these are too
// many, or the combinations of them on a node.
func (s *search) newCovering(d domain) (*covering, bool) {
	c := &covering{model: s.model, domain: d, gangOf: map[int32]int32{}}
	c.problem.Units, c.problem.Stop = s.tree.units, s.budget.stop
	most := int64(0)
	for pos := d.lo; pos < d.end; pos++ {
		slots := s.nodes.slotsWithout(pos, s.state.mayLeave)
		if slots == 0 {
			continue
		}
		place, free, ok := s.placeAt(pos, c)
		if !ok {
			return nil, false
		}
		c.problem.Units -= free
		most += slots - free
		if len(place.Options) > 1 {
			c.problem.Places = append(c.problem.Places, place)
		}
	}
	c.ends = make([]weight, len(c.gangs))
	for g, of := range c.gangs {
		if s.model.problem.Gangs[of].Ends {
			c.ends[g] = s.model.gangCost[of]
		}
	}
	for _, i := range c.ids {
		if of := s.model.problem.Candidates[i].Gang; s.model.problem.Gangs[of].Ends {
			own := s.model.alone(i)
			g := c.gangOf[of]
			c.ends[g] = c.ends[g].minus(&own)
		}
	}
	return c, c.problem.Units > 0 && len(c.ids) <= coverMembers && c.problem.Units*most <= coverNumbers
}

// total is what all that may leave cost of a summand.
func (c *covering) total(x summand) (n uint64) {
	f := c.model.layout.fields[x]
	for _, i := range c.ids {
		w := c.model.alone(i)
		n += f.get(&w)
	}
	for g := range c.ends {
		n += f.get(&c.ends[g])
	}
	return n
}

// perMember is what each member costs of a summand, if that is the same for all.
func (c *covering) perMember(x summand) (each int64, same bool) {
	f, count := c.model.layout.fields[x], c.model.layout.fields[memberCount]
	if x == endedGangs || len(c.ids) == 0 {
		return 0, false
	}
	w := c.model.alone(c.ids[0])
	first := f.get(&w)
	for _, i := range c.ids {
		if w = c.model.alone(i); f.get(&w) != first {
			return 0, false
		}
	}
	for g := range c.ends {
		if f.get(&c.ends[g]) != first*count.get(&c.ends[g]) {
			return 0, false
		}
	}
	return int64(first), true
}

// placeAt is a node as a place: kinds of candidates, and the least numbers of them that make more slots than are free.
func (s *search) placeAt(pos int32, c *covering) (place cover.Place, free int64, ok bool) {
	var kinds [][]int32 // of candidates
	n := 1
	for i, end := s.model.on(pos); i < end; i++ {
		if !s.state.mayLeave(i) {
			continue
		}
		k := slices.IndexFunc(kinds, func(kind []int32) bool { return s.alike(kind[0], i) })
		if k < 0 {
			kinds = append(kinds, nil)
			k = len(kinds) - 1
		}
		kinds[k] = append(kinds[k], i)
	}
	for _, kind := range kinds {
		if n *= len(kind) + 1; n > min(coverCombinations, s.pricer.combinations()) {
			return place, 0, false
		}
	}
	units := make([]int64, n)
	for at := range units {
		units[at] = s.slotsOf(pos, kinds, at)
	}
	free = units[0]
	for at, u := range units {
		if count, least := countsOf(units, kinds, at); least {
			place.Options = append(place.Options, cover.Option{Units: u - free, Count: count})
		}
	}
	if len(place.Options) > 1 {
		for _, kind := range kinds {
			place.Kinds = append(place.Kinds, c.add(kind))
		}
		place.Sizes = s.sizes(kinds, place.Options)
	}
	return place, free, true
}

// sizes measure kinds by the resource that leaves the least to be had beside what slots need.
func (s *search) sizes(kinds [][]int32, options []cover.Option) (best []int64) {
	least := math.Inf(1)
	for r, want := range s.model.problem.Request {
		if want == 0 {
			continue
		}
		sizes, all, each := make([]int64, len(kinds)), 0.0, 0.0
		for k, kind := range kinds {
			sizes[k] = sizeOf(s.model.holding(kind[0]).Amounts[r], want)
			all += float64(sizes[k]) * float64(len(kind))
		}
		for _, o := range options {
			total := 0.0
			for k, n := range o.Count {
				total += float64(n) * float64(sizes[k])
			}
			if total > 0 {
				each = max(each, float64(o.Units)/total)
			}
		}
		if all*each < least {
			least, best = all*each, sizes
		}
	}
	return best
}

// alike says whether it makes no difference to a node which of two candidates leaves it.
func (s *search) alike(i, j int32) bool {
	p := s.model.problem
	a, b := p.Candidates[i].Holding, p.Candidates[j].Holding
	return s.model.shapes[a] == s.model.shapes[b] && (p.Slots == nil || p.Holdings[a].Tag == p.Holdings[b].Tag)
}

// slotsOf is how many units a node holds without so many of each kind: a number in mixed radix.
func (s *search) slotsOf(pos int32, kinds [][]int32, at int) int64 {
	var gone []int32
	for _, kind := range kinds {
		gone = append(gone, kind[:at%(len(kind)+1)]...)
		at /= len(kind) + 1
	}
	return s.nodes.slotsWithout(pos, func(i int32) bool { return slices.Contains(gone, i) })
}

// countsOf reads a number in mixed radix, and says whether one less of any kind makes fewer units.
func countsOf(units []int64, kinds [][]int32, at int) (count []int32, least bool) {
	least = true
	stride, rest := 1, at
	for _, kind := range kinds {
		n := rest % (len(kind) + 1)
		count = append(count, int32(n))
		least = least && (n == 0 || units[at-stride] < units[at])
		rest /= len(kind) + 1
		stride *= len(kind) + 1
	}
	return count, least
}

// add makes members of candidates.
func (c *covering) add(kind []int32) []int32 {
	out := make([]int32, 0, len(kind))
	for _, i := range kind {
		of := c.model.problem.Candidates[i].Gang
		g, ok := c.gangOf[of]
		if !ok {
			g = int32(len(c.gangs))
			c.gangOf[of] = g
			c.gangs = append(c.gangs, of)
			c.problem.Gangs = append(c.problem.Gangs, gangCovered(&c.model.problem.Gangs[of]))
		}
		out = append(out, int32(len(c.ids)))
		c.ids = append(c.ids, i)
		c.problem.Members = append(c.problem.Members, cover.Member{Gang: g})
	}
	return out
}

// gangCovered is what package cover knows of a gang. One that is gone to the last member has ended, even if it need not
// have.
func gangCovered(of *Gang) cover.Gang {
	if !of.Ends {
		return cover.Gang{Surplus: math.MaxInt32}
	}
	if of.Surplus < of.Running {
		return cover.Gang{Surplus: of.Surplus, Whole: of.Whole}
	}
	return cover.Gang{Surplus: of.Running - 1, Whole: true}
}

// sizeOf measures an amount in parts of what a unit wants, at least one.
func sizeOf(amount, want int64) int64 {
	if amount >= want {
		return max(1, amount/want) * sizeParts
	}
	return max(1, int64(float64(amount)/float64(want)*sizeParts))
}
