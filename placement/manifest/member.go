package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement/manifest/internal/apart"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// member is a pod of a gang, or one that its object promises.
type member struct {
	obj     *object.Object // the pod; nil if only promised
	name    string
	index   int
	indexed bool
	spec    *podSpec
	labels  map[string]string
	role    string // podset, task or role of an owner
	child   int    // of the role, where it has children
	group   string // PodGroup of Kubernetes itself
	left    *draft // of its owner, where it is placed by itself all the same
	node    string // empty: waits for one
	zones   *numa.Placed
	leaving bool
	quota   string // empty: none

	priority    int64
	started     int64  // seconds since 1970; 0: unknown
	unevictable bool   // no victim: of a daemon or of the node itself, or its system says so
	tolerated   bool   // of a daemon or of the node itself: no company to gangs that are alone
	pinned      bool   // not preemptible: no victim, and counted against the min of its quota
	affinityKey string // Koordinator's; members of one key draw each other
}

// podSpec is what a pod or a template asks for.
type podSpec struct {
	shape                       gang.Shape
	key                         string // equal for equal shapes; made when first asked for
	node                        string
	priority                    *int64
	class                       object.Field
	ignored                     map[string]int
	apart                       []apart.Term
	quota                       object.Field   // the label that names it
	queues                      []quotas.Queue // that it names instead
	pinned                      bool           // not preemptible by Koordinator's label
	unevictable                 bool
	preemptable, preemptibility priorities.Verdict // Volcano's and KAI's
	policy                      object.Field       // of preemption
	patient                     bool               // its labels say that it preempts nobody
	labels                      object.Field
	template                    object.Field // or the pod itself
}

// shapeKey is equal for equal shapes.
func (p *podSpec) shapeKey() string {
	if p.key == "" {
		p.key = fmt.Sprintf("%#v", p.shape)
	}
	return p.key
}

// compareMembers orders members by index, those without one after the others, then by natural order of names.
func compareMembers(a, b *member) int {
	switch {
	case a.indexed && b.indexed && a.index != b.index:
		return a.index - b.index
	case a.indexed != b.indexed && a.indexed:
		return -1
	case a.indexed != b.indexed:
		return 1
	}
	return muster.CompareNatural(a.name, b.name)
}

// sortMembers puts members in rank order: by index, those without one after them in natural order of names.
func sortMembers(members []*member) {
	slices.SortFunc(members, compareMembers)
}

// said is the text of a label or annotation that is known, see [object.Object.Said]. What a controller labels stands before what is
// in the template.
func (m *member) said(key string) string {
	if m.obj != nil {
		return m.obj.Said(key)
	}
	return cmp.Or(m.labels[key], object.Said(m.spec.template.Get("metadata"), key))
}

// podsOf lists the pods of members; one that is only promised has none.
func podsOf(members []*member) []*object.Object {
	var pods []*object.Object
	for _, m := range members {
		if m.obj != nil {
			pods = append(pods, m.obj)
		}
	}
	return pods
}

func memberNames(members []*member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return names
}
