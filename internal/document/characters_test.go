package document

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is not made of characters is an error, wherever it stands: in a key, a text, or in what is not kept.
func TestWhatIsNoTextIsAnError(t *testing.T) {
	for _, form := range []string{
		`{"kind": "Pod", "name": "a%"}`, `{"%": 1}`, `{"a": [1, "%"]}`, `["%"]`, `"%"`, `{"metadata": {"managedFields": ["%"]}}`,
		`{"metadata": {"managedFields": {"%": {}}}}`,
	} {
		for bad, why := range map[string]string{
			"\xff": "UTF-8", "\xc3": "UTF-8", "\xed\xa0\x80": "UTF-8", `\ud800`: "surrogate pair", `\udc00x`: "surrogate pair", `\ud800\ud800`: "surrogate pair", `\udd1e\ud834`: "surrogate pair",
		} {
			text := strings.Replace(form, "%", bad, 1)
			_, failed := ParseJSON([]byte(text))
			require.NotNil(t, failed, text)
			require.Contains(t, failed.Reason, why, text)
			if strings.HasPrefix(text, `"`) {
				continue // no JSON by its beginning
			}
			for _, name := range []string{"a.json", "a.yaml", "-"} {
				for _, docs := range [][]Document{Parse(name, []byte(text), &Budget{}), Read(name, strings.NewReader(text), &Budget{})} {
					require.Len(t, docs, 1, text)
					require.NotNil(t, docs[0].Err, "%s: %q", name, text)
				}
			}
		}
		good := strings.Replace(form, "%", `é\u00e9\ud834\udd1e\\ud800`+"\ufffd", 1)
		values, failed := ParseJSON([]byte(good))
		require.Nil(t, failed, good)
		require.Len(t, values, 1)
	}
}

// YAML says the same of both.
func TestYAMLIsMadeOfCharacters(t *testing.T) {
	for _, bad := range []string{"a: \xff\n", "\xff: a\n", `a: "\ud800"`, `a: "\ud834\udd1e"`} {
		docs := Parse("a.yaml", []byte(bad), &Budget{})
		require.Len(t, docs, 1)
		require.NotNil(t, docs[0].Err, "%q", bad)
	}
}

// The same in what a client holds.
func TestPlainTextsAreUTF8(t *testing.T) {
	for _, bad := range []any{"\xff", []any{"\xff"}, map[string]any{"a\xff": 1}, []string{"\xff"}, map[string]string{"a": "\xff"}, map[string]string{"\xff": "a"}} {
		_, err := FromPlain(map[string]any{"spec": bad})
		require.ErrorContains(t, err, "not UTF-8", "%q", bad)
	}
	_, err := FromPlain(map[string]any{"spec": "é\ufffd"})
	require.NoError(t, err)
}
