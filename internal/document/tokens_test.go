package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/muster-sched/muster/internal/characters"
)

// Whatever byte stands wherever in a word, it is seen, and so is the first of two.
func TestEveryByteIsSeenInEveryPlace(t *testing.T) {
	byOne := func(data []byte) int {
		if i := slices.IndexFunc(data, func(b byte) bool { return b == '"' || b == '\\' || b < ' ' || b >= 0x80 }); i >= 0 {
			return i
		}
		return len(data)
	}
	for at := range 20 {
		for b := range 256 {
			for _, behind := range []string{"", "x", "\"", "!", "#", "\x1f", "\x80", "\\", "[", "]"} {
				data := slices.Concat(bytes.Repeat([]byte("x"), at), []byte{byte(b)}, []byte(behind), bytes.Repeat([]byte("y"), 9))
				require.Equal(t, byOne(data), plain(data, 0), "%q", data)

				data = slices.Concat(bytes.Repeat([]byte(" "), at), []byte{byte(b)}, []byte(behind), []byte("     \n   \t  "))
				end, lines := white(data, 0)
				require.Equal(t, len(data)-len(bytes.TrimLeft(data, " \t\r\n")), end, "%q", data)
				require.Equal(t, bytes.Count(data[:end], []byte("\n")), lines, "%q", data)
			}
		}
	}
}

