package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/kinds"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/quota"
)

// toldOf is what an explanation reads.
func toldOf(t *testing.T, o *Outcome) string {
	t.Helper()
	var b bytes.Buffer
	o.Gang = "ns/job"
	require.NoError(t, Explanations(&b, []Outcome{*o}))
	return b.String()
}

// explained is the text of a refusal.
func explained(t *testing.T, facts []explain.Fact, tiers []explain.Fragmentation, changes ...explain.Relaxation) string {
	t.Helper()
	e := &placement.Explanation{Verdict: placement.VerdictRefused, Facts: facts, Fragmentation: tiers, Relaxations: changes, Plans: 2}
	return toldOf(t, &Outcome{Explanation: e})
}

// Every code is told, as the reason or among the details, with the counts in JSON.
func TestEveryCodeHasWords(t *testing.T) {
	for _, code := range explain.Codes() {
		f := explain.Fact{Code: code, Proven: true, Detail: explain.Detail{
			Wanted: 4, Fits: 3, Nodes: 5, Slots: 6, Members: 7, Gangs: 2, Part: "decode", Quota: "team", Names: []string{"ns/other"}, Reason: "a reason",
		}}
		if code == explain.CodeNoResource {
			f.Detail.Resource, f.Detail.Nearest = "fpgas", "fpga"
		}
		text := explained(t, []explain.Fact{{Code: explain.CodeCapacity, Proven: true}, f}, nil) + explained(t, []explain.Fact{f}, nil)
		if code == explain.CodeInvalid {
			text = toldOf(t, &Outcome{Explanation: &placement.Explanation{Verdict: placement.VerdictInvalid, Facts: []explain.Fact{f}}})
		}
		told := false
		for _, words := range []string{"a reason", "No node has fpgas; the nearest name that one has is fpga.", "decode", "ns/other", "team", "4 members, and at most 3 fit", "only 3 are known", "5 nodes with room for 6 members", "7 running members of 2 gangs"} {
			told = told || strings.Contains(text, words)
		}
		require.True(t, told, "%s: %s", code, text)
		require.Greater(t, len(detail(&f)), 1, code)
	}
}

// Every kind has a sentence, a change in the words of the input, and words for what was not looked into.
func TestEveryKindHasWords(t *testing.T) {
	for _, kind := range explain.Kinds() {
		require.NotEqual(t, string(kind), kinds.Of(kind).Things)
		require.NotEmpty(t, kinds.Of(kind).Perhaps, kind)
		if kind == explain.KindCombination {
			continue
		}
		c := &explain.Change{Kind: kind}
		require.NotContains(t, changeText(&Outcome{}, c), "otherwise", kind)
		require.NotEmpty(t, change("ns/job", c), kind)
	}
}

