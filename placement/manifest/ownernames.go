package manifest

import (
	"maps"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/lists"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/seats"
)

// ownerNames are those of Input.Owners. O(pods).
func (r *reader) ownerNames() (of map[string][]string) {
	found := map[*draft]map[string]bool{}
	for title, d := range r.gangs.covered {
		if _, name, _ := strings.Cut(title, "/"); d != nil && found[d] == nil {
			found[d] = map[string]bool{name: true}
		} else if d != nil {
			found[d][name] = true
		}
	}
	var labels []string
	for _, by := range seats.Labels {
		labels = append(labels, by.Owner)
	}
	for _, d := range r.gangs.drafts {
		names := map[string]bool{}
		maps.Copy(names, found[d])
		r.objects.Above(d.everything(), labels, names)
		if delete(names, d.name); len(names) > 0 {
			lists.Enter(&of, d.name, object.SortedKeys(names))
		}
	}
	return of
}
