package document

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// What a dump is made of is mostly white space and plain texts. Both are passed eight bytes at a time: a word of them says at once whether,
// and where, there is a byte that means something.

const (
	ones   = 0x0101010101010101 // times a byte: that byte eight times
	tops   = 0x80 * ones        // the highest bit of each byte
	ofWord = 8
)

// special marks the highest bit of the bytes of a word that end a plain text or need a look: quotes, backslashes, control characters and what is
// not ASCII. The first mark is true; a borrow may have made those behind it.
func special(word uint64) uint64 {
	quote, escape := word^ones*'"', word^ones*'\\'
	return ((quote-ones)&^quote | (escape-ones)&^escape | (word-ones*' ')&^word | word) & tops
}

// plain is the place of the first special byte from a place on; the length of data: there is none.
func plain(data []byte, at int) int {
	for ; at+ofWord <= len(data); at += ofWord {
		if marks := special(binary.LittleEndian.Uint64(data[at:])); marks != 0 {
			return at + bits.TrailingZeros64(marks)/8
		}
	}
	for ; at < len(data); at++ {
		if c := data[at]; c == '"' || c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			break
		}
	}
	return at
}

// white is the place of the first byte that is no white space, and says how many lines end before it.
func white(data []byte, at int) (end, lines int) {
	for at < len(data) {
		if at+ofWord <= len(data) {
			n := bits.TrailingZeros64(binary.LittleEndian.Uint64(data[at:])^ones*' ') / 8
			if at += n; n == ofWord {
				continue
			}
		}
		switch data[at] {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			return at, lines
		}
		at++
	}
	return at, lines
}

// skip passes white space and counts lines.
func (p *jsonParser) skip() {
	if p.at+1 < len(p.data) { // mostly there is none, or a space
		if p.data[p.at] > ' ' {
			return
		}
		if p.data[p.at] == ' ' && p.data[p.at+1] > ' ' {
			p.at++
			return
		}
	}
	for left := maxToken + 1; p.has(); {
		part := p.data[:min(len(p.data), p.at+left)]
		end, lines := white(part, p.at)
		left -= end - p.at
		p.at, p.line = end, p.line+lines
		if left == 0 {
			p.err = errWide
		}
		if left == 0 || end < len(part) {
			return
		}
	}
}

// next passes white space and then c, if it comes next.
func (p *jsonParser) next(c byte) bool {
	if p.skip(); p.at < len(p.data) && p.data[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word passes a number, or one of the words.
func (p *jsonParser) word() ([]byte, Kind, error) {
	p.from = p.at
	for p.has() && !endsWord[p.data[p.at]] {
		p.at++
	}
	word := p.data[p.from:p.at]
	p.from = -1
	if len(word) > maxToken {
		p.err = errWide
		return nil, Null, p.err
	}
	switch string(word) {
	case "null":
		return word, Null, nil
	case "true", "false":
		return word, Boolean, nil
	}
	kind, ok := numeric(word)
	if !ok {
		return nil, Null, errJSON
	}
	return word, kind, nil
}

var endsWord = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ']': true, '}': true}

// numeric says whether a word is a number as JSON writes it, and of which kind.
func numeric(word []byte) (kind Kind, ok bool) {
	rest := bytes.TrimPrefix(word, []byte("-"))
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return Null, false
	}
	kind, rest = Integer, rest[whole:]
	if len(rest) > 0 && rest[0] == '.' {
		n := digits(rest[1:])
		if n == 0 {
			return Null, false
		}
		kind, rest = Number, rest[1+n:]
	}
	if len(rest) > 0 && rest[0]|' ' == 'e' {
		if rest = rest[1:]; len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		n := digits(rest)
		if n == 0 {
			return Null, false
		}
		kind, rest = Number, rest[n:]
	}
	return kind, len(rest) == 0
}

// digits is how many digits a text begins with.
func digits(text []byte) (n int) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}
