// Which kinds of nodes are there, as far as some members are meant for them and others are not?

package snapshot

import (
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Kind is what members are measured by that a node may not be meant for. It never changes.
type Kind struct {
	Devices []string     // of which the node has any, in natural order
	Soft    []gang.Taint // the taints that keep nobody away: PreferNoSchedule
}

// mostKinds is how many kinds a snapshot counts. Clusters have a few; where each node has a taint of its own, plans do without
// the count.
const mostKinds = 64

// kinds counts the nodes of each kind.
type kinds struct {
	list []countedKind
	more bool // there were more than are counted
	own  bool // the list is not shared with the snapshot before
}

type countedKind struct {
	kind  *Kind
	nodes int
}

// of is the kind of a class of nodes: one that is counted already, where it is equal.
func (s *kinds) of(l *Lineage, class *nodeClass) *Kind {
	k := &Kind{}
	for r, amount := range class.allocatable {
		if amount > 0 && muster.IsDevice(l.Resources[r]) {
			k.Devices = append(k.Devices, l.Resources[r])
		}
	}
	for _, t := range class.Taints {
		if t.Effect == gang.PreferNoSchedule {
			k.Soft = append(k.Soft, t)
		}
	}
	for _, known := range s.list {
		if slices.Equal(known.kind.Devices, k.Devices) && slices.Equal(known.kind.Soft, k.Soft) {
			return known.kind
		}
	}
	return k
}

// count notes that a fork has more nodes of a kind, or fewer; nil is that of absent nodes, which are not counted.
func (s *kinds) count(k *Kind, more int) {
	if k == nil {
		return
	}
	if !s.own {
		s.list, s.own = slices.Clone(s.list), true
	}
	i := slices.IndexFunc(s.list, func(known countedKind) bool { return known.kind == k })
	switch {
	case i >= 0:
		if s.list[i].nodes += more; s.list[i].nodes == 0 {
			s.list = slices.Delete(s.list, i, i+1)
		}
	case len(s.list) < mostKinds && more > 0:
		s.list = append(s.list, countedKind{k, more})
	case more > 0:
		s.more = true
	}
}

// Len is the number of kinds of which there is a node, as far as they are counted.
func (s *kinds) Len() int { return len(s.list) }

// At is one of them, in no order that means anything.
func (s *kinds) At(i int) *Kind { return s.list[i].kind }

// Whole says that there are no others.
func (s *kinds) Whole() bool { return !s.more }
