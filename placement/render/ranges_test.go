package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/hostlist"
)

// seatsText is what stands in a line.
func seatsText(list []seated) string {
	var parts []string
	for _, s := range stretches(list) {
		parts = append(parts, s.who()+" -> "+s.where())
	}
	return strings.Join(parts, ", ")
}

// seats puts members on nodes, so many on each.
func seats(members int, each int, node string) (list []seated) {
	for i := range members {
		list = append(list, seated{member: fmt.Sprint("worker-", i), node: fmt.Sprintf(node, 1+i/each)})
	}
	return list
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]seated{
		"worker-[0-15] -> n[01-16]":                              seats(16, 1, "n%02d"),
		"worker-[0-7] -> n01":                                    seats(8, 8, "n%02d"),
		"worker-[0-15] -> n[01-02] (8 each)":                     seats(16, 8, "n%02d"),
		"worker-[0-7] -> n01, worker-[8-9] -> n02":               seats(10, 8, "n%02d"),
		"worker-0 -> n1":                                         seats(1, 1, "n%d"),
		"a-x -> n1, b-y -> n2":                                   {{member: "a-x", node: "n1"}, {member: "b-y", node: "n2"}},
		"a-[0-1] -> n1, b -> n1":                                 {{member: "a-0", node: "n1"}, {member: "a-1", node: "n1"}, {member: "b", node: "n1"}},
		"a-[2,1] -> n[2,1]":                                      {{member: "a-2", node: "n2"}, {member: "a-1", node: "n1"}},
		"a-[0-1] -> n1 (zone 0), a-2 -> n1 (zone 1), a-3 -> n2":  {{"a-0", "n1", " (zone 0)"}, {"a-1", "n1", " (zone 0)"}, {"a-2", "n1", " (zone 1)"}, {"a-3", "n2", ""}},
		`"a-[0-1]" -> "n 1", a-2 -> n1`:                          {{member: "a-[0-1]", node: "n 1"}, {member: "a-2", node: "n1"}},
		"a-[0-1] -> ip-10-0-0-[1-2].eu2.internal":                {{member: "a-0", node: "ip-10-0-0-1.eu2.internal"}, {member: "a-1", node: "ip-10-0-0-2.eu2.internal"}},
		"worker-[0-7] -> n[1,3,5,7,9,11,13,15], worker-8 -> n17": seats(9, 1, "n%[1]d")[:0:0],
	} {
		if len(list) == 0 {
			for i := range 9 {
				list = append(list, seated{member: fmt.Sprint("worker-", i), node: fmt.Sprint("n", 2*i+1)})
			}
		}
		require.Equal(t, want, seatsText(list))
	}
}

// What stands in a line says of every member which node it has, in the order of the members.
func TestRangesAreReversible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []seated
		for len(list) < rapid.IntRange(1, 40).Draw(t, "members") {
			node := rapid.StringMatching(`[nm](0?[0-9]|9[89]|10[01])(\.x)?`).Draw(t, "node")
			beside := rapid.SampledFrom([]string{"", "", " (zone 1)"}).Draw(t, "beside")
			for range rapid.IntRange(1, 3).Draw(t, "on it") {
				list = append(list, seated{fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"a-", "a-", "b-"}).Draw(t, "role"), len(list)), node, beside})
			}
		}
		var again []seated
		for _, part := range strings.Split(seatsText(list), ", ") {
			who, where, ok := strings.Cut(part, " -> ")
			require.True(t, ok)
			members, err := hostlist.Expand(who)
			require.NoError(t, err)
			where, zone, zoned := strings.Cut(where, " (zone ")
			if zoned {
				zone = " (zone " + zone
			}
			where, _, counted := strings.Cut(where, " (")
			nodes, err := hostlist.Expand(where)
			require.NoError(t, err)
			require.Zero(t, len(members)%len(nodes))
			require.Equal(t, counted, len(nodes) > 1 && len(members) > len(nodes))
			for i, m := range members {
				again = append(again, seated{m, nodes[i/(len(members)/len(nodes))], zone})
			}
		}
		require.Equal(t, list, again)
	})
}

// Names on one node stand before it together, also where the rest of a long list is counted.
func TestSeatsShareANode(t *testing.T) {
	seatsOn := func(nodes ...string) string {
		var list []seated
		for i, node := range nodes {
			list = append(list, seated{member: string(rune('a'+i)) + "-pod", node: node})
		}
		var b strings.Builder
		writeSeats(&b, list, "->")
		return b.String()
	}
	require.Equal(t, " a-pod b-pod -> n1, c-pod -> n2, d-pod -> n1", seatsOn("n1", "n1", "n2", "n1"))
	require.Equal(t, " a-pod b-pod c-pod d-pod e-pod f-pod g-pod h-pod -> n1, and 2 more", seatsOn(slices.Repeat([]string{"n1"}, 10)...))
	require.Equal(t, " a-pod b-pod c-pod d-pod e-pod f-pod g-pod h-pod -> n1, and 1 more", seatsOn(append(slices.Repeat([]string{"n1"}, 8), "n2")...))
}
