// Command mutants answers: which lines may break, and no test sees it? It draws mutants of packages (a comparison relaxed or
// turned round, a statement left out, a constant off by one), builds all of them at once into the test binaries, each
// switched on by a variable of the environment, and runs the tests on one after the other until a test fails:
//
//	go run ./internal/mutants -n 20 -seed 1 ./internal/victims ./internal/snapshot
//	go run ./internal/mutants -n 0 -at 'trials.go:.* (fits|trial)$' ./internal/victims
//
// First come the tests of the package itself, then those that see most by -short, then all that depend on the package.
// The tree is not changed. Survivors are listed with their line as it is (-) and as it was (+); either a new test kills
// one, or it changes nothing that anybody can see.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
)

func main() {
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// options of a run.
type options struct {
	count    int
	seed     uint64
	at       *regexp.Regexp // of `file.go:line function`
	stages   int
	atOnce   int
	list     bool
	packages []string
	dir      string        // where the go command runs; empty: here
	skip     string        // a regular expression of tests that the first two stages leave out
	short    []string      // packages of the second stage
	patience time.Duration // of the processor, beside some times what the tests take without a mutant
}

// seeing are the packages, and which of their tests, that by -short see most of what the planner does: those that fail soonest come first.
var seeing = []string{
	"./internal/victims", "./internal/cli", "./internal/cases", "./placement ^TestScenarios$", "./internal/reference", "./placement", "./internal/search",
}

// command parses the arguments and runs.
func command(args []string, out io.Writer) error {
	o, set := options{short: seeing, patience: 10 * time.Second}, flag.NewFlagSet("mutants", flag.ContinueOnError)
	set.IntVar(&o.count, "n", 20, "mutants drawn from each package, at most one of a place; 0: all of all places")
	set.Uint64Var(&o.seed, "seed", 1, "which mutants are drawn")
	set.IntVar(&o.stages, "stages", 3, "1: own tests; 2: and those that see most, by -short; 3: and all that depend on the package")
	set.IntVar(&o.atOnce, "p", 2, "mutants that are tested at the same time")
	set.BoolVar(&o.list, "list", false, "list the mutants, and run nothing")
	set.StringVar(&o.skip, "skip", "^(FuzzPlanIsBounded|TestWorstInputs|TestNoPlanTakesMoreSteps)$", "tests that the first two stages leave out, as they take long and see little")
	at := set.String("at", "", "a regular expression: only mutants whose `file.go:line function` it matches")
	if err := set.Parse(args); err != nil {
		return err
	}
	var err error
	if o.at, err = regexp.Compile(*at); err != nil {
		return err
	}
	if o.packages = set.Args(); len(o.packages) == 0 {
		return fmt.Errorf("no packages are named")
	}
	return run(&o, out)
}

// run draws mutants, builds and tests them.
func run(o *options, out io.Writer) error {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a folder of our own under the temporary one
	packages, err := load(o)
	if err != nil {
		return err
	}
	var all []*mutant
	for _, p := range packages {
		drawn := p.draw(o, len(all))
		if p.drawn = drawn; len(drawn) == 0 {
			return fmt.Errorf("%s has no such mutants", p.ImportPath)
		}
		all = append(all, drawn...)
	}
	if o.list {
		for _, m := range all {
			fmt.Fprint(out, m)
		}
		return nil
	}
	r, err := build(o, packages, work)
	if err != nil {
		return err
	}
	for _, s := range r.stages[:min(o.stages, len(r.stages))] {
		if err := r.test(s, packages, out); err != nil {
			return err
		}
		fmt.Fprintf(out, "\nAfter the tests of stage %s:\n", s.name)
		report(packages, out)
	}
	return nil
}

// report says for each package how many mutants were killed, and lists those that were not.
func report(packages []*target, out io.Writer) {
	var survivors strings.Builder
	killed, total := 0, 0
	fmt.Fprintln(out)
	for _, p := range packages {
		n := 0
		for _, m := range p.drawn {
			if m.killer != "" {
				n++
			} else {
				survivors.WriteString(m.String())
			}
		}
		fmt.Fprintf(out, "%3d of %3d killed  %s\n", n, len(p.drawn), p.ImportPath)
		killed, total = killed+n, total+len(p.drawn)
	}
	fmt.Fprintf(out, "%3d of %3d killed\n", killed, total)
	if killed < total {
		fmt.Fprintf(out, "\nSurvivors:\n%s", survivors.String())
	}
}
