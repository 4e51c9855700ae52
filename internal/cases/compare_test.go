package cases

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/placement/manifest"
)

// planned is an answer of one gang, to compare with.
func planned() *answer {
	p := plan{Gang: "ns/g", Status: "placed", Domain: "s0/r1", Tier: 1, GroupTiers: []int{1}, GroupTier: 1, StrategyNumber: 1}
	p.Assignments = []assignment{{Pod: "g-0", Node: "n1"}, {Pod: "g-1", Node: "n1"}, {Pod: "g-2", Node: "n2", Zones: []struct{ ID int }{{3}, {7}}}}
	p.WaitsFor = []struct{ Pod string }{{"ns/old"}}
	p.Victims = []struct{ Pod string }{{"ns/v10"}, {"ns/v9"}}
	p.Reason.RefusedBy = &refusedBy{Quota: "d", Rule: "limit", Deficit: muster.Resources{"cpu": 1}}
	p.Explanation = map[string]json.RawMessage{"verdict": json.RawMessage(`"refused"`), "relaxations": json.RawMessage(`[
		{"kind": "request"}, {"kind": "quota", "change": {"quotas": [{"quota": "d", "max": {"cpu": 3}, "min": {}}]}, "least": true}, {"kind": "nodes"}]`)}
	p.running = map[string]int{"n3": 1}
	p.Reason.Nodes.Rejected = map[string]int{"taint": 1}
	return &answer{plans: []plan{{Gang: "ns/first"}, p}, domainsOf: map[string][]string{
		"n1": {"s0", "r1", "s0/r1"}, "n2": {"s0", "r1", "s0/r1"}, "n3": {"s0", "r2", "s0/r2"},
	}}
}

func TestWantsThatHold(t *testing.T) {
	for _, fields := range []string{
		`"status": "placed", "tier": 1, "groupTier": 1, "groupTiers": [1], "strategyNumber": 1, "note": {"any": 1}`,
		`"domain": "r1"`, `"domain": "s0/r1"`, `"placed": 3`,
		`"count": {"n1": 2, "n2": 1}`, `"countByDomain": {"s0": 4}`, `"countByDomain": {"s0/r1": 3, "r2": 1}`,
		`"pods": {"g-2": "n2"}`, `"pods": {"oneOf": [{"g-2": "n1"}, {"g-2": "n2", "g-0": "n1"}]}`,
		`"zones": {}`, `"zones": {"g-2": [3, 7], "g-0": []}`, `"victims": ["ns/v9", "ns/v10"]`, `"victimCount": 2`,
		`"victims": {"victimCount": 2}`, `"victims": {"oneOf": [["ns/v9"], ["ns/v10", "ns/v9"]], "victimCount": 2}`,
		`"waitsFor": ["ns/old"]`, `"waitsForCount": 1`, `"reason": "taint"`,
		`"oneOf": [{"tier": 2}, {"tier": 1, "placed": 3}]`,
		`"explanation": {"relaxations": [{"kind": "nodes"}]}`, `"explanation": {"verdict": "refused", "relaxations": []}`,
		`"explanation": {"relaxations": [{"kind": "quota", "change": {"quotas": [{"quota": "d", "max": {"cpu": 3}}]}}, {"kind": "nodes"}]}`,
		`"refusedBy": {"quota": "d"}`, `"refusedBy": {"deficit": {"cpu": 1}}`,
	} {
		require.Empty(t, planned().differs(json.RawMessage(`[{"gang": "ns/g", `+fields+`}]`)), fields)
	}
	require.Empty(t, planned().differs(json.RawMessage(`[{"gang": "ns/first"}, {"gang": "ns/g"}]`)))
	require.Empty(t, planned().differs(json.RawMessage(`{"oneOf": [{"error": {"object": "ns/g"}}, [{"gang": "ns/g", "tier": 1}]]}`)))
}

