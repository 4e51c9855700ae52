package gang_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

func TestLevels(t *testing.T) {
	sizes := func(sizes ...int) []gang.Groups {
		var groups []gang.Groups
		for _, s := range sizes {
			groups = append(groups, gang.Groups{Size: s})
		}
		return groups
	}
	for _, c := range []struct {
		name  string
		r     gang.Request
		total int
		want  []gang.Groups
		err   string
	}{
		{"no groups", gang.Request{}, 5, nil, ""},
		{"pipelines", gang.Request{PP: 4}, 8, sizes(4), ""},
		{"pipelines, the last one short", gang.Request{PP: 4, DP: 3}, 9, sizes(4), ""},
		{"replicas", gang.Request{DP: 3}, 8, sizes(3), ""},
		{"more replicas than members", gang.Request{DP: 9}, 8, sizes(1), ""},
		{"replicas that do not agree", gang.Request{PP: 4, DP: 2}, 9, nil, `request.DP "2": 9 members in pipelines of 4 are 3 groups`},
		{"a pipeline above the gang", gang.Request{PP: 9, DP: 1}, 8, sizes(8), ""},
		{"one level, the last group short", gang.Request{Groups: sizes(3)}, 8, sizes(3), ""},
		{"a group above the gang", gang.Request{Groups: sizes(9)}, 8, sizes(8), ""},
		{"nested groups above the gang", gang.Request{Groups: sizes(32, 16, 4)}, 8, sizes(8, 8, 4), ""},
		{"nested groups above the gang, unequal", gang.Request{Groups: sizes(16, 4)}, 6, nil, `request.Groups[1].Size "4": not supported: unequal nested groups, as in a gang of 6`},
		{"nested", gang.Request{Groups: sizes(4, 2)}, 8, sizes(4, 2), ""},
		{"nested, unequal", gang.Request{Groups: sizes(4, 2)}, 10, nil, `request.Groups[0].Size "4": not supported: unequal nested groups, as in a gang of 10`},
		{"invalid groups", gang.Request{Groups: sizes(4, 0)}, 8, nil, `request.Groups[1].Size "0": below 1`},
		{"groups and pipelines", gang.Request{Groups: sizes(4), PP: 4}, 8, nil, `request.PP "4": excludes Groups`},
		{"no members", gang.Request{PP: 1}, 0, nil, `request.Members "0": a gang has at least one member`},
	} {
		got, err := c.r.Levels(c.total)
		require.Equal(t, c.want, got, c.name)
		if c.err == "" {
			require.NoError(t, err, c.name)
		} else {
			require.EqualError(t, err, c.err, c.name)
		}
	}
}

func TestLevelsAreTheCallers(t *testing.T) {
	r := gang.Request{Groups: []gang.Groups{{Size: 2}}}
	levels, err := r.Levels(4)
	require.NoError(t, err)
	levels[0].Size = 7
	require.Equal(t, 2, r.Groups[0].Size)
}

func TestReplicasAndPipelinesAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total := rapid.IntRange(1, 40).Draw(rt, "total")
		pp := rapid.IntRange(1, total).Draw(rt, "pp")
		groups := 0
		for left := total; left > 0; left -= pp {
			groups++
		}
		levels, err := (&gang.Request{PP: pp, DP: groups}).Levels(total)
		require.NoError(rt, err)
		require.Equal(rt, []gang.Groups{{Size: pp}}, levels)

		dp := rapid.IntRange(1, total).Draw(rt, "dp")
		levels, err = (&gang.Request{DP: dp}).Levels(total)
		require.NoError(rt, err)
		size := levels[0].Size
		require.GreaterOrEqual(rt, size*dp, total, "dp groups hold the gang")
		require.Less(rt, (size-1)*dp, total, "smaller ones do not")
		_, err = (&gang.Request{PP: pp, DP: groups + 1}).Levels(total)
		require.Error(rt, err)
	})
}
