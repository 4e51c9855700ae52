package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/printed"
)

// repeated are the values of a flag that may be given more than once.
type repeated []string

// String is what the flag is before anything was set.
func (r *repeated) String() string { return "" }

// Set is called for each time that the flag is given.
func (r *repeated) Set(value string) error {
	*r = append(*r, value)
	return nil
}

// without is what is not to be there.
type without struct{ nodes, gangs []string }

// String is what the flag is before anything was set.
func (w *without) String() string { return "" }

// Set is called for each time that the flag is given.
func (w *without) Set(value string) error {
	what, name, _ := strings.Cut(value, "/")
	namespace, gang, named := strings.Cut(name, "/")
	switch {
	case what == "node" && name != "" && !named:
		w.nodes = append(w.nodes, name)
	case what == "gang" && namespace != "" && gang != "":
		w.gangs = append(w.gangs, name)
	default:
		return errors.New("not node/NAME or gang/NS/NAME")
	}
	return nil
}

// sayChanges says how what was planned differs from the files, so that nobody takes the one for the other.
func sayChanges(w io.Writer, set *settings, replaced []string) {
	for _, name := range slices.Compact(slices.SortedFunc(slices.Values(set.without.nodes), muster.CompareNatural)) {
		printed.Fprintf(w, "planned without node/%s\n", name)
	}
	for _, name := range slices.Compact(slices.SortedFunc(slices.Values(set.without.gangs), muster.CompareNatural)) {
		printed.Fprintf(w, "planned without gang/%s\n", name)
	}
	for _, name := range set.added {
		printed.Fprintf(w, "planned with %s added\n", name)
	}
	for _, line := range replaced {
		printed.Fprintf(w, "replaced: %s\n", line)
	}
}

// unknownName is an error about a name in a flag that nobody has, and which one is near.
type unknownName string

func (e unknownName) Error() string { return string(e) }

// nobodyHas says it of a name in -without; any other error stays.
func nobodyHas(err error) error {
	var invalid *muster.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	for field, what := range map[string]string{"options.WithoutNodes": "node", "options.WithoutGangs": "gang"} {
		if strings.HasPrefix(invalid.Field, field) {
			return unknownName(printed.Sprintf("-without %s/%s: %s", what, invalid.Value, invalid.Reason))
		}
	}
	return err
}
