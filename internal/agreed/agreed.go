// Package agreed answers: are gangs in parts placed as by looking at all selections and strategies? It draws clusters and gangs, plans them, and
// compares with internal/reference. It is for the tests of the packages that place them.
package agreed

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/reference"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// Parts holds plans of gangs in parts to the definition: they place the best selection under the best strategy, and what they refuse does not fit, each with what else may be
// asked for.
func Parts(t *testing.T) {
	for name, with := range map[string]func(d *drawing){
		"parts alone":      nil,
		"multiples":        (*drawing).multiples,
		"limits":           (*drawing).limits,
		"alone":            (*drawing).alone,
		"another topology": (*drawing).elsewhere,
		"zones":            (*drawing).zones,
		"minima":           (*drawing).minima,
		"a quota":          (*drawing).quota,
		"leaving members":  (*drawing).leaving,
		"few steps":        func(d *drawing) { d.in.Request.Steps = rapid.SampledFrom([]int{3, 40, 400}).Draw(d.t, "steps") },
		"equal groups":     (*drawing).equalGroups,
		"all of it": func(d *drawing) {
			d.multiples()
			d.limits()
			d.elsewhere()
			d.minima()
			d.leaving()
		},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { agree(t, drawInput(t, with)) })
		})
	}
}

// agree plans and compares with the definition.
func agree(t *rapid.T, in reference.Input) {
	c, err := placement.NewCluster(in.Spec)
	require.NoError(t, err)
	res, err := placement.Plan(c, &in.Request)
	want, err2 := reference.SolveParts(in)
	require.NoError(t, err2)
	if in.Request.Steps == 0 { // without an index more of them are spent
		again, err := placement.Plan(c, reference.WithoutIndex(in.Request))
		require.Equal(t, res == nil, err != nil, in.Text())
		if res != nil {
			require.Equal(t, res.Assignments, again.Assignments, "nodes are counted one by one\n%s", in.Text())
			require.Equal(t, res.WaitsFor, again.WaitsFor)
		}
	}
	var refusal *placement.Unschedulable
	if errors.As(err, &refusal) {
		if refusal.Proven {
			require.False(t, want.Placed, "refused (%s), but %v can be placed\n%s", refusal, want.Selection, in.Text())
		}
		refusedRightly(t, &in, c, refusal)
		return
	}
	require.NoError(t, err)
	require.True(t, want.Placed, "placed, but nothing fits\n%s", in.Text())
	require.NoError(t, validity.Check(in.Spec, &in.Request, res), "%s\n%v waits for %v", in.Text(), res.Assignments, res.WaitsFor)
	if !res.Proven {
		return
	}
	var placed []string
	for _, a := range res.Assignments {
		placed = append(placed, a.Member)
	}
	for _, name := range want.Selection {
		require.Contains(t, placed, name, in.Text())
	}
	require.Equal(t, want.Waits, len(res.WaitsFor) > 0, in.Text())
	if further := len(placed) > len(want.Selection); further {
		require.True(t, want.Waits, "places %v, the best selection is %v\n%s", placed, want.Selection, in.Text())
		return // those who came later change what groups reach
	}
	outside, worth, err := reference.StrategyOf(&in, res)
	require.NoError(t, err)
	require.Equal(t, want.Outside, outside, in.Text())
	require.Equal(t, want.Worth, worth, in.Text())
}

// refusedRightly checks what a refusal counts, and whether the rule that it names is what refuses.
func refusedRightly(t *rapid.T, in *reference.Input, c *placement.Cluster, u *placement.Unschedulable) {
	last := -1
	for _, fit := range u.Tiers {
		require.Greater(t, fit.Tier, last, "tiers ascend")
		last = fit.Tier
		require.LessOrEqual(t, fit.Members, len(in.Request.Members))
	}
	if u.Refuser == placement.RefuserQuota || !u.Proven || u.Rule == placement.RuleMinMember || in.Request.Steps > 0 || someMayStayOut(&in.Request) {
		return // without rules members of the lowest ranks are tried, as far as steps go
	}
	free := in.Request
	free.Gather, free.Groups, free.Limits, free.Parts = nil, nil, nil, slices.Clone(free.Parts)
	withoutRules(free.Parts)
	_, err := placement.Plan(c, &free)
	var none *placement.Unschedulable
	stillRefused := errors.As(err, &none)
	require.True(t, stillRefused || err == nil, "%v", err)
	if u.Rule == "" {
		require.True(t, stillRefused, "no rule is named, but without rules the gang fits\n%s", in.Text())
	} else if stillRefused && none.Proven {
		require.Fail(t, "a rule is named, and without rules the gang does not fit either", "%s\n%s", u, in.Text())
	}
}

