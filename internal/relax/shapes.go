// What could members ask less of, and which nodes could they be let to?

package relax

import (
	"maps"
	"slices"
	"sort"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/problem"
	"github.com/muster-sched/muster/internal/snapshot"
)

// reshaped is a change of all shapes of a request, in copies of them. change returns false for a shape that stays.
func reshaped(change func(s *gang.Shape) bool) edit {
	return func(at state) (state, bool) {
		req, changed := *at.req, false
		if s := req.Shape; change(&s) {
			req.Shape, changed = s, true
		}
		req.Members = slices.Clone(req.Members)
		known := map[*gang.Shape]*gang.Shape{} // members that share a shape go on sharing one
		for i := range req.Members {
			old := req.Members[i].Shape
			if old == nil {
				continue
			}
			next, ok := known[old]
			if !ok {
				if s := *old; change(&s) {
					next = &s
				}
				known[old] = next
			}
			if next != nil {
				req.Members[i].Shape, changed = next, true
			}
		}
		return state{at.s, &req}, changed
	}
}

// atMost lets members ask for at most so much of a resource.
func atMost(resource string, amount int64) edit {
	return reshaped(func(s *gang.Shape) bool {
		if s.Resources[resource] <= amount {
			return false
		}
		s.Resources = maps.Clone(s.Resources)
		s.Resources[resource] = amount
		return true
	})
}

// requests finds the most that members can ask for of the scarcest resource; of the next one, if that is not what they lack.
func (f *Search) requests(at state) []step {
	p := f.at(at).p
	if p == nil {
		return nil
	}
	r := f.at(at).bounds()
	for _, resource := range r.scarcest() {
		if f.share.Packing.Spend(f.inward); !f.mayTry() {
			break
		}
		before := int64(0)
		for _, s := range p.Shapes {
			before = max(before, s.Resources[resource])
		}
		mayFit := r.withLess(resource)
		if mayFit != nil && !mayFit(1) {
			continue // it is not what they lack, or not all
		}
		amounts := f.amounts(p, resource, before)
		i := len(amounts) - 1
		if mayFit != nil {
			i = sort.Search(len(amounts), func(i int) bool { return !mayFit(amounts[i]) }) - 1
		}
		if i < 0 {
			continue
		}
		to := func(i int) edit { return atMost(resource, amounts[i]) }
		plan := f.after(at, to(i))
		if plan == nil && i > 0 {
			top := i - 1
			if plan = f.after(at, to(0)); plan != nil {
				i, plan = f.largest(at, 0, top, plan, to)
			}
		}
		if plan == nil {
			continue
		}
		steps := found(explain.Change{Kind: explain.KindRequest, Resource: resource, Before: before, Amount: amounts[i]}, to(i), plan)
		for k := range steps {
			steps[k].least = !p.Zones().Bind() // the width that zones are asked for may jump
		}
		return f.settle(steps)
	}
	return nil
}

// scarcest lists what members ask for, first what bounds the slots of most nodes.
func (r *rooms) scarcest() (names []string) {
	p := r.p
	binds, released := make([]int, len(p.Needs)), p.Slots().LeavingReleased()
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
	order := make([]int, len(p.Needs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return binds[b] - binds[a] })
	for _, i := range order {
		names = append(names, p.Needs[i].Name)
	}
	return names
}

// binding is the place in Needs of what bounds the slots of a node, with extra amounts, and how many fit; -1: nothing does.
func binding(p *problem.Problem, id int32, extra []int64) (best int, slots int64) {
	best = -1
	for i := range p.Needs {
		n := &p.Needs[i]
		free := p.Slots().FreeOf(id, *n, extra)
		if free < n.Amount {
			return i, 0
		}
		if fits := free / n.Amount; best < 0 || fits < slots {
			best, slots = i, fits
		}
	}
	if best < 0 {
		slots = p.Slots().Room(id, extra) // members that ask for nothing
	}
	return best, slots
}

// So few amounts are all told apart; and at most so many, where not all of them are.
const (
	fewAmounts  = 64
	mostAmounts = 1 << 16
)

