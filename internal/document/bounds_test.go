package document

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// endless is a text and then another one, again and again; it counts what is read.
type endless struct {
	begin, again string
	rest         string
	read         int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.begin + strings.Repeat(e.again, 1+(1<<16)/len(e.again))
		e.begin = ""
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	e.read += n
	return n, nil
}

// squeezed packs a stream while it is read.
func squeezed(in io.Reader) io.Reader {
	out, w := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		_, err := io.Copy(z, in)
		_ = w.CloseWithError(err)
	}()
	return out
}

// Nothing that never ends is read to its end, or held. What is no text ends at its first bytes.
func TestEndlessFiles(t *testing.T) {
	const few, aDocument = 1 << 17, maxDocument + 1<<18
	noise := make([]byte, 1<<16)
	for i := range noise {
		noise[i] = byte(i*i>>3 ^ i*7)
	}
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'l'; c++ {
		laughs += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "*" + string(c-1) + "]\n"
	}
	for _, c := range []struct {
		name, file, begin, again string
		budget                   int64 // for what is kept; 0: all of it
		bytes                    int   // that may be read
		want                     string
	}{
		{"zeros", "a.json", "", "\x00", 0, few, "not text: byte 0x00 at offset 0"},
		{"zeros as YAML", "a.yaml", "", "\x00", 0, few, "not text: byte 0x00 at offset 0"},
		{"noise", "a.yaml", "", string(noise), 0, few, "not text: byte 0x"},
		{"spaces", "a.json", "{", " ", 0, 2 * maxToken, "more than 16777216 bytes in one piece"},
		{"spaces behind a value", "a.json", "{}", "\n", 0, 2 * maxToken, "more than 16777216 bytes in one piece"},
		{"spaces, as may be YAML", "-", "{", " ", 0, aDocument, "more than 16777216 bytes in one piece"},
		{"blank lines", "a.yaml", "a:\n", " \n", 0, aDocument, "at most 67108864 are read"},
		{"a text", "a.json", `{"a": "`, "x", 0, 3 * maxToken, "more than 16777216 bytes in one piece"},
		{"a text of escapes", "a.json", `{"a": "`, `\u00e9`, 0, 3 * maxToken, "more than 16777216 bytes in one piece"},
		{"a key", "a.json", `{"`, "x", 0, 3 * maxToken, "more than 16777216 bytes in one piece"},
		{"a number", "a.json", `[1`, "0", 0, 3 * maxToken, "more than 16777216 bytes in one piece"},
		{"what is not kept", "a.json", `{"metadata": {"managedFields": "`, "x", 0, 3 * maxToken, "more than 16777216 bytes in one piece"},
		{"keys of what is not kept", "a.json", `{"metadata": {"managedFields": {"":1`, `,"":1`, 1 << 20, 1 << 20, "bytes of memory for what is kept"},
		{"brackets", "a.json", "", "[", 0, 1 << 19, "nested more than 200 deep"},
		{"braces", "a.json", "", `{"a":`, 0, 1 << 19, "nested more than 200 deep"},
		{"empty values", "a.json", "[{}", ",{}", 64 << 20, 2 << 20, "bytes of memory for what is kept"},
		{"texts", "a.json", `["` + strings.Repeat("x", 1000) + `"`, `,"` + strings.Repeat("x", 1000) + `"`, 64 << 20, 65 << 20, "bytes of memory for what is kept"},
		{"values one after the other", "a.json", "", "{}\n", 64 << 20, 2 << 20, "bytes of memory for what is kept"},
		{"documents", "a.yaml", "", "---\n", 1 << 20, 1 << 17, "bytes of memory for what is kept"},
		{"a comment", "a.yaml", "#", "x", 0, aDocument, "at most 67108864 are read"},
		{"aliases that multiply", "a.yaml", laughs + "---\n", "#", 0, aDocument, "aliases multiply the document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.bytes > 1<<20 {
				t.Skip("large")
			}
			for _, pack := range []bool{false, true} {
				in := &endless{begin: c.begin, again: c.again}
				var from io.Reader = in
				if pack {
					from = squeezed(in)
				}
				b := &Budget{}
				if c.budget > 0 {
					*b = Budget{stand: maxKept / keptForByte, kept: maxKept - c.budget}
				}
				docs := Read(c.file, from, b)
				require.NotEmpty(t, docs)
				found := false
				for _, d := range docs {
					found = found || d.Err != nil && strings.Contains(d.Err.Reason, c.want)
				}
				require.True(t, found, "%v", docs[len(docs)-1].Err)
				if !pack { // else the packer reads ahead
					require.LessOrEqual(t, in.read, c.bytes+1<<18)
				}
			}
		})
	}
}

// A YAML document that would be cut into too many parts is refused before it is.
func TestManyPartsOfYAML(t *testing.T) {
	for _, again := range []string{"[", "- a\n", "a,", "{", "- ", "? "} {
		text := "[a,\n" + strings.Repeat(again, maxMarks+1)
		allocated := allocates(func() {
			docs := Parse("a.yaml", []byte(text), &Budget{})
			require.Len(t, docs, 1)
			require.ErrorContains(t, docs[0].Err, "at most 4194304 are parsed")
			require.Equal(t, 1, docs[0].Err.Line)
		})
		require.Less(t, allocated, uint64(8*len(text)+1<<20))
	}
}

