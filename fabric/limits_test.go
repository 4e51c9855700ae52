package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// Of every format that can be so deep: 64 layers are read, and of more the error says where, and how many may be.
func TestLayersAreBounded(t *testing.T) {
	const head = "switch,peer,peer_kind\ns0,host,node\n"
	formats := map[string]func(n int) string{
		"slurm": func(n int) string {
			return chained(n, 1, "SwitchName=s%d Switches=s%d\n") + "SwitchName=s0 Nodes=n1\n"
		},
		"topograph": func(n int) string {
			return "switches:\n" + chained(n, 1, "  s%d: {switches: [s%d]}\n") + "blocks: [{switch: s0, nodes: [n1]}]\n"
		},
		"cables": func(n int) string { return head + chained(n, 1, "s%d,s%d,switch\n") },
		"list": func(n int) string {
			entries := []string{`{"layer": 1, "name": "s0", "children": ["n1"]}`}
			for i := 1; i < n; i++ {
				entries = append(entries, fmt.Sprintf(`{"layer": %d, "name": "s%d", "children": ["s%d"]}`, i+1, i, i-1))
			}
			return "[" + strings.Join(entries, ", ") + "]"
		},
		"table": func(n int) string {
			columns, row := []string{"host"}, []string{"n1"}
			for i := range n {
				columns, row = append(columns, fmt.Sprint("layer-", i)), append(row, "x")
			}
			return strings.Join(columns, ",") + "\n" + strings.Join(row, ",") + "\n"
		},
	}
	for name, text := range formats {
		t.Run(name, func(t *testing.T) {
			read := func(n int) (*fabric.Fabric, error) {
				return fabric.Read(fabric.Format(name), []fabric.File{{Name: "x", Data: []byte(text(n))}}, fabric.Options{KeepGoing: true})
			}
			got, err := read(topology.MaxLayers)
			require.NoError(t, err)
			require.Equal(t, topology.MaxLayers, got.Trees[0].Tree.RootTier()-1)
			for _, n := range []int{topology.MaxLayers + 1, 3000} {
				_, err = read(n)
				require.ErrorContains(t, err, " 64 ")
				require.Less(t, len(err.Error()), 500, "one error says it")
				requireTyped(t, err)
				if name != "cables" { // which joins files before it looks for levels
					require.ErrorContains(t, err, "x: ")
				}
			}
		})
	}
}

// chained writes a line for each pair of neighbours, from the first pair on.
func chained(n, from int, line string) string {
	var b strings.Builder
	for i := from; i < n; i++ {
		fmt.Fprintf(&b, line, i, i-1)
	}
	return b.String()
}

// So are labels that a host chooses.
func TestLabelsAreBounded(t *testing.T) {
	levels := fabric.Levels{Topology: "mine"}
	node := topology.LabeledNode{Name: "n1", Labels: map[string]string{}}
	for i := range topology.MaxLayers {
		levels.Labels = append(levels.Labels, fmt.Sprint("l", i))
		node.Labels[levels.Labels[i]] = "x"
	}
	got, err := fabric.FromLabels(levels, []topology.LabeledNode{node}, fabric.Options{KeepGoing: true})
	require.NoError(t, err)
	require.Len(t, got.Trees[0].Tree.Layers(), topology.MaxLayers)
	levels.Labels = append(levels.Labels, "one-more")
	_, err = fabric.FromLabels(levels, []topology.LabeledNode{node}, fabric.Options{KeepGoing: true})
	require.EqualError(t, err, `mine "65 labels": a topology has at most 64 layers`)
}
