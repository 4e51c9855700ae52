package streams

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-sched/muster"
)

// longestLine bounds the bytes of a line of a table.
const longestLine = 1 << 16

// sheet is how a table is read: lines with commas between the cells, whose first one names the columns, in any order.
type sheet struct {
	needed, more []string // columns: those that must be there, and those that may
	most         int      // lines behind the first one
	what         string   // these are
	row          func(c *cells) error
	bad          func(line int, err error) error
}

// cells are those of a line.
type cells struct {
	line  int
	names []string // of the columns
	all   []string
}

// of is the cell of a column; empty: the column is not there.
func (c *cells) of(name string) string {
	if at := slices.Index(c.names, name); at >= 0 {
		return c.all[at]
	}
	return ""
}

// whole is the number of a column, between two bounds.
func (c *cells) whole(name string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(c.of(name), 10, 64)
	if err != nil || n < least || n > most {
		return 0, muster.Invalid(name, c.of(name), fmt.Sprintf("not a whole number from %d to %d", least, most))
	}
	return n, nil
}

// read reads all lines. What is wrong with one is told to bad, but for the first one: without names of columns nothing can be read, so that all is wrong at once.
func (s *sheet) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	var c cells
	for lines.Scan() {
		c.line++
		c.all = strings.Split(strings.TrimSuffix(lines.Text(), "\r"), ",")
		switch {
		case c.line == 1:
			if err := s.head(c.all); err != nil {
				return fmt.Errorf("line 1: %w", err)
			}
			c.names = c.all
			continue
		case c.line > s.most+1:
			return fmt.Errorf("line %d: more than %d %s", c.line, s.most, s.what)
		}
		if err := s.cells(&c); err != nil {
			if err = s.bad(c.line, err); err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: more than %d bytes", c.line+1, longestLine)
	case err != nil:
		return err
	case c.line == 0:
		return errors.New("line 1: no columns are named")
	}
	return nil
}

// cells reads one line.
func (s *sheet) cells(c *cells) error {
	if len(c.all) != len(c.names) {
		return fmt.Errorf("%d cells, where %d columns are named", len(c.all), len(c.names))
	}
	return s.row(c)
}

// head reads the names of columns.
func (s *sheet) head(names []string) error {
	for _, name := range s.needed {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the column %s is missing", name)
		}
	}
	all := append(slices.Clone(s.needed), s.more...)
	for i, name := range names {
		switch {
		case !slices.Contains(all, name):
			return fmt.Errorf("unknown column %q; there are %s and %s", name, strings.Join(all[:len(all)-1], ", "), all[len(all)-1])
		case slices.Contains(names[:i], name):
			return fmt.Errorf("the column %s is there twice", name)
		}
	}
	return nil
}
