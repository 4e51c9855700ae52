package gang_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

// valid is a request that uses everything and has no defect.
func valid() *gang.Request {
	return &gang.Request{
		Name: "ns/job", MinMember: 1, Total: 8,
		Members: []gang.Member{{Name: "a"}, {Name: "b", Indexed: true, Shape: &gang.Shape{Resources: muster.Resources{"cpu": 1}}}, {Name: "c", Index: -1}},
		Shape: gang.Shape{
			Resources: muster.Resources{"cpu": 1000, "nvidia.com/gpu": 8},
			Selector:  map[string]string{"zone": "z"},
			Affinity: []gang.NodeTerm{{Labels: []gang.Expression{
				{Key: "a", Operator: gang.In, Values: []string{"x"}},
				{Key: "a", Operator: gang.NotIn, Values: []string{"y"}},
				{Key: "a", Operator: gang.Exists},
				{Key: "b", Operator: gang.DoesNotExist},
				{Key: "c", Operator: gang.Gt, Values: []string{"-1"}},
				{Key: "c", Operator: gang.Lt, Values: []string{"9"}},
			}, Fields: []gang.Expression{{Key: "metadata.name", Operator: gang.In, Values: []string{"n1"}}}}},
			Preferred:   []gang.Preference{{Weight: math.MaxInt32, Nodes: gang.NodeTerm{Labels: []gang.Expression{{Key: "a", Operator: gang.Exists}}}}},
			Tolerations: []gang.Toleration{{Exists: true}, {Key: "k", Value: "v", Effect: gang.NoExecute}},
		},
		Gather: []gang.Rule{
			{Layer: "rack", Strength: gang.MustGather},
			{Layer: "rack", Strength: gang.PreferGather},
			{Layer: "rack", Multiple: 2},
			{Layer: "zone", Strength: gang.PreferGather, Multiple: 4},
		},
		Groups:   []gang.Groups{{Size: 8, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}}, {Size: 4}, {Size: 1}},
		Together: "both", GatherTogether: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}},
		Policy: gang.Spread,
	}
}

// parted gives the request parts instead of groups.
func parted(r *gang.Request) *gang.Request {
	r.Groups = nil
	r.MinParts = -1
	r.Parts = []gang.Part{
		{Name: "one", Members: []string{"a"}, MinMember: 1, MinParts: 5, Groups: []gang.Groups{{Size: 1}}, Gather: []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}},
		{Name: "two", Members: []string{"runs"}, MinParts: 1, Parts: []gang.Part{{Name: "inner", Members: []string{"b"}, MinParts: -1}}},
	}
	return r
}

func TestValidRequest(t *testing.T) {
	require.NoError(t, valid().Validate())
	require.NoError(t, (&gang.Request{Members: []gang.Member{{Name: "a"}}}).Validate(), "zero values are defaults")
	r := valid()
	r.Groups, r.PP, r.DP = nil, 4, 2
	require.NoError(t, r.Validate())
	r = valid()
	r.MinMember, r.Total = 100, 0
	require.NoError(t, r.Validate(), "without a declared total only the cluster knows how many members run")
	require.NoError(t, parted(valid()).Validate())
}

