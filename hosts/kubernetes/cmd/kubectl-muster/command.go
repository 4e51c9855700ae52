package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/muster-sched/muster/internal/cli"
	"github.com/muster-sched/muster/internal/printed"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit statuses, which are those of muster plan.
const (
	failed = 1 // the cluster cannot be read, or what it has not be used: nothing was planned
	misuse = 2 // the command line cannot be used
)

// question is one of the commands.
type question struct {
	use, short, examples string
	args                 cobra.PositionalArgs
	// flags are those of muster plan that it has.
	flags []string
	// ask says what is asked for, of a namespace that the command line or the context names.
	ask func(q *cli.Given, args []string, namespace string) error
}

// The flags of muster plan that say what plans are made of, how they are made, and what is printed beside them.
var (
	reading  = []string{"o", "topology", "layers", "fabric"}
	planning = append([]string{"policy", "numa-exclusive", "quota-limit", "strict"}, reading...)
	printing = append([]string{"summary", "places", "quotas", "fail-unplaced"}, planning...)
	changing = append([]string{"without", "return", "add"}, printing...)
)

func nothingMore(*cli.Given, []string, string) error { return nil }

// questions are all of them.
func questions() []question {
	return []question{
		{
			use: "plan", short: "Where every gang that waits goes, each on what the ones before it left", args: cobra.NoArgs, flags: printing, ask: nothingMore,
			examples: "  kubectl muster plan -A             the gangs of all namespaces\n  kubectl muster plan -n team        those of one; those of others are planned too, and not printed\n" +
				"  kubectl muster plan -A -o svg      a picture for a browser",
		},
		{
			use: "why NS/NAME", short: "Why a gang does not start at once, and what would make it start", args: cobra.ExactArgs(1),
			flags: append([]string{"explain-plans"}, planning...), ask: askWhy,
			examples: "  kubectl muster why team/train      a gang, or a JobSet, a Job, a RayJob of that name that makes gangs\n  kubectl muster why train           the same in the namespace of the context",
		},
		{
			use: "fit", short: "How large a gang fits in one domain of each layer, for each shape that gangs ask for that wait", args: cobra.NoArgs, flags: reading,
			ask:      func(q *cli.Given, _ []string, _ string) error { q.MaxFit = true; return nil },
			examples: "  kubectl muster fit -A",
		},
		{
			use: "what-if", short: "Where gangs would go if something were not there, came back, or were added", args: cobra.NoArgs, flags: changing, ask: nothingMore,
			examples: "  kubectl muster what-if -A --without node/n1              as if there were no such node\n  kubectl muster what-if -A --without domain/row1/rack2    none of its nodes\n" +
				"  kubectl muster what-if -A --return 'node/gpu-*'          as if these were in service again",
		},
		{
			use: "running", short: "How the gangs lie that run, worst first, and where each could lie", args: cobra.NoArgs, flags: reading,
			ask:      func(q *cli.Given, _ []string, _ string) error { q.Running = true; return nil },
			examples: "  kubectl muster running -n team",
		},
	}
}

// askWhy asks for the gang that an argument names.
func askWhy(q *cli.Given, args []string, namespace string) error {
	name := args[0]
	if !strings.Contains(name, "/") {
		name = namespace + "/" + name
	}
	if ns, gang, _ := strings.Cut(name, "/"); ns == "" || gang == "" || strings.Contains(gang, "/") {
		return fmt.Errorf("%q: not NS/NAME", args[0])
	}
	q.Explain, q.Asked = []string{name}, "why"
	return nil
}

// errMisuse is an error of the command line.
type errMisuse struct{ error }

// run runs the command with the arguments after its name and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	status := 0
	root := &cobra.Command{
		Use: "kubectl-muster", Short: "Where the gangs of a cluster go, how tight the network domain is that they share, and who must leave",
		Long: "Says where the gangs of a cluster go, how tight the network domain is that they share, and who must leave. It gets and lists\n" +
			"objects and changes none. Objects that its user may not list are missing in the plan, which is told.",
		Annotations:  map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl muster"},
		SilenceUsage: true, SilenceErrors: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errMisuse{errors.New("no command given: one of plan, why, fit, what-if, running")}
		},
	}
	for _, q := range questions() {
		root.AddCommand(q.command(&status))
	}
	root.AddCommand(&cobra.Command{Use: "version", Short: "Which version of the library this is", Args: cobra.NoArgs, Run: func(*cobra.Command, []string) {
		status = cli.Muster([]string{"version"}, strings.NewReader(""), stdout, stderr)
	}})
	root.SetArgs(args)
	root.SetIn(strings.NewReader(""))
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return errMisuse{err} })
	if err := root.ExecuteContext(ctx); err != nil {
		return tell(stderr, err)
	}
	return status
}

// tell says what went wrong, and returns the exit status. What cobra itself refuses is a word on the command line.
func tell(stderr io.Writer, err error) int {
	var failure errFailure
	if errors.As(err, &failure) {
		fmt.Fprintln(stderr, printed.Lines(failure.Error()))
		return failed
	}
	fmt.Fprintln(stderr, printed.Lines(err.Error()))
	fmt.Fprintln(stderr, "kubectl muster COMMAND --help has the flags and examples")
	return misuse
}

// errFailure is an error of the cluster.
type errFailure struct{ error }

// command is the question as a command, which sets the status that it exits with.
func (q *question) command(status *int) *cobra.Command {
	var given cli.Given
	var from connection
	c := &cobra.Command{Use: q.use, Short: q.short, Example: q.examples, Args: q.args}
	from.define(c.Flags())
	addFlags(c.Flags(), &given, q.flags)
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Name() == "what-if" && !changes(c.Flags()) {
			return errMisuse{errors.New("what-if: no change given: --without, --return or --add")}
		}
		if err := errors.Join(from.check(), given.Check()); err != nil {
			return errMisuse{err}
		}
		config, namespace, err := from.config()
		if err != nil {
			return errFailure{err}
		}
		if !from.everywhere {
			given.Only = func(gang string) bool { return strings.HasPrefix(gang, namespace+"/") }
		}
		if err := q.ask(&given, args, namespace); err != nil {
			return errMisuse{err}
		}
		if err := given.Check(); err != nil { // with what is asked for
			return errMisuse{err}
		}
		files, err := from.read(c.Context(), config, c.ErrOrStderr())
		if err != nil {
			return errFailure{err}
		}
		*status = given.Plan(files, c.OutOrStdout(), c.ErrOrStderr())
		return nil
	}
	return c
}

// inCluster says of a cluster what is said of files.
var inCluster = strings.NewReplacer("the files have", "the cluster has", "the files", "the cluster")

// addFlags adds flags of muster plan by their names there.
func addFlags(to *pflag.FlagSet, given *cli.Given, names []string) {
	all := given.Flags()
	for _, name := range names {
		f := pflag.PFlagFromGoFlag(all.Lookup(name))
		f.Usage = inCluster.Replace(f.Usage)
		if name == "o" {
			f.Name, f.Shorthand = "output", "o"
		}
		to.AddFlag(f)
	}
}

// changes says whether one of the flags is given that change what the cluster has.
func changes(flags *pflag.FlagSet) bool {
	return flags.Changed("without") || flags.Changed("return") || flags.Changed("add")
}
