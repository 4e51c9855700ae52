package fronts_test

import (
	"testing"

	"github.com/muster-sched/muster/internal/agreed"
)

// Plans of gangs in parts place the best selection under the best strategy, and what they refuse does not fit.
func TestPartsAsByDefinition(t *testing.T) { agreed.Parts(t) }

// Large gangs of many shapes are packed: a plan is valid, and what was put in place before is not refused.
func TestManyShapesArePacked(t *testing.T) { agreed.ManyShapes(t) }
