package permit_test

import (
	"testing"

	"github.com/muster-sched/muster/gang/permit"
	"github.com/muster-sched/muster/internal/zeros"
)

func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(t, new(permit.Lifecycle))
}
