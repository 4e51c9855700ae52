package render

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func wrapped(t require.TestingT, width int, text string) string {
	var b strings.Builder
	require.NoError(t, Wrap(&b, width, func(w io.Writer) error {
		for _, r := range text { // in whichever pieces it is written
			if _, err := io.WriteString(w, string(r)); err != nil {
				return err
			}
		}
		return nil
	}))
	return b.String()
}

func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"\n\n":                                  "\n\n",
		"short\n":                               "short\n",
		"no end":                                "no end",
		"aaaa bbbb cccc dddd eeee\n":            "aaaa bbbb cccc dddd\n    eeee\n",
		"  aaaa bbbb cccc dddd\n":               "  aaaa bbbb cccc\n      dddd\n",
		"  u0  x x x x x x x x x\n":             "  u0  x x x x x x x\n      x x\n",
		"a-name-that-is-longer-than-a-line b\n": "a-name-that-is-longer-than-a-line\n    b\n",
		"  l  \x1b[2mx\x1b[0m \x1b[2mx\x1b[0m x x x x x x x\n": "  l  \x1b[2mx\x1b[0m \x1b[2mx\x1b[0m x x x x x x\n     x\n",
		"日本語日本語 日本語日本語\n":                                      "日本語日本語\n    日本語日本語\n",
	} {
		require.Equal(t, want, wrapped(t, 20, text), "%q", text)
	}
	require.Equal(t, strings.Repeat("x ", 59)+"xx\n", wrapped(t, 0, strings.Repeat("x ", 59)+"xx\n"))
	require.Contains(t, wrapped(t, 0, strings.Repeat("x ", 61)+"y\n"), "x\n    x y\n")
	broken := errors.New("broken")
	require.ErrorIs(t, Wrap(io.Discard, 9, func(io.Writer) error { return broken }), broken)
	require.ErrorIs(t, Wrap(failing{broken}, 9, func(w io.Writer) error { _, err := fmt.Fprintln(w); return err }), broken)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Lines have their width, words stay whole and in their order, and blanks are all that differs.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`( {0,3}[a-z]{1,12}( {1,2}[a-z]{1,12}){0,20}\n){1,4}`).Draw(t, "text")
		width := rapid.IntRange(26, 60).Draw(t, "width")
		out := wrapped(t, width, text)
		require.Equal(t, strings.Fields(text), strings.Fields(out))
		for _, line := range strings.Split(out, "\n") {
			require.LessOrEqual(t, columns(line), width)
		}
		require.Equal(t, out, wrapped(t, 1000, out), "what is broken stays")
	})
}
