package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/seats"
)

// Which pod belongs to which owner: by the labels that controllers write, else by following ownerReferences.

// absentOwner is counted where the owner of pods is not in the input, so that its rules are unknown.
const absentOwner = "absentOwner"

// absentGroup is counted where the PodGroup that pods name is not in the input.
const absentGroup = "absentGroup"

// ownerTopology is counted where pods are placed one by one though their owner has a rule for all of them.
const ownerTopology = "ownerTopology"

// rayJob is the kind whose controller makes a RayCluster, and beside it a Job that submits the work.
const rayJob = "RayJob"

// kueueGroup is the label of pods that are one gang of Kueue without an object.
const kueueGroup = "kueue.x-k8s.io/pod-group-name"

// standFor makes the gang stand for that of an owner. The promised members of several are one after the other; rules are those of the first.
func (d *draft) standFor(owner *draft) {
	switch {
	case d.job == nil && d != owner:
		d.job = owner
	case d.job != nil && d.job != owner && d != owner && !owner.behind:
		owner.behind = true
		for _, m := range owner.promised {
			m.Index += len(d.job.promised)
		}
		d.job.promised = append(d.job.promised, owner.promised...)
		if owner.hasRules() || len(owner.limits) > 0 {
			d.job.lost = append(d.job.lost, ownerTopology)
		}
	}
}

// follow gives members whose template names a PodGroup to that one.
func (g *gangs) follow() {
	drafts := slices.Clone(g.drafts)
	slices.SortStableFunc(drafts, func(a, b *draft) int { return muster.CompareNatural(a.name, b.name) })
	for _, d := range drafts {
		to, members := g.templates(d)
		// of some members so many are needed even if all others are there
		least := func(of []*member.Member) int { return max(1, cmp.Or(d.min, len(d.promised))-len(d.promised)+len(of)) }
		for i, by := range to {
			if by == d {
				continue
			}
			if len(to) == 1 {
				g.cover(d.obj.Kind+"/"+d.name, by)
				by.standFor(d)
				break
			}
			of := *d
			of.promised, of.min = members[i], least(members[i])
			by.standFor(&of)
		}
		if at := slices.Index(to, d); at >= 0 && len(to) > 1 {
			d.min, d.promised = least(members[at]), members[at]
		}
	}
}

// templates lists the gangs that the templates of promised members name, with their members: the gang itself for those that name
// none.
func (g *gangs) templates(d *draft) (to []*draft, members [][]*member.Member) {
	named := map[*member.Spec]groupRef{}
	for _, m := range d.promised {
		ref, seen := named[m.Spec]
		if !seen {
			if ref = g.groupOf(d.obj, m.Spec.Template); ref.gang == nil && ref.name != "" {
				ref.gang = g.named(d.obj, ref.name)
				if ref.gang.obj == nil { // the gang goes by the name of its group
					ref.gang.obj, ref.gang.lost = d.obj, []string{absentGroup}
				}
			}
			named[m.Spec] = ref
		}
		m.Group = ref.group
		by := cmp.Or(ref.gang, d)
		at := slices.Index(to, by)
		if at < 0 {
			at, to, members = len(to), append(to, by), append(members, nil)
		}
		members[at] = append(members[at], m)
		if ref.alone { // by itself: nobody needs it
			d.min = max(1, cmp.Or(d.min, len(d.promised))-1)
		}
	}
	return to, members
}

// groupRef is the PodGroup that a pod or template names.
type groupRef struct {
	gang  *draft // nil if it is not in the input
	name  string // of the gang, without namespace; empty: it names none
	group string // of Kubernetes itself
	alone bool   // the group leaves its pods to themselves
}

// groupOf is the PodGroup that a pod or template of an object names: one of Kubernetes itself, else by its annotations and labels.
func (g *gangs) groupOf(o *object.Object, pod object.Field) (ref groupRef) {
	if ref, names := g.inTree.groupOf(o, pod); names {
		return ref
	}
	meta := pod.Get("metadata")
	for _, key := range gangKeys {
		switch name := object.Said(meta, key); {
		case name == "":
		case ref.name == "":
			ref.name = name
		case ref.name != name:
			object.Stated(meta, key).Fail("the pod names another gang too: " + ref.name)
		}
	}
	if ref.name != "" {
		ref.gang = g.find(o.Namespace + "/" + ref.name)
	}
	return ref
}

