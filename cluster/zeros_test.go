package cluster_test

import (
	"testing"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/zeros"
)

func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Package(t, cluster.ConflictError{}, cluster.InService, cluster.EndsWithOutage)
}
