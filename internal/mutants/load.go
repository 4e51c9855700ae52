package main

// What do the packages say, and which of their mutants compile?

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// target is a package whose mutants are tested.
type target struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool

	fset  *token.FileSet
	files []*file
	types *types.Package
	info  *types.Info
	from  types.Importer
	drawn []*mutant
}

// goCommand is what the go command says.
func goCommand(o *options, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = o.dir, &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, errs.String())
	}
	return out, nil
}

// load reads the packages that are named; what they import is read from what the compiler exports.
func load(o *options) (named []*target, err error) {
	out, err := goCommand(o, append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}, o.packages...)...)
	if err != nil {
		return nil, err
	}
	exports, fset := map[string]string{}, token.NewFileSet()
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &target{fset: fset}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			named = append(named, p)
		}
	}
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range named {
		p.from = from
		if err := p.read(); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// read parses the files of a package, and lists their mutants.
func (p *target) read() error {
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files = append(p.files, &file{name: name, text: string(text), tree: tree})
	}
	var err error
	if p.types, p.info, err = p.check(nil); err != nil {
		return err
	}
	for _, f := range p.files {
		if !strings.HasPrefix(filepath.Base(f.name), "invariants") { // off, but under a build tag
			p.find(f)
		}
	}
	return nil
}

func (p *target) offset(at token.Pos) int { return p.fset.Position(at).Offset }

// check finds the types of the package with some mutants in it.
func (p *target) check(with []*mutant) (*types.Package, *types.Info, error) {
	fset, trees := p.fset, make([]*ast.File, 0, len(p.files)+1)
	for _, f := range p.files {
		if text := f.with(with); text != f.text {
			tree, err := parser.ParseFile(fset, f.name, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, nil, err
			}
			trees = append(trees, tree)
			continue
		}
		trees = append(trees, f.tree)
	}
	if len(with) > 0 {
		tree, err := parser.ParseFile(fset, switchName, p.switches(), parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		trees = append(trees, tree)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: p.from}
	if len(with) > 0 {
		conf.Importer = withStandard{p.from}
	}
	of, err := conf.Check(p.ImportPath, fset, trees, info)
	return of, info, err
}

// withStandard stands in for what the switch imports, which the package may not.
type withStandard struct{ types.Importer }

func (w withStandard) Import(path string) (*types.Package, error) {
	if path != "os" && path != "strconv" {
		return w.Importer.Import(path)
	}
	return importer.Default().Import(path)
}

// draw chooses mutants that compile, each together with those before, at most one of a place; they are numbered after those of other packages.
func (p *target) draw(o *options, before int) (drawn []*mutant) {
	var all []*mutant
	for _, f := range p.files {
		for _, m := range f.mutants {
			if o.at.MatchString(strings.TrimSuffix(m.place(), " [0]")) {
				all = append(all, m)
			}
		}
	}
	type place struct {
		file *file
		from int
	}
	seen := map[place]bool{}
	if o.count > 0 {
		r := rand.New(rand.NewPCG(o.seed, uint64(len(p.ImportPath)))) //nolint:gosec // a draw that can be repeated
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	for _, m := range all {
		at := place{m.file, m.from}
		if o.count > 0 && (len(drawn) == o.count || seen[at]) {
			continue
		}
		m.id = before + len(drawn) + 1
		if _, _, err := p.check(append(drawn, m)); err == nil {
			seen[at] = true
			drawn = append(drawn, m)
		}
	}
	slices.SortStableFunc(drawn, func(a, b *mutant) int {
		if a.file != b.file {
			return strings.Compare(a.file.name, b.file.name)
		}
		return a.line - b.line
	})
	for i, m := range drawn {
		m.id = before + i + 1
	}
	return drawn
}
