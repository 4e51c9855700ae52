package manifest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// A pod ends as its annotation says, else as that of what makes it; else once its own deadline, or that of its Job, is over.
func TestExpectedEnds(t *testing.T) {
	const gangs = oneNode + `---
{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {JOB}}, spec: {completions: 1, JOBSPEC template: {spec: {containers: [{name: c}]}}}, status: {JOBSTATUS}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {POD}, ownerReferences: [{kind: Job, name: j, controller: true}]}, spec: {nodeName: n1, PODSPEC containers: [{name: c}]}, status: {phase: Running, PODSTATUS}}
`
	at := func(clock string) int64 {
		when, err := time.Parse(time.RFC3339, "2026-03-02T"+clock+":00Z")
		require.NoError(t, err)
		return when.Unix()
	}
	for _, c := range []struct {
		what string
		with map[string]string
		end  int64
	}{
		{"nothing is known", nil, 0},
		{"its annotation", map[string]string{"POD": `muster.dev/expected-end: "2026-03-02T10:00:00Z"`}, at("10:00")},
		{"that of the job", map[string]string{"JOB": `muster.dev/expected-end: "2026-03-02T11:00:00+01:00"`}, at("10:00")},
		{"its own counts first", map[string]string{
			"POD": `muster.dev/expected-end: "2026-03-02T10:00:00Z"`, "JOB": `muster.dev/expected-end: "2026-03-02T11:00:00Z"`,
		}, at("10:00")},
		{"its deadline", map[string]string{"PODSPEC": "activeDeadlineSeconds: 3600,", "PODSTATUS": `startTime: "2026-03-02T08:00:00Z"`}, at("09:00")},
		{"a deadline without a start", map[string]string{"PODSPEC": "activeDeadlineSeconds: 3600,"}, 0},
		{"the deadline of the job", map[string]string{"JOBSPEC": "activeDeadlineSeconds: 7200,", "JOBSTATUS": `startTime: "2026-03-02T08:00:00Z"`}, at("10:00")},
		{"the sooner deadline", map[string]string{
			"JOBSPEC": "activeDeadlineSeconds: 7200,", "JOBSTATUS": `startTime: "2026-03-02T08:00:00Z"`,
			"PODSPEC": "activeDeadlineSeconds: 3600,", "PODSTATUS": `startTime: "2026-03-02T08:10:00Z"`,
		}, at("09:10")},
		{"what is expected counts before deadlines", map[string]string{
			"JOB": `muster.dev/expected-end: "2026-03-02T08:30:00Z"`, "PODSPEC": "activeDeadlineSeconds: 60,", "PODSTATUS": `startTime: "2026-03-02T08:00:00Z"`,
		}, at("08:30")},
	} {
		text := gangs
		for _, place := range []string{"JOBSPEC", "JOBSTATUS", "PODSPEC", "PODSTATUS", "JOB", "POD"} {
			text = strings.ReplaceAll(text, "{"+place+"}", "{"+c.with[place]+"}")
			text = strings.ReplaceAll(text, " "+place, " "+c.with[place])
		}
		in := read(t, text)
		require.Len(t, in.Spec.Running, 1, c.what)
		require.Equal(t, c.end, in.Spec.Running[0].End, c.what)
	}
}

// The end of a gang that waits is told if all its members say it.
func TestEndsOfWaitingGangs(t *testing.T) {
	const gang = oneNode + `---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g}, spec: {minMember: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {muster.dev/expected-end: "2026-03-02T10:00:00Z"}}, spec: {containers: [{name: c}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {OTHER}}, spec: {containers: [{name: c}]}}
`
	in := read(t, strings.ReplaceAll(gang, "OTHER", ""))
	require.Zero(t, in.Gangs[0].Request.End)
	in = read(t, strings.ReplaceAll(gang, "OTHER", `muster.dev/expected-end: "2026-03-02T11:00:00Z"`))
	require.Equal(t, time.Date(2026, 3, 2, 11, 0, 0, 0, time.UTC).Unix(), in.Gangs[0].Request.End)
}

// What is no instant, or no deadline, is an error that names its place.
func TestWrongEnds(t *testing.T) {
	for text, want := range map[string]string{
		`{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {muster.dev/expected-end: soon}}, spec: {nodeName: n1}, status: {phase: Running}}`:                            `Pod/p: metadata.annotations[muster.dev/expected-end] "soon": not a timestamp`,
		`{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n1, activeDeadlineSeconds: 0}, status: {phase: Running}}`:                                                `Pod/p: spec.activeDeadlineSeconds "0": must be at least 1`,
		`{apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {muster.dev/lost-work: 1h}}, spec: {nodeName: n1}, status: {phase: Running}}`:                                 `Pod/p: metadata.annotations[muster.dev/lost-work] "1h": not a whole number`,
		`{apiVersion: batch/v1, kind: Job, metadata: {name: j, annotations: {muster.dev/expected-end: soon}}, spec: {completions: 1, template: {spec: {containers: [{name: c}]}}}}`: `Job/j: metadata.annotations[muster.dev/expected-end] "soon": not a timestamp`,
		`{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {muster.dev/expectedend: "2026-03-02T10:00:00Z"}}, spec: {minMember: 1}}`:      `muster.dev/expected-end`,
	} {
		_, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(oneNode + "---\n" + text)}}, manifest.Options{})
		require.ErrorContains(t, err, want)
	}
}

// Who may move is told with the rules of the gang and the most that one of its objects or pods says is lost, pods in no gang with their own.
func TestMovers(t *testing.T) {
	const text = oneNode + `---
{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, metadata: {name: g, annotations: {muster.dev/lost-work: "60"}}, spec: {minMember: 2}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {scheduling.x-k8s.io/pod-group: g}, annotations: {muster.dev/lost-work: "600"}}, spec: {nodeName: n1, nodeSelector: {zone: z}, containers: [{name: c}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, labels: {scheduling.x-k8s.io/pod-group: g}}, spec: {nodeName: n1, containers: [{name: c}]}, status: {phase: Running}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: n1, nodeSelector: {zone: z}, containers: [{name: c}]}, status: {phase: Running}}
`
	require.Empty(t, read(t, text).Movers, "nobody asked")
	in, err := manifest.Read([]manifest.File{{Name: "in.yaml", Data: []byte(text)}}, manifest.Options{Movers: true})
	require.NoError(t, err)
	require.Empty(t, in.Standing)
	require.Len(t, in.Movers, 2)
	g, p := in.Movers[0], in.Movers[1]
	require.Equal(t, "default/g", g.Gang)
	require.Equal(t, int64(600), g.Lost)
	require.Len(t, g.Request.Members, 2)
	require.Equal(t, map[string]string{"zone": "z"}, g.Request.Members[0].Shape.Selector)
	require.Equal(t, "default/p", p.Gang)
	require.Zero(t, p.Lost)
	require.Equal(t, map[string]string{"zone": "z"}, p.Request.Members[0].Shape.Selector)
}
