package labels

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/gang"
)

var (
	words     = rapid.SampledFrom([]string{"", "a", "b", "1", "2", "7"})
	keys      = rapid.SampledFrom([]string{"a", "b", "c", "d"})
	operators = rapid.SampledFrom([]gang.Operator{gang.In, gang.In, gang.NotIn, gang.NotIn, gang.Exists, gang.DoesNotExist, gang.Gt, gang.Lt, "Odd"})
)

// expressions need not be valid: whatever a shape says of them, terms say too.
func expressions(key *rapid.Generator[string], most int) *rapid.Generator[[]gang.Expression] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Expression {
		return gang.Expression{Key: key.Draw(t, "key"), Operator: operators.Draw(t, "operator"), Values: rapid.SliceOfN(words, 0, 3).Draw(t, "values")}
	}), 0, most)
}

// Of many terms those match that match by themselves.
func TestTermsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.NodeTerm {
			fields := rapid.SampledFrom([]string{nodeName, nodeName, nodeName, "metadata.uid"})
			return gang.NodeTerm{Labels: expressions(keys, 3).Draw(t, "labels"), Fields: expressions(fields, 1).Draw(t, "fields")}
		}), 0, 20).Draw(t, "terms")
		x := Of(list)
		for range 8 {
			node, has, want := words.Draw(t, "node"), rapid.MapOfN(keys, words, 0, 4).Draw(t, "labels"), []int(nil)
			for i := range list {
				s := gang.Shape{Affinity: list[i : i+1]}
				if s.Selects(node, has) {
					want = append(want, i)
				}
			}
			require.Equal(t, want, slices.Sorted(x.Matching(node, has)))
		}
	})
}

// list is a term that asks for a label.
func list(key string, operator gang.Operator, values ...string) gang.NodeTerm {
	return gang.NodeTerm{Labels: []gang.Expression{{Key: key, Operator: operator, Values: values}}}
}

// A selector matches what a shape with it selects; one that says nothing matches everything.
func TestSelectorIsTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := gang.Shape{Selector: rapid.MapOfN(keys, words, 0, 2).Draw(t, "selector")}
		for _, list := range rapid.SliceOfN(expressions(keys, 4), 0, 1).Draw(t, "expressions") {
			if len(list) > 0 {
				s.Affinity = []gang.NodeTerm{{Labels: list}}
			}
		}
		selector := Selector(s.Selector, s.Affinity...)
		for range 8 {
			labels := rapid.MapOfN(keys, words, 0, 4).Draw(t, "labels")
			require.Equal(t, s.Selects("", labels), selector.Matches("", labels))
		}
	})
}

// Terms of which a label tells at most a few are not compared with every node, whichever of their labels it is.
func TestTermsAreNoProduct(t *testing.T) {
	const many = 5000
	cases := map[string]func(i int) gang.NodeTerm{
		"values":    func(i int) gang.NodeTerm { return list("z", gang.In, fmt.Sprint(i)) },
		"some each": func(i int) gang.NodeTerm { return list("z", gang.In, fmt.Sprint(2*i), fmt.Sprint(2*i+1)) },
		"the rarest": func(i int) gang.NodeTerm {
			t := list("common", gang.In, "x")
			t.Labels = append(t.Labels, list("z", gang.In, fmt.Sprint(i)).Labels...)
			return t
		},
		"keys": func(i int) gang.NodeTerm { return list(fmt.Sprint(i), gang.Exists) },
		"names": func(i int) gang.NodeTerm {
			return gang.NodeTerm{Fields: []gang.Expression{{Key: nodeName, Operator: gang.In, Values: []string{fmt.Sprint(i)}}}}
		},
		"nothing": func(int) gang.NodeTerm { return gang.NodeTerm{} },
	}
	for name, term := range cases {
		all := make([]gang.NodeTerm, many)
		for i := range all {
			all[i] = term(i)
		}
		x := Of(all)
		require.LessOrEqual(t, x.reach(), 1, name)
		looks := 0
		for i := range many {
			for range x.MayMatch(fmt.Sprint(i), map[string]string{"common": "x", "z": fmt.Sprint(i)}) {
				looks++
			}
		}
		require.LessOrEqual(t, looks, 2*many, name)
		require.False(t, TooMany(all), name)
	}
}

// One term of many expressions costs a node what it has of labels: the keys that it must have are not all asked for.
func TestExpressionsAreNoProduct(t *testing.T) {
	var all gang.NodeTerm
	for i := range 10000 {
		key := fmt.Sprint(i % 100)
		all.Labels = append(all.Labels, list(key, gang.NotIn, fmt.Sprint("v", i)).Labels[0], list(key, gang.In, "x", fmt.Sprint(i)).Labels[0])
	}
	term := Selector(nil, all)
	require.Len(t, term.labels, 100)
	values, named := term.labels["7"].values()
	require.True(t, named)
	require.Equal(t, []string{"x"}, values)
	require.Len(t, term.needs, 100)
}