// drawJSON is a text that is JSON, or nearly.
func drawJSON(t *rapid.T) string {
	pieces := rapid.SampledFrom([]string{
		"a", "kubernetes.io/name", " ", "é", "日本語", "😀", `\n`, `\\`, `\"`, `\/`, `\u0041`, `\ud834\udd1e`, `\uD834\uDD1E`, "0", "{", ",", "\x7f",
	})
	broken := rapid.SampledFrom([]string{"\xff", "\xc3", "\xed\xa0\x80", `\ud800`, `\udd1e\ud834`, `\x`, `\u00g0`, `\u00`, `\`, "\x01", "\n", `"`})
	spaces := rapid.SampledFrom([]string{"", "", " ", "\n", "\n        ", "\r\n\t", strings.Repeat(" ", 17)})
	some := func(from, to int) int { return rapid.IntRange(from, to).Draw(t, "n") }
	spoil := some(0, 3) == 0
	text := func() string {
		b := []string{`"`}
		for range some(0, 5) {
			if spoil && some(0, 15) == 0 {
				b = append(b, broken.Draw(t, "broken"))
			}
			b = append(b, pieces.Draw(t, "piece"))
		}
		return strings.Join(append(b, `"`), "")
	}
	words := rapid.SampledFrom([]string{"null", "true", "false", "0", "-0", "12", "-1.50", "1e3", "0.1E-2", "3E+07", "123456789012345678901"})
	wrong := rapid.SampledFrom([]string{"nul", "tru", "01", "-", "1.", ".5", "1e", "+1", "1e+", "0x1", "Infinity", "1 2", "", "{", "]", "[1,]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{1:2}`, "'a'"})
	var value func(depth int) string
	value = func(depth int) string {
		kind := some(0, 9)
		switch {
		case spoil && some(0, 20) == 0:
			return wrong.Draw(t, "wrong")
		case kind < 3 || depth > 4:
			return words.Draw(t, "word")
		case kind < 5:
			return text()
		}
		var parts []string
		keys := map[string]bool{}
		for range some(0, 10) {
			part := spaces.Draw(t, "space") + value(depth+1) + spaces.Draw(t, "space")
			if kind > 6 {
				key := text()
				if keys[key] && !spoil {
					continue // though not each key that is twice is written twice alike
				}
				keys[key] = true
				part = spaces.Draw(t, "space") + key + spaces.Draw(t, "space") + ":" + part
			}
			parts = append(parts, part)
		}
		if kind > 6 {
			return "{" + strings.Join(parts, ",") + "}"
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return spaces.Draw(t, "space") + value(0) + spaces.Draw(t, "space")
}

// takes says whether a text is one JSON value by the standard library, of characters, and without a key that stands twice.
func takes(text []byte) bool {
	return json.Valid(text) && characters.Check(text) == nil && keysOnce(json.NewDecoder(bytes.NewReader(text))) == nil
}

func keysOnce(d *json.Decoder) error {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return err
	}
	mapping := token == json.Delim('{')
	if !mapping && token != json.Delim('[') {
		return nil
	}
	keys := map[string]bool{}
	for d.More() {
		if mapping {
			token, err := d.Token()
			if err != nil {
				return err
			}
			key, _ := token.(string)
			if keys[key] {
				return errors.New("twice")
			}
			keys[key] = true
		}
		if err := keysOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// requireAsLibrary holds the reader to the standard library: what is taken, what it says, the same however it comes, and the same where it is not kept.
func requireAsLibrary(t require.TestingT, text []byte) {
	values, failed := ParseJSON(text)
	want := takes(text)
	if failed == nil && len(values) != 1 { // several values, or none
		require.False(t, want, "%q", text)
		return
	}
	require.Equal(t, want, failed == nil, "%q: %v", text, failed)
	if want {
		var plain any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		require.NoError(t, d.Decode(&plain))
		require.Equal(t, plain, values[0].Plain(), "%q", text)
	}
	for _, size := range []int{1, 7, 64} {
		for _, in := range []io.Reader{iotest.OneByteReader(bytes.NewReader(text)), bytes.NewReader(text)} {
			some, broke := (&jsonParser{data: make([]byte, 0, size), in: in, line: 1, budget: &Budget{}}).all()
			require.Equal(t, values, some, "%q", text)
			require.Equal(t, failed.Error(), broke.Error(), "%q", text)
			if failed != nil {
				require.Equal(t, failed.Line, broke.Line, "%q", text)
			}
		}
	}
	wrap := func(key string) []byte {
		return slices.Concat([]byte(`{"metadata": {"`+key+`": `), text, []byte("}}"))
	}
	if !want && bytes.Contains(text, []byte("managed")) {
		return // it may end what stands around it, and go on in its words
	}
	kept, failed := (&jsonParser{data: wrap("name"), line: 1, drops: true, budget: &Budget{}}).all()
	dropped, broke := (&jsonParser{data: wrap("managedFields"), line: 1, drops: true, budget: &Budget{}}).all()
	require.Equal(t, failed == nil, broke == nil, "%q: %v, %v", text, failed, broke)
	if failed == nil {
		require.Equal(t, Dropped, dropped[0].Items[0].Items[0].Kind)
		require.True(t, dropped[0].Items[0].Items[0].Equal(kept[0].Items[0].Items[0]), "%q", text)
	} else {
		require.Equal(t, failed.Line, broke.Line, "%q", text)
	}
}

// Texts near JSON are taken as the standard library takes them, and say the same.
func TestJSONAsTheLibraryReadsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { requireAsLibrary(t, []byte(drawJSON(t))) })
}

// FuzzJSON is the same for any bytes.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{
		someJSON[len(mark):], `{"a": [1, -2.5e+3, true, null, "\ud834\udd1eé\\"]}`, `{"a": 1, "\u0061": 2}`, `["` + "\xc3" + `"]`, "[1,\n\n        2]", `"\`, "1 2", "{", `{"":`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 1<<12 && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) < maxDepth-2 {
			requireAsLibrary(t, text)
		}
	})
}

// What the keys take that are only compared is given back.
func TestKeysThatAreOnlyComparedGoBack(t *testing.T) {
	b := &Budget{stand: 1 << 20}
	docs := Read("a.json", strings.NewReader(`{"metadata": {"managedFields": {"a": {"b": 1, "c": 2}}}}`), b)
	require.Nil(t, docs[0].Err)
	require.Equal(t, int64(3*ofValue), b.kept)
}
