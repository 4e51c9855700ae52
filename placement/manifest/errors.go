package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
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
	var b strings.Builder
	fmt.Fprintf(&b, "%s: document %d", e.File, e.Document)
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	b.WriteString(": ")
	if e.Object != "" {
		b.WriteString(e.Object + ": ")
	}
	if e.Field != "" {
		b.WriteString(e.Field)
		if e.Value != "" {
			fmt.Fprintf(&b, " %q", shorten(e.Value))
		}
		b.WriteString(": ")
	}
	if errors.Is(e.cause, muster.ErrNotSupported) {
		b.WriteString(muster.ErrNotSupported.Error() + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Unwrap returns muster.ErrNotSupported or the error of the package that refused the object, nil if there is none.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// shorten keeps a huge value from filling the message.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// joinErrors joins errors in the order in which their objects stand in the input.
func joinErrors(errs []located) error {
	slices.SortStableFunc(errs, func(a, b located) int { return cmp.Compare(a.seq, b.seq) })
	joined := make([]error, len(errs))
	for i, e := range errs {
		joined[i] = e.err
	}
	return errors.Join(joined...)
}

// located is an error and the place of its object among all objects.
type located struct {
	seq int
	err error
}

// defects is nil for an object that is not there.
func (o *object) defects() []*Error {
	if o == nil {
		return nil
	}
	return o.errors
}

// invalids takes a joined error apart.
func invalids(err error) []*muster.InvalidError {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []*muster.InvalidError
		for _, sub := range joined.Unwrap() {
			out = append(out, invalids(sub)...)
		}
		return out
	}
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		return []*muster.InvalidError{invalid}
	}
	return []*muster.InvalidError{{Field: "topology", Reason: err.Error()}}
}

// plural writes a count and what is counted.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// notices tell what was accepted but is worth saying.
type notices []string

func (n *notices) add(text string) { *n = append(*n, text) }
