package apart

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// terms reads the required anti-affinities of a list of YAML.
func terms(t *testing.T, list string) []Term {
	t.Helper()
	docs := document.Parse("x", []byte("affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+list+"}}"), &document.Budget{})
	require.Nil(t, docs[0].Err)
	return Terms(object.Field{Value: docs[0].Root})
}

// Who is selected has a handle of the term, whatever selects: looking by handles misses nobody.
func TestHandlesMissNobody(t *testing.T) {
	labels := []map[string]string{nil, {"a": "1"}, {"a": "2"}, {"a": ""}, {"a": "1", "b": "1"}, {"b": "1"}, {"b": "2", "c": "1"}}
	for _, selector := range []string{
		"{}", "{matchLabels: {a: '1'}}", "{matchLabels: {a: ''}}", "{matchLabels: {b: '1', a: '1'}}", "{matchExpressions: [{key: a, operator: In, values: ['1', '2']}]}",
		"{matchExpressions: [{key: a, operator: Exists}]}", "{matchExpressions: [{key: a, operator: NotIn, values: ['1']}]}", "{matchExpressions: [{key: a, operator: DoesNotExist}]}",
		"{matchExpressions: [{key: a, operator: NotIn, values: ['1']}, {key: b, operator: In, values: ['1']}]}", "{matchLabels: {b: '2'}, matchExpressions: [{key: c, operator: Exists}]}",
	} {
		for _, where := range []string{"", ", namespaces: [x, y]", ", namespaceSelector: {}", ", namespaces: [x], namespaceSelector: {matchLabels: {z: z}}", ", matchLabelKeys: [a]"} {
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
					if want {
						require.NotEmpty(t, common(names, Selecting(space, l)))
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
}

// What all members have in common costs what their terms are, not their square.
func TestCommonTermsAreNoProduct(t *testing.T) {
	const many = 1 << 16
	list := make([]Term, many)
	for i := range list {
		key := fmt.Sprint(i)
		list[i] = Term{Key: key, says: key}
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
