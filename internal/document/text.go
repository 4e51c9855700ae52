package document

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of what is read, whatever the files hold. What a stream unpacks to is bounded while it is read, and so is the memory for what is
// kept of it.
const (
	maxRead  int64 = 4 << 30  // bytes of all files, unpacked
	maxKept  int64 = 2 << 30  // bytes of memory for what is kept of them
	maxWhole       = 1 << 30  // bytes of a file that is not read as documents
	maxToken       = 16 << 20 // bytes of one text or number of JSON, and of white space between two
)

// What a file is made of is paid by its own bytes, packed as it may be: a file of kilobytes cannot unpack to what fills a memory.
const (
	keptForByte        = 1024    // bytes of memory, for each byte of the files as they stand,
	keptAnyway   int64 = 8 << 20 // beside so many
	wholeForByte       = 128     // bytes of a file that is not read as documents, for each of it as it stands,
	wholeAnyway        = 2 << 20 // beside so many
)

const (
	maxPacked = 1   // times that a file is packed by gzip
	ofValue   = 128 // bytes that count for a value, its text not included
	ofKey     = 8   // the same for a key that is only compared
	ofMark    = 256 // the same for what may begin a part of YAML, while it is parsed
	ofBroken  = 512 // the same for a document that cannot be read
)

// Budget is what may still be read, and kept, of files that are read together. The zero value has all of it. It belongs to one
// reading and is not safe for concurrent use.
type Budget struct {
	stand      int64 // bytes of the files as they stand
	read, kept int64
}

// Inside is the budget for a text that stands in a file, where it was counted: for a mebibyte, and a value for every eight bytes.
func Inside(text []byte) *Budget {
	return &Budget{stand: maxKept / keptForByte, kept: max(0, maxKept-1<<20-ofValue/8*int64(len(text)))}
}

// take counts bytes that are read.
func (b *Budget) take(n int) error {
	if b.read += int64(n); b.read > maxRead {
		return fmt.Errorf("more than %d bytes of all files together, unpacked", maxRead)
	}
	return nil
}

// keep counts memory for what is kept, or gives it back.
func (b *Budget) keep(n int) error {
	b.kept += int64(n)
	switch {
	case b.kept > maxKept:
		return fmt.Errorf("more than %d bytes of memory for what is kept of all files together", maxKept)
	case b.kept > keptAnyway+keptForByte*b.stand:
		return fmt.Errorf("more than %d bytes of memory for each byte of the packed files", keptForByte)
	}
	return nil
}

// spent says whether nothing more may be kept.
func (b *Budget) spent() bool { return b.keep(0) != nil }

const (
	mark     = "\xef\xbb\xbf" // may stand before UTF-8
	packed   = "\x1f\x8b"     // begins what gzip has packed
	littles  = "\xff\xfe"     // begins UTF-16 as Windows writes it
	bigs     = "\xfe\xff"     // the same with the larger byte first
	atBegin  = 1 << 12        // bytes by which the form of a file is known
	ofBuffer = 1 << 16
)

// Whole is the text of a file that is read at once, unpacked and in UTF-8. What is no text is refused at its first bytes.
func Whole(in io.Reader) ([]byte, error) {
	b := &Budget{}
	text, _, err := open(in, b)
	if err != nil {
		return nil, err
	}
	var data []byte
	for part := make([]byte, ofBuffer); ; {
		n, err := text.Read(part)
		data = join(data, part[:n])
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) > maxWhole:
			return nil, fmt.Errorf("more than %d bytes, unpacked", maxWhole)
		case int64(len(data)) > wholeAnyway+wholeForByte*b.stand:
			return nil, fmt.Errorf("more than %d bytes for each byte of the packed file", wholeForByte)
		}
	}
}

// join appends bytes. It takes twice the room each time, so that what is left behind is no more than what is there.
func join(data, more []byte) []byte {
	if n := len(data) + len(more); n > cap(data) {
		data = append(make([]byte, 0, max(n, 2*cap(data))), data...)
	}
	return append(data, more...)
}

// open unpacks a file, brings it into UTF-8 and takes the mark away that may stand before it.
func open(in io.Reader, b *Budget) (*bufio.Reader, *text, error) {
	raw := bufio.NewReaderSize(&standing{in, b}, atBegin)
	for times := 1; begins(raw, packed); times++ {
		if times > maxPacked {
			return nil, nil, errors.New("packed by gzip twice")
		}
		inner, err := gzip.NewReader(&text{in: raw, budget: &Budget{}, binary: true})
		if err != nil {
			return nil, nil, err
		}
		raw = bufio.NewReaderSize(inner, ofBuffer)
	}
	checked := &text{in: raw, budget: b}
	switch {
	case begins(raw, littles), begins(raw, bigs):
		order := begins(raw, bigs)
		_, _ = raw.Discard(len(bigs))
		checked.in = &wide{in: raw, big: order}
	case begins(raw, mark):
		_, _ = raw.Discard(len(mark))
	}
	return bufio.NewReaderSize(checked, ofBuffer), checked, nil
}

// standing counts the bytes of a file as it stands.
type standing struct {
	in     io.Reader
	budget *Budget
}

func (s *standing) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.budget.stand += int64(n)
	return n, err
}

func begins(in *bufio.Reader, with string) bool {
	begin, _ := in.Peek(len(with))
	return string(begin) == with
}

// text counts what is read, and ends at a byte that stands in no text: there is nothing to be read behind it.
type text struct {
	in     io.Reader
	budget *Budget
	binary bool // every byte may stand there
	read   int64
	err    error
}

func (t *text) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.in.Read(p)
	if t.err = t.budget.take(n); t.err != nil {
		return 0, t.err
	}
	if !t.binary {
		if at := control(p[:n]); at >= 0 {
			t.err = notText(p[at], t.read+int64(at))
			return 0, t.err
		}
	}
	t.read, t.err = t.read+int64(n), err // which may be told to somebody who only looks ahead
	return n, err
}

func notText(b byte, at int64) error {
	return fmt.Errorf("not text: byte 0x%02x at offset %d", b, at)
}

// control is the place of the first byte that may stand neither in YAML nor in JSON; -1: there is none.
func control(data []byte) int {
	for i, b := range data {
		if b < ' ' && b != '\n' && b != '\t' && b != '\r' {
			return i
		}
	}
	return -1
}

// wide reads UTF-16 as UTF-8.
type wide struct {
	in   *bufio.Reader
	big  bool
	rest []byte // of UTF-8 that nobody has read yet
	from [utf8.UTFMax]byte
}

func (w *wide) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(w.rest) == 0 {
			r, err := w.rune()
			if err != nil {
				return n, err
			}
			w.rest = utf8.AppendRune(w.from[:0], r)
		}
		some := copy(p[n:], w.rest)
		n, w.rest = n+some, w.rest[some:]
	}
	return n, nil
}

// rune is the next character; halves of a pair that stand alone are what [utf16.DecodeRune] makes of them.
func (w *wide) rune() (rune, error) {
	first, err := w.unit()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	second, err := w.unit()
	return utf16.DecodeRune(first, second), cut(err)
}

func (w *wide) unit() (rune, error) {
	a, err := w.in.ReadByte()
	if err != nil {
		return 0, err
	}
	b, err := w.in.ReadByte()
	if w.big {
		a, b = b, a
	}
	return rune(a) | rune(b)<<8, cut(err)
}

// cut is the error of a file that ends within a character.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
