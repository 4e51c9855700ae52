package placement_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// The tests here walk the public structs, so that a new field fails them until somebody has thought of it.

// another is a value that differs from the zero value of its type, for the field of that name in the board's cluster.
func another(t *testing.T, field reflect.StructField) reflect.Value {
	t.Helper()
	switch field.Name {
	case "Node":
		return reflect.ValueOf("n1")
	case "Quota":
		return reflect.ValueOf("team")
	case "Taints":
		return reflect.ValueOf([]gang.Taint{{Key: "k", Effect: gang.NoSchedule}})
	}
	v := reflect.New(field.Type).Elem()
	switch v.Interface().(type) {
	case *cluster.NUMA:
		v.Set(reflect.ValueOf(twoZones(numa.Restricted)))
	case *numa.Placed:
		v.Set(reflect.ValueOf(&numa.Placed{Policy: numa.Restricted, Shares: []numa.Share{{Zone: 0, Resources: gpus(1)}}}))
	case string:
		v.SetString("other")
	case bool:
		v.SetBool(true)
	case int, int64:
		v.SetInt(7)
	case []string:
		v.Set(reflect.ValueOf([]string{"other"}))
	case muster.Resources:
		v.Set(reflect.ValueOf(gpus(1)))
	case map[string]string:
		v.Set(reflect.ValueOf(map[string]string{"key": "value"}))
	default:
		t.Fatalf("there is no other value for the new field %s %s: add one, and think of copy, validation and equality", field.Name, field.Type)
	}
	return v
}

// Every field of a node and of a running member is kept by a new cluster and by every kind of update.
func TestFieldsOfNodesAndMembersAreKept(t *testing.T) {
	for i := range reflect.TypeFor[cluster.Node]().NumField() {
		n := cluster.Node{Name: "n0", Allocatable: muster.Resources{}}
		field := reflect.TypeFor[cluster.Node]().Field(i)
		reflect.ValueOf(&n).Elem().Field(i).Set(another(t, field))
		spec := cluster.Spec{Nodes: []cluster.Node{n}}
		keeps(t, "Node."+field.Name, spec, cluster.Delta{SetNodes: []cluster.Node{n}})
	}
	for i := range reflect.TypeFor[cluster.Running]().NumField() {
		r := cluster.Running{Gang: "g", Member: "m", Node: "n0", Resources: muster.Resources{}}
		field := reflect.TypeFor[cluster.Running]().Field(i)
		reflect.ValueOf(&r).Elem().Field(i).Set(another(t, field))
		spec := cluster.Spec{Running: []cluster.Running{r}, Quotas: teams(t)}
		for _, name := range []string{"n0", "n1"} {
			spec.Nodes = append(spec.Nodes, cluster.Node{Name: name, Allocatable: gpus(1)})
		}
		keeps(t, "Running."+field.Name, spec, cluster.Delta{Place: []cluster.Running{r}})
	}
}

// keeps holds if a cluster shows what was put in, at once, by an update in place, and when an update builds it anew.
func keeps(t *testing.T, field string, spec cluster.Spec, d cluster.Delta) {
	t.Helper()
	c := newCluster(t, spec)
	want := spec
	want.Quotas = nil // see TestQuotasFollowTheCluster
	require.Equal(t, want, stateOf(c).Spec, "%s of a new cluster", field)
	bare := spec
	bare.Running = nil
	updated, err := newCluster(t, bare).Update(d)
	require.NoError(t, err)
	require.Equal(t, want, stateOf(updated).Spec, "%s after an update", field)
	rebuilt, err := c.Update(cluster.Delta{SetNodes: []cluster.Node{{Name: "z", Allocatable: muster.Resources{}}}})
	require.NoError(t, err)
	spec.Nodes = append(spec.Nodes, cluster.Node{Name: "z", Allocatable: muster.Resources{}})
	require.ElementsMatch(t, spec.Nodes, stateOf(rebuilt).Spec.Nodes, "%s after a rebuild", field)
	require.Equal(t, spec.Running, stateOf(rebuilt).Spec.Running, "%s after a rebuild", field)
}

