package manifest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/member"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/placement/manifest/internal/trees"
)

// The groups of Kubernetes itself (scheduling.k8s.io): PodGroups, which CompositePodGroups nest, and the Workload of 1.35.

// inTreeAPI is the API group of the groups of Kubernetes itself.
const inTreeAPI = "scheduling.k8s.io"

// inTree are the groups of the input. The topmost of those that hang together is a gang, those below it are its parts.
type inTree struct {
	trees   *trees.Lookup
	gangs   *gangs
	notices *object.Notices

	list      []*nested
	groups    map[string]*nested          // PodGroups by `namespace/name`
	above     map[string]*nested          // CompositePodGroups, the same
	workloads map[string][]*object.Object // of 1.35, the same; more than one are all wrong
}

// nested is a PodGroup or a CompositePodGroup.
type nested struct {
	obj       *object.Object
	composite bool
	basic     bool
	least     int // members of a PodGroup, or groups of a composite, that are needed
	rules     []gang.Rule
	tree      string    // of the rules
	others    []rulesOf // of other topologies, each around what is below it
	whole     bool      // is disrupted as a whole
	parent    *nested
	children  []*nested
	draft     *draft // the gang that it is, or is in; nil: its pods are placed one by one
}

// rulesOf are rules of one topology.
type rulesOf struct {
	tree  string
	rules []gang.Rule
}

func (in *inTree) readGroup(o *object.Object) {
	spec := o.Root.Sub("spec")
	n := &nested{obj: o, composite: o.Kind == "CompositePodGroup"}
	byName, least := in.groups, "minCount"
	if n.composite {
		byName, least = in.above, "minGroupCount"
	}
	byName[o.FullName()] = n
	in.list = append(in.list, n)
	n.basic, n.least = readPolicy(spec.Get("schedulingPolicy").Mapping(), least)
	for c := range spec.Sub("schedulingConstraints").Get("topology").All() {
		key := c.Mapping().Get("key")
		key.Required()
		in.addKey(n, key)
	}
	switch mode := spec.Get("disruptionMode"); {
	case !mode.Present():
	case mode.Value.Kind == document.Text:
		n.whole = object.Word(mode, map[string]bool{"PodGroup": true, "Pod": false}, "PodGroup or Pod")
	default:
		all, single := mode.Mapping().Get("all"), mode.Mapping().Get("single")
		if n.whole = all.Present(); all.Present() == single.Present() {
			mode.Fail("must be one of all and single")
		}
	}
}

// addKey reads a key among those of its topology.
func (in *inTree) addKey(n *nested, key object.Field) {
	if n.tree == "" || in.trees.LayerOfKey(n.tree, key.Text()) != "" {
		tree, rules := in.trees.Key(n.tree, key)
		n.tree, n.rules = tree, append(n.rules, rules...)
		return
	}
	tree, rules := in.trees.Key("", key)
	if len(rules) == 0 {
		return
	}
	at := slices.IndexFunc(n.others, func(of rulesOf) bool { return of.tree == tree })
	if at < 0 {
		at, n.others = len(n.others), append(n.others, rulesOf{tree: tree})
	}
	n.others[at].rules = append(n.others[at].rules, rules...)
}

// readJob reads what a Job (1.37) says of the group that its controller will make of its pods: how many are needed, all where it does not say, and keys. A
// basic policy leaves them as those of any Job.
func (in *inTree) readJob(d *draft, f object.Field) {
	policy, constraints := f.Get("schedulingPolicy").Mapping(), f.Sub("schedulingConstraints")
	if policy.Get("basic").Present() && policy.Get("gang").Present() {
		policy.Fail("basic and gang exclude each other")
	}
	if n, ok := policy.Sub("gang").Get("minCount").Whole(1); ok {
		d.min = n
	}
	of := nested{obj: d.obj, tree: d.tree}
	for c := range constraints.Get("topology").All() {
		key := c.Mapping().Get("key")
		key.Required()
		in.addKey(&of, key)
	}
	d.tree, d.gather = of.tree, append(d.gather, of.rules...)
	if len(of.others) > 0 {
		constraints.Get("topology").Fail("keys of several topologies cannot be kept together before the group is made")
	}
}

