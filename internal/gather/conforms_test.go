package gather

import (
	"testing"

	"github.com/muster-sched/muster/internal/spec"
)

// engine is the package as the definition asks it.
var engine = spec.Engine{Best: Search, Least: SearchLeast, All: Answers, Possible: Possible, Fits: Fits, Allows: Allows}

// Every answer is the one that docs/order defines.
func TestConforms(t *testing.T) {
	models := 10000
	if testing.Short() {
		models = 4000
	}
	spec.Conforms(t, engine, models)
}
