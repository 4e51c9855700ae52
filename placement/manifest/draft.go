package manifest

import (
	"slices"
	"strconv"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
	"github.com/muster-sched/muster/placement/manifest/internal/quotas"
)

// draft is a gang while it is read: what its object says, then the members that are found for it.
type draft struct {
	obj  *object.Object // what declares it; nil if pods alone do
	name string
	// plain is true for a pod that is in no gang.
	plain bool

	priority *int64
	class    object.Field // a priority class, if the source names one
	created  time.Time
	uid      string

	tree      string
	treeField object.Field // what names the tree, if anything does
	gather    []gang.Rule
	limits    []gang.Limit
	pp, dp    int
	min       int // MinMember, 0: all
	total     int // declared size, 0: none
	queues    []quotas.Queue
	quota     string           // in which the members are; empty: none
	never     bool             // nobody leaves for it
	policy    object.Field     // of preemption, in place of that of the pods
	whole     bool             // leaves as a whole
	asks      muster.Resources // of the members that wait

	top      *object.Object   // the outermost owner, nil if there is none above
	owners   []*object.Object // that the gang's objects, or its pods, have, the topmost first, with the jobs themselves
	above    []quotas.Queue   // that these name
	children []*object.Object // Jobs that the owner made
	job      *draft           // of a PodGroup: the job of its name
	below    []*object.Object // groups that are parts of it
	promised []*member.Member // members where no pods are given
	pods     []*member.Member
	expected *ends // of its members, as these objects say; nil: not read yet
	// arrange makes groups of the members, which come in rank order; nil: there are none.
	arrange         func(d *draft, members []*member.Member) member.Part
	flat            bool // arrange makes none
	ruled           bool // some part, or group, has a rule
	grouped         bool // its groups are more than rules: they stay, whatever those of an owner are
	adopted, behind bool // has taken what its job says; another job is the one of its group
	// ruledItself holds if that left out limits: the rules, or the groups, are not the job's.
	ruledItself bool
	left        bool // its pods are placed one by one
	submits     bool // a Job that hands work to the cluster of a RayJob, whose gang it is not in
	inParts     bool // its minimum is that of its parts

	tie   tie
	terms gang.Terms
	team  *team // with which the gang starts; nil: alone
	// waits holds if a member does; of the others, runs have a node, of at least so many that are needed. done: all of it is over.
	waits, done bool
	members     []*member.Member // that are not leaving, in rank order, those that run included
	kept        []string         // rules that its request keeps, and that are counted otherwise
	claims      []claim          // exclusive topologies that are limits
	lacks       *member.Part     // a part of which fewer are known than it needs
	runs, least int
	later       bool // some of its members come when others are over
	stated      int  // min as it was said, without those that are over

	assigned  map[string][]string // nodes that the admission of a Workload gives, by podset
	reclaimed map[string]int      // pods that a Workload says are over, by podset
	owned     *owners.Gang        // what the owner says that makes the gang; nil: none does
	seats     map[string]seat
	over      over
	lost      []string // rules that are not modelled, of each member
	excluded  bool     // its leader may be where groups of it are alone otherwise, which no limit says
	result    Gang
}

// claim is an exclusive topology of a gang: the annotation that states it, the key of its domains, the role that it binds, empty: all of the gang.
type claim struct {
	note, key, role string
	ofPart          bool
}

// over is what of a gang is done already.
type over struct {
	members int            // that count
	byRole  map[string]int // of these
	seats   map[int]bool   // of the owner's members, which count once
	names   map[string]bool
}

// isGroup says whether a gang is declared by what is no more than a group of pods, and may stand for a job.
func (d *draft) isGroup() bool {
	return d.obj != nil && (d.obj.Kind == "PodGroup" || d.obj.Kind == "CompositePodGroup" || d.obj.Kind == "Workload" && d.obj.Group == inTreeAPI)
}

// adoptJob gives a PodGroup what the job of its name says and it does not say itself; one without pods has the job's members.
func (d *draft) adoptJob() {
	if d.job == nil || d.adopted {
		return
	}
	d.adopted = true
	if d.min == 0 && !d.inParts {
		d.min = d.job.min
	}
	d.lost = append(d.lost, d.job.lost...)
	d.ruledItself = d.hasRules() || d.grouped
	if !d.hasRules() {
		d.gather, d.limits, d.tree, d.treeField = d.job.gather, d.job.limits, d.job.tree, d.job.treeField
		if d.claims = d.job.claims; d.job.arrange != nil && !d.grouped {
			d.arrange, d.flat = d.job.arrange, d.job.flat
		} else if d.job.ruled {
			d.lost = append(d.lost, ownerTopology)
			d.claims = slices.DeleteFunc(slices.Clone(d.claims), func(c claim) bool { return c.ofPart })
		}
	}
	if len(d.pods) > 0 || len(d.promised) > 0 {
		return
	}
	d.promised = d.job.promised
	if !d.class.Present() && d.priority == nil {
		d.class, d.priority = d.job.class, d.job.priority
	}
}

// hasRules says whether the gang, or some part of it, has a rule or groups of its own.
func (d *draft) hasRules() bool { return len(d.gather) > 0 || d.ruled || d.pp > 0 || d.dp > 0 }

// objects are those whose defects are the gang's.
func (d *draft) objects() []*object.Object {
	var out []*object.Object
	if d.obj != nil {
		out = append(out, d.obj)
	}
	if d.job != nil {
		out = append(out, d.job.obj)
	}
	out = append(out, d.below...)
	for _, m := range d.pods {
		if m.Node == "" {
			out = append(out, m.Obj)
		}
	}
	return out
}

// concerned are the objects whose defects are the gang's: its own, and those that are behind it, of owners and of jobs that these made.
func (d *draft) concerned() (own, behind []*object.Object) {
	own = d.objects()
	is := map[*object.Object]bool{}
	for _, o := range own {
		is[o] = true
	}
	behind = slices.DeleteFunc(slices.Concat(d.owners, d.children), func(o *object.Object) bool { return is[o] })
	return own, behind
}

// promise makes the members of a template, called `name-0` and so on, with ranks from first on.
func promise(prefix string, n, first int, spec *member.Spec) []*member.Member {
	out := make([]*member.Member, n)
	labels := spec.Labels.TextMap()
	for i := range out {
		out[i] = &member.Member{Name: prefix + "-" + strconv.Itoa(i), Index: first + i, Indexed: true, Spec: spec, Labels: labels}
	}
	return out
}

// place is the object that a defect of the gang belongs to.
func (d *draft) place() *object.Object {
	if d.obj != nil {
		return d.obj
	}
	return d.pods[0].Obj
}

// tie is what a gang says of those that start together with it, itself among them.
type tie struct {
	at    object.Field // absent if it says nothing
	names []string
}
