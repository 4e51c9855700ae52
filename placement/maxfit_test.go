package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/placement"
)

// sized is a gang of a question with so many members that must gather in a layer.
func sized(q placement.FitQuestion, members int, layer string) *gang.Request {
	req := &gang.Request{Name: "asked", Shape: q.Shape, Tree: q.Tree, Priority: q.Priority, NeverPreempts: q.NeverPreempts}
	if layer != "" {
		req.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("asked-", i)})
	}
	return req
}

// agrees says that so many members have a plan in a layer and one more has none.
func agrees(t require.TestingT, c *placement.Cluster, req func(members int) *gang.Request, fits, step int, atLeast bool) {
	if fits > 0 {
		_, err := placement.Plan(c, req(fits))
		require.NoError(t, err, "%d members", fits)
	}
	_, err := placement.Plan(c, req(fits+step))
	if !atLeast {
		require.ErrorIs(t, err, placement.ErrUnschedulable, "%d members", fits+step)
	}
}

// hasCauses says that nothing fits for a cause that each node has, of which none is without members.
func hasCauses(t require.TestingT, fit *placement.Fit, all bool) {
	nodes := fit.Nodes()
	if fit.Members > 0 {
		require.Zero(t, nodes)
		return
	}
	require.Positive(t, nodes.Total)
	sum := 0
	for _, c := range nodes.Rejected {
		sum += c.Nodes
	}
	require.LessOrEqual(t, sum, nodes.Total)
	if all {
		require.Equal(t, nodes.Total, sum)
	}
}

// What MaxFit says has a plan, and one member or one group more has none: on what is free, once leaving members are gone, and with
// victims.
func TestMaxFitIsThatOfPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := reference.DrawInput(t, draws.Small)
		c := newCluster(t, in.Spec)
		q := placement.FitQuestion{
			Shape:    in.Request.Shape,
			Priority: rapid.Int64Range(0, 3).Draw(t, "priority"),
		}
		var layers []string
		for _, l := range draws.Layers(&in.Spec) {
			if l.Name != "" {
				layers = append(layers, l.Name)
			}
		}
		if size := rapid.IntRange(0, 3).Draw(t, "group"); size > 0 {
			q.Group = gang.Groups{Size: size}
			if layer := rapid.SampledFrom(append(layers, "")).Draw(t, "within"); layer != "" {
				q.Group.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
			}
			if layer := rapid.SampledFrom(append(layers, "")).Draw(t, "alone"); layer != "" { // says nothing of how large a gang fits
				q.Group.Limits = []gang.Limit{{Layer: layer, Kind: gang.Alone}}
			}
		}
		fits, err := placement.MaxFit(c, q)
		require.NoError(t, err)
		for _, l := range fits {
			members := func(change func(*gang.Request)) func(int) *gang.Request {
				return func(n int) *gang.Request {
					req := sized(q, n, l.Layer)
					change(req)
					return req
				}
			}
			now := func(r *gang.Request) { r.NeverPreempts, r.IgnoreLeaving = true, true }
			later := func(r *gang.Request) { r.NeverPreempts = true }
			evicting := func(*gang.Request) {}
			for _, of := range []struct {
				fit    placement.Fit
				change func(*gang.Request)
			}{{l.Now, now}, {l.Later, later}, {l.Evicting, evicting}} {
				agrees(t, c, members(of.change), of.fit.Members, 1, of.fit.AtLeast)
				hasCauses(t, &of.fit, l.Layer == "")
				if q.Group.Size > 0 {
					grouped := func(r *gang.Request) {
						of.change(r)
						r.Groups = []gang.Groups{{Size: q.Group.Size, Gather: q.Group.Gather}}
					}
					agrees(t, c, members(grouped), of.fit.Groups*q.Group.Size, q.Group.Size, of.fit.AtLeast)
				}
			}
		}
	})
}