func TestWantsThatDoNotHold(t *testing.T) {
	for _, fields := range []string{
		`"status": "unschedulable"`, `"tier": 0`, `"groupTier": 0`, `"groupTiers": [1, 0]`, `"strategyNumber": 2`,
		`"domain": "r2"`, `"domain": "s1/r1"`, `"domain": "0/r1"`, `"placed": 2`,
		`"count": {"n1": 2}`, `"count": {"n1": 2, "n2": 1, "n3": 1}`, `"countByDomain": {"s0": 3}`,
		`"pods": {"g-2": "n1"}`, `"pods": {"g-9": "n1"}`, `"pods": {"oneOf": [{"g-2": "n1"}]}`,
		`"zones": {"g-2": [3]}`, `"zones": {"g-2": [7, 3]}`, `"zones": {"g-0": [0]}`, `"zones": {"g-9": []}`,
		`"victims": []`, `"victims": ["ns/v9"]`, `"victims": ["ns/v9", "ns/v8"]`, `"victimCount": 1`, `"victims": {"victimCount": 3}`, `"victims": {}`,
		`"victims": {"victimCount": 2, "oneOf": [["ns/v9"], ["ns/v10"]]}`, `"victims": {"victimCount": 1, "oneOf": [["ns/v10", "ns/v9"]]}`,
		`"waitsFor": []`, `"waitsForCount": 0`, `"reason": "cordoned"`,
		`"oneOf": [{"tier": 2}, {"tier": 1, "placed": 2}]`,
		`"explanation": {"relaxations": [{"kind": "taint"}]}`, `"explanation": {"relaxations": [{"kind": "nodes"}, {"kind": "quota"}]}`,
		`"explanation": {"relaxations": [{"kind": "quota", "change": {"quotas": []}}]}`, `"explanation": {"verdict": "placed"}`,
		`"explanation": {"relaxations": [{"kind": "quota", "plan": {}}]}`, `"explanation": {"codes": [{}]}`,
		`"refusedBy": {"quota": "e"}`, `"refusedBy": {"deficit": {"cpu": 2}}`, `"refusedBy": null`,
		`"color": {}`, // never passed over in silence
	} {
		require.NotEmpty(t, planned().differs(json.RawMessage(`[{"gang": "ns/g", `+fields+`}]`)), fields)
	}
	for _, want := range []string{
		`[{"gang": "ns/g"}, {"gang": "ns/first"}]`, `[{"gang": "ns/other"}]`, `{"error": {"object": "ns/g"}}`, `[{"error": {"object": "ns/g"}}]`, `7`,
	} {
		require.NotEmpty(t, planned().differs(json.RawMessage(want)), want)
	}
}

func TestRefusals(t *testing.T) {
	a := &answer{err: errors.New("f.yaml: document 2, line 3: HyperNode/l10: spec.members[0]: two parents: a and b")}
	for want, holds := range map[string]bool{
		`{"error": {"object": "HyperNode/l10", "about": "two parents"}}`:                  true,
		`{"error": {"object": ["HyperNode/x", "HyperNode/l10"], "about": "two parents"}}`: true,
		`{"error": {"object": "HyperNode/l10"}}`:                                          true,
		`{"error": {"object": "HyperNode/l10", "about": "cycle"}}`:                        false,
		`{"error": {"object": "HyperNode/l1", "about": "two parents"}}`:                   false,
		`[{"gang": "ns/g", "status": "unschedulable"}]`:                                   false,
	} {
		require.Equal(t, holds, a.differs(json.RawMessage(want)) == "", want)
	}
}

func TestPlansAreJudgedByThemselves(t *testing.T) {
	const objects = `{"apiVersion": "v1", "kind": "List", "items": [
		{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": 1}}},
		{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"resources": {"requests": {"cpu": 1}}}]}}]}`
	p, err := cli.Plan([]manifest.File{{Name: "f.json", Data: []byte(objects)}}, cli.Options{})
	require.NoError(t, err)
	o := &p.Outcomes[0]
	require.Empty(t, invalid(p, o))
	o.Request.Shape.Resources["cpu"]++
	require.Contains(t, invalid(p, o), "default/p: the plan is not valid: ")
}