// ownerGang is the gang of a pod's owner. If the owner is not in the input its labels declare one, unless the pod names a
// gang anyway. Nil: it has none.
func (g *gangs) ownerGang(m *member.Member, named bool) *draft {
	o := m.Obj
	for _, by := range seats.Labels {
		name := o.Said(by.Owner)
		if name == "" {
			continue
		}
		for kind := range strings.FieldsSeq(by.Kinds) {
			if d, is := g.standIn(kind + "/" + o.Namespace + "/" + name); is && d != nil {
				return d
			}
		}
		if i := o.Said(seats.GroupIndex); i != "" && by.Kinds == "LeaderWorkerSet" {
			name += "-" + i
		}
		if named {
			return g.find(o.Namespace + "/" + name)
		}
		d := g.named(o, name)
		if d.obj == nil && !slices.Contains(d.lost, absentOwner) {
			d.lost = append(d.lost, absentOwner)
		}
		return d
	}
	if d := g.listing(o); d != nil {
		return d
	}
	if name := o.Said(kueueGroup); name != "" && !named {
		return g.named(o, name)
	}
	var found *draft
	for up := range g.objects.Controllers(o) {
		d := g.declared(up.Kind, up.FullName())
		if d == nil || found != nil && found.submits && d.obj != nil && d.obj.Kind == "RayCluster" {
			continue
		}
		found = d
	}
	return found
}

// list notes the pods that a PodGang lists by name. One that another lists too is in the first.
func (g *gangs) list(d *draft) {
	for at, name := range d.obj.PodReferences() {
		if g.listed == nil {
			g.listed = map[string]*draft{}
		}
		g.objects.Names.Have(podReference + name)
		if other := g.listed[name]; other != nil && other != d {
			at.Fail("the pod is in " + other.obj.Title() + " too")
			continue
		}
		g.listed[name] = d
	}
}

// podReference begins the names by which pods ask for the gang that lists them.
const podReference = "Reference/"

// listing is the PodGang that lists a pod, nil if none does.
func (g *gangs) listing(o *object.Object) *draft {
	g.objects.Names.Ask(podReference + o.FullName())
	return g.listed[o.FullName()]
}

// named is the gang of a name, declared by the pod if there is none.
func (g *gangs) named(pod *object.Object, name string) *draft {
	full := pod.Namespace + "/" + name
	d := g.find(full)
	if d == nil {
		d = &draft{name: full, created: pod.Created, uid: pod.UID}
		g.enter(full, d)
	}
	return d
}

// seat finds a pod's place among the members that its owner promises: by its labels, else by its name, which may have a
// random end. The names that a PodGang lists stand before labels.
func (d *draft) seat(m *member.Member) {
	by := d
	if d.owned == nil && d.job != nil {
		by = d.job
	}
	if by.owned == nil || m.Obj == nil {
		return
	}
	role, child, index := seats.Of(m)
	if role == "" || by.obj.Kind == "PodGang" { // which lists pods, once they are there, and has a label of them before
		if by.seatByName(m); role == "" || m.Role != "" {
			return
		}
	}
	base := 0
	for i := range by.owned.Roles {
		at := &by.owned.Roles[i]
		if role == at.Name {
			m.Role, m.Child = role, max(0, child)
			n := index
			switch { // the members of a child are one after the other
			case at.Child == 0 || index < 0:
			case child < 0 || index >= at.Child:
				n = -1
			default:
				n = child*at.Child + index
			}
			if n >= 0 && n < len(at.Members) {
				m.Child, m.Index, m.Indexed = at.Members[n].Child, base+n, true
				return
			}
		}
		base += len(at.Members)
	}
}

// seat is a place among the members that an owner promises.
type seat struct {
	role         string
	child, index int
}

// seatByName gives a pod the place of the member that is called like it, or like it without its end; of two the first.
func (d *draft) seatByName(m *member.Member) {
	if d.seats == nil {
		d.seats = map[string]seat{}
		n := 0
		for i := range d.owned.Roles {
			role := &d.owned.Roles[i]
			for _, promised := range role.Members {
				if _, ok := d.seats[promised.Name]; !ok {
					d.seats[promised.Name] = seat{role.Name, promised.Child, n}
				}
				n++
			}
		}
	}
	at, ok := d.seats[m.Name]
	if end := strings.LastIndex(m.Name, "-"); end >= 0 {
		if other, is := d.seats[m.Name[:end]]; is && (!ok || other.index < at.index) {
			at, ok = other, true
		}
	}
	if ok {
		m.Role, m.Child, m.Index, m.Indexed = at.role, at.child, at.index, true
	}
}

// expect adds the members of an owner that come when the others run to those that have pods.
func (d *draft) expect(members []*member.Member) []*member.Member {
	if d.owned == nil {
		return members
	}
	there := map[int]bool{}
	for _, m := range members {
		there[m.Index] = m.Indexed
	}
	seats := map[int]bool{} // of those that come later
	for i, seat := 0, 0; i < len(d.owned.Roles); i++ {
		role := &d.owned.Roles[i]
		for _, m := range role.Members {
			seats[seat] = role.Later || m.Later
			d.later = d.later || seats[seat]
			seat++
		}
	}
	for _, m := range d.promised {
		if seats[m.Index] && !there[m.Index] {
			members = append(members, m)
		}
	}
	return members
}
