package match

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/labels"
	"github.com/muster-sched/muster/numa"
)

var (
	words     = rapid.SampledFrom([]string{"", "a", "b", "1", "2", "7"})
	keys      = rapid.SampledFrom([]string{"a", "b", "c", "d"})
	effects   = rapid.SampledFrom([]gang.Effect{"", gang.NoSchedule, gang.NoExecute, gang.PreferNoSchedule})
	operators = rapid.SampledFrom([]gang.Operator{gang.In, gang.In, gang.NotIn, gang.NotIn, gang.Exists, gang.DoesNotExist, gang.Gt, gang.Lt, "Odd"})
)

// expressions need not be valid: whatever a shape says of them, its judge says too.
func expressions(key *rapid.Generator[string], most int) *rapid.Generator[[]gang.Expression] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Expression {
		return gang.Expression{Key: key.Draw(t, "key"), Operator: operators.Draw(t, "operator"), Values: rapid.SliceOfN(words, 0, 3).Draw(t, "values")}
	}), 0, most)
}

var terms = rapid.Custom(func(t *rapid.T) gang.NodeTerm {
	fields := rapid.SampledFrom([]string{"metadata.name", "metadata.name", "metadata.name", "metadata.uid"})
	return gang.NodeTerm{Labels: expressions(keys, 4).Draw(t, "labels"), Fields: expressions(fields, 1).Draw(t, "fields")}
})

var shapes = rapid.Custom(func(t *rapid.T) *gang.Shape {
	s := &gang.Shape{
		Resources: rapid.MapOfN(keys, rapid.Int64Range(0, 2), 0, 2).Draw(t, "resources"),
		Selector:  rapid.MapOfN(keys, words, 0, 2).Draw(t, "selector"),
		Affinity:  rapid.SliceOfN(terms, 0, 12).Draw(t, "affinity"),
		Preferred: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Preference {
			return gang.Preference{Weight: rapid.Int64Range(0, 2).Draw(t, "weight"), Nodes: terms.Draw(t, "nodes")}
		}), 0, 12).Draw(t, "preferred"),
		Tolerations: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Toleration {
			return gang.Toleration{
				Key: words.Draw(t, "key"), Value: words.Draw(t, "value"), Effect: effects.Draw(t, "effect"), Exists: rapid.Bool().Draw(t, "exists"),
				Compare: rapid.SampledFrom([]gang.Operator{"", gang.Gt, gang.Lt}).Draw(t, "compare"),
			}
		}), 0, 4).Draw(t, "tolerations"),
	}
	if rapid.IntRange(0, 3).Draw(t, "zones") == 0 {
		s.NUMA.Policy = numa.BestEffort
	}
	return s
})

// A judge says of every node what its shape says, valid or not.
func TestJudgeIsTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes.Draw(t, "shape")
		bench := &Bench{map[*gang.Shape]*Judge{}}
		for range 8 {
			node, labels := words.Draw(t, "node"), rapid.MapOfN(keys, words, 0, 4).Draw(t, "labels")
			require.Equal(t, s.Selects(node, labels), bench.Selects(s, node, labels))
			misses := slices.Collect(bench.Misses(s, node, labels))
			require.Equal(t, misses, slices.Collect((*Bench)(nil).Misses(s, node, labels)))
			require.Equal(t, s.Selects(node, labels), len(misses) == 0)
			require.Equal(t, s.Misses(node, labels), append(misses, "")[0])
			require.Equal(t, s.PreferenceScore(node, labels), bench.PreferenceScore(s, node, labels))
			require.Equal(t, s.MissesPreference(node, labels), bench.MissesPreference(s, node, labels))
			taints := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Taint {
				return gang.Taint{Key: words.Draw(t, "key"), Value: words.Draw(t, "value"), Effect: effects.Draw(t, "effect")}
			}), 0, 3).Draw(t, "taints")
			require.Equal(t, gang.Tolerates(taints, s.Tolerations), bench.Tolerates(s, taints))
			require.Equal(t, gang.ToleratesAll(taints, s.Tolerations), bench.ToleratesAll(s, taints))
			many := slices.Repeat(taints, few+1)
			for range 2 { // said, and kept
				require.Equal(t, gang.Tolerates(many, s.Tolerations), bench.Tolerates(s, many))
			}
		}
	})
}

// Equal shapes have one digest; of two that are not equal hardly any share one.
func TestDigestTellsShapesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := shapes.Draw(t, "a"), shapes.Draw(t, "b")
		if rapid.Bool().Draw(t, "shuffled") {
			copied := *a
			b = &copied
			b.Tolerations, b.Affinity = slices.Clone(a.Tolerations), slices.Clone(a.Affinity)
			slices.Reverse(b.Tolerations)
			slices.Reverse(b.Affinity)
			b.Resources = muster.Resources{"none": 0}
			b.Resources.Add(a.Resources)
		}
		require.Equal(t, a.Equal(b), digest(a) == digest(b))
	})
}

