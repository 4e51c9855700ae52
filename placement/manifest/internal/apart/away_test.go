package apart

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// terms reads the required anti-affinities of a list of YAML.
func terms(t *testing.T, text string) (list []Term) {
	t.Helper()
	docs := document.Parse("x", []byte("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+text+"}}"), &document.Budget{})
	require.Nil(t, docs[0].Err)
	pod := &object.Object{Kind: "Pod"}
	meta := document.Parse("x", []byte("labels: {a: '1', c: x}"), &document.Budget{})[0].Root
	list, _, _ = Required(object.Field{Value: docs[0].Root, Of: pod}, object.Field{Value: meta, Of: pod})
	return list
}

// Who is selected has a handle of the term, whatever selects: looking by handles misses nobody.
func TestHandlesMissNobody(t *testing.T) {
	labels := []map[string]string{nil, {"a": "1"}, {"a": "2"}, {"a": ""}, {"a": "1", "b": "1"}, {"b": "1"}, {"b": "2", "c": "1"}}
	for _, selector := range []string{
		"{}", "{matchLabels: {a: '1'}}", "{matchLabels: {a: ''}}", "{matchLabels: {b: '1', a: '1'}}", "{matchExpressions: [{key: a, operator: In, values: ['1', '2']}]}",
		"{matchExpressions: [{key: a, operator: Exists}]}", "{matchExpressions: [{key: a, operator: NotIn, values: ['1']}]}", "{matchExpressions: [{key: a, operator: DoesNotExist}]}",
		"{matchExpressions: [{key: a, operator: NotIn, values: ['1']}, {key: b, operator: In, values: ['1']}]}", "{matchLabels: {b: '2'}, matchExpressions: [{key: c, operator: Exists}]}",
	} {
		for _, where := range []string{"", ", namespaces: [x, y]", ", namespaceSelector: {}", ", namespaces: [x], namespaceSelector: {matchLabels: {z: z}}", ", matchLabelKeys: [a]", ", matchLabelKeys: [none], mismatchLabelKeys: [c, b]"} {
			list := terms(t, "[{topologyKey: k, labelSelector: "+selector+where+"}]")
			var g Gangs
			names := g.Add("own/keeper", "own", []Pod{{Terms: list}})
			require.NotEmpty(t, names)
			for _, space := range []string{"own", "x", "y", "z"} {
				for _, l := range labels {
					want := list[0].selects("own", space, l)
					require.Equal(t, want, g.KeepAway("some/gang", true, space, l), "%s%s: %s %v", selector, where, space, l)
					require.False(t, g.KeepAway("own/keeper", true, space, l))
					require.Equal(t, want, g.KeepAway("own/keeper", false, space, l))
					var seen Gangs
					seen.Add("own/keeper", "own", []Pod{{Terms: list}})
					asked := object.NewNames()
					seen.See("own/keeper", space, l, asked)
					require.True(t, seen.Alone("own", &list[0]))
					seen.See("some/gang", space, l, asked)
					require.Equal(t, want, !seen.Alone("own", &list[0]))
					if want {
						require.NotEmpty(t, common(names, asked.Asked()))
					}
				}
			}
		}
	}
}

func common(a, b []string) (both []string) {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				both = append(both, x)
			}
		}
	}
	return both
}

// Terms that many pods have are one; of too many different ones no more are looked at, and the pod counts as kept away.
func TestManyTermsAreBounded(t *testing.T) {
	var g Gangs
	all := "["
	for i := range 2 * mostKeepers {
		all += fmt.Sprintf("{topologyKey: k, labelSelector: {matchLabels: {a: '1', b: '%d'}}}, ", i)
	}
	list := terms(t, all+"]")
	for i := range 10 {
		g.Add(fmt.Sprint("gang-", i), "s", []Pod{{Terms: list[:100]}})
	}
	require.Len(t, g.by[handle{"s", "a", "1"}], 100)
	require.False(t, g.KeepAway("x", true, "s", map[string]string{"a": "1", "b": "none"}))
	g.Add("gang", "s", []Pod{{Terms: list}})
	require.Len(t, g.by[handle{"s", "a", "1"}], mostKeepers+1)
	require.True(t, g.KeepAway("x", true, "s", map[string]string{"a": "1", "b": "none"}))
	require.False(t, g.KeepAway("x", true, "s", map[string]string{"a": "2", "b": "0"}))
	require.False(t, g.Alone("s", &list[mostKeepers+1]), "nobody can say whom it selects")
	other := terms(t, "[{topologyKey: k, labelSelector: {matchLabels: {a: '2'}}}]")
	g.Add("other", "s", []Pod{{Terms: other}})
	require.True(t, g.Alone("s", &other[0]))
	var few Gangs
	few.Add("gang", "s", []Pod{{Terms: list[:mostKeepers]}})
	few.Add("other", "s", []Pod{{Terms: list[mostKeepers : mostKeepers+1]}})
	few.See("x", "s", map[string]string{"a": "1", "b": "none"}, nil)
	require.False(t, few.Alone("s", &list[mostKeepers]), "too many to look at")
}

