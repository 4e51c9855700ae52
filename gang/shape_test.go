package gang_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/gang"
)

func label(key string, op gang.Operator, values ...string) gang.NodeTerm {
	return gang.NodeTerm{Labels: []gang.Expression{{Key: key, Operator: op, Values: values}}}
}

func TestTermMatches(t *testing.T) {
	labels := map[string]string{"a": "x", "empty": "", "n": "10", "max": "9223372036854775807"}
	field := func(op gang.Operator, values ...string) gang.NodeTerm {
		return gang.NodeTerm{Fields: []gang.Expression{{Key: "metadata.name", Operator: op, Values: values}}}
	}
	both := label("a", gang.Exists)
	both.Fields = field(gang.In, "other").Fields
	for _, c := range []struct {
		name string
		term gang.NodeTerm
		want bool
	}{
		{"empty term", gang.NodeTerm{}, false},
		{"in", label("a", gang.In, "w", "x"), true},
		{"not among the values", label("a", gang.In, "y"), false},
		{"in, no such label", label("b", gang.In, ""), false},
		{"in, empty value", label("empty", gang.In, ""), true},
		{"not in", label("a", gang.NotIn, "y"), true},
		{"not in, but is", label("a", gang.NotIn, "x", "y"), false},
		{"not in, no such label", label("b", gang.NotIn, "x"), true},
		{"not in, an absent label is not an empty one", label("b", gang.NotIn, ""), true},
		{"exists", label("empty", gang.Exists), true},
		{"exists, no such label", label("b", gang.Exists), false},
		{"does not exist", label("b", gang.DoesNotExist), true},
		{"does not exist, but does", label("empty", gang.DoesNotExist), false},
		{"greater as a number", label("n", gang.Gt, "9"), true},
		{"equal is not greater", label("n", gang.Gt, "10"), false},
		{"less", label("n", gang.Lt, "11"), true},
		{"equal is not less", label("n", gang.Lt, "10"), false},
		{"greater, no number", label("a", gang.Gt, "1"), false},
		{"greater, no such label", label("b", gang.Lt, "1"), false},
		{"greater, no bound", label("n", gang.Gt), false},
		{"greater, bound is no number", label("n", gang.Lt, "x"), false},
		{"less than the largest", label("max", gang.Gt, "9223372036854775806"), true},
		{"unknown operator", label("a", "Is", "x"), false},
		{"name", field(gang.In, "n1"), true},
		{"another name", field(gang.NotIn, "n1"), false},
		{"unknown field", gang.NodeTerm{Fields: []gang.Expression{{Key: "spec.name", Operator: gang.Exists}}}, false},
		{"labels and fields are both asked", both, false},
	} {
		require.Equal(t, c.want, c.term.Matches("n1", labels), c.name)
	}
	two := gang.NodeTerm{Labels: append(label("a", gang.Exists).Labels, label("b", gang.Exists).Labels...)}
	require.False(t, two.Matches("n1", labels), "all expressions must hold")
}

func TestShapeSelects(t *testing.T) {
	labels := map[string]string{"a": "x", "empty": ""}
	require.True(t, (&gang.Shape{}).Selects("n", nil))
	require.True(t, (*gang.Shape)(nil).Selects("n", nil))
	require.True(t, (&gang.Shape{Selector: map[string]string{"a": "x", "empty": ""}}).Selects("n", labels))
	require.False(t, (&gang.Shape{Selector: map[string]string{"a": "x", "b": ""}}).Selects("n", labels), "an absent label is not an empty one")
	require.False(t, (&gang.Shape{Selector: map[string]string{"a": "y"}}).Selects("n", labels))
	anyOf := &gang.Shape{Affinity: []gang.NodeTerm{{}, label("b", gang.Exists), label("a", gang.Exists)}}
	require.True(t, anyOf.Selects("n", labels))
	require.False(t, anyOf.Selects("n", nil))
	anyOf.Selector = map[string]string{"a": "y"}
	require.False(t, anyOf.Selects("n", labels), "selector and affinity are both asked")
	require.False(t, (&gang.Shape{Affinity: []gang.NodeTerm{{}}}).Selects("n", labels), "a term that matches nothing")
}

