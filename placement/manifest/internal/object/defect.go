package object

import (
	"errors"
	"fmt"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/printed"
)

// Defect says what in the input cannot be used: where it stands, and why. See Error of package manifest.
type Defect struct {
	File           string
	Document, Line int
	Object         string
	Field, Value   string
	Reason         string
	Cause          error
}

// Error reads `FILE: document 2, line 7: PodGroup/job: spec.minMember "x": not a whole number`.
func (e *Defect) Error() string {
	var b strings.Builder
	if e.Document > 0 { // else it stands in no file
		fmt.Fprintf(&b, "%s: document %d", e.File, e.Document)
		if e.Line > 0 {
			fmt.Fprintf(&b, ", line %d", e.Line)
		}
		b.WriteString(": ")
	}
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
	if errors.Is(e.Cause, muster.ErrNotSupported) {
		b.WriteString(muster.ErrNotSupported.Error() + ": ")
	}
	b.WriteString(e.Reason)
	return printed.Text(b.String())
}

// shorten keeps a huge value from filling the message.
func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Located is an error and the place of its object among all objects.
type Located struct {
	Seq    int
	Of     *Object // nil for a document that is none
	Defect *Defect
}

// Defects is nil for an object that is not there.
func (o *Object) Defects() []*Defect {
	if o == nil {
		return nil
	}
	return o.Errors
}

// Plural writes a count and what is counted.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Notices tell what was accepted but is worth saying.
type Notices []string

// Add notes a text.
func (n *Notices) Add(text string) { *n = append(*n, text) }

// Invalids takes a joined error apart.
func Invalids(err error) []*muster.InvalidError {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		var out []*muster.InvalidError
		for _, sub := range joined.Unwrap() {
			out = append(out, Invalids(sub)...)
		}
		return out
	}
	var invalid *muster.InvalidError
	if errors.As(err, &invalid) {
		return []*muster.InvalidError{invalid}
	}
	return []*muster.InvalidError{{Field: "topology", Reason: err.Error()}}
}
