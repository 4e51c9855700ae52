package reference

import (
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/draws"
)

// DrawInput draws a cluster and a gang for it.
func DrawInput(t *rapid.T, sizes draws.Sizes) Input {
	spec := draws.Cluster(t, sizes)
	in := Input{Spec: spec, Request: draws.Request(t, &spec, sizes)}
	in.Spec = spec
	return in
}
