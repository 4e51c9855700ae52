package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/topology"
)

// draft is a gang while it is read: what its object says, then the members that are found for it.
type draft struct {
	obj  *object // what declares it; nil if pods alone do
	name string
	// plain is true for a pod that is in no gang.
	plain bool

	priority *int64
	class    field // a priority class, if the source names one
	created  time.Time
	uid      string

	tree      string
	treeField field // what names the tree, if anything does
	gather    []gang.Rule
	pp, dp    int
	min       int // MinMember, 0: all
	total     int // declared size, 0: none
	queues    []queueName
	quota     string           // in which the members are; empty: none
	never     bool             // nobody leaves for it
	asks      muster.Resources // of the members that wait

	job      *draft    // of a PodGroup: the job of its name
	promised []*member // members where no pods are given
	pods     []*member
	// arrange makes groups of the members, which come in rank order; nil: there are none.
	arrange func(d *draft, members []*member) part

	tie  tie
	team *team // with which the gang starts; nil: alone
	// waits holds if a member does; of the others, runs have a node, of at least so many that are needed. done: all of it is over.
	waits, done bool
	runs, least int

	result Gang
}

// queue is what is known about gangs.
type queue struct {
	drafts  []*draft
	byName  map[string]*draft
	pods    []*member
	covered map[string]*draft // by `Job/ns/name`: what stands for this object; nil: something that is done
}

// declare adds the gang of an object. The object has errors already if the name is taken.
func (r *reader) declare(o *object) *draft {
	d := &draft{obj: o, name: o.fullName(), created: o.created, uid: o.uid, class: o.root.sub("spec").get("priorityClassName")}
	d.class.str()
	d.queues = queuesOf(o)
	if r.byName == nil {
		r.byName = map[string]*draft{}
	}
	switch other := r.byName[d.name]; {
	case other == nil:
		r.drafts = append(r.drafts, d)
	case d.isPodGroup() && !other.isPodGroup():
		d.job = other
		r.drafts[slices.Index(r.drafts, other)] = d
	case other.isPodGroup() && !d.isPodGroup() && other.job == nil:
		other.job = d
		return d
	default:
		o.root.get("metadata").get("name").fail("duplicate name: " + other.obj.kind + " of " + other.obj.version + " declares this gang too")
		return d
	}
	r.byName[d.name] = d
	return d
}

func (d *draft) isPodGroup() bool { return d.obj.kind == "PodGroup" }

// adoptJob gives a PodGroup what the job of its name says and it does not say itself; one without pods has the job's members.
func (d *draft) adoptJob() {
	if d.job == nil {
		return
	}
	if d.min == 0 {
		d.min = d.job.min
	}
	if len(d.gather) == 0 && d.arrange == nil && d.pp == 0 && d.dp == 0 {
		d.gather, d.arrange, d.tree, d.treeField = d.job.gather, d.job.arrange, d.job.tree, d.job.treeField
	}
	if len(d.pods) > 0 {
		return
	}
	d.promised = d.job.promised
	if !d.class.present() && d.priority == nil {
		d.class, d.priority = d.job.class, d.job.priority
	}
}

// owned notes that a gang stands for the jobs that own its object.
func (r *reader) owned(o *object, d *draft) {
	for _, owner := range o.owners {
		r.cover(owner.kind+"/"+o.namespace+"/"+owner.name, d)
	}
}

// cover notes that a gang stands for an object, `Job/ns/name`.
func (r *reader) cover(name string, d *draft) {
	if r.covered == nil {
		r.covered = map[string]*draft{}
	}
	r.covered[name] = d
}

// podGroup starts the gang of a PodGroup.
func (r *reader) podGroup(o *object) *draft {
	d := r.declare(o)
	r.owned(o, d)
	d.min, _ = o.root.sub("spec").get("minMember").whole(0)
	return d
}

