package queue_test

import (
	"testing"

	"github.com/muster-sched/muster/internal/cases"
)

func TestCases(t *testing.T) { cases.TestAlone(t, "../..", "gang.json", "cli", "lifecycle") }
