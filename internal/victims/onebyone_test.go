package victims

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/drawn"
	"github.com/muster-sched/muster/internal/leavable"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
)

// Where victims leave one by one the search that tells nodes apart by classes finds the very set of the one that reads all members, also
// from what gangs before it found on the snapshot, or on the one before some member came or left.
func TestOneByOneIsAsTogether(t *testing.T) {
	found, again := 0, 0
	onDraw := func(t *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(t, "nodes")
		spec := drawn.Crowd(t, nodes, false)
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		for n := range rapid.IntRange(1, 4).Draw(t, "gangs") {
			if n > 0 && rapid.Bool().Draw(t, "changes") {
				d := cluster.Delta{Place: []cluster.Running{drawn.Running(t, 1000+n, nodes, false)}}
				if len(spec.Running) >= n {
					gone := spec.Running[len(spec.Running)-n]
					d.Remove = []cluster.MemberRef{{Gang: gone.Gang, Member: gone.Member}}
				}
				if next, err := c.Update(d); err == nil { // who comes may have no room
					c = next
				}
			}
			if isAsTogether(t, c) {
				found++
				again += min(n, 1)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // one in twenty has victims; one check after the other would draw the same from one seed
			onDraw(t)
		}
	})
	require.Positive(t, found, "no draw has victims")
	require.Positive(t, again, "nor has a later gang")
}

// isAsTogether draws a gang for a snapshot, asks in both ways for victims, and says whether there are any.
func isAsTogether(t *rapid.T, c *snapshot.Snapshot) bool {
	req := &gang.Request{Name: "preemptor", Priority: rapid.Int64Range(1, 3).Draw(t, "preemptor's priority")}
	req.Shape.Resources = muster.Resources{"gpu": rapid.Int64Range(1, 8).Draw(t, "asks")}
	for i := range rapid.IntRange(1, 12).Draw(t, "wanted") {
		req.Members = append(req.Members, gang.Member{Name: strconv.Itoa(i)})
	}
	if layer := rapid.SampledFrom([]string{"", "rack", "block"}).Draw(t, "within"); layer != "" {
		req.Gather = []gang.Rule{{Layer: layer, Strength: gang.MustGather}}
	}
	if size := rapid.IntRange(0, 3).Draw(t, "group"); size > 0 && size <= len(req.Members) {
		req.Groups = []gang.Groups{{Size: size}}
	}
	switch rapid.IntRange(0, 4).Draw(t, "nodes of the host") {
	case 0:
		odd := rapid.Bool().Draw(t, "odd ones")
		req.Eligible = func(node string) bool { return (node[len(node)-1]%2 == 1) == odd }
	case 1:
		req.Exclude = []string{"node-0", "node-5"}
	}
	if rapid.Bool().Draw(t, "other order") {
		req.Preempt.Order = rapid.Permutation(gang.Costs()).Draw(t, "order")
	}
	p, err := search.New(c, req, nil, bounds.Search{})
	require.NoError(t, err)
	p.Room.LeavingGone = true
	if search.For(p).LeastAndMore() != nil {
		return false // it fits without
	}
	one, all := newVictimSearch(p, p.NewBudget()), newVictimSearch(p, p.NewBudget())
	if one == nil {
		return false
	}
	got, ok := one.oneByOne()
	if !ok {
		return false
	}
	want := all.together()
	got.Steps, want.Steps = 0, 0
	require.Equal(t, one.named(got.Gone), all.named(want.Gone))
	got.Gone, want.Gone = nil, nil
	require.Equal(t, want, got)
	return want.Found
}

// A member that ties others, behind so many gangs that these are not looked at first, is seen when candidates are counted.
func TestTiedMembersAreNotOneByOne(t *testing.T) {
	for _, tied := range []bool{false, true} {
		spec := cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: gpus(100)}}}
		for i := range 100 {
			pod := cluster.Running{Gang: "pod-" + strconv.Itoa(i), Member: "m-" + strconv.Itoa(i), Node: "n", Resources: gpus(1), Priority: 1}
			if i >= 98 && tied { // the last two are a gang that needs both
				pod.Gang, pod.MinMember = "pod-98", 2
			}
			spec.Running = append(spec.Running, pod)
		}
		c, err := snapshot.New(spec)
		require.NoError(t, err)
		p, err := search.New(c, roles(1), nil, bounds.Search{})
		require.NoError(t, err)
		o := &oneByOneSearch{e: newVictimSearch(p, p.NewBudget()), index: leavable.Of(c)}
		require.Equal(t, !tied, o.countCandidates())
		p.Done()
	}
}

// named are the names of candidates, sorted.
func (e *victimSearch) named(set []int32) (out []string) {
	for _, i := range set {
		out = append(out, e.members[i].Name)
	}
	slices.Sort(out)
	return out
}
