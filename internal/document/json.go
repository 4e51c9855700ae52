package document

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/muster-sched/muster/internal/characters"
)

// ParseJSON reads a stream of JSON values. Duplicate keys and deep nesting are errors. The decoder of the standard
// library makes many small values on the way, which shows at 100,000 objects; it still judges numbers and escapes here.
// With an error come the values before it. O(len(data)).
func ParseJSON(data []byte) ([]*Value, *Error) {
	p := &jsonParser{data: data, line: 1, budget: Inside(data)}
	return p.all()
}

// jsonParser reads from data and, when that is used up, from the reader. It holds no more of the text than the token that it
// is at and a buffer.
type jsonParser struct {
	data []byte
	in   io.Reader // nil: all is in data
	err  error     // of the reader
	at   int
	from int // where the token begins that is being read; -1: none is
	line int

	budget *Budget
	drops  bool              // what nobody reads is not kept, see dropped
	words  map[string]string // keys and short texts, each once
	keys   []string          // of the mappings that are open
	items  []*Value          // the same
	spare  []Value
}

var (
	errJSON = errors.New("not JSON")
	errDeep = fmt.Errorf("nested more than %d deep", maxDepth)
	errWide = fmt.Errorf("more than %d bytes in one piece", maxToken)
)

// all reads the values of a stream up to its end, or to the first error.
func (p *jsonParser) all() (values []*Value, failed *Error) {
	p.from = -1
	p.words = map[string]string{}
	for p.skip(); p.at < len(p.data); p.skip() {
		v, err := p.value(0, "")
		if err = cmp.Or(p.err, err); err != nil {
			return values, &Error{Line: p.line, Reason: err.Error(), cause: p.err}
		}
		values = append(values, v)
	}
	if p.err != nil {
		return values, &Error{Line: p.line, Reason: p.err.Error(), cause: p.err}
	}
	return values, nil
}

// more reads on, when all of data is used up. What is before the token goes.
func (p *jsonParser) more() bool {
	if p.in == nil || p.err != nil {
		return false
	}
	keep := p.at
	if p.from >= 0 {
		keep = p.from
	}
	if p.at-keep > maxToken {
		p.err = errWide
		return false
	}
	left := copy(p.data, p.data[keep:])
	if left == cap(p.data) { // a token as long as the buffer
		p.data = slices.Grow(p.data, cap(p.data))
	}
	p.at -= keep
	if p.from >= 0 {
		p.from = 0
	}
	p.data = p.data[:cap(p.data)]
	n, err := 0, error(nil)
	for n == 0 && err == nil {
		n, err = p.in.Read(p.data[left:])
	}
	p.data = p.data[:left+n]
	if errors.Is(err, io.EOF) {
		p.in = nil
	} else {
		p.err = err
	}
	return n > 0
}

// has says whether there is a byte at the place where the parser is.
func (p *jsonParser) has() bool {
	for p.at >= len(p.data) {
		if !p.more() {
			return false
		}
	}
	return true
}

// skip passes white space and counts lines.
func (p *jsonParser) skip() {
	for n := 0; p.has(); n++ {
		if n > maxToken {
			p.err = errWide
			return
		}
		switch p.data[p.at] {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return
		}
		p.at++
	}
}

// next passes white space and then c, if it comes next.
func (p *jsonParser) next(c byte) bool {
	p.skip()
	if p.at < len(p.data) && p.data[p.at] == c {
		p.at++
		return true
	}
	return false
}

// value reads one value, which stands below a key; white space before it is passed already.
func (p *jsonParser) value(depth int, key string) (*Value, error) {
	v, err := p.newValue()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errDeep
	}
	if !p.has() {
		return nil, errJSON
	}
	switch p.data[p.at] {
	case '{':
		v.Kind = Mapping
		return v, p.elements(v, '}', depth+1, key)
	case '[':
		v.Kind = List
		return v, p.elements(v, ']', depth+1, key)
	case '"':
		s, err := p.str()
		v.Kind, v.Text = Text, s
		return v, err
	}
	word, kind, err := p.word()
	if v.Kind = kind; kind != Null {
		v.Text = p.once(word)
	}
	return v, err
}

