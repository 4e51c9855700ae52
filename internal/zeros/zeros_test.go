package zeros

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a test that is told of failures, of which it keeps the first lines.
type recorder struct{ failures []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	line, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
	r.failures = append(r.failures, line)
}

// tree does harm in every way that a walk is to find, and in one method none.
type tree struct{ children []*tree }

func (t *tree) Careful() int {
	if t == nil {
		return 0
	}
	return len(t.children)
}

func (t *tree) OfNil() int { return len(t.children) }

func (t tree) ByValue() int { return len(t.children) }

func (t *tree) OfArgument(i int) *tree {
	if t == nil || i == 0 || i >= len(t.children) {
		return nil
	}
	return t.children[i]
}

func (t *tree) OfIterator() iter.Seq[int] {
	return func(yield func(int) bool) { yield(len(t.children)) }
}

// OfStop goes on after it was told to stop, which the language answers with a panic.
func (t *tree) OfStop() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := range 3 {
			yield(i, i)
		}
	}
}

func (t *tree) OfElements(others ...*tree) int {
	for _, o := range others {
		o.OfNil()
	}
	return 0
}

func (t *tree) Endless() iter.Seq[int] {
	return func(yield func(int) bool) {
		for yield(1) {
		}
	}
}

func joined(a, b *tree) int { return len(a.children) + len(b.children) }

func TestWalkFindsHarm(t *testing.T) {
	var r recorder
	Walk(&r, tree{}, joined)
	has := func(text string) {
		t.Helper()
		require.True(t, slices.ContainsFunc(r.failures, func(f string) bool { return strings.HasPrefix(f, text) }), "%s in %q", text, r.failures)
	}
	for _, text := range []string{
		"nil tree.OfNil panics on ()",
		"zero tree.OfArgument panics on (-1)",
		"nil tree.OfIterator panics on ()",
		"zero tree.OfStop panics on ()",
		"zero tree.OfElements panics on ([]*zeros.tree{(*zeros.tree)(nil)})",
		"zero tree.Endless on () has more than 10000 elements",
		"joined panics on ((*zeros.tree)(nil), (*zeros.tree)(nil))",
		"Walk is exported and is not walked",
	} {
		has(text)
	}
	for _, f := range r.failures {
		require.NotContains(t, f, "Careful")
		require.NotContains(t, f, "ByValue")
		require.NotContains(t, f, "zero tree.OfNil")
	}
}

// calm does no harm.
type calm struct{ names []string }

func (c *calm) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		if c == nil {
			return
		}
		for _, name := range c.names {
			if !yield(name) {
				return
			}
		}
	}
}

func (c *calm) Each(f func(string) error) error {
	for name := range c.All() {
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

func TestWalkPassesWhatDoesNoHarm(t *testing.T) {
	var r recorder
	Walk(&r, (*calm)(nil))
	require.Equal(t, []string{"Walk is exported and is not walked"}, r.failures)
}