// A defect is what it takes to make the valid request invalid, and how the error begins. A test below holds that every
// exported field of the request is spoilt here or free.
var defects = []struct {
	field string // type and field that the defect is about
	spoil func(r *gang.Request)
	want  string
}{
	{"Request.MinMember", func(r *gang.Request) { r.MinMember = -1 }, `request.MinMember "-1": negative`},
	{"Request.MinMember", func(r *gang.Request) { r.MinMember = 9 }, `request.MinMember "9": above the total of 8`},
	{"Request.Total", func(r *gang.Request) { r.Total, r.MinMember = -1, 0 }, `request.Total "-1": negative`},
	{"Preempt.Order", func(r *gang.Request) { r.Preempt.Order = []gang.Cost{"tier"} }, `request.Preempt.Order[0] "tier": unknown cost`},
	{"Preempt.Order", func(r *gang.Request) { r.Preempt.Order = []gang.Cost{gang.CostMembers, gang.CostMembers} }, `request.Preempt.Order[1] "members": listed twice`},
	{"Preempt.Steps", func(r *gang.Request) { r.Preempt.Steps = -1 }, `request.Preempt.Steps "-1": negative`},
	{"Request.Members", func(r *gang.Request) { r.Members = nil }, `request.Members: no members to place`},
	{"Request.PP", func(r *gang.Request) { r.PP = 2 }, `request.PP "2": excludes Groups`},
	{"Request.DP", func(r *gang.Request) { r.DP = 2 }, `request.DP "2": excludes Groups`},
	{"Request.PP", func(r *gang.Request) { r.Groups, r.PP = nil, -1 }, `request.PP "-1": negative`},
	{"Request.DP", func(r *gang.Request) { r.Groups, r.DP = nil, -1 }, `request.DP "-1": negative`},
	{"Request.Policy", func(r *gang.Request) { r.Policy = "Pack" }, `request.Policy "Pack": unknown policy`},
	{"Request.QuotaLimit", func(r *gang.Request) { r.QuotaLimit = "all" }, `request.QuotaLimit "all": unknown limit`},
	{"Request.Shape", func(r *gang.Request) { r.Shape.Resources["cpu"] = -5 }, `request.Shape.Resources.cpu "-5": negative amount`},
	{"Request.Gather", func(r *gang.Request) { r.Gather[3].Layer = "" }, `request.Gather[3].Layer: a rule names no layer`},
	{"Request.Groups", func(r *gang.Request) { r.Groups[2].Size = 0 }, `request.Groups[2].Size "0": below 1`},

	{"Member.Name", func(r *gang.Request) { r.Members[1].Name = "" }, `request.Members[1].Name: a member has no name`},
	{"Member.Name", func(r *gang.Request) { r.Members[2].Name = "a" }, `request.Members[2].Name "a": duplicate name, of request.Members[0] too`},
	{"Member.Index", func(r *gang.Request) { r.Members[1].Index = -3 }, `request.Members[1].Index "-3": negative`},
	{"Member.Indexed", func(r *gang.Request) { r.Members[2].Indexed = true }, `request.Members[2].Index "-1": negative`},
	{"Member.Shape", func(r *gang.Request) { r.Members[1].Shape.Resources["x"] = -1 }, `request.Members[1].Shape.Resources.x "-1": negative amount`},

	{"Shape.Resources", func(r *gang.Request) { r.Shape.Resources[""] = 1 }, `request.Shape.Resources: a resource has no name`},
	{"Shape.Resources", func(r *gang.Request) { r.Shape.Resources["cpu"] = math.MaxInt64/2 + 1 }, `request.Members "cpu": the sum of this resource over all members overflows`},
	{"Shape.Selector", func(r *gang.Request) { r.Shape.Selector[""] = "" }, `request.Shape.Selector: a label has no key`},
	{"Shape.Affinity", func(r *gang.Request) { r.Shape.Affinity[0].Labels[0].Values = nil }, `request.Shape.Affinity[0].Labels[0].Values: In needs a value`},
	{"Shape.Preferred", func(r *gang.Request) { r.Shape.Preferred[0].Weight = -1 }, `request.Shape.Preferred[0].Weight "-1": out of the range from 0 to 2^31-1`},
	{"Shape.Preferred", func(r *gang.Request) { r.Shape.Preferred[0].Weight++ }, `request.Shape.Preferred[0].Weight "2147483648": out of the range from 0 to 2^31-1`},
	{"Shape.Preferred", func(r *gang.Request) { r.Shape.Preferred[0].Nodes.Labels[0].Key = "" }, `request.Shape.Preferred[0].Nodes.Labels[0].Key: an expression has no key`},
	{"Shape.Tolerations", func(r *gang.Request) { r.Shape.Tolerations[0].Exists = false }, `request.Shape.Tolerations[0].Key: an empty key needs Exists`},
	{"Shape.Tolerations", func(r *gang.Request) { r.Shape.Tolerations[1].Effect = "Never" }, `request.Shape.Tolerations[1].Effect "Never": unknown effect`},
	{"Shape.NUMA", func(r *gang.Request) { r.Members[1].Shape.NUMA.Policy = "x" }, `request.Members[1].Shape.NUMA.Policy "x": unknown policy`},

	{"NUMA.Policy", func(r *gang.Request) { r.Shape.NUMA.Policy = "Single" }, `request.Shape.NUMA.Policy "Single": unknown policy`},
	{"NUMA.Exclusive", func(r *gang.Request) { r.Shape.NUMA.Exclusive = "no" }, `request.Shape.NUMA.Exclusive "no": unknown exclusivity`},
	{"NUMA.CPUs", func(r *gang.Request) { r.Shape.NUMA.CPUs = "socket" }, `request.Shape.NUMA.CPUs "socket": unknown granularity`},
	{"NUMA.ThreadsPerCore", func(r *gang.Request) { r.Shape.NUMA.ThreadsPerCore = -1 }, `request.Shape.NUMA.ThreadsPerCore "-1": out of the range from 0 to 65536`},

	{"Expression.Operator", func(r *gang.Request) { r.Shape.Affinity[0].Labels[0].Operator = "Is" }, `request.Shape.Affinity[0].Labels[0].Operator "Is": unknown operator`},
	{"Expression.Values", func(r *gang.Request) { r.Shape.Affinity[0].Labels[1].Values = nil }, `request.Shape.Affinity[0].Labels[1].Values: NotIn needs a value`},
	{"Expression.Values", func(r *gang.Request) { r.Shape.Affinity[0].Labels[2].Values = []string{"v"} }, `request.Shape.Affinity[0].Labels[2].Values "v": Exists takes no value`},
	{"Expression.Values", func(r *gang.Request) { r.Shape.Affinity[0].Labels[3].Values = []string{"v"} }, `request.Shape.Affinity[0].Labels[3].Values "v": DoesNotExist takes no value`},
	{"Expression.Values", func(r *gang.Request) { r.Shape.Affinity[0].Labels[4].Values = []string{"1.5"} }, `request.Shape.Affinity[0].Labels[4].Values "1.5": Gt needs an integer`},
	{"Expression.Values", func(r *gang.Request) { r.Shape.Affinity[0].Labels[5].Values = []string{"1", "2"} }, `request.Shape.Affinity[0].Labels[5].Values: Lt needs one value`},
	{"Expression.Key", func(r *gang.Request) { r.Shape.Affinity[0].Fields[0].Key = "spec.name" }, `request.Shape.Affinity[0].Fields[0].Key "spec.name": unknown field, only metadata.name is known`},

	{"Rule.Layer", func(r *gang.Request) { r.Groups[0].Gather[0].Layer = "" }, `request.Groups[0].Gather[0].Layer: a rule names no layer`},
	{"Rule.Layer", func(r *gang.Request) { r.Gather[1].Strength = gang.MustGather }, `request.Gather[1].Layer "rack": a second MustGather for one layer`},
	{"Rule.Layer", func(r *gang.Request) { r.Gather[0].Strength = gang.PreferGather }, `request.Gather[1].Layer "rack": a second PreferGather for one layer`},
	{"Rule.Strength", func(r *gang.Request) { r.Gather[0].Strength = "Must" }, `request.Gather[0].Strength "Must": unknown strength`},
	{"Rule.Multiple", func(r *gang.Request) { r.Gather[2].Multiple = 0 }, `request.Gather[2].Multiple "0": a rule with neither a strategy nor a multiple says nothing`},
	{"Rule.Multiple", func(r *gang.Request) { r.Gather[2].Multiple = -1 }, `request.Gather[2].Multiple "-1": negative`},
	{"Rule.Multiple", func(r *gang.Request) { r.Gather[0].Multiple = 3 }, `request.Gather[2].Multiple "rack": a second multiple for one layer`},
	{"Rule.Multiple", func(r *gang.Request) { r.Groups[0].Gather[0].Multiple = 2 }, `request.Groups[0].Gather[0].Multiple "2": only the gang and its parts can have a multiple, equal groups cannot`},

	{"Request.Steps", func(r *gang.Request) { r.Steps = -1 }, `request.Steps "-1": negative`},
	{"Request.Together", func(r *gang.Request) { r.Together = "" }, `request.GatherTogether "rack": the gang starts together with none`},
	{"Request.GatherTogether", func(r *gang.Request) { r.GatherTogether[0].Multiple = -2 }, `request.GatherTogether[0].Multiple "-2": negative`},

	{"Groups.Size", func(r *gang.Request) { r.Groups[0].Size = -8 }, `request.Groups[0].Size "-8": below 1`},
	{"Groups.Size", func(r *gang.Request) { r.Groups[1].Size = 8 }, `request.Groups[1].Size "8": not below the size of the groups around it, 8`},
	{"Groups.Size", func(r *gang.Request) { r.Groups[1].Size = 3 }, `request.Groups[1].Size "3": does not divide the size of the groups around it, 8`},
	{"Limit.Layer", func(r *gang.Request) { r.Limits = []gang.Limit{{Kind: gang.Alone}} }, `request.Limits[0].Layer: a limit names no layer`},
	{"Limit.Layer", func(r *gang.Request) {
		r.Limits = []gang.Limit{{Layer: "rack", Kind: gang.Alone}, {Layer: "rack", Kind: gang.Alone, Preferred: true}}
	}, `request.Limits[1].Layer "rack": a second Alone for one layer`},
	{"Limit.Kind", func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "rack", Kind: "x"}} }, `request.Limits[0].Kind "x": unknown kind`},
	{"Limit.Most", func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "rack", Kind: gang.Apart}} }, `request.Limits[0].Most "0": below 1`},
	{"Limit.Most", func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "rack", Kind: gang.Alone, Most: 2}} }, `request.Limits[0].Most "2": a limit of kind Alone has none`},
	{"Request.LimitsTogether", func(r *gang.Request) {
		r.Together, r.GatherTogether, r.LimitsTogether = "", nil, []gang.Limit{{Layer: "rack", Kind: gang.Alone}}
	}, `request.LimitsTogether "rack": the gang starts together with none`},
	{"Limit.OfParts", func(r *gang.Request) { r.Limits = []gang.Limit{{Layer: "rack", Kind: gang.Alone, OfParts: true}} }, `request.Limits[0].OfParts "true": there are no Parts`},
	{"Limit.OfParts", func(r *gang.Request) {
		parted(r).Limits = []gang.Limit{{Layer: "rack", Kind: gang.Within, Most: 2, OfParts: true}}
	}, `request.Limits[0].OfParts "true": a limit of kind Within counts no parts`},
	{"Limit.OfParts", func(r *gang.Request) {
		parted(r).Parts[0].Groups[0].Limits = []gang.Limit{{Layer: "rack", Kind: gang.Alone, OfParts: true}}
	}, `request.Parts[0].Groups[0].Limits[0].OfParts "true": there are no Parts`},
	{"Request.Limits", func(r *gang.Request) { r.Limits = []gang.Limit{{Kind: gang.Alone}} }, `request.Limits[0].Layer: a limit names no layer`},
	{"Groups.Limits", func(r *gang.Request) { r.Groups[0].Limits = []gang.Limit{{Kind: gang.Alone}} }, `request.Groups[0].Limits[0].Layer: a limit names no layer`},
	{"Part.Limits", func(r *gang.Request) { parted(r).Parts[0].Limits = []gang.Limit{{Kind: gang.Alone}} }, `request.Parts[0].Limits[0].Layer: a limit names no layer`},
	{"Groups.Gather", func(r *gang.Request) { r.Groups[0].Gather[0].Strength = "x" }, `request.Groups[0].Gather[0].Strength "x": unknown strength`},

	{"Request.Parts", func(r *gang.Request) { r.Parts = []gang.Part{{Name: "p"}} }, `request.Parts "p": exclude Groups, PP and DP of the gang`},
	{"Request.MinParts", func(r *gang.Request) { r.MinParts = 1 }, `request.MinParts "1": there are no Parts`},
	{"Request.MinParts", func(r *gang.Request) { parted(r).MinParts = 3 }, `request.MinParts "3": above the number of parts, 2`},
	{"Part.Name", func(r *gang.Request) { parted(r).Parts[0].Name = "" }, `request.Parts[0].Name: a part has no name`},
	{"Part.Name", func(r *gang.Request) { parted(r).Parts[0].Name = "inner" }, `request.Parts[1].Parts[0].Name "inner": duplicate name, of request.Parts[0] too`},
	{"Part.Members", func(r *gang.Request) { parted(r).Parts[0].Members = []string{"b"} }, `request.Parts[1].Parts[0].Members[0] "b": is named by request.Parts[0].Members[0] too`},
	{"Part.Parts", func(r *gang.Request) { parted(r).Parts[1].Parts[0].MinMember = -1 }, `request.Parts[1].Parts[0].MinMember "-1": negative`},
	{"Part.MinMember", func(r *gang.Request) { parted(r).Parts[0].MinMember = -2 }, `request.Parts[0].MinMember "-2": negative`},
	{"Part.MinParts", func(r *gang.Request) { parted(r).Parts[1].MinParts = 2 }, `request.Parts[1].MinParts "2": above the number of parts, 1`},
	{"Part.Gather", func(r *gang.Request) { parted(r).Parts[0].Gather = []gang.Rule{{Layer: "rack", Multiple: -2}} }, `request.Parts[0].Gather[0].Multiple "-2": negative`},
	{"Part.Groups", func(r *gang.Request) {
		parted(r).Parts[0].Groups[0].Gather = []gang.Rule{{Layer: "rack", Multiple: 2}}
	}, `request.Parts[0].Groups[0].Gather[0].Multiple "2": only the gang and its parts can have a multiple, equal groups cannot`},
	{"Part.Groups", func(r *gang.Request) { parted(r).Parts[0].Groups[0].Size = 0 }, `request.Parts[0].Groups[0].Size "0": below 1`},
	{"Part.Groups", func(r *gang.Request) { parted(r).Parts[1].Groups = []gang.Groups{{Size: 1}} }, `request.Parts[1].Groups "1": exclude inner Parts`},
	{"Part.NoGroup", func(r *gang.Request) {
		parted(r).Parts[1].NoGroup, r.Parts[1].Gather = true, []gang.Rule{{Layer: "rack", Strength: gang.MustGather}}
	}, `request.Parts[1].Gather "rack": a part with NoGroup has no rules`},
}

