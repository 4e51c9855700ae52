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

// A plan inside a domain, a refusal and what would help are those of the request that excludes all other nodes.
func TestInsideIsAsExcludingAllOthers(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"one shape": mixed(drawWithQuotas), "parts": mixed(drawParts), "pairs": drawPairs, "victims": mixedWithVictims(drawUncoupled),
		"coupled victims": drawCoupled, "victims of parts": drawPartVictims,
	} {
		t.Run(name, func(t *testing.T) { holdsFor(t, withInside(draw), insideAgrees) })
	}
}

// withInside draws a domain, if there is a tree.
func withInside(draw func(*rapid.T) Input) func(*rapid.T) Input {
	return func(t *rapid.T) Input {
		in := draw(t)
		for range 20 {
			if in.Request.Inside == nil {
				draws.Inside(t, &in.Request, &in.Spec)
			}
		}
		return in
	}
}

// excluding is the request that excludes all nodes but those of the domain.
func excluding(in *Input) *gang.Request {
	req := in.Request
	req.Inside, req.Exclude = nil, slices.Clone(req.Exclude)
	for _, n := range in.Spec.Nodes {
		if !validity.IsInside(&in.Spec, &in.Request, n.Name) {
			req.Exclude = append(req.Exclude, n.Name)
		}
	}
	return &req
}

// insideAgrees compares both ways to ask.
func insideAgrees(in Input) ([]string, error) {
	if len(in.Request.Inside) == 0 {
		return nil, nil
	}
	c, err := placement.NewCluster(in.Spec)
	if err != nil {
		return nil, err
	}
	other := excluding(&in)
	res, refusal := placement.Plan(c, &in.Request)
	want, wanted := placement.Plan(c, other)
	if (refusal == nil) != (wanted == nil) || refusal != nil && refusal.Error() != wanted.Error() {
		return nil, fmt.Errorf("want %w, got %w", wanted, refusal)
	}
	if refusal == nil {
		if !reflect.DeepEqual(exported(res), exported(want)) || !sameSeats(res.Assignments, want.Assignments) {
			return nil, fmt.Errorf("want %+v %s, got %+v %s", exported(want), AssignmentsText(want.Assignments), exported(res), AssignmentsText(res.Assignments))
		}
		if err := validity.Check(in.Spec, &in.Request, res); err != nil {
			return nil, fmt.Errorf("not valid: %w", err)
		}
		return []string{"planned"}, sameCandidates(c, &in.Request, other)
	}
	var why, whyWanted *placement.Unschedulable
	if errors.As(refusal, &why) && errors.As(wanted, &whyWanted) {
		if got, want := why.Nodes(), whyWanted.Nodes(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(why.Tiers, whyWanted.Tiers) {
			return nil, fmt.Errorf("refused for %+v %+v, want %+v %+v", got, why.Tiers, want, whyWanted.Tiers)
		}
	}
	return []string{"refused"}, nil
}

// sameCandidates compares the first few of all plans.
func sameCandidates(c *placement.Cluster, req, other *gang.Request) error {
	few := func(req *gang.Request) (out []any) {
		for res, err := range placement.Candidates(c, req) {
			if err != nil {
				return append(out, err.Error())
			}
			if out = append(out, exported(res), res.Assignments); len(out) == 8 {
				break
			}
		}
		return out
	}
	if got, want := few(req), few(other); !reflect.DeepEqual(got, want) {
		return fmt.Errorf("candidates %v, want %v", got, want)
	}
	return nil
}