func TestPreferenceScoreSumsWhatMatches(t *testing.T) {
	s := &gang.Shape{Preferred: []gang.Preference{{3, label("a", gang.Exists)}, {4, label("b", gang.Exists)}, {50, label("c", gang.Exists)}, {100, gang.NodeTerm{}}}}
	require.Equal(t, int64(7), s.PreferenceScore("n", map[string]string{"a": "", "b": ""}))
	require.Zero(t, (*gang.Shape)(nil).PreferenceScore("n", nil))
}

func TestTolerates(t *testing.T) {
	taint := gang.Taint{Key: "k", Value: "v", Effect: gang.NoSchedule}
	for _, c := range []struct {
		name string
		tol  gang.Toleration
		want bool
	}{
		{"the same", gang.Toleration{Key: "k", Value: "v", Effect: gang.NoSchedule}, true},
		{"any effect", gang.Toleration{Key: "k", Value: "v"}, true},
		{"another effect", gang.Toleration{Key: "k", Value: "v", Effect: gang.NoExecute}, false},
		{"another value", gang.Toleration{Key: "k", Value: "w"}, false},
		{"no value is a value", gang.Toleration{Key: "k"}, false},
		{"any value", gang.Toleration{Key: "k", Exists: true, Value: "w"}, true},
		{"another key", gang.Toleration{Key: "l", Exists: true}, false},
		{"everything", gang.Toleration{Exists: true}, true},
		{"every key, one effect", gang.Toleration{Exists: true, Effect: gang.NoExecute}, false},
	} {
		require.Equal(t, c.want, gang.Tolerates([]gang.Taint{taint}, []gang.Toleration{c.tol}), c.name)
	}
	require.True(t, gang.Tolerates(nil, nil))
	require.False(t, gang.Tolerates([]gang.Taint{taint}, nil))
	require.False(t, gang.Tolerates([]gang.Taint{{Key: "k", Effect: gang.NoExecute}}, nil))
	require.True(t, gang.Tolerates([]gang.Taint{{Key: "k", Effect: gang.PreferNoSchedule}}, nil), "keeps nobody away")
	one := []gang.Toleration{{Key: "k", Value: "v"}}
	require.False(t, gang.Tolerates([]gang.Taint{taint, {Key: "l", Effect: gang.NoSchedule}}, one), "every taint counts")
	require.True(t, gang.Tolerates([]gang.Taint{taint, {Key: "l", Effect: gang.NoSchedule}}, append(one, gang.Toleration{Key: "l", Exists: true})))
}

func TestShapeEqualIgnoresWhatMeansNothing(t *testing.T) {
	require.True(t, (*gang.Shape)(nil).Equal(nil))
	require.True(t, (*gang.Shape)(nil).Equal(&gang.Shape{}))
	require.True(t, (&gang.Shape{}).Equal(nil))
	empty := &gang.Shape{
		Resources: muster.Resources{"cpu": 0}, Selector: map[string]string{}, Affinity: []gang.NodeTerm{}, Preferred: []gang.Preference{}, Tolerations: []gang.Toleration{},
	}
	require.True(t, empty.Equal(&gang.Shape{}))
	require.True(t, (&gang.Shape{}).Equal(empty))
	require.False(t, (&gang.Shape{Resources: muster.Resources{"cpu": 1, "x": 0}}).Equal(&gang.Shape{Resources: muster.Resources{"cpu": 1, "y": 1}}))
	require.True(t, (&gang.Shape{Tolerations: []gang.Toleration{{Exists: true, Value: "ignored"}}}).Equal(&gang.Shape{Tolerations: []gang.Toleration{{Exists: true}}}))
	weights := func(w ...int64) *gang.Shape {
		s := &gang.Shape{}
		for _, w := range w {
			s.Preferred = append(s.Preferred, gang.Preference{Weight: w, Nodes: label("a", gang.Exists)})
		}
		return s
	}
	require.False(t, weights(1, 1, 2).Equal(weights(1, 2, 2)), "repeats count")
}

