package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	// maxDocument bounds one YAML document; JSON is read as a stream and needs no bound.
	maxDocument = 64 << 20
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
	return e.Reason
}

// Unwrap is the error of the parser below, nil if there is none.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Parse splits a file into documents. A broken YAML document does not hide those after it.
func Parse(name string, data []byte) []Document {
	if bytes.HasPrefix(data, []byte(packed)) {
		return Read(name, bytes.NewReader(data))
	}
	data = bytes.TrimPrefix(data, []byte(mark))
	if startsJSON(data) {
		if docs, ok := parseJSON(name, &jsonParser{data: data, line: 1, drops: true}); ok {
			return docs
		}
	}
	var docs []Document
	for _, p := range splitYAML(data) {
		docs = p.parse(docs)
	}
	return docs
}

const (
	mark   = "\xef\xbb\xbf" // may stand before UTF-8
	packed = "\x1f\x8b"     // begins what gzip has packed
)

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
	return []Document{{Number: len(values) + 1, Err: err}}, isNamedJSON(name)
}

// Read is Parse for a file that is open; it may be packed by gzip. JSON is read as a stream, if the name says that it is JSON or
// it is longer than a document of YAML may be: what is kept of it is a fraction.
func Read(name string, in io.Reader) []Document {
	broken := func(err error) []Document {
		return []Document{{Number: 1, Err: &Error{Reason: err.Error(), cause: err}}}
	}
	text := bufio.NewReaderSize(in, 1<<16)
	if magic, _ := text.Peek(len(packed)); string(magic) == packed {
		inner, err := gzip.NewReader(text)
		if err != nil {
			return broken(err)
		}
		text = bufio.NewReaderSize(inner, 1<<16)
	}
	if begin, _ := text.Peek(len(mark)); string(begin) == mark {
		_, _ = text.Discard(len(mark))
	}
	begin, _ := text.Peek(1 << 12)
	var head []byte
	if json := startsJSON(begin); json && isNamedJSON(name) {
		docs, _ := parseJSON(name, streamed(text))
		return docs
	} else if json {
		var err error
		if head, err = io.ReadAll(io.LimitReader(text, maxDocument+1)); err != nil {
			return broken(err)
		}
		if len(head) > maxDocument {
			rest := &untouched{Reader: text}
			if docs, ok := parseJSON(name, streamed(io.MultiReader(bytes.NewReader(head), rest))); ok || rest.touched {
				return docs
			}
		}
	}
	rest, err := io.ReadAll(text)
	if err != nil {
		return broken(err)
	}
	return Parse(name, append(head, rest...))
}

func streamed(in io.Reader) *jsonParser {
	return &jsonParser{data: make([]byte, 0, 1<<18), in: in, line: 1, drops: true}
}

// untouched tells whether anything was read of it.
type untouched struct {
	io.Reader
	touched bool
}

func (u *untouched) Read(p []byte) (int, error) {
	u.touched = true
	return u.Reader.Read(p)
}

// piece is a part of a YAML file from one separator to the next.
type piece struct {
	data []byte
	line int // lines before it
}

// splitYAML cuts a file at the lines that begin with three dashes. These can stand nowhere inside a document. What
// comes before the first separator and has no content (comments, directives) stays with the document after it.
func splitYAML(data []byte) []piece {
	var pieces []piece
	start, startLine, content := 0, 0, false
	line := 0
	for at := 0; at < len(data); line++ {
		end := bytes.IndexByte(data[at:], '\n') + at + 1
		if end == at {
			end = len(data)
		}
		row := bytes.TrimRight(data[at:end], "\r\n")
		switch {
		case isSeparator(row):
			if content {
				pieces = append(pieces, piece{data[start:at], startLine})
				start, startLine = at, line
			}
			content = true
		case len(bytes.TrimSpace(row)) > 0 && row[0] != '#' && row[0] != '%':
			content = true
		}
		at = end
	}
	return append(pieces, piece{data[start:], startLine})
}

func isSeparator(row []byte) bool {
	return bytes.HasPrefix(row, []byte("---")) && (len(row) == 3 || row[3] == ' ' || row[3] == '\t')
}

// parse appends the documents of the piece: one, unless an end marker separates more.
func (p piece) parse(docs []Document) []Document {
	number := len(docs) + 1
	if len(p.data) > maxDocument {
		reason := fmt.Sprintf("document of %d bytes, at most %d are read", len(p.data), maxDocument)
		return append(docs, Document{Number: number, Err: &Error{Line: p.line + 1, Reason: reason}})
	}
	decoder := yaml.NewDecoder(bytes.NewReader(oldVersion(p.data)))
	for ; ; number++ {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			return append(docs, Document{Number: number, Err: p.broken(err)})
		}
		c := converter{known: map[*yaml.Node]converted{}, line: p.line, budget: 100_000 + 10*len(p.data)}
		v, _, err := c.convert(&node, 0)
		doc := Document{Number: number, Root: v}
		if err != nil {
			errors.As(err, &doc.Err)
		}
		docs = append(docs, doc)
	}
}

// oldVersion changes a directive for YAML 1.2, which the parser reads but does not admit to.
func oldVersion(data []byte) []byte {
	const directive = "%YAML 1.2"
	at := bytes.Index(data, []byte(directive))
	if at < 0 || (at > 0 && data[at-1] != '\n') || bytes.HasPrefix(data, []byte("---")) || bytes.Contains(data[:at], []byte("\n---")) {
		return data
	}
	return bytes.Replace(data, []byte(directive), []byte("%YAML 1.1"), 1)
}

// broken turns a parser's error into ours.
func (p piece) broken(err error) *Error {
	out := &Error{Line: p.line + 1, Reason: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), cause: err}
	var load *yaml.LoadError
	if errors.As(err, &load) {
		out.Reason = "not YAML: " + load.Message
		if load.Mark.Line > 0 {
			out.Line = p.line + load.Mark.Line
		}
	}
	return out
}

// twice returns a key that stands in keys two times, empty if none does.
func twice(keys []string) string {
	if len(keys) <= 8 {
		for i, key := range keys {
			for _, other := range keys[:i] {
				if key == other {
					return key
				}
			}
		}
		return ""
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		if seen[key] {
			return key
		}
		seen[key] = true
	}
	return ""
}
