// Is waste what the definition says, whatever the amounts, and is it left out only where slots say the same?

package room_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/features"
	"github.com/muster-sched/muster/internal/validity"
)

// means are those of the kinds of devices that count for a unit that asks for so much, and the sum of the CPU of which they are made.
func (a *asked) means(asks muster.Resources) (means map[string]*big.Rat, cpu *big.Int) {
	all, asked, cpu := map[string]*big.Rat{}, map[string]*big.Rat{}, new(big.Int)
	for _, n := range a.spec.Nodes {
		for kind, amount := range n.Allocatable {
			if muster.IsDevice(kind) && amount > 0 {
				all[kind] = nil
			}
		}
	}
	for kind := range all {
		if asks[kind] > 0 {
			asked[kind] = nil
		}
	}
	if len(asked) == 0 {
		asked = all
	}
	for kind := range asked {
		c, d := new(big.Int), new(big.Int)
		for _, n := range a.spec.Nodes {
			if n.Allocatable[kind] > 0 {
				c.Add(c, big.NewInt(n.Allocatable[muster.CPU]))
				d.Add(d, big.NewInt(n.Allocatable[kind]))
			}
		}
		for _, sum := range []*big.Int{c, d} {
			if !sum.IsInt64() { // it counts as the largest amount
				sum.SetInt64(math.MaxInt64)
			}
		}
		asked[kind] = new(big.Rat).SetFrac(c, d)
		cpu.Add(cpu, c)
	}
	return asked, cpu
}

// waste is that of a node by the definition, where devices and CPU count with at most so much; nil: with all.
func (a *asked) waste(name string, means map[string]*big.Rat, asks muster.Resources, most *big.Rat) *big.Rat {
	free := func(resource string, less int64) *big.Rat {
		n, _ := validity.Free(a.node(name), resource, a.on(name))
		return new(big.Rat).SetInt64(max(0, max(0, n)-less))
	}
	weighed := func(n, mean *big.Rat) *big.Rat {
		r := new(big.Rat).Mul(n, mean)
		if most != nil && r.Cmp(most) > 0 {
			return most
		}
		return r
	}
	sum, one := new(big.Rat), big.NewRat(1, 1)
	for kind, mean := range means {
		if free(kind, 0).Sign() == 0 {
			continue
		}
		lacks := func(devices, cpu int64) *big.Rat {
			r := new(big.Rat).Sub(weighed(free(kind, devices), mean), weighed(free(muster.CPU, cpu), one))
			if r.Sign() < 0 {
				return new(big.Rat)
			}
			return r
		}
		if a.Model.Policy == gang.BestFit {
			sum.Add(sum, weighed(free(kind, 0), mean))
		}
		more := new(big.Rat).Sub(lacks(asks[kind], asks[muster.CPU]), lacks(0, 0))
		sum.Add(sum, more.Add(more, more))
	}
	return sum
}

// checkWaste says of all nodes that their waste is that of the definition times one number, and that sums of it do not overflow.
func checkWaste(t require.TestingT, a *asked) {
	asks := muster.Resources{}
	for _, s := range a.Shapes {
		asks.Add(s.Resources)
	}
	means, cpu := a.means(asks)
	factor, one := big.NewInt(1), big.NewInt(1) // so that all means are whole
	for _, mean := range means {
		by := new(big.Int).GCD(nil, nil, factor, mean.Denom())
		factor.Mul(factor, by.Div(mean.Denom(), by))
	}
	limit, most := new(big.Int).Lsh(one, 60), (*big.Rat)(nil)
	if new(big.Int).Mul(cpu, factor).Cmp(limit) >= 0 && len(means) > 0 {
		factor, most = one, new(big.Rat).SetInt(new(big.Int).Rsh(limit, uint(bits.Len(uint(int(a.Model.View.Nodes)*len(means))))))
		for kind, mean := range means {
			whole := new(big.Int).Div(mean.Num(), mean.Denom())
			if whole.Sign() == 0 && mean.Sign() > 0 {
				whole = one
			}
			means[kind] = new(big.Rat).SetInt(whole)
		}
	}
	sum := new(big.Int)
	for pos := range a.Model.View.Nodes {
		if a.node(a.name(pos)) == nil {
			continue
		}
		got := a.Nodes().Waste(a.Model.View.NodeVertex(pos))
		want := a.waste(a.name(pos), means, asks, most)
		require.Equal(t, want.Mul(want, new(big.Rat).SetInt(factor)).RatString(), fmt.Sprint(got), "%s, means %v", a.name(pos), means)
		sum.Add(sum, new(big.Int).Abs(big.NewInt(got)))
	}
	require.True(t, sum.IsInt64(), "%v", sum)
}

