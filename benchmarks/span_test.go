package benchmarks_test

import (
	"fmt"
	"slices"
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
// with -v; in no cluster others use less, layer by layer from the top.
func TestSpansBesideOthers(t *testing.T) {
	names, rows := table(t, spanSeries)
	who := []string{"muster", names[4], names[5], "largest first"}
	sums := make([][4][4]int, 2) // up to a leaf, and wider: by scheduler
	smaller := make([][3]int, 2) // plans of others that use less
	for _, row := range rows {
		s := seriesOf(t, row)
		own := s.plan(t)
		place := 0
		if own.tier > 2 {
			place = 1
		}
		for i, plan := range []span{own, spanFrom(t, row[4]), spanFrom(t, row[5]), s.largestFirst(own)} {
			require.Equal(t, plan.tier, own.tier, "seed %s: %s", row[1], who[i])
			if slices.Compare(plan.used[:], own.used[:]) < 0 {
				smaller[place][i-1]++
			}
			for k, n := range plan.used {
				sums[place][i][k] += n
			}
		}
	}
	for place, name := range []string{"up to a leaf", "wider"} {
		for i, n := range sums[place] {
			line := fmt.Sprintf("%s: %s: %d spines, %d leaves, %d units, %d nodes", name, who[i], n[0], n[1], n[2], n[3])
			if i > 0 {
				line += fmt.Sprintf("; smaller in %d clusters", smaller[place][i-1])
			}
			t.Log(line)
		}
	}
	require.Equal(t, make([][3]int, 2), smaller, "plans of others that use less")
}

// series is a row of the series.
type series struct {
	shape   benchmarks.Shape
	spec    cluster.Spec
	request *gang.Request
}

// slots are how many members fit below each domain, by tier from the root down to nodes; the last layer is the nodes.
func (s series) slots() (by [5][]int) {
	for i := range s.spec.Nodes {
		by[4] = append(by[4], int(s.spec.Nodes[i].Allocatable[gpu]/s.request.Shape.Resources[gpu]))
	}
	s.sumAbove(&by, 4)
	return by
}

// sumAbove sums up what the domains of a layer hold in the layers above it.
func (s series) sumAbove(by *[5][]int, layer int) {
	for k := layer - 1; k >= 0; k-- {
		by[k] = make([]int, s.shape.NumNodes()/s.width(k))
		for i, n := range by[k+1] {
			by[k][i*s.width(k+1)/s.width(k)] += n
		}
	}
}

// width is how many nodes a domain of a layer has; layer 0 is the root, 4 are the nodes.
func (s series) width(layer int) int {
	if layer == 0 {
		return s.shape.NumNodes()
	}
	return s.shape.NumNodes() / s.shape.NumDomains(4-layer)
}

// largestFirst takes, in the domain of a plan, the fewest domains of each layer that hold all members: the largest ones of those that it took
// of the layer above.
func (s series) largestFirst(plan span) span {
	return s.largestOf(plan, s.slots(), len(s.request.Members), 4)
}

// largestOf is largestFirst for n units of which the domains of each layer down to the last one hold so many.
func (s series) largestOf(plan span, by [5][]int, n, last int) span {
	layer := 4 - plan.tier
	out, taken := span{tier: plan.tier}, []int{plan.first / s.width(layer)}
	for k := range layer {
		out.used[k] = 1
	}
	for ; layer < last; layer++ {
		var below []int
		for _, d := range taken {
			for i := range s.width(layer) / s.width(layer+1) {
				below = append(below, d*s.width(layer)/s.width(layer+1)+i)
			}
		}
		slices.SortStableFunc(below, func(a, b int) int { return by[layer+1][b] - by[layer+1][a] })
		taken = nil
		for left := n; left > 0; {
			d := below[len(taken)]
			taken, left = append(taken, d), left-by[layer+1][d]
		}
		out.used[layer] = len(taken)
	}
	return out
}

// span are the domains of each layer in use, the widest first, and the tier that is reached.
type span struct {
	tier  int
	used  [4]int
	first int // a node of it
}

// spanFrom reads the answer of a scheduler: the tier, spines, leaves, units, nodes.
func spanFrom(t *testing.T, text string) (s span) {
	t.Helper()
	numbers := strings.Fields(text)
	require.Len(t, numbers, 1+len(s.used))
	s.tier = int(whole(numbers[0]))
	for k := range s.used {
		s.used[k] = int(whole(numbers[1+k]))
	}
	return s
}

// seriesOf reads a row: the size, a seed, the gang, two other schedulers, an older plan, and what is free.
func seriesOf(t *testing.T, row []string) series {
	t.Helper()
	shape, err := benchmarks.ShapeOf(int(whole(row[0])), 3)
	require.NoError(t, err)
	var free []int
	for _, n := range row[7] {
		free = append(free, int(n-'0'))
	}
	s := withFree(t, shape, free)
	s.request = jobOf(int(whole(row[2])), whole(row[3]))
	return s
}

// withFree is a cluster of a shape with so many free devices on each node.
func withFree(t require.TestingT, shape benchmarks.Shape, free []int) series {
	s := series{shape: shape}
	tree, err := topology.New(topology.Spec{Layers: shape.Layers(), Roots: shape.Domains()})
	require.NoError(t, err)
	s.spec.Trees = []cluster.NamedTree{{Name: "default", Tree: tree}}
	for i, n := range free {
		s.spec.Nodes = append(s.spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: muster.Resources{gpu: int64(n)}})
	}
	return s
}

// jobOf is a gang of so many members with some devices each.
func jobOf(members int, devices int64) *gang.Request {
	req := &gang.Request{Name: "job", Shape: gang.Shape{Resources: muster.Resources{gpu: devices}}}
	for i := range members {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	return req
}

// plan counts the domains that a plan uses.
func (s series) plan(t require.TestingT) (out span) {
	c, err := placement.NewCluster(s.spec)
	require.NoError(t, err)
	res, err := placement.Plan(c, s.request)
	require.NoError(t, err)
	require.NoError(t, validity.Check(s.spec, s.request, res))
	out.tier, out.first = res.Tier, number(res.Assignments[0].Node)
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
