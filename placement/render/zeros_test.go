package render_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

// Outcomes of which anything is missing are written without it.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Walk(t, render.Text, render.Headlines, render.Explanations, render.Summary, render.JSON, render.JSONWithReport, render.QuotasText, render.PodName, render.SVG, render.TextInColour, render.MaxFitText, render.RunningText, render.PlacesText, render.StartsText, render.MovesText)
	c, err := placement.NewCluster(cluster.Spec{Nodes: []cluster.Node{{Name: "n"}}})
	require.NoError(t, err)
	var outcomes []render.Outcome
	for _, res := range []*placement.Result{nil, {}, {Assignments: []placement.Assignment{{}}, Victims: []placement.Victim{{}}, Preemption: &placement.Preemption{}}} {
		for _, err := range []error{nil, io.EOF, &placement.Unschedulable{}, &placement.Unschedulable{RefusedBy: &quota.Refusal{}}} {
			for _, req := range []*gang.Request{nil, {}} {
				for _, cluster := range []*placement.Cluster{nil, c} {
					o := render.Outcome{Result: res, Err: err, Request: req, Cluster: cluster}
					outcomes = append(outcomes, o, render.Outcome{Result: res, Err: err, Request: req, Cluster: cluster, Together: []render.Outcome{o, {}}})
				}
			}
		}
	}
	for _, o := range outcomes {
		require.NotPanics(t, func() {
			o.Places = []placement.Place{{}, {Domains: []placement.PlaceDomain{{}, {Tier: 1}}, Groups: []placement.PlaceGroup{{}}}}
			require.NoError(t, render.PlacesText(io.Discard, []render.Outcome{o, {}}))
			require.NoError(t, render.Text(io.Discard, []render.Outcome{o}))
			require.NoError(t, render.SVG(io.Discard, []render.Outcome{o}, o.Cluster))
			require.NoError(t, render.JSON(io.Discard, []render.Outcome{o}))
		}, "%+v", o)
	}
	for _, e := range emptyExplanations() {
		for _, req := range []*gang.Request{nil, {}} {
			require.NotPanics(t, func() {
				o := render.Outcome{Request: req, Explanation: e, Together: []render.Outcome{{}}}
				require.NoError(t, render.Explanations(io.Discard, []render.Outcome{o, {}}))
				require.NoError(t, render.JSON(io.Discard, []render.Outcome{o}))
			}, "%+v", e)
		}
	}
	for _, s := range []*quota.State{nil, {}} {
		require.NoError(t, render.QuotasText(io.Discard, s))
		require.NoError(t, render.JSONWithReport(io.Discard, nil, &render.Report{Quotas: s, WithQuotas: true}))
	}
}

// emptyExplanations are explanations of every verdict, code and kind without anything else.
func emptyExplanations() []*placement.Explanation {
	out := []*placement.Explanation{{}}
	for _, v := range []placement.Verdict{placement.VerdictPlaced, placement.VerdictWaits, placement.VerdictNeedsVictims, placement.VerdictRefused, placement.VerdictInvalid, "else"} {
		out = append(out, &placement.Explanation{Verdict: v}, &placement.Explanation{Verdict: v, Plan: &placement.Result{}})
	}
	for _, code := range append(explain.Codes(), "else") {
		out = append(out, &placement.Explanation{Verdict: placement.VerdictRefused, Facts: []explain.Fact{{Code: code}}, Fragmentation: []explain.Fragmentation{{}}})
	}
	for _, kind := range append(explain.Kinds(), "else") {
		r := explain.Relaxation{Change: explain.Change{Kind: kind}}
		both := r
		both.And = []explain.Change{{}}
		out = append(out, &placement.Explanation{Relaxations: []explain.Relaxation{r, both}, NotTried: []explain.NotTried{{Kind: kind}}})
	}
	return out
}