func TestChangesAreTold(t *testing.T) {
	at := explain.Plan{Tier: 1, Layer: "leaf", Domain: []string{"s0", "l1"}}
	for _, c := range []struct {
		change     explain.Change
		text, json string
	}{
		{explain.Change{Kind: explain.KindMembers, MinMember: 1}, "1 member were enough", `{"gang":"ns/job","minMember":1}`},
		{explain.Change{Kind: explain.KindMembers, Part: "decode", MinMember: 3}, "3 members of decode were enough", `{"gang":"ns/job","part":"decode","minMember":3}`},
		{explain.Change{Kind: explain.KindMembers, Parts: true}, "no group were needed", `{"gang":"ns/job","minParts":0}`},
		{
			explain.Change{Kind: explain.KindLayer, From: "leaf", To: "2", Level: 2},
			"each of its groups at level 2 had to be in one domain of tier 2 instead of one leaf",
			`{"rule":"MustGather","from":"leaf","to":"2","level":2}`,
		},
		{explain.Change{Kind: explain.KindLayer, From: "leaf", Part: "decode"}, "the members of decode did not have to be in one leaf", `{"rule":"MustGather","from":"leaf","to":"","part":"decode"}`},
		{explain.Change{Kind: explain.KindGroup, Size: 4, Level: 1}, "its members were not kept in groups of 4", `{"drop":"groups","size":4,"level":1}`},
		{explain.Change{Kind: explain.KindMultiple, Multiple: 4, From: "leaf"}, "its members did not have to come by multiples of 4 in each leaf", `{"drop":"multiple","multiple":4,"layer":"leaf"}`},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf", Most: 2}, "2 of its members could be in one leaf", `{"limit":"Apart","layer":"leaf","most":2}`},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf", Part: "decode", Level: 2}, "the groups of decode at level 2 did not have to keep apart by leaf", `{"limit":"Apart","layer":"leaf","most":0,"part":"decode","level":2}`},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Alone, From: "2", OfParts: true}, "its parts did not have to be alone in one domain of tier 2", `{"limit":"Alone","layer":"2","most":0,"ofParts":true}`},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Within, From: "leaf", Most: 3}, "its members could be in 3 domains of leaf", `{"limit":"Within","layer":"leaf","most":3}`},
		{explain.Change{Kind: explain.KindLimit, Limit: gang.Within, From: "leaf"}, "its members did not have to be in few domains of leaf", `{"limit":"Within","layer":"leaf","most":0}`},
		{explain.Change{Kind: explain.KindRequest, Resource: "memory", Before: 8 << 30, Amount: 4 << 30}, "no member asked for more than 4Gi memory instead of 8Gi", `{"resource":"memory","from":8589934592,"to":4294967296}`},
		{explain.Change{Kind: explain.KindNodes, Nodes: []string{"a", "b", "c", "d", "e"}}, "a, b, c and 2 more returned to service", `{"returnToService":["a","b","c","d","e"]}`},
		{explain.Change{Kind: explain.KindTaint, Taint: gang.Taint{Key: "k", Effect: "NoSchedule"}}, "its members tolerated the taint k:NoSchedule", `{"tolerate":{"key":"k","value":"","effect":"NoSchedule"}}`},
		{explain.Change{Kind: explain.KindSelector, Label: "zone"}, "its members did not select nodes by the label zone", `{"drop":"zone"}`},
		{explain.Change{Kind: explain.KindSelector, Affinity: true}, "its members had no node affinity", `{"drop":"affinity"}`},
		{
			explain.Change{Kind: explain.KindQuota, Quotas: []explain.QuotaChange{{Quota: "a", Max: muster.Resources{"gpu": 12}}, {Quota: "b", Min: muster.Resources{"cpu": 1500, "gpu": 4}}}},
			"quota a had a maximum of 12 gpu and quota b had a minimum of 4 gpu and 1500m CPU", `{"quotas":[{"quota":"a","max":{"gpu":12}},{"quota":"b","min":{"cpu":1500,"gpu":4}}]}`,
		},
		{explain.Change{Kind: explain.KindGangs, Gangs: []string{"ns/a", "ns/b"}}, "ns/a and ns/b ended", `{"end":["ns/a","ns/b"]}`},
		{explain.Change{Kind: explain.KindPriority, Priority: 101}, "it had priority 101", `{"priority":101}`},
		{explain.Change{Kind: explain.KindPriority, Priority: 101, Preempts: true}, "it had priority 101 and were allowed to evict others", `{"priority":101,"preempts":true}`},
		{explain.Change{Kind: explain.KindPriority, Priority: 7, Preempts: true}, "it were allowed to evict others", `{"priority":7,"preempts":true}`},
		{explain.Change{Kind: explain.KindAdd, Add: 1, Like: "node-4", Domain: []string{"s0", "l1"}}, "1 node like node-4 were added to s0/l1", `{"nodes":1,"like":"node-4","domain":"s0/l1"}`},
	} {
		o := &Outcome{Request: &gang.Request{Priority: 7}}
		r := &explain.Relaxation{Change: c.change, Least: true, Plan: at}
		require.Equal(t, "If "+c.text+", it would start in leaf s0/l1.", relaxationText(o, r))
		got, err := changeOf("ns/job", r).MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, c.json, string(got))
	}
}

