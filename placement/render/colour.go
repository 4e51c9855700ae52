package render

import "io"

// TextInColour is [Text] for a terminal that knows the escape sequences of ECMA-48: the characters of the tree and the letters of groups have
// colours, which say nothing that the characters do not.
func TextInColour(w io.Writer, outcomes []Outcome) error { return writeText(w, outcomes, sequences) }

// paint says which sequence comes before a character of the tree, empty for none. The nil paint paints nothing.
type paint func(char rune) string

// text is text of one kind in its colour.
func (p paint) text(char rune, text string) string {
	if p == nil || p(char) == "" {
		return text
	}
	return p(char) + text + "\x1b[0m"
}

// groupColours are those of groups, in turn: bold, and one of six colours that terminals have for light and dark pages.
var groupColours = [...]string{"\x1b[1;32m", "\x1b[1;34m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1;33m", "\x1b[1;31m"}

// sequences are the colours of a terminal.
func sequences(char rune) string {
	switch {
	case char >= 'A' && char <= 'Z':
		return groupColours[int(char-'A')%len(groupColours)]
	case char == '+':
		return "\x1b[1m"
	}
	return map[rune]string{'=': "\x1b[32m", '~': "\x1b[33m", '-': "\x1b[31m", 'x': "\x1b[2m", '#': "\x1b[2;31m"}[char]
}
