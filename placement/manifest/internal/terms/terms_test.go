package terms_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/terms"
)

func podGroup(t *testing.T, spec, annotations string) *object.Object {
	t.Helper()
	text := "{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {" + annotations + "}}, spec: {" + spec + "}}"
	docs := document.Parse("in.yaml", []byte(text), &document.Budget{})
	require.Len(t, docs, 1)
	var notices object.Notices
	all := object.NewSet(func(string, string) bool { return true }, &notices)
	all.Add(docs[0].Root)
	return all.List[0]
}

func TestTerms(t *testing.T) {
	const k = "gang.scheduling.koordinator.sh/"
	for _, c := range []struct {
		spec, annotations string
		waits             int64
		mode              gang.Mode
		match             gang.MatchPolicy
		defect            string
	}{
		{"", "", 0, "", "", ""},
		{"scheduleTimeoutSeconds: 7", k + "waiting-time: 90s", 7, "", "", ""},
		{"", k + "waiting-time: 1500ms, " + k + "mode: NonStrict", 2, gang.NonStrict, "", ""},
		{"", k + "match-policy: only-waiting, pod-group.scheduling.sigs.k8s.io/match-policy: once-satisfied", 0, "", gang.OnlyWaiting, ""},
		{"", "pod-group.scheduling.sigs.k8s.io/match-policy: waiting-and-running", 0, "", gang.WaitingAndRunning, ""},
		{"scheduleTimeoutSeconds: -1", "", 0, "", "", "must be at least 0"},
		{"", k + "waiting-time: -1s", 0, "", "", "must be at least 0"},
		{"", k + "waiting-time: soon", 0, "", "", "must be a duration such as 90s"},
		{"", k + "mode: Lax", 0, "", "", "must be Strict or NonStrict"},
	} {
		o := podGroup(t, c.spec, c.annotations)
		waits, _ := terms.WaitTime(o)
		mode, _ := terms.Mode(o)
		match, _ := terms.Match(o)
		require.Equal(t, c.waits, waits, c)
		require.Equal(t, c.mode, mode, c)
		require.Equal(t, c.match, match, c)
		if c.defect == "" {
			require.Empty(t, o.Errors, c)
			continue
		}
		require.Len(t, o.Errors, 1, c)
		require.Equal(t, c.defect, o.Errors[0].Reason)
	}
}
