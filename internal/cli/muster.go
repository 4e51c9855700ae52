package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/muster-sched/muster/internal/known"
)

// subcommand is one of the commands of muster.
type subcommand struct {
	name, does string
	// usage is what stands before its flags in the help.
	usage string
	// flags are its flags, for the help and completions.
	flags func() *flag.FlagSet
	// words may stand behind it in place of files.
	words []string
	run   func(args []string, stdin io.Reader, stdout, stderr io.Writer) int
}

// subcommands are the commands of muster, the most used first.
func subcommands() []subcommand {
	return []subcommand{
		{name: "plan", does: "where every waiting gang of some files goes, and why one does not start", usage: usage, flags: planFlags, run: Run},
		{name: "topology", does: "which trees the files of a network make, in other formats too, and what changed", usage: topologyUsage, flags: topologyFlags, run: Topology},
		{name: "simulate", does: "how long a stream of gangs waits on a cluster, by disciplines, loads and placers", usage: simulateUsage, flags: simulateFlags, words: []string{}, run: Simulate},
		{name: "version", does: "which version of muster this is", usage: versionUsage, flags: noFlags, words: []string{}, run: version},
		{name: "completion", does: "commands and flags for the completion of bash or zsh", usage: completionUsage, flags: noFlags, words: shells, run: completion},
	}
}

// planFlags, topologyFlags, simulateFlags and noFlags are flags whose values nobody looks at.
func planFlags() *flag.FlagSet {
	flags := flag.NewFlagSet("plan", flag.ContinueOnError)
	_ = new(settings).define(flags)
	return flags
}

func topologyFlags() *flag.FlagSet {
	flags := flag.NewFlagSet("topology", flag.ContinueOnError)
	_ = new(topologySettings).define(flags)
	return flags
}

func simulateFlags() *flag.FlagSet {
	flags := flag.NewFlagSet("simulate", flag.ContinueOnError)
	_ = new(simulateSettings).define(flags)
	return flags
}

func noFlags() *flag.FlagSet { return flag.NewFlagSet("", flag.ContinueOnError) }

const musterUsage = `usage: muster COMMAND [flags] [FILE...]

Muster says where the gangs of a cluster go, how tight the network domain is that they share, and who must leave.

Commands:
%s  %-10s  flags and examples of a command: muster help plan

Examples:
  muster plan cluster.yaml jobs/                   plans all gangs of the files
  muster plan -explain ns/train dump.json          says also why ns/train does not start
  muster topology -from ufm -to slurm ports.json   writes Slurm's topology.conf
  muster simulate -sweep load=75,85,95             says how long gangs wait by load

Exit status: 0 the command did what it says; 1 its input cannot be used; 2 the command line cannot be used. Each command says more.
`

// Muster runs the command muster with the arguments after its name and returns the exit status.
func Muster(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch name {
	case "-h", "-help", "--help":
		tellCommands(stdout)
		return ok
	case "-v", "-version", "--version":
		name = "version"
	case "help":
		return help(args[1:], stdout, stderr)
	}
	if c := commandCalled(name); c != nil {
		return c.run(args[1:], stdin, stdout, stderr)
	}
	tellMisuse(stderr, "", noCommand(name))
	return misuse
}

// commandCalled is the command with a name, nil if there is none.
func commandCalled(name string) *subcommand {
	all := subcommands()
	i := slices.IndexFunc(all, func(c subcommand) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// names are those of all commands.
func names() (all []string) {
	for _, c := range subcommands() {
		all = append(all, c.name)
	}
	return append(all, "help")
}

// noCommand says that no command has a name, and which one may be meant: who names a file or a flag at once wants a plan.
func noCommand(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("no command given: one of %s", strings.Join(names(), ", "))
	case strings.HasPrefix(name, "-") || strings.ContainsAny(name, "./"):
		return fmt.Errorf("%q: no command; files are planned by muster plan", name)
	}
	return fmt.Errorf("%q: not one of %s; the nearest one is %s", name, strings.Join(names(), ", "), known.Nearest(name, names()))
}

// help tells what there is, or all about one command.
func help(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "help" {
		tellCommands(stdout)
		return ok
	}
	c := commandCalled(args[0])
	if c == nil {
		tellMisuse(stderr, "", noCommand(args[0]))
		return misuse
	}
	tellFlags(stdout, c.usage, c.flags())
	return ok
}

// tellCommands lists the commands.
func tellCommands(w io.Writer) {
	var lines strings.Builder
	for _, c := range subcommands() {
		fmt.Fprintf(&lines, "  %-10s  %s\n", c.name, c.does)
	}
	fmt.Fprintf(w, musterUsage, lines.String(), "help")
}

// tellFlags prints all there is to say about a command.
func tellFlags(w io.Writer, usage string, flags *flag.FlagSet) {
	fmt.Fprint(w, usage)
	flags.SetOutput(w)
	flags.PrintDefaults()
}

// tellMisuse says in two lines what is wrong with a command line, and where it is said how it is right.
func tellMisuse(w io.Writer, command string, err error) {
	say(w, err)
	if command == "" {
		fmt.Fprintln(w, "muster help lists the commands")
		return
	}
	fmt.Fprintf(w, "muster help %s has the flags and examples\n", command)
}

// plain reads the arguments of a command without files: words, as many as it takes.
func plain(name string, args []string, stdout, stderr io.Writer) (words []string, status int, ends bool) {
	c := commandCalled(name)
	flags := c.flags()
	flags.Init(name, flag.ContinueOnError)
	switch err := parseFiles(flags, args, c.usage, stdout, &words); {
	case errors.Is(err, flag.ErrHelp):
		return nil, ok, true
	case err != nil:
		tellMisuse(stderr, name, err)
		return nil, misuse, true
	}
	return words, ok, false
}
