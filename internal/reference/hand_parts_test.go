package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
)

// part has members job-i for each of the digits.
func part(name, digits string, rules ...gang.Rule) gang.Part {
	p := gang.Part{Name: name, Gather: rules}
	for _, d := range digits {
		p.Members = append(p.Members, "job-"+string(d))
	}
	return p
}

func must(layer string) gang.Rule   { return gang.Rule{Layer: layer, Strength: gang.MustGather} }
func prefer(layer string) gang.Rule { return gang.Rule{Layer: layer, Strength: gang.PreferGather} }

// partsByHand are cases worked out on paper. Members that are in no part are the gang's own.
var partsByHand = []struct {
	name      string
	spec      []string
	members   int
	parts     []gang.Part
	spoil     func(in *Input)
	selection string // digits; empty: refused
	worth     []int
	outside   int
	waits     bool
}{
	{
		name: "unequal groups on a node each", spec: []string{"s0/b0: n0=3 n1=2"}, members: 5,
		parts: []gang.Part{part("a", "012", must("0")), part("b", "34", must("0"))}, selection: "01234", worth: []int{1, 0},
	},
	{
		name: "the larger one has no node", spec: []string{"s0/b0: n0=2 n1=2 n2=1"}, members: 5,
		parts: []gang.Part{part("a", "012", must("0")), part("b", "34")},
	},
	{
		name: "a block for all comes before nodes for groups", spec: []string{"s0/b0: a=1 b=1 c=1 d=1", "s0/b1: e=2", "s0/b2: f=2"}, members: 4,
		parts: []gang.Part{part("a", "01"), part("b", "23")}, selection: "0123", worth: []int{1, 1},
	},
	{
		name: "one that prefers a node gets it", spec: []string{"s0/b0: n0=1 n1=1 n2=2"}, members: 4,
		parts: []gang.Part{part("a", "01", prefer("block")), part("b", "23", prefer("0"))}, selection: "0123", worth: []int{1, 0},
	},
	{
		name: "or misses it, and is worth the root", spec: []string{"s0/b0: n0=1 n1=1 n2=1 n3=1"}, members: 4,
		parts: []gang.Part{part("a", "01", prefer("block")), part("b", "23", prefer("0"))}, selection: "0123", worth: []int{1, 3},
	},
	{
		name: "or its bound, where it has one from around it", spec: []string{"s0/b0: n0=1 n1=1 n2=1 n3=1"}, members: 4,
		parts:     []gang.Part{part("a", "01", prefer("block")), {Name: "x", Parts: []gang.Part{part("b", "23", prefer("0"))}, Gather: []gang.Rule{must("spine")}}},
		selection: "0123", worth: []int{1, 1, 2},
	},
	{
		name: "a part may have members of the lowest ranks", spec: []string{"s0/b0: n0=2"}, members: 4,
		parts: []gang.Part{{Name: "a", Members: []string{"job-3", "job-2", "job-1", "job-0"}, MinMember: 1}}, selection: "01", worth: []int{0, 0},
	},
	{
		name: "of optional ones the larger that fits", spec: []string{"s0/b0: n0=2 n1=2"}, members: 6,
		parts:     []gang.Part{part("a", "012", must("0")), part("b", "3", must("0")), part("c", "45", must("0"))},
		spoil:     func(in *Input) { in.Request.MinParts = 1; in.Spec.Nodes[1].Cordoned = true },
		selection: "45", worth: []int{0, 0},
	},
	{
		name: "of equal ones that with the lower ranks", spec: []string{"s0/b0: n0=2"}, members: 4,
		parts: []gang.Part{part("a", "13"), part("b", "02")}, spoil: func(in *Input) { in.Request.MinParts = -1 },
		selection: "02", worth: []int{0, 0},
	},
	{
		name: "the gang's own members and its minimum", spec: []string{"s0/b0: n0=2 n1=1"}, members: 5,
		parts:     []gang.Part{part("a", "01"), part("b", "2")},
		spoil:     func(in *Input) { in.Request.MinParts, in.Request.MinMember = -1, 3 },
		selection: "012", worth: []int{1, 0},
	},
	{
		name: "cut groups, the last one short", spec: []string{"s0/b0: n0=1 n1=2 n2=2"}, members: 5,
		parts:     []gang.Part{{Name: "a", Members: part("", "01234").Members, Groups: []gang.Groups{{Size: 2, Gather: []gang.Rule{must("0")}}}}},
		selection: "01234", worth: []int{1, 1, 0},
	},
	{
		name: "as many cut groups as fit, those of the lowest ranks", spec: []string{"s0/b0: n0=2 n1=3"}, members: 6,
		parts: []gang.Part{{
			Name: "a", Members: part("", "012345").Members, Groups: []gang.Groups{{Size: 2, Gather: []gang.Rule{must("0")}}}, MinParts: 1, NoGroup: true,
		}},
		selection: "0123", worth: []int{1, 0},
	},
	{
		name: "a late member joins its group, in another block than most of the gang", spec: []string{"s0/b0: n0=9", "s0/b1: n1=2"}, members: 2,
		parts: []gang.Part{part("a", "0"), part("b", "19", must("block"))}, spoil: func(in *Input) {
			in.Spec.Running = []cluster.Running{{Gang: "job", Member: "job-9", Node: "n1", Resources: muster.Resources{"gpu": 1}}}
		}, selection: "01", worth: []int{2, 0},
	},
	{
		name: "and cannot where there is no room", spec: []string{"s0/b0: n0=9", "s0/b1: n1=1"}, members: 2,
		parts: []gang.Part{part("a", "0"), part("b", "19", must("block"))}, spoil: func(in *Input) {
			in.Spec.Running = []cluster.Running{{Gang: "job", Member: "job-9", Node: "n1", Resources: muster.Resources{"gpu": 1}}}
		},
	},
	{
		name: "who waits waits for the least that helps", spec: []string{"s0/b0: n0=2 n1=2"}, members: 5,
		parts: []gang.Part{part("a", "012"), part("b", "34", must("0"))}, spoil: func(in *Input) {
			in.Request.MinParts = 1
			for _, node := range []string{"n0", "n1"} {
				in.Spec.Running = append(in.Spec.Running, cluster.Running{Gang: node, Member: node, Node: node, Leaving: true, Resources: muster.Resources{"gpu": 1}})
			}
		}, selection: "34", worth: []int{0, 0}, waits: true,
	},
	{
		name: "as few outside as can be", spec: []string{"s0/b0: n0=2"}, members: 3, parts: []gang.Part{part("a", "0"), part("b", "12")},
		spoil: func(in *Input) {
			in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{Name: "out", Allocatable: muster.Resources{"gpu": 3}})
		}, selection: "012", worth: []int{3, 0}, outside: 1,
	},
	{
		name: "nobody outside where a group must gather", spec: []string{"s0/b0: n0=2"}, members: 3,
		parts: []gang.Part{part("a", "0"), part("b", "12", must("spine"))}, spoil: func(in *Input) {
			in.Spec.Nodes = append(in.Spec.Nodes, cluster.Node{Name: "out", Allocatable: muster.Resources{"gpu": 3}})
		},
	},
}

func TestPartsByHand(t *testing.T) {
	for _, tc := range partsByHand {
		t.Run(tc.name, func(t *testing.T) {
			in := Input{Spec: specOf(t, "block spine", tc.spec...), Request: job(tc.members)}
			in.Request.Parts = tc.parts
			if tc.spoil != nil {
				tc.spoil(&in)
			}
			require.NoError(t, in.Request.Validate())
			a, err := SolveParts(in)
			require.NoError(t, err)
			require.Equal(t, tc.selection != "", a.Placed)
			assert.Equal(t, tc.selection, strings.ReplaceAll(strings.Join(a.Selection, ""), "job-", ""))
			assert.Equal(t, tc.worth, a.Worth)
			assert.Equal(t, tc.outside, a.Outside)
			assert.Equal(t, tc.waits, a.Waits)
		})
	}
}
