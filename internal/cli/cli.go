// Package cli is the command muster: files in, plans and networks out, and streams of gangs that are played. It is a package so
// that the command, its tests and the case harness are one code.
package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
	"github.com/muster-sched/muster/placement/manifest"
	"github.com/muster-sched/muster/placement/render"
)

const usage = `usage: muster plan [flags] FILE...

Reads Kubernetes-style objects (YAML documents, JSON, Lists) and plans every gang that has a pod without a node, in
queue order, each on what the ones before it left. A directory stands for all its *.yaml, *.yml and *.json files, in
natural order; - is standard input. Flags may also stand after files; -- ends them.

The plan goes to standard output, drawn on the tree, a cell for each node: a capital letter is a new member, one letter
a group; + one of no group beside groups, = a member of the gang that runs already, . a free slot, ~ one that a leaving
member holds, - one where a victim leaves and nobody comes, x one that others hold, # one on a node out of service; 0 is
a node that could never take a member. On a terminal they have colours, unless NO_COLOR is set. Standard error tells what
was read and has no part in the plan: kinds that are skipped, notices, rules that are not modelled, what is wrong.

Examples:
  muster plan cluster.yaml jobs/              plans all gangs of the files
  muster plan -keep-going -o json dump.json   plans what can be planned, as JSON
  muster plan -explain ns/train dump.json     says also why ns/train does not start, and what would make it start
  muster plan -moves -summary dump.json       says also which running gangs would have to move where, so that others fit
  muster plan -places -o json cluster.yaml    says also where each pod is, with labels and environment for its launcher
  muster plan -without node/n1 dump.json      plans as if there were no such node; domain/row1/rack2: none of its nodes
  muster plan -return 'node/gpu-*' dump.json  plans as if these nodes were back in service
  muster plan -o svg cluster.yaml > now.svg   draws what is there and where it goes, for a browser

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

// Run runs the plan command with the arguments after its name and returns the exit status. The plan goes to stdout,
// whatever else there is to say to stderr.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	_, err := Execute(args, stdin, stdout, stderr)
	return status(err, stderr)
}

// status is the exit status that an error stands for; what the user was not told of is said.
func status(err error, stderr io.Writer) int {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return ok
	case errors.Is(err, errMisuse):
		return misuse
	case errors.Is(err, errUnplaced):
		return unplaced
	}
	say(stderr, err)
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
	return set.execute(files, stdin, stdout, stderr)
}

// execute plans files and prints what the flags ask for.
func (set *settings) execute(files []manifest.File, stdin io.Reader, stdout, stderr io.Writer) (*Planned, error) {
	added, err := load(set.added, stdin, stderr)
	if err != nil {
		return nil, err
	}
	trees, err := set.trees(stdin, stderr)
	if err != nil {
		return nil, err
	}
	p, err := Plan(files, Options{
		Trees: trees, Layers: set.layers, Strict: set.strict, KeepGoing: set.keepGoing, Policy: set.policy, QuotaLimit: set.limit, Discipline: set.discipline, Now: set.now, NUMAExclusive: set.exclusive,
		Topology: cmp.Or(set.topology, onlyName(trees)), Standing: set.running, Movers: set.moves || set.explain.all || len(set.explain.gangs) > 0, Added: added, WithoutNodes: set.without.nodes, WithoutDomains: set.without.domains,
		WithoutGangs: set.without.gangs, Returned: set.returned,
	})
	if p != nil {
		set.given.forgetFiles(p)
		sayChanges(stderr, set, p.Input)
		report(stderr, p, set.keepGoing)
	}
	if err != nil {
		err = nobodyHas(err)
		if unknown := unknownName(""); !set.keepGoing && !errors.Is(err, errNoNodes) && !errors.As(err, &unknown) {
			err = errors.Join(err, errors.New("-keep-going plans the rest"))
		}
		return p, err
	}
	if err := p.explain(&set.explain); err != nil {
		return p, err
	}
	if set.places {
		if err := p.places(); err != nil {
			return p, err
		}
	}
	if err := set.given.part(p).write(stdout, set); err != nil {
		return p, err
	}
	if set.failUnplaced && slices.ContainsFunc(p.Outcomes, func(o render.Outcome) bool { return o.Err != nil }) {
		return p, errUnplaced
	}
	return p, nil
}

// say writes an error, each of those that are joined in lines of its own.
func say(w io.Writer, err error) {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, e := range joined.Unwrap() {
			say(w, e)
		}
		return
	}
	var of *fs.PathError
	if errors.As(err, &of) { // which has the path as it is
		printed.Fprintln(w, err.Error())
		return
	}
	fmt.Fprintln(w, printed.Lines(err.Error()))
}

// report says on stderr what was read but has no part in the plan.
func report(stderr io.Writer, p *Planned, keepGoing bool) {
	for _, s := range p.Input.Skipped {
		printed.Fprintf(stderr, "%s %s: a kind that is not read, skipped (objects: %d)\n", s.APIVersion, s.Kind, s.Count)
	}
	for _, n := range merged(p.Input.Notices) {
		printed.Fprintln(stderr, n)
	}
	for _, err := range p.Input.Defects {
		say(stderr, err)
	}
	for _, line := range ignoredRules(p.Outcomes) {
		printed.Fprintln(stderr, line)
	}
	for _, o := range p.Outcomes {
		if keepGoing && o.Err != nil && !errors.Is(o.Err, placement.ErrUnschedulable) {
			say(stderr, o.Err)
		}
	}
}
