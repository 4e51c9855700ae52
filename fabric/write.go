package fabric

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/internal/hostlist"
	"github.com/muster-sched/muster/internal/keyends"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/topology"
)

// Write writes trees in a format. Reading that again gives the same trees, as far as the format can tell: Slurm's and topograph's know
// no names of layers, and count tiers from the bottom. A domain keeps its name where the format allows it and no other domain has
// it; else it goes by its path. The error is an [*Error]: the format is not written, has place for one tree only, or a tree has
// what it cannot tell. O(n log n).
func Write(format Format, trees []cluster.NamedTree) ([]byte, error) {
	how := formats[format]
	if how.write == nil {
		return nil, &Error{Field: "format", Value: string(format), Reason: "cannot be written, must be one of " + strings.Join(Written(), ", ")}
	}
	if len(trees) != 1 && !how.several {
		return nil, &Error{Field: "trees", Value: itoa(len(trees)), Reason: "the format " + string(format) + " has place for one topology: choose it by its name"}
	}
	trees = slices.Clone(trees)
	slices.SortFunc(trees, func(a, b cluster.NamedTree) int { return muster.CompareNatural(a.Name, b.Name) })
	w := &writing{}
	for _, t := range trees {
		if first, last := t.Tree.Children(topology.Root); first == last && t.Tree.NumNodes() > 0 {
			return nil, &Error{Field: t.Name, Reason: "has nodes without any domain"}
		}
	}
	how.write(w, trees)
	if w.err != nil {
		return nil, w.err
	}
	return w.Bytes(), nil
}

// Written lists the formats that are written, in natural order.
func Written() []string {
	var names []string
	for f, how := range formats {
		if how.write != nil {
			names = append(names, string(f))
		}
	}
	slices.SortFunc(names, muster.CompareNatural)
	return names
}

// writing is a text, and the first thing that it cannot tell.
type writing struct {
	bytes.Buffer
	err error
}

func (w *writing) printf(format string, args ...any) { fmt.Fprintf(&w.Buffer, format, args...) }

func (w *writing) fail(tree, value, reason string) {
	if w.err == nil {
		w.err = &Error{Field: tree, Value: value, Reason: reason}
	}
}

// quote writes a text as YAML reads it: what cannot be seen is escaped.
func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff: // of which JSON makes two, that YAML does not join
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// domains are those of a tree but for the root, in the order of their ids: the widest first.
func domains(t *topology.Tree) []topology.DomainID {
	out := make([]topology.DomainID, 0, t.Len())
	for d := topology.DomainID(1); int(d) < t.Len(); d++ {
		out = append(out, d)
	}
	return out
}

// below are the names of the domains, or else of the nodes, directly below a domain.
func below(t *topology.Tree, names []string, d topology.DomainID) (children, nodes []string) {
	first, last := t.Children(d)
	for c := first; c < last; c++ {
		children = append(children, names[c])
	}
	if len(children) > 0 {
		return children, nil
	}
	from, to := t.Nodes(d)
	for n := from; n < to; n++ {
		nodes = append(nodes, t.NodeName(n))
	}
	return nil, nodes
}

// sourceLabel tells who made a HyperNode.
const sourceLabel = "volcano.sh/network-topology-source"

// writeHyperNodes writes Volcano's HyperNodes.
func writeHyperNodes(w *writing, trees []cluster.NamedTree) {
	t := trees[0].Tree
	names := uniqueNames(t, isDNS, 253)
	for _, d := range domains(t) {
		w.printf("---\napiVersion: topology.volcano.sh/v1alpha1\nkind: HyperNode\nmetadata:\n  name: %s\n  labels:\n    %s: %s\nspec:\n  tier: %d\n",
			quote(names[d]), sourceLabel, quote(labelValue(trees[0].Name)), t.Tier(d))
		if layer := t.LayerName(t.Tier(d)); layer != "" {
			w.printf("  tierName: %s\n", quote(layer))
		}
		w.printf("  members:")
		children, nodes := below(t, names, d)
		if len(children)+len(nodes) == 0 {
			w.printf(" []")
		}
		w.printf("\n")
		for _, c := range children {
			w.printf("  - {type: HyperNode, selector: {exactMatch: {name: %s}}}\n", quote(c))
		}
		for _, n := range nodes {
			w.printf("  - {type: Node, selector: {exactMatch: {name: %s}}}\n", quote(n))
		}
	}
}

