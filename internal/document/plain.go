package document

import (
	"encoding/json"
	"fmt"
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
	out := &Value{}
	if err := out.fill(name, v, depth); err != nil {
		return nil, err
	}
	return out, nil
}

// fill makes a value say what a client holds.
func (v *Value) fill(name string, plain any, depth int) error {
	if depth > maxDepth {
		return errDeep
	}
	switch plain := plain.(type) {
	case nil:
	case string:
		if !utf8.ValidString(plain) {
			return characters.ErrUTF8
		}
		v.Kind, v.Text = Text, plain
	case bool:
		v.Kind, v.Text = Boolean, strconv.FormatBool(plain)
	case int, int32, int64, float32, float64, json.Number:
		text, err := json.Marshal(plain)
		if err != nil {
			return err
		}
		*v = number(string(text))
	case []string, map[string]string:
		return v.fill(name, untyped(plain), depth)
	case []any:
		v.Kind = List
		for i, item := range v.parts(len(plain)) {
			if err := item.fill(name, plain[i], depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		return v.fillMapping(name, plain, depth)
	default:
		return fmt.Errorf("%T is not what JSON is decoded to", plain)
	}
	return nil
}

func (v *Value) fillMapping(name string, plain map[string]any, depth int) error {
	v.Kind = Mapping
	if len(plain) > 0 {
		v.Keys = make([]string, 0, len(plain))
	}
	for key := range plain {
		if !dropped(name, key) && !slices.Contains(passing[name], key) {
			v.Keys = append(v.Keys, key)
		}
	}
	slices.Sort(v.Keys)
	for i, item := range v.parts(len(v.Keys)) {
		if !utf8.ValidString(v.Keys[i]) {
			return characters.ErrUTF8
		}
		if err := item.fill(v.Keys[i], plain[v.Keys[i]], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// parts makes so many items, in one piece, which is what makes it fast.
func (v *Value) parts(n int) []*Value {
	if n == 0 {
		return nil
	}
	values := make([]Value, n)
	v.Items = make([]*Value, n)
	for i := range values {
		v.Items[i] = &values[i]
	}
	return v.Items
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
	if v.Kind != Mapping || other.Kind != Mapping {
		return v.Equal(other)
	}
	left := 0 // of the other's keys, that were not looked for
	for _, key := range other.Keys {
		if !slices.Contains(keys, key) {
			left++
		}
	}
	for i, key := range v.Keys {
		if slices.Contains(keys, key) {
			continue
		}
		at := slices.Index(other.Keys, key)
		if at < 0 || !v.Items[i].Equal(other.Items[at]) {
			return false
		}
		left--
	}
	return left == 0
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
func number(text string) Value {
	if strings.ContainsAny(text, ".eE") {
		return Value{Kind: Number, Text: text}
	}
	return Value{Kind: Integer, Text: text}
}

// Clone is a copy that nobody has asked for. O(values).
func (v *Value) Clone() *Value {
	out := &Value{}
	out.copy(v)
	return out
}

func (v *Value) copy(of *Value) {
	*v = *of
	v.Asked, v.Keys = false, slices.Clone(of.Keys)
	for i, item := range v.parts(len(of.Items)) {
		item.copy(of.Items[i])
	}
}
