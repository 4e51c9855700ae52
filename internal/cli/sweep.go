package cli

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/known"
)

// swept are the flags that may have several values.
var swept = []string{"seed", "load", "lone", "urgent", "discipline", "moves", "victims", "placer", "longer", "checkpoint", "slowdown"}

// mostRows bounds the combinations of all values.
const mostRows = 10_000

// sweep are values of a flag.
type sweep struct {
	key    string
	values []string
}

// sweeps are those of several flags, and a flag itself.
type sweeps []sweep

// String is what the flag is before anything was set.
func (s *sweeps) String() string { return "" }

// Set is called for each time that the flag is given.
func (s *sweeps) Set(text string) error {
	key, list, is := strings.Cut(text, "=")
	switch {
	case !is:
		return errors.New("not KEY=VALUE,VALUE, such as load=75,85,95")
	case !slices.Contains(swept, key):
		return fmt.Errorf("the key is not one of %s; the nearest one is %s", strings.Join(swept, ", "), known.Nearest(key, swept))
	case s.has(key):
		return fmt.Errorf("%s is swept already", key)
	}
	values := strings.Split(list, ",")
	for i, v := range values {
		switch {
		case v == "":
			return errors.New("a value is missing")
		case slices.Contains(values[:i], v):
			return fmt.Errorf("%s is there twice", v)
		}
	}
	*s = append(*s, sweep{key, values})
	return nil
}

// has says whether a flag has several values.
func (s sweeps) has(key string) bool {
	return slices.ContainsFunc(s, func(of sweep) bool { return of.key == key })
}

// rows are the combinations of all values, the last flag's varying fastest; without any it is one. Each is what the command line says (read) once these values are set.
func (s sweeps) rows(flags *flag.FlagSet, given map[string]bool, read func() (played, error)) (rows []played, err error) {
	n := 1
	for _, of := range s {
		if given[of.key] {
			return nil, fmt.Errorf("-sweep %s: -%s is given too", of.key, of.key)
		}
		if n *= len(of.values); n > mostRows {
			return nil, fmt.Errorf("-sweep: more than %d combinations", mostRows)
		}
	}
	for i := range n {
		left := i
		for _, of := range slices.Backward(s) {
			value := of.values[left%len(of.values)]
			left /= len(of.values)
			if err := setTo(flags.Lookup(of.key), value); err != nil {
				return nil, fmt.Errorf("-sweep %s: %q: %w", of.key, value, err)
			}
		}
		row, err := read()
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// setTo sets a flag, and says what it may be.
func setTo(f *flag.Flag, value string) error {
	err := f.Value.Set(value)
	if b, is := f.Value.(interface{ IsBoolFlag() bool }); err != nil && is && b.IsBoolFlag() {
		return errors.New("not one of false, true")
	}
	return err
}
