package apart

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// What a webhook adds is known by every word of it: with one that differs a term is the pod's own.
func TestTermsOfWebhooks(t *testing.T) {
	const (
		groupNotes = `annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack, leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology: node}`
		lws        = groupNotes + `, labels: {leaderworkerset.sigs.k8s.io/group-key: a1, leaderworkerset.sigs.k8s.io/subgroup-key: b2}`
		jobset     = `annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}, labels: {jobset.sigs.k8s.io/job-key: c3, jobset.sigs.k8s.io/priority: "0"}`
		away       = `{topologyKey: rack, labelSelector: {matchExpressions: [{key: leaderworkerset.sigs.k8s.io/group-key, operator: Exists}, {key: leaderworkerset.sigs.k8s.io/group-key, operator: NotIn, values: [a1]}]}}`
		sub        = `{topologyKey: node, labelSelector: {matchExpressions: [{key: leaderworkerset.sigs.k8s.io/subgroup-key, operator: NotIn, values: [b2]}, {key: leaderworkerset.sigs.k8s.io/subgroup-key, operator: Exists}]}}`
		near       = `{topologyKey: rack, labelSelector: {matchExpressions: [{key: leaderworkerset.sigs.k8s.io/group-key, operator: In, values: [a1]}]}}`
		old        = `{topologyKey: rack, namespaceSelector: {}, labelSelector: {matchExpressions: [{key: jobset.sigs.k8s.io/job-key, operator: Exists}, {key: jobset.sigs.k8s.io/job-key, operator: NotIn, values: [c3]}]}}`
		priority   = `, {key: jobset.sigs.k8s.io/priority, operator: In, values: ["0"]}]`
		child      = `{topologyKey: rack, namespaceSelector: {}, labelSelector: {matchExpressions: [{key: jobset.sigs.k8s.io/job-key, operator: In, values: [c3]}]}}`
	)
	new := strings.Replace(old, "]}]", "]}"+priority, 1)
	for _, c := range []struct {
		name, meta, away, near string
		own                    int  // terms that are the pod's own
		drawn                  bool // by an affinity of its own
		added                  string
	}{
		{"a replica", lws, away, near, 0, false, "leaderworkerset.sigs.k8s.io/exclusive-topology rack draws 1"},
		{"its subgroup, in another order", lws, sub, "", 0, false, "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology node 1"},
		{"a child job", jobset, new, child, 0, false, "alpha.jobset.sigs.k8s.io/exclusive-topology rack draws 1"},
		{"a child job of an older release", jobset, old, "", 0, false, "alpha.jobset.sigs.k8s.io/exclusive-topology rack 1"},
		{"one of its own beside them", lws, away + ", {topologyKey: rack, labelSelector: {matchLabels: {a: b}}}", near, 1, false, "leaderworkerset.sigs.k8s.io/exclusive-topology rack draws 1"},
		{"no annotation", strings.Replace(lws, "/exclusive-topology", "/other", 1), away, near, 1, true, ""},
		{"another key", lws, strings.Replace(away, "rack", "block", 1), strings.Replace(near, "rack", "block", 1), 1, true, ""},
		{"another group", lws, strings.Replace(away, "a1", "a2", 1), strings.Replace(near, "a1", "a2", 1), 1, true, ""},
		{"two groups", lws, strings.Replace(away, "[a1]", "[a1, a2]", 1), strings.Replace(near, "[a1]", "[a1, a2]", 1), 1, true, ""},
		{"the label of another annotation", lws, strings.ReplaceAll(away, "/group-key", "/subgroup-key"), "", 1, false, ""},
		{"all namespaces", lws, strings.Replace(away, "{", "{namespaceSelector: {}, ", 1), "", 1, false, ""},
		{"one namespace", jobset, strings.Replace(old, "namespaceSelector: {}, ", "", 1), strings.Replace(child, "namespaceSelector: {}, ", "", 1), 1, true, ""},
		{"some namespaces", jobset, strings.Replace(old, "namespaceSelector: {}", "namespaceSelector: {matchLabels: {a: b}}", 1), "", 1, false, ""},
		{"labels too", lws, strings.Replace(away, "{matchExpressions", "{matchLabels: {a: b}, matchExpressions", 1), "", 1, false, ""},
		{"half of it", lws, strings.Replace(away, "{key: leaderworkerset.sigs.k8s.io/group-key, operator: Exists}, ", "", 1), "", 1, false, ""},
		{"one that cannot be read", lws, strings.Replace(away, "]}]", "]}, {key: x, operator: Gt, values: ['1']}]", 1), "", 1, false, ""},
		{"another priority", jobset, strings.Replace(new, `"0"`, `"1"`, 1), "", 1, false, ""},
	} {
		text := "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + c.away + "]}"
		if c.near != "" {
			text += ", podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + c.near + "]}"
		}
		parse := func(text string) object.Field {
			docs := document.Parse("x", []byte(text), &document.Budget{})
			require.Nil(t, docs[0].Err, text)
			return object.Field{Value: docs[0].Root, Of: &object.Object{Kind: "Pod"}}
		}
		own, drawn, added := Required(parse(text+"}"), parse("{"+c.meta+"}"))
		require.Len(t, own, c.own, c.name)
		require.Equal(t, c.drawn, drawn, c.name)
		require.Equal(t, c.added, told(added), c.name)
	}
}

func told(added []Added) (out string) {
	for _, a := range added {
		out += a.Note + " " + a.Key
		if a.Draws {
			out += " draws"
		}
		out += " " + string(rune('0'+len(a.Terms)))
	}
	return out
}
