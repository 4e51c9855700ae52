package reference

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/draws"
	"github.com/muster-sched/muster/internal/validity"
	"github.com/muster-sched/muster/numa"
)

// Every plan for members of different shapes equals the reference's: members, strategy, domain, counts, assignments, what it waits for.
func TestRolesEqualReference(t *testing.T) { holdsFor(t, mixed(drawRoles), rolesAgree) }

func rolesAgree(in Input) ([]string, error) {
	if HasParts(&in) {
		return partsAgree(in)
	}
	want, err := Solve(in)
	if err != nil {
		return nil, err
	}
	for path, req := range map[string]*gang.Request{"indexed": &in.Request, "plain": WithoutIndex(in.Request)} {
		res, refusal := plan(in, req)
		if err := difference(in, want, res, refusal); err != nil {
			return nil, fmt.Errorf("%s path: %w\nreference: %splan: %s", path, err, want.Text(), resultText(res, refusal))
		}
		if err := appliesTo(&in, res); err != nil {
			return nil, fmt.Errorf("%w\nplan: %s", err, resultText(res, refusal))
		}
	}
	return slices.Concat(roleKinds(&in, want), quotaKinds(&in, want), sparingKinds(&in, want)), nil
}

// roleKinds says what is special about a cluster and its plan.
func roleKinds(in *Input, a *Answer) []string {
	if !hasRoles(in) {
		return []string{"one shape"}
	}
	s, err := newRoleSolver(in)
	if err != nil {
		return nil
	}
	var out []string
	for _, kind := range []struct {
		name  string
		holds bool
	}{
		{fmt.Sprintf("%d roles", len(s.roles)), true},
		{"placed", a.Placed},
		{"with zones", hasZones(&in.Spec)},
		{"with zones, placed", hasZones(&in.Spec) && a.Placed},
		{"with zones, refused", hasZones(&in.Spec) && !a.Placed},
		{"placed in zones", inZones(a, 1) > 0},
		{"placed in zones, members of several roles on a node", s.severalInZones(a)},
		{"placed in zones, some span them", inZones(a, 2) > 0},
		{"placed in zones, beside members without", inZones(a, 1) > 0 && inZones(a, 1) < a.Members},
		{"placed in zones, waiting", inZones(a, 1) > 0 && len(a.WaitsFor) > 0},
		{"placed in zones, waiting, and further members", inZones(a, 1) > 0 && len(a.WaitsFor) > 0 && a.Members > a.Wanted},
		{"unschedulable", !a.Placed},
		{"of several nodes", len(a.Counts) > 1},
		{"beside running members", a.Placed && len(s.solver.own) > 0},
		{"one group, placed", a.Placed && len(s.solver.levels) > 0},
		{"the gang and its group at different tiers", a.Placed && len(a.Worth) > 1 && a.Worth[0] != a.Worth[1]},
		{"with anchors, placed", a.Placed && in.Request.AffinityKey != ""},
		{"not all members placed", a.Placed && a.Members < len(in.Request.Members)},
		{"waiting", len(a.WaitsFor) > 0},
		{"of any ranks", s.ofAnyRanks(a)},
		{"of any ranks, waiting", s.ofAnyRanks(a) && len(a.WaitsFor) > 0},
		{"of any ranks, with multiples", s.ofAnyRanks(a) && validity.HasMultiples(&in.Request)},
		{"of any ranks, beside running members", s.ofAnyRanks(a) && len(s.solver.own) > 0},
		{"of any ranks, with zones", s.ofAnyRanks(a) && hasZones(&in.Spec)},
		{"of any ranks, in a quota that refuses some", s.ofAnyRanks(a) && in.refused > 0},
		{"of any ranks, with limits", s.ofAnyRanks(a) && len(in.Request.Limits) > 0},
		{"with multiples", validity.HasMultiples(&in.Request)},
		{"with multiples, placed", validity.HasMultiples(&in.Request) && a.Placed},
		{"with multiples, beside running members", validity.HasMultiples(&in.Request) && a.Placed && len(s.solver.own) > 0},
		{"with multiples, not all members placed", validity.HasMultiples(&in.Request) && a.Placed && a.Members < len(in.Request.Members)},
		{"with multiples, of several nodes", validity.HasMultiples(&in.Request) && len(a.Counts) > 1},
		{"waiting, and further members", len(a.WaitsFor) > 0 && a.Members > a.Wanted},
		{"partly outside the tree", a.Outside > 0 && a.Outside < a.Members},
		{"wholly outside the tree", a.Placed && a.Outside == a.Members},
	} {
		if kind.holds {
			out = append(out, kind.name)
		}
	}
	return out
}

