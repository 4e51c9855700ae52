package manifest

import (
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/runs"
)

// Of the status of a pod three things are read: whether the pod is over, since when it runs, and which node is kept for it. The status changes more often than all else, so
// where the pod is not over, before and after, the gang is not read again: the row of the pod that runs has another start, and nothing else can
// have changed.

// restate takes what an item says now, if nothing but the status of a pod is another one. O(members of the gang), to compare names.
func (s *Store) restate(it *item, value *document.Value) bool {
	sec, node := it.section, it.value.Get("status").Get("nominatedNodeName")
	if !isPod(it.header) || sec == nil || !it.value.EqualBut(value, "status") || !node.Equal(value.Get("status").Get("nominatedNodeName")) {
		return false
	}
	was, sound := object.Since(it.value)
	at, ok := object.Since(value)
	if !ok || !sound {
		return false
	}
	if value.Get("spec").Get("nodeName") != nil && was != at {
		d, m := sec.found.podOf(it.header)
		if m == nil {
			return false
		}
		row := sec.found.row(cluster.MemberRef{Gang: d.name, Member: m.Name})
		if row == nil || row.Started != was {
			return false
		}
		s.told.move(sec, runs.Ref(row), row)
		row.Started, m.Started = at, at
		row.End = d.endOf(m)
	}
	it.value, it.pod = value, nil
	return true
}
