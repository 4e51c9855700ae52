// Which victims leave, where they leave one by one? Searched on classes of nodes, then in a few domains by name.

package victims

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/internal/cow"
	"github.com/muster-sched/muster/internal/intern"
	"github.com/muster-sched/muster/internal/layout"
	"github.com/muster-sched/muster/internal/leavable"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/preempt"
)

// oneByOneSearch looks for victims that leave one by one, first without their names: nodes that differ only in names
// and starts of members are one class, and package preempt finds from the classes where the best set lies. Only there
// members are read. A kind is the candidates that give back equal amounts of the requested resources.
//
// One number stands for a candidate on a node: the place of its priority in question.Gangs in the upper 32 bits, and
// its kind, a place in question.Holdings, in the lower 32.
type oneByOneSearch struct {
	e           *victimSearch
	index       *leavable.Index
	profileKind []int64        // by profile: the number of its candidates; -1: its members are no candidates
	kinds       intern.Vectors // amounts by kind, in the order in which profiles have them
	amounts     []int64        // buffer of givenBy
	classes     intern.Classes
	classOf     []int32     // by position of the question; -1: the node takes no unit
	at          []int32     // by position of the question: that in the topology; nil: they are the same
	places      []nodePlace // by candidate of the narrowed problem
	total       int         // number of candidates in the whole cluster
}

// nodePlace is a candidate's place: the id of its node, and the number of leavable members before it there.
type nodePlace struct{ node, nth int32 }

// oneByOne solves a problem whose candidates all leave one by one, where slots decide whether the gang fits: member by
// member it reads only the domains in which the best set can lie. False if it is another problem; the question is half
// written then. Same answer as together, faster.
//
// The conditions are those of victims.8, seen from the problem (no quota, slots alone decide), from the quotas (none
// has a min, so no set takes anything below one) and from the members (none is tied). The gang's own members may not be
// its victims, but the index knows no gangs: so none may run.
//
// O(nodes + candidates) to tell classes apart, then what [preempt.Look] and [preempt.Solve] cost.
func (e *victimSearch) oneByOne() (preempt.Solution, bool) {
	none := preempt.Solution{Proven: true}
	if e.p.Request.Quota != "" || !search.For(e.p).Exact() || e.p.Own.Len() > 0 || e.guaranteed() || e.startsTied() {
		return none, false
	}
	o := &oneByOneSearch{e: e, index: leavable.Of(e.p.Snapshot)}
	if ok := o.countCandidates(); !ok || o.total == 0 {
		return none, ok // without candidates nobody can leave, which is proven
	}
	o.findKinds()
	view, ok := o.look()
	if !ok || len(view.Domains) == 0 {
		return none, ok // no domain has room even with all candidates gone: proven
	}
	// The best set makes room in one of these domains, and nobody above the ceiling leaves for it. So the same question
	// about them alone has the same answer; Others keeps count of all who stay.
	o.narrow(&view)
	s := preempt.Solve(e.question)
	// Names are read for the victims alone; the other members stay nil, since nobody asks for them.
	e.members = make([]*snapshot.Member, len(e.question.Candidates))
	for _, i := range s.Gone {
		at := o.places[i]
		e.members[i] = leavable.On(e.p.Snapshot, at.node)[at.nth]
	}
	return s, true
}

// look finds where the best set lies: in the domains that may have room under the lowest ceiling, if indexes tell them,
// else in the whole cluster.
func (o *oneByOneSearch) look() (preempt.Outlook, bool) {
	ceiling, domains, ok := o.roomy()
	if ok && len(domains) == 0 {
		return preempt.Outlook{}, true
	}
	if ok {
		domains, ok = o.cheapest(ceiling, domains)
	}
	if !ok || len(domains) == 0 { // groups may need more room than slots tell, and then more may have to leave
		return o.lookAt()
	}
	o.confine(domains)
	o.e.question.Exact = true // as for list
	return preempt.Outlook{Ceiling: ceiling, Domains: [][2]int32{{0, int32(len(o.at))}}}, o.classify()
}

