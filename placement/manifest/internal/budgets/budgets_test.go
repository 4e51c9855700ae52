package budgets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// add reads a budget of the namespace s.
func (all *All) add(t *testing.T, name, selector string) {
	t.Helper()
	docs := document.Parse("x", fmt.Appendf(nil, "spec: {minAvailable: 1, selector: %s}", selector), &document.Budget{})
	require.Nil(t, docs[0].Err)
	o := &object.Object{Namespace: "s", Name: name, Version: "policy/v1"}
	o.Root = object.Field{Value: docs[0].Root, Of: o}
	all.Read(o)
	require.Empty(t, o.Errors)
}

// Who is selected is found whatever label a budget is found by.
func TestIndexMissesNobody(t *testing.T) {
	all := &All{}
	selectors := []string{
		"{}", "{matchLabels: {a: '1'}}", "{matchLabels: {a: '1', b: '1'}}", "{matchLabels: {a: '1', b: '2'}}", "{matchLabels: {b: '1'}, matchExpressions: [{key: a, operator: Exists}]}",
		"{matchExpressions: [{key: a, operator: In, values: ['1', '2']}]}", "{matchExpressions: [{key: b, operator: DoesNotExist}]}", "{matchLabels: {a: ''}}",
	}
	for i, selector := range selectors {
		all.add(t, fmt.Sprint("b-", i), selector)
	}
	for _, labels := range []map[string]string{nil, {"a": "1"}, {"a": "2", "b": "1"}, {"a": "1", "b": "1"}, {"a": "1", "b": "2", "c": ""}, {"a": ""}, {"b": "1"}} {
		var want []string
		for _, b := range all.bySpace["s"] {
			if b.selector.Matches("", labels) {
				want = append(want, b.name)
			}
		}
		slices.SortFunc(want, muster.CompareNatural)
		for range 2 { // found, and known
			require.Equal(t, want, all.Of(nil, "s", labels, false, Counts{}), "%v", labels)
		}
		require.Nil(t, all.Of(nil, "other", labels, false, Counts{}))
	}
}

// Labels of a file may hold any byte: what two pods say is not one for all that.
func TestLabelsWithAnyByteStayApart(t *testing.T) {
	all := &All{}
	all.add(t, "a", `{matchLabels: {a: "x\x00b\x00y"}}`)
	all.add(t, "both", `{matchLabels: {a: x, b: y}}`)
	require.Equal(t, []string{"s/a"}, all.Of(nil, "s", map[string]string{"a": "x\x00b\x00y"}, false, Counts{}))
	require.Equal(t, []string{"s/both"}, all.Of(nil, "s", map[string]string{"a": "x", "b": "y"}, false, Counts{}))
}

// A pod is compared with the budgets that a label of it tells, however they name it; pods whose labels say the same to all budgets are
// compared once.
func TestBudgetsAreNoProduct(t *testing.T) {
	const many = 2000
	for name, selector := range map[string]string{
		"label": "{matchLabels: {app: web, z: '%d'}}", "value": "{matchExpressions: [{key: z, operator: In, values: ['%d', x]}]}", "key": "{matchExpressions: [{key: 'z%d', operator: Exists}]}",
	} {
		all := &All{}
		for i := range many {
			all.add(t, fmt.Sprint("b-", i), fmt.Sprintf(selector, i))
		}
		for i := range many {
			labels := map[string]string{"app": "web", "z": fmt.Sprint(i), fmt.Sprint("z", i): "", "own": fmt.Sprint(i)}
			require.Equal(t, []string{fmt.Sprint("s/b-", i)}, all.Of(nil, "s", labels, false, Counts{}), name)
		}
		require.LessOrEqual(t, all.index("s").compared, many, name)
	}
	all := &All{}
	for i := range mostBudgets {
		all.add(t, fmt.Sprint("b-", i), "{}")
	}
	bound := Counts{}
	first := all.Of(nil, "s", map[string]string{"z": "0"}, false, bound)
	for i := range many {
		require.Same(t, &first[0], &all.Of(nil, "s", map[string]string{"z": fmt.Sprint(i)}, false, bound)[0])
	}
	require.Equal(t, mostBudgets, all.index("s").compared)
	require.Equal(t, many+1, bound["s/b-7"].staying)
	all.add(t, "late", "{}")
	pod := &object.Object{Kind: "Pod", Name: "p", Root: object.Field{Value: &document.Value{}}}
	require.Empty(t, all.Of(pod, "s", nil, false, bound))
	require.Empty(t, all.Of(pod, "s", nil, false, bound))
	require.Len(t, pod.Errors, 1)
	require.ErrorContains(t, pod.Errors[0], "metadata.labels: more than 256 PodDisruptionBudgets may select it")
}
