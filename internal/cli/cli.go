// Package cli is the plan command: files in, a plan out. It is a package so that the command, its examples and the case
// harness are one code.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/muster-sched/muster/gang"
	"github.com/muster-sched/muster/numa"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/render"
	"github.com/muster-sched/muster/quota"
)

const usage = `usage: plan [flags] FILE...

Reads Kubernetes-style objects (YAML documents, JSON, Lists) and plans every gang that has a pod without a node, in
queue order, each on what the ones before it left. A directory stands for all its *.yaml, *.yml and *.json files, in
natural order; - is standard input. Flags may also stand after files; -- ends them.

The plan goes to standard output, drawn on the tree, a cell for each node: a capital letter is a new member, one letter
a group; + one of no group beside groups, = a member of the gang that runs already, . a free slot, ~ one that a leaving
member holds, - one where a victim leaves and nobody comes, x one that others hold, # one on a node out of service; 0 is
a node that could never take a member. Standard error tells what was read and has no part in the plan: kinds that are
skipped, notices, rules that are not modelled, what is wrong.

Examples:
  plan cluster.yaml jobs/            plans all gangs of the files
  plan -keep-going -o json dump.json plans what can be planned, as JSON

Exit status: 0 the input was read and planned (a gang without a place is an answer); 1 the input cannot be used, nothing
was planned; 2 the command line cannot be used; 3 with -fail-unplaced: some gang has no place.

Flags:
`

// Exit statuses.
const (
	ok       = 0 // the input was read and planned; an unschedulable gang is an answer
	failed   = 1 // the input cannot be used, nothing was planned
	misuse   = 2 // the command line cannot be used
	unplaced = 3 // some gang has no place, with -fail-unplaced
)

// settings are the flags.
type settings struct {
	output            string
	policy            gang.Policy
	exclusive         numa.Exclusive
	limit             quota.Limit
	strict, keepGoing bool
	quotas            bool
	failUnplaced      bool
	summary           bool
	topology          string
	fabric            string
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

// Run runs the plan command with the arguments after its name and returns the exit status. The plan goes to stdout,
// whatever else there is to say to stderr.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	_, err := Execute(args, stdin, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return ok
	case errors.Is(err, errMisuse):
		return misuse
	case errors.Is(err, errUnplaced):
		return unplaced
	}
	fmt.Fprintln(stderr, err)
	return failed
}

// errMisuse is an error of the command line, which the user was told of.
var errMisuse = errors.New("the command line cannot be used")

// errUnplaced says that some gang has no place, which the plans tell.
var errUnplaced = errors.New("a gang has no place")

// Execute is Run for programs that look at the plans: it returns what was planned, nil if nothing was read, and the error
// that Run prints.
func Execute(args []string, stdin io.Reader, stdout, stderr io.Writer) (*Planned, error) {
	set, err := parse(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, err
	case err != nil:
		return nil, errMisuse
	}
	files, err := load(set.files, stdin, stderr)
	if err != nil {
		return nil, err
	}
	trees, err := set.trees(stdin, stderr)
	if err != nil {
		return nil, err
	}
	p, err := Plan(files, Options{
		Trees: trees, Strict: set.strict, KeepGoing: set.keepGoing, Policy: set.policy, QuotaLimit: set.limit, NUMAExclusive: set.exclusive,
		Topology: set.topology,
	})
	if p != nil {
		report(stderr, p, set.keepGoing)
	}
	if err != nil {
		if !set.keepGoing && !errors.Is(err, errNoNodes) {
			err = fmt.Errorf("%w\n-keep-going plans the rest", err)
		}
		return p, err
	}
	if err := p.write(stdout, set); err != nil {
		return p, err
	}
	if set.failUnplaced && slices.ContainsFunc(p.Outcomes, func(o render.Outcome) bool { return o.Err != nil }) {
		return p, errUnplaced
	}
	return p, nil
}

