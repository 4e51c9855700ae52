package object

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/document"
	"github.com/muster-sched/muster/placement/manifest/internal/owners"
)

// Field is a place in an object: what stands there, if anything, and the path to it. Its accessors return the zero
// value where nothing stands, and note a defect of the object where something of another type does.
//
// The path is put together when it is asked for: base, then either key or the index. Most fields are read and forgotten.
type Field struct {
	Of    *Object
	base  string
	key   string
	index int             // of an element, from 1; 0: none
	Value *document.Value // nil if absent
	Line  int             // of the nearest value above, for fields that are missing
}

// Path writes keys that contain dots or slashes in brackets.
func (f Field) Path() string {
	switch {
	case f.index > 0:
		return f.base + "[" + strconv.Itoa(f.index-1) + "]"
	case f.key == "":
		return f.base
	case !isPlain(f.key):
		return f.base + "[" + f.key + "]"
	case f.base == "":
		return f.key
	}
	return f.base + "." + f.key
}

// isPlain says whether a key can stand in a path as it is.
func isPlain(key string) bool {
	for i := range len(key) {
		switch key[i] {
		case '.', '/', '[', ']', ' ':
			return false
		}
	}
	return true
}

// Present says whether anything stands there.
func (f Field) Present() bool { return f.Value != nil }

// Fail notes a defect at this field.
func (f Field) Fail(reason string) {
	e := &Defect{Field: f.Path(), Line: f.Line, Reason: reason}
	if f.Value != nil && f.Value.Kind >= document.Text {
		e.Value = f.Value.Text
	}
	f.Of.Note(e)
}

// Get is the field below a mapping.
func (f Field) Get(key string) Field {
	sub := Field{Of: f.Of, base: f.Path(), key: key, Line: f.Line}
	if sub.Value = f.Value.Get(key); sub.Value != nil {
		sub.Line = sub.Value.Line
	}
	return sub
}

// Is checks the type, and notes a defect if it is another one.
func (f Field) Is(want document.Kind) bool {
	if f.Value == nil {
		return false
	}
	f.Value.Asked = true
	if f.Value.Kind != want {
		f.Fail("is " + f.Value.Kind.String() + ", must be " + want.String())
		return false
	}
	return true
}

// Mapping is the field, checked to be a mapping if it is there.
func (f Field) Mapping() Field {
	if f.Present() && !f.Is(document.Mapping) {
		f.Value = nil
	}
	f.base, f.key, f.index = f.Path(), "", 0
	return f
}

// Sub is get for a field that must be a mapping itself.
func (f Field) Sub(key string) Field { return f.Get(key).Mapping() }

// Text is the text that stands there.
func (f Field) Text() string {
	if !f.Is(document.Text) {
		return ""
	}
	return f.Value.Text
}

// Required is str for a field that must stand there.
func (f Field) Required() string {
	s := f.Text()
	if s == "" && (f.Value == nil || f.Value.Kind == document.Text) {
		f.Fail("missing")
	}
	return s
}

// Flag says whether true stands there.
func (f Field) Flag() bool { return f.Is(document.Boolean) && f.Value.Text == "true" }

// Whole reads an integer between low and the largest 32-bit one; ok is false if it is absent or wrong.
func (f Field) Whole(low int) (n int, ok bool) {
	if !f.Is(document.Integer) {
		return 0, false
	}
	return f.Count(f.Value.Text, low)
}

// Number reads any integer of 32 bits, which is what priorities are.
func (f Field) Number() (int64, bool) {
	n, ok := f.Whole(math.MinInt32)
	return int64(n), ok
}

// Count reads an integer from text, for annotations.
func (f Field) Count(s string, low int) (n int, ok bool) {
	parsed, err := strconv.ParseInt(s, 10, 32)
	switch {
	case err != nil || strconv.FormatInt(parsed, 10) != s:
		f.Fail("not a whole number of 32 bits")
	case parsed < int64(low):
		f.Fail("must be at least " + strconv.Itoa(low))
	default:
		return int(parsed), true
	}
	return 0, false
}

// All iterates over the elements of a list.
func (f Field) All() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		if !f.Is(document.List) {
			return
		}
		base := f.Path()
		for i, v := range f.Value.Items {
			e := Field{Of: f.Of, base: base, index: i + 1, Value: v, Line: v.Line}
			if v.IsNothing() {
				e.Value = nil
			}
			if !yield(e) {
				return
			}
		}
	}
}