// Every field of Spec and Delta does something, and none is needed.
func TestFieldsOfSpecAndDeltaMatter(t *testing.T) {
	spec := board(t)
	c := newCluster(t, spec)
	whole := stateOf(c)
	for i := range reflect.TypeFor[cluster.Spec]().NumField() {
		less := spec
		reflect.ValueOf(&less).Elem().Field(i).SetZero()
		name := reflect.TypeFor[cluster.Spec]().Field(i).Name
		if name == "KeptShapes" || name == "KeptSizes" || name == "NUMAExclusive" {
			continue // see TestKeptShapes, TestExclusiveByDefault
		}
		if name == "Holds" || name == "DomainHolds" {
			continue // see TestHoldsFollowSnapshots, TestDomainHoldsFollowSnapshots
		}
		if name == "Quotas" || name == "Total" || name == "Demand" {
			continue // see TestQuotasFollowTheCluster
		}
		if name == "Nodes" {
			_, err := placement.NewCluster(less)
			require.EqualError(t, err, "cluster.Nodes: a cluster needs a node")
			continue
		}
		require.NotEqual(t, whole, stateOf(newCluster(t, less)), name)
	}
	same, err := c.Update(cluster.Delta{})
	require.NoError(t, err)
	require.Equal(t, whole, stateOf(same))
	full := reflect.ValueOf(cluster.Delta{
		RemoveGangs: []string{"x"}, LeavingGangs: []string{"x"},
		Trees:       []cluster.NamedTree{{Name: "other", Tree: spec.Trees[0].Tree}},
		Remove:      []cluster.MemberRef{ref("x", "x-0")},
		Leaving:     []cluster.MemberRef{ref("x", "x-0")},
		Minima:      map[string]int{"x": 1},
		RemoveNodes: []string{"n3"},
		SetNodes:    []cluster.Node{{Name: "n0"}},
		Place:       []cluster.Running{{Gang: "g", Member: "m", Node: "n0"}},
		Budgets:     []cluster.Budget{{Name: "b", Allowed: 2}},
	})
	for i := range full.NumField() {
		if name := full.Type().Field(i).Name; name == "Demand" || name == "Observed" || name == "Holds" || name == "DomainHolds" {
			continue // see TestQuotasFollowTheCluster, TestSnapshotsEqualNewClusters, TestHoldsFollowSnapshots
		}
		require.False(t, full.Field(i).IsZero(), "%s is new: give it a value here", full.Type().Field(i).Name)
		one := cluster.Delta{}
		reflect.ValueOf(&one).Elem().Field(i).Set(full.Field(i))
		changed, err := c.Update(one)
		require.NoError(t, err)
		require.NotEqual(t, whole, stateOf(changed), full.Type().Field(i).Name)
	}
}

// Every field of a result, a refusal and a conflict is filled by some answer on the board.
func TestFieldsOfAnswersAreFilled(t *testing.T) {
	spec := board(t)
	spec.Trees[0].Name = "net"
	spec.Running[0].Leaving = true
	c := newCluster(t, spec)
	req := job(8)
	req.Groups = []gang.Groups{{Size: 4, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}}
	res := mustPlan(t, c, req)
	res.Victims, res.Preemption = []placement.Victim{{}}, &placement.Preemption{} // see TestPreemption
	res.Elsewhere = []placement.GroupPlace{{}}                                    // see TestPartsInAnotherTopology
	filled(t, *res)
	filled(t, res.Span[0])
	filled(t, mustPlan(t, newCluster(t, cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", numa.Restricted)}}), inGroups(job(2), 1)).Assignments[1])
	filled(t, res.WaitsFor[0])

	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	req.Shape.Resources = gpus(2)
	req.Groups[0].Size = 2
	var why *placement.Unschedulable
	_, err := placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	require.Equal(t, placement.RefuserNodes, why.Refuser)
	req.Members = req.Members[:4]
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	why.RefusedBy = &quota.Refusal{}  // see TestQuotaRefuses
	why.Together = []string{"others"} // see TestQueueOfGangsTogether
	why.Behind = "others"             // see TestNobodyBehindOneThatWaits
	// See TestContextEndsASearch.
	why.AtLeast, why.Tiers[1].AtLeast, why.Stopped = true, true, context.Canceled
	filled(t, *why)
	filled(t, why.Tiers[1])
	req.Shape.Resources = gpus(3)
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	filled(t, why.Nodes())
	require.Equal(t, "resource:gpu", why.Nodes().Rejected[0].Cause)
	req.Shape.Selector = map[string]string{"disk": "fast"}
	_, err = placement.Plan(c, req)
	require.ErrorAs(t, err, &why)
	filled(t, why.Nodes().Rejected[0])
	filled(t, why.Nodes().Rejected[0].Which[0])

	var conflict *cluster.ConflictError
	_, err = c.Update(cluster.Delta{Place: []cluster.Running{{Gang: "g", Member: "m", Node: "n0", Resources: gpus(2)}}})
	require.ErrorAs(t, err, &conflict)
	filled(t, *conflict)
}

func filled[T any](t *testing.T, v T) {
	t.Helper()
	for i := range reflect.TypeFor[T]().NumField() {
		if f := reflect.TypeFor[T]().Field(i); f.IsExported() {
			require.False(t, reflect.ValueOf(v).Field(i).IsZero(), "%T.%s is empty in %+v", v, f.Name, v)
		}
	}
}
