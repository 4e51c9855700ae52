package placement_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/placement"
)

// deviceGang has so many members of a device each.
func deviceGang(name string, n int) *gang.Request {
	req := &gang.Request{Name: name, Shape: gang.Shape{Resources: muster.Resources{"gpu": 1}}}
	for i := range n {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprintf("m-%d", i)})
	}
	return req
}

func domainsOf(results []*placement.Result) (domains []string) {
	for _, r := range results {
		domains = append(domains, fmt.Sprint(r.Gang, r.Tier, r.Domain))
	}
	return domains
}

// By itself the first gang would take the leaf that only just holds it, and leave the second no leaf.
func TestGangsTogether(t *testing.T) {
	spec := roleSpec(t, 2, 2, 2)
	spec.Nodes[0].Allocatable["gpu"] = 1
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	inLeaf := []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
	small, large := deviceGang("small", 3), deviceGang("large", 4)
	small.Gather, large.Gather = inLeaf, inLeaf
	results, err := placement.Together(c, nil, large, small)
	require.NoError(t, err)
	require.Equal(t, []string{"large1 [leaf-1]", "small1 [leaf-0]"}, domainsOf(results))
	for i, r := range results {
		require.NoError(t, validity.CheckTogether(spec, []*gang.Request{large, small}[i], r))
	}
	next, err := c.Apply(results...)
	require.NoError(t, err)
	for _, name := range []string{"n-0-0", "n-0-1", "n-1-0", "n-1-1"} {
		free, _ := next.Free(name)
		require.Zero(t, free["gpu"], name)
	}

	_, err = placement.Together(c, inLeaf, large, small)
	var no *placement.Unschedulable
	require.ErrorAs(t, err, &no)
	require.Equal(t, "large + small", no.Gang)
	require.Equal(t, "MustGather leaf", no.Rule)
	require.Equal(t, 7, no.Wanted)
	require.True(t, no.Proven)

	// Late members of one go where its others are.
	late := deviceGang("large", 4)
	late.Members = late.Members[3:]
	c, err = c.Apply(first(results[0], 3))
	require.NoError(t, err)
	late.Gather = inLeaf
	results, err = placement.Together(c, nil, small, late)
	require.NoError(t, err)
	require.Equal(t, []string{"small1 [leaf-0]", "large1 [leaf-1]"}, domainsOf(results))
	require.Equal(t, 3, results[1].Assignments[0].Rank)
}

// first is a plan of the first n members alone.
func first(r *placement.Result, n int) *placement.Result {
	some := *r
	some.Assignments = some.Assignments[:n]
	return &some
}

// Both take victims, the fewest for the two of them; the first names them.
func TestVictimsOfGangsTogether(t *testing.T) {
	spec := roleSpec(t, 2, 2, 2)
	for i, node := range []string{"n-0-0", "n-0-0", "n-0-1", "n-1-0"} {
		spec.Running = append(spec.Running, cluster.Running{Gang: fmt.Sprint("pod-", i), Member: "p", Node: node, Resources: muster.Resources{"gpu": 1}})
	}
	c, err := placement.NewCluster(spec)
	require.NoError(t, err)
	a, b := deviceGang("a", 3), deviceGang("b", 2)
	a.Priority, b.Priority = 5, 3
	a.Gather = []gang.Rule{{Layer: "leaf", Strength: gang.MustGather}}
	results, err := placement.Together(c, nil, a, b)
	require.NoError(t, err)
	require.Len(t, results[0].Victims, 1)
	require.Empty(t, results[1].Victims)
	c, err = c.Apply(results...)
	require.NoError(t, err)
	left := 0
	for r := range c.Running() {
		if r.Leaving {
			left++
		}
	}
	require.Equal(t, 1, left)
}

func TestGangsThatCannotGoTogether(t *testing.T) {
	c, err := placement.NewCluster(roleSpec(t, 1, 2, 2))
	require.NoError(t, err)
	_, err = placement.Together(c, nil)
	require.EqualError(t, err, "requests: no gangs")
	a, b := deviceGang("a", 1), deviceGang("a", 1)
	b.Policy = gang.Spread
	_, err = placement.Together(c, nil, a, b)
	require.ErrorContains(t, err, `requests[1].Name "a": duplicate name`)
	require.ErrorContains(t, err, `requests[1].Policy "Spread"`)
	_, err = placement.Together(c, nil, a, deviceGang("b", 0))
	require.ErrorContains(t, err, "requests[1]: request.Members: no members to place")
	_, err = placement.Together(c, nil, a, nil)
	require.Error(t, err)
	_, err = placement.Together(nil, nil, a)
	require.Error(t, err)
}
