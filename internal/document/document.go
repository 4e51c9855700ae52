package document

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/printed"
)

const (
	// maxDocument bounds one YAML document, which is read as a whole.
	maxDocument = 64 << 20
	// maxMarks bounds what a YAML document may be made of: each line end, comma and bracket, each dash and question mark before a
	// space may begin a part, for which the parser takes some hundred bytes.
	maxMarks = 4 << 20
	// maxDepth bounds nesting. Kubernetes objects stay below 30.
	maxDepth = 200
)

// Document is one parsed document of a file.
type Document struct {
	Number int
	Root   *Value
	Err    *Error
}

// Error says why a document cannot be parsed, and where; Line is 0 if unknown.
type Error struct {
	Line   int
	Reason string
	cause  error
}

// Error is the reason; a nil error is the empty text.
func (e *Error) Error() string {
	if e == nil {
		return ""
	}
	return printed.Text(e.Reason)
}

// Unwrap is the error of the parser below, nil if there is none.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Parse splits a file into documents. A broken YAML document does not hide those after it.
func Parse(name string, data []byte, b *Budget) []Document {
	if bytes.HasPrefix(data, []byte(littles)) || bytes.HasPrefix(data, []byte(bigs)) || control(data) >= 0 {
		return Read(name, bytes.NewReader(data), b)
	}
	b.stand += int64(len(data))
	data = bytes.TrimPrefix(data, []byte(mark))
	if startsJSON(data) {
		before := b.kept
		if docs, ok := parseJSON(name, &jsonParser{data: data, line: 1, drops: true, budget: b}); ok {
			return docs
		}
		b.kept = before
	}
	return readYAML(bufio.NewReaderSize(bytes.NewReader(data), ofBuffer), b)
}

// broken appends a document that cannot be read.
func broken(docs []Document, err error) []Document {
	return append(docs, Document{Number: len(docs) + 1, Err: &Error{Reason: err.Error(), cause: err}})
}

func startsJSON(data []byte) bool {
	first := bytes.TrimLeft(data, " \t\r\n")
	return len(first) > 0 && (first[0] == '{' || first[0] == '[')
}

// isNamedJSON says whether a file can be nothing else than JSON.
func isNamedJSON(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".json")
}

// parseJSON makes documents of JSON; not ok: it may be YAML in flow style.
func parseJSON(name string, p *jsonParser) (docs []Document, ok bool) {
	values, err := p.all()
	if err == nil {
		docs = make([]Document, len(values))
		for i, v := range values {
			docs[i] = Document{Number: i + 1, Root: v}
		}
		return docs, true
	}
	return []Document{{Number: len(values) + 1, Err: err}}, isNamedJSON(name) || p.err != nil
}

// Read is Parse for a file that is open; it may be packed by gzip. It is read as a stream: what is no text is refused at its first
// bytes, and no more is held of YAML than a document, and of JSON than a token, if the name says that it is JSON or it is longer than a
// document of YAML may be. What is kept of it is a fraction, and counted in the budget.
func Read(name string, in io.Reader, b *Budget) []Document {
	text, checked, err := open(in, b)
	if err != nil {
		return broken(nil, err)
	}
	begin, _ := text.Peek(atBegin)
	if !startsJSON(begin) {
		return readYAML(text, b)
	}
	if isNamedJSON(name) {
		checked.binary = true // as the parser looks itself
		docs, _ := parseJSON(name, streamed(text, b))
		return docs
	}
	again, before := &noted{in: text}, b.kept
	docs, ok := parseJSON(name, streamed(again, b))
	if ok || again.lost {
		return docs
	}
	b.kept = before
	return readYAML(bufio.NewReaderSize(io.MultiReader(bytes.NewReader(again.data), text), ofBuffer), b)
}

func streamed(in io.Reader, b *Budget) *jsonParser {
	return &jsonParser{data: make([]byte, 0, 1<<18), in: in, line: 1, drops: true, budget: b}
}

// noted holds what was read of a stream, as long as that may be a document of YAML.
type noted struct {
	in   io.Reader
	data []byte
	lost bool
}

func (t *noted) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if t.lost = t.lost || len(t.data)+n > maxDocument; t.lost {
		t.data = nil
		return n, err
	}
	t.data = join(t.data, p[:n])
	return n, err
}

// twice returns a key that stands in keys two times.
func twice(keys []string) (key string, ok bool) {
	if rise(keys) {
		return "", false // as every API server prints them
	}
	if len(keys) <= 8 {
		for i, key := range keys {
			if slices.Contains(keys[:i], key) {
				return key, true
			}
		}
		return "", false
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if seen[key] {
			return key, true
		}
		seen[key] = true
	}
	return "", false
}

// rise says whether each key is greater than the one before it.
func rise(keys []string) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1] >= keys[i] {
			return false
		}
	}
	return true
}