// write prints the plans and, if it is asked for, the quotas after them.
func (p *Planned) write(w io.Writer, set settings) error {
	if set.output == "json" {
		return render.JSONWithReport(w, p.Outcomes, p.jsonReport(set.quotas))
	}
	plans := render.Text
	if set.summary {
		plans = render.Headlines
	}
	if err := plans(w, p.Outcomes); err != nil {
		return err
	}
	if len(p.Outcomes) > 0 {
		fmt.Fprintln(w)
	}
	if set.quotas {
		if err := render.QuotasText(w, p.Quotas); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	if err := render.Summary(w, p.Outcomes, &p.Input.Spec); err != nil {
		return err
	}
	return writeLost(w, p.Input)
}

// parse reads the command line; it has told the user what is wrong with it.
func parse(args []string, stdout, stderr io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	policy := flags.String("policy", "bestfit", "among equally tight places: bestfit, spread, balanced, byscore")
	exclusive := flags.String("numa-exclusive", "required", "members of one NUMA zone and members that span zones keep apart: required, preferred")
	limit := flags.String("quota-limit", "", "plan once, up to this limit of the quotas: fair, borrow, greedy (default: fair, then borrow for who was refused, then fair with victims below the quota that refuses)")
	flags.BoolVar(&set.quotas, "quotas", false, "print the quotas after the plans: what they use, may use and must")
	flags.StringVar(&set.output, "o", "text", "output: text, json")
	flags.BoolVar(&set.strict, "strict", false, "refuse pods with hard rules that are not modelled")
	flags.BoolVar(&set.keepGoing, "keep-going", false, "plan the rest although some of the input cannot be used")
	flags.BoolVar(&set.summary, "summary", false, "print a line for each gang and the summary, without trees")
	flags.BoolVar(&set.failUnplaced, "fail-unplaced", false, "exit with status 3 if some gang has no place")
	flags.StringVar(&set.fabric, "fabric", "", "plan on the topology of this file too: of a fabric manager, Slurm, topograph, a table of cables (see examples/topology); FORMAT:FILE says which format it is in")
	flags.StringVar(&set.topology, "topology", "", "the topology of gangs that name none (default: the only one, or that called default)")
	help, err := parseFiles(flags, args, usage, stdout, stderr, &set.files)
	if err != nil {
		return set, err
	}
	var known, knownExclusive, knownLimit bool
	set.policy, known = policies[strings.ToLower(*policy)]
	set.exclusive, knownExclusive = exclusives[strings.ToLower(*exclusive)]
	set.limit, knownLimit = limits[strings.ToLower(*limit)]
	switch {
	case !known:
		err = fmt.Errorf("-policy %q: not one of bestfit, spread, balanced, byscore", *policy)
	case !knownExclusive:
		err = fmt.Errorf("-numa-exclusive %q: not one of required, preferred", *exclusive)
	case !knownLimit:
		err = fmt.Errorf("-quota-limit %q: not one of fair, borrow, greedy", *limit)
	case set.output != "text" && set.output != "json":
		err = fmt.Errorf("-o %q: not one of text, json", set.output)
	case len(set.files) == 0:
		err = errors.New("no files given")
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		help(stderr)
	}
	return set, err
}

// parseFiles reads flags and the files among them; help prints all there is to say about the command.
func parseFiles(flags *flag.FlagSet, args []string, usage string, stdout, stderr io.Writer, files *[]string) (help func(io.Writer), err error) {
	flags.SetOutput(stderr)
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

// report says on stderr what was read but has no part in the plan.
func report(stderr io.Writer, p *Planned, keepGoing bool) {
	for _, s := range p.Input.Skipped {
		fmt.Fprintf(stderr, "%s %s: a kind that is not read, skipped (objects: %d)\n", s.APIVersion, s.Kind, s.Count)
	}
	for _, n := range merged(p.Input.Notices) {
		fmt.Fprintln(stderr, n)
	}
	for _, err := range p.Input.Defects {
		fmt.Fprintln(stderr, err)
	}
	for _, o := range p.Outcomes {
		for _, rule := range ignoredRules(o.Ignored) {
			fmt.Fprintf(stderr, "%s: %s is not modelled and ignored (pods: %d)\n", o.Gang, rule, o.Ignored[rule])
		}
		if keepGoing && o.Err != nil && !errors.Is(o.Err, placement.ErrUnschedulable) {
			fmt.Fprintln(stderr, o.Err)
		}
	}
}

func ignoredRules(counts map[string]int) []string {
	return slices.Sorted(maps.Keys(counts))
}
