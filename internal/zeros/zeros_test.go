package zeros

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"
)

// harmful panics in every way that a walk must find, each in a method of its own.
type harmful struct{ names []string }

func (h *harmful) Nil() int              { return len(h.names) }
func (h *harmful) Negative(i int) bool   { return h != nil && i < 0 && h.names[0] == "" }
func (h *harmful) TooLarge(i uint8) bool { return h != nil && i == 255 && h.names[0] == "" }
func (h *harmful) Both(i, j int) bool    { return h != nil && i < 0 && j > 0 && h.names[0] == "" }
func (h *harmful) Variadic(ids ...int) bool {
	return h != nil && len(ids) > 0 && ids[0] > 0 && h.names[0] == ""
}
func (h *harmful) Other(o *harmful) bool { return h != nil && o.names == nil }
func (h *harmful) Unknown(s string) bool { return h != nil && s != "" && h.names[0] == "" }
func (h *harmful) Late() iter.Seq[string] {
	return func(yield func(string) bool) { _ = h != nil && yield(h.names[0]) }
}

func (h *harmful) Stopped() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) { _ = h != nil && (yield(1, 1) || h.names[0] == "") }
}

// harmless does nothing wrong.
type harmless struct{}

func (harmless) Value(int, string, *harmful, error, func()) iter.Seq[int] { return nil }

// A walk that cannot fail shows nothing: each method of a harmful type is reported, and nothing else is.
func TestWalkReportsEveryPanic(t *testing.T) {
	found := map[string]bool{}
	for _, value := range []any{(*harmful)(nil), &harmful{}, func(i int) { _ = []int{}[i] }} {
		walk(func(text string) { found[text] = true }, value)
	}
	for _, want := range []string{
		"(*zeros.harmful).Nil() panics: runtime error: invalid memory address or nil pointer dereference",
		"(*zeros.harmful).Negative(-1) panics: runtime error: index out of range [0] with length 0",
		"(*zeros.harmful).TooLarge(0xff) panics: runtime error: index out of range [0] with length 0",
		"(*zeros.harmful).Both(-1, 1073741824) panics: runtime error: index out of range [0] with length 0",
		"(*zeros.harmful).Variadic([]int{1073741824}) panics: runtime error: index out of range [0] with length 0",
		"(*zeros.harmful).Other((*zeros.harmful)(nil)) panics: runtime error: invalid memory address or nil pointer dereference",
		`(*zeros.harmful).Unknown("unknown") panics: runtime error: index out of range [0] with length 0`,
		"(*zeros.harmful).Late() panics: runtime error: index out of range [0] with length 0",
		"(*zeros.harmful).Stopped() panics: runtime error: index out of range [0] with length 0",
		"func(int)(-1) panics: runtime error: index out of range [-1]",
		"func(int)(0) panics: runtime error: index out of range [0] with length 0",
		"func(int)(1073741824) panics: runtime error: index out of range [1073741824] with length 0",
	} {
		require.Contains(t, found, want)
		delete(found, want)
	}
	require.Empty(t, found)
	Walk(t, harmless{}, &harmless{}, (*harmless)(nil))
}
