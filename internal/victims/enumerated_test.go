package victims

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/bounds"
	"github.com/muster-sched/muster/internal/room"
	"github.com/muster-sched/muster/internal/search"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// contested is a small full cluster with two quotas, and a gang that wants room there.
type contested struct {
	spec cluster.Spec
	req  *gang.Request
	min  map[string]int64 // by quota
}

// drawContested draws nodes of four devices, perhaps in two zones, and who runs on them.
func drawContested(t *rapid.T) *contested {
	d := &contested{min: map[string]int64{}, req: &gang.Request{Name: "preemptor", QuotaLimit: quota.Greedy}}
	zoned := rapid.IntRange(0, 2).Draw(t, "zoned") == 0
	for i := range rapid.IntRange(1, 2).Draw(t, "nodes") {
		n := cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: gpus(4)}
		if zoned {
			n.NUMA = &cluster.NUMA{Policy: numa.SingleNUMANode, Zones: []numa.Zone{{ID: 0, Allocatable: gpus(2)}, {ID: 1, Allocatable: gpus(2)}}}
		}
		d.spec.Nodes = append(d.spec.Nodes, n)
		for zone := range 2 {
			for left := int64(2); left > 0; {
				m := d.member(t, n.Name, left)
				if left -= m.Resources["gpu"]; zoned {
					m.NUMA = &numa.Placed{Policy: numa.SingleNUMANode, Shares: []numa.Share{{Zone: zone, Resources: m.Resources}}}
				}
				if rapid.IntRange(0, 5).Draw(t, "free") > 0 {
					d.spec.Running = append(d.spec.Running, m)
				}
			}
		}
	}
	d.req.Quota, d.req.Priority = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "quota"), rapid.Int64Range(1, 2).Draw(t, "priority")
	d.req.Shape.Resources = gpus(rapid.Int64Range(1, 2).Draw(t, "devices"))
	for i := range rapid.IntRange(1, 3).Draw(t, "wanted") {
		d.req.Members = append(d.req.Members, gang.Member{Name: fmt.Sprint("p-", i)})
	}
	if rapid.Bool().Draw(t, "roles") {
		d.req.Members[0].Shape = &gang.Shape{Resources: gpus(3 - d.req.Shape.Resources["gpu"])}
	}
	d.req.Preempt.Order = []gang.Cost{gang.CostMembers}
	var quotas []quota.Spec
	for _, name := range []string{"a", "b"} {
		d.min[name] = rapid.Int64Range(0, 4).Draw(t, "min")
		quotas = append(quotas, quota.Spec{Name: name, Min: gpus(d.min[name])})
	}
	tree, err := quota.New(quotas)
	require.NoError(t, err)
	d.spec.Quotas = tree
	return d
}

// member draws a running member of at most so many devices.
func (d *contested) member(t *rapid.T, node string, most int64) cluster.Running {
	m := cluster.Running{Node: node, Member: fmt.Sprint("m-", len(d.spec.Running)), Resources: gpus(rapid.Int64Range(1, most).Draw(t, "held"))}
	m.Gang, m.Quota = m.Member, rapid.SampledFrom([]string{"", "a", "a", "b", "b"}).Draw(t, "runs in")
	m.Priority = rapid.Int64Range(0, 2).Draw(t, "runs with priority")
	if rapid.IntRange(0, 2).Draw(t, "ganged") == 0 {
		m.Gang, m.MinMember = "gang", rapid.IntRange(1, 2).Draw(t, "needs")
	}
	m.Leaving = rapid.IntRange(0, 9).Draw(t, "leaves") == 0
	m.Unevictable = rapid.IntRange(0, 9).Draw(t, "stays") == 0
	return m
}

