package document

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const someJSON = "\xef\xbb\xbf{\"items\": [\n {\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\\n\\u00e9\\\"ü\", \"managedFields\": [{\"f\": {}, \"g\": null, \"h\": 1.5}]},\n" +
	" \"spec\": {\"containers\": [{\"name\": \"c\", \"env\": [{\"name\": \"x\\\\\"}], \"args\": []}], \"n\": -12e3, \"t\": true, \"z\": null}}\n]} [1]\n"

func texts(t *testing.T, docs []Document) (out []string) {
	t.Helper()
	for _, d := range docs {
		text := "none"
		if d.Err != nil {
			text = d.Err.Reason
		} else if d.Root != nil {
			data, err := json.Marshal(d.Root.Plain())
			require.NoError(t, err)
			text = string(data)
		}
		out = append(out, text)
	}
	return out
}

// However a file comes, it says the same.
func TestReadEqualsParse(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, someJSON)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, name := range []string{"a.json", "a.yaml", "-"} {
		want := Parse(name, []byte(someJSON), &Budget{})
		require.Equal(t, []string{
			`{"items":[{"kind":"Pod","metadata":{"managedFields":null,"name":"a\né\"ü"},"spec":{"containers":[{"args":null,"env":null,"name":"c"}],"n":-12e3,"t":true,"z":null}}]}`,
			"[1]",
		}, texts(t, want))
		require.Equal(t, want, Read(name, strings.NewReader(someJSON), &Budget{}))
		require.Equal(t, want, Read(name, iotest.OneByteReader(strings.NewReader(someJSON)), &Budget{}))
		require.Equal(t, want, Read(name+".gz", bytes.NewReader(packed.Bytes()), &Budget{}))
		require.Equal(t, want, Parse(name, packed.Bytes(), &Budget{}))
		require.Equal(t, 3, want[0].Root.Get("items").Items[0].Get("spec").Line)
	}
}

// The buffer ends where it ends: in a key, an escape, a number.
func TestStreamWithSmallBuffers(t *testing.T) {
	data := strings.TrimPrefix(someJSON, mark) + strings.Repeat(`{"long":"`+strings.Repeat("x", 500)+`"}`, 3)
	want, _ := (&jsonParser{data: []byte(data), line: 1, drops: true, budget: &Budget{}}).all()
	for size := 1; size < 70; size++ {
		got, err := (&jsonParser{data: make([]byte, 0, size), in: iotest.HalfReader(strings.NewReader(data)), line: 1, drops: true, budget: &Budget{}}).all()
		require.Nil(t, err)
		require.Equal(t, want, got)
	}
}

func TestStreamsThatBreak(t *testing.T) {
	for _, c := range []struct {
		name, file, text, want string
		cut                    bool
	}{
		{"the end is missing", "a.json", `{"a": [1, 2`, "not JSON", false},
		{"in what is not kept", "a.json", `{"metadata": {"managedFields": [{"a": tru}]}}`, "not JSON", false},
		{"a key twice in what is not kept", "a.json", `{"metadata": {"managedFields": {"a": 1, "b": 2, "\u0061": 3}}}`, "not JSON: duplicate key", false},
		{"a key without a character twice", "a.json", `{"": 1, "": 2}`, "not JSON: duplicate key \"\"", false},
		{"the same, of YAML", "a.yaml", "'': 1\n\"\": 2\n", "duplicate key \"\"", false},
		{"too deep in what is not kept", "a.json", `{"metadata": {"managedFields": ` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`, "nested more than 200 deep", false},
		{"a reader that fails", "a.json", `{"a": [1, 2`, "the disk is gone", true},
		{"the same, of YAML", "a.yaml", `a: 1`, "the disk is gone", true},
		{"gzip that is none", "a.json", packed + "nonsense", "gzip: invalid header", false},
		{"gzip that ends", "a.json", packed + "\x08\x00\x00\x00\x00\x00\x00\xff", "unexpected EOF", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in io.Reader = strings.NewReader(c.text)
			if c.cut {
				in = io.MultiReader(in, iotest.ErrReader(errors.New("the disk is gone")))
			}
			docs := Read(c.file, in, &Budget{})
			require.Len(t, docs, 1)
			require.NotNil(t, docs[0].Err)
			require.Contains(t, docs[0].Err.Reason, c.want)
		})
	}
}

// Equal objects are found also by what is not kept of them, whatever the order of keys and the form of the file.
func TestWhatIsNotKeptIsCompared(t *testing.T) {
	one := func(text string) *Value {
		docs := Parse("a", []byte(text), &Budget{})
		require.Len(t, docs, 1)
		require.Nil(t, docs[0].Err)
		return docs[0].Root
	}
	r := rand.New(rand.NewPCG(1, 2))
	entries := []string{`"a": [1, {"x": "é\n", "y": null}]`, `"b": {"c": {"d": [[], {}]}}`, `"e": 1.50`, `"f": true`, `"g": ""`}
	text := func() string {
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		return `{"metadata": {"managedFields": {` + strings.Join(entries, ", ") + `}}}`
	}
	first := one(text())
	require.Equal(t, Dropped, first.Get("metadata").Items[0].Kind)
	for range 20 {
		require.True(t, first.Equal(one(text())))
		require.True(t, first.Equal(one("# as YAML\n"+text())))
	}
	for _, change := range [][2]string{
		{"1.50", "1.5"}, {"true", `"true"`}, {`[[], {}]`, `[{}, []]`}, {`"c"`, `"d"`}, {"null", `""`}, {`[1, {`, `[2, {`}, {`"g"`, `"h"`},
	} {
		other := one(strings.Replace(text(), change[0], change[1], 1))
		require.False(t, first.Equal(other), "%s", change)
		require.False(t, other.Equal(first), "%s", change)
	}
}
