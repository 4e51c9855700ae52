package placement

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/preempt"
)

// outline is a search for victims who leave one by one, before it is known who they are: nodes that are alike but for the names and the starts of their
// members are one class.
type outline struct {
	*evicting
	roster  *roster
	kindOf  []int64 // by sort: the place of its priority and its kind; -1: no candidate
	kinds   vectors
	amounts []int64 // see givenBy
	classes *classTable
	classOf []int32 // by position; -1: the node takes no unit
	spots   []spot  // by candidate
	total   int     // of candidates
}

// spot is where a member stands: so many that may leave stand on its node before it.
type spot struct{ node, nth int32 }

// oneByOne solves a problem whose candidates all leave one by one, and where slots decide whether the gang fits: only the domains in which the
// best set can lie are read member by member. False if it is another problem.
func (e *evicting) oneByOne() (preempt.Solution, bool) {
	none := preempt.Solution{Proven: true}
	if e.req.Quota != "" || e.mult != nil || e.inParts() || len(e.own) > 0 || e.guaranteed() || e.startsTied() {
		return none, false
	}
	o := &outline{evicting: e, roster: e.c.roster()}
	if ok := o.countCandidates(); !ok || o.total == 0 {
		return none, ok
	}
	o.findKinds()
	if !o.classify() {
		return none, false
	}
	e.Exact = true
	o.list()
	view, ok := preempt.Look(e.Problem, o.classOf)
	if !ok || len(view.Domains) == 0 {
		return none, ok
	}
	o.narrow(&view)
	s := preempt.Solve(e.Problem)
	e.members = make([]*member, len(e.Candidates))
	for _, i := range s.Gone {
		at := o.spots[i]
		e.members[i] = e.c.leavable(at.node)[at.nth]
	}
	return s, true
}

// startsTied says whether one of the first few gangs is a candidate that others depend on: where there are any, there mostly are many.
func (e *evicting) startsTied() (tied bool) {
	n := 0
	e.c.gangs.Ascend(func(g *gangMembers) bool {
		tied = g.priority < e.req.Priority && slices.ContainsFunc(g.members, func(m *member) bool { return m.mayLeave() && tiesOthers(g, m) })
		n++
		return !tied && n < 64
	})
	return tied
}

// guaranteed says whether any quota has a min.
func (e *evicting) guaranteed() bool {
	if e.c.quotas == nil {
		return false
	}
	for _, q := range e.c.quotas.Quotas() {
		spec, _ := e.c.quotas.Spec(q)
		for _, amount := range spec.Min {
			if amount > 0 {
				return true
			}
		}
	}
	return false
}

// countCandidates adds up the candidates of each priority. These stand for their gangs, since each leaves by itself; false if some do not.
func (o *outline) countCandidates() bool {
	for _, p := range o.roster.pages {
		for i := range p.counts {
			n := &p.counts[i]
			if n.priority >= o.req.Priority {
				break
			}
			if n.tied > 0 {
				return false
			}
			o.total, o.Latest = o.total+n.members, max(o.Latest, n.latest)
			at, known := o.placeOf(n.priority)
			if !known {
				o.Gangs = slices.Insert(o.Gangs, at, preempt.Gang{Priority: n.priority})
			}
			o.Gangs[at].Running += n.members
			o.Gangs[at].Surplus = o.Gangs[at].Running
		}
	}
	if o.total > 0 {
		o.Lowest = o.Gangs[0].Priority
	}
	return true
}

// placeOf is the place of a priority among those of candidates.
func (o *outline) placeOf(priority int64) (int, bool) {
	return slices.BinarySearchFunc(o.Gangs, priority, func(g preempt.Gang, priority int64) int { return cmp.Compare(g.Priority, priority) })
}

// findKinds tells kinds apart by what they give back of what is asked for.
func (o *outline) findKinds() {
	o.kindOf, o.amounts = make([]int64, len(o.roster.sorts)), make([]int64, len(o.needs))
	for i := range o.roster.sorts {
		s := &o.roster.sorts[i]
		at, ok := o.placeOf(s.priority)
		if o.kindOf[i] = -1; ok && !s.tied {
			o.kindOf[i] = int64(at)<<32 | int64(o.kinds.of(o.givenBy(s.holds)))
		}
	}
	for _, amounts := range o.kinds.list {
		o.Holdings = append(o.Holdings, preempt.Holding{Amounts: amounts})
	}
}

// givenBy is what a member gives back that holds so much, by need, until it is asked again.
func (o *outline) givenBy(holds []int64) []int64 {
	for r, need := range o.needs {
		if o.amounts[r] = 0; need.id >= 0 {
			o.amounts[r] = holds[need.id]
		}
	}
	return o.amounts
}

