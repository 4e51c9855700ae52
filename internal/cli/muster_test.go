package cli

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/muster-sched/muster/placement"
)

// called runs the whole command.
func called(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = Muster(args, strings.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

func TestMusterRunsItsCommands(t *testing.T) {
	status, out, _ := called(t, node+"---"+pod, "plan", "-summary", "-")
	require.Equal(t, ok, status)
	require.Contains(t, out, "default/good: placed")
	status, out, _ = called(t, slurmConf, "topology", "-from", "slurm", "-to", "list", "-")
	require.Equal(t, ok, status)
	require.Contains(t, out, `"name":"s1"`)
	for _, args := range [][]string{{"version"}, {"-version"}, {"--version"}, {"-v"}} {
		status, out, _ = called(t, "", args...)
		require.Equal(t, ok, status, args)
		require.Regexp(t, fmt.Sprintf(`^muster \S+\nbehavior %d\ngo\S+\n$`, placement.Behavior), out)
	}
	require.Equal(t, "v1.2.3", moduleVersion(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}))
	require.Equal(t, "(unknown)", moduleVersion(nil))
	require.Equal(t, "go(unknown)", goVersion(nil))
}

// Exit statuses are those of the commands.
func TestMusterKeepsStatuses(t *testing.T) {
	full := strings.ReplaceAll(node, `cpu: "4"`, `cpu: "0"`) + "---" + pod
	for _, c := range []struct {
		stdin string
		args  []string
		want  int
	}{
		{full, []string{"plan", "-"}, ok},
		{full, []string{"plan", "-fail-unplaced", "-"}, unplaced},
		{badPod, []string{"plan", "-"}, failed},
		{"", []string{"plan"}, misuse},
		{"hello", []string{"topology", "-"}, failed},
		{"", []string{"topology"}, misuse},
		{"", nil, misuse},
	} {
		status, _, _ := called(t, c.stdin, c.args...)
		require.Equal(t, c.want, status, c.args)
	}
}

// A command line that cannot be used is told of in two lines: what is wrong, and where it is said how it is right.
func TestMisuseIsToldInTwoLines(t *testing.T) {
	const of, forPlan = "muster help lists the commands\n", "muster help plan has the flags and examples\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no command given: one of plan, topology, simulate, version, completion, help\n" + of},
		{[]string{"plna"}, "\"plna\": not one of plan, topology, simulate, version, completion, help; the nearest one is plan\n" + of},
		{[]string{"a.yaml"}, "\"a.yaml\": no command; files are planned by muster plan\n" + of},
		{[]string{"-explain", "a"}, "\"-explain\": no command; files are planned by muster plan\n" + of},
		{[]string{"help", "plane"}, "\"plane\": not one of plan, topology, simulate, version, completion, help; the nearest one is plan\n" + of},
		{[]string{"plan"}, "no files given\n" + forPlan},
		{[]string{"plan", "-o", "png", "a"}, "-o \"png\": not one of text, json, svg\n" + forPlan},
		{[]string{"plan", "-explian", "a"}, "flag provided but not defined: -explian; the nearest one is -explain\n" + forPlan},
		{[]string{"plan", "-a\n\x1b[2J", "a"}, `flag provided but not defined: -a\n\x1b[2J; the nearest one is -add` + "\n" + forPlan},
		{[]string{"plan", "-explain-plans", "x", "a"}, "invalid value \"x\" for flag -explain-plans: parse error\n" + forPlan},
		{[]string{"plan", "-without", "x", "a"}, "invalid value \"x\" for flag -without: not node/NAME, domain/PATH or gang/NS/NAME\n" + forPlan},
		{[]string{"topology", "-to", "ufm", "a"}, "-to \"ufm\": not one of configmap, hypernodes, list, node-labels, slurm, slurm-yaml, text, topograph\nmuster help topology has the flags and examples\n"},
		{[]string{"version", "x"}, "\"x\": version takes no arguments\nmuster help version has the flags and examples\n"},
		{[]string{"version", "-x"}, "flag provided but not defined: -x\nmuster help version has the flags and examples\n"},
		{[]string{"completion"}, "for which shell? one of bash, zsh\nmuster help completion has the flags and examples\n"},
		{[]string{"completion", "fish"}, "for which shell? one of bash, zsh\nmuster help completion has the flags and examples\n"},
	} {
		status, out, said := called(t, "", c.args...)
		require.Equal(t, misuse, status, c.args)
		require.Empty(t, out, c.args)
		require.Equal(t, c.want, said, c.args)
	}
}

