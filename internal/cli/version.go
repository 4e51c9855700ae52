package cli

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/muster-sched/muster/internal/printed"
	"github.com/muster-sched/muster/placement"
)

const versionUsage = `usage: muster version

Prints the version of the module that this command was built from, of its decisions (placement.Behavior: raised whenever the same
input may give another plan), and of the Go that built it, a line each.

Example:
  muster version    says, for example, muster v1.2.0, behavior 8, go1.25.4

Exit status: 0; 2 the command line cannot be used.
`

// version runs the version command.
func version(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	words, status, ends := plain("version", args, stdout, stderr)
	switch {
	case ends:
		return status
	case len(words) > 0:
		tellMisuse(stderr, "version", fmt.Errorf("%q: version takes no arguments", words[0]))
		return misuse
	}
	build, _ := debug.ReadBuildInfo()
	printed.Fprintf(stdout, "muster %s\nbehavior %d\n%s\n", moduleVersion(build), placement.Behavior, goVersion(build))
	return ok
}

// moduleVersion is the version of the module as the build knows it.
func moduleVersion(build *debug.BuildInfo) string {
	if build == nil || build.Main.Version == "" {
		return "(unknown)" // built without modules
	}
	return build.Main.Version
}

func goVersion(build *debug.BuildInfo) string {
	if build == nil || build.GoVersion == "" {
		return "go(unknown)"
	}
	return build.GoVersion
}
