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