// objects are those whose defects are the gang's.
func (d *draft) objects() []*object {
	var out []*object
	if d.obj != nil {
		out = append(out, d.obj)
	}
	if d.job != nil {
		out = append(out, d.job.obj)
	}
	for _, m := range d.pods {
		if m.node == "" {
			out = append(out, m.obj)
		}
	}
	return out
}

// findTree is the tree that a gang means: the one it names, else the only one, else the one called default. Nil with
// an empty reason if a tree is broken, which is an error already.
func (r *reader) findTree(name string) (t *topology.Tree, why string) {
	switch {
	case r.trees[name] != nil:
		return r.trees[name], ""
	case r.brokenTrees:
		return nil, ""
	case name != "":
		return nil, "unknown topology"
	case len(r.spec.Trees) == 1:
		return r.spec.Trees[0].Tree, ""
	case r.trees["default"] != nil:
		return r.trees["default"], ""
	case len(r.spec.Trees) == 0:
		return nil, "unknown topology: the input has none"
	}
	return nil, fmt.Sprintf("unknown topology: the input has %d, none is called default and the gang names none", len(r.spec.Trees))
}

// layer reads the name of a layer of a tree; ok is false if there is none, which is noted.
func (r *reader) layer(f field, tree string) (l topology.Layer, ok bool) {
	name := f.str()
	if name == "" {
		return l, false
	}
	t, why := r.findTree(tree)
	if t == nil {
		if why != "" && tree == "" { // of a topology that the gang names, its name is at fault
			f.fail(why)
		}
		return l, false
	}
	l, ok = t.Layer(name)
	if !ok {
		f.fail("unknown level")
	}
	return l, ok
}

// must reads the name of a layer as a MustGather, none if the field is absent.
func (r *reader) must(f field, tree string) []gang.Rule {
	l, ok := r.layer(f, tree)
	if !ok {
		return nil
	}
	return []gang.Rule{{Layer: l.Name, Strategy: gang.MustGather}}
}

// prefer reads the name of a layer as a PreferGather there and at every wider layer.
func (r *reader) prefer(f field, tree string) []gang.Rule {
	l, ok := r.layer(f, tree)
	if !ok {
		return nil
	}
	rules := []gang.Rule{{Layer: l.Name, Strategy: gang.PreferGather}}
	t, _ := r.findTree(tree)
	for _, wider := range t.Layers() {
		if wider.Tier > l.Tier {
			rules = append(rules, gang.Rule{Layer: layerOf(wider), Strategy: gang.PreferGather})
		}
	}
	return rules
}

// layerOf is how a rule calls a layer: its name, or its tier where it has none.
func layerOf(l topology.Layer) string {
	if l.Name != "" {
		return l.Name
	}
	return strconv.Itoa(l.Tier)
}

// promise makes the members of a template, called `name-0` and so on, with ranks from first on.
func promise(prefix string, n, first int, spec *podSpec) []*member {
	out := make([]*member, n)
	labels := spec.labels.textMap()
	for i := range out {
		out[i] = &member{name: prefix + "-" + strconv.Itoa(i), index: first + i, indexed: true, spec: spec, labels: labels}
	}
	return out
}

// maxMembers bounds what one object may promise; a typing error must not cost the machine's memory.
const maxMembers = 1_000_000

// size reads how many members an object promises.
func (f field) size(otherwise int) int {
	if !f.present() {
		return otherwise
	}
	n, _ := f.whole(0)
	if n > maxMembers {
		f.fail("at most " + strconv.Itoa(maxMembers) + " members")
		return 0
	}
	return n
}

// compareMembers orders members by index, those without one after the others, then by natural order of names.
func compareMembers(a, b *member) int {
	switch {
	case a.indexed && b.indexed && a.index != b.index:
		return a.index - b.index
	case a.indexed != b.indexed && a.indexed:
		return -1
	case a.indexed != b.indexed:
		return 1
	}
	return muster.CompareNatural(a.name, b.name)
}
