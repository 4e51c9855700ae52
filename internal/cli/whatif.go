package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement/manifest"
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
type without struct{ nodes, domains, gangs []string }

// String is what the flag is before anything was set.
func (w *without) String() string { return "" }

// Set is called for each time that the flag is given.
func (w *without) Set(value string) error {
	what, name, _ := strings.Cut(value, "/")
	namespace, gang, named := strings.Cut(name, "/")
	switch {
	case what == "node" && name != "" && !named:
		w.nodes = append(w.nodes, name)
	case what == "domain" && name != "":
		w.domains = append(w.domains, name)
	case what == "gang" && namespace != "" && gang != "":
		w.gangs = append(w.gangs, name)
	default:
		return errors.New("not node/NAME, domain/PATH or gang/NS/NAME")
	}
	return nil
}

// returned are nodes that are to be back in service.
type returned []string

// String is what the flag is before anything was set.
func (r *returned) String() string { return "" }

// Set is called for each time that the flag is given.
func (r *returned) Set(value string) error {
	name, is := strings.CutPrefix(value, "node/")
	if !is || name == "" || strings.Contains(name, "/") {
		return errors.New("not node/NAME")
	}
	*r = append(*r, name)
	return nil
}

// sayChanges says how what was planned differs from the files, so that nobody takes the one for the other.
func sayChanges(w io.Writer, set *settings, in *manifest.Input) {
	for _, left := range []struct {
		what  string
		names []string
	}{{"node", set.without.nodes}, {"domain", set.without.domains}, {"gang", set.without.gangs}} {
		for _, name := range slices.Compact(slices.SortedFunc(slices.Values(left.names), muster.CompareNatural)) {
			printed.Fprintf(w, "planned without %s/%s\n", left.what, name)
		}
	}
	sayNodes(w, "left out", in.WithoutNodes, slices.Concat(set.without.nodes, set.without.domains))
	for _, name := range slices.Compact(slices.SortedFunc(slices.Values(set.returned), muster.CompareNatural)) {
		printed.Fprintf(w, "planned with node/%s in service\n", name)
	}
	if sayNodes(w, "were out of it", in.Returned, set.returned); len(set.returned) > 0 && len(in.Returned) == 0 {
		printed.Fprintln(w, "none of them was out of it")
	}
	for _, name := range set.added {
		printed.Fprintf(w, "planned with %s added\n", name)
	}
	for _, line := range in.Replaced {
		printed.Fprintf(w, "replaced: %s\n", line)
	}
}

// sayNodes names the nodes that are meant, unless they are named like that.
func sayNodes(w io.Writer, what string, nodes, asked []string) {
	if slices.ContainsFunc(nodes, func(n string) bool { return !slices.Contains(asked, n) }) {
		printed.Fprintf(w, "%s: %s\n", what, listed(nodes, 8))
	}
}

// unknownName is an error about a name in a flag that nobody has, and which one is near.
type unknownName string

func (e unknownName) Error() string { return string(e) }

// nobodyHas says it of a name in a flag; any other error stays.
func nobodyHas(err error) error {
	var invalid *muster.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	for field, flag := range map[string]string{
		"options.WithoutNodes[": "-without node/", "options.WithoutDomains[": "-without domain/", "options.WithoutGangs[": "-without gang/", "options.Returned[": "-return node/", "options.Layers[": "-layers ",
	} {
		if strings.HasPrefix(invalid.Field, field) {
			return unknownName(printed.Sprintf("%s%s: %s", flag, invalid.Value, invalid.Reason))
		}
	}
	return err
}
