package cli

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestText plans the objects in testdata, each block with the cluster block before it, and prints what the command prints.
func TestText(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt") // and not what failures of random tests leave below it
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			cluster := ""
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "cluster" {
					cluster = d.Input
					return "ok\n"
				}
				_, stdout, stderr := command(t, cluster+"\n---\n"+d.Input, "-")
				return stdout + stderr
			})
		})
	}
}