func TestValidateRefuses(t *testing.T) {
	for _, c := range defects {
		r := valid()
		c.spoil(r)
		require.EqualError(t, r.Validate(), c.want, c.field)
		var invalid *muster.InvalidError
		require.ErrorAs(t, r.Validate(), &invalid)
	}
}

func TestValidateReportsEveryDefect(t *testing.T) {
	r := &gang.Request{MinMember: -1, PP: -1, DP: -1, Policy: "x", Groups: []gang.Groups{{Size: 0}}, Gather: []gang.Rule{{}}}
	require.Equal(t, []string{
		"request.Members: no members to place",
		`request.MinMember "-1": negative`,
		"request.Gather[0].Layer: a rule names no layer",
		`request.Gather[0].Multiple "0": a rule with neither a strategy nor a multiple says nothing`,
		`request.Groups[0].Size "0": below 1`,
		`request.PP "-1": negative`,
		`request.DP "-1": negative`,
		`request.PP "-1": excludes Groups`,
		`request.DP "-1": excludes Groups`,
		`request.Policy "x": unknown policy`,
	}, strings.Split(r.Validate().Error(), "\n"))
}

func TestSharedShapeIsReportedOnce(t *testing.T) {
	bad := &gang.Shape{Resources: muster.Resources{"cpu": -1}}
	r := &gang.Request{Members: []gang.Member{{Name: "a"}, {Name: "b", Shape: bad}, {Name: "c", Shape: bad}}}
	require.EqualError(t, r.Validate(), `request.Members[1].Shape.Resources.cpu "-1": negative amount`)
}

