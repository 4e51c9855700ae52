package render

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/phrases"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// divided is a node of ten GPUs and sixteen CPUs, of which a team uses three GPUs, and the other wants eight.
func divided(t *testing.T) *placement.Cluster {
	t.Helper()
	gpus := func(n int64) muster.Resources { return muster.Resources{"gpu": n} }
	tree, err := quota.New([]quota.Spec{
		{Name: "org", Min: muster.Resources{"gpu": 6, muster.CPU: 1500}},
		{Name: "team-a", Parent: "org", Min: gpus(4)},
		{Name: "team-b", Parent: "org", Min: gpus(2)},
		{Name: "guests", Max: gpus(math.MaxInt64)},
	})
	require.NoError(t, err)
	c, err := placement.NewCluster(cluster.Spec{
		Nodes:   []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 10, muster.CPU: 16_000}}},
		Quotas:  tree,
		Running: []cluster.Running{{Gang: "g", Member: "m", Node: "n", Resources: gpus(3), Quota: "team-b"}},
		Demand:  map[string]muster.Resources{"team-a": gpus(8)},
	})
	require.NoError(t, err)
	return c
}

func TestQuotasText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, QuotasText(&b, divided(t).Quotas()))
	require.Equal(t, `quotas: # used, + rest of the share, . rest of the maximum, | minimum
CPU, 16 to divide
                                               used  demand    min  share  max
  guests
  org      [..|.............................]     0       0  1500m      0   16
    team-a
    team-b
gpu, 10 to divide
                                               used  demand  min  share  max
  guests   [................................]     0       0    0      0  all
  org      [##########+++++++++|++++++++++++]     3       8    6     10   10
    team-a [++++++++++++|++++++++++.........]     0       8    4      7   10
    team-b [######|###......................]     3       0    2      3   10
`, b.String())
	b.Reset()
	require.NoError(t, QuotasText(&b, nil))
	require.Equal(t, "no quotas\n", b.String())
}

func TestJSONWithReport(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, JSONWithReport(&b, nil, &Report{Quotas: divided(t).Quotas(), WithQuotas: true}))
	require.Equal(t, `{"version":1,"plans":[],
"quotas":{"total":{"cpu":16000,"gpu":10},"tree":[`+
		`{"quota":"guests","parent":"","resources":{"gpu":{"used":0,"demand":0,"min":0,"share":0,"max":null}}},`+
		`{"quota":"org","parent":"","resources":{"cpu":{"used":0,"demand":0,"min":1500,"share":0,"max":16000},"gpu":{"used":3,"demand":8,"min":6,"share":10,"max":10}}},`+
		`{"quota":"team-a","parent":"org","resources":{"gpu":{"used":0,"demand":8,"min":4,"share":7,"max":10}}},`+
		`{"quota":"team-b","parent":"org","resources":{"gpu":{"used":3,"demand":0,"min":2,"share":3,"max":10}}}]}}
`, b.String())
	b.Reset()
	require.NoError(t, JSONWithReport(&b, nil, &Report{WithQuotas: true}))
	require.Equal(t, "{\"version\":1,\"plans\":[],\n\"quotas\":{\"total\":{},\"tree\":[]}}\n", b.String())
}

func TestAmountText(t *testing.T) {
	for _, c := range []struct {
		resource, want string
		n              int64
	}{
		{"cpu", "2", 2000},
		{"cpu", "2500m", 2500},
		{"memory", "3Gi", 3 << 30},
		{"memory", "1000", 1000},
		{"memory", "0", 0},
		{"hugepages-2Mi", "4Ei", 1 << 62},
		{"gpu", "1024", 1024},
		{"memory", "all", math.MaxInt64},
	} {
		require.Equal(t, c.want, phrases.Amount(c.resource, c.n))
	}
}

func TestQuotaRefusesInWordsAndFields(t *testing.T) {
	req := &gang.Request{Name: "ns/job", Quota: "team-b", Shape: gang.Shape{Resources: muster.Resources{"gpu": 2}}}
	for i := range 2 {
		req.Members = append(req.Members, gang.Member{Name: fmt.Sprint("job-", i)})
	}
	o := Outcome{Gang: req.Name, Request: req, Cluster: divided(t), Pass: quota.Fair}
	o.Result, o.Err = placement.Plan(o.Cluster, req)
	require.Contains(t, text(t, o), ": unschedulable: quota org/team-b limit, 0 of 2 (proven); 3 gpu too many: 3 in use, 4 asked for, the limit 4\n")
	var b bytes.Buffer
	require.NoError(t, JSON(&b, []Outcome{o}))
	require.Contains(t, b.String(), `"status":"unschedulable","pass":"fair",`)
	require.Contains(t, b.String(), `"reason":{"kind":"quota",`)
	require.Contains(t, b.String(), `"refusedBy":{"quota":"team-b","rule":"limit","deficit":{"gpu":3}}}}`)

	req.Members, o.Pass = req.Members[:1], quota.Borrow
	req.QuotaLimit = quota.Borrow
	o.Result, o.Err = placement.Plan(o.Cluster, req)
	require.NoError(t, o.Err)
	require.Contains(t, text(t, o), ", by what its quota may borrow\n")
	b.Reset()
	require.NoError(t, JSON(&b, []Outcome{o}))
	require.Contains(t, b.String(), `"pass":"borrow","waitsFor":[]`)
}
