package muster_test

import (
	"testing"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/zeros"
)

// Nothing that is asked of nil and zero values does harm.
func TestZeroValuesDoNoHarm(t *testing.T) {
	zeros.Walk(t, muster.Resources(nil), muster.Resources{}, (*muster.InvalidError)(nil), &muster.InvalidError{})
	zeros.Walk(t, muster.CompareNatural, muster.ComparePaths, muster.CompareResources, muster.IsDevice)
}
