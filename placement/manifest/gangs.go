package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// gangs are the gangs of the input, in the order in which they are met.
type gangs struct {
	objects *object.Set
	inTree  *inTree
	notices *object.Notices

	drafts   []*draft
	leftBy   map[*member.Member]*draft // owners of members that are placed by themselves all the same
	byName   map[string]*draft
	children []*object.Object  // Jobs of JobSets
	variants []variant         // Workloads that other Workloads made
	listed   map[string]*draft // PodGangs by the pods that they list, `namespace/name`
	covered  map[string]*draft // by `Job/ns/name`: what stands for this object; nil: something that is done
}

// variant is a Workload that was made of another one.
type variant struct{ obj, of *object.Object }

// declare makes the gang of an object.
func (g *gangs) declare(o *object.Object) *draft {
	d := &draft{obj: o, name: o.FullName(), created: o.Created, uid: o.UID, class: o.Root.Sub("spec").Get("priorityClassName")}
	d.class.Text()
	d.queues = quotas.QueuesOfGang(o)
	g.add(d)
	return d
}

// add enters the gang of an object. A PodGroup stands for the job of its name; any other name that is taken is a defect.
func (g *gangs) add(d *draft) {
	switch other := g.byName[d.name]; {
	case other == nil:
		g.enter(d.name, d)
	case d.isGroup() && !other.isGroup():
		d.job = other
		g.drafts[slices.Index(g.drafts, other)], g.byName[d.name] = d, d
	case other.isGroup() && !d.isGroup() && other.job == nil:
		other.job = d
	default:
		other.below = append(other.below, d.obj)
		if d.obj.Twin {
			return // which is noted
		}
		d.obj.Root.Get("metadata").Get("name").Fail("duplicate name: " + other.obj.Kind + " of " + other.obj.Version + " declares this gang too")
	}
}

// enter gives a gang its name.
func (g *gangs) enter(name string, d *draft) {
	g.objects.Names.Have(name)
	g.drafts, g.byName[name] = append(g.drafts, d), d
}

// find is the gang of a name, nil if there is none.
func (g *gangs) find(name string) *draft {
	g.objects.Names.Ask(name)
	return g.byName[name]
}

// standIn is what stands for an object, and whether anything does.
func (g *gangs) standIn(title string) (d *draft, is bool) {
	g.objects.Names.Ask(title)
	d, is = g.covered[title]
	return d, is
}

// owned notes that a gang stands for the jobs that own its object.
func (g *gangs) owned(o *object.Object, d *draft) {
	for _, owner := range o.Owners {
		g.cover(owner.Kind+"/"+o.Namespace+"/"+owner.Name, d)
	}
}

// cover notes that a gang stands for an object, `Job/ns/name`.
func (g *gangs) cover(name string, d *draft) {
	g.objects.Names.Have(name)
	g.covered[name] = d
}

// podGroup starts the gang of a PodGroup.
func (g *gangs) podGroup(o *object.Object) *draft {
	d := g.declare(o)
	g.owned(o, d)
	d.min, _ = o.Root.Sub("spec").Get("minMember").Whole(0)
	return d
}

// gangKeys tell a pod's gang, in the order in which they count.
var gangKeys = []string{
	"pod-group.scheduling.sigs.k8s.io", "pod-group.scheduling.sigs.k8s.io/name", "scheduling.x-k8s.io/pod-group", koordinatorPrefix + "name",
	"pod-group/name", "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", "pod-group-name",
}

// ownerKeys name an object that the pod belongs to. They count only if the input has that object.
var ownerKeys = []struct{ key, kind string }{
	{"kueue.x-k8s.io/workload", "Workload"},
	{"volcano.sh/job-name", "Job"},
	{"batch.kubernetes.io/job-name", "Job"},
	{"job-name", "Job"},
}