// Waste is what free devices need in CPU, and twice what a unit adds to what they lack.
func TestWasteIsThatOfTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsked(t)
		a.Model.Policy = rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.BestFit, gang.Spread, gang.Balanced}).Draw(t, "policy")
		checkWaste(t, a)
	})
}

// It is exact for as large amounts as it can be, and never overflows.
func TestWasteOfAnyAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.SampledFrom([]int64{0, 1, 2, 3, 7, 97, 4000, 1 << 20, 1<<31 - 1, 1 << 40, 1<<59 - 55, 1 << 60, 1 << 62, math.MaxInt64})
		kinds := []string{"gpu", "nic", "fpga", muster.CPU}
		resources := func(most muster.Resources) muster.Resources {
			r := muster.Resources{}
			for _, kind := range kinds {
				if n := amount.Draw(t, kind); most == nil || n <= most[kind] {
					r[kind] = n
				}
			}
			return r
		}
		spec := cluster.Spec{}
		for i := range rapid.IntRange(1, 5).Draw(t, "nodes") {
			n := cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: resources(nil)}
			spec.Nodes = append(spec.Nodes, n)
			if rapid.Bool().Draw(t, "taken") {
				r := cluster.Running{Gang: "other", Member: fmt.Sprint("m-", i), Node: n.Name, Resources: resources(n.Allocatable)}
				r.Leaving = rapid.Bool().Draw(t, "leaving")
				spec.Running = append(spec.Running, r)
			}
		}
		a := newAsked(t, spec, &gang.Request{Name: "g"}, &gang.Shape{Resources: resources(nil)})
		a.LeavingGone = rapid.Bool().Draw(t, "leaving members are gone")
		a.Model.Policy = gang.BestFit
		checkWaste(t, a)
	})
}

// slotsTell says whether waste orders all nodes that take a unit as the smaller slots do; without BestFit it must be the same on each.
func slotsTell(a *asked) bool {
	table := a.Nodes().Table()
	for p := range a.Model.View.Nodes {
		for q := range p {
			x, y := a.Model.View.NodeVertex(p), a.Model.View.NodeVertex(q)
			s, other := table.At(x), table.At(y)
			if s <= 0 || other <= 0 {
				continue
			}
			w, more := a.Nodes().Waste(x), a.Nodes().Waste(y)
			if w != more && (a.Model.Policy != gang.BestFit || s == other || (w < more) != (s < other)) {
				return false
			}
		}
	}
	return true
}

// Where a room says that nodes do not differ in waste, slots tell them apart as waste does, on each of the snapshots that follow each other.
func TestWasteIsLeftOutWhereSlotsTell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := drawAsked(t)
		c, policy := first.Snapshot, rapid.SampledFrom([]gang.Policy{gang.BestFit, gang.Spread, gang.Balanced}).Draw(t, "policy")
		for range 3 {
			a := onSnapshot(t, c, first.Request, first.Shapes...)
			a.LeavingGone, a.Allowed, a.Model.Policy = first.LeavingGone, first.Allowed, policy
			a.Nodes().Table()
			if a.Nodes().Features()&features.Wasteful == 0 {
				require.True(t, slotsTell(a))
			}
			next, err := c.Update(drawChange(t, &a.spec))
			require.NoError(t, err)
			c = next
		}
	})
}

// Equal nodes do not differ, also where further ones come; once one has less for each of its devices they do.
func TestEqualNodesDoNotDifferInWaste(t *testing.T) {
	node := func(i int, cpu int64) cluster.Node {
		return cluster.Node{Name: fmt.Sprint("n-", i), Allocatable: muster.Resources{draws.Device: 4, muster.CPU: cpu}}
	}
	req, shape := &gang.Request{Name: "g"}, &gang.Shape{Resources: muster.Resources{draws.Device: 2, muster.CPU: 3000}}
	a := newAsked(t, cluster.Spec{Nodes: []cluster.Node{node(0, 8000), node(1, 8000), node(2, 8000)}}, req, shape)
	wasteful := func(a *asked) bool {
		a.Model.Policy = gang.BestFit
		a.Nodes().Table()
		return a.Nodes().Features()&features.Wasteful != 0
	}
	require.False(t, wasteful(a))
	for _, step := range []struct {
		node cluster.Node
		want bool
	}{{node(3, 8000), false}, {node(2, 6000), true}} {
		c, err := a.Snapshot.Update(cluster.Delta{SetNodes: []cluster.Node{step.node}})
		require.NoError(t, err)
		a = onSnapshot(t, c, req, shape)
		require.Equal(t, step.want, wasteful(a))
	}
}
