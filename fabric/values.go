package fabric

import (
	"iter"
	"strconv"
	"strings"

	"github.com/muster-sched/muster/internal/document"
)

// field is a place in a file of YAML or JSON. Its accessors return the zero value where nothing stands, and note an error where
// something of another type does.
type field struct {
	r    *reading
	file string
	path string
	v    *document.Value // nil if absent
	line int             // of the nearest value above, where it is absent
}

// documents are the roots of the documents of a file.
func (r *reading) documents(f File) (roots []field) {
	for _, d := range document.Parse(f.Name, f.Data, &r.budget) {
		if d.Err != nil {
			r.fail(Error{File: f.Name, Line: d.Err.Line, Reason: d.Err.Reason})
			continue
		}
		if d.Root != nil && !d.Root.IsNothing() {
			roots = append(roots, field{r: r, file: f.Name, v: d.Root, line: d.Root.Line})
		}
	}
	return roots
}

func (f field) present() bool { return f.v != nil }

func (f field) fail(reason string) {
	e := Error{File: f.file, Line: f.line, Field: f.path, Reason: reason}
	if f.v != nil {
		e.Value = f.v.Text
	}
	f.r.fail(e)
}

func (f field) at(path string, v *document.Value) field {
	sub := field{r: f.r, file: f.file, path: path, v: v, line: f.line}
	if v != nil {
		sub.line = v.Line
		if v.IsNothing() {
			sub.v = nil
		}
	}
	return sub
}

// get is the field of a key.
func (f field) get(key string) field {
	if f.v != nil && f.v.Kind != document.Mapping {
		f.fail("is " + f.v.Kind.String() + ", must be a mapping")
		return f.at(f.path+"."+key, nil)
	}
	return f.at(strings.TrimPrefix(f.path+"."+key, "."), f.v.Get(key))
}

// all are the elements of a list; single says that one element may stand for a list of it.
func (f field) all(single bool) iter.Seq[field] {
	return func(yield func(field) bool) {
		switch {
		case f.v == nil:
		case f.v.Kind == document.List:
			for i, v := range f.v.Items {
				if e := f.at(f.path+"["+strconv.Itoa(i)+"]", v); !yield(e) {
					return
				}
			}
		case single:
			yield(f)
		default:
			f.fail("is " + f.v.Kind.String() + ", must be a list")
		}
	}
}

// entries are the keys of a mapping with their fields, in the order of the file.
func (f field) entries() iter.Seq2[string, field] {
	return func(yield func(string, field) bool) {
		if f.v == nil {
			return
		}
		if f.v.Kind != document.Mapping {
			f.fail("is " + f.v.Kind.String() + ", must be a mapping")
			return
		}
		for i, key := range f.v.Keys {
			if !yield(key, f.at(strings.TrimPrefix(f.path+"."+key, "."), f.v.Items[i])) {
				return
			}
		}
	}
}

// text is what stands there as text; numbers and booleans are as they are written.
func (f field) text() string {
	switch {
	case f.v == nil:
		return ""
	case f.v.Kind >= document.Text && f.v.Kind <= document.Boolean:
		return f.v.Text
	}
	f.fail("is " + f.v.Kind.String() + ", must be text")
	return ""
}

// required is text that must stand there.
func (f field) required() string {
	s := f.text()
	if s == "" && (f.v == nil || f.v.Kind >= document.Text) {
		f.fail("missing")
	}
	return s
}

// flag is true or false.
func (f field) flag() bool {
	if !f.present() {
		return false
	}
	if f.v.Kind != document.Boolean {
		f.fail("is " + f.v.Kind.String() + ", must be true or false")
		return false
	}
	return f.v.Text == "true"
}

// isList says whether a list stands there.
func (f field) isList() bool { return f.v != nil && f.v.Kind == document.List }

// isMapping says whether a mapping stands there.
func (f field) isMapping() bool { return f.v != nil && f.v.Kind == document.Mapping }