// ofAnyRanks holds if a member is left out of a lower rank than another.
func (s *roleSolver) ofAnyRanks(a *Answer) bool {
	return len(a.Assignments) > 0 && a.Assignments[len(a.Assignments)-1].Member != s.pending[len(a.Assignments)-1].Name
}

// inZones counts the members that have shares of so many zones or more.
func inZones(a *Answer, width int) (n int) {
	for _, x := range a.Assignments {
		n += bit(x.NUMA != nil && len(x.NUMA.Shares) >= width)
	}
	return n
}

// severalInZones says whether members of several roles have shares of the zones of one node.
func (s *roleSolver) severalInZones(a *Answer) bool {
	on := map[string]int{}
	for _, x := range a.Assignments {
		if x.NUMA == nil {
			continue
		}
		r := s.role(s.shapeNamed(x.Member))
		if other, ok := on[x.Node]; ok && other != r {
			return true
		}
		on[x.Node] = r
	}
	return false
}

// drawRoles draws a gang of two or three roles, a quarter of them with quotas, and a cluster, half of them with zones.
func drawRoles(t *rapid.T) Input { return drawRolesFor(t, draws.Sizes{Nodes: 8, Slots: 4, Members: 6}) }

// drawRolesFor is drawRoles of these sizes.
func drawRolesFor(t *rapid.T, sizes draws.Sizes) Input {
	in := Input{Spec: draws.Cluster(t, sizes)}
	in.Request = gang.Request{
		Name:   draws.GangName,
		Shape:  gang.Shape{Resources: muster.Resources{draws.Device: 1, draws.Second: 1000}},
		Policy: rapid.SampledFrom([]gang.Policy{"", "", gang.BestFit, gang.Spread, gang.Balanced, gang.ByScore}).Draw(t, "policy"),
	}
	own := draws.TakeOwn(&in.Spec, draws.Chance(t, 35, "with running members"))
	members := rapid.IntRange(2, sizes.Members).Draw(t, "gang")
	if draws.Chance(t, 20, "one group") {
		in.Request.Groups = []gang.Groups{{Size: members + own}}
	}
	draws.NameMembers(t, &in.Request, &in.Spec, members, own)
	drawRulesOfRoles(t, &in)
	draws.Rest(t, &in.Request, &in.Spec, own)
	draws.Alone(t, &in.Spec, &in.Request)
	var shapes []*gang.Shape
	for range rapid.IntRange(2, 3).Draw(t, "roles") {
		shapes = append(shapes, drawShape(t, &in.Spec))
	}
	for i := range in.Request.Members {
		in.Request.Members[i].Shape = rapid.SampledFrom(shapes).Draw(t, "role")
	}
	drawElastic(t, &in)
	if hasRoles(&in) {
		drawMultiples(t, &in, 25)
	}
	draws.OfParts(t, &in.Spec, &in.Request)
	drawPreferred(t, &in, 40)
	if draws.Chance(t, 25, "with quotas") && admitsSome(&in) {
		drawQuotas(t, &in)
		in.Request.NeverPreempts = true // it might reclaim
	}
	return in
}

// drawAlignment draws what members of a role ask of zones; some have no policy.
func drawAlignment(t *rapid.T, s *gang.Shape) {
	if draws.Chance(t, 30, "larger") {
		s.Resources[draws.Device], s.Resources[draws.Second] = rapid.Int64Range(1, 5).Draw(t, "devices"), 500*rapid.Int64Range(0, 6).Draw(t, "CPUs")
	}
	if draws.Chance(t, 10, "asks for memory") {
		s.Resources[muster.Memory] = 1
	}
	if s.NUMA = draws.NUMA(t); draws.Chance(t, 30, "one policy") {
		s.NUMA.Policy = numa.BestEffort
	}
}

func hasZones(spec *cluster.Spec) bool {
	return slices.ContainsFunc(spec.Nodes, func(n cluster.Node) bool { return n.NUMA != nil })
}

func dropZones(spec *cluster.Spec) {
	spec.NUMAExclusive = numa.Exclusive("")
	for i := range spec.Nodes {
		spec.Nodes[i].NUMA = nil
	}
	for i := range spec.Running {
		spec.Running[i].NUMA = nil
	}
}

// drawRulesOfRoles draws gather rules of the gang and of its group, if it has one. A group that must gather on a node is a unit where nobody runs.
func drawRulesOfRoles(t *rapid.T, in *Input) {
	layers := layersOf(in)
	in.Request.Gather = draws.Gather(t, layers)
	for i := range in.Request.Groups {
		in.Request.Groups[i].Gather = slices.DeleteFunc(draws.Gather(t, layers), func(r gang.Rule) bool {
			return r.Strength == gang.MustGather && r.Layer == "0"
		})
	}
}