// dense refuses what a format cannot tell that counts tiers from the bottom.
func (w *writing) dense(t cluster.NamedTree) {
	for _, d := range domains(t.Tree) {
		want := 1
		first, last := t.Tree.Children(d)
		for c := first; c < last; c++ {
			want = max(want, t.Tree.Tier(c)+1)
		}
		if t.Tree.Tier(d) != want {
			w.fail(t.Name, pathOf(t.Tree, d), fmt.Sprintf("is at tier %d, which the format would take for %d", t.Tree.Tier(d), want))
		}
	}
}

// fold writes a hostlist. What Slurm would read as something else is refused.
func (w *writing) fold(tree string, names []string) string {
	for _, n := range names {
		if strings.ContainsFunc(n, func(r rune) bool { return !isWord(r) }) || n == "" {
			w.fail(tree, n, "is no name of a node in Slurm")
		}
	}
	return hostlist.Fold(names)
}

// writeSlurmConf writes Slurm's topology.conf: of the plugin block what was made of blocks, else of the plugin tree.
func writeSlurmConf(w *writing, trees []cluster.NamedTree) {
	t := trees[0]
	if b, is := blocksOf(t); is {
		b.write(&w.Buffer, func(names []string) string { return w.fold(t.Name, names) })
		return
	}
	w.dense(t)
	names := uniqueNames(t.Tree, isWord, 200)
	for _, d := range domains(t.Tree) {
		if path := pathOf(t.Tree, d); t.Tree.Name(d) != names[d] {
			w.printf("# %s is %s\n", names[d], printed.Text(strings.Join(strings.Fields(path), " ")))
		}
		w.printf("SwitchName=%s", names[d])
		children, nodes := below(t.Tree, names, d)
		if len(children) > 0 {
			w.printf(" Switches=%s", hostlist.Fold(children))
		}
		if len(nodes) > 0 {
			w.printf(" Nodes=%s", w.fold(t.Name, nodes))
		}
		w.printf("\n")
	}
}

// writeSlurmYAML writes Slurm's topology.yaml. The first topology is the default of the cluster.
func writeSlurmYAML(w *writing, trees []cluster.NamedTree) {
	w.printf("---\n")
	if len(trees) == 0 {
		w.printf("[]\n")
	}
	for i, t := range trees {
		w.printf("- topology: %s\n  cluster_default: %v\n", quote(t.Name), i == 0)
		if b, is := blocksOf(t); is {
			b.writeYAML(w, func(names []string) string { return w.fold(t.Name, names) })
			continue
		}
		w.dense(t)
		names := uniqueNames(t.Tree, isWord, 200)
		w.printf("  tree:\n    switches:\n")
		for _, d := range domains(t.Tree) {
			w.printf("      - switch: %s\n", quote(names[d]))
			children, nodes := below(t.Tree, names, d)
			if len(children) > 0 {
				w.printf("        children: %s\n", quote(hostlist.Fold(children)))
			}
			if len(nodes) > 0 {
				w.printf("        nodes: %s\n", quote(w.fold(t.Name, nodes)))
			}
		}
	}
}

// writeTopograph writes a model of topograph.
func writeTopograph(w *writing, trees []cluster.NamedTree) {
	t := trees[0]
	w.dense(t)
	names := uniqueNames(t.Tree, isWord, 200)
	var blocks bytes.Buffer
	w.printf("switches:\n")
	for _, d := range domains(t.Tree) {
		children, nodes := below(t.Tree, names, d)
		w.printf("  %s:\n    switches: [", quote(names[d]))
		for i, c := range children {
			w.printf("%s%s", map[bool]string{true: ", "}[i > 0], quote(c))
		}
		w.printf("]\n")
		if len(nodes) > 0 {
			fmt.Fprintf(&blocks, "- switch: %s\n  nodes: [%s]\n", quote(names[d]), quote(w.fold(t.Name, nodes)))
		}
	}
	if blocks.Len() > 0 {
		w.printf("blocks:\n%s", blocks.String())
	}
}

