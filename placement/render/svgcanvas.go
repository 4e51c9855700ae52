package render

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"iter"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/muster-sched/muster/internal/printed"
)

// canvas collects the elements of a picture. All coordinates are whole pixels.
type canvas struct{ bytes.Buffer }

// Letters are as wide as those of common fonts of one width, in thousandths of their size; sizes are those of the style.
const (
	letterWidth = 602
	plainSize   = 12
	smallSize   = 10
	maxName     = 80 // letters of a name in a title
)

func (c *canvas) rect(class string, x, y, w, h int) {
	fmt.Fprintf(c, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, x, y, w, h)
}

func (c *canvas) line(class string, x1, y1, x2, y2 int) {
	fmt.Fprintf(c, `<path class="%s" d="M%d %dL%d %d"/>`, class, x1, y1, x2, y2)
}

func (c *canvas) text(class string, x, y int, text string) {
	fmt.Fprintf(c, `<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, escaped(text))
}

// begin opens a group of elements that has a title, which browsers show where the pointer is.
func (c *canvas) begin(title string) { fmt.Fprintf(c, "<g><title>%s</title>", escaped(title)) }

func (c *canvas) end() { c.WriteString("</g>\n") }

// escaped is text as XML has it. What cannot be seen or stands for another direction of writing is printed.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(printed.Text(text))) // a builder takes all
	return b.String()
}

// lettersOf is the width of a rune in letters: those of East Asia, and pictures, take two.
func lettersOf(r rune) int {
	if r >= 0x1100 {
		return 2
	}
	return 1
}

// widthOf is how wide text is at most, in pixels.
func widthOf(text string, size int) int {
	letters := 0
	for _, r := range text {
		letters += lettersOf(r)
	}
	return (letters*size*letterWidth + 999) / 1000
}

// clip shortens text to some letters; its beginning and its end, where names differ, stay.
func clip(text string, letters int) string {
	text = printed.Text(text)
	runes := []rune(text)
	total := 0
	for _, r := range runes {
		total += lettersOf(r)
	}
	if total <= letters {
		return text
	}
	head, used := 0, 0
	for used+lettersOf(runes[head]) <= (letters-1)/2 {
		used += lettersOf(runes[head])
		head++
	}
	tail := len(runes)
	for used+lettersOf(runes[tail-1]) <= letters-2 { // the sign of what is left out takes two
		tail--
		used += lettersOf(runes[tail])
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}

// fit shortens text to a width in pixels.
func fit(text string, width, size int) string {
	return clip(text, max(3, width*1000/(size*letterWidth)))
}

// wrap breaks text into lines of at most some letters, at spaces where there are any, and long words behind their marks; what is beyond the
// last line is left out.
func wrap(text string, letters, lines int) (out []string) {
	line := ""
	for word := range pieces(text, letters) {
		switch {
		case line == "":
			line = word
		case widthIn(line)+1+widthIn(word) <= letters:
			line += " " + word
		case len(out) == lines-1:
			return append(out, ended(line, letters))
		default:
			out, line = append(out, line), word
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// pieces are the words of a text, of those with more than some letters the parts that have so many.
func pieces(text string, letters int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, word := range strings.Fields(text) {
			for word != "" {
				piece := firstPiece(word, letters)
				if !yield(piece) {
					return
				}
				word = word[len(piece):]
			}
		}
	}
}

// firstPiece is the beginning of a word that has at most some letters, up to its last mark if it has one; at least one.
func firstPiece(word string, letters int) string {
	wide, marked := 0, 0
	for at, r := range word {
		if wide += lettersOf(r); wide > letters && at > 0 {
			return word[:cmp.Or(marked, at)]
		}
		if r < utf8.RuneSelf && isMark(byte(r)) {
			marked = at + 1
		}
	}
	return word
}

// ended is a line that others would follow, without words that leave no room for the sign of it, which takes two letters.
func ended(line string, letters int) string {
	for widthIn(line)+3 > letters {
		cut := strings.LastIndexByte(line, ' ')
		if cut < 0 {
			return clip(line, letters)
		}
		line = line[:cut]
	}
	return line + " …"
}

// widthIn is the width of text in letters.
func widthIn(text string) (letters int) {
	for _, r := range text {
		letters += lettersOf(r)
	}
	return letters
}

// portions divides a width among amounts, two pixels at least for what is there, if there is room.
func portions(amounts []int64, width int) []int {
	least := 2
	if width < least*len(amounts) {
		least = 0
	}
	out, total := make([]int, len(amounts)), uint64(0)
	for _, n := range amounts {
		if n > 0 {
			total += uint64(min(n, mostOfMany))
			width -= least
		}
	}
	sum, end := uint64(0), 0
	for i, n := range amounts {
		if n <= 0 {
			continue
		}
		sum += uint64(min(n, mostOfMany))
		high, low := bits.Mul64(sum, uint64(max(0, width)))
		at, _ := bits.Div64(high, low, total)
		out[i], end = least+int(at)-end, int(at)
	}
	return out
}

// mostOfMany keeps the sum of some thousand amounts within its type.
const mostOfMany = 1 << 50
