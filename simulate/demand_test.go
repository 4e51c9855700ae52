package simulate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
	"github.com/muster-sched/muster/simulate"
)

// demands notes what is pending in two quotas each time that the placer is asked for a gang that waits.
type demands struct {
	simulate.Placer
	seen []string
}

func (d *demands) Place(c *placement.Cluster, req *gang.Request) (*simulate.Place, error) {
	if req.End != 0 {
		_, _, a := c.Quotas().Usage("a")
		_, _, b := c.Quotas().Usage("b")
		d.seen = append(d.seen, fmt.Sprintf("%s: %d, %d", req.Name, a["gpu"], b["gpu"]))
	}
	return d.Placer.Place(c, req)
}

// What waits in a quota counts as its demand, from the arrival of a gang to its start: whenever it changes all are tried again, what is guaranteed to who waits nobody borrows, and before somebody does it is lent.
func TestDemandFollowsWhoWaits(t *testing.T) {
	tree, err := quota.New([]quota.Spec{{Name: "a", Min: muster.Resources{"gpu": 2}}, {Name: "b", Min: muster.Resources{"gpu": 2}}})
	require.NoError(t, err)
	spec := cluster.Spec{Quotas: tree, Demand: map[string]muster.Resources{"b": {"gpu": 4}}}
	for i := range 4 {
		spec.Nodes = append(spec.Nodes, cluster.Node{Name: fmt.Sprint("node-", i), Allocatable: gpu})
	}
	full, err := placement.NewCluster(spec)
	require.NoError(t, err)
	in := func(name, of string, members int, arrives, runs int64) simulate.Job {
		j := job(name, members, arrives, runs)
		j.Request.Gather, j.Request.Quota, j.Request.QuotaLimit, j.Class = nil, of, quota.Borrow, ""
		return j
	}
	jobs := []simulate.Job{
		in("b1", "b", 1, 0, 1),                         // what the cluster says of b is forgotten
		in("a1", "a", 4, 1, 9),                         // all is lent: nobody of b waits
		in("a2", "a", 3, 2, 5), in("b2", "b", 2, 3, 5), // when a1 ends, a2 comes first and two nodes are kept for b2
	}
	for _, c := range []struct {
		placer simulate.Placer
		seen   []string
		ends   map[string]int64
	}{
		{simulate.Muster{}, []string{"b1: 0, 1", "a1: 4, 0", "a2: 3, 0", "a2: 3, 2", "b2: 3, 2", "a2: 3, 2", "b2: 3, 2", "a2: 3, 0", "a2: 3, 0"}, map[string]int64{"b1": 1, "a1": 10, "b2": 15, "a2": 20}},
		{simulate.FirstFit{}, []string{"b1: 0, 1", "a1: 4, 0", "a2: 3, 0", "a2: 3, 2", "b2: 3, 2", "a2: 3, 2", "b2: 0, 2", "b2: 0, 2"}, map[string]int64{"b1": 1, "a1": 10, "a2": 15, "b2": 20}},
	} {
		d := &demands{Placer: c.placer}
		s := &starts{d, map[string]int64{}}
		r, err := simulate.Run(simulate.Options{Cluster: full, Jobs: of(jobs...), Placer: s})
		require.NoError(t, err)
		require.Equal(t, 4, r.Ended)
		require.Equal(t, c.seen, d.seen)
		require.Equal(t, c.ends, s.at)
	}
}
