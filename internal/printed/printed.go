// Package printed answers: how does a name that comes from outside look in a line of text? Names are data: one may hold what moves a cursor,
// turns the direction of writing, or begins a line of its own. Such characters are written as Go writes them in a literal (`\n`, `\x1b`,
// `\u202e`); a name without them stays as it is. What is printed once stays the same when it is printed again.
package printed

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is a text of one line without what cannot be seen: control characters, line ends, marks of direction and width, and what is not
// UTF-8. O(len(s)), and no allocation for one that has none of them.
func Text(s string) string {
	at := firstOdd(s)
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.WriteString(s[:at])
	for s = s[at:]; s != ""; {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case strconv.IsPrint(r):
			b.WriteString(s[:size])
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
	}
	return b.String()
}

// firstOdd is the place of the first character that is not printed as it is; -1: there is none.
func firstOdd(s string) int {
	for i := range len(s) {
		if s[i] >= ' ' && s[i] < 0x7f {
			continue
		}
		for at, r := range s[i:] {
			if !strconv.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(s[i+at:], "\ufffd") {
				return i + at
			}
		}
		return -1
	}
	return -1
}

// Lines is a text of several lines, each printed.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Text(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Sprintf is that of fmt for a format of our own and texts that come from outside.
func Sprintf(format string, args ...any) string { return fmt.Sprintf(format, texts(args)...) }

// Fprintf is that of fmt, likewise.
func Fprintf(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format, texts(args)...) }

// Fprintln is that of fmt, likewise.
func Fprintln(w io.Writer, args ...any) { fmt.Fprintln(w, texts(args)...) }

// texts prints those of the arguments that are texts. Errors print themselves.
func texts(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a
		if v := reflect.ValueOf(a); v.Kind() == reflect.String {
			out[i] = Text(v.String())
		}
	}
	return out
}

// JSON is a document of JSON in which what cannot be seen is escaped: it reads as before. O(len(data)).
func JSON(data []byte) []byte {
	odd := func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }
	if bytes.IndexFunc(data, odd) < 0 {
		return data
	}
	var out []byte
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case !odd(r):
			out = append(out, data[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		data = data[size:]
	}
	return out
}
