package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/muster-sched/muster/internal/printed"
)

// A pipe that has a name is refused if nobody has it open for writing after so long; so often it is looked.
const (
	pipePatience = time.Second
	pipePace     = 5 * time.Millisecond
)

// open opens a file that was named. Nobody is waited for: not for a pipe that nobody writes to, and devices, which may never end, are not read.
func open(path string) (*os.File, io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, nil, err
	}
	stat, err := f.Stat()
	if err == nil {
		err = notRead(stat)
	}
	switch {
	case err != nil:
		_ = f.Close()
		return nil, nil, err
	case stat.Mode()&fs.ModeNamedPipe != 0 && !isDescriptor(path):
		return f, &pipe{File: f, until: time.Now().Add(pipePatience)}, nil
	}
	return f, f, nil
}

// notRead says why something that is no file is not read; nil: it is read.
func notRead(stat fs.FileInfo) error {
	switch mode := stat.Mode(); {
	case mode.IsRegular(), mode&fs.ModeNamedPipe != 0:
		return nil
	case mode.IsDir():
		return errors.New("a directory")
	case mode&fs.ModeDevice != 0:
		for _, usual := range []func() (fs.FileInfo, error){os.Stdin.Stat, func() (fs.FileInfo, error) { return os.Stat(os.DevNull) }} {
			if known, err := usual(); err == nil && os.SameFile(stat, known) {
				return nil
			}
		}
		return errors.New("a device: only files and pipes are read")
	}
	return errors.New("neither a file nor a pipe")
}

// isDescriptor says whether a path is that of an open file, such as the shell names for `<(command)`: the other end of such a pipe was
// there before.
func isDescriptor(path string) bool {
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/")
}

// pipe is a pipe with a name. Until somebody has it open for writing, a read of it is at its end.
type pipe struct {
	*os.File
	until time.Time
	begun bool
}

func (p *pipe) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		switch {
		case n > 0:
			p.begun = true
			return n, err
		case !errors.Is(err, io.EOF) || p.begun:
			return n, err
		case time.Now().After(p.until):
			return 0, errors.New("nobody writes to this pipe")
		}
		time.Sleep(pipePace)
	}
}

// isReadIn says whether a file of a directory is read: a regular one, or a link to one. What cannot be looked at is an error when it is opened.
func isReadIn(dir, name string, stderr io.Writer) bool {
	path := filepath.Join(dir, name)
	stat, err := os.Stat(path)
	switch {
	case err != nil || stat.Mode().IsRegular():
		return true
	case !stat.IsDir():
		printed.Fprintf(stderr, "%s: not a regular file, skipped\n", path)
	}
	return false
}