// Victims that are gangs by themselves are named, others counted.
func TestVictimsAreTold(t *testing.T) {
	ref := func(gang, member string) cluster.MemberRef { return cluster.MemberRef{Gang: gang, Member: member} }
	require.Equal(t, "ns/a and ns/b", membersOf([]cluster.MemberRef{ref("ns/b", "b"), ref("ns/a", "a")}))
	require.Equal(t, "5 members: ns/a, ns/b, ns/c and 2 more", membersOf([]cluster.MemberRef{ref("ns/b", "b"), ref("ns/a", "a"), ref("ns/e", "e"), ref("ns/d", "d"), ref("ns/c", "c")}))
	require.Equal(t, "2 members of ns/g", membersOf([]cluster.MemberRef{ref("ns/g", "g-0"), ref("ns/g", "g-1")}))
	require.Equal(t, "2 members: 1 of ns/g2 and 1 of ns/g10", membersOf([]cluster.MemberRef{ref("ns/g10", "x"), ref("ns/g2", "y")}))
}

// A plan that waits or evicts says so, a change that may not be the least as well; a combination has both changes.
func TestCombinationIsTold(t *testing.T) {
	r := &explain.Relaxation{
		Change: explain.Change{Kind: explain.KindNodes, Nodes: []string{"n1"}}, And: []explain.Change{{Kind: explain.KindSelector, Label: "zone"}},
		Plan: explain.Plan{Tier: 2, Members: 3, WaitsFor: []cluster.MemberRef{{Gang: "ns/c", Member: "c"}}, Victims: []cluster.MemberRef{
			{Gang: "ns/b", Member: "b-0"}, {Gang: "ns/a", Member: "a"}, {Gang: "ns/b", Member: "b-1"},
		}},
	}
	require.Equal(t, "If n1 returned to service, and its members did not select nodes by the label zone, it would start somewhere in the cluster, "+
		"once 1 leaving member is gone, evicting 3 members: ns/a and 2 of ns/b; perhaps fewer would do.", relaxationText(&Outcome{}, r))
	got, err := explanation(&placement.Explanation{Relaxations: []explain.Relaxation{*r}}).MarshalJSON()
	require.NoError(t, err)
	require.Contains(t, string(got), `{"kind":"combination","change":{"changes":[{"kind":"nodes","change":{"returnToService":["n1"]}},{"kind":"selector","change":{"drop":"zone"}}]},"least":false,`+
		`"plan":{"status":"placed","condition":"needs victims","tier":2,"layer":"","domain":"","strategy":"","members":3,"waitsFor":[{"pod":"ns/c","gang":"ns/c"}],`+
		`"victims":[{"pod":"ns/b-0","gang":"ns/b"},{"pod":"ns/a","gang":"ns/a"},{"pod":"ns/b-1","gang":"ns/b"}]}`)
}

