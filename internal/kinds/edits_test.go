package kinds

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/explain"
	"github.com/muster-sched/muster/gang"
)

// asked is a request that has something for every edit.
func asked() *gang.Request {
	own := &gang.Shape{Resources: muster.Resources{"gpu": 2}, Selector: map[string]string{"zone": "a"}}
	return &gang.Request{
		Name: "job", MinMember: 5, Priority: 3, NeverPreempts: true,
		Shape:   gang.Shape{Resources: muster.Resources{"gpu": 4}, Affinity: []gang.NodeTerm{{}}},
		Members: []gang.Member{{Name: "0"}, {Name: "1", Shape: own}, {Name: "2", Shape: own}},
		Gather:  []gang.Rule{{Layer: "leaf", Strength: gang.MustGather, Multiple: 2}, {Layer: "unit", Multiple: 4}, {Layer: "spine", Strength: gang.PreferGather}},
		Limits:  []gang.Limit{{Kind: gang.Apart, Layer: "leaf", Most: 1, Preferred: true}, {Kind: gang.Apart, Layer: "leaf", Most: 1}},
		Groups:  []gang.Groups{{Size: 4, Gather: []gang.Rule{{Layer: "unit", Strength: gang.MustGather}}}, {Size: 2}},
		Parts: []gang.Part{{Name: "outer", Parts: []gang.Part{{
			Name: "inner", MinMember: 2, Groups: []gang.Groups{{Size: 2}},
			Limits: []gang.Limit{{Kind: gang.Within, Layer: "leaf", Most: 1}},
		}}}},
	}
}

