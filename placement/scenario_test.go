package placement_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/muster-sched/muster/internal/scenario"
)

// TestScenarios runs the scenario files, which say by example how a plan is chosen.
func TestScenarios(t *testing.T) { datadriven.Walk(t, "testdata", scenario.Run) }