func TestReasonsAreTold(t *testing.T) {
	wrong := &placement.Explanation{Verdict: placement.VerdictInvalid, Facts: []explain.Fact{{Code: explain.CodeInvalid, Detail: explain.Detail{Reason: "ns/job: this\nand that"}}}}
	require.Equal(t, "ns/job cannot be planned: this; and that\n", toldOf(t, &Outcome{Explanation: wrong}))
	fact := func(code explain.Code, d explain.Detail) []explain.Fact {
		return []explain.Fact{{Code: code, Detail: d, Proven: true}}
	}
	for want, facts := range map[string][]explain.Fact{
		"it needs 8 members, each of its groups of 4 in one unit, and none fits.":           fact(explain.CodeRule, explain.Detail{Wanted: 8, Rule: "MustGather unit for groups of 4"}),
		"it needs 8 members, those of decode in one rail of topology net, and none fits":    fact(explain.CodeRule, explain.Detail{Wanted: 8, Rule: "MustGather rail of net for decode"}),
		"it needs 8 members in one domain of tier 2, and at most 1 fits.":                   fact(explain.CodeRule, explain.Detail{Wanted: 8, Fits: 1, Rule: "MustGather 2"}),
		"it needs 8 members, by multiples of 4 in each unit, and at most 4 fit.":            fact(explain.CodeMultiple, explain.Detail{Wanted: 8, Fits: 4, Rule: "multiple 4 at unit"}),
		"it needs 8 members alone in their rack, and at most 4 fit.":                        fact(explain.CodeLimit, explain.Detail{Wanted: 8, Fits: 4, Rule: "Alone rack"}),
		"it needs 8 members, each of its groups of 4 alone in one rack, and none fits.":     fact(explain.CodeLimit, explain.Detail{Wanted: 8, Rule: "Alone rack for groups of 4"}),
		"it needs 8 members, no two in one node, and at most 1 fits.":                       fact(explain.CodeLimit, explain.Detail{Wanted: 8, Fits: 1, Rule: "Apart node at most 1"}),
		"it needs 8 members, no more than 3 in one domain of tier 2, and at most 4 fit.":    fact(explain.CodeLimit, explain.Detail{Wanted: 8, Fits: 4, Rule: "Apart 2 at most 3"}),
		"it needs 8 members, no two of its groups of 4 in one rack, and at most 4 fit.":     fact(explain.CodeLimit, explain.Detail{Wanted: 8, Fits: 4, Rule: "Apart rack at most 1 for groups of 4"}),
		"it needs 8 members, in no more than 2 domains of layer rack, and at most 4 fit":    fact(explain.CodeLimit, explain.Detail{Wanted: 8, Fits: 4, Rule: "Within rack at most 2"}),
		"\n    3 nodes with room for 4 members are closed: gangs are alone there.":          fact(explain.CodeClosed, explain.Detail{Nodes: 3, Slots: 4}),
		"\n    1 node with room for 4 members is near others, and this gang must be alone.": fact(explain.CodeOccupied, explain.Detail{Nodes: 1, Slots: 4}),
		"it needs 8 members in whole groups, and at most 4 fit.":                            fact(explain.CodeGroups, explain.Detail{Wanted: 8, Fits: 4, Rule: "groups"}),
		"quota team would use 4 gpu and 500m CPU more than it may":                          fact(explain.CodeQuotaLimit, explain.Detail{Quota: "team", Short: []quota.Shortage{{Resource: "gpu", By: 4}, {Resource: "cpu", By: 500}}}),
		"those of quota team would use 4 gpu more than its minimum": fact(explain.CodeQuotaMinimum, explain.Detail{
			Quota: "team", Short: []quota.Shortage{{Resource: "gpu", By: 4, Used: 1, Asked: 5, Limit: 2}},
		}),
		"\n  Of gpu, 1 is in use, the gang asks for 5, and the limit is 2.\n": fact(explain.CodeQuotaMinimum, explain.Detail{
			Quota: "team", Short: []quota.Shortage{{Resource: "gpu", By: 4, Used: 1, Asked: 5, Limit: 2}},
		}),
		"ns/a and ns/b, which have to start together with it, cannot.": fact(explain.CodeTogether, explain.Detail{Names: []string{"ns/a", "ns/b"}}),
		"and the search, which ended early, found room for 3": {
			{Code: explain.CodeCapacity, Detail: explain.Detail{Wanted: 4, Fits: 3}}, {Code: explain.CodeSteps, Proven: true},
		},
	} {
		require.Contains(t, explained(t, facts, nil), want)
	}
}

// At most eight lines stand before the details, of each kind of change the first one; the rest follows.
func TestEightLines(t *testing.T) {
	facts := []explain.Fact{{Code: explain.CodeFragmentation, Proven: true}, {Code: explain.CodeRule, Detail: explain.Detail{Rule: "MustGather leaf"}, Proven: true}}
	tiers := []explain.Fragmentation{
		{Tier: 1, Layer: "leaf", Slots: 6, Best: 3, Missing: 1, Domain: []string{"s0", "l1"}, HeldBy: []explain.Holder{{Gang: "ns/a", Slots: 2}, {Gang: "ns/b", Slots: 1}, {Node: "n1", Slots: 1}, {Node: "n2", Slots: 1}}},
		{Tier: 2, Slots: 6, Best: 6},
	}
	var changes []explain.Relaxation
	for _, kind := range explain.Kinds() {
		changes = append(changes, explain.Relaxation{Change: explain.Change{Kind: kind}}, explain.Relaxation{Change: explain.Change{Kind: kind, Part: "second"}})
	}
	head, details, ok := strings.Cut(explained(t, facts, tiers, changes...), "  details:\n")
	require.True(t, ok)
	lines := strings.Split(strings.TrimSuffix(head, "\n"), "\n")
	require.Len(t, lines, 8)
	require.Equal(t, "  The cluster has room for 6 members in all, but no leaf for more than 3: s0/l1 lacks room for 1.", lines[1])
	require.Equal(t, "  There ns/a holds room for 2, ns/b for 1, n1, out of service, has room for 1 and others hold more.", lines[2])
	require.NotContains(t, head, "second")
	require.Equal(t, 2*len(explain.Kinds())-5, strings.Count(details, "    If "))
	require.Contains(t, details, "    The whole cluster has room for 6 members.\n")
	require.True(t, strings.HasSuffix(details, "    2 trial plans were made to find this out.\n"))
}

