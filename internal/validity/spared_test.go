package validity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// A unit or a node that the others in use could do without is a defect, in the layers that the order compares.
func TestCheckSeesWhatCouldBeSpared(t *testing.T) {
	prefers := func(layer string) []gang.Rule { return []gang.Rule{{Layer: layer, Strength: gang.PreferGather}} }
	for _, tc := range []struct {
		nodes  string
		gather []gang.Rule
		policy gang.Policy
		want   string // what could be spared; empty: nothing
	}{
		{"n2 n2", nil, "", ""},
		{"n2 n3", nil, "", "in/0/s0/u1/n2, in/0/s0/u1/n3"},
		{"n1 n2 n2", nil, "", ""}, // n2 is full, and n1 holds but one more
		{"n1 n2 n3", nil, "", "in/1/s0/u0, in/0/s0/u0/n1, in/0/s0/u1/n2, in/0/s0/u1/n3"},
		{"n1 n2 n3", prefers("unit"), "", "in/1/s0/u0"}, // the nodes are not compared
		{"n1 n2 n3", nil, gang.Spread, ""},
		{"n1 n1 n2 n2", nil, "", ""},
	} {
		spec := board(t)
		spec.Running = nil
		req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: map[string]int64{"gpu": 1}}, Gather: tc.gather, Policy: tc.policy}
		res := &placement.Result{Gang: req.Name}
		for i, node := range strings.Fields(tc.nodes) {
			name := "job-" + string(rune('0'+i))
			req.Members = append(req.Members, gang.Member{Name: name})
			res.Assignments = append(res.Assignments, placement.Assignment{Member: name, Rank: i, Group: -1, Node: node})
		}
		var spared []string
		for defect := range strings.SplitSeq(validity.Check(spec, req, res).Error(), "\n") {
			if place, _, ok := strings.Cut(defect, " is in use"); ok {
				spared = append(spared, place)
			}
		}
		require.Equal(t, tc.want, strings.Join(spared, ", "), "%s", tc.nodes)
	}
}
