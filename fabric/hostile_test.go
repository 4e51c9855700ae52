package fabric_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// Whatever names hold, a file that is written has no character that cannot be seen, and no line that a name began. It is refused, or it says
// the same when it is read.
func TestWrittenNamesAreSeen(t *testing.T) {
	const odd = "n\n\x1b[2J\a\r\u009b\u0085\u2028\u202e\ufeff\x7f\U000e0001"
	named := func(name, node string) []cluster.NamedTree {
		tree, err := topology.New(topology.Spec{
			Layers: []topology.Layer{{Tier: 1, Name: "layer" + name}},
			Roots:  []topology.Domain{{Name: "domain" + name, Tier: 1, Nodes: []string{"a" + node, "b" + node}}},
		})
		require.NoError(t, err)
		return []cluster.NamedTree{{Name: "net" + name, Tree: tree}}
	}
	written := 0
	for _, format := range fabric.Written() {
		for _, node := range []string{odd, "n"} { // names of nodes are refused where those of domains are written as what is allowed
			text, err := fabric.Write(fabric.Format(format), named(odd, node))
			if err != nil {
				text = []byte(err.Error())
				require.NotContains(t, string(text), "\n")
			} else {
				written++
				harmless, err := fabric.Write(fabric.Format(format), named(strings.Repeat("n", 3), "n"))
				require.NoError(t, err)
				comment := map[bool]int{true: 1}[format == "slurm"] // which says what the switch is called
				require.Equal(t, strings.Count(string(harmless), "\n")+comment, strings.Count(string(text), "\n"), "%s\n%s", format, text)
			}
			for _, r := range string(text) {
				require.True(t, r == '\n' || strconv.IsPrint(r), "%s: %U in %q", format, r, text)
			}
			if err != nil || format == "text" {
				continue
			}
			got, err := fabric.Read(fabric.Format(format), []fabric.File{{Name: "f", Data: text}}, fabric.Options{})
			if format == "hypernodes" || format == "labels" || format == "configmap" { // objects, which package manifest reads
				continue
			}
			require.NoError(t, err, format)
			var names []string
			for n := range topology.NodeID(got.Trees[0].Tree.NumNodes()) {
				names = append(names, got.Trees[0].Tree.NodeName(n))
			}
			slices.Sort(names)
			require.Equal(t, []string{"a" + node, "b" + node}, names, format)
		}
	}
	require.Greater(t, written, 6)
}
