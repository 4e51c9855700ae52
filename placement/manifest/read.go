// Package manifest answers: which cluster and which gangs do these files describe? It reads Kubernetes-style objects
// as they are (nodes and their zones, pods, quotas, the topologies, gangs and jobs of Koordinator, Kueue, Volcano and KAI) from
// YAML documents, JSON and Lists into a [placement.Spec] and the requests of all gangs that wait for a node.
//
// Where objects say one thing in several places, the first counts. NUMA policy of a node: its label
// node.koordinator.sh/numa-topology-policy, the attribute topologyManagerPolicy of its NodeResourceTopology, the first of the
// topologyPolicies there. NUMA policy of a pod: its annotations scheduling.koordinator.sh/numa-topology-spec,
// scheduling.koordinator.sh/resource-spec, volcano.sh/numa-topology-policy. Quota of a pod: its label
// quota.scheduling.koordinator.sh/name, the Queue that it or its gang names (if the input has it), the ElasticQuota of
// scheduling.x-k8s.io in its namespace, the ElasticQuota in its namespace that is named like it, the one whose annotation
// quota.scheduling.koordinator.sh/namespaces lists it. Priority of a member: that of its gang (of a Workload, of the class that its
// PodGroup or Job names), else the number in its spec, its class, the class that is the default. A gang's priority is the lowest of
// its members that stay.
//
// A gang preempts nobody if one of its members that wait may not: by its label quota.scheduling.koordinator.sh/can-preempt (or
// can-preempible) that is "false", by a preemptionPolicy Never of its own or, where it has none, of its class; or by that of the class of
// the gang. A running pod may leave unless its label quota.scheduling.koordinator.sh/preemptible is "false", it belongs to a DaemonSet
// or is a mirror pod. What must stay of a running gang is its minimum, with those of its groups; all of it where none is given. A
// PodDisruptionBudget without status.disruptionsAllowed is counted over the members that it selects on nodes: those that are leaving
// are expected, but not available.
//
// Gangs that name each other in the annotation gang.scheduling.koordinator.sh/groups, of their PodGroup or else of their pods, start together
// (Request.Together). Each has to name all. One whose members run, or whose PodGroup is Finished, is there already; the others wait for one that is not
// in the input or has too few pods.
package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
)

// File is an input: what it is called in messages, and its bytes.
type File struct {
	Name string
	Data []byte
}

// Options change what is an error. The zero value is the default.
type Options struct {
	// Strict refuses gangs with hard pod rules that are not modelled, see [Gang].
	Strict bool
	// KeepGoing leaves what is wrong with a waiting gang in its Err; other gangs can be planned.
	KeepGoing bool
}

// Input is what the files describe. It belongs to the caller.
type Input struct {
	Spec placement.Spec
	// Gangs are those with a member that waits for a node, in queue order: priority, creation, UID where all of one age
	// have one, natural order of names.
	Gangs []Gang
	// Skipped counts objects of kinds that are not read, in natural order.
	Skipped []Skipped
	// Notices tell what was accepted but is worth saying, such as a pod on a node that is not in the input.
	Notices []string
}

// Gang is a request and what could not be read into it.
type Gang struct {
	Request gang.Request
	// Ignored counts the hard rules of waiting pods that are not modelled, by name: hostPorts, podAffinity,
	// podAntiAffinity, topologySpread, volumes. Nil if there are none.
	Ignored map[string]int
	// Err says why the gang cannot be planned: it wants a feature that requests lack ([muster.ErrNotSupported]) or, with
	// Options.KeepGoing, its objects are wrong. Then only Name, Priority and Members of the request are set. Or it starts
	// together with gangs that cannot be there, a [placement.Unschedulable].
	Err error
}

// Skipped counts objects of one kind.
type Skipped struct {
	Kind, APIVersion string
	Count            int
}

