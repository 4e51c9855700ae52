package explain_test

import (
	"testing"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/zeros"
)

func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(t, explain.Codes, explain.Kinds)
}
