package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// cluster is what is known about nodes and trees.
type cluster struct {
	nodes      map[string]*placement.Node
	zoned      map[string]*nodeZones   // by the name of the node
	placed     map[string]*numa.Placed // shares of running pods, each once
	byHostname map[string]string       // names of nodes by their hostname label
	hypers     []topology.HyperNode
	hyper      *object // the first HyperNode
	sources    []treeSource
	trees      map[string]*topology.Tree
	// brokenTrees is set when a tree could not be built; then rules are not checked against trees, since the defect
	// that matters is known.
	brokenTrees bool
	classes     map[string]class
	global      class // of pods without one
	hasGlobal   bool
}

// treeSource is an object that describes a tree, read but not built.
type treeSource struct {
	obj   *object
	name  string
	build func(nodes []topology.LabeledNode) (*topology.Tree, error)
}

const hostnameLabel = "kubernetes.io/hostname"

func (r *reader) readNode(o *object) {
	spec, status := o.root.sub("spec"), o.root.sub("status")
	n := placement.Node{
		Name: o.name, Labels: o.labels, Cordoned: spec.get("unschedulable").flag(),
		Allocatable: r.resources(status.get("allocatable")), NotReady: notReady(status),
	}
	for t := range spec.get("taints").all() {
		t = t.object()
		taint := gang.Taint{Key: t.get("key").required(), Value: t.get("value").str(), Effect: gang.Effect(t.get("effect").required())}
		checkEffect(t.get("effect"), taint.Effect)
		n.Taints = append(n.Taints, taint)
	}
	if policy, ok := oneOf(o.label(policyLabel), "policy", koordinatorPolicies); ok {
		n.NUMA = &placement.NUMA{Policy: policy}
	}
	r.spec.Nodes = append(r.spec.Nodes, n)
}

// notReady is true if a condition Ready says anything but True. Without that condition a node is ready.
func notReady(status field) bool {
	for c := range status.get("conditions").all() {
		c = c.object()
		if c.get("type").str() == "Ready" {
			return c.get("status").required() != "True"
		}
	}
	return false
}

func checkEffect(f field, e gang.Effect) {
	switch e {
	case gang.NoSchedule, gang.PreferNoSchedule, gang.NoExecute, "":
	default:
		f.fail("must be NoSchedule, PreferNoSchedule or NoExecute")
	}
}

// resources reads a mapping of quantities. Amounts of 0 are kept, since a node may say that it has none.
func (r *reader) resources(f field) muster.Resources {
	if !f.is(mapping) {
		return nil
	}
	out := make(muster.Resources, len(f.v.keys))
	for name, e := range f.entries() {
		if amount, ok := r.amount(e, name); ok {
			out[name] = amount
		}
	}
	return out
}

// amount reads a quantity of a resource; ok is false if it is absent or wrong.
func (r *reader) amount(f field, resource string) (n int64, ok bool) {
	if f.v == nil {
		return 0, false
	}
	if f.v.kind < text || f.v.kind > number {
		f.fail("is " + kindNames[f.v.kind] + ", must be a quantity")
		return 0, false
	}
	q, ok := r.quantities[f.v.text]
	if !ok {
		var err error
		if q, err = ParseQuantity(f.v.text); err != nil {
			f.fail(err.Error())
			return 0, false
		}
		r.quantities[f.v.text] = q
	}
	n, err := q.Amount(resource)
	if err != nil {
		f.fail(err.Error())
		return 0, false
	}
	return n, true
}

