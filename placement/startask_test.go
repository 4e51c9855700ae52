package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// What amounts leave no room for is passed over, and nothing else: fewer members than are asked for may do, smaller ones, those that run count, who leaves is gone, what is
// held for others may not be seen, and hosts may know slots themselves.
func TestNothingThatFitsIsPassedOver(t *testing.T) {
	small := &gang.Shape{Resources: gpus(1)}
	for _, test := range []struct {
		name string
		ask  func(*gang.Request, *cluster.Spec)
		at   int64
	}{
		{"all four", func(*gang.Request, *cluster.Spec) {}, 4},
		{"two of them", func(r *gang.Request, _ *cluster.Spec) { r.MinMember = 2 }, 2},
		{"two, of whom one runs", func(r *gang.Request, s *cluster.Spec) {
			r.MinMember = 2
			s.Running = append(s.Running, cluster.Running{Gang: r.Name, Member: "runs", Node: "n0", Resources: gpus(1), End: 9})
		}, 1},
		{"a part of two", func(r *gang.Request, _ *cluster.Spec) {
			r.Parts = []gang.Part{{Name: "a", Members: []string{"m-0", "m-1"}}, {Name: "b", Members: []string{"m-2", "m-3"}}}
			r.MinParts = 1
		}, 2},
		{"one of a part", func(r *gang.Request, _ *cluster.Spec) {
			r.Parts = []gang.Part{{Name: "a", Members: []string{"m-0", "m-1", "m-2", "m-3"}, MinMember: 1}}
		}, 1},
		{"one of an inner part", func(r *gang.Request, _ *cluster.Spec) {
			r.Parts = []gang.Part{{Name: "a", Parts: []gang.Part{{Name: "b", Members: []string{"m-0", "m-1", "m-2", "m-3"}, MinMember: 1}}}}
		}, 1},
		{"small ones first", func(r *gang.Request, _ *cluster.Spec) {
			r.MinMember, r.Members[0].Shape, r.Members[1].Shape = 2, small, small
		}, 1},
		{"some leave", func(_ *gang.Request, s *cluster.Spec) {
			s.Running[0].Leaving, s.Running[1].Leaving = true, true
		}, 4},
		{"all leave", func(_ *gang.Request, s *cluster.Spec) {
			for i := range s.Running {
				s.Running[i].Leaving = true
			}
		}, 0},
		{"without a node", func(r *gang.Request, _ *cluster.Spec) { r.MinMember, r.Exclude = 1, []string{"n0"} }, 2},
		{"the host knows", func(r *gang.Request, _ *cluster.Spec) { r.Slots = func(string) int { return 1 } }, 0},
		{"held for a lower one", func(r *gang.Request, s *cluster.Spec) {
			r.Priority, r.MinMember = 1, 1
			s.Running[0].Resources = gpus(1)
			s.Holds = []cluster.Hold{{Gang: "low", Member: "m", Node: "n0", Resources: gpus(3)}}
		}, 0},
		{"held later", func(r *gang.Request, s *cluster.Spec) {
			r.MinMember, r.End = 1, 3
			s.Running[0].Resources = gpus(1)
			s.Holds = []cluster.Hold{{Gang: "late", Member: "m", Node: "n0", Resources: gpus(3), From: 3}}
		}, 0},
		{"held before it ends", func(r *gang.Request, s *cluster.Spec) {
			r.MinMember, r.End = 1, 3
			s.Running[0].Resources = gpus(1)
			s.Holds = []cluster.Hold{{Gang: "late", Member: "m", Node: "n0", Resources: gpus(3), From: 2, End: 9}}
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec := cluster.Spec{}
			for i, name := range []string{"n0", "n1", "n2", "n3"} {
				spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(4)})
				spec.Running = append(spec.Running, cluster.Running{Gang: "g-" + name, Member: "m", Node: name, Resources: gpus(4), End: int64(i + 1)})
			}
			req := asking("new", 0, 4, 3)
			req.MinMember = 0
			for i := range req.Members {
				req.Members[i].Name = []string{"m-0", "m-1", "m-2", "m-3"}[i]
			}
			test.ask(req, &spec)
			start, err := placement.Earliest(newCluster(t, spec), req, placement.EarliestOptions{})
			require.NoError(t, err)
			require.Equal(t, test.at, start.At)
			require.True(t, start.Proven)
		})
	}
}
