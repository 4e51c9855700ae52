package quotas

import "github.com/muster-sched/muster"

// AddDemand adds what waits in some quotas; to may be nil.
func AddDemand(to, more map[string]muster.Resources) map[string]muster.Resources {
	for name, asks := range more {
		if to == nil {
			to = map[string]muster.Resources{}
		}
		if to[name] == nil {
			to[name] = muster.Resources{}
		}
		to[name].Add(asks)
	}
	return to
}
