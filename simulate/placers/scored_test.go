package placers_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/simulate"
	"github.com/muster-sched/muster/simulate/placers"
)

// Where does each policy put a pod that asks for 4 of 8 devices? Half of those that come ask for 1 device, a quarter for 4, and a quarter for 8. Fragments are free devices times the share
// of pods that cannot use them: of 4 free devices a quarter (1), of 8 none, of 7 a quarter (1.75), of 3 a half (1.5). So the pod takes 1 away from n4, adds 1 to n8, and takes 1.75 - 1.5 = 0.25 away from n7. In devices left n4 has 0, n7 has 3 and n8 has 4.
func ExampleFGD_Score() {
	fgd := placers.FGD{Typical: []placers.Typical{
		{Resources: muster.Resources{"gpu": 1}, Count: 2}, {Resources: muster.Resources{"gpu": 4}, Count: 1}, {Resources: muster.Resources{"gpu": 8}, Count: 1},
	}}
	asks, most := muster.Resources{"gpu": 4}, muster.Resources{"gpu": 8}
	for _, free := range []int64{4, 7, 8} {
		fragments := fgd.Score(muster.Resources{"gpu": free}, asks)
		left := placers.LeastLeft{}.Score(muster.Resources{"gpu": free}, asks, most)
		fmt.Printf("%d free: fragments %+.2f, left %.3f\n", free, -float64(fragments)/(1<<16), float64(-left)/(1<<20))
	}
	// Output:
	// 4 free: fragments -1.00, left 0.000
	// 7 free: fragments -0.25, left 0.375
	// 8 free: fragments +1.00, left 0.500
}

// Each policy has a node of its own for a pod that asks for 3 devices: the one with the fewest slots, the emptiest one, the one with the least left, the one that it fragments least.
func TestPoliciesDiffer(t *testing.T) {
	c := drawn(t, "gpu", []string{"rack"}, "r1: n1=5/8 n2=3/8 n3=4/8 n4=8 n5=7/8 n6=6/8")
	req := asks("gpu", 1, "")
	req.Shape.Resources["gpu"] = 3
	of := func(name string) string {
		e, known := placers.Named(name)
		require.True(t, known)
		return placed(t, e.Placer, c, req)
	}
	require.Equal(t, "n1", placed(t, simulate.Muster{}, c, req), "n1, n2 and n3 have one slot each: the first in the order of paths")
	require.Equal(t, "n4", of("muster-spread"), "of two slots each the first")
	require.Equal(t, "n1", of("muster-balanced"), "as best fit, on one node")
	require.Equal(t, "n2", of("muster-score-best-fit"), "nothing is left")
	// Of those that run five ask for 3, 5, 4, 1 and 2 devices, and the pod for 3.
	require.Equal(t, "n2", of("muster-fgd"))
	// Pods of 4 alone are expected: n1 has 5 free and then 2 that none can use, n2 gets rid of 3 that are of no use already, n5 keeps 4 of use.
	fgd := placers.FGD{Typical: []placers.Typical{{Resources: muster.Resources{"gpu": 4, muster.Memory: 1 << 40}, Count: 1}}}
	require.Equal(t, "n2", placed(t, fgd, c, req))
	c = drawn(t, "gpu", []string{"rack"}, "r1: n1=5/8 n3=4/8 n4=8 n5=7/8 n6=6/8")
	require.Equal(t, "n4", placed(t, fgd, c, req), "what n4 and n5 have left is of use: the first of them")
}

// The policy of a plan is not the request's, which is left as it is.
func TestPlansKeepNothing(t *testing.T) {
	c := drawn(t, "gpu", []string{"rack"}, "r1: n1=3 n2=3")
	req := asks("gpu", 2, "")
	req.Policy, req.Score = gang.Spread, func(node string) int64 { return int64(node[1]) }
	require.Equal(t, "n2*2", placed(t, placers.Planned{Policy: gang.ByScore}, c, req), "the request's own score")
	require.Equal(t, "n1*2", placed(t, placers.LeastLeft{}, c, req), "another score")
	require.Equal(t, gang.Spread, req.Policy)
	require.Equal(t, int64('1'), req.Score("n1"))
	_, err := placers.FGD{}.Place(c, &gang.Request{Name: "none"})
	_, want := simulate.Muster{}.Place(c, &gang.Request{Name: "none"})
	require.Equal(t, want, err)
}

// Scores are those of a naive computation: in fractions, device by device and pod by pod.
func TestScoresEqualNaiveOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amounts := func(lowest, highest int64, what string) muster.Resources {
			out := muster.Resources{}
			for _, name := range []string{"cpu", "memory", "gpu", "nic"} {
				if n := rapid.Int64Range(lowest, highest).Draw(t, what+name); n != 0 {
					out[name] = n
				}
			}
			return out
		}
		free, asks, most := amounts(-1, 9, "free"), amounts(0, 4, "asks"), amounts(0, 9, "most")
		typical := make([]placers.Typical, rapid.IntRange(0, 4).Draw(t, "kinds"))
		for i := range typical {
			typical[i] = placers.Typical{Resources: amounts(0, 5, "kind"), Count: int64(rapid.IntRange(0, 3).Draw(t, "count"))}
		}
		after := muster.Resources{}
		for name, n := range free {
			after[name] = n - asks[name]
		}
		want := naiveFragments(free, typical) - naiveFragments(after, typical)
		require.InDelta(t, want*(1<<16), placers.FGD{Typical: typical}.Score(free, asks), 40, "each share of a device is rounded down")
		left := 0.0
		for _, name := range []string{"cpu", "gpu", "nic"} {
			if most[name] > 0 {
				left += min(1, max(0, float64(free[name]-asks[name])/float64(most[name])))
			}
		}
		require.InDelta(t, -left*(1<<20), placers.LeastLeft{}.Score(free, asks, most), 4)
	})
}

// naiveFragments go over pods one by one, each as often as it comes.
func naiveFragments(free muster.Resources, typical []placers.Typical) float64 {
	devices, all, sum := float64(max(free["gpu"], 0)+max(free["nic"], 0)), 0.0, 0.0
	for _, kind := range typical {
		for range kind.Count {
			all++
			asks := kind.Resources
			if asks["gpu"]+asks["nic"] == 0 || asks["gpu"] > max(free["gpu"], 0) || asks["nic"] > max(free["nic"], 0) || asks["cpu"] > max(free["cpu"], 0) {
				sum += devices
			}
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}
