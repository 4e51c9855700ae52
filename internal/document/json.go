package document

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
)

// ParseJSON reads a stream of JSON values. Duplicate keys and deep nesting are errors. The decoder of the standard
// library makes many small values on the way, which shows at 100,000 objects; here it only says what is wrong with an escape.
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
	drops  bool     // what nobody reads is not kept, see dropped
	words  []string // keys and short texts, by a hash, see once
	keys   []string // of the mappings that are open
	items  []*Value // the same
	sums   []uint64 // the same of keys that are only compared
	text   []byte   // the last one that had escapes

	spare      []Value
	spareKeys  []string
	spareItems []*Value
}

var (
	errJSON = errors.New("not JSON")
	errDeep = fmt.Errorf("nested more than %d deep", maxDepth)
	errWide = fmt.Errorf("more than %d bytes in one piece", maxToken)
)

// all reads the values of a stream up to its end, or to the first error.
func (p *jsonParser) all() (values []*Value, failed *Error) {
	p.from = -1
	p.words = make([]string, p.places())
	defer func() { _ = p.keep(-ofKey * cap(p.sums)) }()
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

// places is how many texts are known at a time: few in a short file, of which there may be many.
func (p *jsonParser) places() int {
	const most, each = 1 << 13, 16
	if p.in != nil {
		return most
	}
	return max(1, min(most, len(p.data)/each))
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

// elements reads a list or a mapping from its opening bracket to its end.
func (p *jsonParser) elements(v *Value, end byte, depth int, name string) error {
	p.at++
	if p.next(end) {
		return nil
	}
	keys, items := len(p.keys), len(p.items)
	var unread []string
	if p.drops && v.Kind == Mapping {
		unread = noise[name]
	}
	for more := true; more; {
		key := name
		var e *Value
		var err error
		if v.Kind == Mapping {
			if key, err = p.key(); err != nil {
				return err
			}
			p.keys = append(p.keys, key)
		}
		p.skip()
		if len(unread) > 0 && slices.Contains(unread, key) {
			e, err = p.drop(depth)
		} else {
			e, err = p.value(depth, key)
		}
		if err != nil {
			return err
		}
		p.items = append(p.items, e)
		if more, err = p.goesOn(end); err != nil {
			return err
		}
	}
	v.Keys, v.Items = laidOut(&p.spareKeys, p.keys[keys:]), laidOut(&p.spareItems, p.items[items:])
	p.keys, p.items = p.keys[:keys], p.items[:items]
	if key, ok := twice(v.Keys); ok {
		return errors.New("not JSON: duplicate key " + strconv.Quote(key))
	}
	return nil
}

// key reads a key and the colon behind it.
func (p *jsonParser) key() (string, error) {
	p.skip()
	key, err := p.str()
	if err == nil && !p.next(':') {
		err = errJSON
	}
	return key, err
}

// goesOn passes the comma behind an element, or the closing bracket.
func (p *jsonParser) goesOn(end byte) (bool, error) {
	p.skip()
	if p.at < len(p.data) {
		p.at++
		switch p.data[p.at-1] {
		case ',':
			return true, nil
		case end:
			return false, nil
		}
	}
	return false, errJSON
}

// laidOut is a copy of a list. Short ones are made many at once.
func laidOut[E any](spare *[]E, list []E) []E {
	const most = 64
	n := len(list)
	if n == 0 || n > most/2 {
		return slices.Clone(list)
	}
	if len(*spare) < n {
		*spare = make([]E, most)
	}
	out := (*spare)[:n:n]
	*spare = (*spare)[n:]
	copy(out, list)
	return out
}

// once returns a text, the same string for most that are equal and short: the objects of a file are alike. A text takes the place of another one.
func (p *jsonParser) once(text []byte) string {
	const longest = 40
	if len(text) > longest {
		_ = p.keep(len(text)) // the next value fails
		return string(text)
	}
	known := &p.words[maphash.Bytes(seed, text)%uint64(len(p.words))]
	if *known != string(text) {
		*known = string(text)
	}
	return *known
}