// Shapes that differ in anything are told apart by a digest, not each from each: the shapes that are compared are equal.
func TestShapesAreNoProduct(t *testing.T) {
	var x Shapes
	first := make([]*gang.Shape, 500)
	for i := range 1000 {
		s := &gang.Shape{Resources: muster.Resources{"cpu": int64(i % 500), "memory": int64(500 - i%500)}} // all of one sum
		if i < len(first) {
			first[i] = s
		}
		n, isNew := x.Number(s)
		require.Equal(t, i%500, n)
		require.Equal(t, i < 500, isNew)
	}
	require.Len(t, x.by, 500, "one look for each")
	for i, s := range first {
		n, isNew := x.Number(s)
		require.Equal(t, i, n)
		require.False(t, isNew)
	}
}

// list is a term that asks for a label.
func list(key string, operator gang.Operator, values ...string) gang.NodeTerm {
	return gang.NodeTerm{Labels: []gang.Expression{{Key: key, Operator: operator, Values: values}}}
}

// What no label tells apart is refused, and named; so many are not that every node may be compared with all.
func TestTermsAreBounded(t *testing.T) {
	const mostTerms = 256
	cases := map[string]func(i int) gang.NodeTerm{
		"not":    func(i int) gang.NodeTerm { return list("z", gang.NotIn, fmt.Sprint(i)) },
		"absent": func(i int) gang.NodeTerm { return list(fmt.Sprint(i), gang.DoesNotExist) },
		"same":   func(int) gang.NodeTerm { return list("z", gang.In, "x") },
		"key":    func(i int) gang.NodeTerm { return list("z", gang.Gt, strconv.Itoa(i)) },
	}
	for name, term := range cases {
		s := &gang.Shape{}
		for i := range mostTerms {
			s.Affinity = append(s.Affinity, term(i))
			s.Preferred = append(s.Preferred, gang.Preference{Weight: 1, Nodes: term(i)})
		}
		require.NoError(t, check(s, "shape"), name)
		_, err := ForRequest(&gang.Request{Shape: *s}, false)
		require.NoError(t, err)
		more := *s
		more.Affinity = append(slices.Clip(s.Affinity), term(mostTerms))
		require.EqualError(t, check(&more, "shape"), `shape.Affinity "257": `+labels.WhyTooMany, name)
		_, err = ForRequest(&gang.Request{Members: []gang.Member{{}, {Shape: &more}}}, false)
		require.EqualError(t, err, `request.Members[1].Shape.Affinity "257": `+labels.WhyTooMany, name)
		more = *s
		more.Preferred = append(slices.Clip(s.Preferred), gang.Preference{Nodes: term(mostTerms)})
		_, err = ForRequest(&gang.Request{Shape: more}, false)
		require.EqualError(t, err, `request.Shape.Preferred "257": `+labels.WhyTooMany, name)
	}
}

// Lists of many taints are gone through once for each shape, whoever shares them; judges are made once, and only where they pay.
func TestTaintsAreNoProduct(t *testing.T) {
	var taints []gang.Taint
	s := &gang.Shape{}
	require.False(t, Many(s))
	for i := range 10 * few {
		taints = append(taints, gang.Taint{Key: fmt.Sprint(i), Effect: gang.NoSchedule})
		s.Tolerations = append(s.Tolerations, gang.Toleration{Key: fmt.Sprint(i), Exists: true})
	}
	require.True(t, Many(s))
	require.True(t, ManyTaints(taints))
	bench, err := ForRequest(&gang.Request{Shape: *s}, false)
	require.NoError(t, err)
	for range 1000 {
		require.True(t, bench.Tolerates(s, taints))
		require.False(t, bench.Tolerates(s, append(slices.Clip(taints), gang.Taint{Key: "other", Effect: gang.NoExecute})))
		require.True(t, bench.Tolerates(s, taints))
	}
	require.Len(t, bench.of, 1)
	require.Len(t, bench.of[s].tolerations.known, 1001)
	require.Empty(t, bench.Fresh().of)
	for _, plain := range []bool{false, true} {
		bench, err = ForRequest(&gang.Request{}, plain)
		require.NoError(t, err)
		require.Equal(t, plain, bench != nil)
	}
	require.Nil(t, bench.Fresh().of[s])
	var nobody *Bench
	require.Nil(t, nobody.Fresh())
}

// Much is what is much in sum.
func TestManyIsMuch(t *testing.T) {
	wide := make([]string, few)
	for name, s := range map[string]*gang.Shape{
		"values":    {Affinity: []gang.NodeTerm{list("z", gang.In, wide...)}},
		"terms":     {Affinity: make([]gang.NodeTerm, few+1)},
		"preferred": {Preferred: []gang.Preference{{Nodes: gang.NodeTerm{Fields: list("z", gang.In, wide...).Labels}}}},
		"selector":  {Selector: map[string]string{}},
	} {
		for i := range few + 1 {
			if s.Selector != nil {
				s.Selector[fmt.Sprint(i)] = ""
			}
		}
		require.True(t, Many(s), name)
		require.GreaterOrEqual(t, Listed(s), few, name)
	}
	require.False(t, Many(nil))
	require.False(t, Many(&gang.Shape{Affinity: []gang.NodeTerm{list("z", gang.In, "a", "b")}}))
	require.Zero(t, Listed(&gang.Shape{Affinity: []gang.NodeTerm{list("z", gang.In, "a", "b")}}))
}
