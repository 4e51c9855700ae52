package reference

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// A plan with refused nodes is the plan without them, with members that change places, wherever that does; it is never better; and
// what it says to be proven is.
func TestRefusedNodes(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"one shape": mixed(drawWithQuotas), "parts": mixed(drawParts), "victims": mixedWithVictims(drawUncoupled), "victims of parts": drawPartVictims,
	} {
		t.Run(name, func(t *testing.T) { holdsFor(t, withRefused(draw), refusedAgree) })
	}
}

// withRefused draws nodes that are refused for members: mostly of the plan that there is without.
func withRefused(draw func(*rapid.T) Input) func(*rapid.T) Input {
	return func(t *rapid.T) Input {
		in := draw(t)
		if len(in.Request.Members) == 0 {
			return in
		}
		var used []string
		if res, err := plan(in, &in.Request); err == nil {
			for _, a := range res.Assignments {
				used = append(used, a.Node)
				if draws.Chance(t, 20, "its own") {
					in.Request.Refused = append(in.Request.Refused, gang.Refusal{Member: a.Member, Node: a.Node})
				}
			}
		}
		for range rapid.IntRange(1, 2+len(in.Request.Members)).Draw(t, "pairs") {
			m := rapid.SampledFrom(in.Request.Members).Draw(t, "member").Name
			node := rapid.SampledFrom(in.Spec.Nodes).Draw(t, "node").Name
			if len(used) > 0 && draws.Chance(t, 70, "a node of the plan") {
				node = rapid.SampledFrom(used).Draw(t, "node of the plan")
			}
			in.Request.Refused = append(in.Request.Refused, gang.Refusal{Member: m, Node: node})
		}
		if draws.Chance(t, 10, "for all") {
			node := rapid.SampledFrom(in.Spec.Nodes).Draw(t, "node").Name
			for _, m := range in.Request.Members {
				in.Request.Refused = append(in.Request.Refused, gang.Refusal{Member: m.Name, Node: node})
			}
		}
		return in
	}
}

// nothingRefused is the input in which nothing is refused but what is for all members.
func nothingRefused(in Input) Input {
	open := in
	open.Request.Refused = nil
	times := map[gang.Refusal]bool{}
	for _, r := range in.Request.Refused {
		times[r] = true
	}
	for _, n := range in.Spec.Nodes {
		all := true
		for _, m := range in.Request.Members {
			all = all && times[gang.Refusal{Member: m.Name, Node: n.Name}]
		}
		if all {
			open.Request.Exclude = append(slices.Clone(open.Request.Exclude), n.Name)
		}
	}
	return open
}

// refusedAgree compares a plan with the one of the request in which nothing is refused.
func refusedAgree(in Input) ([]string, error) {
	open := nothingRefused(in)
	best, err := plan(open, &open.Request)
	res, refusal := plan(in, &in.Request)
	var why *placement.Unschedulable
	switch {
	case err != nil:
		if refusal == nil || refusal.Error() != err.Error() {
			return nil, fmt.Errorf("refused without refused nodes: %w; with them: %w", err, refusal)
		}
		return []string{"refused anyway"}, nil
	case refusal != nil && !errors.As(refusal, &why):
		return nil, fmt.Errorf("not planned: %w", refusal)
	case refusal == nil:
		if err := validity.Check(in.Spec, &in.Request, res); err != nil {
			return nil, fmt.Errorf("not valid: %w", err)
		}
	}
	if want := exchanged(&in, best); want != nil {
		if refusal != nil {
			return nil, fmt.Errorf("members can change places, and it is refused: %w", refusal)
		}
		changed := *res
		changed.Assignments = best.Assignments
		if shown := fmt.Sprintf("%+v", exported(&changed)); shown != fmt.Sprintf("%+v", exported(best)) || !sameSeats(want, res.Assignments) {
			return nil, fmt.Errorf("want %s, got %s", AssignmentsText(want), AssignmentsText(res.Assignments))
		}
		return []string{map[bool]string{true: "as planned", false: "exchanged"}[sameSeats(best.Assignments, res.Assignments)]}, nil
	}
	if refusal != nil {
		if why.Proven || why.Rule != placement.RuleRefused || why.Fits >= len(best.Assignments) {
			return nil, fmt.Errorf("a refusal that says too much: %w", refusal)
		}
		return []string{"refused"}, nil
	}
	return noBetter(&in, best, res)
}

// noBetter holds for a plan that is as good as the best one, and says proven what that does, or worse and not proven.
func noBetter(in *Input, best, res *placement.Result) ([]string, error) {
	same := !prefers(&in.Request) && len(res.WaitsFor) == len(best.WaitsFor) && len(res.Victims) == 0 && len(best.Victims) == 0
	outside, worth, err := StrategyOf(in, res)
	if err != nil {
		return nil, err
	}
	outsideBest, worthBest, err := StrategyOf(in, best)
	if err != nil {
		return nil, err
	}
	order := slices.Compare(append([]int{outside}, worth...), append([]int{outsideBest}, worthBest...))
	better := same && (len(res.Assignments) > len(best.Assignments) || sameMembers(best, res) && order < 0)
	switch {
	case better && best.Proven:
		return nil, fmt.Errorf("better than without refused nodes: %s before %s", AssignmentsText(res.Assignments), AssignmentsText(best.Assignments))
	case res.Proven && (!sameMembers(best, res) || order != 0 || !best.Proven):
		return nil, fmt.Errorf("it says proven, and the best plan is %s", AssignmentsText(best.Assignments))
	case len(res.Victims) > 0 && res.Preemption.Proven && fmt.Sprint(res.Preemption) != fmt.Sprint(best.Preemption):
		return nil, fmt.Errorf("it says that the victims are proven, %v, best %v", *res.Preemption, best.Preemption)
	}
	return []string{fmt.Sprintf("without some nodes, proven %t", res.Proven)}, nil
}

