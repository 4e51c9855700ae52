package reference

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// A gang in equal parts has the plan that it has in equal groups, which is the reference's; as one in parts that are taken for different ones
// it has no better one.
func TestEqualPartsAreGroups(t *testing.T) { holdsFor(t, drawEqualParts, equalPartsAgree) }

// drawEqualParts draws a gang in equal groups, and makes these parts.
func drawEqualParts(t *rapid.T) Input {
	in := mixed(drawWithQuotas)(t)
	draws.TakeOwn(&in.Spec, false)
	req := &in.Request
	req.Members, req.Total, req.Limits, req.Parts, req.MinParts = slices.Clone(req.Members), 0, nil, nil, 0
	req.Gather = slices.DeleteFunc(slices.Clone(req.Gather), func(r gang.Rule) bool { return r.Multiple > 0 })
	for i := range req.Members {
		req.Members[i].Shape = nil
	}
	levels := validity.Levels(req, len(req.Members))
	if len(levels) == 0 {
		levels = []gang.Groups{{Size: rapid.IntRange(1, 3).Draw(t, "size"), Gather: draws.Gather(t, draws.LayerNames(&in.Spec))}}
	}
	size := 0 // of the groups around
	levels = slices.DeleteFunc(slices.Clone(levels), func(l gang.Groups) bool {
		nests := l.Size <= len(req.Members) && (size == 0 || size%l.Size == 0 && l.Size < size)
		if nests {
			size = l.Size
		}
		return !nests
	})
	for i := range levels {
		levels[i].Limits = nil
	}
	if len(levels) == 0 {
		levels = []gang.Groups{{Size: 1}}
	}
	req.Members = req.Members[:len(req.Members)/levels[0].Size*levels[0].Size]
	req.MinMember = min(req.MinMember, len(req.Members))
	req.Groups, req.PP, req.DP = nil, 0, 0
	ranks := validity.Ranks(req, nil)
	names := make([]string, len(ranks))
	for name, rank := range ranks {
		names[rank] = name
	}
	req.Parts = partsOfLevels(names, levels, draws.Chance(t, 50, "inner groups are parts"), "p")
	if req.MinMember > 0 {
		req.MinParts = -1
		if draws.Chance(t, 50, "so many parts") {
			req.MinParts, req.MinMember = (req.MinMember+levels[0].Size-1)/levels[0].Size, 0
		}
	}
	return in
}

// partsOfLevels makes parts of the members of levels of groups.
func partsOfLevels(names []string, levels []gang.Groups, parts bool, called string) (out []gang.Part) {
	for members := range slices.Chunk(names, levels[0].Size) {
		p := gang.Part{Name: fmt.Sprintf("%s%d", called, len(out)), Gather: levels[0].Gather, Members: members}
		switch {
		case len(levels) > 1 && parts:
			p.Members, p.Parts = nil, partsOfLevels(members, levels[1:], true, p.Name+".")
		default:
			p.Groups = levels[1:]
		}
		out = append(out, p)
	}
	return out
}

func equalPartsAgree(in Input) ([]string, error) {
	groups, ok := asGroups(&in)
	var kinds []string
	if len(in.Request.Members) <= 9 {
		of, err := partsAgree(in)
		if err != nil {
			return nil, err
		}
		kinds = of
	}
	if !ok {
		return append(kinds, "equal, planned in parts"), nil
	}
	res, refusal := plan(in, &in.Request)
	same, refusalOfGroups := plan(groups, &groups.Request)
	if err := errors.Join(samePlan(res, refusal, same, refusalOfGroups), validPlan(&in, res)); err != nil {
		return nil, fmt.Errorf("%w\nin groups: %sin parts: %s", err, resultText(same, refusalOfGroups), resultText(res, refusal))
	}
	want, err := Solve(in)
	if err != nil {
		return nil, err
	}
	if res == nil {
		if want.Placed {
			return nil, fmt.Errorf("refused, want %s", want.Text())
		}
		return append(kinds, "equal, refused"), nil
	}
	if err := difference(groups, want, res, nil); err != nil {
		return nil, fmt.Errorf("%w\nreference: %splan: %s", err, want.Text(), resultText(res, refusal))
	}
	kind, err := noBetterInParts(in, res)
	return append(kinds, "equal, placed", fmt.Sprintf("equal, %d levels", len(groups.Request.Groups)), kind), err
}

func validPlan(in *Input, res *placement.Result) error {
	if res == nil {
		return nil
	}
	return validity.Check(in.Spec, &in.Request, res)
}

// samePlan compares the plans of two forms of one gang.
func samePlan(a *placement.Result, refusedA error, b *placement.Result, refusedB error) error {
	var whyA, whyB *placement.Unschedulable
	if errors.As(refusedA, &whyA) && errors.As(refusedB, &whyB) { // each in words of its own
		return nil
	}
	if a == nil || b == nil {
		return errors.New("one form is placed, the other refused")
	}
	seen := func(r *placement.Result) []any {
		return []any{r.Assignments, r.Tier, r.Domain, r.GroupTiers, r.Strategy, r.StrategyNumber, r.Span, r.Proven, byName(r.WaitsFor), r.Holds()}
	}
	for i, was := range seen(a) {
		if is := seen(b)[i]; !reflect.DeepEqual(was, is) {
			return fmt.Errorf("the forms differ: %v and %v", was, is)
		}
	}
	return nil
}

// noBetterInParts compares a plan with that of the gang in a bundle around its parts, which is planned in parts.
func noBetterInParts(in Input, res *placement.Result) (string, error) {
	if len(in.Request.Members) > mostInParts {
		return "equal, too many to compare", nil
	}
	bundled := in
	all := gang.Part{Name: "all", NoGroup: true, Parts: in.Request.Parts, MinParts: in.Request.MinParts}
	bundled.Request.Parts, bundled.Request.MinParts = []gang.Part{all}, 0
	other, refusal := plan(bundled, &bundled.Request)
	if other == nil || !other.Proven || res.Waits() {
		return "equal, in parts not proven, or waiting", nil
	}
	outside, worth, err := StrategyOf(&in, res)
	outsideInParts, worthInParts, err2 := StrategyOf(&in, other)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	if len(other.Assignments) != len(res.Assignments) || outside != outsideInParts || !slices.Equal(worth, worthInParts) {
		return "", fmt.Errorf("in parts another strategy: %s", resultText(other, refusal))
	}
	if other.Tier != res.Tier {
		return "equal, in parts another tier, of the same worth", nil
	}
	for i, s := range other.Span {
		switch n := res.Span[i].Domains; {
		case n > s.Domains:
			return "", fmt.Errorf("in parts a smaller span: %s", resultText(other, refusal))
		case n < s.Domains:
			return "equal, in parts a wider span", nil
		}
	}
	return "equal, in parts as good", nil
}
