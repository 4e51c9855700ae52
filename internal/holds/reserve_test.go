package holds

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
)

// The room of what is held follows what changes, also where a gang ends at another time and members on other nodes are gone earlier, or later.
func TestReservesFollowSnapshots(t *testing.T) {
	spec := racks(t)
	rapid.Check(t, func(t *rapid.T) {
		upTo := func(n int, of string) int { return rapid.IntRange(0, n).Draw(t, of) }
		spec := spec
		spec.DomainHolds = nil
		for i := range 1 + upTo(2, "holds") {
			h := some(fmt.Sprint("held-", i), rapid.SampledFrom([]string{"a", "b"}).Draw(t, "rack"), 1+upTo(2, "count"), int64(upTo(3, "each")))
			if h.From = int64(upTo(3, "from")); upTo(1, "ends") == 1 {
				h.End = h.From + 1 + int64(upTo(2, "for"))
			}
			if upTo(3, "anywhere") == 0 {
				h.Domain = nil
			}
			spec.DomainHolds = append(spec.DomainHolds, h)
		}
		c, err := New(spec)
		require.NoError(t, err)
		not := upTo(3, "not wanted")
		wanted := func(h *cluster.DomainHold) bool { return h.Gang != fmt.Sprint("held-", not) }
		for range 1 + upTo(5, "changes") {
			d := cluster.Delta{Observed: true}
			node := fmt.Sprint(rapid.SampledFrom([]string{"a-0", "a-1", "b-0", "b-1"}).Draw(t, "node"))
			row := cluster.Running{
				Gang: fmt.Sprint("gang-", upTo(1, "gang")), Member: fmt.Sprint("m-", upTo(3, "member")), Node: node, Resources: muster.Resources{"gpu": int64(1 + upTo(1, "takes"))},
				End: int64(upTo(4, "end")), Tolerated: upTo(4, "daemon") == 0,
			}
			switch upTo(4, "change") {
			case 0, 1:
				d.Place = []cluster.Running{row}
			case 2:
				d.Remove = []cluster.MemberRef{{Gang: row.Gang, Member: row.Member}}
			case 3:
				d.Leaving = []cluster.MemberRef{{Gang: row.Gang, Member: row.Member}}
			default:
				i := slices.IndexFunc(spec.Nodes, func(n cluster.Node) bool { return n.Name == node })
				n := spec.Nodes[i]
				n.Cordoned = upTo(1, "cordoned") == 1
				d.SetNodes = []cluster.Node{n}
			}
			if upTo(3, "for a gang") == 0 {
				h := cluster.Hold{Gang: "comes", Member: "m", Node: node, Resources: row.Resources, From: int64(upTo(3, "comes"))}
				d.Holds = map[string][]cluster.Hold{"comes": {h}}
			}
			c, err = Update(c, d)
			require.NoError(t, err)
			if upTo(2, "asked") == 0 {
				continue
			}
			var list []cluster.DomainHold
			for i := range c.Reserved {
				if wanted(&c.Reserved[i]) {
					list = append(list, c.Reserved[i])
				}
			}
			if followed := reserveOf(c, wanted); len(list) > 0 {
				fresh := newReserve(c, list)
				require.Equal(t, fresh.State, followed.State)
				require.Equal(t, fresh.IDs, followed.IDs)
			} else {
				require.Nil(t, followed)
			}
		}
	})
}