// confine leaves out all positions but those in some domains of the topology.
func (o *oneByOneSearch) confine(domains []layout.Vertex) {
	intervals := make([][2]int32, len(domains))
	o.at = nil
	for i, d := range domains {
		intervals[i] = [2]int32{o.e.p.Model.View.First(d), o.e.p.Model.View.EndOf(d)}
		for pos := intervals[i][0]; pos < intervals[i][1]; pos++ {
			o.at = append(o.at, pos)
		}
	}
	o.narrowTiers(intervals)
}

// lookAt is look for the positions of the question.
func (o *oneByOneSearch) lookAt() (preempt.Outlook, bool) {
	if !o.classify() {
		return preempt.Outlook{}, false
	}
	o.list()
	return preempt.Look(o.e.question, o.classOf)
}

// node is the id of the node at a position of the question.
func (o *oneByOneSearch) node(pos int32) int32 {
	if o.at != nil {
		pos = o.at[pos]
	}
	return o.e.p.Model.View.Node(pos)
}

// startsTied says whether one of the first 64 gangs has a tied candidate: where there is one, there mostly are many,
// and then neither the index nor the classes need be made. It only saves time: countCandidates looks at all.
func (e *victimSearch) startsTied() (tied bool) {
	n := 0 // gangs looked at
	e.p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		ties := func(m *snapshot.Member) bool { return m.MayLeave() && snapshot.TiesOthers(g, m) }
		tied = g.Priority < e.p.Request.Priority && g.Members.ContainsFunc(ties)
		n++
		return !tied && n < 64
	})
	return tied
}

// guaranteed says whether any quota has a min. Then sets differ in costs.3, which classes do not know.
func (e *victimSearch) guaranteed() bool {
	if e.p.Snapshot.Quotas == nil {
		return false
	}
	for _, q := range e.p.Snapshot.Quotas.Quotas() {
		spec, _ := e.p.Snapshot.Quotas.Spec(q)
		for _, amount := range spec.Min {
			if amount > 0 {
				return true
			}
		}
	}
	return false
}

// countCandidates adds up the candidates of each priority, page by page. A priority stands for all gangs that have it:
// since each candidate leaves by itself, nothing but the priority of its gang counts. False if a candidate is tied.
//
// Nobody is asked for a quota: the preemptor has none, so priorities alone decide. O(pages * priorities).
//
// order: victims.2
func (o *oneByOneSearch) countCandidates() bool {
	for _, p := range o.index.Pages {
		for i := range p.Counts {
			n := &p.Counts[i]
			if n.Priority >= o.e.p.Request.Priority {
				break // they ascend
			}
			if n.Tied > 0 {
				return false
			}
			o.total, o.e.question.Latest = o.total+n.Members, max(o.e.question.Latest, n.Latest)
			at, known := o.placeOf(n.Priority)
			if !known {
				o.e.question.Gangs = slices.Insert(o.e.question.Gangs, at, preempt.Gang{Priority: n.Priority})
			}
			// All may leave while the gang runs on: it does not end, see preempt.Gang.
			o.e.question.Gangs[at].Running += n.Members
			o.e.question.Gangs[at].Surplus = o.e.question.Gangs[at].Running
		}
	}
	if o.total > 0 {
		o.e.question.Lowest = o.e.question.Gangs[0].Priority
	}
	return true
}

// placeOf is the place of a priority in question.Gangs, which ascend here, or where it would stand; the bool says
// which.
func (o *oneByOneSearch) placeOf(priority int64) (int, bool) {
	return slices.BinarySearchFunc(o.e.question.Gangs, priority, func(g preempt.Gang, p int64) int { return cmp.Compare(g.Priority, p) })
}

// findKinds finds the number of every profile. Kinds differ in the requested resources that they give back: no other
// resource makes room for the gang. A profile may have no member any more; no number of it is read then.
// O(profiles * requested resources).
func (o *oneByOneSearch) findKinds() {
	o.profileKind, o.amounts = make([]int64, len(o.index.Profiles)), make([]int64, len(o.e.p.Room.Needs))
	for i := range o.index.Profiles {
		s := &o.index.Profiles[i]
		at, ok := o.placeOf(s.Priority)
		if o.profileKind[i] = -1; ok && !s.Tied {
			o.profileKind[i] = int64(at)<<32 | int64(o.kinds.Of(o.givenBy(s.Holds)))
		}
	}
	for _, amounts := range o.kinds.List {
		o.e.question.Holdings = append(o.e.question.Holdings, preempt.Holding{Amounts: amounts})
	}
}