// exported is what a result shows.
func exported(r *placement.Result) []any {
	return []any{
		r.Tier, r.Domain, r.GroupTiers, r.Elsewhere, r.Strategy, r.Span, len(r.Assignments), r.WaitsFor, r.Proven, r.Victims,
		fmt.Sprintf("%+v", r.Preemption),
	}
}

func sameMembers(a, b *placement.Result) bool {
	return slices.EqualFunc(a.Assignments, b.Assignments, func(x, y placement.Assignment) bool { return x.Member == y.Member })
}

func sameSeats(a, b []placement.Assignment) bool { return reflect.DeepEqual(a, b) }

// exchanged are the assignments with members on other places of members of their shape in their innermost group, the first ones by
// rank in which nobody is on a node refused for him; nil: there are none. By enumeration.
func exchanged(in *Input, best *placement.Result) []placement.Assignment {
	out := slices.Clone(best.Assignments)
	classes := map[string][]int{}
	for i, a := range out {
		k := classOf(in, a)
		classes[k] = append(classes[k], i)
	}
	for _, k := range slices.Sorted(maps.Keys(classes)) {
		members := classes[k]
		used, seat := make([]bool, len(members)), make([]int, 0, len(members))
		var walk func() bool
		walk = func() bool {
			if len(seat) == len(members) {
				return true
			}
			a, seen := &best.Assignments[members[len(seat)]], map[string]bool{}
			for s := range members {
				in.spend()
				node := best.Assignments[members[s]].Node
				if used[s] || seen[node] || slices.Contains(in.Request.Refused, gang.Refusal{Member: a.Member, Node: node}) {
					continue
				}
				seen[node] = true
				used[s], seat = true, append(seat, s)
				if walk() {
					return true
				}
				used[s], seat = false, seat[:len(seat)-1]
			}
			return false
		}
		if !walk() {
			return nil
		}
		for n, s := range seat {
			from := &best.Assignments[members[s]]
			out[members[n]].Node, out[members[n]].NUMA = from.Node, from.NUMA
		}
	}
	return out
}

// classOf says with whom a member may change places.
func classOf(in *Input, a placement.Assignment) string {
	own := validity.Own(&in.Spec, &in.Request)
	members := in.Request.Members
	m := &members[slices.IndexFunc(members, func(m gang.Member) bool { return m.Name == a.Member })]
	like := func(o gang.Member) bool {
		return validity.ShapeOf(&in.Request, &o).Equal(validity.ShapeOf(&in.Request, m))
	}
	shape := fmt.Sprint(" of shape ", slices.IndexFunc(members, like))
	if len(in.Request.Parts) > 0 {
		innermost := ""
		for i, v := range validity.Divide(&in.Request, own).All() {
			if slices.Contains(v.Members, a.Member) {
				innermost = fmt.Sprint(i)
			}
		}
		return innermost + shape
	}
	if levels := validity.Levels(&in.Request, len(in.Request.Members)+len(own)); len(levels) > 0 {
		return fmt.Sprint(a.Rank/levels[len(levels)-1].Size) + shape
	}
	return shape
}

// Of gangs that start together members change places each in its own gang, and nobody is on a node refused for him.
func TestRefusedNodesTogether(t *testing.T) {
	holdsFor(t, withRefused(drawGangsTogether), refusedTogetherAgree)
}

func refusedTogetherAgree(in Input) ([]string, error) {
	if notTogether(&in) {
		return []string{"no gangs together"}, nil
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	open := nothingRefused(in)
	best, err := plannedTogether(c, &open.Request, nil)
	if err != nil {
		return []string{"refused anyway"}, nil //nolint:nilerr // there is nothing to compare
	}
	check := func(p placement.Planned) error {
		if p.Request.Tree != "" { // see togetherAgrees
			return nil
		}
		return validity.CheckTogether(dump(in, p.Cluster), p.Request, p.Result)
	}
	res, err := plannedTogether(c, &in.Request, check)
	want := exchanged(&in, best)
	switch {
	case want != nil && (err != nil || !sameSeats(want, res.Assignments)):
		return nil, fmt.Errorf("want %s, got %+v, %w", AssignmentsText(want), res, err)
	case want != nil:
		return []string{"exchanged, or as planned"}, nil
	case err != nil && !errors.Is(err, placement.ErrUnschedulable):
		return nil, err
	case err != nil:
		return []string{"refused"}, nil //nolint:nilerr // it may be
	}
	for _, a := range res.Assignments {
		if slices.Contains(in.Request.Refused, gang.Refusal{Member: a.Member, Node: a.Node}) {
			return nil, fmt.Errorf("%s is on %s, which is refused for it", a.Member, a.Node)
		}
	}
	return []string{"without some nodes"}, nil
}

// plannedTogether has the assignments of all gangs, in the order of the gangs.
func plannedTogether(c *placement.Cluster, req *gang.Request, check func(placement.Planned) error) (*placement.Result, error) {
	_, planned := placement.Batch(c, asQueue(req))
	all, waits := &placement.Result{}, false
	for _, p := range planned {
		if p.Err != nil {
			return nil, p.Err
		}
		waits = waits || p.Result.Waits()
	}
	for _, p := range planned {
		if check != nil && !waits { // else those for whom one waits are gone for all
			if err := check(p); err != nil {
				return nil, fmt.Errorf("%s: %w", p.Request.Name, err)
			}
		}
		all.Assignments = append(all.Assignments, p.Result.Assignments...)
	}
	return all, nil
}
