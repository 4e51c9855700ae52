package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/cli"
)

// The plan command reads what is generated, and all gangs but the one that is too large find a place.
func TestGeneratedClusterIsPlanned(t *testing.T) {
	var files, out, err bytes.Buffer
	require.NoError(t, generate(&files, 1000, 60))
	require.Zero(t, cli.Run([]string{"-o", "json", "-"}, &files, &out, &err))
	require.Empty(t, err.String())
	require.Equal(t, len(jobs)-1, bytes.Count(out.Bytes(), []byte(`"status":"placed"`)))
	require.Contains(t, out.String(), `{"gang":"default/huge","status":"unschedulable"`)
}

// A dump is read without an error, however often what controllers leave stands in it, and nearly all that it says is known.
func TestDumpIsPlanned(t *testing.T) {
	var files, out, err bytes.Buffer
	require.NoError(t, dump(&files, "../../placement/manifest/testdata/controllers", 96))
	require.Zero(t, cli.Run([]string{"-o", "json", "-"}, &files, &out, &err), err.String())
	require.NotContains(t, err.String(), "not known here")
	require.NotContains(t, err.String(), "not in the input")
	require.Empty(t, bytes.Count(out.Bytes(), []byte(`"status":"invalid"`)))
	for _, space := range []string{"grove", "intree", "job", "jobset", "kai", "koord", "kueue", "lws", "mpi", "pytorch", "ray", "tfjob", "trainer", "volcano"} {
		for _, space := range []string{space, space + "-1"} {
			require.Regexp(t, `\{"gang":"`+space+`/[^"]*","status":"placed"`, out.String())
		}
	}
	require.ErrorContains(t, dump(&files, "nowhere", 40), "nowhere: no files *.yaml")
}
