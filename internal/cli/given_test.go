package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement/manifest"
)

// given asks for something of objects that are no files.
func given(t *testing.T, g *Given, objects string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	require.NoError(t, g.Flags().Parse(args))
	require.NoError(t, g.Check())
	var out, err bytes.Buffer
	status = g.Plan([]manifest.File{{Name: "objects", Data: []byte(objects)}}, &out, &err)
	return status, out.String(), err.String()
}

// All gangs are planned, and those printed that are asked for; the last line counts all.
func TestGiven(t *testing.T) {
	large := strings.ReplaceAll(strings.ReplaceAll(pod, `"1"`, `"100"`), "good", "large")
	objects := node + "---" + pod + "---" + large
	only := func(name string) func(string) bool { return func(gang string) bool { return gang == name } }
	const last = "2 gangs: 1 placed, 0 waiting, 1 refused, 0 invalid; 1 pod placed, 1 node\n"

	status, out, errs := given(t, &Given{}, objects)
	require.Zero(t, status, errs)
	var files bytes.Buffer
	require.Zero(t, Run([]string{"-"}, strings.NewReader(objects), &files, &bytes.Buffer{}))
	require.Equal(t, files.String(), out)

	_, out, _ = given(t, &Given{Only: only("default/large")}, objects)
	require.NotContains(t, out, "default/good")
	require.Contains(t, out, "default/large: unschedulable")
	require.True(t, strings.HasSuffix(out, last), out)
	_, out, _ = given(t, &Given{Only: only("none")}, objects)
	require.Equal(t, "none of the gangs that wait is asked for\n"+last, out)

	_, out, _ = given(t, &Given{Explain: []string{"default/large"}, Asked: "why", Only: only("none")}, objects)
	require.NotContains(t, out, "default/good")
	require.Contains(t, out, "default/large cannot start")
	status, out, errs = given(t, &Given{Explain: []string{"default/larg"}, Asked: "why"}, objects)
	require.Equal(t, failed, status)
	require.Empty(t, out)
	require.Contains(t, errs, `why "default/larg": no such gang`)

	_, out, _ = given(t, &Given{MaxFit: true, Only: only("default/good")}, objects)
	require.Contains(t, out, "default/good")
	require.NotContains(t, out, "default/large")
	require.NotContains(t, out, "placed,\n")
	running := strings.ReplaceAll(strings.ReplaceAll(pod, "good", "there"), "spec: {", "spec: {nodeName: n1, ")
	_, out, _ = given(t, &Given{Running: true}, objects+"---"+running)
	require.NotContains(t, out, "default/large")
	require.Contains(t, out, "no gang runs before the plans, only 1 pod in none\n")
	_, out, _ = given(t, &Given{Running: true, Only: only("none")}, objects+"---"+running)
	require.NotContains(t, out, "1 pod in none")
}

// What is wrong stops nothing else, and is told by the object: nobody has seen a file.
func TestGivenDefects(t *testing.T) {
	broken := "---\n{apiVersion: v1, kind: Node, metadata: {name: bad}, status: {allocatable: {cpu: x}}}\n"
	status, out, errs := given(t, &Given{}, node+"---"+pod+broken)
	require.Zero(t, status)
	require.Contains(t, out, "default/good: placed")
	require.Equal(t, "Node/bad: status.allocatable.cpu \"x\": not a quantity\n", errs)
	_, out, _ = given(t, &Given{}, node+"---"+pod+broken, "-o", "json")
	require.Contains(t, out, `"defects":["Node/bad: `)

	g := &Given{Running: true}
	require.NoError(t, g.Flags().Parse([]string{"-o", "svg"}))
	require.ErrorContains(t, g.Check(), "-o svg draws plans")
}
