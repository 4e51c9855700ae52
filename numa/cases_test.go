package numa_test

import (
	"testing"

	"github.com/muster-sched/muster/internal/cases"
)

// TestCases judges every case that one node decides; those of whole plans are judged with all other plans.
func TestCases(t *testing.T) { cases.TestAlone(t, "..", "numa.json", "plan") }