// isLegal says whether some members may leave together, by victims.2 to victims.4.
func (d *contested) isLegal(gone []cluster.Running) bool {
	byGang := map[string][]cluster.Running{}
	used := map[string]int64{d.req.Quota: d.asked()}
	for _, m := range d.spec.Running {
		if !m.Leaving { // else it counts as gone
			used[m.Quota] += m.Resources["gpu"]
			byGang[m.Gang] = append(byGang[m.Gang], m)
		}
	}
	reclaimed := map[string][]int64{} // by quota: what each eviction takes
	for name, members := range byGang {
		leaves := slices.DeleteFunc(slices.Clone(gone), func(m cluster.Running) bool { return m.Gang != name })
		if len(leaves) == 0 {
			continue
		}
		priority, least := int64(9), 0
		for _, m := range members {
			priority, least = min(priority, m.Priority), max(least, m.MinMember)
		}
		if len(members)-len(leaves) < least && len(leaves) < len(members) {
			return false
		}
		whole := map[string]int64{}
		for _, m := range leaves {
			if m.Unevictable || !d.reclaims(m) && priority >= d.req.Priority {
				return false
			}
			switch {
			case m.Quota == d.req.Quota:
				used[m.Quota] -= m.Resources["gpu"]
			case d.reclaims(m) && least > 0 && len(leaves) == len(members):
				whole[m.Quota] += m.Resources["gpu"]
			case d.reclaims(m):
				reclaimed[m.Quota] = append(reclaimed[m.Quota], m.Resources["gpu"])
			}
		}
		for q, n := range whole {
			reclaimed[q] = append(reclaimed[q], n)
		}
	}
	for q, list := range reclaimed {
		slices.Sort(list) // the largest last: so the quota is over its min for longest
		for _, n := range list {
			if used[q] <= d.min[q] || used[d.req.Quota] > d.min[d.req.Quota] {
				return false
			}
			used[q] -= n
		}
	}
	return true
}

// asked are the devices of all new members.
func (d *contested) asked() (n int64) {
	for _, m := range d.req.Members {
		if m.Shape == nil {
			m.Shape = &d.req.Shape
		}
		n += m.Shape.Resources["gpu"]
	}
	return n
}

// fits says whether the gang fits once some members are gone, and those that leave anyway.
func (d *contested) fits(t require.TestingT, gone []cluster.Running) bool {
	spec := d.spec
	spec.Running = slices.DeleteFunc(slices.Clone(spec.Running), func(m cluster.Running) bool {
		return m.Leaving || slices.ContainsFunc(gone, func(g cluster.Running) bool { return g.Member == m.Member })
	})
	c, err := snapshot.New(spec)
	require.NoError(t, err)
	p, err := search.New(c, d.req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	return search.For(p).LeastAndMore() != nil
}

// least is the least number of members that may leave and make room; -1: no set does.
func (d *contested) least(t require.TestingT) int {
	best := -1
	for set := range 1 << len(d.spec.Running) {
		var gone []cluster.Running
		for i, m := range d.spec.Running {
			if set>>i&1 > 0 {
				gone = append(gone, m)
			}
		}
		leaves := slices.ContainsFunc(gone, func(m cluster.Running) bool { return m.Leaving })
		if !leaves && (best < 0 || len(gone) < best) && d.isLegal(gone) && d.fits(t, gone) {
			best = len(gone)
		}
	}
	return best
}

// Whoever leaves may, the gang fits then, and no smaller set would do: all sets are tried, under quotas, minima and zones.
func TestVictimsEqualEnumeration(t *testing.T) {
	reclaimed, none, whole := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // in one of five somebody has to leave
			d := drawContested(t)
			if d.fits(t, nil) {
				continue
			}
			gone := d.check(t)
			none += int(room.Bit(gone == nil))
			for _, m := range gone {
				reclaimed += int(room.Bit(d.reclaims(m)))
				whole += int(room.Bit(d.reclaims(m) && m.Gang == "gang"))
			}
		}
	})
	require.Positive(t, reclaimed)
	require.Positive(t, whole)
	require.Positive(t, none)
}

// reclaims says whether a member leaves as its quota has more than its min.
func (d *contested) reclaims(m cluster.Running) bool {
	return m.Quota != "" && d.req.Quota != "" && m.Quota != d.req.Quota
}

// check compares who leaves, nil: nobody, with all sets.
func (d *contested) check(t require.TestingT) (gone []cluster.Running) {
	c, err := snapshot.New(d.spec)
	require.NoError(t, err)
	p, err := search.New(c, d.req, nil, bounds.Search{})
	require.NoError(t, err)
	defer p.Done()
	p.Room.LeavingGone = true
	e, least := Evict(p, Anybody), d.least(t)
	if e == nil {
		require.True(t, least < 0 || p.Unsettled, "%d would do", least)
		return nil
	}
	defer e.Done()
	for _, v := range e.Victims {
		m := c.ExportMember(v.Member)
		require.Equal(t, d.reclaims(m), v.OverMin == "gpu", "why it leaves")
		gone = append(gone, m)
	}
	require.True(t, d.isLegal(gone), "%v", gone)
	require.True(t, d.fits(t, gone))
	require.Len(t, e.Plan.Positions, len(d.req.Members))
	require.True(t, len(gone) == least || len(gone) > least && !e.Found.Proven)
	return gone
}