// givenBy is the part of a member's amounts that is requested, by need; 0 of a resource that no node has. The slice is
// valid until the next call.
func (o *oneByOneSearch) givenBy(holds []int64) []int64 {
	for r, need := range o.e.p.Room.Needs {
		if o.amounts[r] = 0; need.ID >= 0 {
			o.amounts[r] = holds[need.ID]
		}
	}
	return o.amounts
}

// classify finds the class of every node, with the leaving members gone: nodes are of one class if they have the same
// amounts free and the same numbers of candidates on them. The numbers are sorted first, since the order of names must
// not tell nodes apart. False if zones or nodes outside the tree may decide.
//
// O(nodes * requested resources + k log k for the k candidates of each node).
func (o *oneByOneSearch) classify() bool {
	open, released := o.e.p.Room.Slots().Opening(o.e.p.Room.Slots().Refusal), o.e.p.Room.Slots().LeavingReleased()
	n := int(o.e.p.Model.View.Nodes)
	if o.at != nil {
		n = len(o.at)
	}
	o.classOf = make([]int32, n)
	o.classes = intern.NewClasses(len(o.e.p.Room.Needs))
	free, on := make([]int64, len(o.e.p.Room.Needs)), []int64(nil)
	for i := range o.classOf {
		id := o.node(int32(i))
		pos, flags := o.e.p.Model.View.At(id), o.e.p.Snapshot.FlagsOf(id)
		// Members on a node that takes no unit make no room: they stay, and count in Others.
		if o.classOf[i] = -1; !open(pos) {
			continue
		}
		if pos >= o.e.p.Model.View.FirstPos[o.e.p.Model.View.Outside] || o.e.p.Room.Zones().BindsOn(flags) {
			return false
		}
		for r, need := range o.e.p.Room.Needs {
			free[r] = o.e.p.Room.Slots().FreeOf(id, need, released[id].Amounts)
		}
		page := o.index.Pages[id/cow.PageSize]
		on = on[:0]
		for lo, end := page.Of(int(id % cow.PageSize)); lo < end; lo++ {
			if kind := o.profileKind[page.Profiles[lo]]; kind >= 0 {
				on = append(on, kind)
			}
		}
		slices.Sort(on)
		o.classOf[i] = o.classes.Of(free, on)
	}
	return true
}

// list makes classes the nodes of the problem, and the candidates of one node of each class its candidates, as
// [preempt.Look] wants it. Others is the number of all the other candidates.
func (o *oneByOneSearch) list() {
	o.e.question.Exact = true // no node outside the tree, no zones: classify saw all nodes
	o.e.question.Nodes = make([]preempt.Node, o.classes.Len())
	o.e.question.Candidates = make([]preempt.Candidate, 0, len(o.classes.On))
	for class := range int32(len(o.e.question.Nodes)) {
		free, on := o.classes.At(class)
		o.e.question.Nodes[class].Free = free
		for _, kind := range on {
			o.e.question.Candidates = append(o.e.question.Candidates, preempt.Candidate{Position: class, Gang: int32(kind >> 32), Holding: int32(kind)})
		}
	}
	o.e.question.Others = o.total - len(o.e.question.Candidates)
}

// narrow reduces the problem to the domains that Look found, one behind the other: their positions are numbered anew,
// from 0 without gaps, in the same order, and nodes and candidates are listed singly again. Candidates of gangs above
// the ceiling are left out, which says that they stay. O(nodes of these domains + candidates on them).
func (o *oneByOneSearch) narrow(view *preempt.Outlook) {
	o.narrowTiers(view.Domains)
	o.e.question.Nodes, o.e.question.Candidates = nil, nil
	used := make([]bool, len(o.e.question.Holdings))
	for _, d := range view.Domains {
		for pos := d[0]; pos < d[1]; pos++ {
			n := preempt.Node{} // takes no unit
			if class := o.classOf[pos]; class >= 0 {
				n.Free, _ = o.classes.At(class)
				o.name(o.node(pos), view.Ceiling, used)
			}
			o.e.question.Nodes = append(o.e.question.Nodes, n)
		}
	}
	o.e.question.Others = o.total - len(o.e.question.Candidates)
	o.orderKinds(used)
}

