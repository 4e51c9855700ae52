package quotas

import (
	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/lists"
)

// AddDemand adds what waits in some quotas; to may be nil.
func AddDemand(to, more map[string]muster.Resources) map[string]muster.Resources {
	for name, asks := range more {
		if to[name] == nil {
			lists.Enter(&to, name, muster.Resources{})
		}
		to[name].Add(asks)
	}
	return to
}