// Entries iterates over a mapping in the order of the file.
func (f Field) Entries() iter.Seq2[string, Field] {
	return func(yield func(string, Field) bool) {
		if !f.Is(document.Mapping) {
			return
		}
		base := f.Path()
		for i, key := range f.Value.Keys {
			if !yield(key, f.entry(base, i)) {
				return
			}
		}
	}
}

// entry is the field at a place of a mapping, whose path is base.
func (f Field) entry(base string, i int) Field {
	v := f.Value.Items[i]
	e := Field{Of: f.Of, base: base, key: f.Value.Keys[i], Value: v, Line: v.Line}
	if v.IsNothing() {
		e.Value = nil
	}
	return e
}

// Texts reads a list of strings.
func (f Field) Texts() []string {
	var out []string
	for e := range f.All() {
		out = append(out, e.Required())
	}
	return out
}

// TextMap reads a mapping of strings, nil if absent. An entry without a value is the empty string.
func (f Field) TextMap() map[string]string {
	if !f.Is(document.Mapping) || len(f.Value.Keys) == 0 {
		return nil
	}
	out := make(map[string]string, len(f.Value.Keys))
	for key, e := range f.Entries() {
		if e.Value != nil && e.Value.Kind == document.Text {
			out[key] = e.Value.Text // not asked for by name, see Object.RefuseUnasked
			continue
		}
		out[key] = e.Text()
	}
	return out
}

// JSON reads the text of the field as a JSON document of its own, such as an annotation that holds one.
func (f Field) JSON() Field {
	s := f.Text()
	if s == "" {
		return Field{Of: f.Of, base: f.Path(), Line: f.Line}
	}
	values, err := document.ParseJSON([]byte(s))
	if err != nil {
		f.Fail(err.Reason)
		return Field{Of: f.Of, base: f.Path(), Line: f.Line}
	}
	if len(values) != 1 {
		f.Fail("not one JSON value")
		return Field{Of: f.Of, base: f.Path(), Line: f.Line}
	}
	inner := Field{Of: f.Of, base: f.Path(), Value: values[0], Line: f.Line}
	inner.Value.SetLines(f.Line)
	return inner
}

// OneOf reads a word; ok is false if there is none. One that is in no table is a defect.
func OneOf[T ~string](f Field, what string, tables ...map[string]T) (meaning T, ok bool) {
	word := f.Text()
	if word == "" {
		return "", false
	}
	for _, table := range tables {
		if meaning, ok = table[word]; ok {
			return meaning, true
		}
	}
	f.Fail("unknown " + what)
	return "", false
}

// Word is the meaning of a word, the zero value if there is none or it is unknown, which is a defect.
func Word[T any](f Field, meanings map[string]T, known string) T {
	meaning, ok := meanings[f.Text()]
	if !ok && f.Text() != "" {
		f.Fail("must be " + known)
	}
	return meaning
}

// Ordinal reads a label that is a number.
func Ordinal(label string) (int, bool) {
	n, err := strconv.Atoi(label)
	return n, err == nil && n >= 0
}

// Ranges are the numbers of a rising list such as `1,3-5`, each with the last of its range. It ends where the list is none.
func Ranges(list string) iter.Seq2[int, int] {
	return func(yield func(first, last int) bool) {
		before := -1
		for item := range strings.SplitSeq(list, ",") {
			from, to, isRange := strings.Cut(item, "-")
			first, ok := Ordinal(from)
			last := first
			if isRange {
				var is bool
				last, is = Ordinal(to)
				ok = ok && is
			}
			if !ok || first <= before || last < first || last > math.MaxInt32 || !yield(first, last) {
				return
			}
			before = last
		}
	}
}

// At is the field as a place of package owners; [Object.Field] is the way back.
func (f Field) At() owners.At { return owners.At{Value: f.Value, Path: f.Path(), Line: f.Line} }

// Size reads how many members an object promises.
func (f Field) Size(otherwise int) int {
	if !f.Present() {
		return otherwise
	}
	n, _ := f.Whole(0)
	if n > owners.MaxMembers {
		f.Fail("at most " + strconv.Itoa(owners.MaxMembers) + " members")
		return 0
	}
	return n
}

// Truth reads a label that is "true" or "false".
func (f Field) Truth(otherwise bool) bool {
	switch f.Text() {
	case "true":
		return true
	case "false":
		return false
	case "":
	default:
		f.Fail("must be true or false")
	}
	return otherwise
}