// keep counts memory for what is kept; the error is also that of the parser, at which it stops.
func (p *jsonParser) keep(n int) error {
	if p.err == nil {
		p.err = p.budget.keep(n)
	}
	return p.err
}

// newValue is an empty value on the line of the parser. Values are made many at once.
func (p *jsonParser) newValue() (*Value, error) {
	if err := p.keep(ofValue); err != nil {
		return nil, err
	}
	if len(p.spare) == 0 {
		p.spare = make([]Value, 64)
	}
	v := &p.spare[0]
	p.spare = p.spare[1:]
	v.Line = p.line
	return v, nil
}

// word passes a number, or one of the words.
func (p *jsonParser) word() ([]byte, Kind, error) {
	p.from = p.at
	for p.has() && bytes.IndexByte([]byte(" \t\r\n,]}"), p.data[p.at]) < 0 {
		p.at++
	}
	word := p.data[p.from:p.at]
	p.from = -1
	switch {
	case len(word) > maxToken:
		p.err = errWide
		return nil, Null, p.err
	case !json.Valid(word):
		return nil, Null, errJSON
	case word[0] == 'n':
		return word, Null, nil
	case word[0] == 't' || word[0] == 'f':
		return word, Boolean, nil
	case bytes.ContainsAny(word, ".eE"):
		return word, Number, nil
	}
	return word, Integer, nil
}

// elements reads a list or a mapping from its opening bracket to its end.
func (p *jsonParser) elements(v *Value, end byte, depth int, name string) error {
	p.at++
	if p.next(end) {
		return nil
	}
	keys, items := len(p.keys), len(p.items)
	for {
		key := name
		var e *Value
		var err error
		if v.Kind == Mapping {
			p.skip()
			if key, err = p.str(); err == nil && !p.next(':') {
				err = errJSON
			}
			if err != nil {
				return err
			}
			p.keys = append(p.keys, key)
		}
		p.skip()
		if p.drops && v.Kind == Mapping && dropped(name, key) {
			e, err = p.drop(depth)
		} else {
			e, err = p.value(depth, key)
		}
		if err != nil {
			return err
		}
		p.items = append(p.items, e)
		if p.next(end) {
			break
		}
		if !p.next(',') {
			return errJSON
		}
	}
	v.Keys, v.Items = slices.Clone(p.keys[keys:]), slices.Clone(p.items[items:])
	p.keys, p.items = p.keys[:keys], p.items[:items]
	if key := twice(v.Keys); key != "" {
		return errors.New("not JSON: duplicate key " + strconv.Quote(key))
	}
	return nil
}

// str reads a string.
func (p *jsonParser) str() (string, error) {
	text, plain, err := p.quoted()
	if err != nil || plain {
		return p.once(text), err
	}
	if err := p.keep(len(text)); err != nil {
		return "", err
	}
	return unescape(text)
}

// quoted passes a string. One without escapes is plain, and comes without its quotes; any other is for unescape.
func (p *jsonParser) quoted() (text []byte, plain bool, err error) {
	if !p.has() || p.data[p.at] != '"' {
		return nil, false, errJSON
	}
	p.from, plain = p.at, true
	for p.at++; p.has(); p.at++ {
		switch c := p.data[p.at]; {
		case c == '\\':
			plain = false
			p.at++
		case c < ' ':
			return nil, false, errJSON
		case c >= utf8.RuneSelf:
			plain = false
		case c == '"':
			p.at++
			if text = p.data[p.from:p.at]; len(text) > maxToken {
				p.err = errWide
			}
			if p.from = -1; plain {
				text = text[1 : len(text)-1]
			}
			return text, plain, p.err
		}
	}
	return nil, false, errJSON
}

// unescape leaves a string with its quotes to the standard library, which would take what is no text, and change it.
func unescape(text []byte) (s string, err error) {
	if err := characters.Check(text); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	err = json.Unmarshal(text, &s)
	return s, err
}

// once returns a text, the same string for equal short ones: most objects of a file are alike.
func (p *jsonParser) once(text []byte) string {
	const longest, most = 40, 1 << 14
	if len(text) > longest {
		_ = p.keep(len(text)) // the next value fails
		return string(text)
	}
	s, ok := p.words[string(text)]
	if !ok {
		if s = string(text); len(p.words) < most {
			p.words[s] = s
		}
	}
	return s
}
