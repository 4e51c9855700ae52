package room

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/cluster"
	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/index"
	"github.com/muster-sched/muster/internal/limits"
	"github.com/muster-sched/muster/internal/snapshot"
	"github.com/muster-sched/muster/numa"
)

// Shapes that differ in one field never share an index: neither in a field that there is now nor in one to come.
func TestShapesThatDifferInOneFieldHaveOtherKeys(t *testing.T) {
	full := func() *gang.Shape {
		term := func() gang.NodeTerm {
			return gang.NodeTerm{
				Labels: []gang.Expression{{Key: "label", Operator: gang.In, Values: []string{"a"}}},
				Fields: []gang.Expression{{Key: "metadata.name", Operator: gang.NotIn, Values: []string{"b"}}},
			}
		}
		return &gang.Shape{
			Resources: muster.Resources{"gpu": 1}, Selector: map[string]string{"label": "a"},
			Affinity: []gang.NodeTerm{term()}, Preferred: []gang.Preference{{Weight: 1, Nodes: term()}},
			Tolerations: []gang.Toleration{{Key: "key", Value: "value", Effect: gang.NoSchedule}},
			NUMA:        gang.NUMA{Policy: numa.BestEffort, Exclusive: numa.Preferred, CPUs: numa.WholeCores, ThreadsPerCore: 2},
		}
	}
	c := oneNode(t)
	keyOf := func(s *gang.Shape) []byte {
		r := roomOf(t, c, *s)
		r.Spared = true // preferences tell which nodes are meant for others
		return r.Slots().Key()
	}
	other := full()
	other.Resources = muster.Resources{"cpu": 1}
	require.NotEqual(t, keyOf(full()), keyOf(other), "as much of another resource")
	same := keyOf(full())
	require.Equal(t, same, keyOf(full()))
	fields := 0
	for {
		s, n := full(), fields
		at, ok := alter(t, reflect.ValueOf(s).Elem(), "Shape", &n)
		if !ok {
			break
		}
		require.NotEqual(t, same, keyOf(s), "%s is not in the key", at)
		fields++
	}
	require.Greater(t, fields, 30)
}

// alter changes the n-th of what can be changed in a value: a string, number or flag, or the length of a list or map. ok: there is
// one.
func alter(t *testing.T, v reflect.Value, at string, n *int) (string, bool) {
	t.Helper()
	mine := func() bool { *n--; return *n < 0 }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if at, ok := alter(t, v.Field(i), at+"."+v.Type().Field(i).Name, n); ok {
				return at, true
			}
		}
	case reflect.Slice:
		if mine() {
			v.Set(reflect.Append(v, v.Index(0)))
			return at, true
		}
		return alter(t, v.Index(0), at+"[0]", n)
	case reflect.Map:
		if mine() {
			v.SetMapIndex(reflect.ValueOf("cpu"), v.MapIndex(v.MapKeys()[0]))
			return at, true
		}
		key := v.MapKeys()[0]
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		if at, ok := alter(t, value, fmt.Sprintf("%s[%s]", at, key), n); ok {
			v.SetMapIndex(key, value)
			return at, true
		}
	case reflect.String:
		if mine() {
			v.SetString(v.String() + "x")
			return at, true
		}
	case reflect.Bool:
		if mine() {
			v.SetBool(!v.Bool())
			return at, true
		}
	case reflect.Int, reflect.Int64:
		if mine() {
			v.SetInt(v.Int() + 1)
			return at, true
		}
	default:
		require.Fail(t, "what is another value of it?", at)
	}
	return at, false
}

// Limits and preferences stand one behind the other in a key, and neither is read as the other.
func TestKeysTellLimitsFromPreferences(t *testing.T) {
	c := oneNode(t)
	keyOf := func(apart []index.Cap, weight int64, label, value string) []byte {
		term := gang.NodeTerm{Labels: []gang.Expression{{Key: label, Operator: gang.In, Values: []string{value}}}}
		p := roomOf(t, c, gang.Shape{})
		p.Spared, p.Shapes = true, []*gang.Shape{{Preferred: []gang.Preference{{Weight: weight, Nodes: term}}}}
		p.Model.Limits = &limits.Limits{Apart: apart}
		return p.Slots().Key()
	}
	limited := keyOf([]index.Cap{{Tier: 1, Most: 5}}, 8, "k", "\x02In\x01\x01x")
	require.NotEqual(t, limited, keyOf(nil, 5, "\x01\x01k\x02In\x01\x06", "x"))
}

// oneNode is a node with CPUs, memory and devices.
func oneNode(t *testing.T) *snapshot.Snapshot {
	t.Helper()
	c, err := snapshot.New(cluster.Spec{Nodes: []cluster.Node{{Name: "n", Allocatable: muster.Resources{"gpu": 4, "cpu": 8}}}})
	require.NoError(t, err)
	return c
}
