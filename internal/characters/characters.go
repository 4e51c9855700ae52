// Package characters answers: is a text of JSON made of characters? The standard library takes what is not, and changes it: two names that
// differ would be one.
package characters

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrUTF8 says that a text is not UTF-8.
var ErrUTF8 = errors.New("not UTF-8")

var errHalf = errors.New("half of a surrogate pair, which is no character")

// Check says why what is JSON otherwise, of one string or more, holds what is no character: bytes that are not UTF-8, or an escape
// that is half of a surrogate pair; nil: it does not. O(len(data)).
func Check(data []byte) error {
	if !utf8.Valid(data) {
		return ErrUTF8
	}
	for at := bytes.IndexByte(data, '\\'); at >= 0 && at+1 < len(data); {
		next := at + 2
		if high := escaped(data[at:]); utf16.IsSurrogate(high) {
			if next = at + 12; utf16.DecodeRune(high, escaped(data[at+6:])) == utf8.RuneError {
				return errHalf
			}
		}
		rest := bytes.IndexByte(data[next:], '\\')
		if rest < 0 {
			break
		}
		at = next + rest
	}
	return nil
}

// escaped is the code unit that a text begins with as \uXXXX, 0 if it begins with something else.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n)
}
