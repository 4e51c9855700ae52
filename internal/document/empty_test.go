package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsEmpty(t *testing.T) {
	for _, text := range []string{
		"", " \n\t\r\n", "null", "null\n", "~", "{}", "{ }", "[\n]", "# a\n", "---\n", "---\n...\n", "\xef\xbb\xbf", "\xef\xbb\xbfnull", "\x00", "\x00\x00\n", "---\n# a\nnull\n",
		strings.Repeat("#\n", 1000),
	} {
		require.True(t, IsEmpty([]byte(text)), "%q", text)
		require.Equal(t, strings.HasPrefix(text, "["), IsEmptyList([]byte(text)), "%q", text)
	}
	for _, text := range []string{"a", "{a}", "[[]]", "[1]", "{}{}", "nul", "n\nulls", "--- a", "''", "0", "false", "null null", "\x001", strings.Repeat("\n", 1000) + "a: 1"} {
		require.False(t, IsEmpty([]byte(text)), "%q", text)
	}
}

func TestHoldNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "null": true, "---\n---\n": true, "[]": true, "# a\n": true, "{}": false, "[1]": false, "a: 1": false, "a: [": false, "--- \n---\na: 1": false,
	} {
		require.Equal(t, want, HoldNothing(Parse("a.yaml", []byte(text), &Budget{})), text)
	}
}
