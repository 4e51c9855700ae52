package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/topology"
)

// drawTree draws a tree whose tiers have no gaps, with names of many kinds: some of them come more than once.
func drawTree(t *rapid.T, unique bool) *topology.Tree {
	nodes, names := 0, 0
	var domain func(tier int, siblings map[string]bool) topology.Domain
	domain = func(tier int, siblings map[string]bool) topology.Domain {
		name := ""
		for n := 0; name == "" || siblings[name]; n++ {
			if name = rapid.SampledFrom([]string{"rack", "leaf-1", "r1", "s.2", "Pod"}).Draw(t, "name") + strings.Repeat("x", n); unique {
				names++
				name = fmt.Sprintf("%s-%d", strings.ToLower(name), names)
			}
		}
		siblings[name] = true
		d := topology.Domain{Name: name, Tier: tier}
		if tier == 1 {
			for range rapid.IntRange(1, 4).Draw(t, "nodes") {
				nodes++
				d.Nodes = append(d.Nodes, fmt.Sprintf("%s%0*d", rapid.SampledFrom([]string{"n", "gpu-", "a1b"}).Draw(t, "prefix"), rapid.IntRange(1, 3).Draw(t, "width"), nodes))
			}
			return d
		}
		below := map[string]bool{}
		for range rapid.IntRange(1, 3).Draw(t, "children") {
			d.Children = append(d.Children, domain(tier-1, below))
		}
		return d
	}
	roots := map[string]bool{}
	tiers := rapid.IntRange(1, 4).Draw(t, "tiers")
	var spec topology.Spec
	for range rapid.IntRange(1, 3).Draw(t, "roots") {
		spec.Roots = append(spec.Roots, domain(tiers, roots))
	}
	tree, err := topology.New(spec)
	require.NoError(t, err)
	return tree
}

// shape is a tree without the names of its domains and layers.
func shape(t *topology.Tree) string {
	nodes := map[topology.NodeID]string{}
	for n := range topology.NodeID(t.NumNodes()) {
		for d := t.Leaf(n); d != topology.NoDomain; d = t.Parent(d) {
			from, to := t.Nodes(d)
			var names []string
			for i := from; i < to; i++ {
				names = append(names, t.NodeName(i))
			}
			nodes[n] += fmt.Sprintln(t.Tier(d), len(names), sorted(names))
		}
	}
	var all []string
	for n, text := range nodes {
		all = append(all, t.NodeName(n)+text)
	}
	return strings.Join(sorted(all), "")
}

// Reading what was written gives the same trees; where names of domains repeat, or are not allowed, the same but for these.
func TestReadingWhatWasWritten(t *testing.T) {
	for _, written := range fabric.Written() {
		format := fabric.Format(written)
		if format == "text" {
			continue // is for people
		}
		t.Run(written, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				unique := rapid.Bool().Draw(t, "unique")
				trees := []cluster.NamedTree{{Name: "net", Tree: drawTree(t, unique)}}
				if format == "slurm-yaml" && rapid.Bool().Draw(t, "two") {
					trees = append(trees, cluster.NamedTree{Name: "other", Tree: drawTree(t, unique)})
				}
				text, err := fabric.Write(format, trees)
				require.NoError(t, err)
				again := readAgain(t, format, text)
				require.Len(t, again, len(trees))
				for i := range trees {
					require.Equal(t, shape(trees[i].Tree), shape(again[i].Tree), "%s", text)
					if unique {
						require.Equal(t, paths(trees[i].Tree), paths(again[i].Tree), "%s", text)
					}
				}
			})
		})
	}
}

// paths are those of all domains, with tiers.
func paths(t *topology.Tree) (out []string) {
	for d := range t.All() {
		out = append(out, fmt.Sprint(t.Path(d), t.Tier(d)))
	}
	return sorted(out)
}

// readAgain reads what was written, the formats that are Kubernetes objects as others read them: with nodes.
func readAgain(t *rapid.T, format fabric.Format, text []byte) []cluster.NamedTree {
	if format != "hypernodes" {
		from := format
		if format == "configmap" {
			from = "list"
		}
		got, err := fabric.Read(from, []fabric.File{{Name: "again", Data: text}}, fabric.Options{KeepGoing: true})
		require.NoError(t, err, "%s", text)
		return got.Trees
	}
	var nodes strings.Builder
	for name := range strings.SplitSeq(string(text), "type: Node, selector: {exactMatch: {name: ") {
		if name, _, is := strings.Cut(name, "}}}"); is && !strings.Contains(name, "\n") {
			fmt.Fprintf(&nodes, "---\n{apiVersion: v1, kind: Node, metadata: {name: %s}}\n", name)
		}
	}
	input, err := manifest.Read([]manifest.File{{Name: "again.yaml", Data: append(text, nodes.String()...)}}, manifest.Options{})
	require.NoError(t, err, "%s", text)
	return input.Spec.Trees
}

func FuzzRead(f *testing.F) {
	for at, text := range []string{
		`[{"kind":"Node","metadata":{"name":"a","labels":{"r":"x"}}}]`, "SwitchName=a Nodes=n[1-3]", "- topology: a\n  tree: {switches: [{switch: s, nodes: n1}]}",
		`[{"description":"Computer","system_name":"a","peer_node_name":"l"}]`, `{"lldp":{"interface":[{"eth0":{"chassis":{"l":{"capability":[{"type":"Bridge"}]}}}}]}}`,
		"Switch\t4 \"S-51\"\t\t# \"leaf\"\n[1]\t\"H-a1\"[1](a1) \t\t# \"a mlx5_0\"", "switch,peer,peer_kind\nl,a,node\nl,l,switch\nl,m,switch\nm,l,switch",
		"host,rack\na,r", `[{"layer":1,"name":"l","children":["a"]}]`, "switches: {a: {switches: [b]}}\nblocks: [{switch: b, nodes: n1}]",
		`[{"nodes":[{"compounded_nodes":[{"id":"1","name":"a"}]}],"links":[{"src":"1","target":"1"}]}]`,
		"BlockName=a Nodes=n[1-3]\nBlockSizes=1,2", "networkTopologyDiscovery: [{source: label, config: {networkTopologyTypes: {a: [{nodeLabel: x}]}}}]",
	} {
		f.Add(at, []byte(text), at%2 == 0)
	}
	f.Fuzz(func(t *testing.T, at int, data []byte, keepGoing bool) {
		formats := fabric.Formats()
		format := fabric.Format(formats[uint(at)%uint(len(formats))])
		opt := fabric.Options{KeepGoing: keepGoing, Planes: []fabric.Planes{"", fabric.EachPlane, fabric.OnePlane}[uint(at)%3]}
		got, err := fabric.Read(format, []fabric.File{{Name: "x", Data: data}}, opt)
		if err != nil {
			requireTyped(t, err)
			return
		}
		again, err := fabric.Read(format, []fabric.File{{Name: "x", Data: data}}, opt)
		require.NoError(t, err)
		require.Equal(t, got.Findings, again.Findings)
		for i := range got.Trees {
			require.True(t, got.Trees[i].Tree.Equal(again.Trees[i].Tree))
		}
		for _, tree := range got.Trees {
			if tree.Tree.NumNodes() > 10_000 {
				return // a short hostlist stands for many names: right, and slow to write in every format
			}
		}
		for _, to := range fabric.Written() {
			if _, err := fabric.Write(fabric.Format(to), got.Trees); err != nil {
				requireTyped(t, err)
			}
		}
	})
}
