// What could members ask less of, and which nodes could they be let to?

package remedies

import (
	"maps"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// requests finds the most that members can ask for of the scarcest resource that helps; where none does by itself, of the fewest that help
// together.
func (f *Search) requests(at state) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	zones := f.at(at).bounds().p.Room.Zones().Bind()
	names := f.at(at).bounds().scarcest()
	if steps := f.request(at, names...); len(steps) > 0 {
		steps[0].least = !zones // the width that zones are asked for may jump
		return f.settle(steps)
	}
	if f.apart[explain.KindRequest] {
		return nil
	}
	var all []explain.Change
	for _, name := range names {
		if before := mostAsked(p, name); before > 1 {
			all = append(all, askedFor(name, before, 1))
		}
	}
	if len(all) < 2 {
		return nil
	}
	c := &choice{notAlone: true, edit: func(set []int32) edit { return together(all, set) }}
	found := f.fewest(at, c, len(all))
	if found == nil {
		return nil
	}
	few := make([]explain.Change, len(found.set))
	for i, e := range found.set {
		few[i] = all[e]
	}
	return []step{f.raisedRequests(at, few, found)}
}

// askedFor lets members ask for at most so much of a resource.
func askedFor(resource string, before, amount int64) explain.Change {
	return explain.Change{Kind: explain.KindRequest, Resource: resource, Before: before, Amount: amount}
}

// request finds the most of the first of some resources of which less helps.
func (f *Search) request(at state, names ...string) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	bound := f.boundsOfLess(at, f.at(at).bounds())
	defer bound.done()
	for _, resource := range names {
		if f.share.Packing.Spend(f.inward); !f.mayTry() {
			break
		}
		l := f.lessOf(at, p, resource)
		if l.mayFit, l.bounded = bound.of(resource); l.before < 2 || !l.mayFit(1) {
			continue // it is not what they lack, or not all
		}
		amount, plan := l.most()
		if plan == nil && p.Room.Zones().Bind() { // a narrower member may have less room
			amount, plan = l.any()
			f.doubt = f.doubt || plan == nil && l.before > fewNumbers
		}
		if plan != nil {
			c := askedFor(resource, l.before, amount)
			return found(c, edited(c), plan)
		}
	}
	return nil
}

// raisedRequests are smaller requests for several resources that help together, as large as they can be: of each first the most beside the
// least of all others; if these do not go together, of one after the other the most beside those before.
func (f *Search) raisedRequests(at state, few []explain.Change, least *chosen) step {
	set := make([]int32, len(few))
	for i := range set {
		set[i] = int32(i)
	}
	most, plan := slices.Clone(few), least.plan
	for i := range few {
		most[i] = f.raisedBeside(at, few, i, nil)
	}
	exact := f.after(at, together(most, set))
	if exact == nil {
		copy(most, few)
		for i := range most {
			most[i] = f.raisedBeside(at, most, i, &plan)
		}
	} else {
		plan = exact
	}
	s := step{change: most[0], edit: together(most, set), plan: plan, least: least.least && exact != nil && !f.doubt && !f.at(at).p.Room.Zones().Bind()}
	s.and = append(s.and, most[1:]...)
	return s
}

// raisedBeside is one of some smaller requests with the most that helps beside the others, and its plan if that is asked for.
func (f *Search) raisedBeside(at state, all []explain.Change, i int, plan **explain.Plan) explain.Change {
	beside := at
	for k, other := range all {
		if k != i {
			beside, _ = edited(other)(beside)
		}
	}
	steps := f.request(beside, all[i].Resource)
	if len(steps) == 0 { // the plans ran out: what is known to help
		return all[i]
	}
	if plan != nil {
		*plan = steps[0].plan
	}
	return steps[0].change
}

// mostAsked is the most that some member asks for of a resource.
func mostAsked(p *problem.Problem, resource string) (most int64) {
	for _, s := range p.Room.Shapes {
		most = max(most, s.Resources[resource])
	}
	return most
}

