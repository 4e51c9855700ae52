package placers_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
)

// peers are clusters and gangs, and where the code of other schedulers, unchanged, put them: the tier, then how many spines, leaves, units and nodes they used.
const peers = "../../../shared/data/span/series.csv"

// Koordinator and Kueue told anew answer as their own code did.
func TestThoseToldAnewAnswerAsTheirOwnCodeDid(t *testing.T) {
	data, err := os.ReadFile(peers)
	if os.IsNotExist(err) {
		t.Skip("the answers of other schedulers are not here")
	}
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"nodes", "seed", "members", "devices", "koordinator", "kueue", "muster", "free"}, rows[0])
	for _, row := range rows[1:] {
		sizes := []int{2, 2, 8, 32}
		if row[0] == "10240" {
			sizes = []int{4, 5, 16, 32}
		}
		c := filled(t, sizes, row[7])
		req := asks("gpu", int(number(t, row[2])), "")
		req.Shape.Resources["gpu"] = number(t, row[3])
		for i, p := range []simulate.Placer{placers.Koordinator{}, placers.KueuePreferred{}} {
			place, err := p.Place(c, req)
			require.NoError(t, err)
			require.Equal(t, row[4+i], spans(t, sizes, place.Nodes), "%T, seed %s", p, row[1])
		}
	}
}

// filled is a cluster of spines, leaves, units and nodes with a digit of free devices for each node.
func filled(t testing.TB, sizes []int, free string) *placement.Cluster {
	t.Helper()
	var lines []string
	for i := range len(free) / sizes[3] {
		line := fmt.Sprintf("spine-%d/leaf-%d/unit-%d:", i/sizes[2]/sizes[1], i/sizes[2], i)
		for k := range sizes[3] {
			n := i*sizes[3] + k
			line += fmt.Sprintf(" node-%d=%c", n, free[n])
		}
		lines = append(lines, line)
	}
	return drawn(t, "gpu", []string{"spine", "leaf", "unit"}, lines...)
}

// spans are the tier that some nodes reach, and how many domains of each layer they use.
func spans(t *testing.T, sizes []int, nodes []string) string {
	t.Helper()
	widths := []int{sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1}
	tier, out := len(sizes), ""
	for _, width := range widths {
		used := map[int64]bool{}
		for _, n := range nodes {
			used[number(t, strings.TrimPrefix(n, "node-"))/int64(width)] = true
		}
		if out += fmt.Sprintf(" %d", len(used)); len(used) == 1 {
			tier--
		}
	}
	return fmt.Sprint(tier, out)
}

// BenchmarkPlace asks every placer for a gang that lies in a leaf, at 1,024 nodes.
func BenchmarkPlace(b *testing.B) {
	c := filled(b, []int{2, 2, 8, 32}, strings.Repeat("8033580082105784", 64))
	for _, e := range placers.All() {
		b.Run(e.Name, func(b *testing.B) {
			req := asks("gpu", 100, "")
			req.Shape.Resources["gpu"] = 4
			for b.Loop() {
				if place, err := e.Placer.Place(c, req); err != nil || place == nil {
					b.Fatal(place, err)
				}
			}
		})
	}
}
