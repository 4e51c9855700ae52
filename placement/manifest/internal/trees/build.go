package trees

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
	"github.com/muster-sched/muster/topology"
)

// Build builds the trees of nodes, when all are known, or again when some are others.
func (in *Trees) Build(of func() []topology.LabeledNode) {
	// The first of a name is the one, whatever order they come in.
	slices.SortStableFunc(in.sources, func(a, b treeSource) int {
		return cmp.Or(muster.CompareNatural(a.obj.Kind, b.obj.Kind), muster.CompareNatural(a.obj.Group, b.obj.Group), muster.CompareNatural(a.name, b.name))
	})
	sources := in.sources
	if in.hyper != nil && !slices.ContainsFunc(in.objects.List, brokenHyper) {
		sources = append(slices.Clip(sources), treeSource{in.hyper, HyperTree, nil, topology.LabelLayers{}, func(nodes []topology.LabeledNode) (*topology.Tree, error) {
			return topology.FromHyperNodes(in.hypers, nodes)
		}})
	}
	in.byName, in.ofLabels, in.none, in.nodes = map[string]*topology.Tree{}, map[string]*topology.Tree{}, map[string]bool{}, of
	in.list, in.told, in.labels = nil, nil, nil
	nodes := of()
	if in.asked == nil {
		in.asked = map[string]bool{}
	}
	taken := map[string]bool{}
	for _, t := range in.given {
		taken[t.Name], in.byName[t.Name] = true, t.Tree
	}
	for i, s := range sources {
		same := func(other treeSource) bool {
			return other.name == s.name && other.keys != nil && slices.Equal(other.keys, s.keys)
		}
		switch {
		case slices.ContainsFunc(sources[:i], same): // of Kueue and of KAI: one topology
			continue
		case taken[s.name]:
			in.broken = true
			s.obj.Note(&object.Defect{Line: s.obj.Root.Line, Reason: "duplicate name: two topologies are called " + s.name})
			continue
		}
		if taken[s.name] = true; s.keys != nil {
			in.noteKeys(s.name, s.cfg)
		}
		in.buildTree(s, nodes)
	}
	in.buildOfLabels(nodes)
	in.listTrees()
}

// listTrees lists what was built, and tells of it.
func (in *Trees) listTrees() {
	for _, name := range object.SortedKeys(in.byName) {
		in.list = append(in.list, cluster.NamedTree{Name: name, Tree: in.byName[name]})
		in.noticeOutside(name, in.byName[name])
	}
}

// brokenHyper is true for a HyperNode that cannot be used: the tree of the others would show defects of its own.
func brokenHyper(o *object.Object) bool { return o.Kind == "HyperNode" && len(o.Errors) > 0 }

func (in *Trees) buildTree(s treeSource, nodes []topology.LabeledNode) {
	tree, err := s.build(nodes)
	if err != nil {
		in.broken = true
		in.noteTree(s, err)
		return
	}
	if tree.NumNodes() == 0 && len(nodes) > 0 { // without any node it is the cluster that lacks them
		s.obj.Note(&object.Defect{Line: s.obj.Root.Line, Field: "spec", Reason: "no node of the input is in this topology"})
		if in.goOn {
			in.broken = true
			return
		}
	}
	in.byName[s.name] = tree
}

// noteTree gives the defects of a tree to the objects that they name.
func (in *Trees) noteTree(s treeSource, err error) {
	for _, e := range object.Invalids(err) {
		o := s.obj
		kind, name, _ := strings.Cut(e.Field, " ")
		switch {
		case kind == "HyperNode" && in.objects.Seen["topology.volcano.sh/HyperNode/"+name] != nil:
			o = in.objects.Seen["topology.volcano.sh/HyperNode/"+name]
		case kind == "node":
			if len(in.objects.Seen["/Node/"+name].Defects()) > 0 {
				continue // two nodes of one name, or one without: noted there
			}
		}
		where := e.Field
		if o != s.obj || s.name == HyperTree {
			where = "spec"
		}
		o.Note(&object.Defect{Line: o.Root.Line, Field: where, Value: e.Value, Reason: e.Reason, Cause: e})
	}
}

// noticeOutside tells about nodes without a place in a tree, naming a few.
func (in *Trees) noticeOutside(name string, t *topology.Tree) {
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
		in.told.Add(fmt.Sprintf("topology %s: %s %s: %s", name, object.Plural(len(part.nodes), "node"), part.what, names))
	}
}