// amounts lists, ascending, the amounts above 0 and below one at which the slots of some node change: what is free, divided by the members that
// it is for. Where that is not all that decides, or there are too many of them, every amount is listed, as far as that is possible.
func (f *Search) amounts(p *problem.Problem, resource string, before int64) []int64 {
	var out []int64
	more := mayEvict(p) || p.InParts() || p.Zones().Bind() // then what is free now is not all that decides
	if before <= fewAmounts || more && before <= mostAmounts {
		for a := int64(1); a < before; a++ {
			out = append(out, a)
		}
		return out
	}
	known := map[int64]bool{}
	for _, free := range frees(p, resource, more) {
		if free <= 0 || known[free] {
			continue
		}
		known[free] = true
		for n := int64(1); n <= min(free, int64(p.Least*p.Size())) && len(out) < mostAmounts; n++ {
			if a := free / n; a < before {
				out = append(out, a)
			}
		}
	}
	f.doubt = f.doubt || more || len(out) >= mostAmounts
	slices.Sort(out)
	return slices.Compact(out)
}

// frees lists what is free of a resource: on each node, also once its members leave one after the other, and in the quota that
// refuses.
func frees(p *problem.Problem, resource string, leave bool) (out []int64) {
	need := p.Needs[slices.IndexFunc(p.Needs, func(n problem.Need) bool { return n.Name == resource })]
	released := p.Slots().LeavingReleased()
	var before []int64 // on the node before, as most are alike
	add := func(i int, free int64) {
		if i == len(before) {
			before = append(before, free)
		} else if before[i] == free {
			return
		}
		before[i], out = free, append(out, free)
	}
	for id := range int32(len(p.Snapshot.Lineage.Names)) {
		free, i := p.Slots().FreeOf(id, need, released[id].Amounts), 0
		if add(0, free); !leave || need.ID < 0 {
			continue
		}
		for m := range snapshot.MembersOn(p.Snapshot, id) {
			i, free = i+1, free+m.Class.Holds[need.ID]
			add(i, free)
		}
	}
	if p.RefusedBy == nil {
		return out
	}
	for _, short := range p.RefusedBy.Short {
		if short.Resource == resource {
			out = append(out, short.Limit-short.Used)
		}
	}
	return out
}

func (f *Search) withoutResource(at state) (out []edit) {
	if p := f.at(at).p; p != nil {
		for _, resource := range f.at(at).bounds().scarcest()[:min(1, len(p.Needs))] {
			out = append(out, atMost(resource, 1))
		}
	}
	return out
}

// tolerated lets members to nodes with a taint.
func tolerated(t gang.Taint) edit {
	return reshaped(func(s *gang.Shape) bool {
		if gang.Tolerates([]gang.Taint{t}, s.Tolerations) {
			return false
		}
		s.Tolerations = append(slices.Clip(s.Tolerations), gang.Toleration{Key: t.Key, Value: t.Value, Effect: t.Effect})
		return true
	})
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
		for _, t := range at.s.Static.ClassOf(id).Taints {
			if slices.ContainsFunc(p.Shapes, func(s *gang.Shape) bool { return !gang.Tolerates([]gang.Taint{t}, s.Tolerations) }) {
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

// taints tolerates each taint by itself.
func (f *Search) taints(at state) (steps []step) {
	for _, t := range f.intolerable(at) {
		steps = append(steps, f.one(at, explain.Change{Kind: explain.KindTaint, Taint: t}, tolerated(t))...)
	}
	return steps
}

func (f *Search) withTolerations(at state) (out []edit) {
	for _, t := range f.intolerable(at) {
		out = append(out, tolerated(t))
	}
	return out
}

// unselected drops a label of all selectors, or all affinities.
func unselected(label string, affinity bool) edit {
	return reshaped(func(s *gang.Shape) bool {
		if affinity {
			had := len(s.Affinity) > 0
			s.Affinity = nil
			return had
		}
		if _, ok := s.Selector[label]; !ok {
			return false
		}
		s.Selector = maps.Clone(s.Selector)
		delete(s.Selector, label)
		return true
	})
}

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

// selectors drops each label of the selectors by itself, and the affinities.
func (f *Search) selectors(at state) (steps []step) {
	labels, affinity := selected(at.req)
	for _, label := range labels {
		steps = append(steps, f.one(at, explain.Change{Kind: explain.KindSelector, Label: label}, unselected(label, false))...)
	}
	if affinity {
		steps = append(steps, f.one(at, explain.Change{Kind: explain.KindSelector, Affinity: true}, unselected("", true))...)
	}
	return steps
}

func (f *Search) withoutSelectors(at state) (out []edit) {
	labels, affinity := selected(at.req)
	for _, label := range labels {
		out = append(out, unselected(label, false))
	}
	if affinity {
		out = append(out, unselected("", true))
	}
	return out
}
