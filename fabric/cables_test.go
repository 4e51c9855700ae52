package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/fabric"
	"github.com/muster-sched/muster/topology"
)

// wires are the cables of a drawn network, by the names of both ends; those of hosts begin with h.
type wires [][2]string

func drawWires(t *rapid.T) (w wires) {
	device := rapid.SampledFrom(strings.Fields("h1 h2 h3 h4 h5 h10 l1 l2 l3 l01 s1 s2 c1"))
	for range rapid.IntRange(1, 14).Draw(t, "cables") {
		one, other := device.Draw(t, "one"), device.Draw(t, "other")
		if one[0] == 'h' {
			one, other = other, one
		}
		if one[0] != 'h' { // tables are of switches
			w = append(w, [2]string{one, other})
		}
	}
	return w
}

func (w wires) read(t *rapid.T) *fabric.Fabric {
	var b strings.Builder
	b.WriteString("switch,peer,peer_kind\n")
	for _, c := range w {
		kind := "switch"
		if c[1][0] == 'h' {
			kind = "node"
		}
		fmt.Fprintf(&b, "%s,%s,%s\n", c[0], c[1], kind)
	}
	got, err := fabric.Read("cables", []fabric.File{{Name: "x", Data: []byte(b.String())}}, fabric.Options{KeepGoing: true, Planes: fabric.OnePlane})
	require.NoError(t, err)
	return got
}

// levels says how many switches stand between each switch and the nearest host, itself included; slowly.
func (w wires) levels() map[string]int {
	level := map[string]int{}
	for changed := true; changed; {
		changed = false
		for _, c := range w {
			for _, ends := range [][2]string{c, {c[1], c[0]}} {
				below := 0
				if ends[1][0] != 'h' {
					if below = level[ends[1]]; below == 0 {
						continue
					}
				}
				if old := level[ends[0]]; ends[0][0] != 'h' && ends[0] != ends[1] && (old == 0 || below+1 < old) {
					level[ends[0]], changed = below+1, true
				}
			}
		}
	}
	return level
}

// reach is what hangs together with a host by switches of at most a level, and cables between neighbouring levels.
func (w wires) reach(host string, most int, level map[string]int) map[string]bool {
	seen := map[string]bool{host: true}
	for changed := true; changed; {
		changed = false
		for _, c := range w {
			a, b := level[c[0]], level[c[1]]
			if max(a, b) > most || max(a, b)-min(a, b) != 1 || seen[c[0]] == seen[c[1]] {
				continue
			}
			seen[c[0]], seen[c[1]], changed = true, true, true
		}
	}
	return seen
}

// Two hosts are in one domain of a tier if, and only if, they hang together by switches of that level; the order of cables changes
// nothing.
func TestDomainsAreWhatHangsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWires(t)
		got, level := w.read(t), w.levels()
		again := rapid.Permutation(w).Draw(t, "order").read(t)
		require.Equal(t, got.Findings, again.Findings)
		require.Len(t, again.Trees, len(got.Trees))
		if len(got.Trees) == 0 {
			return
		}
		tree := got.Trees[0].Tree
		require.True(t, tree.Equal(again.Trees[0].Tree))
		most := 0
		for _, l := range level {
			most = max(most, l)
		}
		for n := range topology.NodeID(tree.NumNodes()) {
			for m := range n {
				tier := 1
				for ; tier <= most && !w.reach(tree.NodeName(n), tier, level)[tree.NodeName(m)]; tier++ {
				}
				if got := tree.LCA(n, m); got == topology.Root {
					require.Greater(t, tier, most, "%s and %s", tree.NodeName(n), tree.NodeName(m))
				} else {
					require.Equal(t, tier, tree.Tier(got), "%s and %s", tree.NodeName(n), tree.NodeName(m))
				}
			}
		}
		for _, c := range w {
			_, in := tree.Node(c[1])
			require.Equal(t, c[1][0] == 'h', in)
		}
	})
}
