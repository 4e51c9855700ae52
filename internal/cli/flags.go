package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/quota"
)

// settings are the flags.
type settings struct {
	output            string
	policy            gang.Policy
	exclusive         numa.Exclusive
	limit             quota.Limit
	strict, keepGoing bool
	quotas            bool
	maxFit            bool
	running           bool
	places            bool
	failUnplaced      bool
	summary           bool
	topology          string
	fabric            string
	explain           explaining
	without           without
	added             repeated
	files             []string
}

// policies are the values of -policy.
var policies = map[string]gang.Policy{
	"bestfit": gang.BestFit, "spread": gang.Spread, "balanced": gang.Balanced, "byscore": gang.ByScore,
}

// exclusives are the values of -numa-exclusive.
var exclusives = map[string]numa.Exclusive{"required": numa.Required, "preferred": numa.Preferred}

// limits are the values of -quota-limit; empty: the passes of a queue.
var limits = map[string]quota.Limit{"": "", "fair": quota.Fair, "borrow": quota.Borrow, "greedy": quota.Greedy}

// outputs are the values of -o.
var outputs = []string{"text", "json", "svg"}

// parse reads the command line; it has told the user what is wrong with it.
func parse(args []string, stdout, stderr io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	check := set.define(flags)
	help, err := parseFiles(flags, joinExplain(args), usage, stdout, stderr, &set.files)
	if err != nil {
		return set, err
	}
	if err = check(); err != nil {
		say(stderr, err)
		help(stderr)
	}
	return set, err
}

// define says which flags there are; check says, once they are read, what is wrong with their values.
func (set *settings) define(flags *flag.FlagSet) (check func() error) {
	policy := flags.String("policy", "bestfit", "among equally tight places: bestfit, spread, balanced, byscore")
	exclusive := flags.String("numa-exclusive", "required", "members of one NUMA zone and members that span zones keep apart: required, preferred")
	limit := flags.String("quota-limit", "", "plan once, up to this limit of the quotas: fair, borrow, greedy (default: fair, then borrow for who was refused, then fair with victims below the quota that refuses)")
	flags.BoolVar(&set.maxFit, "max-fit", false, "print, for each shape that waiting gangs ask for, how large a gang fits in one domain of each layer before the first plan")
	flags.BoolVar(&set.running, "running", false, "print the gangs that run before the first plan, worst first: where each lies, and where it could lie if it were planned again")
	flags.BoolVar(&set.places, "places", false, "print, for each placed gang, the rank, node, group and domain of every member; in JSON also all domains, and labels and environment for its launcher")
	flags.BoolVar(&set.quotas, "quotas", false, "print the quotas after the plans: what they use, may use and must")
	flags.StringVar(&set.output, "o", "text", "output: text, json, svg (a picture)")
	flags.BoolVar(&set.strict, "strict", false, "refuse pods with hard rules that are not modelled")
	flags.BoolVar(&set.keepGoing, "keep-going", false, "plan the rest although some of the input cannot be used")
	flags.BoolVar(&set.summary, "summary", false, "print a line for each gang and the summary, without trees")
	flags.BoolVar(&set.failUnplaced, "fail-unplaced", false, "exit with status 3 if some gang has no place")
	flags.StringVar(&set.fabric, "fabric", "", "plan on the topology of this file too: of a fabric manager, Slurm, topograph, a table of cables (see examples/topology); FORMAT:FILE says which format it is in")
	flags.StringVar(&set.topology, "topology", "", "the topology of gangs that name none (default: the only one, or that called default)")
	set.explain.define(flags)
	flags.Var(&set.without, "without", "plan as if the files had no `node/NAME`, or nothing of gang/NS/NAME; may be given again")
	flags.Var(&set.added, "add", "read this `FILE` too, or directory: its objects stand in place of those of the same kind and name; may be given again")
	return func() error {
		var known, knownExclusive, knownLimit bool
		set.policy, known = policies[strings.ToLower(*policy)]
		set.exclusive, knownExclusive = exclusives[strings.ToLower(*exclusive)]
		set.limit, knownLimit = limits[strings.ToLower(*limit)]
		switch {
		case !known:
			return fmt.Errorf("-policy %q: not one of bestfit, spread, balanced, byscore", *policy)
		case !knownExclusive:
			return fmt.Errorf("-numa-exclusive %q: not one of required, preferred", *exclusive)
		case !knownLimit:
			return fmt.Errorf("-quota-limit %q: not one of fair, borrow, greedy", *limit)
		case !slices.Contains(outputs, set.output):
			return fmt.Errorf("-o %q: not one of %s", set.output, strings.Join(outputs, ", "))
		case set.output == "svg" && (set.quotas || set.summary || set.maxFit || set.running || set.places || set.explain.all || len(set.explain.gangs) > 0):
			return errors.New("-o svg draws plans: -quotas, -summary, -max-fit, -running, -places and -explain are for text")
		case len(set.files) == 0:
			return errors.New("no files given")
		}
		return nil
	}
}

// line writes what package flag says of an argument, which it repeats: a line at a time.
type line struct{ io.Writer }

func (l line) Write(p []byte) (int, error) {
	_, err := io.WriteString(l.Writer, printed.Text(strings.TrimSuffix(string(p), "\n"))+"\n")
	return len(p), err
}

// parseFiles reads flags and the files among them; help prints all there is to say about the command.
func parseFiles(flags *flag.FlagSet, args []string, usage string, stdout, stderr io.Writer, files *[]string) (help func(io.Writer), err error) {
	flags.SetOutput(line{stderr})
	flags.Usage = func() {}
	help = func(w io.Writer) {
		flags.SetOutput(w)
		fmt.Fprint(w, usage)
		flags.PrintDefaults()
	}
	for rest := args; len(rest) > 0; { // a file ends the flags before it only
		if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			help(stdout)
			return help, err
		} else if err != nil {
			help(stderr)
			return help, err
		}
		if left := flags.Args(); len(left) < len(rest) && rest[len(rest)-len(left)-1] == "--" {
			*files, rest = append(*files, left...), nil
		} else if rest = left; len(rest) > 0 {
			*files, rest = append(*files, rest[0]), rest[1:]
		}
	}
	return help, nil
}
