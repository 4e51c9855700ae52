package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// Who controls whom: ownerReferences among the objects of the input.

// controllerOf is the object in the input that controls another one, nil if none does.
func (all *objects) controllerOf(o *object) *object {
	for _, w := range o.owners {
		if w.controller {
			return all.byTitle[w.kind+"/"+o.namespace+"/"+w.name]
		}
	}
	return nil
}

// topOwner is the outermost controller of an object in the input, nil if it has none.
func (all *objects) topOwner(o *object) (top *object) {
	seen := map[*object]bool{o: true}
	for up := all.controllerOf(o); up != nil && !seen[up]; up = all.controllerOf(up) {
		top, seen[up] = up, true
	}
	return top
}

// standsBehind says whether another object of the input, which an owner controls, makes its gangs.
func (all *objects) standsBehind(o *object) bool {
	return slices.ContainsFunc(all.list, func(x *object) bool {
		return (x.kind == "JobSet" || x.kind == "RayCluster") && x.namespace == o.namespace && x != o &&
			slices.ContainsFunc(x.owners, func(w owner) bool { return w.kind == o.kind && w.name == o.name })
	})
}

// lacksOwner says whether the pod's controller is of a kind that makes gangs, and is not in the input.
func (all *objects) lacksOwner(o *object) bool {
	return slices.ContainsFunc(o.owners, func(w owner) bool {
		return w.controller && slices.Contains(gangOwners, w.kind) && all.byTitle[w.kind+"/"+o.namespace+"/"+w.name] == nil
	})
}

// plainOwner is an owner whose pods are placed one by one: its rules for gangs bind nobody, which is counted.
type plainOwner struct {
	rules bool
	above []string // titles of its own owners
}

// notePlain keeps of an object that is not read whether it has rules, if it is an owner of pods.
func (all *objects) notePlain(kind string, v *document.Value) {
	if !slices.Contains(plainOwners, kind) {
		return
	}
	meta := v.Get("metadata")
	o := &object{kind: kind}
	root := field{obj: o, v: v}
	space := cmp.Or(root.sub("metadata").get("namespace").str(), defaultNamespace)
	owner := plainOwner{rules: hasPlacement(meta.Get("annotations"))}
	for _, path := range [][]string{{"template"}, {"jobTemplate"}, {"jobTemplate", "spec", "template"}} {
		at := v.Get("spec")
		for _, key := range path {
			at = at.Get(key)
		}
		owner.rules = owner.rules || hasPlacement(at.Get("metadata").Get("annotations"))
	}
	for e := range root.sub("metadata").get("ownerReferences").all() {
		e = e.object()
		owner.above = append(owner.above, e.get("kind").str()+"/"+space+"/"+e.get("name").str())
	}
	if all.plain == nil {
		all.plain = map[string]plainOwner{}
	}
	all.plain[kind+"/"+space+"/"+root.sub("metadata").get("name").str()] = owner
}

// hasPlacement says whether annotations have a rule for gangs: KAI's or Kueue's.
func hasPlacement(notes *document.Value) bool {
	return notes != nil && slices.ContainsFunc(notes.Keys, func(key string) bool {
		return strings.HasPrefix(key, "kai.scheduler/topology") || strings.HasPrefix(key, segmentPrefix) || strings.HasPrefix(key, "kueue.x-k8s.io/podset-")
	})
}

// hasRules says whether a pod belongs to owners that make no gang and have rules for one.
func (all *objects) hasRules(o *object) bool {
	var next []string
	for _, w := range o.owners {
		next = append(next, w.kind+"/"+o.namespace+"/"+w.name)
	}
	for n := 0; n < len(next) && n < 100; n++ { // chains of owners are short, and a circle ends
		if all.plain[next[n]].rules {
			return true
		}
		next = append(next, all.plain[next[n]].above...)
	}
	return false
}

// segmentPrefix begins KAI's annotations about segments.
const segmentPrefix = "kai.scheduler/segment-"

var (
	// gangOwners are the kinds whose pods are gangs.
	gangOwners = strings.Fields(`Job JobSet LeaderWorkerSet PyTorchJob TFJob XGBoostJob PaddleJob JAXJob MPIJob TrainJob
		RayCluster RayJob RayService PodGang PodClique PodCliqueSet PodCliqueScalingGroup PodGroup Workload`)
	// plainOwners are those whose pods are placed one by one.
	plainOwners = strings.Fields(`StatefulSet ReplicaSet Deployment ReplicationController DaemonSet CronJob Node`)
)

// isUnknown says whether a controller is of a kind whose rules are not known.
func (w owner) isUnknown() bool {
	return w.controller && !slices.Contains(gangOwners, w.kind) && !slices.Contains(plainOwners, w.kind)
}
