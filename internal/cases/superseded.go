package cases

import "encoding/json"

// superseded has, by the name of a case, what is wanted in place of what its file says, since a later rule decides otherwise.
var superseded = map[string]string{
	// A node with a soft taint is meant for others, and left out where the strategy is possible without it: strategy.7 of docs/order.md.
	"koordinator/filters/taints shrink b0 to two slots; a soft taint excludes nobody": `[
		{"gang": "default/job", "status": "placed", "tier": 1, "domain": "b2", "victims": [],
		 "pods": {"job-0": "node-8", "job-1": "node-9", "job-2": "node-10", "job-3": "node-11"}},
		{"gang": "default/inf", "status": "placed", "tier": 1, "domain": "b2", "victims": []}]`,
	// An exclusive topology is a limit now, so nothing of it is left to be counted: docs/order/10-limits.md.
	"reading/R2/exclusive topology: each group within, alone is counted": `[{"gang": "default/ex-0", "status": "unschedulable", "ignored": {}}]`,
}

// wanted is what a case wants.
func wanted(c *Case) json.RawMessage {
	if want, is := superseded[c.Name]; is {
		return json.RawMessage(want)
	}
	return c.Want
}