// drawShape draws small shapes, so that two of them are often equal.
func drawShape(t *rapid.T, name string) *gang.Shape {
	word := rapid.SampledFrom([]string{"a", "b", `" "`})
	expression := rapid.Custom(func(t *rapid.T) gang.Expression {
		return gang.Expression{Key: word.Draw(t, "key"), Operator: rapid.SampledFrom([]gang.Operator{gang.In, gang.NotIn}).Draw(t, "op"), Values: rapid.SliceOfN(word, 0, 2).Draw(t, "values")}
	})
	term := rapid.Custom(func(t *rapid.T) gang.NodeTerm {
		return gang.NodeTerm{Labels: rapid.SliceOfN(expression, 0, 2).Draw(t, "labels"), Fields: rapid.SliceOfN(expression, 0, 1).Draw(t, "fields")}
	})
	return rapid.Custom(func(t *rapid.T) *gang.Shape {
		return &gang.Shape{
			Resources: rapid.MapOfN(word, rapid.Int64Range(0, 1), 0, 2).Draw(t, "resources"),
			Selector:  rapid.MapOfN(word, word, 0, 1).Draw(t, "selector"),
			Affinity:  rapid.SliceOfN(term, 0, 2).Draw(t, "affinity"),
			Preferred: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Preference {
				return gang.Preference{Weight: rapid.Int64Range(0, 1).Draw(t, "weight"), Nodes: term.Draw(t, "term")}
			}), 0, 1).Draw(t, "preferred"),
			Tolerations: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) gang.Toleration {
				return gang.Toleration{Key: word.Draw(t, "key"), Exists: rapid.Bool().Draw(t, "exists"), Value: word.Draw(t, "value")}
			}), 0, 2).Draw(t, "tolerations"),
		}
	}).Draw(t, name)
}

func TestEqualShapesCannotBeToldApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawShape(rt, "a"), drawShape(rt, "b")
		if rapid.Bool().Draw(rt, "b is a in another order") {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
			c := *a
			b = &c
			b.Affinity, b.Tolerations = slices.Clone(a.Affinity), slices.Clone(a.Tolerations)
			r.Shuffle(len(b.Affinity), func(i, j int) { b.Affinity[i], b.Affinity[j] = b.Affinity[j], b.Affinity[i] })
			r.Shuffle(len(b.Tolerations), func(i, j int) { b.Tolerations[i], b.Tolerations[j] = b.Tolerations[j], b.Tolerations[i] })
			require.True(rt, a.Equal(b))
		}
		require.True(rt, a.Equal(a))
		require.Equal(rt, a.Equal(b), b.Equal(a))
		if !a.Equal(b) {
			return
		}
		labels := rapid.MapOf(rapid.SampledFrom([]string{"a", "b"}), rapid.SampledFrom([]string{"a", "b"})).Draw(rt, "labels")
		taints := []gang.Taint{{Key: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "taint"), Value: "a", Effect: gang.NoSchedule}}
		require.Equal(rt, a.Selects("a", labels), b.Selects("a", labels))
		require.Equal(rt, a.PreferenceScore("a", labels), b.PreferenceScore("a", labels))
		require.Equal(rt, gang.Tolerates(taints, a.Tolerations), gang.Tolerates(taints, b.Tolerations))
		for _, name := range []string{"a", "b"} {
			require.Equal(rt, a.Resources[name], b.Resources[name])
		}
	})
}

// fill sets a value and everything below it to something that is not zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, elem)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("a field of kind %s: say here how it is filled", v.Kind())
	}
}

// clear visits every leaf of a value, sets it to zero, calls f and puts it back.
func clear(v reflect.Value, path string, f func(path string)) {
	if v.CanSet() {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.SetZero()
		f(path)
		v.Set(old)
	}
	switch v.Kind() {
	case reflect.Slice:
		clear(v.Index(0), path+"[0]", f)
	case reflect.Struct:
		for i := range v.NumField() {
			clear(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	}
}

// A new field of a shape, at any depth, makes a difference to Equal.
func TestEqualSeesEveryField(t *testing.T) {
	full := func() *gang.Shape {
		s := &gang.Shape{}
		fill(t, reflect.ValueOf(s).Elem())
		s.Tolerations[0].Exists = false // else the value is ignored
		return s
	}
	require.True(t, full().Equal(full()))
	changed := full()
	seen := 0
	clear(reflect.ValueOf(changed).Elem(), "Shape", func(path string) {
		if path == "Shape.Tolerations[0].Exists" {
			return
		}
		seen++
		require.False(t, full().Equal(changed), path)
		require.False(t, changed.Equal(full()), path)
	})
	require.Greater(t, seen, 20)
	changed.Tolerations[0].Exists = true
	require.False(t, full().Equal(changed))
}
