package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/known"
	"github.com/muster-sched/muster/internal/printed"
)

// meaning is a value of a flag, and what it stands for.
type meaning[T any] struct {
	word string
	of   T
}

// words stand for themselves.
func words(all ...string) (out []meaning[string]) {
	for _, w := range all {
		out = append(out, meaning[string]{w, w})
	}
	return out
}

// choice is the value of a flag of which few are known.
type choice struct {
	value, usual string
	known        []string
}

// String is the value.
func (c *choice) String() string { return c.value }

// Set takes any value: what is wrong with it is said by [checkChoices].
func (c *choice) Set(value string) error {
	c.value = value
	return nil
}

// choose defines a flag that has one of some values, in upper or lower case, or its usual one. The usage has a place (%s) for the values;
// chosen is what the value stands for, once checkChoices has nothing to say.
func choose[T any](flags *flag.FlagSet, name, usual string, values []meaning[T], usage string) (chosen func() T) {
	c := &choice{value: usual, usual: usual}
	for _, v := range values {
		c.known = append(c.known, v.word)
	}
	flags.Var(c, name, fmt.Sprintf(usage, strings.Join(c.known, ", ")))
	return func() (none T) {
		for _, v := range values {
			if v.word == strings.ToLower(c.value) {
				return v.of
			}
		}
		return none
	}
}

// checkChoices says of the first flag with a value that is not known which ones are.
func checkChoices(flags *flag.FlagSet) (err error) {
	flags.VisitAll(func(f *flag.Flag) {
		c, is := f.Value.(*choice)
		if is && err == nil && c.value != c.usual && !slices.Contains(c.known, strings.ToLower(c.value)) {
			err = fmt.Errorf("-%s %q: not one of %s", f.Name, c.value, strings.Join(c.known, ", "))
		}
	})
	return err
}

// parseFiles reads flags and the files among them; for -h it prints all there is to say about the command.
func parseFiles(flags *flag.FlagSet, args []string, usage string, stdout io.Writer, files *[]string) error {
	flags.SetOutput(io.Discard) // what it says of an argument is in the error
	flags.Usage = func() {}
	for rest := args; len(rest) > 0; { // a file ends the flags before it only
		if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			tellFlags(stdout, usage, flags)
			return err
		} else if err != nil {
			return oneLine(nearestFlag(flags, err))
		}
		if left := flags.Args(); len(left) < len(rest) && rest[len(rest)-len(left)-1] == "--" {
			*files, rest = append(*files, left...), nil
		} else if rest = left; len(rest) > 0 {
			*files, rest = append(*files, rest[0]), rest[1:]
		}
	}
	return nil
}

// nearestFlag says of a flag that is not defined which one is near; any other error stays.
func nearestFlag(flags *flag.FlagSet, err error) error {
	name, is := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !is {
		return err
	}
	var defined []string
	flags.VisitAll(func(f *flag.Flag) { defined = append(defined, f.Name) })
	if len(defined) == 0 {
		return err
	}
	return fmt.Errorf("%w; the nearest one is -%s", err, known.Nearest(name, defined))
}

// oneLine is an error about an argument, which it repeats.
func oneLine(err error) error { return errors.New(printed.Text(err.Error())) }
