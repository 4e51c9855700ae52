package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// shells are those whose completion is written.
var shells = []string{"bash", "zsh"}

const completionUsage = `usage: muster completion bash|zsh

Prints a script with which a shell completes commands, flags, and the values of flags of which few are known.

Examples:
  eval "$(muster completion bash)"    in ~/.bashrc
  eval "$(muster completion zsh)"     in ~/.zshrc, behind compinit

Exit status: 0; 2 the command line cannot be used.
`

// completion runs the completion command.
func completion(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	words, status, ends := plain("completion", args, stdout, stderr)
	switch {
	case ends:
		return status
	case len(words) != 1 || !slices.Contains(shells, words[0]):
		tellMisuse(stderr, "completion", fmt.Errorf("for which shell? one of %s", strings.Join(shells, ", ")))
		return misuse
	case words[0] == "bash":
		writeBash(stdout)
	default:
		writeZsh(stdout)
	}
	return ok
}

// completed is a flag as shells complete it.
type completed struct {
	name, does string
	again      bool     // it may be given more than once
	alone      bool     // no value stands behind it
	values     []string // those that are known
	file       bool     // its value is the name of a file
}

// completedFlags are the flags of a command, by their names.
func completedFlags(flags *flag.FlagSet) (all []completed) {
	flags.VisitAll(func(f *flag.Flag) {
		value, does := flag.UnquoteUsage(f)
		c := completed{name: f.Name, does: does, file: value == "FILE"}
		if b, is := f.Value.(interface{ IsBoolFlag() bool }); is {
			c.alone = b.IsBoolFlag()
		}
		switch v := f.Value.(type) {
		case *choice:
			c.values = v.known
		case *repeated, *without, *returned, *explaining, *sweeps:
			c.again = true
		}
		all = append(all, c)
	})
	return all
}

const bashHead = `# Completion of muster for bash: eval "$(muster completion bash)"
_muster() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$cur"))
    return
  fi
  if [ "$cur" = "=" ]; then # -flag=, without a value yet
    cur=
  elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case "${COMP_WORDS[1]} ${prev/#--/-}" in
`

const bashTail = `  esac
}
complete -o default -F _muster muster
`

// writeBash writes the script for bash. What it does not complete bash does, with names of files.
func writeBash(w io.Writer) {
	fmt.Fprintf(w, bashHead, strings.Join(names(), " "))
	for _, c := range subcommands() {
		for _, f := range completedFlags(c.flags()) {
			switch {
			case f.file:
				fmt.Fprintf(w, "    %q) return ;;\n", c.name+" -"+f.name)
			case len(f.values) > 0:
				fmt.Fprintf(w, "    %q) COMPREPLY=($(compgen -W %q -- \"$cur\")); return ;;\n", c.name+" -"+f.name, strings.Join(f.values, " "))
			case !f.alone:
				fmt.Fprintf(w, "    %q) compopt +o default 2>/dev/null; return ;;\n", c.name+" -"+f.name)
			}
		}
	}
	fmt.Fprint(w, "  esac\n  case \"${COMP_WORDS[1]} $cur\" in\n")
	for _, c := range subcommands() {
		flags := []string{"-h"}
		for _, f := range completedFlags(c.flags()) {
			flags = append(flags, "-"+f.name)
		}
		fmt.Fprintf(w, "    \"%s -\"*) COMPREPLY=($(compgen -W %q -- \"${cur/#--/-}\")) ;;\n", c.name, strings.Join(flags, " "))
		if c.words != nil {
			fmt.Fprintf(w, "    \"%s \"*) compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W %q -- \"$cur\")) ;;\n", c.name, strings.Join(c.words, " "))
		}
	}
	fmt.Fprintf(w, "    \"help \"*) compopt +o default 2>/dev/null; COMPREPLY=($(compgen -W %q -- \"$cur\")) ;;\n", strings.Join(names(), " "))
	fmt.Fprint(w, bashTail)
}

const zshHead = `#compdef muster
# Completion of muster for zsh: eval "$(muster completion zsh)"
_muster() {
  if (( CURRENT == 2 )); then
    local -a commands=(
%s    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
`

const zshTail = `  esac
}
if [ "$funcstack[1]" = _muster ]; then
  _muster "$@"
else
  compdef _muster muster
fi
`

// writeZsh writes the script for zsh, which stands in a file _muster of its functions as well.
func writeZsh(w io.Writer) {
	var lines strings.Builder
	for _, c := range subcommands() {
		fmt.Fprintf(&lines, "      %s\n", quoted(c.name+":"+c.does))
	}
	fmt.Fprintf(&lines, "      %s\n", quoted("help:flags and examples of a command"))
	fmt.Fprintf(w, zshHead, lines.String())
	for _, c := range subcommands() {
		fmt.Fprintf(w, "    %s)\n      _arguments '-h[flags and examples]'", c.name)
		for _, f := range completedFlags(c.flags()) {
			fmt.Fprintf(w, " \\\n        %s", quoted(zshFlag(&f)))
		}
		switch {
		case c.words == nil:
			fmt.Fprint(w, " \\\n        '*:file:_files'")
		case len(c.words) > 0:
			fmt.Fprintf(w, " \\\n        '1:word:(%s)'", strings.Join(c.words, " "))
		}
		fmt.Fprint(w, " ;;\n")
	}
	fmt.Fprintf(w, "    help)\n      _arguments '1:command:(%s)' ;;\n", strings.Join(names(), " "))
	fmt.Fprint(w, zshTail)
}

// zshFlag is a flag as _arguments takes it: `*-add[does]:value:_files`.
func zshFlag(f *completed) string {
	out := "-" + f.name
	if f.again {
		out = "*" + out
	}
	out += "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.does) + "]"
	switch {
	case f.file:
		out += ":file:_files"
	case len(f.values) > 0:
		out += ":" + f.name + ":(" + strings.Join(f.values, " ") + ")"
	case !f.alone:
		out += ":" + f.name + ": "
	}
	return out
}

// quoted is a word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
