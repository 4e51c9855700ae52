package manifest

import (
	"cmp"
	"slices"

	"github.com/muster-sched/muster/placement/manifest/internal/object"
)

// Error says what in the input cannot be used: where it stands, and why. It matches [muster.ErrNotSupported] if the
// objects are in order but ask for something that requests cannot express yet.
type Error struct {
	// File is the name given with [File]; Document counts its YAML or JSON documents from 1; Line is 0 if unknown.
	File     string
	Document int
	Line     int
	// Object is the kind and name, `HyperNode/rack-1`, with the namespace between them unless it is `default`. Empty
	// if the document could not be read at all.
	Object string
	// Field is the path of the field and Value what stood there; either may be empty.
	Field, Value string
	// Reason says what is wrong; of what is not supported it is the feature: `multiples that do not divide the groups, beside a short last group`.
	Reason string

	cause error
}

// Error reads `FILE: document 2, line 7: PodGroup/job: spec.minMember "x": not a whole number`; a nil error is the empty text.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	d := object.Defect{
		File: e.File, Document: e.Document, Line: e.Line, Object: e.Object, Field: e.Field, Value: e.Value, Reason: e.Reason, Cause: e.cause,
	}
	return d.Error()
}

// errorOf is a defect for the caller.
func errorOf(d *object.Defect) *Error {
	return &Error{d.File, d.Document, d.Line, d.Object, d.Field, d.Value, d.Reason, d.Cause}
}

// Unwrap returns muster.ErrNotSupported or the error of the package that refused the object, nil if there is none.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// sortErrors puts errors in the order in which their objects stand in the input.
func sortErrors(errs []object.Located) (sorted []error) {
	slices.SortStableFunc(errs, func(a, b object.Located) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range errs {
		sorted = append(sorted, errorOf(e.Defect))
	}
	return sorted
}