// assignPods finds the gang of each pod; a pod without one is a gang of its own.
func (g *gangs) assignPods(pods []*member.Member) {
	slices.SortStableFunc(pods, func(a, b *member.Member) int {
		return cmp.Or(muster.CompareNatural(a.Obj.Namespace, b.Obj.Namespace), muster.CompareNatural(a.Name, b.Name),
			muster.CompareNatural(a.Obj.File, b.Obj.File))
	})
	var plain []*member.Member
	for _, m := range pods {
		d := g.gangOf(m)
		if d == nil {
			plain = append(plain, m)
			continue
		}
		d.pods = append(d.pods, m)
	}
	for _, m := range plain {
		name := m.Obj.FullName()
		other := g.find(name)
		if other != nil && other.plain { // they contradict each other
			other.pods = append(other.pods, m)
			continue
		}
		if other != nil {
			name += " (pod)"
			g.notices.Add(fmt.Sprintf("%s is in no gang, but a gang has its name: it goes by %q", m.Obj.Title(), name))
		}
		d := &draft{name: name, plain: true, created: m.Obj.Created, uid: m.Obj.UID, pods: []*member.Member{m}}
		switch kind := g.objects.LacksOwner(m.Obj); {
		case strings.HasPrefix(kind, "PodClique"): // only PodGangs say what is placed together
			d.lost = append(d.lost, absentGroup)
		case kind != "":
			d.lost = append(d.lost, absentOwner)
		}
		g.enter(name, d)
	}
}

// gangOf is the gang that a pod names, declared by its pods if no object declares it. Nil if it names none.
func (g *gangs) gangOf(m *member.Member) *draft {
	o := m.Obj
	ref := g.groupOf(o, o.Root)
	m.Group = ref.group
	var owner *draft
	for _, k := range ownerKeys {
		value := o.Said(k.key)
		if value == "" {
			continue
		}
		if owner = g.declared(k.kind, o.Namespace+"/"+value); owner != nil {
			break
		}
	}
	if ref.alone {
		g.leave(m, cmp.Or(g.ownerGang(m, true), owner))
		return nil
	}
	if ref.name == "" {
		d := g.ownerGang(m, false)
		if d != nil && owner != nil && owner != d && owner.obj != nil { // a Job behind the owner that the labels tell
			g.cover(owner.obj.Kind+"/"+owner.name, d)
		}
		return cmp.Or(d, owner)
	}
	d := g.named(o, ref.name)
	if owner = cmp.Or(g.ownerGang(m, true), owner); owner != nil && owner != d && owner.isGroup() {
		owner = owner.job // its other pods are in another gang
	}
	if owner != nil && owner != d && owner.obj != nil {
		g.cover(owner.obj.Kind+"/"+owner.name, d) // its pods are in another gang, which stands for it
		d.standFor(owner)
	}
	return d
}

// leave notes that the pods of an owner are placed one by one, and that its rules are lost.
func (g *gangs) leave(m *member.Member, owner *draft) {
	if owner == nil || owner.obj == nil || owner.isGroup() {
		return
	}
	owner.left, g.leftBy[m] = true, owner
	if owner.hasRules() {
		spec := *m.Spec // as the pod was read
		spec.Ignored = maps.Clone(spec.Ignored)
		spec.Ignored[ownerTopology] = 1
		m.Spec = &spec
	}
}

// dropCovered forgets jobs for which another object stands: a Workload or a PodGroup that they own, or their pods. The PodGroup of a Job of
// Volcano, which has no pods before it is in the queue, has the Job's members.
func (g *gangs) dropCovered() {
	g.drafts = slices.DeleteFunc(g.drafts, func(d *draft) bool {
		if d.obj == nil {
			return false
		}
		by, is := g.standIn(d.obj.Kind + "/" + d.name)
		if by != nil && by.isGroup() && by.job == nil && d.obj.Group == "batch.volcano.sh" {
			by.standFor(d)
		}
		return (is || d.left || g.hasSubmitter(d)) && len(d.pods) == 0
	})
}

// hasSubmitter says whether a Workload, which has a podset for it, stands for the RayJob of a Job that submits.
func (g *gangs) hasSubmitter(d *draft) bool {
	return d.submits && slices.ContainsFunc(d.obj.Owners, func(w object.Reference) bool {
		by, is := g.standIn(rayJob + "/" + d.obj.Namespace + "/" + w.Name)
		return is && by != nil && by.obj != nil && by.obj.Kind == "Workload"
	})
}

// declared is the gang of an object, or of the object that stands for it.
func (g *gangs) declared(kind, name string) *draft {
	if d, is := g.standIn(kind + "/" + name); is {
		return d
	}
	d := g.find(name)
	if d != nil && d.obj != nil && (d.obj.Kind == kind || d.job != nil && d.job.obj.Kind == kind) {
		return d
	}
	return nil
}