func TestSumsThatJustFit(t *testing.T) {
	r := &gang.Request{Members: []gang.Member{{Name: "a"}, {Name: "b", Shape: &gang.Shape{Resources: muster.Resources{"cpu": 1}}}}}
	r.Shape.Resources = muster.Resources{"cpu": math.MaxInt64 - 1}
	require.NoError(t, r.Validate())
	r.Shape.Resources["cpu"]++
	require.EqualError(t, r.Validate(), `request.Members "cpu": the sum of this resource over all members overflows`)

	quarter := func() *gang.Shape { return &gang.Shape{Resources: muster.Resources{"cpu": math.MaxInt64/4 + 1}} }
	one, two := quarter(), quarter()
	r = &gang.Request{Members: []gang.Member{{Name: "a", Shape: one}, {Name: "b", Shape: one}, {Name: "c", Shape: two}, {Name: "d", Shape: two}}}
	require.Error(t, r.Validate(), "every member counts")
	r.Members = r.Members[:3]
	require.NoError(t, r.Validate())
}

// A new field has to be validated, or to be put here as one of which every value makes sense.
func TestEveryFieldIsValidatedOrFree(t *testing.T) {
	known := []string{
		"Request.Name", "Request.Priority", "Request.Tree", "Request.Exclude", "Request.Inside", "Request.Refused", "Request.Slots", "Request.IgnoreLeaving", "Request.AffinityKey",
		"Request.Quota", "Member.NonPreemptible", "Request.NeverPreempts", "Request.Preempt", "Preempt.ForTier",
		"Request.TakesAnyNode", "Request.Class", "Request.Eligible", "Request.Score", "Part.Tree", "Request.Tolerated", "Request.End", "Limit.Preferred",
	}
	for _, c := range defects {
		known = append(known, c.field)
	}
	for _, s := range []any{gang.Request{}, gang.Member{}, gang.Shape{}, gang.Rule{}, gang.Limit{}, gang.Groups{}, gang.Part{}, gang.Expression{}, gang.NUMA{}, gang.Preempt{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(s)) {
			name := reflect.TypeOf(s).Name() + "." + f.Name
			require.True(t, slices.Contains(known, name), "%s is neither validated nor free", name)
		}
	}
}

