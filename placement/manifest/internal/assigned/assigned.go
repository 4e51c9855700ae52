// Package assigned answers: which nodes does the admission of a Workload of Kueue give to its podsets, and to which of their pods?
package assigned

import (
	"fmt"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// Read lists the nodes that an admission gives the members of each podset, by index, as node calls the hosts that stand there; empty where that knows
// none. O(members).
func Read(admission object.Field, node func(host string) string) map[string][]string {
	placed := map[string][]string{}
	for a := range admission.Get("podSetAssignments").All() {
		a = a.Mapping()
		t := a.Sub("topologyAssignment")
		name := a.Get("name").Text()
		add := func(f object.Field, host string, n int) {
			if len(placed[name])+n > owners.MaxMembers {
				f.Fail("at most " + fmt.Sprint(owners.MaxMembers) + " members")
				return
			}
			placed[name] = append(placed[name], slices.Repeat([]string{node(host)}, n)...)
		}
		for dom := range t.Get("domains").All() {
			dom = dom.Mapping()
			n := dom.Get("count").Size(0)
			if values := dom.Get("values").Texts(); len(values) > 0 {
				add(dom, values[len(values)-1], n)
			}
		}
		for s := range t.Get("slices").All() {
			readSlices(s.Mapping(), add)
		}
	}
	return placed
}

// readSlices reads the newer form of an assignment, where common prefixes and counts are written once.
func readSlices(s object.Field, add func(f object.Field, host string, n int)) {
	var last object.Field
	for level := range s.Get("valuesPerLevel").All() {
		last = level.Mapping()
	}
	if !last.Present() {
		return
	}
	var hosts []string
	if host := last.Get("universal").Text(); host != "" {
		hosts = []string{host}
	}
	individual := last.Sub("individual")
	for root := range individual.Get("roots").All() {
		hosts = append(hosts, individual.Get("prefix").Text()+root.Text()+individual.Get("suffix").Text())
	}
	counts := s.Sub("podCounts")
	universal := counts.Get("universal").Size(0)
	var each []int
	for c := range counts.Get("individual").All() {
		each = append(each, c.Size(0))
	}
	for i, host := range hosts {
		n := universal
		if i < len(each) {
			n = each[i]
		}
		add(s, host, n)
	}
}

// Pod is a pod of a podset: on a node, or one that takes one of the podset's while its gate of the topology stands.
type Pod struct {
	Node    string
	Index   int
	Indexed bool
	Gated   bool
}

// Give says for each pod, in rank order, the node that it takes, empty for those that take none. One with an index takes the node of that, as long as there is
// room for it beside those that are on nodes; all others the first that has room. O(pods + nodes).
func Give(nodes []string, pods []Pod) []string {
	room := map[string]int{}
	for _, node := range nodes {
		room[node]++
	}
	for _, p := range pods {
		room[p.Node]--
	}
	room[""] = 0
	given := make([]string, len(pods))
	take := func(i int, node string) bool {
		if room[node] <= 0 {
			return false
		}
		room[node]--
		given[i] = node
		return true
	}
	for i, p := range pods {
		if p.Gated && p.Indexed && p.Index >= 0 && p.Index < len(nodes) {
			take(i, nodes[p.Index])
		}
	}
	at := 0
	for i, p := range pods {
		for p.Gated && given[i] == "" && at < len(nodes) && !take(i, nodes[at]) {
			at++
		}
	}
	return given
}

// Reclaimable is how many members of each podset a Workload says are over.
func Reclaimable(o *object.Object) map[string]int {
	of := map[string]int{}
	for f := range o.Root.Sub("status").Get("reclaimablePods").All() {
		of[f.Mapping().Get("name").Text()] += f.Mapping().Get("count").Size(0)
	}
	return of
}
