// Package manifest answers: which cluster and which gangs do these files describe? It reads Kubernetes-style objects
// as they are (nodes and their zones, pods, quotas, the topologies, gangs and jobs of Koordinator, Kueue, Volcano and KAI, and the
// owners that make gangs: JobSets, LeaderWorkerSets, the jobs of Kubeflow, Ray clusters, PodGangs) from YAML documents, JSON and Lists into a [cluster.Spec] and the requests of all gangs that wait for a node.
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
// can-preempible) that is "false", by a preemptionPolicy Never of its own (or in its label scheduling.koordinator.sh/preemption-policy)
// or, where it has none, of its class; or by that of the class of the gang. A running pod may leave unless somebody protects it: its
// labels quota.scheduling.koordinator.sh/preemptible "false" or scheduling.koordinator.sh/disable-preemptible "true", KAI's
// preemptibility (of its PodGroup, else its label; gangs of KAI with a priority of 100 and above stay unless they say otherwise),
// volcano.sh/preemptable of the pod, else of its PodGroup, else of its Job; or it belongs to a DaemonSet or is a mirror pod. What must stay of a running gang is its minimum, with those of its groups; all of it where none is given. A
// PodDisruptionBudget without status.disruptionsAllowed is counted over the members that it selects on nodes: those that are leaving
// are expected, but not available.
//
// Groups of Kubernetes itself (scheduling.k8s.io) are one gang by their topmost: a PodGroup, or a CompositePodGroup whose groups are
// parts of it, each with its minimum and its keys. A key is a layer's name or label, else a label that nodes have. Pods, and templates
// of owners, name their group by schedulingGroup, in 1.35 by workloadRef. A basic group without keys leaves its pods, or groups, to
// themselves. docs/files.md lists what is read of every kind.
//
// A field that nobody knows is an error in the blocks with placement rules, with the nearest known one. So is a label or annotation
// that is near to one that is read; any other that the prefix of a known system begins is told, once for each key and kind.
//
// Gangs that name each other in the annotation gang.scheduling.koordinator.sh/groups, of their PodGroup or else of their pods, start together
// (Request.Together). Each has to name all. One whose members run, or whose PodGroup is Finished, is there already; the others wait for one that is not
// in the input or has too few pods.
package manifest

import (
	"io"
	"slices"
	"time"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/gang/queue"
	"github.com/muster-sched/muster/placement"
)

// File is an input: what it is called in messages, and its bytes. Both may be packed by gzip.
type File struct {
	Name string
	Data []byte
	// Open, if set, is read in place of Data, and closed. JSON is then read as a stream, if the name ends in .json (or .json.gz)
	// or it is longer than 64 MiB: of what nobody reads (managed fields, environments, statuses of containers) nothing is kept.
	Open func() (io.ReadCloser, error)
}

// Options change what is an error, and what is read. The zero value is the default.
type Options struct {
	// Strict refuses gangs with hard pod rules that are not modelled, see [Gang].
	Strict bool
	// KeepGoing leaves what is wrong with a waiting gang in its Err, and what is wrong with documents, nodes, quotas and
	// topologies in Input.Defects; gangs that do not depend on it can be planned.
	KeepGoing bool
	// Topology is the one of gangs that name none; empty: the only one, or that called default.
	Topology string
	// Added are read too: an object of theirs stands in place of that of the other files with the same API group, kind, namespace and name. A Node
	// without status.allocatable is a part, a JSON merge patch (RFC 7396) of the one there. A [Store] does not look at this and the next four.
	Added []File
	// WithoutNodes are Nodes that are not there, whatever the files say: their names or, where none is called so, patterns as of path.Match.
	WithoutNodes []string
	// WithoutDomains are domains, of Topology if that is set, whose nodes are not there: by paths (`spine0/leaf1`), ends of them, or patterns.
	WithoutDomains []string
	// WithoutGangs are gangs of which no member is there, by names, names in Input.Owners, or patterns. An owner of other gangs stays.
	WithoutGangs []string
	// Returned are Nodes, named like WithoutNodes, that are in service: not cordoned, ready, without the taints of the node controller.
	Returned []string
	// Standing asks for Input.Standing.
	Standing bool
	// Movers asks for Input.Movers.
	Movers bool
	// Durations asks that every gang of which all members wait says how long it runs (Gang.Runs): one that does not is an error.
	Durations bool
	// Layers are label keys of nodes, widest first, or their ends behind the slash: they make the topology where the input has none.
	Layers []string
	// Trees are topologies beside those of the objects, such as package fabric reads.
	Trees []cluster.NamedTree
}