// readPolicy reads a policy: basic, or gang with a minimum.
func readPolicy(f object.Field, least string) (basic bool, n int) {
	one, other := f.Get("basic"), f.Get("gang").Mapping()
	switch {
	case one.Present() && other.Present():
		f.Fail("basic and gang exclude each other")
	case one.Present():
		return true, 1
	case !other.Present():
		f.Fail("missing: basic or gang")
	case !other.Get(least).Present():
		other.Get(least).Fail("missing")
	default:
		n, _ = other.Get(least).Whole(1)
	}
	return false, max(1, n)
}

// readWorkload keeps the Workload of 1.35. Later ones are templates only.
func (in *inTree) readWorkload(o *object.Object) {
	if o.Version != "scheduling.k8s.io/v1alpha1" {
		return
	}
	in.workloads[o.FullName()] = append(in.workloads[o.FullName()], o)
	for f := range o.Root.Sub("spec").Get("podGroups").All() {
		f.Mapping().Get("name").Required()
		readPolicy(f.Mapping().Get("policy").Mapping(), "minCount")
	}
}

// declare makes gangs of the topmost groups, when all are read.
func (in *inTree) declare() {
	for _, n := range in.list {
		f := n.obj.Root.Sub("spec").Get("parentCompositePodGroupName")
		if f.Text() == "" {
			continue
		}
		in.gangs.objects.Names.Ask("CompositePodGroup/" + n.obj.Namespace + "/" + f.Text())
		if n.parent = in.above[n.obj.Namespace+"/"+f.Text()]; n.parent == nil {
			f.Fail("unknown parent")
			continue
		}
		n.parent.children = append(n.parent.children, n)
	}
	var tops, cut []*nested
	for _, n := range in.list {
		slices.SortFunc(n.children, func(a, b *nested) int { return muster.CompareNatural(a.obj.Name, b.obj.Name) })
		first := n.firstOfCycle()
		if first != nil {
			n.obj.Root.Sub("spec").Get("parentCompositePodGroupName").Fail("cycle of parents")
		}
		if n.parent == nil || first == n {
			tops = append(tops, n)
		}
		if first == n {
			cut = append(cut, n)
		}
	}
	for _, n := range cut { // it is a gang all the same, that is wrong
		n.parent.children = slices.DeleteFunc(n.parent.children, func(c *nested) bool { return c == n })
		n.parent = nil
	}
	for _, n := range tops {
		in.declareTop(n)
	}
}

// firstOfCycle is the first by name of the groups that a group in a cycle is with there, nil if it is not above itself.
func (n *nested) firstOfCycle() *nested {
	first, up := n, n.parent
	for seen := map[*nested]bool{}; up != nil && up != n && !seen[up]; up = up.parent {
		seen[up] = true
		if muster.CompareNatural(up.obj.Name, first.obj.Name) < 0 {
			first = up
		}
	}
	if up != n {
		return nil
	}
	return first
}

// declareTop makes a group without parent a gang; a basic one without rules leaves its pods, or groups, to themselves.
func (in *inTree) declareTop(n *nested) {
	if n.basic && len(n.rules) == 0 {
		for _, c := range n.children {
			c.parent = nil
			in.declareTop(c)
		}
		return
	}
	d := in.gangs.declare(n.obj)
	spec := n.obj.Root.Sub("spec")
	d.gather, d.tree, d.policy = n.rules, n.tree, spec.Get("preemptionPolicy")
	d.policy.Text()
	if p, ok := spec.Get("priority").Number(); ok {
		d.priority = &p
	}
	d.inParts, d.grouped, d.ruled = n.composite, n.composite, len(n.others) > 0
	if !n.composite {
		d.min = n.least
	}
	d.arrange = func(_ *draft, members []*member.Member) member.Part {
		whole := n.part(members, d.tree)
		whole.Rules = nil
		return whole
	}
	in.join(n, d)
}

