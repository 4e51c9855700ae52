package muster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/internal/cli"
)

// playedCommand is a command of docs/simulation.md with its flags, and the head of the table behind it.
var playedCommand = regexp.MustCompile(`(?m)^\$ go run ./cmd/muster simulate (.*)\n(?:.*\n)?(?:.*\n)?\n(.*)$`)

// A small version of each table of docs/simulation.md can be played, and has its columns and as many lines; that of the example is the one that is shown.
func TestSimulationsOfDocs(t *testing.T) {
	page := read(t, "docs/simulation.md")
	found := playedCommand.FindAllStringSubmatch(page, -1)
	require.Len(t, found, strings.Count(page, "$ go run"))
	require.Greater(t, len(found), 3)
	for _, c := range found {
		args := strings.Fields(regexp.MustCompile(`-gangs \d+`).ReplaceAllString(c[1], "-gangs 20"))
		for i, a := range args {
			if strings.HasPrefix(a, "seed=") {
				args[i] = "seed=1,2"
			}
		}
		var out, said strings.Builder
		require.Zero(t, cli.Simulate(args, nil, &out, &said), said.String())
		require.Empty(t, said.String())
		lines := strings.Split(out.String(), "\n")
		i := 0
		for lines[i] != "" {
			i++
		}
		require.Equal(t, strings.Fields(c[2]), strings.Fields(lines[i+1]), c[1])
		if strings.Contains(c[1], "examples/") { // played as they stand there
			require.Contains(t, page, "```text\n$ go run ./cmd/muster simulate "+c[1]+"\n"+out.String()+"```\n")
		}
		_, rest, _ := strings.Cut(page, c[2]+"\n")
		rows, _, _ := strings.Cut(rest, "\n```")
		require.Equal(t, strings.Count(rows, "\n")+1, len(lines)-i-3, c[1])
	}
}

// ofData is a command of docs/simulation.md on files of others.
var ofData = regexp.MustCompile("(?m)^\\$ muster simulate (.*)\n(.*\n.*\n\n.*\n.*)$")

// The tables on files of others begin with what comes of them.
func TestSimulationsOfData(t *testing.T) {
	page := read(t, "docs/simulation.md")
	found := ofData.FindAllStringSubmatch(page, -1)
	require.Len(t, found, strings.Count(page, "$ muster simulate"))
	require.NotEmpty(t, found)
	for _, c := range found {
		args := strings.Fields(regexp.MustCompile(`(seed=\d+)[,\d]*`).ReplaceAllString(c[1], "$1"))
		for i, a := range args {
			if !strings.HasSuffix(a, ".csv") {
				continue
			}
			if args[i] = filepath.Join("..", "shared", "data", "openb", a); !exists(args[i]) {
				t.Skip("not there: ", args[i])
			}
		}
		var out, said strings.Builder
		require.Zero(t, cli.Simulate(args, nil, &out, &said), said.String())
		require.Equal(t, c[2]+"\n", out.String())
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
