package characters

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	for _, good := range []string{
		"", `"a"`, `"é𝄞"`, `"\ud834\udd1e"`, `"\uD834\uDD1E\ud834\udd1e"`, `"\\ud800"`, `"\\\\ud800"`, `"\n\\"`, `["\ufffd", "\uffff"]`, `\`,
	} {
		require.NoError(t, Check([]byte(good)), good)
	}
	for bad, why := range map[string]error{
		"\"\xff\"": ErrUTF8, "\"\xed\xa0\x80\"": ErrUTF8, "\"\xc3": ErrUTF8,
		`"\ud800"`: errHalf, `"\udc00"`: errHalf, `"\ud800\ud800"`: errHalf, `"\udd1e\ud834"`: errHalf, `"\ud800x\udc00"`: errHalf,
		`"\\\ud800"`: errHalf, `"\n\uDFFF"`: errHalf, `"\ud834\udd1e\ud834"`: errHalf, `\ud800`: errHalf, `["a", "\ud800"]`: errHalf,
	} {
		require.Equal(t, why, Check([]byte(bad)), bad)
	}
}

// Whatever the library reads without changing it is made of characters, and nothing else is.
func TestCheckEqualsLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := `"`
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "é", "\xc3", "\xed\xa0\x80", `\n`, `\\`, `\"`, `\u0041`, `\ud834`, `\udd1e`, `\uD800`, `\ue000`, "u", "d800",
		}), 0, 6).Draw(t, "pieces") {
			text += piece
		}
		text += `"`
		var s string
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		kept := true // the replacement character comes from nothing else here
		for _, r := range s {
			kept = kept && r != utf8.RuneError
		}
		require.Equal(t, kept, Check([]byte(text)) == nil, "%q", text)
	})
}