// Namespaces and values of a term are not multiplied.
func TestHandlesAreNoProduct(t *testing.T) {
	var spaces, values string
	for i := range 1000 {
		spaces, values = spaces+fmt.Sprintf("s%d, ", i), values+fmt.Sprintf("v%d, ", i)
	}
	list := terms(t, "[{topologyKey: k, namespaces: ["+spaces+"], labelSelector: {matchExpressions: [{key: a, operator: In, values: ["+values+"]}]}}]")
	require.Len(t, list[0].handles("own"), 1000)
	var g Gangs
	g.Add("gang", "s", []Pod{{Terms: list}})
	require.True(t, g.KeepAway("x", true, "s7", map[string]string{"a": "v8"}))
	require.False(t, g.KeepAway("x", true, "s", map[string]string{"a": "v8"}))
	require.False(t, g.KeepAway("x", true, "s7", map[string]string{"a": "v"}))
}

// Keys of labels that pods share, or do not, are what the pod itself says; a template may lack labels that its pods have.
func TestOwnLabelsNarrowTerms(t *testing.T) {
	read := func(keys, kind string) Term {
		docs := document.Parse("x", []byte("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: k, labelSelector: {matchLabels: {app: j}}, "+keys+"}]}}"), &document.Budget{})
		meta := document.Parse("x", []byte("labels: {app: j, set: '1'}"), &document.Budget{})
		of := &object.Object{Kind: kind}
		terms, _, _ := Required(object.Field{Value: docs[0].Root, Of: of}, object.Field{Value: meta[0].Root, Of: of})
		return terms[0]
	}
	for _, c := range []struct {
		keys, kind           string
		whole                bool
		same, other, without bool // whom it selects, by the label set
	}{
		{"matchLabelKeys: [set]", "Pod", true, true, false, false},
		{"matchLabelKeys: [set]", "Job", true, true, false, false},
		{"matchLabelKeys: [set, none]", "Pod", true, true, false, false},
		{"matchLabelKeys: [none]", "Pod", true, true, true, true},
		{"matchLabelKeys: [none]", "Job", false, true, true, true},
		{"matchLabelKeys: [set, none]", "Job", false, true, false, false},
		{"mismatchLabelKeys: [set]", "Pod", true, false, true, true},
		{"mismatchLabelKeys: [none]", "Job", false, true, true, true},
		{"matchLabelKeys: []", "Job", true, true, true, true},
		{"matchLabelKeys: set", "Pod", false, true, true, true},
		{"matchLabelKeys: [[set]]", "Pod", false, true, true, true},
	} {
		term := read(c.keys, c.kind)
		require.Equal(t, c.whole, term.Key != "", "%v", c)
		require.Equal(t, c.same, term.selects("s", "s", map[string]string{"app": "j", "set": "1"}), "%v", c)
		require.Equal(t, c.other, term.selects("s", "s", map[string]string{"app": "j", "set": "2"}), "%v", c)
		require.Equal(t, c.without, term.selects("s", "s", map[string]string{"app": "j"}), "%v", c)
		require.False(t, term.selects("s", "s", map[string]string{"app": "k", "set": "1"}))
	}
}

// What all members have in common costs what their terms are, not their square.
func TestCommonTermsAreNoProduct(t *testing.T) {
	const many = 1 << 16
	list := make([]Term, many)
	for i := range list {
		key := fmt.Sprint(i)
		list[i] = Term{Key: key, says: key, labels: labels.Selector(nil)}
	}
	pods := []Pod{{Terms: list}, {Terms: list}, {Terms: list}}
	found, all := Common("s", pods)
	require.Len(t, found, many)
	require.True(t, all)
	pods[2].Terms = append(list[1:len(list):len(list)], Term{})
	found, all = Common("s", pods)
	require.Len(t, found, many-1)
	require.False(t, all)
}