// Read reads all files together; the order of files and of objects changes nothing but the order of errors. All
// defects are reported, joined, each an [*Error]; a document that cannot be parsed is one. Unknown kinds and unknown
// fields are no defects. O(bytes + n log n) for n objects; the files are not kept.
func Read(files []File, opt Options) (*Input, error) {
	r := &reader{opt: opt, seen: map[string]*object{}, skipped: map[Skipped]int{}, quantities: map[string]Quantity{}}
	for _, f := range files {
		r.readFile(f)
	}
	r.each(clusterKinds)
	r.buildCluster()
	r.each(gangKinds)
	r.countUnknown()
	gangs := r.gangs()
	if err := r.fatal(gangs); err != nil {
		return nil, err
	}
	input := &Input{Spec: r.spec, Notices: r.notices}
	for _, d := range gangs {
		input.Gangs = append(input.Gangs, d.result)
	}
	for s, n := range r.skipped {
		input.Skipped = append(input.Skipped, Skipped{s.Kind, s.APIVersion, n})
	}
	slices.SortFunc(input.Skipped, func(a, b Skipped) int {
		return cmp.Or(muster.CompareNatural(a.Kind, b.Kind), muster.CompareNatural(a.APIVersion, b.APIVersion))
	})
	return input, nil
}

// handlers read one object each, by API group and kind.
type handlers map[string]func(*reader, *object)

// clusterKinds are read first, because gangs refer to them.
var clusterKinds = handlers{
	"/Node": (*reader).readNode,
	"topology.node.k8s.io/NodeResourceTopology":        (*reader).readZones,
	"scheduling.k8s.io/PriorityClass":                  (*reader).readPriorityClass,
	"kueue.x-k8s.io/Topology":                          (*reader).readLevels,
	"kai.scheduler/Topology":                           (*reader).readLevels,
	"topology.volcano.sh/HyperNode":                    (*reader).readHyperNode,
	"scheduling.koordinator.sh/ClusterNetworkTopology": (*reader).readNetworkTopology,
	"/" + treeKind:                                     (*reader).readTree,
	"/ConfigMap":                                       (*reader).readConfigMap,
	"scheduling.sigs.k8s.io/ElasticQuota":              (*reader).readElasticQuota,
	perNamespace + "/ElasticQuota":                     (*reader).readElasticQuota,
	volcanoQueues + "/Queue":                           (*reader).readQueue,
	kaiQueues + "/Queue":                               (*reader).readQueue,
}

// gangKinds are read when the trees are known.
var gangKinds = handlers{
	"/Pod":                               (*reader).readPod,
	"scheduling.sigs.k8s.io/PodGroup":    (*reader).readSigPodGroup,
	"scheduling.x-k8s.io/PodGroup":       (*reader).readSigPodGroup,
	"scheduling.koordinator.sh/PodGroup": (*reader).readSigPodGroup,
	"scheduling.volcano.sh/PodGroup":     (*reader).readVolcanoPodGroup,
	"scheduling.run.ai/PodGroup":         (*reader).readKAIPodGroup,
	"batch.volcano.sh/Job":               (*reader).readVolcanoJob,
	"batch/Job":                          (*reader).readJob,
	"kueue.x-k8s.io/Workload":            (*reader).readWorkload,
	"policy/PodDisruptionBudget":         (*reader).readBudget,
}

// treeKind is the kind given to a bare list of `{layer, name, parents, children}`.
const treeKind = "topology list"

// reader holds what is known while files are read.
type reader struct {
	opt     Options
	objects []*object
	broken  []located // documents that are no objects
	seen    map[string]*object
	skipped map[Skipped]int
	spec    placement.Spec
	notices []string

	quantities map[string]Quantity // by text, since few differ
	cluster
	quotas
	budgets
	queue
}

// readFile collects the objects of a file.
func (r *reader) readFile(f File) {
	for _, doc := range parseFile(f.Name, f.Data) {
		if doc.err != nil {
			r.refuse(f, doc, doc.err)
			continue
		}
		r.collect(f, doc, doc.root, "", "")
	}
}

func (r *reader) refuse(f File, doc document, e *Error) {
	e.File, e.Document = f.Name, doc.number
	r.broken = append(r.broken, located{len(r.objects), e})
}

