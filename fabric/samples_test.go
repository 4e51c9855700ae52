package fabric_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// sample reads a file of real or published fabrics, if it is there.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../shared/data/fabric", name))
	if os.IsNotExist(err) {
		t.Skip("no ../shared/data: the samples are not here")
	}
	require.NoError(t, err)
	return data
}

// sizes are the nodes of the lowest domains of a tree, ascending.
func sizes(t *topology.Tree) (out []int) {
	for d := range t.All() {
		if first, last := t.Children(d); first == last {
			from, to := t.Nodes(d)
			out = append(out, int(to-from))
		}
	}
	slices.Sort(out)
	return out
}

// Every sample loads, with the facts that are known of it.
func TestSamples(t *testing.T) {
	for _, s := range []struct {
		format   fabric.Format
		file     string
		trees    string // name, nodes, domains without the root, tier of the root
		findings map[fabric.Kind]int
	}{
		{"ufm", "samples/ufm-ports.json", "ufm 8 3 3", map[fabric.Kind]int{fabric.MissingRail: 2}},
		{"slurm", "topograph/slurm-tree.conf", "slurm 96 19 4", nil},
		{"slurm", "topograph/slurm-block.conf", "slurm 96 21 4", nil},
		{"topograph", "topograph/model-small-tree.yaml", "accelerator 6 2 2, topograph 6 3 3", nil},
		{"topograph", "topograph/model-medium.yaml", "accelerator 8 4 2, topograph 8 7 4", nil},
		{"topograph", "topograph/model-large.yaml", "accelerator 96 12 2, topograph 96 19 4", nil},
		{"topograph", "topograph/model-nvl72.yaml", "accelerator 72 4 2, topograph 72 7 4", nil},
		{"topograph", "topograph/model-dual-xclr-regular.yaml", "accelerator 96 14 3, topograph 96 19 4", nil},
		{"topograph", "topograph/model-dual-xclr-irregular.yaml", "accelerator 255 31 3, topograph 255 34 4", nil},
		{
			"ibnetdiscover", "topograph/ibnetdiscover-dgx.txt", "ibnetdiscover 120 9 3",
			map[fabric.Kind]int{fabric.TwoLeaves: 1, fabric.MissingRail: 2, fabric.UnknownName: 74},
		},
		{"netq", "topograph/netq-graph.json", "netq 8 3 3", nil},
		{"netq", "topograph/netq-compute.json", "accelerator 2 1 2", nil},
		{"cables", "ib_dgx_links.csv", "cables 119 9 3", map[fabric.Kind]int{fabric.UnknownName: 76}},
		{"table", "lingjun_topo.csv", "table 847 123 4", map[fabric.Kind]int{}},
	} {
		t.Run(s.file, func(t *testing.T) {
			got, err := fabric.Read(s.format, []fabric.File{{Name: s.file, Data: sample(t, s.file)}}, fabric.Options{KeepGoing: true})
			require.NoError(t, err)
			require.Equal(t, s.format, fabric.Detect(fabric.File{Name: s.file, Data: sample(t, s.file)}))
			var trees []string
			for _, tree := range got.Trees {
				trees = append(trees, fmt.Sprint(tree.Name, " ", tree.Tree.NumNodes(), " ", tree.Tree.Len()-1, " ", tree.Tree.RootTier()))
			}
			require.Equal(t, s.trees, strings.Join(trees, ", "))
			findings := map[fabric.Kind]int{}
			for _, f := range got.Findings {
				findings[f.Kind]++
			}
			if s.findings == nil {
				s.findings = map[fabric.Kind]int{}
			}
			require.Equal(t, s.findings, findings)
		})
	}
}

// The units of a real InfiniBand fabric are those that its leaves tell, from the cables as from the listing itself.
func TestUnitsOfADGXFabric(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(string(sample(t, "ib_dgx_nodes.csv")))).ReadAll()
	require.NoError(t, err)
	unitOf := map[string]string{}
	for _, row := range rows[1:] {
		unitOf[row[0]] = row[1]
	}
	for format, file := range map[fabric.Format]string{"cables": "ib_dgx_links.csv", "ibnetdiscover": "topograph/ibnetdiscover-dgx.txt"} {
		got, err := fabric.Read(format, []fabric.File{{Name: file, Data: sample(t, file)}}, fabric.Options{KeepGoing: true})
		require.NoError(t, err)
		tree := got.Trees[0].Tree
		units, known := map[string]topology.DomainID{}, 0
		for n := range topology.NodeID(tree.NumNodes()) {
			unit, is := unitOf[tree.NodeName(n)]
			if !is {
				require.Equal(t, "B11-P1-CUFM-02", tree.NodeName(n), "the fabric manager is a machine as well")
				continue
			}
			known++
			if first, seen := units[unit]; seen {
				require.Equal(t, first, tree.Leaf(n), unit)
			}
			units[unit] = tree.Leaf(n)
		}
		require.Equal(t, len(unitOf), known)
		require.Len(t, units, 8)
	}
	got, err := fabric.Read("cables", []fabric.File{{Name: "links.csv", Data: sample(t, "ib_dgx_links.csv")}}, fabric.Options{KeepGoing: true})
	require.NoError(t, err)
	require.Equal(t, []int{10, 11, 14, 15, 16, 17, 18, 18}, sizes(got.Trees[0].Tree))
}

// Access switches of one name below two others are two domains.
func TestNamesRepeatInAPublishedCluster(t *testing.T) {
	got, err := fabric.Read("table", []fabric.File{{Name: "topo.csv", Data: sample(t, "lingjun_topo.csv")}}, fabric.Options{})
	require.NoError(t, err)
	require.Len(t, sizes(got.Trees[0].Tree), 119)
}