// name lists the candidates on a node whose gangs are not above a priority, and marks their kinds as used. The node is
// the next one of the question. Entries of the index that are no candidates count in nth, since Leavable lists them
// too. Order matters to budgets alone, and no budget counts a candidate here: any order will do.
func (o *oneByOneSearch) name(id int32, ceiling int64, used []bool) {
	page := o.index.Pages[id/cow.PageSize]
	lo, end := page.Of(int(id % cow.PageSize))
	for i := lo; i < end; i++ {
		kind := o.profileKind[page.Profiles[i]]
		if kind < 0 || o.e.question.Gangs[kind>>32].Priority > ceiling {
			continue
		}
		used[int32(kind)] = true
		o.places = append(o.places, nodePlace{id, i - lo})
		o.e.question.Candidates = append(o.e.question.Candidates, preempt.Candidate{
			Position: int32(len(o.e.question.Nodes)), Gang: int32(kind >> 32), Holding: int32(kind),
			Order: int32(len(o.e.question.Candidates)), Started: page.Starts[i],
		})
	}
}

// narrowTiers keeps, of the lowest tiers up to the gang's under the last strategy, the domains within some intervals,
// in the new numbers of positions. No strategy names a higher tier: the last one binds by nothing but the hard rules.
// The intervals are domains of its tier, and domains nest, so no domain is cut. O(tiers * (intervals * log nodes +
// nodes)).
func (o *oneByOneSearch) narrowTiers(domains [][2]int32) {
	last := o.e.question.Strategies[len(o.e.question.Strategies)-1].Gang
	tiers := make([][]int32, last+1)
	for t := range tiers {
		before := int32(0) // positions of the intervals before this one
		for _, d := range domains {
			at, _ := slices.BinarySearch(o.e.question.Tiers[t], d[0])
			for ; at < len(o.e.question.Tiers[t]) && o.e.question.Tiers[t][at] < d[1]; at++ {
				tiers[t] = append(tiers[t], o.e.question.Tiers[t][at]-d[0]+before)
			}
			before += d[1] - d[0]
		}
	}
	o.e.question.Tiers = tiers
}

// orderKinds puts the used kinds in the order of their first candidates, gang by gang and name by name, as the holdings
// of all candidates come in together: that order is the last key between equal sets. Unused kinds are dropped. It
// ends once all used ones are found, at worst it reads all members.
func (o *oneByOneSearch) orderKinds(used []bool) {
	// left counts the used kinds, moved has their new places, -1 until they are known.
	left, kinds, moved := 0, o.e.question.Holdings, make([]int32, len(o.e.question.Holdings))
	for kind := range moved {
		if moved[kind] = -1; used[kind] {
			left++
		}
	}
	o.e.question.Holdings = nil
	near := map[*int64]int{} // kinds by the address of amounts: members mostly share these
	o.e.p.Snapshot.Gangs.Ascend(func(g *snapshot.GangMembers) bool {
		if g.Staying == 0 || g.Priority >= o.e.p.Request.Priority {
			return true
		}
		for _, m := range g.Members.All() {
			if !m.MayLeave() {
				continue
			}
			kind, ok := near[&m.Class.Holds[0]]
			if !ok {
				kind = o.kinds.Of(o.givenBy(m.Class.Holds))
				near[&m.Class.Holds[0]] = kind
			}
			if used[kind] && moved[kind] < 0 {
				moved[kind], o.e.question.Holdings = int32(len(o.e.question.Holdings)), append(o.e.question.Holdings, kinds[kind])
			}
		}
		return len(o.e.question.Holdings) < left
	})
	for i := range o.e.question.Candidates {
		o.e.question.Candidates[i].Holding = moved[o.e.question.Candidates[i].Holding]
	}
}
