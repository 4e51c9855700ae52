package manifest

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/placement/manifest/internal/document"
)

// field is a place in an object: what stands there, if anything, and the path to it. Its accessors return the zero
// value where nothing stands, and note a defect of the object where something of another type does.
//
// The path is put together when it is asked for: base, then either key or the index. Most fields are read and forgotten.
type field struct {
	obj   *object
	base  string
	key   string
	index int             // of an element, from 1; 0: none
	v     *document.Value // nil if absent
	line  int             // of the nearest value above, for fields that are missing
}

// path writes keys that contain dots or slashes in brackets.
func (f field) path() string {
	switch {
	case f.index > 0:
		return f.base + "[" + strconv.Itoa(f.index-1) + "]"
	case f.key == "":
		return f.base
	case strings.ContainsAny(f.key, "./[] "):
		return f.base + "[" + f.key + "]"
	case f.base == "":
		return f.key
	}
	return f.base + "." + f.key
}

func (f field) present() bool { return f.v != nil }

// fail notes a defect at this field.
func (f field) fail(reason string) {
	e := &Error{Field: f.path(), Line: f.line, Reason: reason}
	if f.v != nil && f.v.Kind >= document.Text {
		e.Value = f.v.Text
	}
	f.obj.note(e)
}

// get is the field below a mapping.
func (f field) get(key string) field {
	sub := field{obj: f.obj, base: f.path(), key: key, line: f.line}
	if sub.v = f.v.Get(key); sub.v != nil {
		sub.line = sub.v.Line
	}
	return sub
}

// is checks the type, and notes a defect if it is another one.
func (f field) is(want document.Kind) bool {
	if f.v == nil {
		return false
	}
	if f.v.Kind != want {
		f.fail("is " + f.v.Kind.String() + ", must be " + want.String())
		return false
	}
	return true
}

// object is the field, checked to be a mapping if it is there.
func (f field) object() field {
	if f.present() && !f.is(document.Mapping) {
		f.v = nil
	}
	f.base, f.key, f.index = f.path(), "", 0
	return f
}

// sub is get for a field that must be a mapping itself.
func (f field) sub(key string) field { return f.get(key).object() }

func (f field) str() string {
	if !f.is(document.Text) {
		return ""
	}
	return f.v.Text
}

// required is str for a field that must stand there.
func (f field) required() string {
	s := f.str()
	if s == "" && (f.v == nil || f.v.Kind == document.Text) {
		f.fail("missing")
	}
	return s
}

func (f field) flag() bool { return f.is(document.Boolean) && f.v.Text == "true" }

// whole reads an integer between low and the largest 32-bit one; ok is false if it is absent or wrong.
func (f field) whole(low int) (n int, ok bool) {
	if !f.is(document.Integer) {
		return 0, false
	}
	return f.count(f.v.Text, low)
}

// number64 reads any integer of 32 bits, which is what priorities are.
func (f field) number64() (int64, bool) {
	n, ok := f.whole(math.MinInt32)
	return int64(n), ok
}

// count reads an integer from text, for annotations.
func (f field) count(s string, low int) (n int, ok bool) {
	parsed, err := strconv.ParseInt(s, 10, 32)
	switch {
	case err != nil || strconv.FormatInt(parsed, 10) != s:
		f.fail("not a whole number of 32 bits")
	case parsed < int64(low):
		f.fail("must be at least " + strconv.Itoa(low))
	default:
		return int(parsed), true
	}
	return 0, false
}

// all iterates over the elements of a list.
func (f field) all() iter.Seq[field] {
	return func(yield func(field) bool) {
		if !f.is(document.List) {
			return
		}
		base := f.path()
		for i, v := range f.v.Items {
			e := field{obj: f.obj, base: base, index: i + 1, v: v, line: v.Line}
			if v.Kind == document.Null {
				e.v = nil
			}
			if !yield(e) {
				return
			}
		}
	}
}

// entries iterates over a mapping in the order of the file.
func (f field) entries() iter.Seq2[string, field] {
	return func(yield func(string, field) bool) {
		if !f.is(document.Mapping) {
			return
		}
		base := f.path()
		for i, key := range f.v.Keys {
			v := f.v.Items[i]
			e := field{obj: f.obj, base: base, key: key, v: v, line: v.Line}
			if v.Kind == document.Null {
				e.v = nil
			}
			if !yield(key, e) {
				return
			}
		}
	}
}

// texts reads a list of strings.
func (f field) texts() []string {
	var out []string
	for e := range f.all() {
		out = append(out, e.required())
	}
	return out
}

// textMap reads a mapping of strings, nil if absent. An entry without a value is the empty string.
func (f field) textMap() map[string]string {
	if !f.is(document.Mapping) || len(f.v.Keys) == 0 {
		return nil
	}
	out := make(map[string]string, len(f.v.Keys))
	for key, e := range f.entries() {
		out[key] = e.str()
	}
	return out
}

// json reads the text of the field as a JSON document of its own, such as an annotation that holds one.
func (f field) json() field {
	s := f.str()
	if s == "" {
		return field{obj: f.obj, base: f.path(), line: f.line}
	}
	values, err := document.ParseJSON([]byte(s))
	if err != nil {
		f.fail(err.Reason)
		return field{obj: f.obj, base: f.path(), line: f.line}
	}
	if len(values) != 1 {
		f.fail("not one JSON value")
		return field{obj: f.obj, base: f.path(), line: f.line}
	}
	inner := field{obj: f.obj, base: f.path(), v: values[0], line: f.line}
	inner.v.SetLines(f.line)
	return inner
}

// oneOf reads a word; ok is false if there is none. One that is in no table is a defect.
func oneOf[T ~string](f field, what string, tables ...map[string]T) (meaning T, ok bool) {
	word := f.str()
	if word == "" {
		return "", false
	}
	for _, table := range tables {
		if meaning, ok = table[word]; ok {
			return meaning, true
		}
	}
	f.fail("unknown " + what)
	return "", false
}

// word is the meaning of a word, the zero value if there is none or it is unknown, which is a defect.
func word[T any](f field, meanings map[string]T, known string) T {
	meaning, ok := meanings[f.str()]
	if !ok && f.str() != "" {
		f.fail("must be " + known)
	}
	return meaning
}

// ordinal reads a label that is a number.
func ordinal(label string) (int, bool) {
	n, err := strconv.Atoi(label)
	return n, err == nil && n >= 0
}
