package numa_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/numa"
)

const gpu = "nvidia.com/gpu"

// oneOf draws an element.
func oneOf[T any](t *rapid.T, label string, list ...T) T {
	return rapid.SampledFrom(list).Draw(t, label)
}

func number(t *rapid.T, label string, low, high int) int {
	return rapid.IntRange(low, high).Draw(t, label)
}

// drawn is a filled node of n zones and a member for it.
func drawn(t *rapid.T, n int, policy numa.Policy) *reference {
	r := &reference{policy: policy, distances: rapid.Bool().Draw(t, "distances")}
	names := []string{muster.CPU, gpu, muster.Memory}[:number(t, "resources", 1, 3)]
	most := number(t, "largest", 1, 5)
	alike := rapid.Bool().Draw(t, "equal zones")
	leastFree := 0
	if rapid.Bool().Draw(t, "nearly empty") {
		leastFree = most - 1
	}
	id := 0
	for z := range n {
		id += number(t, "gap", 0, 1)
		zone, used := numa.Zone{ID: id, Allocatable: muster.Resources{}}, muster.Resources{}
		id++
		for _, name := range names {
			unit := r.unit(name)
			amount := unit * int64(number(t, "has", 0, most))
			if alike {
				amount = unit * int64(most)
			} else if amount == 0 && rapid.Bool().Draw(t, "not reported") {
				continue
			}
			zone.Allocatable[name] = amount
			if free := unit * int64(number(t, "free", leastFree, most)); free < amount {
				used[name] = amount - free
			}
		}
		r.zones, r.used = append(r.zones, zone), append(r.used, used)
		r.hosts = append(r.hosts, oneOf(t, "hosts", 0, 0, 0, numa.HostsSingle, numa.HostsSpanning, numa.HostsSingle|numa.HostsSpanning))
		_ = z
	}
	r.keep(t)
	if r.distances {
		for i := range r.zones {
			r.zones[i].Distances = map[int]int64{}
			for _, other := range r.zones {
				r.zones[i].Distances[other.ID] = int64(number(t, "distance", 10, 12))
			}
		}
	}
	r.member = numa.Member{
		Policy: policy, Resources: muster.Resources{}, Exclusive: oneOf(t, "exclusive", "", numa.Required, numa.Preferred),
		CPUs: oneOf(t, "granularity", "", "", numa.WholeCPUs, numa.WholeCores), ThreadsPerCore: number(t, "threads", 0, 2),
	}
	low, high := 0, 2*most
	if rapid.Bool().Draw(t, "a little more than a zone") {
		low, high = most+1, most+max(1, most/2)
	}
	for _, name := range names {
		r.member.Resources[name] = r.unit(name) * int64(number(t, "request", low, high))
	}
	return r
}

// keep draws members that are still to come, and must keep apart.
func (r *reference) keep(t *rapid.T) {
	if !rapid.Bool().Draw(t, "some zones are kept") {
		return
	}
	r.keeps = make([]numa.Hosts, len(r.zones))
	spanning := 0
	for z := range r.zones {
		r.keeps[z] = oneOf(t, "kept for", 0, 0, numa.HostsSingle, numa.HostsSpanning)
		spanning += int(r.keeps[z] / numa.HostsSpanning)
	}
	for z := range r.zones {
		if spanning == 1 {
			r.keeps[z] &^= numa.HostsSpanning // it spans others as well
		}
		r.hosts[z] |= r.keeps[z]
	}
}

// kept are members for whom zones are kept. They have of them what no zone reports: the marks count.
func (r *reference) kept() (kept []numa.Placed) {
	spans := numa.Placed{Policy: numa.BestEffort, Kept: true}
	for z, keeps := range r.keeps {
		share := []numa.Share{{Zone: r.zones[z].ID, Resources: muster.Resources{"license": 1}}}
		switch keeps {
		case numa.HostsSingle:
			kept = append(kept, numa.Placed{Policy: numa.SingleNUMANode, Shares: share, Kept: true})
		case numa.HostsSpanning:
			spans.Shares = append(spans.Shares, share...)
		}
	}
	return append(kept, spans)
}

