package printed

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "node-9": "node-9", `a "b" \n`: `a "b" \n`, "Knoten é 日": "Knoten é 日", "\ufffd": "\ufffd",
		"a\nb\r\t\x1b\a\x7f": `a\nb\r\t\x1b\a\x7f`, "\u0085\u009b": `\u0085\u009b`, "\u202e\u2066\u200b\u2028\ufeff": `\u202e\u2066\u200b\u2028\ufeff`,
		"é\xffz": `é\xffz`, "\U000e0001": `\U000e0001`,
	} {
		require.Equal(t, want, Text(text))
		require.Equal(t, want, Text(want), "what is printed stays")
	}
	name := strings.Repeat("rack-1/node-9 ", 10)
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = Text(name) }))
}

func TestSprintf(t *testing.T) {
	type word string
	require.Equal(t, "a\n\\n 1 \\x1b", Sprintf("a\n%s %d %s", "\n", 1, word("\x1b")))
	require.Equal(t, "a\nb\\x1b", Lines("a\nb\x1b"))
}

func TestJSON(t *testing.T) {
	const text = "\u009b\u202e\x7f\U000e0001é\n"
	data, err := json.Marshal(text)
	require.NoError(t, err)
	data = JSON(data)
	require.Equal(t, `"\u009b\u202e\u007f\udb40\udc01é\n"`, string(data))
	var back string
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, text, back)
}
