// Package document answers: what stands in a file, and on which line? It parses YAML documents and JSON into values that
// keep scalars as they are written. Duplicate keys, deep nesting and aliases that multiply a document are errors; one broken
// document of a YAML file does not hide the others.
//
// Values belong to the caller of [Parse] or [Read]; those reached through aliases are shared.
package document

import (
	"encoding/json"
	"slices"
)

// Kind is what a value is in JSON; null is absent.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Mapping
	List
	Text
	Integer
	Number // with a fraction or an exponent
	Boolean
	Dropped // checked, but not kept: its text is a digest, and whoever asks for it finds nothing
)

// kindNames is in the order of the kinds.
var kindNames = [...]string{"null", "a mapping", "a list", "text", "a whole number", "a number with a fraction", "true or false", "left out"}

// String is what messages call the kind.
func (k Kind) String() string { return kindNames[k] }

// Value is a parsed document or a part of it. Scalars keep the text as written, so that no number loses a digit.
// Values reached through aliases are shared; nobody changes what a value says after it is parsed.
type Value struct {
	Kind  Kind
	Asked bool // somebody has looked what it says, see Field.Is of package object
	Line  int
	Text  string
	Keys  []string // of a mapping, parallel to items
	Items []*Value
}

// With is a mapping with another value of a key; nil: without the key. v stays as it is, and may be nil. O(keys).
func (v *Value) With(key string, item *Value) *Value {
	out := &Value{Kind: Mapping}
	if v != nil {
		out.Asked, out.Line = v.Asked, v.Line
		for i, k := range v.Keys {
			if k != key {
				out.Keys, out.Items = append(out.Keys, k), append(out.Items, v.Items[i])
			}
		}
	}
	if item != nil {
		out.Keys, out.Items = append(out.Keys, key), append(out.Items, item)
	}
	return out
}

// Get returns the value of a key of a mapping, nil if there is none or it is null. O(keys).
func (v *Value) Get(key string) *Value {
	if v == nil || v.Kind != Mapping {
		return nil
	}
	for i, k := range v.Keys {
		if k == key {
			if v.Items[i].IsNothing() {
				return nil
			}
			return v.Items[i]
		}
	}
	return nil
}

// TextAt is the text that stands below some keys, empty: none does. O(keys).
func (v *Value) TextAt(keys ...string) string {
	for _, key := range keys {
		v = v.Get(key)
	}
	if v == nil || v.Kind != Text {
		return ""
	}
	return v.Text
}

// IsNothing says whether nobody finds anything in a value: it is null, or was left out.
func (v *Value) IsNothing() bool { return v.Kind == Null || v.Kind == Dropped }

// Equal says whether two values say the same; the order of keys does not matter.
func (v *Value) Equal(o *Value) bool {
	switch {
	case v == nil || o == nil:
		return v == o
	case v.Kind != o.Kind && (v.Kind == Dropped || o.Kind == Dropped):
		return v.digest() == o.digest()
	case v.Kind != o.Kind || v.Text != o.Text || len(v.Items) != len(o.Items):
		return false
	}
	for i, e := range v.Items {
		other := o.Items[i]
		if v.Kind == Mapping {
			at := slices.Index(o.Keys, v.Keys[i])
			if at < 0 {
				return false
			}
			other = o.Items[at]
		}
		if !e.Equal(other) {
			return false
		}
	}
	return true
}

// SetLines gives the value and all its parts one line: that of the scalar that holds their text. O(values).
func (v *Value) SetLines(line int) {
	v.Line = line
	for _, e := range v.Items {
		e.SetLines(line)
	}
}

// Plain is the value as encoding/json knows values.
func (v *Value) Plain() any {
	switch v.Kind {
	case Mapping:
		out := make(map[string]any, len(v.Keys))
		for i, key := range v.Keys {
			out[key] = v.Items[i].Plain()
		}
		return out
	case List:
		out := make([]any, len(v.Items))
		for i, e := range v.Items {
			out[i] = e.Plain()
		}
		return out
	case Null, Dropped:
		return nil
	case Integer, Number:
		return json.Number(v.Text)
	case Boolean:
		return v.Text == "true"
	default:
		return v.Text
	}
}