// build makes the package's values.
func (r *reference) build(t require.TestingT) (*numa.Zones, *numa.Occupancy, *numa.Need) {
	zones, err := numa.NewZones(r.zones)
	require.NoError(t, err)
	var state numa.State
	for z := range r.zones {
		state.Zones = append(state.Zones, numa.Occupied{ID: r.zones[z].ID, Used: r.used[z], Hosts: r.hosts[z]})
		if r.keeps != nil {
			state.Zones[z].Hosts &^= r.keeps[z] // by kept
		}
	}
	state.Placed = r.kept()
	node, err := zones.Occupancy(state)
	require.NoError(t, err)
	need, err := zones.Need(r.member, "")
	require.NoError(t, err)
	return zones, node, need
}

// rounds repeats a check of 100 draws: MUSTER_NODES says how many draws are made in all.
func rounds(t *testing.T, check func(t *rapid.T)) {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("MUSTER_NODES"))
	if err != nil {
		n = 500
	}
	for i := range max(1, n/100) {
		t.Run(strconv.Itoa(i), func(t *testing.T) { rapid.Check(t, check) })
		if t.Failed() {
			return
		}
	}
}

func TestFitIsTheBestOfAllMasks(t *testing.T) {
	for _, policy := range policies {
		t.Run(string(policy), func(t *testing.T) {
			rounds(t, func(t *rapid.T) {
				r := drawn(t, number(t, "zones", 1, 5), policy)
				_, node, need := r.build(t)
				if len(r.asked()) == 0 {
					require.Equal(t, numa.Fit{Fits: true}, need.Fit(node))
					return
				}
				got := need.Fit(node)
				mask, cause := r.fit()
				require.Equal(t, numa.Fit{Fits: mask != 0, Cause: cause, Mask: numa.Mask(mask), Violates: !r.clean(mask)}, got)
				if got.Fits {
					require.Equal(t, r.score(mask), need.Score(node, got))
				}
				if policy == numa.Restricted {
					require.Equal(t, r.width(), need.Width())
				}
			})
		})
	}
}

func TestSlotsEqualPlacingOneByOneInEveryWay(t *testing.T) {
	for _, policy := range policies {
		t.Run(string(policy), func(t *testing.T) {
			rounds(t, func(t *rapid.T) {
				r := drawn(t, number(t, "zones", 1, 4), policy)
				r.compareSlots(t)
			})
		})
	}
}

func TestSlotsOfSixZonesEqualPlacingOneByOneInEveryWay(t *testing.T) {
	for _, policy := range policies {
		t.Run(string(policy), func(t *testing.T) {
			rounds(t, func(t *rapid.T) {
				drawn(t, number(t, "zones", 5, 6), policy).compareSlots(t)
			})
		})
	}
}

// tooMany bounds the number of ways in which the copies can be put on masks; above it, placing in every way takes too long.
const tooMany = 300

// ways is how many sets of copies there are on masks: copies of masks with repetition.
func ways(masks, copies int) int {
	n := 1
	for i := range copies {
		if n = n * (masks + i) / (i + 1); n > tooMany {
			return n
		}
	}
	return n
}

func (r *reference) compareSlots(t *rapid.T) {
	_, node, need := r.build(t)
	if len(r.asked()) == 0 {
		require.Equal(t, numa.Unbounded, need.Slots(node).Slots)
		return
	}
	got := need.Slots(node)
	require.True(t, got.Proven())
	if refined, ok := numa.RefinedSlots(need, node); ok {
		require.Equal(t, got, refined)
	}
	if got.Slots <= 8 && ways(len(r.masks(r.allowed)), int(got.Slots)) <= tooMany {
		require.EqualValues(t, r.slots(), got.Slots)
	}
	for members := range min(got.Slots, 8) + 2 {
		r.checkSplit(t, node, need, int(members), got.Slots)
	}
}