// allocates says how many bytes a function allocates.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// What is counted as kept is what is held, about: a budget is no less than the memory that it stands for.
func TestBudgetIsMemory(t *testing.T) {
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, unit := range []string{`{}`, `{"a":1}`, `[[1],2]`, `"` + strings.Repeat("y", 200) + `"`, `{"kind":"Pod","metadata":{"name":"p"}}`, `"é` + strings.Repeat("z", 100) + `"`} {
		text := "[" + strings.Repeat(unit+",", 100_000) + "1]"
		b, before := &Budget{}, held()
		docs := Read("a.json", strings.NewReader(text), b)
		used := held() - before
		require.Nil(t, docs[0].Err)
		require.LessOrEqual(t, used, uint64(b.kept)*5/4+1<<20, unit)
		require.GreaterOrEqual(t, used, uint64(b.kept)/(128/strconv.IntSize), unit) // pointers are smaller on 32 bits
		runtime.KeepAlive(docs)
		runtime.KeepAlive(text)
	}
}

// All files share a budget of what is read.
func TestReadingTogetherIsBounded(t *testing.T) {
	b := &Budget{read: maxRead - 100}
	require.Nil(t, Read("a.json", strings.NewReader(`{"a": 1}`), b)[0].Err)
	docs := Read("b.yaml", strings.NewReader("a: "+strings.Repeat("x", 100)), b)
	require.Len(t, docs, 1)
	require.ErrorContains(t, docs[0].Err, "more than 4294967296 bytes of all files together, unpacked")
}

// Documents before the one that breaks off stay.
func TestWhatStandsBeforeIsKept(t *testing.T) {
	for _, in := range []func(text string) []Document{
		func(text string) []Document { return Read("a.yaml", strings.NewReader(text), &Budget{}) },
		func(text string) []Document { return Parse("a.yaml", []byte(text), &Budget{}) },
	} {
		docs := in("a: 1\n---\nb: 2\n---\n" + strings.Repeat("# c\n", 1<<15) + "c: \x1b[2J\n---\nd: 1\n")
		require.Len(t, docs, 3)
		require.Equal(t, "2", docs[1].Root.Get("b").Text)
		require.ErrorContains(t, docs[2].Err, "not text: byte 0x1b at offset 131093")
	}
}

func TestPackedTwice(t *testing.T) {
	pack := func(data []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	once := pack([]byte("a: 1\n"))
	require.ErrorContains(t, Parse("a", pack(once), &Budget{})[0].Err, "packed by gzip twice")
	both := Parse("a", append(once, pack([]byte("b: 2\n"))...), &Budget{}) // one behind the other is one file
	require.Len(t, both, 1)
	require.Equal(t, "2", both[0].Root.Get("b").Text)
	whole, err := Whole(bytes.NewReader(once))
	require.NoError(t, err)
	require.Equal(t, "a: 1\n", string(whole))
	_, err = Whole(&endless{again: "\x00"})
	require.ErrorContains(t, err, "not text: byte 0x00 at offset 0")
}

// Files as some shells of Windows write them.
func TestUTF16(t *testing.T) {
	const text = `{"name": "é𝄞"}`
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var data []byte
		for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
			data = order.AppendUint16(data, unit)
		}
		docs := Parse("a.json", data, &Budget{})
		require.Len(t, docs, 1)
		require.Nil(t, docs[0].Err)
		require.Equal(t, "é𝄞", docs[0].Root.Get("name").Text)
		require.NotNil(t, Parse("a.json", append(data, 0), &Budget{})[0].Err)
	}
}

// What is kept is paid by the bytes of a file as it stands: one that is not packed always pays, whatever it is made of.
func TestPackedFilesPayForWhatIsKept(t *testing.T) {
	pack := func(text string) io.Reader {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return &b
	}
	const want = "more than 1024 bytes of memory for each byte of the packed files"
	for _, c := range []struct{ file, text string }{
		{"a.json", "[1" + strings.Repeat(",1", 1<<17) + "]"},
		{"a.json", strings.Repeat("{}\n", 1<<17)},
		{"a.yaml", strings.Repeat("---\n", 1<<17)},
		{"a.yaml", "a: [x" + strings.Repeat(",x", 1<<16) + "]"},
		{"a.yaml", strings.Repeat("---\n*a\n", 1<<15)},
	} {
		last := func(docs []Document) string { return docs[len(docs)-1].Err.Error() }
		for _, docs := range [][]Document{Read(c.file, strings.NewReader(c.text), &Budget{}), Parse(c.file, []byte(c.text), &Budget{})} {
			require.NotContains(t, last(docs), "bytes of memory", c.text[:9])
		}
		docs := Read(c.file, pack(c.text), &Budget{})
		if strings.Contains(c.text, "*a") {
			require.Less(t, len(docs), 1<<15) // a file that breaks off at one of many that are broken
		} else {
			require.Equal(t, want, last(docs), c.text[:9])
		}
		data, err := Whole(strings.NewReader(strings.Repeat(c.text, 64)))
		require.NoError(t, err)
		require.Len(t, data, 64*len(c.text))
		_, err = Whole(pack(strings.Repeat(c.text, 64)))
		require.ErrorContains(t, err, "more than 128 bytes for each byte of the packed file")
	}
}
