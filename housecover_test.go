package muster_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// way is how much of the module the simplest plan goes through.
type way struct{ functions, files, packages int }

// simplestWay may only get shorter; the goal is 130 functions in 22 files of 9 packages. Ten functions came when the span was counted on every layer,
// which asks what lies below a domain, and when a request could name the domain in which its members must be.
var simplestWay = way{282, 64, 22}

// TestSimplestPlanIsShort counts the functions that a plan of four members of one shape, gathered in a rack, runs through.
func TestSimplestPlanIsShort(t *testing.T) {
	slow(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "simplest")
	output(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", program, "./internal/simplest")
	t.Setenv("GOCOVERDIR", t.TempDir()) // of the program as a whole
	output(t, program, folder)
	var names, files, packages []string
	for line := range strings.Lines(output(t, "go", "tool", "covdata", "func", "-i="+folder)) {
		parts := strings.Fields(line) // file:line:, function, share of its statements
		file, _, _ := strings.Cut(parts[0], ":")
		if parts[len(parts)-1] == "0.0%" || !strings.HasPrefix(file, module) || strings.Contains(file, "internal/simplest") {
			continue
		}
		names, files, packages = append(names, parts[0]), append(files, file), append(packages, path.Dir(file))
	}
	slices.Sort(files)
	slices.Sort(packages)
	got := way{len(names), len(slices.Compact(files)), len(slices.Compact(packages))}
	require.Equal(t, simplestWay, got, "functions, files and packages of the simplest plan: they may only get fewer, so note it")
}

// ownCoverage are the packages of the core of whose statements their own tests run less than 80 %, in whole percent, a little less than they were seen to run. It may only rise.
var ownCoverage = map[string]int{}

var covered = regexp.MustCompile(`^(?:ok)?\s+(\S+)\s.*coverage: (\d+)\.\d% of statements`)

// TestCoreIsTestedByItself asks of each package of the core how much of it its own tests run.
func TestCoreIsTestedByItself(t *testing.T) {
	slow(t)
	args := []string{"test", "-short", "-cover"}
	for _, name := range core {
		args = append(args, "./"+name)
	}
	seen := 0
	for line := range strings.Lines(output(t, "go", args...)) {
		parts := covered.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		seen++
		name := strings.TrimPrefix(parts[1], module+"/")
		share, err := strconv.Atoi(parts[2])
		require.NoError(t, err)
		least, stands := ownCoverage[name]
		switch {
		case !stands && share < 80:
			t.Errorf("package %q: its own tests run %d %% of it, at least 80 %% is the goal", name, share)
		case stands && share < least:
			t.Errorf("package %q: its own tests run %d %% of it, %d %% stand in the table", name, share, least)
		case stands && share > least+4: // draws differ
			t.Errorf("package %q: its own tests run %d %% of it: note it in the table", name, share)
		}
	}
	require.Equal(t, len(core), seen)
}

// slow skips what builds the module once more, unless somebody asks for it.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("MUSTER_HOUSE") == "" {
		t.Skip("it builds the module once more: MUSTER_HOUSE=1 asks for it")
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	return string(out)
}
