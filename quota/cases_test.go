package quota_test

import (
	"testing"

	"github.com/muster-sched/muster/internal/cases"
)

// TestCases judges every case that needs no cluster; those of whole queues are judged with all other plans.
func TestCases(t *testing.T) { cases.TestAlone(t, "..", "quota.json", "cli") }
