package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// durationsOf reads a gang of two pods, the objects and pods of which have these annotations.
const durationsOf = oneNode + `---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {JOB}}, spec: {completions: 2, parallelism: 2, template: {metadata: {annotations: {TEMPLATE}}, spec: {containers: [{name: c}]}}}}
---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {GROUP}}, spec: {minMember: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {A}, ownerReferences: [{kind: Job, name: o, controller: true}]}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {B}}, spec: {containers: [{name: c}]}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: o, annotations: {OWNER}}, spec: {completions: 1, template: {spec: {containers: [{name: c}]}}}}
`

func durations(t *testing.T, text string, with ...string) (byGroup, byJob manifest.Gang, err error) {
	t.Helper()
	places := []string{"JOB", "TEMPLATE", "GROUP", "A", "B", "OWNER"}
	for i := 0; i < len(with); i += 2 {
		text = strings.ReplaceAll(text, "{"+with[i]+"}", "{"+with[i+1]+"}")
	}
	for _, place := range places {
		text = strings.ReplaceAll(text, "{"+place+"}", "{}")
	}
	in, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(text)}}, manifest.Options{})
	if err != nil {
		return byGroup, byJob, err
	}
	for _, g := range in.Gangs {
		switch g.Request.Name {
		case "default/g":
			byGroup = g
		case "default/j":
			byJob = g
		}
	}
	return byGroup, byJob, nil
}

// A gang runs as long as its object says, else what is above that, else the longest of its pods, or the template of those that it promises.
func TestDurations(t *testing.T) {
	for _, c := range []struct {
		what        string
		with        []string
		group, job  int64 // seconds
		expected    int64 // of the group
		checkpoint  int64
		checkpoints bool
	}{
		{what: "nothing is said"},
		{what: "the objects", with: []string{"GROUP", "muster.dev/duration: 90m", "JOB", "muster.dev/duration: 60"}, group: 5400, job: 60},
		{what: "the object counts before its pods", with: []string{"GROUP", "muster.dev/duration: 1h30m", "A", "muster.dev/duration: 9h"}, group: 5400},
		{what: "the longest pod", with: []string{"A", "muster.dev/duration: 1m", "B", "muster.dev/duration: 2m"}, group: 120},
		{what: "one pod", with: []string{"B", "muster.dev/duration: 2m"}, group: 120},
		{what: "the owner of pods", with: []string{"OWNER", "muster.dev/duration: 3m", "A", "muster.dev/duration: 9m"}, group: 180},
		{what: "a template", with: []string{"TEMPLATE", "muster.dev/duration: 8760h"}, job: 31536000},
		{
			what: "what it says, and what is safe", with: []string{"GROUP", "muster.dev/duration: 1h, muster.dev/expected-duration: 2h", "A", "muster.dev/checkpoint: 10m"},
			group: 3600, expected: 7200, checkpoint: 600, checkpoints: true,
		},
		{what: "nothing is ever safe", with: []string{"GROUP", `muster.dev/checkpoint: "0"`}, checkpoints: true},
	} {
		group, job, err := durations(t, durationsOf, c.with...)
		require.NoError(t, err, c.what)
		require.Equal(t, []int64{c.group, c.job, c.expected, c.checkpoint}, []int64{group.Runs, job.Runs, group.Expected, group.Checkpoint}, c.what)
		require.Equal(t, c.checkpoints, group.Checkpoints, c.what)
	}
}

// What is no duration is an error that names its object and its line.
func TestWrongDurations(t *testing.T) {
	const neither = "neither a duration of whole seconds such as 90m nor a number of seconds"
	for value, reason := range map[string]string{
		"soon": neither, "1.5s": neither, `"1e3"`: neither, "-1m": "not from 1 to 31536000 seconds", `"0"`: "not from 1 to 31536000 seconds",
		`"31536001"`: "not from 1 to 31536000 seconds", "8760h1s": "not from 1 to 31536000 seconds", `"99999999999999999999"`: neither,
	} {
		_, _, err := durations(t, durationsOf, "GROUP", "muster.dev/duration: "+value)
		require.EqualError(t, err, `in.yaml: document 3, line 6: PodGroup/g: metadata.annotations[muster.dev/duration] "`+strings.Trim(value, `"`)+`": `+reason, value)
	}
	_, _, err := durations(t, durationsOf, "B", "muster.dev/expected-duration: -1h")
	require.EqualError(t, err, `in.yaml: document 5, line 10: Pod/b: metadata.annotations[muster.dev/expected-duration] "-1h": not from 1 to 31536000 seconds`)
	_, _, err = durations(t, durationsOf, "TEMPLATE", "muster.dev/checkpoint: -1s")
	require.EqualError(t, err, `in.yaml: document 2, line 4: Job/j: spec.template.metadata.annotations[muster.dev/checkpoint] "-1s": not from 0 to 31536000 seconds`)
	_, _, err = durations(t, durationsOf, "GROUP", "muster.dev/durations: 1h")
	require.ErrorContains(t, err, "muster.dev/duration")
}

// Where durations are asked for a gang without one is an error that names its object, its line and the annotation; one of which members run needs none.
func TestMissingDurations(t *testing.T) {
	text := durationsOf + `---
{apiVersion: v1, kind: Pod, metadata: {name: runs, labels: {scheduling.x-k8s.io/pod-group: h}}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: waits, labels: {scheduling.x-k8s.io/pod-group: h}}, spec: {containers: [{name: c}]}}
`
	for old, added := range map[string]string{"{JOB}": "{muster.dev/duration: 1h}", "{TEMPLATE}": "{}", "{GROUP}": "{}", "{A}": "{}", "{B}": "{}", "{OWNER}": "{muster.dev/expected-duration: 1h}"} {
		text = strings.ReplaceAll(text, old, added)
	}
	files := []manifest.File{{Name: "in.yaml", Data: []byte(text)}}
	const missing = "in.yaml: document 3, line 6: PodGroup/g: metadata.annotations[muster.dev/duration]: missing: neither the object nor a pod says how long the gang runs"
	_, err := manifest.Read(files, manifest.Options{Durations: true})
	require.ErrorContains(t, err, missing)
	in, err := manifest.Read(files, manifest.Options{Durations: true, KeepGoing: true})
	require.NoError(t, err)
	errs := map[string]string{}
	for i := range in.Gangs {
		if g := &in.Gangs[i]; g.Err != nil {
			errs[g.Request.Name] = g.Err.Error()
		}
	}
	require.Equal(t, missing, errs["default/g"])
	require.NotContains(t, errs, "default/j")
	require.NotContains(t, errs, "default/h")
}