// join notes that a group, and all below it, are of a gang.
func (in *inTree) join(n *nested, d *draft) {
	if n.draft = d; n.obj != d.obj {
		d.below = append(d.below, n.obj)
		d.ruled = d.ruled || len(n.rules)+len(n.others) > 0
		if n.whole && !d.whole {
			in.notices.Add(n.obj.Title() + ": spec.disruptionMode: all of gang " + d.name + " leaves as a whole, since a group below it does")
		}
	}
	d.whole = d.whole || n.whole
	for range n.obj.Root.Sub("spec").Get("resourceClaims").All() {
		d.lost = append(d.lost, "resourceClaims")
		break
	}
	for _, c := range n.children {
		in.join(c, d)
	}
}

// part arranges members by their PodGroups. Groups of which no pod is known are waited for where they are needed. A rule of
// another topology binds a part of its own, which holds all that there is.
func (n *nested) part(members []*member.Member, around string) member.Part {
	levels := append([]rulesOf{{n.tree, n.rules}}, n.others...)
	if n.tree == around {
		levels[0].tree = "" // as around it
	}
	for _, of := range levels {
		around = cmp.Or(of.tree, around)
	}
	p := n.contents(members, around)
	for i, of := range slices.Backward(levels) {
		if p.Name, p.Rules, p.Tree = n.obj.Name, member.Unique(of.rules), of.tree; i > 0 {
			p = member.Part{Parts: []member.Part{p}}
		}
	}
	return p
}

// contents are the members, or groups, of a group without its rules.
func (n *nested) contents(members []*member.Member, around string) (p member.Part) {
	if !n.composite {
		p.Need = n.least
		for _, m := range members {
			if m.Group == n.obj.Name {
				p.Members = append(p.Members, m)
			}
		}
		return p
	}
	for _, c := range n.children {
		inner := c.part(members, around)
		if inner.Bundle = len(inner.Rules) == 0; len(inner.All()) > 0 {
			p.Parts = append(p.Parts, inner)
		}
	}
	if p.NeedParts = n.least; n.least > len(p.Parts) {
		p.NeedParts, p.Need = 0, len(p.All())+n.least-len(p.Parts)
	}
	return p
}

// groupOf is the group of a pod or template by its schedulingGroup or, in 1.35, workloadRef, and whether it names one at all.
func (in *inTree) groupOf(o *object.Object, pod object.Field) (ref groupRef, names bool) {
	spec := pod.Value.Get("spec")
	if spec.Get("schedulingGroup") != nil {
		ref.name = pod.Sub("spec").Sub("schedulingGroup").Get("podGroupName").Required()
		in.gangs.objects.Names.Ask("PodGroup/" + o.Namespace + "/" + ref.name)
		if n := in.groups[o.Namespace+"/"+ref.name]; n != nil {
			ref.group, ref.gang = ref.name, n.draft
			if ref.alone, ref.name = n.draft == nil, ""; n.draft != nil {
				_, ref.name, _ = strings.Cut(n.draft.name, "/")
			}
		}
		return ref, true
	}
	if spec.Get("workloadRef") == nil {
		return ref, false
	}
	at := pod.Sub("spec").Sub("workloadRef")
	name, group, key := at.Get("name").Required(), at.Get("podGroup").Required(), at.Get("podGroupReplicaKey").Text()
	if ref.name = name + "-" + group; key != "" {
		ref.name += "-" + key
	}
	in.gangs.objects.Names.Ask("Workload/" + o.Namespace + "/" + name)
	twins := in.workloads[o.Namespace+"/"+name]
	if len(twins) == 0 {
		return ref, true
	}
	w := twins[0]
	for f := range w.Root.Sub("spec").Get("podGroups").All() {
		if f.Mapping().Get("name").Text() == group {
			basic, least := readPolicy(f.Mapping().Get("policy").Mapping(), "minCount")
			if basic {
				return groupRef{alone: true}, true
			}
			ref.gang = in.replica(twins, ref.name, least)
			return ref, true
		}
	}
	at.Get("podGroup").Fail("unknown pod group")
	return ref, true
}

// replica is the gang of one replica of a group of a Workload of 1.35.
func (in *inTree) replica(twins []*object.Object, name string, least int) *draft {
	w := twins[0]
	full := w.Namespace + "/" + name
	if d := in.gangs.find(full); d != nil && d.obj == w {
		return d
	}
	in.gangs.add(&draft{name: full, obj: w, below: twins[1:], min: least, created: w.Created, uid: w.UID})
	return in.gangs.find(full)
}
