package manifest

import (
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// Owners make gangs: package owners tells their members, here they get their rules and their places among the others.

// ownerReader reads owners, with the parts of the input that these name.
type ownerReader struct {
	objects    *objects
	trees      *trees
	pods       *pods
	priorities *priorities
	gangs      *gangs
}

// readAll reads the owners of the input, once it is known which Workloads stand for some of them.
func (r *ownerReader) readAll() {
	for _, o := range r.objects.list {
		if isOwner(o.group, o.kind) && !o.twin {
			r.readOwner(o)
		}
	}
}

// isOwner says whether objects of a kind make gangs of members in roles.
func isOwner(group, kind string) bool {
	return owners.IsRead(group, kind) || group+"/"+kind == trainJob
}

// runtimes are read with the TrainJobs that name them.
var runtimes = map[string]bool{"trainer.kubeflow.org/ClusterTrainingRuntime": true, "trainer.kubeflow.org/TrainingRuntime": true}

// trainJob is the kind that needs another object to say what its gang is.
const trainJob = "trainer.kubeflow.org/TrainJob"

// readOwner reads an owner that makes gangs. One that another object stands for gives that one its rules.
func (r *ownerReader) readOwner(o *object) {
	if o.finished("Complete", "Completed", "Failed", "Succeeded") || o.root.sub("status").get("jobDeploymentStatus").str() == "Complete" {
		r.gangs.cover(o.kind+"/"+o.fullName(), nil)
		return
	}
	if r.objects.standsBehind(o) {
		return // the other one takes its rules, see ownerRules
	}
	for _, of := range r.gangsOf(o) {
		d := r.ownerDraft(o, &of)
		switch by, covered := r.gangs.covered[o.kind+"/"+o.fullName()]; {
		case covered && by == nil:
		case covered:
			by.standFor(d)
		default:
			r.gangs.add(d)
			r.gangs.owned(o, d)
		}
	}
}

// gangsOf lists the gangs of an owner, noting what is wrong with it.
func (r *ownerReader) gangsOf(o *object) []owners.Gang {
	gangs, defects := []owners.Gang(nil), []owners.Defect(nil)
	if o.group+"/"+o.kind == trainJob {
		runtime := r.runtimeOf(o)
		if runtime == nil {
			return nil
		}
		gangs, defects = owners.ReadTrainJob(o.name, o.root.at(), runtime.root.at())
	} else {
		gangs, defects = owners.Read(o.group, o.kind, o.name, o.root.at())
	}
	for _, d := range defects {
		o.field(d.At).fail(d.Reason)
	}
	return gangs
}

// at is the field as a place of package owners, and field the way back.
func (f field) at() owners.At { return owners.At{Value: f.v, Path: f.path(), Line: f.line} }

func (o *object) field(at owners.At) field {
	return field{obj: o, base: at.Path, v: at.Value, line: at.Line}
}

// runtimeOf is the runtime that a TrainJob names, nil if it is not in the input, which is noted.
func (r *ownerReader) runtimeOf(o *object) *object {
	ref := o.root.sub("spec").sub("runtimeRef")
	kind := ref.get("kind").str()
	if kind == "" {
		kind = "ClusterTrainingRuntime"
	}
	for _, c := range r.objects.list {
		if c.kind == kind && c.name == ref.get("name").str() && (kind == "ClusterTrainingRuntime" || c.namespace == o.namespace) {
			return c
		}
	}
	ref.get("name").fail("unknown runtime")
	return nil
}

// ownerDraft is a gang of an owner with its members and rules.
func (r *ownerReader) ownerDraft(o *object, of *owners.Gang) *draft {
	d := &draft{obj: o, name: o.namespace + "/" + of.Name, created: o.created, uid: o.uid, owned: of, queues: queuesOf(o)}
	d.class = o.field(of.Class)
	if of.Queue.Present() {
		d.queues = append(d.queues, queueName{volcanoQueues, o.field(of.Queue)})
	}
	d.priority = r.priorities.workloadClass(o.label("kueue.x-k8s.io/priority-class"))
	d.terms.WaitTime, _ = seconds(o.field(of.Timeout))
	for n := range of.Roles {
		role := &of.Roles[n]
		if !role.Template.Present() {
			continue
		}
		template := o.field(role.Template).object()
		if name := groupNamed(template); name != "" {
			d.follows = name
		}
		spec := r.pods.readPodSpec(template)
		labels := spec.labels.textMap()
		for _, m := range role.Members {
			if !role.Absent {
				d.promised = append(d.promised, &member{name: m.Name, spec: spec, labels: labels, role: role.Name, child: m.Child})
			}
		}
	}
	for i, m := range d.promised {
		m.index, m.indexed = i, true
	}
	if d.min = of.Least; d.min == 0 {
		d.min = of.Count()
	}
	if n := batchMinimum(o.annotation(batchMinMember)); n > 0 {
		d.min = n
	}
	r.trees.ownerRules(d, r.objects.topOwner(o))
	return d
}
