package placement_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
)

// slotsBy is a hook that says what amounts say.
func slotsBy(spec cluster.Spec, req *gang.Request) func(node string) int {
	seen, slots := validity.Seen(spec, req), map[string]int{}
	asks := validity.ShapeOf(req, &req.Members[0]).Resources
	for i := range seen.Nodes {
		n := &seen.Nodes[i]
		var on []cluster.Running
		for _, r := range seen.Running {
			if r.Node == n.Name {
				on = append(on, r)
			}
		}
		fits := int64(1 << 24)
		for _, name := range asks.Names() {
			if amount := asks[name]; amount > 0 {
				if free, bounded := validity.Free(n, name, on); bounded {
					fits = min(fits, max(0, free)/amount)
				}
			}
		}
		slots[n.Name] = int(fits)
	}
	return func(node string) int { return slots[node] }
}

// withoutDevices names devices anew as what every machine may have: only devices make waste, which the host does not tell.
func withoutDevices(spec cluster.Spec, req *gang.Request) {
	amounts := []muster.Resources{req.Shape.Resources}
	for i := range req.Members {
		amounts = append(amounts, validity.ShapeOf(req, &req.Members[i]).Resources)
	}
	for i := range spec.Nodes {
		n := &spec.Nodes[i]
		amounts = append(amounts, n.Allocatable)
		if n.NUMA != nil {
			for _, z := range n.NUMA.Zones {
				amounts = append(amounts, z.Allocatable)
			}
		}
	}
	for i := range spec.Running {
		amounts = append(amounts, spec.Running[i].Resources)
	}
	for _, a := range amounts {
		for _, name := range a.Names() {
			if muster.IsDevice(name) {
				a["hugepages-"+name] = a[name]
				delete(a, name)
			}
		}
	}
}

// Slots that the host tells, and that are those of the amounts, give the plan of the amounts, and its refusal; Apply takes it.
func TestSlotsOfTheHost(t *testing.T) {
	planned, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		spec, req := drawInput(t)
		withoutDevices(spec, req)
		c := newCluster(t, spec)
		req.IgnoreLeaving, req.NeverPreempts, req.Preempt.ForTier = true, true, ""
		told := *req
		told.Slots = slotsBy(spec, req)
		res, err := placement.Plan(c, req)
		own, ownErr := placement.Plan(c, &told)
		if ownErr != nil && !isRefusal(ownErr) {
			require.ErrorIs(t, ownErr, muster.ErrNotSupported)
			t.Skip("not supported: ", ownErr)
		}
		if err != nil {
			require.EqualError(t, ownErr, err.Error())
			refused++
			return
		}
		require.NoError(t, ownErr)
		require.Equal(t, res, own)
		require.NoError(t, validity.Check(spec, &told, own))
		if own.Waits() { // for a member of the same name
			return
		}
		_, err = c.Apply(own)
		require.NoError(t, err)
		planned++
	})
	t.Log(planned, "planned,", refused, "refused")
	require.Positive(t, planned)
	require.Positive(t, refused)
}

func isRefusal(err error) bool {
	_, is := err.(*placement.Unschedulable) //nolint:errorlint // as Plan returns it
	return is
}

// The host may know of more than the amounts say, or of less. Apply and a plan of the amounts hold to the amounts.
func TestSlotsOfTheHostCountForTheAmounts(t *testing.T) {
	c := newCluster(t, board(t))
	req := job(3)
	req.Slots = func(node string) int { return map[string]int{"n0": 3, "n1": -1, "n9": 1 << 30}[node] }
	res := mustPlan(t, c, req)
	require.Equal(t, []string{"n0", "n0", "n0"}, nodesOf(res))
	_, err := c.Apply(res)
	var conflict *cluster.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, "n0", conflict.Node)

	req.Exclude = []string{"n0"}
	require.Equal(t, []string{"n9", "n9", "n9"}, nodesOf(mustPlan(t, c, req)))
	req.Gather = []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	_, err = placement.Plan(c, req)
	var why *placement.Unschedulable
	require.ErrorAs(t, err, &why)
	require.True(t, why.Proven)
	require.Equal(t, []placement.CauseCount{{Cause: "eligible", Nodes: 1}, {Cause: "slots", Nodes: 3}}, why.Nodes().Rejected)
	require.Empty(t, why.InTheWay())
	e := placement.Explain(c, req, placement.ExplainOptions{})
	require.Equal(t, placement.VerdictRefused, e.Verdict)
	require.Empty(t, e.Relaxations)
	require.Len(t, e.NotTried, 1)
}

// Nobody leaves, and nobody is waited for, where only the host knows what a node would take then.
func TestSlotsOfTheHostTakeNobodysPlace(t *testing.T) {
	spec := board(t)
	spec.Running[0].Leaving = true
	req := job(2)
	req.Priority, req.Slots = 9, func(string) int { return 0 }
	_, err := placement.Plan(newCluster(t, spec), req)
	require.EqualError(t, err, "unschedulable: insufficient slots, 0 of 2 (proven)")
	spec.Running[0].Leaving = false
	_, err = placement.Plan(newCluster(t, spec), req)
	require.EqualError(t, err, "unschedulable: insufficient slots, 0 of 2 (proven)")
}

// What cannot be known with such slots is refused by name.
func TestSlotsOfTheHostAreNotSupported(t *testing.T) {
	plain := board(t)
	zoned := cluster.Spec{Nodes: []cluster.Node{zonedNode("n0", numa.Restricted)}}
	for want, tc := range map[string]struct {
		spec   cluster.Spec
		change func(req *gang.Request)
	}{
		"a gang in parts":           {plain, func(r *gang.Request) { r.Parts = []gang.Part{{Name: "p", Members: []string{"job-0"}}} }},
		"members of several shapes": {plain, func(r *gang.Request) { r.Members[1].Shape = &gang.Shape{Resources: gpus(2)} }},
		"groups that limits make parts": {plain, func(r *gang.Request) {
			r.Groups, r.Limits = []gang.Groups{{Size: 2}}, []gang.Limit{{Layer: "rack", Kind: gang.Apart, Most: 2}}
		}},
		"a NUMA policy": {zoned, func(*gang.Request) {}},
		"NUMA policy":   {plain, func(r *gang.Request) { r.Shape.NUMA.Policy = numa.Restricted }},
		"a gang for which a tier is worth victims": {plain, func(r *gang.Request) { r.Preempt.ForTier = "rack" }},
	} {
		req := job(2)
		req.Slots = func(string) int { return 1 }
		tc.change(req)
		_, err := placement.Plan(newCluster(t, tc.spec), req)
		require.ErrorIs(t, err, muster.ErrNotSupported, want)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "request.Slots")
	}
	c, req := newCluster(t, plain), job(1)
	req.Slots = func(string) int { return 1 }
	_, err := placement.Together(c, nil, job(1), req)
	require.ErrorIs(t, err, muster.ErrNotSupported)
	running := *req
	running.Name = "x"
	_, err = placement.Standing(c, &running)
	require.ErrorIs(t, err, muster.ErrNotSupported)
	_, queue := placement.Batch(c, []*gang.Request{req})
	require.NoError(t, queue[0].Err)
	_, queue = placement.Batch(c, []*gang.Request{job(1), req})
	require.NoError(t, queue[0].Err)
	require.ErrorIs(t, queue[1].Err, muster.ErrNotSupported)
	n := 0
	for _, err := range placement.Candidates(c, req) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 4, n, "no domain twice: n0, n1, n2, n3")
}
