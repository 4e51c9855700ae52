package limits

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// Limits of a gang in parts, and of a part: of members, of groups so many levels below, of its parts, and on who else is there.
func TestLimitsOnParts(t *testing.T) {
	_, v := rackCluster(t)
	parts := func(l gang.Limit) gang.Limit {
		l.OfParts = true
		return l
	}
	preferred := apart("rack", 1)
	preferred.Preferred = true
	req := gang.Request{
		Limits: []gang.Limit{apart("rack", 3), preferred, within("rack", 2), alone("block"), parts(alone("rack")), parts(apart("node", 2))},
		Groups: []gang.Groups{{Size: 4, Limits: []gang.Limit{apart("rack", 1)}}, {Size: 2, Limits: []gang.Limit{alone("node"), within("rack", 1)}}},
	}
	want := []OnPart{
		{Name: "Apart rack at most 3", Tier: 1, Most: 3},
		{Name: "Alone rack for parts", Tier: 1, Most: 1, Depth: 1},
		{Name: "Alone rack for parts", Tier: 1, Most: 1, Depth: 1, Alone: "rack"},
		{Name: "Apart node at most 2 for parts", Tier: 0, Most: 2, Depth: 1},
		{Name: "Apart rack at most 1 for groups of 4", Tier: 1, Most: 1, Depth: 1},
		{Name: "Alone node for groups of 2", Tier: 0, Most: 1, Depth: 2},
	}
	require.Equal(t, want, OfGang(v, &req, "parts"), "all of the gang is alone by another rule, and its groups likewise")

	part := gang.Part{Limits: []gang.Limit{apart("row", 3)}}
	_, err := OfPart(v, "request.Parts[0]", &part)
	require.EqualError(t, err, `request.Parts[0].Limits[0].Layer "row": unknown layer: not one of block, rack, node`)
	part = gang.Part{Groups: []gang.Groups{{Size: 2}, {Size: 1, Limits: []gang.Limit{within("rack", 2)}}}}
	_, err = OfPart(v, "request.Parts[0]", &part)
	require.ErrorIs(t, err, muster.ErrNotSupported)
	require.ErrorContains(t, err, "request.Parts[0].Groups[1].Limits[0]")

	preferred.Kind = gang.Within
	preferred.Most = 3
	part = gang.Part{
		Limits: []gang.Limit{preferred, alone("rack"), apart("block", 1)},
		Groups: []gang.Groups{{Size: 2, Limits: []gang.Limit{apart("rack", 1)}}},
	}
	out, err := OfPart(v, "request.Parts[0]", &part)
	require.NoError(t, err)
	require.Equal(t, []OnPart{
		{Name: "Alone rack", Tier: 1, Most: 1, Alone: "rack"},
		{Name: "Apart block at most 1", Tier: 2, Most: 1},
		{Name: "Apart rack at most 1 for groups of 2", Tier: 1, Most: 1, Depth: 1},
	}, out)
}

// What limits on parts imply of rules is about each part; that of other limits about the gang.
func TestRulesThatLimitsImply(t *testing.T) {
	ofParts := alone("rack")
	ofParts.OfParts = true
	require.Empty(t, ImpliedInside([]gang.Limit{alone("rack"), within("rack", 1)}))
	require.Equal(t, Implied(nil, []gang.Limit{ofParts}, true), ImpliedInside([]gang.Limit{ofParts}))
	require.NotEmpty(t, ImpliedInside([]gang.Limit{ofParts}))
	require.Equal(t, []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}, Implied(nil, []gang.Limit{within("rack", 1), within("block", 2)}, false))
}
