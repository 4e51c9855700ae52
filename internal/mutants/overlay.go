package main

// How do many mutants live in one build?

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// variable is the environment's that switches a mutant on.
const variable = "MUSTER_MUTANT"

// switchName is the file that is added to a package.
const switchName = "zz_mutants.go"

// switches is the text of that file.
func (p *target) switches() string {
	return "package " + p.types.Name() + `

import (
	"os"
	"strconv"
)

var mutantOn, _ = strconv.Atoi(os.Getenv("` + variable + `"))

func mutantEither[T any](id int, is, becomes T) T {
	if mutantOn == id {
		return becomes
	}
	return is
}
`
}

// with is the text of the file with mutants in it, on the same lines.
func (f *file) with(all []*mutant) string {
	var own []*mutant
	for _, m := range all {
		if m.file == f {
			own = append(own, m)
		}
	}
	// Stretches of a file lie in each other or apart, as nodes of a tree do: the outer ones come first.
	slices.SortStableFunc(own, func(a, b *mutant) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	return f.render(0, len(f.text), own)
}

// render is a stretch of the file with the mutants in it.
func (f *file) render(from, to int, own []*mutant) string {
	var b strings.Builder
	for len(own) > 0 {
		m, inside := own[0], 1
		for inside < len(own) && own[inside].from < m.to {
			inside++
		}
		b.WriteString(f.text[from:m.from])
		fmt.Fprintf(&b, m.either, m.id, f.render(m.from, m.to, own[1:inside]))
		from, own = m.to, own[inside:]
	}
	b.WriteString(f.text[from:to])
	return b.String()
}

// overlay writes the files with all mutants of the packages, and the list of them that the go command reads.
func overlay(packages []*target, work string) (string, error) {
	replace := map[string]string{}
	write := func(name, text string) error {
		at := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[name] = at
		return os.WriteFile(at, []byte(text), 0o600)
	}
	for _, p := range packages {
		for _, f := range p.files {
			if text := f.with(p.drawn); text != f.text {
				if err := write(f.name, text); err != nil {
					return "", err
				}
			}
		}
		if err := write(filepath.Join(p.Dir, switchName), p.switches()); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(work, "overlay.json")
	return list, os.WriteFile(list, text, 0o600)
}