// Where the best domain is not what the gang lacks, that is not said.
func TestRoomIsTold(t *testing.T) {
	tier := func(best, missing int64) []explain.Fragmentation {
		return []explain.Fragmentation{{Tier: 1, Layer: "unit", Slots: 8, Best: best, Missing: missing, Domain: []string{"u1"}}, {Tier: 2, Slots: 8, Best: 8}}
	}
	rule := func(text string) []explain.Fact {
		return []explain.Fact{{Code: explain.CodeRule, Detail: explain.Detail{Wanted: 8, Rule: text}, Proven: true}}
	}
	for _, text := range []string{"MustGather unit for groups of 4", "multiple 4 at unit"} {
		require.Contains(t, explained(t, rule(text), tier(3, 5)), "\n  The cluster has room for 8 members in all, and u1, the unit with most room, for 3.\n")
	}
	o := &Outcome{Request: &gang.Request{PP: 4}, Explanation: &placement.Explanation{Verdict: placement.VerdictRefused, Facts: rule("MustGather unit"), Fragmentation: tier(8, 0)}}
	require.Contains(t, toldOf(t, o), "for 8, but not as its groups have to lie.\n")
	o.Request = &gang.Request{MinMember: 9}
	require.Contains(t, toldOf(t, o), "it needs 8 more members in one unit with those that run, and none fits.\n")
	small := &gang.Shape{Resources: muster.Resources{"gpu": 1}}
	o.Request = &gang.Request{Shape: gang.Shape{Resources: muster.Resources{"gpu": 8}}, Members: []gang.Member{{Name: "leader", Shape: small}, {Name: "worker"}}}
	mixed := toldOf(t, o)
	require.Contains(t, mixed, "\n  The cluster has room for 8 members like leader in all, and u1, the unit with most room, for 8.\n")
	require.Contains(t, mixed, "\n    Room is counted for members like leader.\n")
	facts := []explain.Fact{{Code: explain.CodeCapacity, Detail: explain.Detail{Wanted: 9, Resources: []explain.KeyCount{{Key: "cpu", Nodes: 1}, {Key: "gpu", Nodes: 2}}}, Proven: true}}
	require.Contains(t, explained(t, facts, tier(3, 5)), "\n  The cluster has room for 8 members in all; 1 node has too little CPU and 2 nodes have too little gpu.\n")
	require.Contains(t, explained(t, facts, []explain.Fragmentation{{Layer: "node", Domain: []string{"n"}, Missing: 9}}), "\n  The cluster has no room for a member; 1 node has")
	require.Equal(t, "No node has room for a member.", tierText(&explain.Fragmentation{Domain: []string{"n"}, Layer: "node", Missing: 9}))
	held := explain.Fragmentation{Domain: []string{"n"}, Layer: "node", Missing: 9, HeldBy: []explain.Holder{{Gang: "ns/a", Slots: 1}}}
	require.Equal(t, "The first node, n, has no room for a member; there ns/a holds room for 1.", tierText(&held))
	held.HeldBy = append(held.HeldBy, explain.Holder{Gang: "hold for ns/b", Slots: 2, From: 5})
	require.Equal(t, "The first node, n, has no room for a member; there ns/a holds room for 1 and hold for ns/b, from 5 on, for 2.", tierText(&held))
}
