package benchmarks_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/benchmarks"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/topology"
)

// spanSeries are gangs on fragmented clusters, and where the code of other schedulers puts them.
const spanSeries = "../../shared/data/span/series.csv"

// How many domains of each layer do plans use, beside those of other schedulers on the same clusters? All reach the same tier. The table is printed
// with -v; in how many clusters others use less, layer by layer from the top, may only fall.
func TestSpansBesideOthers(t *testing.T) {
	f, err := os.Open(spanSeries)
	if os.IsNotExist(err) {
		t.Skip("no ../shared/data: the series is not here")
	}
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	others := rows[0][4:6]
	sums := make([][3][4]int, 2) // up to a leaf, and wider: by scheduler, the planner first
	smaller := make([][2]int, 2) // plans of others that use less
	for _, row := range rows[1:] {
		s := seriesOf(t, row)
		own := s.plan(t)
		place := 0
		if own.tier > 2 {
			place = 1
		}
		for i, text := range []string{"", row[4], row[5]} {
			other := own
			if i > 0 {
				other = spanFrom(t, text)
				require.Equal(t, other.tier, own.tier, "seed %s: %s", row[1], others[i-1])
				if slices.Compare(other.used[:], own.used[:]) < 0 {
					smaller[place][i-1]++
				}
			}
			for k, n := range other.used {
				sums[place][i][k] += n
			}
		}
	}
	for place, name := range []string{"up to a leaf", "wider"} {
		for i, who := range append([]string{"muster"}, others...) {
			n := sums[place][i]
			line := fmt.Sprintf("%s: %s: %d spines, %d leaves, %d units, %d nodes", name, who, n[0], n[1], n[2], n[3])
			if i > 0 {
				line += fmt.Sprintf("; smaller in %d clusters", smaller[place][i-1])
			}
			t.Log(line)
		}
	}
	require.Equal(t, [][2]int{{7, 5}, {9, 21}}, smaller, "plans of others that use less: they may only get fewer, so note it")
}

// series is a row of the series.
type series struct {
	shape   benchmarks.Shape
	spec    cluster.Spec
	request *gang.Request
}

// span are the domains of each layer in use, the widest first, and the tier that is reached.
type span struct {
	tier int
	used [4]int
}

// spanFrom reads the answer of a scheduler: the tier, spines, leaves, units, nodes.
func spanFrom(t *testing.T, text string) (s span) {
	t.Helper()
	numbers := strings.Fields(text)
	require.Len(t, numbers, 5)
	for i, field := range numbers {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		if i == 0 {
			s.tier = n
		} else {
			s.used[i-1] = n
		}
	}
	return s
}

// seriesOf reads a row: the size, a seed, the gang, two other schedulers, an older plan, and what is free.
func seriesOf(t *testing.T, row []string) (s series) {
	t.Helper()
	var numbers []int
	for _, field := range row[:4] {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		numbers = append(numbers, n)
	}
	var err error
	s.shape, err = benchmarks.ShapeOf(numbers[0], 3)
	require.NoError(t, err)
	tree, err := topology.New(topology.Spec{Layers: s.shape.Layers(), Roots: s.shape.Domains()})
	require.NoError(t, err)
	s.spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	for i, free := range row[7] {
		s.spec.Nodes = append(s.spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{"nvidia.com/gpu": int64(free - '0')}})
	}
	s.request = &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{"nvidia.com/gpu": int64(numbers[3])}}}
	for i := range numbers[2] {
		s.request.Members = append(s.request.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	return s
}

// plan counts the domains that a plan uses.
func (s series) plan(t *testing.T) (out span) {
	t.Helper()
	c, err := placement.NewCluster(s.spec)
	require.NoError(t, err)
	res, err := placement.Plan(c, s.request)
	require.NoError(t, err)
	require.NoError(t, validity.Check(s.spec, s.request, res))
	out.tier = res.Tier
	for k := range out.used {
		seen := map[int]bool{}
		width := s.shape.NumNodes() / s.shape.NumDomains(3-k)
		for i := range res.Assignments {
			seen[number(res.Assignments[i].Node)/width] = true
		}
		out.used[k] = len(seen)
	}
	return out
}
