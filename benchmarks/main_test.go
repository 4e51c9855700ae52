package benchmarks_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/muster-sched/muster/benchmarks"
)

// TestMain runs the tests, unless the program is called to be something else: a process whose memory is measured, or
// the printer of the table.
func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(processNodes) != "":
		err = runProcess(os.Getenv(processNodes))
	case os.Getenv(processReads) != "":
		err = runReads(os.Getenv(processReads))
	case os.Getenv("MUSTER_BENCHMARKS_TABLE") != "":
		err = benchmarks.WriteTable(os.Stdout, os.Stdin)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
