package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/muster-sched/muster/internal/characters"
)

// passing are the keys that change without anything that is read: who was where, and when it was told last. They are the keys of
// the mapping (or of the list of mappings) that they stand in, as for noise.
var passing = map[string][]string{
	"metadata":   {"resourceVersion", "generation", "selfLink"},
	"conditions": {"lastHeartbeatTime", "lastProbeTime", "lastTransitionTime", "lastUpdateTime"},
}

// FromPlain makes a value of what encoding/json, or a client of an API server, holds an object as. What nobody reads is left out.
// The value shares nothing with what it is made of. O(values).
func FromPlain(v any) (*Value, error) { return fromPlain("", v, 0) }

func fromPlain(name string, v any, depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	out := &Value{}
	switch v := v.(type) {
	case nil:
	case string:
		if !utf8.ValidString(v) {
			return nil, characters.ErrUTF8
		}
		out.Kind, out.Text = Text, v
	case bool:
		out.Kind, out.Text = Boolean, strconv.FormatBool(v)
	case int, int32, int64, float32, float64, json.Number:
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		return number(string(text)), nil
	case []string, map[string]string:
		return fromPlain(name, untyped(v), depth)
	case []any:
		out.Kind = List
		for _, e := range v {
			item, err := fromPlain(name, e, depth+1)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, item)
		}
	case map[string]any:
		out.Kind = Mapping
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if dropped(name, key) || slices.Contains(passing[name], key) {
				continue
			}
			item, err := fromEntry(key, v[key], depth+1)
			if err != nil {
				return nil, err
			}
			out.Keys, out.Items = append(out.Keys, key), append(out.Items, item)
		}
	default:
		return nil, fmt.Errorf("%T is not what JSON is decoded to", v)
	}
	return out, nil
}

// Says says whether a value is the one that FromPlain would make of what a client holds. The value was made by it. O(values), without one.
func (v *Value) Says(plain any) bool { return v.says("", plain) }

func (v *Value) says(name string, plain any) bool {
	var digits [24]byte
	switch plain := plain.(type) {
	case string:
		return v.Kind == Text && v.Text == plain
	case int64:
		return v.Kind == Integer && v.Text == string(strconv.AppendInt(digits[:0], plain, 10))
	case float64:
		if n := int64(plain); n != 0 && float64(n) == plain && n < 1<<53 && n > -1<<53 {
			return v.Kind == Integer && v.Text == string(strconv.AppendInt(digits[:0], n, 10))
		}
	case []any:
		if v.Kind != List || len(v.Items) != len(plain) {
			return false
		}
		for i, e := range plain {
			if !v.Items[i].says(name, e) {
				return false
			}
		}
		return true
	case map[string]any:
		return v.Kind == Mapping && v.saysMapping(name, plain)
	}
	other, err := fromPlain(name, plain, 0)
	return err == nil && v.Equal(other)
}

func (v *Value) saysMapping(name string, plain map[string]any) bool {
	for i, key := range v.Keys {
		if e, ok := plain[key]; !ok || !v.Items[i].says(key, e) {
			return false
		}
	}
	left := len(plain) - len(v.Keys)
	for _, keys := range [][]string{noise[name], passing[name]} {
		for _, key := range keys {
			if _, ok := plain[key]; ok {
				left--
			}
		}
	}
	return left == 0
}

// EqualBut says whether two mappings that FromPlain made are equal but for some keys.
func (v *Value) EqualBut(other *Value, keys ...string) bool {
	return v.without(keys).Equal(other.without(keys))
}

// without is a mapping without some keys, whose values are shared.
func (v *Value) without(keys []string) *Value {
	rest := *v
	for _, key := range keys {
		if at := slices.Index(rest.Keys, key); at >= 0 {
			rest.Keys = slices.Delete(slices.Clone(rest.Keys), at, at+1)
			rest.Items = slices.Delete(slices.Clone(rest.Items), at, at+1)
		}
	}
	return &rest
}

// fromEntry is fromPlain for what stands below a key.
func fromEntry(key string, v any, depth int) (*Value, error) {
	if !utf8.ValidString(key) {
		return nil, characters.ErrUTF8
	}
	return fromPlain(key, v, depth)
}

// untyped is a list or a mapping of texts without its type.
func untyped(v any) any {
	switch v := v.(type) {
	case []string:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v[i]
		}
		return list
	case map[string]string:
		texts := make(map[string]any, len(v))
		for key := range v {
			texts[key] = v[key]
		}
		return texts
	}
	return v
}

// number is a number as JSON writes it.
func number(text string) *Value {
	if strings.ContainsAny(text, ".eE") {
		return &Value{Kind: Number, Text: text}
	}
	return &Value{Kind: Integer, Text: text}
}

// Clone is a copy that nobody has asked for. O(values).
func (v *Value) Clone() *Value {
	out := *v
	out.Asked = false
	if len(v.Items) == 0 {
		return &out
	}
	values := make([]Value, len(v.Items)) // in one piece, which is what makes it fast
	out.Keys, out.Items = slices.Clone(v.Keys), make([]*Value, len(v.Items))
	for i, e := range v.Items {
		values[i] = *e.Clone()
		out.Items[i] = &values[i]
	}
	return &out
}
