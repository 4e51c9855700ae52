package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/muster-sched/muster/internal/printed"
)

// patience is how long something is done without a word, and how often there is one then.
const patience, pace = 2 * time.Second, 200 * time.Millisecond

// progress is a line on a terminal that says how much of something is done; nil: nobody looks. It is for one goroutine at a time.
type progress struct {
	to   io.Writer
	next time.Time
	told bool
}

// newProgress begins to count the time, if anybody looks.
func newProgress(to io.Writer) *progress {
	if !isTerminal(to) {
		return nil
	}
	return &progress{to: to, next: time.Now().Add(patience)}
}

// tell tells a line, unless one was told just now.
func (p *progress) tell(line func() string) {
	if p == nil {
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next, p.told = now.Add(pace), true
		fmt.Fprint(p.to, "\r"+line())
	}
}

// end takes the line away.
func (p *progress) end() {
	if p != nil && p.told {
		fmt.Fprint(p.to, "\r\033[K")
	}
}

// watched tells on a terminal how much of a file is read.
type watched struct {
	io.ReadCloser
	progress   *progress
	name       string
	read, size int64 // in bytes; size 0: unknown
}

// watch tells of the file while it is read, if anybody looks.
func watch(in io.ReadCloser, name string, size int64, to io.Writer) io.ReadCloser {
	p := newProgress(to)
	if p == nil {
		return in
	}
	return &watched{ReadCloser: in, progress: p, name: name, size: size}
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
	w.progress.tell(w.line)
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
	w.progress.end()
	return w.ReadCloser.Close()
}