// someMayStayOut says whether a plan may be of some members: then the lowest ranks are what is asked for without rules.
func someMayStayOut(req *gang.Request) bool {
	return req.MinMember > 0 || req.MinParts != 0 || slices.ContainsFunc(req.Parts, func(p gang.Part) bool { return p.MinMember > 0 || p.MinParts != 0 })
}

// withoutRules leaves parts only their members and minima.
func withoutRules(parts []gang.Part) {
	for i := range parts {
		p := &parts[i]
		p.Gather, p.Limits, p.Tree, p.Parts = nil, nil, "", slices.Clone(p.Parts)
		if p.Groups = slices.Clone(p.Groups); len(p.Groups) > 0 {
			for k := range p.Groups {
				p.Groups[k] = gang.Groups{Size: p.Groups[k].Size}
			}
		}
		withoutRules(p.Parts)
	}
}

// ManyShapes holds plans of large gangs of many shapes to packings by construction: a plan is valid, and one that is found where members were put in place before is not refused.
func ManyShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{t: t}
		d.nodes(12)
		d.in.Request = gang.Request{Name: draws.GangName, NeverPreempts: true}
		free := map[string][2]int64{}
		for _, n := range d.in.Spec.Nodes {
			free[n.Name] = [2]int64{n.Allocatable["gpu"], n.Allocatable["cpu"]}
		}
		for _, r := range d.in.Spec.Running {
			f := free[r.Node]
			free[r.Node] = [2]int64{f[0] - r.Resources["gpu"], f[1] - r.Resources["cpu"]}
		}
		gathers := rapid.Bool().Draw(t, "parts are in racks")
		for _, rack := range []string{"a", "b", "c", "d", "e", "f"} { // each part is put into a rack, member by member
			part := gang.Part{Name: rack}
			for k := range 2 {
				name := fmt.Sprint(rack, k)
				f := free[name]
				for f[0] > 0 && f[1] > 0 && len(part.Members) < 4 {
					s := &gang.Shape{Resources: map[string]int64{"gpu": rapid.Int64Range(1, min(3, f[0])).Draw(t, "devices"), "cpu": rapid.Int64Range(1, min(5, f[1])).Draw(t, "CPUs")}}
					f[0], f[1] = f[0]-s.Resources["gpu"], f[1]-s.Resources["cpu"]
					m := gang.Member{Name: fmt.Sprint("m-", rack, k, len(part.Members)), Shape: s}
					part.Members, d.in.Request.Members = append(part.Members, m.Name), append(d.in.Request.Members, m)
				}
			}
			if gathers && len(part.Members) > 0 {
				part.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
			}
			if len(part.Members) > 0 {
				d.in.Request.Parts = append(d.in.Request.Parts, part)
			}
		}
		if len(d.in.Request.Members) == 0 {
			return
		}
		d.in.Request.Steps = rapid.SampledFrom([]int{0, 200, 2000}).Draw(t, "steps")
		c, err := placement.NewCluster(d.in.Spec)
		require.NoError(t, err)
		res, err := placement.Plan(c, &d.in.Request)
		var refusal *placement.Unschedulable
		if errors.As(err, &refusal) {
			require.False(t, refusal.Proven, "it fits: %s", refusal)
			return
		}
		require.NoError(t, err)
		require.NoError(t, validity.Check(d.in.Spec, &d.in.Request, res))
		require.Len(t, res.Assignments, len(d.in.Request.Members))
	})
}