// checkSplit checks that members split together get what they ask for, on masks that the rules allow, from what is free.
func (r *reference) checkSplit(t require.TestingT, node *numa.Occupancy, need *numa.Need, members int, slots int64) {
	placed := need.Split(node, members)
	if members == 0 || int64(members) > slots {
		require.Nil(t, placed)
		return
	}
	require.Len(t, placed, members)
	if members == 1 {
		require.Equal(t, need.Shares(node, need.Fit(node).Mask), placed[0].Shares)
	}
	taken := map[string]int64{}
	for _, p := range placed {
		require.Equal(t, r.policy, p.Policy)
		mask, got := 0, muster.Resources{}
		for _, s := range p.Shares {
			for z := range r.zones {
				if r.zones[z].ID == s.Zone {
					require.Zero(t, mask>>z&1, "two shares of a zone")
					mask |= 1 << z
				}
			}
			for name, amount := range s.Resources {
				require.Positive(t, amount)
				got[name] += amount
				taken[fmt.Sprint(s.Zone, name)] += amount
			}
		}
		for _, name := range r.asked() {
			require.Equal(t, r.member.Resources[name], got[name])
		}
		require.Contains(t, r.masks(r.allowed), mask)
	}
	for z := range r.zones {
		for _, name := range r.asked() {
			require.LessOrEqual(t, taken[fmt.Sprint(r.zones[z].ID, name)], r.free(name, z))
		}
	}
	after, err := node.Add(placed...)
	require.NoError(t, err)
	require.Empty(t, after.Excess())
	before, err := after.Remove(placed...)
	require.NoError(t, err)
	require.Equal(t, node, before)
}

func TestMergeEqualsTheCrossProduct(t *testing.T) {
	for _, policy := range append([]numa.Policy{""}, policies...) {
		t.Run(string(policy), func(t *testing.T) {
			rounds(t, func(t *rapid.T) {
				n := number(t, "zones", 1, 4)
				var list []numa.Zone
				distance := make([][]int64, n)
				for i := range n {
					z := numa.Zone{ID: i, Distances: map[int]int64{}}
					for j := range n {
						z.Distances[j] = int64(number(t, "distance", 10, 12))
						distance[i] = append(distance[i], z.Distances[j])
					}
					list = append(list, z)
				}
				zones, err := numa.NewZones(list)
				require.NoError(t, err)
				lists := drawHints(t, n)
				closest := rapid.Bool().Draw(t, "closest")
				got, err := zones.Merge(policy, lists, closest)
				require.NoError(t, err)
				sum := func(mask int) (sum int64) {
					for i := range n {
						for j := range n {
							if mask>>i&1 == 1 && mask>>j&1 == 1 {
								sum += distance[i][j]
							}
						}
					}
					return sum
				}
				require.Equal(t, merge(zones, policy, lists, closest, sum), got)
			})
		})
	}
}

func drawHints(t *rapid.T, n int) [][]numa.Hint {
	lists := make([][]numa.Hint, number(t, "lists", 0, 4))
	for i := range lists {
		if rapid.Bool().Draw(t, "few wishes") && number(t, "no wishes", 0, 3) == 0 {
			continue
		}
		lists[i] = []numa.Hint{}
		for range number(t, "hints", 0, 5) {
			h := numa.Hint{Mask: numa.Mask(number(t, "mask", 0, 1<<n-1)), Preferred: rapid.Bool().Draw(t, "preferred")}
			lists[i] = append(lists[i], h)
		}
	}
	return lists
}

// Zones lack resources, members are small: the numbers on masks are large, and the relaxation is needed.
func TestManySmallMembersAreSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &reference{policy: numa.Restricted, member: numa.Member{Policy: numa.Restricted, Resources: muster.Resources{}}}
		for id := range number(t, "zones", 4, 7) {
			zone := numa.Zone{ID: id, Allocatable: muster.Resources{}}
			for i, name := range []string{muster.CPU, muster.Memory, gpu} {
				if (id+i)%2 == 0 || i == 2 {
					zone.Allocatable[name] = int64(number(t, "has", 0, 1000))
				}
			}
			r.zones, r.used, r.hosts = append(r.zones, zone), append(r.used, muster.Resources{}), append(r.hosts, 0)
		}
		for _, name := range []string{muster.CPU, muster.Memory, gpu} {
			r.member.Resources[name] = int64(number(t, "request", 20, 200))
		}
		_, node, need := r.build(t)
		got := need.Slots(node)
		require.True(t, got.Proven())
		for _, members := range []int64{1, got.Slots / 2, got.Slots, got.Slots + 1} {
			r.checkSplit(t, node, need, int(members), got.Slots)
		}
	})
}