// admitsSome says whether the multiples leave a number of members that suffices. Else it means nothing what a quota says.
func admitsSome(in *Input) bool {
	s, err := newSolver(in)
	return err == nil && s.smallestAdmissible(s.wanted()) > 0
}

// layersOf are all layers, by their tiers.
func layersOf(in *Input) []string {
	layers := []string{"0"}
	for _, l := range draws.Layers(&in.Spec) {
		layers = append(layers, strconv.Itoa(l.Tier))
	}
	return layers
}

// drawMultiples draws one or two multiples for some gangs of several roles or in parts. Where groups are equal, it divides them.
func drawMultiples(t *rapid.T, in *Input, percent int) {
	req := &in.Request
	all := len(req.Members) + len(validity.Own(&in.Spec, req))
	for _, most := range []int{percent, percent / 4} {
		multiple := rapid.SampledFrom([]int{2, 2, 3, 4}).Draw(t, "multiple")
		divides := !slices.ContainsFunc(req.Groups, func(g gang.Groups) bool { return g.Size%multiple != 0 })
		if !draws.Chance(t, most, "with a multiple") || !divides || all%multiple != 0 && req.MinMember == 0 && draws.Chance(t, 70, "that is kept by other numbers") {
			continue
		}
		layer := rapid.SampledFrom(layersOf(in)).Draw(t, "multiple at")
		if !slices.ContainsFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 0 && r.Layer == layer }) {
			req.Gather = append(req.Gather, gang.Rule{Layer: layer, Multiple: multiple})
		}
	}
}

// drawShape draws what members of a role ask for and where they may be.
func drawShape(t *rapid.T, spec *cluster.Spec) *gang.Shape {
	s := &gang.Shape{Resources: muster.Resources{draws.Second: 500 * rapid.Int64Range(0, 4).Draw(t, "CPUs")}}
	if s.Resources[draws.Second] == 0 || draws.Chance(t, 60, "has devices") { // it asks for something that nodes have
		s.Resources[draws.Device] = rapid.Int64Range(1, 2).Draw(t, "devices")
	}
	if draws.Chance(t, 20, "is a pod") {
		s.Resources[muster.Pods] = 1
	}
	if draws.Chance(t, 15, "selector of the role") {
		s.Selector = map[string]string{"kind": "b"}
	}
	if draws.Chance(t, 10, "tolerates") {
		s.Tolerations = []gang.Toleration{{Key: "t", Exists: true}}
	}
	if draws.Chance(t, 20, "tolerates what is soft") {
		s.Tolerations = append(s.Tolerations, gang.Toleration{Key: "soft", Exists: true})
	}
	if draws.Chance(t, 10, "prefers") {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: "kind", Operator: gang.In, Values: []string{"a"}}}}
		s.Preferred = []gang.Preference{{Weight: rapid.Int64Range(0, 2).Draw(t, "weight"), Nodes: term}}
	}
	if hasZones(spec) {
		drawAlignment(t, s)
	}
	return s
}

// Plans for members of different shapes have legal victims, none too many, and none better than what is said to be possible; where that is said to
// be proven, the best.
func TestVictimsOfRoles(t *testing.T) {
	holdsFor(t, mixedWithVictims(drawRoleVictims), func(in Input) ([]string, error) { return preemptionAgrees(in, false) })
}

// drawRoleVictims draws a cluster that is nearly full, and a gang of several roles that may well need victims.
func drawRoleVictims(t *rapid.T) Input {
	in := crowd(t)
	req := &in.Request
	req.Groups, req.PP, req.DP = nil, 0, 0
	draws.KeepAlone(req)
	req.Gather = slices.DeleteFunc(req.Gather, func(r gang.Rule) bool { return r.Multiple > 0 })
	shapes := []*gang.Shape{drawShape(t, &in.Spec), drawShape(t, &in.Spec)}
	for i := range req.Members {
		req.Members[i].Shape = rapid.SampledFrom(shapes).Draw(t, "role")
	}
	drawElastic(t, &in)
	if hasRoles(&in) {
		drawMultiples(t, &in, 20)
	}
	drawPreemptor(t, &in)
	if draws.Chance(t, 40, "with minima") {
		drawMinima(t, &in)
	}
	if draws.Chance(t, 20, "with budgets") {
		drawBudgets(t, &in)
	}
	boundCandidates(&in)
	return in
}