// Members that are said to stand in order do: by index, those without one behind, then by name.
func TestOrderedMembersNeedNoSorting(t *testing.T) {
	said := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := &gang.Request{}
		for i, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"a-1", "a-2", "a-9", "a-10", "b"}), 1, 4).Draw(rt, "names") {
			m := gang.Member{Name: name, Indexed: rapid.Bool().Draw(rt, "indexed")}
			if m.Indexed {
				m.Index = rapid.IntRange(0, i).Draw(rt, "index")
			}
			r.Members = append(r.Members, m)
		}
		slices.SortStableFunc(r.Members, func(a, b gang.Member) int {
			if rapid.IntRange(0, 9).Draw(rt, "sorted") == 0 {
				return 0
			}
			return muster.CompareNatural(a.Name, b.Name)
		})
		ordered, err := r.Ordered()
		require.Equal(rt, r.Validate(), err)
		if err != nil || !ordered {
			return
		}
		said++
		require.True(rt, slices.IsSortedFunc(r.Members, func(a, b gang.Member) int {
			switch {
			case a.Indexed != b.Indexed && a.Indexed:
				return -1
			case a.Indexed != b.Indexed:
				return 1
			case a.Indexed && a.Index != b.Index:
				return cmp.Compare(a.Index, b.Index)
			}
			return muster.CompareNatural(a.Name, b.Name)
		}), "%+v", r.Members)
	})
	require.Positive(t, said)
}
