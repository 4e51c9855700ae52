package gang_test

import (
	"testing"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/zeros"
)

func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(t, new(gang.Request), gang.Shape{}, gang.NodeTerm{}, gang.Preempt{}, gang.Costs, gang.Tolerates, gang.ToleratesAll)
}