// Input is what the files describe. It belongs to the caller.
type Input struct {
	Spec cluster.Spec
	// Gangs are those with a member that waits for a node, in queue order: priority, creation, UID where all of one age
	// have one, natural order of names.
	Gangs []Gang
	// Standing are, with Options.Standing, gangs of which members run, without pods that are in none, in natural order of names: requests
	// for placement.Standing, of the members that run and do not leave, with the rules and groups of the gang as far as they can be
	// those of so many.
	Standing []gang.Request
	// Movers are, with Options.Movers, gangs of which members run and may perhaps move, pods that are in none included, in natural order of names: for [placement.Moves], with
	// requests as in Standing. Lost are the seconds of the annotation muster.dev/lost-work, the most that a pod of them or an object that makes these says.
	Movers []placement.Mover
	// Owners are, by gang, the other names `namespace/name` that it answers to: of the objects that make it, or own what makes it (JobSet, Job).
	Owners map[string][]string
	// WithoutNodes are the nodes that options leave out, Returned those that they bring back and that were out of service, in natural order.
	WithoutNodes, Returned []string
	// Replaced lists the objects of files in whose place one of Options.Added stands, in the order in which these were read.
	Replaced []string
	// Skipped counts objects of kinds that are not read, in natural order.
	Skipped []Skipped
	// Defects are, with Options.KeepGoing, what was left out: each an [*Error], in the order of the input.
	Defects []error
	// Unread is what Queues that gangs name say and quotas cannot, such as `spec.affinity of 2 Queues in scheduling.volcano.sh`.
	Unread []string
	// Empty are the PodGroups without pods, in natural order: `PodGroup/team/job`. They are no gangs.
	Empty []string
	// Ending are the objects of gangs whose owner is being deleted, in natural order: it makes no pods any more, and nothing is planned
	// for what waits of them.
	Ending []string
	// Notices tell what was accepted but is worth saying, such as a pod on a node that is not in the input.
	Notices []string
}

// Gang is a request and what could not be read into it.
type Gang struct {
	Request gang.Request
	// Ignored counts the hard rules that are not modelled, once a waiting pod and rule, by name: of pods hostPorts,
	// podAffinity, podAntiAffinity, topologySpread, volumes, resourceClaims, schedulingGates, deviceJointAllocate,
	// deviceAllocateHint, gpuPartition, gpuShare, reservation, hyperNodeAffinity, hyperJob; of gangs kueueQuota, resourceFlavors,
	// preemptionGates, taskTopology, absentGroup, unknownOwner, absentOwner, exclusiveTopology, ownerTopology. Nil if there are none.
	Ignored map[string]int
	// Terms are those under which its members are let go, as far as the files state them: the zero value if they state none;
	// WaitTime is in seconds. Total is the number of members that the files declare, 0: none.
	Terms gang.Terms
	Total int
	// Err says why the gang cannot be planned: it wants a feature that requests lack ([muster.ErrNotSupported]) or, with
	// Options.KeepGoing, its objects are wrong. Then only Name, Priority and Members of the request are set. Or it starts
	// together with gangs that cannot be there, a [placement.Unschedulable].
	Err error
	// Runs is how long it runs once it has started, and Expected how long it says that it does, in seconds, as the annotations muster.dev/duration and
	// muster.dev/expected-duration say: the first of the objects that make it, else the most that one of its members says; 0: nothing is said. Plans do not look at them.
	Runs, Expected int64
	// Checkpoint is after how many seconds of running what was done is safe, by muster.dev/checkpoint, which is said likewise; 0: never. Checkpoints holds where it is said.
	Checkpoint  int64
	Checkpoints bool
	// Created and UID are those of the object that declares it, else of its first pod; they may be missing. Plain says that it is a pod in no gang.
	Created time.Time
	UID     string
	Plain   bool

	namespace string          // of its pods
	promised  map[string]bool // members of the request that are no pods yet
}

// Pod is the pod of a member of the request. It is false for another name, and for a member that an object promises, while there is no pod.
// O(members).
func (g *Gang) Pod(member string) (namespace, name string, ok bool) {
	is := func(m gang.Member) bool { return m.Name == member }
	if g == nil || g.promised[member] || !slices.ContainsFunc(g.Request.Members, is) {
		return "", "", false
	}
	return g.namespace, member, true
}

// Entry is the place of the gang in a queue, in seconds.
func (g *Gang) Entry() queue.Entry {
	if g == nil {
		return queue.Entry{}
	}
	return queue.Entry{Name: g.Request.Name, UID: g.UID, Priority: g.Request.Priority, Created: max(0, g.Created.Unix())}
}

// Skipped counts objects of one kind.
type Skipped struct {
	Kind, APIVersion string
	Count            int
}
