package reference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
)

// The formulas of docs/order.md (capacity in groups, intact vectors, bounds of children) say what its words say.
func TestFormulasEqualDefinition(t *testing.T) {
	draw := func(t *rapid.T) Input { return DrawInput(t, draws.Tiny) }
	holdsFor(t, draw, func(in Input) ([]string, error) { return nil, formulasHold(in) })
}

func formulasHold(in Input) error {
	if HasParts(&in) {
		return nil
	}
	a, err := Solve(in)
	if err != nil {
		return err
	}
	if _, units := unitsOf(&in); units != nil || hasRoles(&in) || begun(&in) || len(a.WaitsFor) > 0 || len(in.Request.Groups) > 2 { // nothing that SolveByDefinition is for
		return nil
	}
	n := a.Members
	if prefers(&in.Request) || slices.ContainsFunc(in.Request.Groups, func(g gang.Groups) bool { return len(g.Limits) > 0 }) {
		return nil
	}
	if !a.Placed {
		return nothingFits(in, a)
	}
	def, err := SolveByDefinition(sparing(in, a), n)
	if err != nil {
		return err
	}
	if !def.Placed || def.Outside != a.Outside || !slices.Equal(def.Worth, a.Worth) {
		return fmt.Errorf("strategy %d %v, by definition %d %v", a.Outside, a.Worth, def.Outside, def.Worth)
	}
	return intactHolds(in, a, def)
}

// sparing is the input without the nodes that a plan leaves to others.
func sparing(in Input, a *Answer) Input {
	if !a.Spared {
		return in
	}
	in.Request.Exclude = slices.Clone(in.Request.Exclude)
	for i := range in.Spec.Nodes {
		if validity.MeantForOthers([]*gang.Shape{firstShape(&in.Request)}, &in.Spec.Nodes[i]) {
			in.Request.Exclude = append(in.Request.Exclude, in.Spec.Nodes[i].Name)
		}
	}
	return in
}

// nothingFits: no admissible number of members above Fits can be placed.
func nothingFits(in Input, a *Answer) error {
	s, err := newSolver(&in)
	if err != nil || s.canWait() || begun(&in) {
		return err
	}
	for n := a.Fits + 1; n <= len(in.Request.Members); n++ {
		def, err := SolveByDefinition(in, n)
		if err != nil {
			return err
		}
		if def.Placed && s.admissible(n) {
			return fmt.Errorf("%d of %d fit, by definition %d", a.Fits, a.Wanted, n)
		}
	}
	return nil
}

// intactHolds compares the intact vector of the chosen domain with the best of all placements there, those of other
// candidates, and what the placement itself attains.
func intactHolds(in Input, a *Answer, def *Definition) error {
	within := func(l gang.Limit) bool { return l.Kind == gang.Within && l.Most > 1 }
	if len(a.Keys.Intact) == 0 || slices.ContainsFunc(in.Request.Limits, within) {
		return nil
	}
	want := def.Intact[strings.Join(a.Domain, "/")]
	if !slices.Equal(want, a.Keys.Intact[0]) {
		return fmt.Errorf("intact %v at %v, by definition %v", a.Keys.Intact[0], a.Domain, want)
	}
	for domain, other := range def.Intact {
		if slices.Compare(other, want) > 0 {
			return fmt.Errorf("intact %v at %v, but %v at %s", want, a.Domain, other, domain)
		}
	}
	if got := attained(in, a); !slices.Equal(got, want) {
		return fmt.Errorf("intact %v at %v, the assignments have %v: %v", want, a.Domain, got, a.Assignments)
	}
	return nil
}

// attained counts the groups of an answer that are whole at each tier below the group tier.
func attained(in Input, a *Answer) []int {
	s, _ := newSolver(&in)
	byName := map[string]*vertex{}
	for _, v := range s.vertices {
		if v.node != nil {
			byName[v.node.Name] = v
		}
	}
	var out []int
	for t := a.Worth[1] - 1; t >= 0; t-- {
		whole := 0
		for group := range slices.Chunk(a.Assignments, s.size(0)) {
			var at []*vertex
			for _, x := range group {
				at = append(at, byName[x.Node])
			}
			if counts := len(group) == s.size(0) || a.Outside == 0; counts && smallest(s.root, at).tier <= t {
				whole++
			}
		}
		out = append(out, whole)
	}
	return out
}