// classify finds the class of every node, with the leaving members gone. False if zones or nodes outside the tree may decide.
func (o *outline) classify() bool {
	open, gifts := o.opening(o.refusal), o.leavingGifts()
	o.classOf = make([]int32, o.v.nodes)
	o.classes = newClassTable(len(o.needs))
	free, on := make([]int64, len(o.needs)), []int64(nil)
	for id := range o.v.nodes {
		pos, flags := o.v.at(id), o.c.flagsOf(id)
		if o.classOf[pos] = -1; !open(pos) {
			continue
		}
		if pos >= o.v.firstPos[o.v.outside] || o.bound(flags) {
			return false
		}
		for r, need := range o.needs {
			free[r] = o.freeOf(id, need, gifts[id].amounts)
		}
		page, i := o.roster.pages[id/pageSize], int(id%pageSize)
		on = on[:0]
		for lo, end := page.of(i); lo < end; lo++ {
			if kind := o.kindOf[page.sorts[lo]]; kind >= 0 {
				on = append(on, kind)
			}
		}
		slices.Sort(on)
		o.classOf[pos] = o.classes.of(free, on)
	}
	return true
}

// list makes classes the nodes of the problem, and what stands on them its candidates.
func (o *outline) list() {
	o.Nodes = make([]preempt.Node, o.classes.len())
	o.Candidates = make([]preempt.Candidate, 0, len(o.classes.on))
	for class := range int32(len(o.Nodes)) {
		free, on := o.classes.at(class)
		o.Nodes[class].Free = free
		for _, kind := range on {
			o.Candidates = append(o.Candidates, preempt.Candidate{Position: class, Gang: int32(kind >> 32), Holding: int32(kind)})
		}
	}
	o.Others = o.total - len(o.Candidates)
}

// narrow makes the problem that of some domains alone, whose positions move together, without those who stay for sure.
func (o *outline) narrow(view *preempt.Outlook) {
	o.narrowTiers(view.Domains)
	o.Nodes, o.Candidates = nil, nil
	used := make([]bool, len(o.Holdings))
	for _, d := range view.Domains {
		for pos := d[0]; pos < d[1]; pos++ {
			n := preempt.Node{}
			if class := o.classOf[pos]; class >= 0 {
				n.Free, _ = o.classes.at(class)
				o.name(o.v.node(pos), view.Ceiling, used)
			}
			o.Nodes = append(o.Nodes, n)
		}
	}
	o.Others = o.total - len(o.Candidates)
	o.orderKinds(used)
}

// name lists the candidates on a node whose gangs are not above a priority.
func (o *outline) name(id int32, ceiling int64, used []bool) {
	page := o.roster.pages[id/pageSize]
	lo, end := page.of(int(id % pageSize))
	for i := lo; i < end; i++ {
		kind := o.kindOf[page.sorts[i]]
		if kind < 0 || o.Gangs[kind>>32].Priority > ceiling {
			continue
		}
		used[int32(kind)] = true
		o.spots = append(o.spots, spot{id, i - lo})
		o.Candidates = append(o.Candidates, preempt.Candidate{
			Position: int32(len(o.Nodes)), Gang: int32(kind >> 32), Holding: int32(kind), Order: int32(len(o.Candidates)), Started: page.starts[i],
		})
	}
}

// narrowTiers keeps the domains within some intervals.
func (o *outline) narrowTiers(domains [][2]int32) {
	last := o.Strategies[len(o.Strategies)-1].Gang
	tiers := make([][]int32, last+1)
	for t := range tiers {
		before := int32(0)
		for _, d := range domains {
			at, _ := slices.BinarySearch(o.Tiers[t], d[0])
			for ; at < len(o.Tiers[t]) && o.Tiers[t][at] < d[1]; at++ {
				tiers[t] = append(tiers[t], o.Tiers[t][at]-d[0]+before)
			}
			before += d[1] - d[0]
		}
	}
	o.Tiers = tiers
}

// orderKinds puts the kinds that are used in the order in which candidates have them, gang by gang and name by name: that decides who leaves where
// nothing else does. It ends once all are found.
func (o *outline) orderKinds(used []bool) {
	left, kinds, moved := 0, o.Holdings, make([]int32, len(o.Holdings))
	for kind := range moved {
		if moved[kind] = -1; used[kind] {
			left++
		}
	}
	o.Holdings = nil
	near := map[*int64]int{}
	o.c.gangs.Ascend(func(g *gangMembers) bool {
		if g.staying == 0 || g.priority >= o.req.Priority {
			return true
		}
		for _, m := range g.members {
			if !m.mayLeave() {
				continue
			}
			kind, ok := near[&m.holds[0]]
			if !ok {
				kind = o.kinds.of(o.givenBy(m.holds))
				near[&m.holds[0]] = kind
			}
			if used[kind] && moved[kind] < 0 {
				moved[kind], o.Holdings = int32(len(o.Holdings)), append(o.Holdings, kinds[kind])
			}
		}
		return len(o.Holdings) < left
	})
	for i := range o.Candidates {
		o.Candidates[i].Holding = moved[o.Candidates[i].Holding]
	}
}