// Help goes to standard output, by any of its names, and has examples of every command.
func TestHelpOfCommands(t *testing.T) {
	_, all, _ := called(t, "", "help")
	for _, args := range [][]string{{"-h"}, {"-help"}, {"--help"}, {"help", "help"}} {
		status, out, said := called(t, "", args...)
		require.Equal(t, ok, status)
		require.Equal(t, all, out)
		require.Empty(t, said)
	}
	for _, c := range subcommands() {
		require.Contains(t, all, "\n  "+c.name)
		status, out, said := called(t, "", "help", c.name)
		require.Equal(t, ok, status)
		require.Empty(t, said)
		require.Contains(t, out, "usage: muster "+c.name)
		require.Regexp(t, `\n  (muster|eval "\$\(muster) `+c.name, out, "an example")
		require.Contains(t, out, "Exit status: 0")
		for _, f := range completedFlags(c.flags()) {
			require.Contains(t, out, "\n  -"+f.name)
		}
		for _, flag := range []string{"-h", "--help"} {
			status, same, _ := called(t, "", c.name, flag)
			require.Equal(t, ok, status)
			require.Equal(t, out, same)
		}
	}
}

// shell runs a script of a shell, which may not be there.
func shell(t *testing.T, name, script string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// What bash completes is what there is: commands, flags, values.
func TestCompletionOfBash(t *testing.T) {
	status, script, _ := called(t, "", "completion", "bash")
	require.Equal(t, ok, status)
	require.Empty(t, shell(t, "bash", script, "-n"))
	for _, c := range []struct {
		words []string // the last one is completed
		want  string
	}{
		{[]string{""}, "plan topology simulate version completion help"},
		{[]string{"ver"}, "version"},
		{[]string{"help", "t"}, "topology"},
		{[]string{"completion", ""}, "bash zsh"},
		{[]string{"plan", "-ma"}, "-max-fit"},
		{[]string{"plan", "--ma"}, "-max-fit"},
		{[]string{"plan", "a.yaml", "-exp"}, "-explain -explain-plans"},
		{[]string{"plan", "-o", ""}, "text json svg"},
		{[]string{"plan", "--o", "j"}, "json"},
		{[]string{"plan", "-o", "=", "j"}, "json"},
		{[]string{"plan", "-o", "="}, "text json svg"},
		{[]string{"plan", "-policy", "b"}, "bestfit balanced byscore"},
		{[]string{"plan", "-add", ""}, ""},
		{[]string{"plan", ""}, ""}, // bash names files
		{[]string{"topology", "-to", "slurm-"}, "slurm-yaml"},
		{[]string{"simulate", "-discipline", "con"}, "conservative"},
		{[]string{"simulate", "-p"}, "-paired -pause -placer"},
		{[]string{"simulate", ""}, ""},
		{[]string{"topology", "-from", "slurm-"}, "slurm-yaml"},
		{[]string{"version", ""}, ""},
	} {
		words := "muster"
		for _, w := range c.words {
			words += " " + quoted(w)
		}
		out := shell(t, "bash", script+"\nCOMP_WORDS=("+words+"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _muster; echo \"${COMPREPLY[*]}\"\n")
		require.Equal(t, c.want, strings.TrimSpace(out), c.words)
	}
	require.Contains(t, shell(t, "bash", script+"\ncomplete -p muster\n"), "-F _muster muster")
}

// zsh is told of every flag, in words in which it does not read signs of its own.
func TestCompletionOfZsh(t *testing.T) {
	status, script, _ := called(t, "", "completion", "zsh")
	require.Equal(t, ok, status)
	require.Empty(t, shell(t, "zsh", script, "-f", "-n"))
	const ask = "\n_arguments() { print -rl -- \"$@\" }\n_describe() { print -rl -- $commands }\nwords=(muster %s ''); CURRENT=$#words; _muster\n"
	told := func(words string) []string {
		out := shell(t, "zsh", "compdef() { }\n"+script+fmt.Sprintf(ask, words), "-f")
		return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
	require.Len(t, told(""), len(names()))
	for _, c := range subcommands() {
		all := told(c.name)
		for _, f := range completedFlags(c.flags()) {
			require.Contains(t, all, zshFlag(&f), c.name)
		}
	}
	require.Contains(t, told("plan"), "-o[output\\: text, json, svg (a picture)]:o:(text json svg)")
	require.Contains(t, told("plan"), "*:file:_files")
	require.Contains(t, told("simulate"), "-o[output\\: text, json, jsonl, csv, html (jsonl\\: a line of what is the same for all, then one for each stream; html\\: a page with plots, for a browser)]:o:(text json jsonl csv html)")
	require.Contains(t, told("completion"), "1:word:(bash zsh)")
}
