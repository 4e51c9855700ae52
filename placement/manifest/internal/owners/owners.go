// Package owners answers: which gangs does the controller of an object make, and of which members, in which roles? It knows
// JobSets, LeaderWorkerSets, the jobs of Kubeflow with their replicas, TrainJobs with their runtimes, RayClusters and
// PodGangs, as data: it neither reads pods nor knows what rules mean.
package owners

import (
	"iter"
	"maps"
	"strconv"

	"github.com/muster-sched/muster/internal/document"
)

// MaxMembers bounds what one object may promise; a typing error must not cost the machine's memory.
const MaxMembers = 1_000_000

// Gang is a gang that an owner makes.
type Gang struct {
	Name  string
	Roles []Role // in rank order
	Least int    // members that are needed, 0: all
	// Timeout, Class and Queue are where the owner's scheduling policy says how long the gang waits, its priority class and
	// its queue.
	Timeout, Class, Queue At
	// Network is where a runtime says Volcano's rule for the gang, Metadata where the annotations of the owner's project are.
	Network, Metadata At
}

// Role are alike members of a gang, in rank order, one after the other.
type Role struct {
	Name     string
	Members  []Member
	Template At // of the pods; absent: pods alone tell
	// Rules is the metadata with the annotations that bind each child, or the role where there are no children: those of
	// KAI, and of the owner's own project.
	Rules At
	// Child is how many members one child has, such as a job of a JobSet; 0: there are none.
	Child int
	// Least is how many of the role's members are needed among those of the gang; 0: what the gang needs says all.
	Least int
	// Whole says that a child runs whole or not at all.
	Whole bool
	// Later says that pods come when the others run: they are promised beside pods that are given.
	Later bool
	// Spare says that none of the role's members is needed.
	Spare bool
	// Absent says that there are no members before there are pods.
	Absent bool
}

// Member is what the controller calls a pod, and the child that it belongs to.
type Member struct {
	Name  string
	Child int
	Later bool // as of a role, see there
}

// Needed is the number of members that are promised and not spare.
func (g *Gang) Needed() (n int) {
	n = g.Count()
	for i := range g.Roles {
		if role := &g.Roles[i]; role.Spare && !role.Absent {
			n -= len(role.Members)
		}
	}
	return n
}

// Count is the number of members that are promised.
func (g *Gang) Count() (n int) {
	for i := range g.Roles {
		if !g.Roles[i].Absent {
			n += len(g.Roles[i].Members)
		}
	}
	return n
}

// At is a place in an object: what stands there, if anything, and the path to it.
type At struct {
	Value *document.Value
	Path  string
	Line  int // of the nearest value above, where nothing stands
}

// Get is the place below a key.
func (a At) Get(key string) At {
	sub := At{Value: a.Value.Get(key), Path: a.Path + "." + key, Line: a.Line}
	if a.Path == "" {
		sub.Path = key
	}
	if sub.Value != nil {
		sub.Line = sub.Value.Line
	}
	return sub
}

// Present says whether something stands there.
func (a At) Present() bool { return a.Value != nil }

// items are the mappings of a list; what is of another type is none.
func (a At) items() []At {
	if a.Value == nil || a.Value.Kind != document.List {
		return nil
	}
	var out []At
	for i, v := range a.Value.Items {
		if v.Kind == document.Mapping {
			out = append(out, At{v, a.Path + "[" + strconv.Itoa(i) + "]", v.Line})
		}
	}
	return out
}

func (a At) text() string {
	if a.Value == nil || a.Value.Kind != document.Text {
		return ""
	}
	return a.Value.Text
}

// Defect is what is wrong at a place.
type Defect struct {
	At     At
	Reason string
}

// reading is one owner while it is read.
type reading struct {
	name    string
	reports func(resource string) bool // says whether nodes say how much of it they have
	root    At
	defects []Defect
}

func (r *reading) fail(at At, reason string) { r.defects = append(r.defects, Defect{at, reason}) }

// whole reads a number of members, otherwise where nothing stands.
func (r *reading) whole(at At, otherwise int) int {
	if !at.Present() {
		return otherwise
	}
	n, err := strconv.ParseInt(at.Value.Text, 10, 32)
	switch {
	case at.Value.Kind != document.Integer:
		r.fail(at, "is "+at.Value.Kind.String()+", must be "+document.Integer.String())
	case err != nil:
		r.fail(at, "not a whole number of 32 bits")
	case n < 0:
		r.fail(at, "must be at least 0")
	case n > MaxMembers:
		r.fail(at, "at most "+strconv.Itoa(MaxMembers)+" members")
	default:
		return int(n)
	}
	return 0
}

// fits says whether so many times so many members are no more than MaxMembers, which is noted at a place.
func (r *reading) fits(at At, times, members int) bool {
	if int64(times)*int64(members) > MaxMembers {
		r.fail(at, "at most "+strconv.Itoa(MaxMembers)+" members")
		return false
	}
	return true
}

// readers are by API group and kind. Those of TrainJobs need a runtime, see [ReadTrainJob].
var readers = map[string]func(r *reading) []Gang{
	"jobset.x-k8s.io/JobSet":                   (*reading).jobSet,
	"leaderworkerset.x-k8s.io/LeaderWorkerSet": (*reading).leaderWorkerSet,
	"ray.io/RayCluster":                        func(r *reading) []Gang { return r.rayCluster(r.root.Get("spec")) },
	"ray.io/RayJob":                            func(r *reading) []Gang { return r.rayCluster(r.root.Get("spec").Get("rayClusterSpec")) },
	"scheduler.grove.io/PodGang":               (*reading).podGang,
	"kubeflow.org/PyTorchJob":                  (*reading).trainingJob,
	"kubeflow.org/TFJob":                       (*reading).trainingJob,
	"kubeflow.org/XGBoostJob":                  (*reading).trainingJob,
	"kubeflow.org/PaddleJob":                   (*reading).trainingJob,
	"kubeflow.org/JAXJob":                      (*reading).trainingJob,
	"kubeflow.org/MPIJob":                      (*reading).trainingJob,
}

// Kinds are those whose gangs are known from their objects alone, `group/kind`, in any order.
func Kinds() iter.Seq[string] { return maps.Keys(readers) }

// IsRead says whether the gangs of a kind are known from its objects alone.
func IsRead(group, kind string) bool { return readers[group+"/"+kind] != nil }

// Read lists the gangs of an owner, and what is wrong with it. The kind must be one that IsRead. What an operator adds to pods by itself counts
// as far as nodes report it. O(members).
func Read(group, kind, name string, root At, reports func(resource string) bool) ([]Gang, []Defect) {
	r := &reading{name: name, root: root, reports: reports}
	gangs := readers[group+"/"+kind](r)
	r.bound(gangs)
	return gangs, r.defects
}

// bound refuses more members than MaxMembers in all, and drops the gangs.
func (r *reading) bound(gangs []Gang) {
	n := 0
	for i := range gangs {
		n += gangs[i].Count()
	}
	if n > MaxMembers {
		r.fail(r.root.Get("spec"), "at most "+strconv.Itoa(MaxMembers)+" members")
	}
}

// numbered are the members `prefix-0` and so on.
func numbered(prefix string, n int) []Member {
	out := make([]Member, n)
	for i := range out {
		out[i] = Member{Name: prefix + "-" + strconv.Itoa(i)}
	}
	return out
}