// Each edit changes what its change says, in the request as it would be written by hand, and nothing of the one before.
func TestEditsAreWhatIsSaid(t *testing.T) {
	inner := func(r *gang.Request) *gang.Part { return &r.Parts[0].Parts[0] }
	for name, c := range map[string]struct {
		change explain.Change
		by     func(r *gang.Request)
	}{
		"members": {explain.Change{Kind: explain.KindMembers, MinMember: 2}, func(r *gang.Request) { r.MinMember = 2 }},
		"members of a part": {
			explain.Change{Kind: explain.KindMembers, Part: "inner", MinMember: 1, GangMinMember: 4},
			func(r *gang.Request) { r.MinMember, inner(r).MinMember = 4, 1 },
		},
		"parts":                {explain.Change{Kind: explain.KindMembers, Parts: true, MinParts: 1}, func(r *gang.Request) { r.MinParts = 1 }},
		"no parts of a part":   {explain.Change{Kind: explain.KindMembers, Parts: true, Part: "outer"}, func(r *gang.Request) { r.Parts[0].MinParts = -1 }},
		"a wider layer":        {explain.Change{Kind: explain.KindLayer, From: "unit", To: "leaf", Level: 1}, func(r *gang.Request) { r.Groups[0].Gather[0].Layer = "leaf" }},
		"no layer":             {explain.Change{Kind: explain.KindLayer, From: "unit", Level: 1}, func(r *gang.Request) { r.Groups[0].Gather = nil }},
		"no layer, a multiple": {explain.Change{Kind: explain.KindLayer, From: "leaf"}, func(r *gang.Request) { r.Gather[0].Strength = "" }},
		"a wider layer, a multiple": {explain.Change{Kind: explain.KindLayer, From: "leaf", To: "spine"}, func(r *gang.Request) {
			r.Gather = []gang.Rule{{Layer: "spine", Strength: gang.MustGather}, {Layer: "leaf", Multiple: 2}, r.Gather[1], r.Gather[2]}
		}},
		"no outer groups":       {explain.Change{Kind: explain.KindGroup, Level: 1}, func(r *gang.Request) { r.Groups = r.Groups[1:] }},
		"no groups of a part":   {explain.Change{Kind: explain.KindGroup, Level: 1, Part: "inner"}, func(r *gang.Request) { inner(r).Groups = []gang.Groups{} }},
		"no multiple of a rule": {explain.Change{Kind: explain.KindMultiple, From: "leaf", Multiple: 2}, func(r *gang.Request) { r.Gather[0].Multiple = 0 }},
		"no multiple, no rule":  {explain.Change{Kind: explain.KindMultiple, From: "unit", Multiple: 4}, func(r *gang.Request) { r.Gather = append(r.Gather[:1:1], r.Gather[2]) }},
		"a looser limit":        {explain.Change{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf", Most: 2}, func(r *gang.Request) { r.Limits[1].Most = 2 }},
		"no limit":              {explain.Change{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf"}, func(r *gang.Request) { r.Limits = r.Limits[:1] }},
		"a limit of a part":     {explain.Change{Kind: explain.KindLimit, Limit: gang.Within, From: "leaf", Part: "inner", Most: 3}, func(r *gang.Request) { inner(r).Limits[0].Most = 3 }},
		"less of all":           {explain.Change{Kind: explain.KindRequest, Resource: "gpu", Amount: 1}, func(r *gang.Request) { r.Shape.Resources["gpu"], r.Members[1].Shape.Resources["gpu"] = 1, 1 }},
		"less of some":          {explain.Change{Kind: explain.KindRequest, Resource: "gpu", Amount: 2}, func(r *gang.Request) { r.Shape.Resources["gpu"] = 2 }},
		"a taint": {explain.Change{Kind: explain.KindTaint, Taint: gang.Taint{Key: "k", Effect: gang.NoSchedule}}, func(r *gang.Request) {
			tolerates := []gang.Toleration{{Key: "k", Effect: gang.NoSchedule}}
			r.Shape.Tolerations, r.Members[1].Shape.Tolerations = tolerates, tolerates
		}},
		"no label":    {explain.Change{Kind: explain.KindSelector, Label: "zone"}, func(r *gang.Request) { r.Members[1].Shape.Selector = map[string]string{} }},
		"no affinity": {explain.Change{Kind: explain.KindSelector, Affinity: true}, func(r *gang.Request) { r.Shape.Affinity = nil }},
		"a priority":  {explain.Change{Kind: explain.KindPriority, Priority: 9}, func(r *gang.Request) { r.Priority = 9 }},
		"preemption":  {explain.Change{Kind: explain.KindPriority, Priority: 3, Preempts: true}, func(r *gang.Request) { r.NeverPreempts = false }},
	} {
		t.Run(name, func(t *testing.T) {
			req, want := asked(), asked()
			c.by(want)
			got, ok := Of(c.change.Kind).Edit(req, &c.change)
			require.True(t, ok)
			require.Equal(t, want, got)
			require.Equal(t, asked(), req, "the request is as it was")
			require.NotEqual(t, req, got)
		})
	}
}

// Parallelism makes groups too, and members that share a shape go on sharing one.
func TestEditsKeepWhatIsShared(t *testing.T) {
	got, ok := dropGroups(&gang.Request{PP: 2, DP: 2}, &explain.Change{Kind: explain.KindGroup, Level: 1, Size: 2})
	require.True(t, ok)
	require.Equal(t, &gang.Request{}, got)
	got, ok = askForLess(asked(), &explain.Change{Resource: "gpu", Amount: 1})
	require.True(t, ok)
	require.Same(t, got.Members[1].Shape, got.Members[2].Shape)
}

// What is not there is not changed.
func TestEditsOfNothing(t *testing.T) {
	for _, c := range []explain.Change{
		{Kind: explain.KindMembers, Part: "none", MinMember: 1},
		{Kind: explain.KindLayer, Part: "none", From: "leaf"},
		{Kind: explain.KindLayer, Level: 3, From: "leaf"},
		{Kind: explain.KindGroup, Part: "none", Level: 1},
		{Kind: explain.KindMultiple, Part: "none", From: "leaf", Multiple: 2},
		{Kind: explain.KindLimit, Part: "none", Limit: gang.Apart, From: "leaf"},
		{Kind: explain.KindLimit, Limit: gang.Apart, From: "unit"},
		{Kind: explain.KindLimit, Limit: gang.Apart, From: "leaf", OfParts: true},
		{Kind: explain.KindRequest, Resource: "gpu", Amount: 4},
		{Kind: explain.KindRequest, Resource: "cpu", Amount: 1},
		{Kind: explain.KindSelector, Label: "none"},
	} {
		_, ok := Of(c.Kind).Edit(asked(), &c)
		require.False(t, ok, "%+v", c)
	}
	tolerated, _ := tolerate(asked(), &explain.Change{Taint: gang.Taint{Key: "k", Effect: gang.NoSchedule}})
	_, ok := tolerate(tolerated, &explain.Change{Taint: gang.Taint{Key: "k", Effect: gang.NoSchedule}})
	require.False(t, ok, "who tolerates a taint already is not let to it once more")
}
