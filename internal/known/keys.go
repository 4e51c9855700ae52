package known

import (
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
)

// Side says in which of the two maps of an object's metadata a key is read.
type Side uint8

// The sides. A key that is read from either side says the same there; the annotation counts first.
const (
	Either Side = iota
	Labels
	Annotations
	AnnotationFirst // either; where they differ the annotation counts
	Nowhere         // the key is not known
)

func (s Side) String() string {
	return []string{"either", "labels", "annotations", "annotations, then labels", "nowhere"}[s]
}

// Use says what a key is read as.
type Use uint8

// The uses. The first of them are rules: a key that says one where nobody reads it is an error.
const (
	Layer      Use = iota // in which domains members gather, or are alone
	Minimum               // how many must run, or are one group
	Group                 // to which gang, or part of one, a member belongs
	Preemption            // who may leave, and for whom
	Quota                 // the quota or queue
	Order                 // rank, priority
	Terms                 // when members are let go
	End                   // when members are expected to end
	Lost                  // the work that is lost when members move
	Duration              // how long members run, for simulations
	Devices               // zones and devices
	Counted               // a rule that no plan keeps, see Gang.Ignored of package manifest
	Own                   // none: written for somebody else
)

func (u Use) String() string {
	return []string{"layer", "minimum", "group", "preemption", "quota", "order", "terms", "end", "lost work", "duration", "devices", "counted", ""}[u]
}

// IsRule says whether a plan without it would break what somebody asked for.
func (u Use) IsRule() bool { return u <= Quota }

// Key is a label or annotation of a system.
type Key struct {
	Name string // with its prefix
	Side Side
	Use  Use
	By   string // who writes it
}

// System has the keys of a project, in the order of the page.
type System struct {
	Name string
	Keys []Key
}

// Systems are those whose keys are known. It is read only.
func Systems() []System { return systems }

var systems = []System{
	{"Kubernetes", kubernetesKeys},
	{"Koordinator", koordinatorKeys},
	{"Kueue", kueueKeys},
	{"Volcano", volcanoKeys},
	{"KAI", kaiKeys},
	{"LeaderWorkerSet", leaderWorkerSetKeys},
	{"JobSet", jobSetKeys},
	{"other owners", ownerKeys},
	{"Muster", musterKeys},
}

// free are the prefixes under which anybody may write what is not known here, without a word.
var free = []string{"batch.kubernetes.io", "kubernetes.io", "training.kubeflow.org", "trainer.kubeflow.org", "ray.io", "grove.io"}

// familyPrefixes begin keys of which each user has some of their own.
var familyPrefixes = []string{"quota.scheduling.koordinator.sh/custom-", "volcano.sh/vgpu-", "volcano.sh/resource-strategy-", "kueue.x-k8s.io/raycluster-", "kai.scheduler/numa-"}

// table has the known keys by name, those that are read by their letters, and the prefixes under which keys are told.
type table struct {
	keys     map[string]Key
	prefixes map[string]bool
	read     []spelled
}

// spelled is a key as a misspelling is compared with it.
type spelled struct{ name, letters string }

// all are the keys that are known.
var all = newTable(systems)

