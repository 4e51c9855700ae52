package manifest

import (
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/jobs"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
	"github.com/muster-sched/muster/placement/manifest/internal/priorities"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
	"github.com/muster-sched/muster/placement/manifest/internal/seats"
	"github.com/muster-sched/muster/placement/manifest/internal/terms"
)

// Owners make gangs: package owners tells their members, here they get their rules and their places among the others.

// ownerReader reads owners, with the parts of the input that these name.
type ownerReader struct {
	objects    *object.Set
	runtimes   map[string]*object.Object // by kind, namespace and name
	rules      *rules
	pods       *pods
	priorities *priorities.All
	gangs      *gangs

	behind map[string]bool // owners, by title, of objects that make their gangs
	// replicas are those of LeaderWorkerSets of which there are pods, by title.
	replicas map[string][]int
}

// readAll reads the owners of the input, once it is known which Workloads stand for some of them.
func (r *ownerReader) readAll() {
	r.behind = map[string]bool{}
	for _, o := range r.objects.List {
		for _, w := range o.Owners {
			if (o.Kind == "JobSet" || o.Kind == "RayCluster") && (w.Kind != o.Kind || w.Name != o.Name) {
				title := w.Kind + "/" + o.Namespace + "/" + w.Name
				r.objects.Names.Ask(title)
				r.behind[title] = true
			}
		}
	}
	r.replicas = map[string][]int{}
	for _, m := range r.pods.list {
		name, index := m.Said(seats.ReplicaOf), m.Said(seats.GroupIndex)
		if i, ok := object.Ordinal(index); ok && name != "" {
			title := "LeaderWorkerSet/" + m.Obj.Namespace + "/" + name
			r.replicas[title] = append(r.replicas[title], i)
		}
	}
	for _, o := range r.objects.List {
		if isOwner(o.Group, o.Kind) && o.Name != "" {
			r.readOwner(o)
		}
	}
}

// isOwner says whether objects of a kind make gangs of members in roles.
func isOwner(group, kind string) bool {
	return owners.IsRead(group, kind) || group+"/"+kind == trainJob
}

// trainJob is the kind that needs another object to say what its gang is.
const trainJob = "trainer.kubeflow.org/TrainJob"

// readOwner reads an owner that makes gangs. One that another object stands for gives that one its rules.
func (r *ownerReader) readOwner(o *object.Object) {
	if o.Finished("Complete", "Completed", "Failed", "Succeeded") || o.Root.Sub("status").Get("jobDeploymentStatus").Text() == "Complete" { // a RayJob
		r.gangs.cover(o.Kind+"/"+o.FullName(), nil)
		return
	}
	if r.behind[o.Kind+"/"+o.Namespace+"/"+o.Name] {
		return // the other one takes its rules, see ownerRules
	}
	if d := r.gangs.find(o.FullName()); o.Kind == rayJob && d != nil && d.submits {
		return // the cluster to which that submits is there, and not in the input
	}
	for _, of := range r.gangsOf(o) {
		d := r.ownerDraft(o, &of)
		switch by, covered := r.standIn(o); {
		case covered && by == nil:
		case covered:
			by.standFor(d)
		default:
			r.gangs.add(d)
			r.gangs.owned(o, d)
			r.gangs.list(d)
		}
	}
}

// standIn is what stands for an owner, or for one above it that made it: a Workload has podsets for all of a RayJob.
func (r *ownerReader) standIn(o *object.Object) (by *draft, is bool) {
	title := o.Kind + "/" + o.FullName()
	if by, is = r.gangs.standIn(title); is {
		return by, true
	}
	for up := range r.objects.Controllers(o) {
		if by, is = r.gangs.standIn(up.Kind + "/" + up.FullName()); is && by != nil && (by.isGroup() || by.obj != nil && by.obj.Kind == "Workload") {
			r.gangs.cover(title, by)
			return by, true
		}
	}
	return nil, false
}

// gangsOf lists the gangs of an owner, noting what is wrong with it.
func (r *ownerReader) gangsOf(o *object.Object) []owners.Gang {
	var gangs []owners.Gang
	var defects []owners.Defect
	if o.Group+"/"+o.Kind == trainJob {
		runtime := r.runtimeOf(o)
		if runtime == nil {
			return nil
		}
		gangs, defects = owners.ReadTrainJob(o.Name, o.Root.At(), runtime.Root.At())
	} else {
		gangs, defects = owners.Read(o.Group, o.Kind, o.Name, o.Root.At(), r.pods.reports)
		gangs = append(gangs, r.surging(o, len(gangs))...)
	}
	for _, d := range defects {
		o.Field(d.At).Fail(d.Reason)
	}
	return gangs
}

// surging are the gangs of a LeaderWorkerSet beyond its replicas, of which there are pods.
func (r *ownerReader) surging(o *object.Object, replicas int) []owners.Gang {
	if o.Kind != "LeaderWorkerSet" || len(o.Errors) > 0 {
		return nil
	}
	more := slices.Sorted(slices.Values(r.replicas[o.Kind+"/"+o.FullName()]))
	more = slices.DeleteFunc(slices.Compact(more), func(i int) bool { return i < replicas })
	return owners.ReadReplicas(o.Name, o.Root.At(), more)
}

// runtimeOf is the runtime that a TrainJob names, nil if it is not in the input, which is noted.
func (r *ownerReader) runtimeOf(o *object.Object) *object.Object {
	ref := o.Root.Sub("spec").Sub("runtimeRef")
	kind := ref.Get("kind").Text()
	if kind == "" {
		kind = "ClusterTrainingRuntime"
	}
	if runtime := r.runtimes[runtimeName(kind, o.Namespace, ref.Get("name").Text())]; runtime != nil {
		return runtime
	}
	ref.Get("name").Fail("unknown runtime")
	return nil
}

// runtimeName is how a TrainJob of a namespace finds a runtime.
func runtimeName(kind, namespace, name string) string {
	if kind == "ClusterTrainingRuntime" {
		return kind + "/" + name
	}
	return kind + "/" + namespace + "/" + name
}

// ownerDraft is a gang of an owner with its members and rules.
func (r *ownerReader) ownerDraft(o *object.Object, of *owners.Gang) *draft {
	d := &draft{obj: o, name: o.Namespace + "/" + of.Name, created: o.Created, uid: o.UID, owned: of, queues: quotas.QueuesOfGang(o)}
	d.class = o.Field(of.Class)
	if of.Queue.Present() {
		d.queues = append(d.queues, quotas.Queue{Group: quotas.Volcano, At: o.Field(of.Queue)})
	}
	d.priority = r.priorities.OfWorkload(o.Label("kueue.x-k8s.io/priority-class"))
	d.terms.WaitTime, _ = terms.Seconds(o.Field(of.Timeout))
	for n, seat := 0, 0; n < len(of.Roles); n++ {
		role, first := &of.Roles[n], seat
		if seat += len(role.Members); !role.Template.Present() {
			continue
		}
		template := o.Field(role.Template).Mapping()
		spec := r.pods.readPodSpec(template)
		labels := spec.Labels.TextMap()
		for i, m := range role.Members {
			if !role.Absent {
				d.promised = append(d.promised, &member.Member{Name: m.Name, Spec: spec, Labels: labels, Role: role.Name, Child: m.Child, Index: first + i, Indexed: true})
			}
		}
	}
	if d.min = of.Least; d.min == 0 {
		d.min = of.Needed()
	}
	if n := jobs.Count(o.Annotation(jobs.BatchMinMember)); n > 0 {
		d.min = n
	}
	d.top = r.objects.TopOwner(o)
	r.rules.ownerRules(d)
	return d
}
