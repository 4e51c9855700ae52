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
			if b.selector.Matches(labels) {
				want = append(want, b.name)
			}
		}
		slices.SortFunc(want, muster.CompareNatural)
		require.Equal(t, want, all.Of("s", labels, false, Counts{}), "%v", labels)
		require.Nil(t, all.Of("other", labels, false, Counts{}))
	}
}

// Budgets that have a label in common with all pods, and one of their own, are not compared with each pod.
func TestBudgetsAreNoProduct(t *testing.T) {
	all := &All{}
	for i := range 1000 {
		all.add(t, fmt.Sprint("b-", i), fmt.Sprintf("{matchLabels: {app: web, z: '%d'}}", i))
	}
	x := all.index("s")
	require.Empty(t, x.rest)
	require.Len(t, x.at, 1000)
	for p, list := range x.at {
		require.Equal(t, "z", p.key)
		require.Len(t, list, 1)
	}
	all.add(t, "late", "{}")
	require.Equal(t, []string{"s/late"}, all.Of("s", map[string]string{"app": "web"}, false, Counts{}))
}
