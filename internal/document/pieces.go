package document

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// piece is a part of a YAML file from one separator to the next.
type piece struct {
	data []byte
	line int // lines before it
}

// readYAML reads a file document by document. A broken one does not hide those after it, unless it is longer than a document may be or
// the file cannot be read on.
func readYAML(in *bufio.Reader, b *Budget) (docs []Document) {
	line := 0
	for {
		p := piece{line: line}
		rows, end, err := p.read(in)
		if err != nil {
			docs = broken(docs, err)
			if errors.Is(err, errLong) {
				docs[len(docs)-1].Err.Line = p.line + 1
			}
			return docs
		}
		docs = p.parse(docs, b)
		if line += rows; end {
			return docs
		}
		if b.spent() {
			return docs
		}
	}
}

// read reads up to a line that begins with three dashes, which can stand nowhere inside a document, and says how many lines these are and whether
// the file ends there. What comes before the first separator and has no content (comments, directives) stays with the document after it.
func (p *piece) read(in *bufio.Reader) (rows int, end bool, err error) {
	for content := false; ; rows++ {
		begin, _ := in.Peek(len("--- "))
		if isSeparator(begin) {
			if content {
				return rows, false, nil
			}
			content = true
		}
		start := len(p.data)
		if end, err = p.row(in); end || err != nil {
			return rows, true, err
		}
		row := p.data[start:]
		content = content || len(bytes.TrimSpace(row)) > 0 && row[0] != '#' && row[0] != '%'
	}
}

// row reads a line, whole.
func (p *piece) row(in *bufio.Reader) (end bool, err error) {
	for {
		some, err := in.ReadSlice('\n')
		if len(p.data)+len(some) > maxDocument {
			return true, errLong
		}
		p.data = join(p.data, some)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return true, nil
			}
			return false, err
		}
	}
}

var errLong = fmt.Errorf("a document that is longer: at most %d are read", maxDocument)

func isSeparator(row []byte) bool {
	return bytes.HasPrefix(row, []byte("---")) && (len(row) == 3 || bytes.IndexByte([]byte(" \t\r\n"), row[3]) >= 0)
}

// marks counts what may begin a part of a document.
func (p *piece) marks() (n int) {
	for i, b := range p.data {
		switch b {
		case '\n', ',', '[', '{':
			n++
		case ' ':
			if i > 0 && (p.data[i-1] == '-' || p.data[i-1] == '?') {
				n++
			}
		}
	}
	return n
}

// parse appends the documents of the piece: one, unless an end marker separates more.
func (p *piece) parse(docs []Document, b *Budget) []Document {
	number := len(docs) + 1
	fail := func(err *Error) []Document {
		_ = b.keep(ofBroken) // the next document fails
		return append(docs, Document{Number: number, Err: err})
	}
	marks := p.marks()
	if marks > maxMarks {
		return fail(p.reason(fmt.Sprintf("a document of %d lines, commas, brackets and dashes: at most %d are parsed", marks, maxMarks)))
	}
	if string(bytes.TrimSpace(p.data)) == "---" {
		if err := b.keep(ofValue); err != nil {
			return fail(p.reason(err.Error()))
		}
		return append(docs, Document{Number: number, Root: &Value{Line: p.line + 1}})
	}
	err := b.keep(ofMark * marks)
	defer func() { _ = b.keep(-ofMark * marks) }()
	if err != nil {
		return fail(p.reason(err.Error()))
	}
	decoder := yaml.NewDecoder(bytes.NewReader(oldVersion(p.data)))
	for ; ; number++ {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			return fail(p.broken(err))
		}
		c := converter{known: map[*yaml.Node]converted{}, line: p.line, budget: 100_000 + 10*len(p.data), kept: b}
		v, _, err := c.convert(&node, 0)
		doc := Document{Number: number, Root: v}
		if errors.As(err, &doc.Err); err != nil && b.spent() {
			return fail(doc.Err)
		}
		docs = append(docs, doc)
	}
}

// reason is an error about the whole piece.
func (p *piece) reason(text string) *Error { return &Error{Line: p.line + 1, Reason: text} }

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
func (p *piece) broken(err error) *Error {
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