// listEntry is one of Koordinator's list.
type listEntry struct {
	Layer    int      `json:"layer"`
	Name     string   `json:"name"`
	Parents  []string `json:"parents"`
	Children []string `json:"children"`
}

// entries are those of Koordinator's list, in the order of tiers, then paths.
func (w *writing) entries(t *topology.Tree) []listEntry {
	names := uniqueNames(t, func(r rune) bool { return r != '/' }, 253)
	list := []listEntry{}
	for _, d := range domains(t) {
		children, nodes := below(t, names, d)
		e := listEntry{Layer: t.Tier(d), Name: names[d], Parents: []string{}, Children: append(append([]string{}, children...), nodes...)}
		if up := t.Parent(d); up != topology.Root {
			e.Parents = append(e.Parents, names[up])
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b listEntry) int { return cmp.Compare(a.Layer, b.Layer) })
	return list
}

// writeList writes Koordinator's list, an entry a line.
func writeList(w *writing, trees []cluster.NamedTree) {
	w.printf("[")
	for i, e := range w.entries(trees[0].Tree) {
		text, err := json.Marshal(e)
		if err != nil {
			w.fail(trees[0].Name, e.Name, err.Error())
		}
		w.printf("%s\n  %s", map[bool]string{true: ","}[i > 0], printed.JSON(text))
	}
	w.printf("\n]\n")
}

// writeConfigMap writes a ConfigMap with the list.
func writeConfigMap(w *writing, trees []cluster.NamedTree) {
	list := &writing{}
	writeList(list, trees)
	w.err = cmp.Or(w.err, list.err)
	w.printf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  topology.json: |\n", quote(strings.ToLower(trees[0].Name)))
	for line := range strings.Lines(list.String()) {
		w.printf("    %s", line)
	}
}

// writeNodeLabels writes Nodes with topograph's labels, tier 0 next to the node.
func writeNodeLabels(w *writing, trees []cluster.NamedTree) {
	t := trees[0].Tree
	for n := range topology.NodeID(t.NumNodes()) {
		w.printf("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  labels:\n    %s: %s\n", quote(t.NodeName(n)), hostname, quote(labelValue(t.NodeName(n))))
		want := 1
		for d := t.Leaf(n); d != topology.Root && d != topology.NoDomain; d = t.Parent(d) {
			if t.Tier(d) != want {
				w.fail(trees[0].Name, pathOf(t, d), fmt.Sprintf("is at tier %d, and there is none below it: labels have no gaps", t.Tier(d)))
			}
			if value := t.Name(d); value == "" || labelValue(value) != value {
				w.fail(trees[0].Name, value, "is no value of a label")
			}
			w.printf("    %s%d: %s\n", fabricPrefix, want-1, quote(t.Name(d)))
			want++
		}
	}
}

// labelValue is a text as a value of a label may be.
func labelValue(s string) string {
	const most = 63
	s = strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return '-'
	}, s)
	return strings.Trim(s[:min(len(s), most)], "-._")
}

// writeText draws trees for people: a domain is of a layer, which has a short name if it has a long one.
func writeText(w *writing, trees []cluster.NamedTree) {
	for _, t := range trees {
		printed.Fprintf(w, "%s\n", t.Name)
		layers := keyends.Tiers(t.Tree)
		for _, l := range t.Tree.Layers() {
			if l.Name != "" {
				printed.Fprintf(w, "  tier %d is %s\n", l.Tier, l.Name)
			}
		}
		for d := range t.Tree.All() {
			if d == topology.Root {
				continue
			}
			path := t.Tree.Path(d)
			printed.Fprintf(w, "%s%s, %s", strings.Repeat("  ", len(path)), path[len(path)-1], layers(t.Tree.Tier(d)))
			if children, nodes := below(t.Tree, make([]string, t.Tree.Len()), d); len(children) == 0 {
				printed.Fprintf(w, ", nodes: %d %s", len(nodes), hostlist.Fold(nodes))
			}
			printed.Fprintf(w, "\n")
		}
	}
}
