package render

import (
	"bytes"
	"io"
	"strings"
)

// DefaultWidth is how many columns lines of text have where no terminal says it.
const DefaultWidth = 120

// Wrap calls write with a writer that breaks lines at blanks so that they have at most so many columns; 0 or less: [DefaultWidth]. A word
// stays whole, whatever its length, for names are words. What is behind a break stands below the second column of a line in columns, such
// as the cells of the tree, else farther in than its beginning. Lines that do not end are written in the end. Sequences of colours take no room.
func Wrap(w io.Writer, width int, write func(io.Writer) error) error {
	if width <= 0 {
		width = DefaultWidth
	}
	b := &breaker{to: w, width: width}
	if err := write(b); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.broken(string(b.rest)))
	return err
}

// breaker is a writer of whole lines.
type breaker struct {
	to    io.Writer
	width int
	rest  []byte // of a line that has no end so far
}

func (b *breaker) Write(p []byte) (int, error) {
	n := len(p)
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			b.rest = append(b.rest, p...)
			return n, nil
		}
		line := string(append(b.rest, p[:end]...))
		b.rest, p = b.rest[:0], p[end+1:]
		if _, err := io.WriteString(b.to, b.broken(line)+"\n"); err != nil {
			return 0, err
		}
	}
}

// broken is a line with breaks.
func (b *breaker) broken(line string) string {
	if len(line) <= b.width || columns(line) <= b.width {
		return line
	}
	var out strings.Builder
	hang, at := b.hang(line), 0
	for rest := line; rest != ""; {
		word := strings.TrimLeft(rest, " ")
		blanks := len(rest) - len(word)
		end := strings.IndexByte(word, ' ')
		if end < 0 {
			end = len(word)
		}
		word, rest = word[:end], word[end:]
		switch wide := columns(word); {
		case at+blanks > hang && at+blanks+wide > b.width && word != "":
			out.WriteString("\n" + strings.Repeat(" ", hang) + word)
			at = hang + wide
		default:
			out.WriteString(strings.Repeat(" ", blanks) + word)
			at += blanks + wide
		}
	}
	return out.String()
}

// hang is how far in a line goes on: below its second column, if that is not too far.
func (b *breaker) hang(line string) int {
	text := strings.TrimLeft(line, " ")
	in := len(line) - len(text)
	if column := strings.Index(text, "  "); column > 0 {
		behind := strings.TrimLeft(text[column:], " ")
		if at := in + columns(text[:len(text)-len(behind)]); 2*at <= b.width && behind != "" {
			return at
		}
	}
	return in + 4
}

// columns is how many columns of a terminal a text takes: sequences of colours none.
func columns(text string) (n int) {
	for text != "" {
		before, after, found := strings.Cut(text, "\x1b[")
		n += widthIn(before)
		if !found {
			break
		}
		_, text, _ = strings.Cut(after, "m")
	}
	return n
}
