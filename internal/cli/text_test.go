package cli

import (
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestText plans the objects in testdata, each block with the cluster block before it, and prints what the command prints.
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
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
