package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseJSON reads a stream of JSON values. Duplicate keys and deep nesting are errors. The decoder of the standard
// library makes many small values on the way, which shows at 100,000 objects; it still judges numbers and escapes here.
// With an error come the values before it. O(len(data)).
func ParseJSON(data []byte) ([]*Value, *Error) {
	p := jsonParser{data: data, line: 1}
	var values []*Value
	for p.skip(); p.at < len(data); p.skip() {
		v, err := p.value(0)
		if err != nil {
			return values, &Error{Line: p.line, Reason: err.Error()}
		}
		values = append(values, v)
	}
	return values, nil
}

type jsonParser struct {
	data []byte
	at   int
	line int
}

var (
	errJSON = errors.New("not JSON")
	errDeep = fmt.Errorf("nested more than %d deep", maxDepth)
)

// skip passes white space and counts lines.
func (p *jsonParser) skip() {
	for ; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case '\n':
			p.line++
		case ' ', '\t', '\r':
		default:
			return
		}
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

// value reads one value; white space before it is passed already.
func (p *jsonParser) value(depth int) (*Value, error) {
	v := &Value{Line: p.line}
	if depth > maxDepth {
		return nil, errDeep
	}
	if p.at >= len(p.data) {
		return nil, errJSON
	}
	switch p.data[p.at] {
	case '{':
		v.Kind = Mapping
		return v, p.elements(v, '}', depth+1)
	case '[':
		v.Kind = List
		return v, p.elements(v, ']', depth+1)
	case '"':
		s, err := p.str()
		v.Kind, v.Text = Text, s
		return v, err
	}
	from := p.at
	for p.at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,]}"), p.data[p.at]) < 0 {
		p.at++
	}
	word := p.data[from:p.at]
	if !json.Valid(word) {
		return nil, errJSON
	}
	switch v.Text = string(word); v.Text {
	case "null":
		v.Kind, v.Text = Null, ""
	case "true", "false":
		v.Kind = Boolean
	default:
		v.Kind = Integer
		if strings.ContainsAny(v.Text, ".eE") {
			v.Kind = Number
		}
	}
	return v, nil
}

// elements reads a list or a mapping from its opening bracket to its end.
func (p *jsonParser) elements(v *Value, end byte, depth int) error {
	p.at++
	if p.next(end) {
		return nil
	}
	for {
		if v.Kind == Mapping {
			p.skip()
			key, err := p.str()
			if err != nil || !p.next(':') {
				return errJSON
			}
			v.Keys = append(v.Keys, key)
		}
		p.skip()
		e, err := p.value(depth)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, e)
		if p.next(end) {
			break
		}
		if !p.next(',') {
			return errJSON
		}
	}
	if key := twice(v.Keys); key != "" {
		return errors.New("not JSON: duplicate key " + strconv.Quote(key))
	}
	return nil
}

// str reads a string. One without escapes is copied, any other is left to the standard library.
func (p *jsonParser) str() (string, error) {
	if p.at >= len(p.data) || p.data[p.at] != '"' {
		return "", errJSON
	}
	from, plain := p.at, true
	for p.at++; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; {
		case c == '\\':
			plain = false
			p.at++
		case c < ' ':
			return "", errJSON
		case c >= utf8.RuneSelf:
			plain = false
		case c == '"':
			p.at++
			if plain {
				return string(p.data[from+1 : p.at-1]), nil
			}
			var s string
			err := json.Unmarshal(p.data[from:p.at], &s)
			return s, err
		}
	}
	return "", errJSON
}
