package reference

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
)

// Room that is held for others is room where somebody runs who never leaves, but for what a gang of a higher priority takes, and for its own: plans of
// every kind are the same, with an index of the shape and without.
func TestHoldsAreMembersThatStay(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) Input{
		"quotas": drawWithQuotas, "parts": drawParts, "roles": drawRoles, "victims": drawCoupled, "victims of parts": drawPartVictims,
	} {
		t.Run(name, func(t *testing.T) {
			holdsFor(t, func(t *rapid.T) Input {
				in := mixed(draw)(t)
				drawHolds(t, &in)
				return in
			}, holdsAgree)
		})
	}
}

// drawHolds holds room for the gang and for others, here and there; more than there is on some nodes.
func drawHolds(t *rapid.T, in *Input) {
	for i := range rapid.IntRange(1, 6).Draw(t, "holds") {
		node := &in.Spec.Nodes[rapid.IntRange(0, len(in.Spec.Nodes)-1).Draw(t, "on")]
		amounts := muster.Resources{}
		for _, name := range node.Allocatable.Names() {
			if name != muster.Pods {
				amounts[name] = min(node.Allocatable[name], rapid.Int64Range(0, 3).Draw(t, "held")*(1+node.Allocatable[name]/4))
			}
		}
		in.Spec.Holds = append(in.Spec.Holds, cluster.Hold{
			Gang: rapid.SampledFrom([]string{in.Request.Name, "ns/held", "ns/g-1"}).Draw(t, "for"), Member: fmt.Sprint("held-", i), Node: node.Name,
			Resources: amounts, Quota: in.Request.Quota, Priority: in.Request.Priority + rapid.Int64Range(-1, 1).Draw(t, "priority"),
		})
	}
}

func holdsAgree(in Input) ([]string, error) {
	seen := in
	seen.Spec = validity.Seen(in.Spec, &in.Request)
	kinds := []string{"refused"}
	for path, req := range map[string]*gang.Request{"indexed": &in.Request, "plain": WithoutIndex(in.Request)} {
		want, wantErr := plan(seen, req)
		got, err := plan(in, req)
		if a, b := resultText(want, wantErr), resultText(got, err); a != b {
			return nil, fmt.Errorf("%s path: %s\nwith holds: %s\nholds %+v", path, a, b, in.Spec.Holds)
		}
		if err == nil {
			kinds = []string{"placed"}
			if err := validity.Check(in.Spec, req, got); err != nil {
				return nil, err
			}
		}
	}
	for _, h := range in.Spec.Holds {
		kind := "by equals and above"
		switch {
		case h.Gang == in.Request.Name:
			kind = "its own"
		case h.Priority < in.Request.Priority:
			kind = "below"
		}
		if kind = kinds[0] + ", holds " + kind; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}