// buildCluster builds the trees when all nodes are known.
func (r *reader) buildCluster() {
	r.nodes = make(map[string]*placement.Node, len(r.spec.Nodes))
	r.byHostname = make(map[string]string, len(r.spec.Nodes))
	labeled := make([]topology.LabeledNode, 0, len(r.spec.Nodes))
	for i := range r.spec.Nodes {
		n := &r.spec.Nodes[i]
		if r.nodes[n.Name] != nil {
			continue // noted as a duplicate
		}
		r.nodes[n.Name] = n
		host := n.Labels[hostnameLabel]
		if host == "" {
			host = n.Name
		}
		if old, ok := r.byHostname[host]; !ok || muster.CompareNatural(n.Name, old) < 0 {
			r.byHostname[host] = n.Name
		}
		labeled = append(labeled, topology.LabeledNode{Name: n.Name, Labels: n.Labels})
	}
	r.placeZones()
	if r.hyper != nil && !slices.ContainsFunc(r.objects, brokenHyper) {
		hypers := r.hypers
		r.sources = append(r.sources, treeSource{r.hyper, hyperTree, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
			return topology.FromHyperNodes(hypers, nodes)
		}})
	}
	r.trees = map[string]*topology.Tree{}
	taken := map[string]bool{}
	for _, s := range r.sources {
		if taken[s.name] {
			r.brokenTrees = true
			s.obj.note(&Error{Line: s.obj.root.line, Reason: "duplicate name: two topologies are called " + s.name})
			continue
		}
		taken[s.name] = true
		r.buildTree(s, labeled)
	}
	for _, name := range sortedKeys(r.trees) {
		r.spec.Trees = append(r.spec.Trees, placement.NamedTree{Name: name, Tree: r.trees[name]})
		r.noticeOutside(name, r.trees[name])
	}
}

// brokenHyper is true for a HyperNode that cannot be used: the tree of the others would show defects of its own.
func brokenHyper(o *object) bool { return o.kind == "HyperNode" && len(o.errors) > 0 }

func (r *reader) buildTree(s treeSource, nodes []topology.LabeledNode) {
	tree, err := s.build(nodes)
	if err != nil {
		r.brokenTrees = true
		r.noteTree(s, err)
		return
	}
	r.trees[s.name] = tree
}

// noteTree gives the defects of a tree to the objects that they name.
func (r *reader) noteTree(s treeSource, err error) {
	for _, e := range invalids(err) {
		o := s.obj
		kind, name, _ := strings.Cut(e.Field, " ")
		switch {
		case kind == "HyperNode" && r.seen["topology.volcano.sh/HyperNode/"+name] != nil:
			o = r.seen["topology.volcano.sh/HyperNode/"+name]
		case kind == "node":
			if len(r.seen["/Node/"+name].defects()) > 0 {
				continue // two nodes of one name, or one without: noted there
			}
		}
		where := e.Field
		if o != s.obj || s.name == hyperTree {
			where = "spec"
		}
		o.note(&Error{Line: o.root.line, Field: where, Value: e.Value, Reason: e.Reason, cause: e})
	}
}

// defects is nil for an object that is not there.
func (o *object) defects() []*Error {
	if o == nil {
		return nil
	}
	return o.errors
}

// invalids takes a joined error apart.
func invalids(err error) []*muster.InvalidError {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []*muster.InvalidError
		for _, sub := range joined.Unwrap() {
			out = append(out, invalids(sub)...)
		}
		return out
	}
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		return []*muster.InvalidError{invalid}
	}
	return []*muster.InvalidError{{Field: "topology", Reason: err.Error()}}
}

// noticeOutside tells about nodes without a place in a tree, naming a few.
func (r *reader) noticeOutside(name string, t *topology.Tree) {
	for _, part := range []struct {
		nodes []string
		what  string
	}{{t.Outside(), "outside the tree"}, {t.Absent(), "named by the tree but not in the input"}} {
		if len(part.nodes) == 0 {
			continue
		}
		const most = 5
		names := strings.Join(part.nodes[:min(most, len(part.nodes))], ", ")
		if len(part.nodes) > most {
			names += ", ..."
		}
		r.notices = append(r.notices, fmt.Sprintf("topology %s: %s %s: %s", name, plural(len(part.nodes), "node"), part.what, names))
	}
}

// plural writes a count and what is counted.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