func newTable(systems []System) *table {
	t := &table{keys: map[string]Key{}, prefixes: map[string]bool{}}
	for _, s := range systems {
		for _, k := range s.Keys {
			t.keys[k.Name] = k
			if prefix, _, ok := strings.Cut(k.Name, "/"); ok {
				t.prefixes[prefix] = !slices.Contains(free, prefix)
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(t.keys), muster.CompareNatural) {
		if k := t.keys[name]; k.Use != Own && strings.Contains(name, "/") {
			t.read = append(t.read, spelled{name, letters(name)})
		}
	}
	return t
}

// letters are those of a key that tell a misspelling: without case, and without the signs between words.
func letters(key string) string { return signs.Replace(strings.ToLower(key)) }

var signs = strings.NewReplacer("-", "", "_", "", ".", "")

// SaysOne says whether a key that stands on both sides must say the same on both.
func SaysOne(key string) bool {
	k, ok := all.keys[key]
	return ok && k.Use != Own && k.Side != AnnotationFirst
}

// SideOf is where a key is read.
func SideOf(key string) Side {
	if k, ok := all.keys[key]; ok {
		return k.Side
	}
	return Nowhere
}

// Verdict is what becomes of a key of an object's metadata.
type Verdict struct {
	// Objection says what is wrong with the key; empty: nothing is.
	Objection string
	// WrongSide holds if the key is read from the other map of metadata.
	WrongSide bool
	// Near holds for an objection to a key that is not known, and may be meant for one that is.
	Near bool
	// Unknown says that nothing is known of the key, and that somebody may want to know so.
	Unknown bool
}

// Judge says what becomes of a key among the labels or annotations of an object at a place. O(1) for a key that is known,
// O(keys that are read) else.
func Judge(key string, in Side, at Place) Verdict {
	k, ok := all.keys[key]
	switch {
	case !ok:
		return all.unknown(key, in)
	case at == OnCopy: // read, or refused, where it comes from
		return Verdict{}
	case k.Use.IsRule() && (k.Side == Labels || k.Side == Annotations) && k.Side != in:
		return Verdict{Objection: "is read from " + k.Side.String(), WrongSide: true}
	}
	for _, e := range elsewhere {
		if strings.HasPrefix(key, e.prefix) && !slices.Contains(e.at, at) {
			return Verdict{Objection: "is read from " + e.words}
		}
	}
	return Verdict{}
}

// unknown judges a key that is in no table.
func (t *table) unknown(key string, in Side) Verdict {
	prefix, _, found := strings.Cut(key, "/")
	if !found || slices.ContainsFunc(familyPrefixes, func(family string) bool { return strings.HasPrefix(key, family) }) {
		return Verdict{}
	}
	if near := t.near(key); near != "" {
		return Verdict{Objection: "unknown " + strings.TrimSuffix(in.String(), "s") + ", did you mean " + near + "?", Near: true}
	}
	return Verdict{Unknown: t.prefixes[prefix]}
}

// mostWrong is the largest number of letters by which a key is a misspelling of another one.
const mostWrong = 2

// near is the key that is read and meant by one that is not known, empty if it is near to none.
func (t *table) near(key string) string {
	from := letters(key)
	best, least := "", mostWrong+1
	for _, k := range t.read {
		if d := distanceBelow(from, k.letters, least); d < least {
			best, least = k.name, d
		}
	}
	return best
}

// Place says whose metadata it is.
type Place uint8

// The places.
const (
	OnObject   Place = iota // a gang's object, an owner or a quota
	OnPod                   // of its own
	OnTemplate              // of pods
	OnLeader                // of a LeaderWorkerSet, which is an owner whose workers are the template
	OnCopy                  // of a PodGroup that a controller made, with all keys of its owner
	OnRole                  // of a part of an owner that rules of its own bind: a job of a JobSet, a role of a RayCluster
)

// elsewhere has keys that are read at some places alone, with these and their name in words.
var elsewhere = []struct {
	prefix string
	at     []Place
	words  string
}{
	{"kueue.x-k8s.io/podset-", []Place{OnPod, OnTemplate, OnRole}, "the pod template"},
	{"kai.scheduler/segment-", []Place{OnPod, OnTemplate, OnRole, OnLeader}, "the pod template"},
	{"kai.scheduler/topology", []Place{OnObject, OnPod, OnRole, OnLeader}, "the owner itself"},
	{"kai.scheduler/batch-min-member", []Place{OnObject, OnPod, OnRole, OnLeader}, "the owner itself"},
}

// HardRules are the annotations with hard rules of gangs.
var HardRules = []string{
	"kai.scheduler/topology-required-placement", "kai.scheduler/segment-topology-required-placement",
	"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-required-topology-constraints",
	"gang.scheduling.koordinator.sh/network-topology-spec", "gang.scheduling.koordinator.sh/networkTopologyAware",
	"leaderworkerset.sigs.k8s.io/exclusive-topology", "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
	"alpha.jobset.sigs.k8s.io/exclusive-topology",
}

// Forget takes a key out of the tables until it is put back, for tests of what the key is good for: nobody may read meanwhile.
func Forget(name string) (restore func()) {
	before, left := all, make([]System, 0, len(systems))
	for _, s := range systems {
		s.Keys = slices.DeleteFunc(slices.Clone(s.Keys), func(k Key) bool { return k.Name == name })
		left = append(left, s)
	}
	all = newTable(left)
	return func() { all = before }
}
