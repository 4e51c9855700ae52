package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// writeCauses says why so many of the nodes take no member.
func writeCauses(w io.Writer, nodes *placement.NodeCauses, what string) {
	if len(nodes.Rejected) == 0 {
		return
	}
	printed.Fprintf(w, "  of %s %s:", phrases.Count(nodes.Total, "node"), what)
	for i, c := range nodes.Rejected {
		printed.Fprintf(w, "%s %d %s", map[bool]string{true: "", false: ","}[i == 0], c.Nodes, causeWords(c.Cause, c.Nodes))
		writeKeys(w, c.Which)
	}
	fmt.Fprintln(w)
}

// codes are those of causes, which explanations have words for.
var codes = map[string]explain.Code{
	"cordoned": explain.CodeCordon, "not-ready": explain.CodeNotReady, "taint": explain.CodeTaint, "selector": explain.CodeSelector,
	"eligible": explain.CodeHostFilter, "closed": explain.CodeClosed, "occupied": explain.CodeOccupied, string(numa.CausePolicy): explain.CodeZonePolicy,
	string(numa.CauseExclusive): explain.CodeZoneExclusive, string(numa.CauseCapacity): explain.CodeZoneCapacity,
}

// causeWords reads `are cordoned`, `has too little nvidia.com/gpu`.
func causeWords(cause string, nodes int) string {
	one := map[bool]int{true: 0, false: 1}[nodes == 1]
	if resource, is := strings.CutPrefix(cause, "resource:"); is {
		return [...]string{"has", "have"}[one] + " too little " + phrases.Resource(resource)
	}
	if cause == "slots" {
		return [...]string{"takes", "take"}[one] + " none, as the host says"
	}
	if text := kept[codes[cause]][one]; text != "" {
		return strings.Replace(text, ": ", ", for ", 1)
	}
	return cause
}

// writeKeys says which taints or keys refuse, those of most nodes.
func writeKeys(w io.Writer, which []placement.KeyCount) {
	const most = 3
	for i, k := range which[:min(most, len(which))] {
		printed.Fprintf(w, "%s%s", map[bool]string{true: " (", false: ", "}[i == 0], k.Key)
		if len(which) > 1 {
			printed.Fprintf(w, " %d", k.Nodes)
		}
	}
	if len(which) > most {
		printed.Fprintf(w, ", and %d more", len(which)-most)
	}
	if len(which) > 0 {
		fmt.Fprint(w, ")")
	}
}
