package render_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/zeros"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

// Outcomes of which anything is missing are written without it.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Walk(t, render.Text, render.Headlines, render.Summary, render.JSON, render.JSONWithReport, render.QuotasText, render.PodName, render.SVG, render.TextInColour)
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
			require.NoError(t, render.Text(io.Discard, []render.Outcome{o}))
			require.NoError(t, render.SVG(io.Discard, []render.Outcome{o}, o.Cluster))
			require.NoError(t, render.JSON(io.Discard, []render.Outcome{o}))
		}, "%+v", o)
	}
	for _, s := range []*quota.State{nil, {}} {
		require.NoError(t, render.QuotasText(io.Discard, s))
		require.NoError(t, render.JSONWithReport(io.Discard, nil, &render.Report{Quotas: s, WithQuotas: true}))
	}
}