// collect finds the objects in a value: itself, the items of a List, the elements of a JSON list. Items of a typed list
// that name no kind have the list's.
func (r *reader) collect(f File, doc document, v *value, kind, version string) {
	switch v.kind {
	case null:
	case list:
		if isTree(v) {
			r.add(f, doc, v, treeKind, "v1")
			return
		}
		if len(v.items) > 0 && kind == "" && !slices.ContainsFunc(v.items, func(e *value) bool { return e.get("kind") != nil }) {
			r.refuse(f, doc, &Error{Line: v.line, Reason: "a list neither of objects nor of {layer, name, parents, children}"})
			return
		}
		for _, e := range v.items {
			r.collect(f, doc, e, kind, version)
		}
	case mapping:
		if k := v.get("kind"); k != nil && k.kind == text {
			kind = k.text
		}
		if a := v.get("apiVersion"); a != nil && a.kind == text {
			version = a.text
		}
		items := v.get("items")
		switch {
		case kind == "":
			r.refuse(f, doc, &Error{Line: v.line, Field: "kind", Reason: "missing: not an object"})
		case strings.HasSuffix(kind, "List") && items != nil && items.kind == list:
			for _, e := range items.items {
				r.collect(f, doc, e, strings.TrimSuffix(kind, "List"), version)
			}
		case strings.HasSuffix(kind, "List") && v.get("metadata").get("name") == nil && items == nil:
		case version == "":
			r.refuse(f, doc, &Error{Line: v.line, Object: kind, Field: "apiVersion", Reason: "missing"})
		default:
			r.add(f, doc, v, kind, version)
		}
	default:
		r.refuse(f, doc, &Error{Line: v.line, Value: v.text, Reason: "not an object"})
	}
}

// add keeps an object of a known kind and counts one of any other.
func (r *reader) add(f File, doc document, v *value, kind, version string) {
	o := &object{file: f.Name, document: doc.number, seq: len(r.objects), kind: kind, version: version}
	o.root = field{obj: o, v: v, line: v.line}
	if kind == treeKind {
		o.name, o.namespace = baseName(f.Name), defaultNamespace
	} else {
		group, _, ok := strings.Cut(version, "/")
		if !ok {
			group = ""
		}
		key := group + "/" + kind
		if clusterKinds[key] == nil && gangKinds[key] == nil {
			r.skipped[Skipped{Kind: kind, APIVersion: version}]++
			return
		}
		o.readMetadata()
	}
	r.objects = append(r.objects, o)
	if first := r.seen[o.id()]; first != nil && o.name != "" {
		field{obj: o, base: "metadata.name", line: v.line}.fail(fmt.Sprintf("duplicate name: %s is in %s, document %d, too",
			o.title(), first.file, first.document))
		o.twin = true
		return
	}
	r.seen[o.id()] = o
}

// each reads all objects of some kinds, in the order of the input.
func (r *reader) each(kinds handlers) {
	for _, o := range r.objects {
		if read := kinds[o.group+"/"+o.kind]; read != nil && !o.twin {
			read(r, o)
		}
	}
}

// fatal joins the defects that fail the whole input: all but, with KeepGoing, those of waiting gangs.
func (r *reader) fatal(gangs []*draft) error {
	kept := map[*object]bool{}
	if r.opt.KeepGoing {
		for _, d := range gangs {
			for _, o := range d.objects() {
				kept[o] = true
			}
		}
	}
	errs := r.broken
	for _, o := range r.objects {
		if kept[o] {
			continue
		}
		for _, err := range o.errors {
			errs = append(errs, located{o.seq, err})
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return joinErrors(errs)
}

// baseName is the name of a file without folder and ending.
func baseName(file string) string {
	name := file[strings.LastIndexAny(file, `/\`)+1:]
	if base, _, ok := strings.Cut(name, "."); ok && base != "" {
		return base
	}
	return name
}

// sortedKeys lists the keys of a map in natural order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), muster.CompareNatural)
}
