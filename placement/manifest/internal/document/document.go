package document

import (
	"bytes"
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
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if first := bytes.TrimLeft(data, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		values, err := ParseJSON(data)
		if err == nil {
			docs := make([]Document, len(values))
			for i, v := range values {
				docs[i] = Document{Number: i + 1, Root: v}
			}
			return docs
		}
		if strings.HasSuffix(name, ".json") {
			return []Document{{Number: len(values) + 1, Err: err}}
		}
		// It may be YAML in flow style.
	}
	var docs []Document
	for _, p := range splitYAML(data) {
		docs = p.parse(docs)
	}
	return docs
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
