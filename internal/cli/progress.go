package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/muster-sched/muster/internal/printed"
)

// patience is how long a file is read without a word, and how often there is one then.
const patience, pace = 2 * time.Second, 200 * time.Millisecond

// watched tells on a terminal how much of a file is read.
type watched struct {
	io.ReadCloser
	to         io.Writer
	name       string
	read, size int64 // in bytes; size 0: unknown
	next       time.Time
	told       bool
}

// watch tells of the file while it is read, if anybody looks.
func watch(in io.ReadCloser, name string, size int64, to io.Writer) io.ReadCloser {
	if !isTerminal(to) {
		return in
	}
	return &watched{ReadCloser: in, to: to, name: name, size: size, next: time.Now().Add(patience)}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	stat, err := f.Stat()
	return err == nil && stat.Mode()&os.ModeCharDevice != 0
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.read += int64(n)
	if now := time.Now(); now.After(w.next) {
		w.next, w.told = now.Add(pace), true
		fmt.Fprint(w.to, "\r"+w.line())
	}
	return n, err
}

// line is what is told.
func (w *watched) line() string {
	const mega = 1_000_000
	if w.size == 0 {
		return printed.Sprintf("reading %s: %d MB", w.name, w.read/mega)
	}
	return printed.Sprintf("reading %s: %d of %d MB", w.name, w.read/mega, w.size/mega)
}

// Close takes the line away.
func (w *watched) Close() error {
	if w.told {
		fmt.Fprint(w.to, "\r\033[K")
	}
	return w.ReadCloser.Close()
}
