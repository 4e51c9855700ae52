package manifest

import (
	"slices"
	"time"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/document"
)

// Of the status of a pod two things are read: whether the pod is over, and since when it runs. The status changes more often than all else, so
// where the pod is not over, before and after, the gang is not read again: the row of the pod that runs has another start, and nothing else can
// have changed.

// since is when a pod has started, in seconds since 1970, 0: unknown; not ok: it is over, or its status has a defect.
func since(pod *document.Value) (at int64, ok bool) {
	status := pod.Get("status")
	if status == nil {
		return 0, true
	}
	phase, start := status.Get("phase"), status.Get("startTime")
	if status.Kind != document.Mapping || phase != nil && (phase.Kind != document.Text || phase.Text == "Succeeded" || phase.Text == "Failed") {
		return 0, false
	}
	if start == nil || start.Kind == document.Text && start.Text == "" {
		return 0, true
	}
	if start.Kind != document.Text {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339Nano, start.Text)
	if t.IsZero() {
		return 0, err == nil
	}
	return t.Unix(), err == nil
}

// restate takes what an item says now, if nothing but the status of a pod is another one. O(members of the gang), to compare names.
func (s *Store) restate(it *item, value *document.Value) bool {
	sec := it.section
	if it.header.Group != "" || it.header.Kind != "Pod" || sec == nil || !sameBut("status", it.value, value) {
		return false
	}
	was, sound := since(it.value)
	at, ok := since(value)
	if !ok || !sound {
		return false
	}
	if node := value.Get("spec").Get("nodeName"); node != nil && was != at {
		row := -1
		for i := range sec.found.running {
			if m := &sec.found.running[i]; m.Member == it.header.Name && m.Node == node.Text && m.Started == was {
				if row >= 0 {
					return false // a pod of the same name in another namespace
				}
				row = i
			}
		}
		if row < 0 {
			return false
		}
		s.told.restart(sec, row, at)
	}
	it.value = value
	return true
}

// sameBut says whether two mappings say the same but for a key.
func sameBut(but string, a, b *document.Value) bool {
	n := 0
	for i, key := range b.Keys {
		if key == but {
			continue
		}
		at := slices.Index(a.Keys, key)
		if at < 0 || !a.Items[at].Equal(b.Items[i]) {
			return false
		}
		n++
	}
	if slices.Contains(a.Keys, but) {
		n++
	}
	return n == len(a.Keys)
}

// restarted is a row as it was told, and where it is now.
type restarted struct {
	told cluster.Running
	sec  *section
	row  int
}

// restart gives a row another start, and remembers what was told of it.
func (t *told) restart(sec *section, row int, at int64) {
	m := &sec.found.running[row]
	ref := cluster.MemberRef{Gang: m.Gang, Member: m.Member}
	if _, is := t.restarted[ref]; sec.told && !is {
		t.restarted[ref] = restarted{*m, sec, row}
	}
	m.Started = at
}