// scarcest lists what members ask for, first what bounds the slots of most nodes.
func (r *rooms) scarcest() (names []string) {
	p := r.p
	binds, released := make([]int, len(p.Room.Needs)), p.Room.Slots().LeavingReleased()
	for id := range int32(len(p.Snapshot.Lineage.Names)) {
		i := -1
		if r.binds != nil {
			i = int(r.binds[id])
		} else if r.takes(id) {
			i, _ = binding(p, id, released[id].Amounts)
		}
		if i >= 0 {
			binds[i]++
		}
	}
	order := make([]int, len(p.Room.Needs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return binds[b] - binds[a] })
	for _, i := range order {
		names = append(names, p.Room.Needs[i].Name)
	}
	return names
}

// binding is the place in Needs of what bounds the slots of a node, with extra amounts, and how many fit; -1: nothing does.
func binding(p *problem.Problem, id int32, extra []int64) (best int, slots int64) {
	best = -1
	for i := range p.Room.Needs {
		n := &p.Room.Needs[i]
		free := p.Room.Slots().FreeOf(id, *n, extra)
		if free < n.Amount {
			return i, 0
		}
		if fits := free / n.Amount; best < 0 || fits < slots {
			best, slots = i, fits
		}
	}
	if best < 0 {
		slots = p.Room.Slots().Room(id, extra) // members that ask for nothing
	}
	return best, slots
}

func withoutResource(f *Search, at state) []edit {
	var names []explain.Change
	if p := f.at(at).p; p != nil {
		for _, resource := range f.at(at).bounds().scarcest() { // what is scarcest now may not be once something else helps
			names = append(names, askedFor(resource, 0, 1))
		}
	}
	return edits(names)
}

// intolerable lists the taints that keep members away, those of most nodes first, then in natural order. O(tainted nodes).
func (f *Search) intolerable(at state) []gang.Taint {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	nodes := map[gang.Taint]int{}
	for id := range int32(len(at.s.Lineage.Names)) {
		if at.s.FlagsOf(id)&snapshot.Tainted == 0 {
			continue
		}
		list := at.s.Static.ClassOf(id).Taints
		for i, t := range list {
			if slices.ContainsFunc(p.Room.Shapes, func(s *gang.Shape) bool { return !p.Room.Judges.Tolerates(s, list[i:i+1]) }) {
				nodes[t]++
			}
		}
	}
	return slices.SortedFunc(maps.Keys(nodes), func(a, b gang.Taint) int {
		if nodes[a] != nodes[b] {
			return nodes[b] - nodes[a]
		}
		return muster.CompareNatural(nameOf(a), nameOf(b))
	})
}

func nameOf(t gang.Taint) string { return t.Key + "=" + t.Value + ":" + string(t.Effect) }

// taints tolerates each taint by itself; where none helps, the fewest that help together.
func (f *Search) taints(at state) []step { return f.each(at, f.tolerations(at)) }

func (f *Search) tolerations(at state) (out []explain.Change) {
	for _, t := range f.intolerable(at) {
		out = append(out, explain.Change{Kind: explain.KindTaint, Taint: t})
	}
	return out
}

func withTolerations(f *Search, at state) []edit { return edits(f.tolerations(at)) }

// selected lists the labels of all selectors in natural order; behind them, if some shape has affinities, nothing.
func selected(req *gang.Request) (labels []string, affinity bool) {
	known := map[string]bool{}
	add := func(s *gang.Shape) {
		for label := range s.Selector {
			known[label] = true
		}
		affinity = affinity || len(s.Affinity) > 0
	}
	add(&req.Shape)
	for i := range req.Members {
		if s := req.Members[i].Shape; s != nil {
			add(s)
		}
	}
	return slices.SortedFunc(maps.Keys(known), muster.CompareNatural), affinity
}

// selectors drops each label of the selectors by itself, and the affinities; where none helps, the fewest that help together.
func (f *Search) selectors(at state) []step { return f.each(at, droppedSelectors(at.req)) }

func droppedSelectors(req *gang.Request) (out []explain.Change) {
	labels, affinity := selected(req)
	for _, label := range labels {
		out = append(out, explain.Change{Kind: explain.KindSelector, Label: label})
	}
	if affinity {
		out = append(out, explain.Change{Kind: explain.KindSelector, Affinity: true})
	}
	return out
}

func withoutSelectors(_ *Search, at state) []edit { return edits(droppedSelectors(at.req)) }
