package document

import (
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/muster-sched/muster/internal/characters"
)

// literal is a string as it stands.
type literal struct {
	text    []byte // with its quotes, until the parser goes on
	wide    bool   // not all of it is ASCII
	escapes bool
}

// quoted passes a string.
func (p *jsonParser) quoted() (l literal, err error) {
	if !p.has() || p.data[p.at] != '"' {
		return l, errJSON
	}
	p.from = p.at
	for p.at++; p.has(); {
		if p.at = plain(p.data, p.at); p.at == len(p.data) {
			continue
		}
		c := p.data[p.at]
		p.at++
		switch {
		case c == '\\':
			l.escapes = true
			p.at++
		case c < ' ':
			return l, errJSON
		case c >= utf8.RuneSelf:
			l.wide = true
		default:
			if l.text = p.data[p.from:p.at]; len(l.text) > maxToken {
				p.err = errWide
			}
			p.from = -1
			return l, p.err
		}
	}
	return l, errJSON
}

// whole passes a plain string that stands in the buffer as a whole, as most do; not ok: it is another one, or none.
func (p *jsonParser) whole() (text []byte, ok bool) {
	if p.at >= len(p.data) || p.data[p.at] != '"' {
		return nil, false
	}
	from := p.at + 1
	end := plain(p.data, from)
	if end >= len(p.data) || p.data[end] != '"' || end-from+2 > maxToken {
		return nil, false
	}
	p.at = end + 1
	return p.data[from:end], true
}

// str reads a string.
func (p *jsonParser) str() (string, error) {
	if text, ok := p.whole(); ok {
		return p.once(text), nil
	}
	l, err := p.quoted()
	if err != nil {
		return "", err
	}
	if !l.wide && !l.escapes {
		return p.once(l.text[1 : len(l.text)-1]), nil
	}
	if err := p.keep(len(l.text)); err != nil {
		return "", err
	}
	text, err := p.said(l)
	return string(text), err
}

// said is what a string says, until the parser goes on.
func (p *jsonParser) said(l literal) ([]byte, error) {
	inner := l.text[1 : len(l.text)-1]
	if l.wide && !utf8.Valid(inner) {
		return nil, fault(l.text)
	}
	if !l.escapes {
		return inner, nil
	}
	text, ok := unescape(p.text[:0], inner)
	if p.text = text; !ok {
		return nil, fault(l.text)
	}
	return text, nil
}

// fault is what is wrong with a string, as the standard library says it.
func fault(text []byte) error {
	if err := characters.Check(text); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	var s string
	return cmp.Or(json.Unmarshal(text, &s), errJSON)
}

// escaped are the characters that one behind a backslash stands for.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends what the inner part of a string says; not ok: an escape is none, or half of a surrogate pair.
func unescape(to, inner []byte) (out []byte, ok bool) {
	for at := 0; at < len(inner); {
		if inner[at] != '\\' {
			end := plain(inner, at+1)
			to, at = append(to, inner[at:end]...), end
			continue
		}
		if at+1 == len(inner) {
			return to, false
		}
		if c := escaped[inner[at+1]]; c != 0 {
			to, at = append(to, c), at+2
			continue
		}
		r, n := character(inner[at:])
		if n == 0 {
			return to, false
		}
		to, at = utf8.AppendRune(to, r), at+n
	}
	return to, true
}

// character is the one that a text begins with as \uXXXX, or as two of these, and how many bytes they are; 0: none.
func character(text []byte) (r rune, n int) {
	r, ok := unit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, len(`\u0000`)
	}
	other, ok := unit(text[len(`\u0000`):])
	if r = utf16.DecodeRune(r, other); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 2 * len(`\u0000`)
}

// unit is the code unit that a text begins with as \uXXXX.
func unit(text []byte) (r rune, ok bool) {
	if len(text) < len(`\u0000`) || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:len(`\u0000`)] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|' ' && c|' ' <= 'f':
			r = r<<4 | rune(c|' '-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
