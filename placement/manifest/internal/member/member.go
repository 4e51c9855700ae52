// Package member answers: which members has a gang, and which groups do they form? A member is a pod or one that its owner promises; parts
// hold members or other parts, each with what is needed of it, and become the groups or the parts of a request.
package member

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

// Member is a pod of a gang, or one that its object promises.
type Member struct {
	Obj     *object.Object // the pod; nil if only promised
	Name    string
	Index   int
	Indexed bool
	Spec    *Spec
	Labels  map[string]string
	Role    string // podset, task or role of an owner
	Child   int    // of the role, where it has children
	Group   string // PodGroup of Kubernetes itself
	Node    string // empty: waits for one
	Zones   *numa.Placed
	Leaving bool
	Quota   string // empty: none

	Priority    int64
	Nominated   string // the node that is kept for it while it waits; empty: none
	Started     int64  // seconds since 1970; 0: unknown
	End         int64  // likewise, when it is expected to end
	Deadline    int64  // how many seconds it may run; 0: any
	Lost        int64  // seconds of work that are lost if it stops now
	Unevictable bool   // no victim: of a daemon or of the node itself, or its system says so
	Tolerated   bool   // of a daemon or of the node itself: no company to gangs that are alone
	Pinned      bool   // not preemptible: no victim, and counted against the min of its quota
	AffinityKey string // Koordinator's; members of one key draw each other
}

// Spec is what a pod or a template asks for.
type Spec struct {
	Shape                       gang.Shape
	key                         string // equal for equal shapes; made when first asked for
	Node                        string
	Priority                    *int64
	Class                       object.Field
	Ignored                     map[string]int
	Apart                       []apart.Term
	Added                       []apart.Added  // by webhooks, for limits
	Quota                       object.Field   // the label that names it
	Queues                      []quotas.Queue // that it names instead
	Pinned                      bool           // not preemptible by Koordinator's label
	Unevictable                 bool
	Preemptable, Preemptibility priorities.Verdict // Volcano's and KAI's
	Policy                      object.Field       // of preemption
	Patient                     bool               // its labels say that it preempts nobody
	Labels                      object.Field
	Template                    object.Field // or the pod itself
}

// ShapeKey is equal for equal shapes.
func (p *Spec) ShapeKey() string {
	if p.key == "" {
		p.key = fmt.Sprintf("%#v", p.Shape)
	}
	return p.key
}

// compareMembers orders members by index, those without one after the others, then by natural order of names.
func compareMembers(a, b *Member) int {
	switch {
	case a.Indexed && b.Indexed && a.Index != b.Index:
		return a.Index - b.Index
	case a.Indexed != b.Indexed && a.Indexed:
		return -1
	case a.Indexed != b.Indexed:
		return 1
	}
	return muster.CompareNatural(a.Name, b.Name)
}

// SortMembers puts members in rank order: by index, those without one after them in natural order of names.
func SortMembers(members []*Member) {
	slices.SortFunc(members, compareMembers)
}

// Said is the text of a label or annotation that is known, see [object.Object.Said]. What a controller labels stands before what is
// in the template.
func (m *Member) Said(key string) string {
	if m.Obj != nil {
		return m.Obj.Said(key)
	}
	return cmp.Or(m.Labels[key], object.Said(m.Spec.Template.Get("metadata"), key))
}

// PodsOf lists the pods of members; one that is only promised has none.
func PodsOf(members []*Member) []*object.Object {
	var pods []*object.Object
	for _, m := range members {
		if m.Obj != nil {
			pods = append(pods, m.Obj)
		}
	}
	return pods
}

func memberNames(members []*Member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return names
}
