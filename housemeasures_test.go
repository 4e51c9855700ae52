package muster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// measured is a package with its types.
type measured struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// name is the path of the package in the module.
func (p *measured) name() string { return strings.TrimPrefix(strings.TrimPrefix(p.path, module), "/") }

func (p *measured) check(fset *token.FileSet, from types.Importer) (err error) {
	p.fset = fset
	p.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	p.types, err = (&types.Config{Importer: from}).Check(p.path, fset, p.files, p.info)
	return err
}

// importing gives the packages of the module as they were read, so that all speak of the same objects.
type importing struct {
	others types.Importer
	own    map[string]*types.Package
}

func (i importing) Import(path string) (*types.Package, error) {
	if p := i.own[path]; p != nil {
		return p, nil
	}
	return i.others.Import(path)
}

// loadPackages reads every package of the module, those that others import before them; what stands outside of it is read from what the compiler exports.
func loadPackages(t *testing.T) (all []*measured) {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export", "./...")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Skipf("go list does not run here: %v", err)
	}
	exports, fset := map[string]string{}, token.NewFileSet()
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			require.NoError(t, err)
		}
		exports[one.ImportPath] = one.Export
		if one.ImportPath != module && !strings.HasPrefix(one.ImportPath, module+"/") {
			continue
		}
		p := &measured{path: one.ImportPath}
		for _, name := range one.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(one.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			p.files = append(p.files, f)
		}
		all = append(all, p)
	}
	from := importing{importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }), map[string]*types.Package{}}
	for _, p := range all {
		require.NoError(t, p.check(fset, from), p.path)
		from.own[p.path] = p.types
	}
	require.NotEmpty(t, all)
	return all
}

// members are the exported names of the package with the exported methods and fields of its types.
func (p *measured) members() map[types.Object]string {
	out := map[types.Object]string{}
	note := func(o types.Object, name string) {
		if o.Exported() {
			out[o] = name
		}
	}
	for _, name := range p.types.Scope().Names() {
		o := p.types.Scope().Lookup(name)
		note(o, name)
		of, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !ok {
			continue
		}
		for i := range of.NumMethods() {
			note(of.Method(i), name+"."+of.Method(i).Name())
		}
		s, ok := of.Underlying().(*types.Struct)
		for i := 0; ok && i < s.NumFields(); i++ {
			note(s.Field(i), name+"."+s.Field(i).Name())
		}
	}
	return out
}

// users are, by exported member of any package, the other packages that use it.
func users(all []*measured) map[types.Object]map[string]bool {
	out := map[types.Object]map[string]bool{}
	for _, p := range all {
		for _, o := range p.info.Uses {
			switch generic := o.(type) { // what is made of one for some types is that one
			case *types.Var:
				o = generic.Origin()
			case *types.Func:
				o = generic.Origin()
			}
			if o.Pkg() == nil || o.Pkg() == p.types || !o.Exported() {
				continue
			}
			if out[o] == nil {
				out[o] = map[string]bool{}
			}
			out[o][p.path] = true
		}
	}
	return out
}

// tangled are the functions of the package with more ways through them than so many, by name.
func (p *measured) tangled(most int) (names []string) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && waysThrough(fn) > most {
				names = append(names, fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// waysThrough counts what McCabe's complexity counts: the places where a function goes one way or another.
func waysThrough(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(at ast.Node) bool {
		switch at := at.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if at.List != nil {
				n++
			}
		case *ast.CommClause:
			if at.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if at.Op == token.LAND || at.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

func (p *measured) fileOf(pos token.Pos) string { return filepath.Base(p.fset.Position(pos).Filename) }

// arrows lists, by file, the others whose names, methods or fields it uses.
func (p *measured) arrows() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, f := range p.files {
		from := p.fileOf(f.Pos())
		out[from] = map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := p.info.Uses[id]
			if o == nil || o.Pkg() != p.types || !o.Pos().IsValid() {
				return true
			}
			if v, isVar := o.(*types.Var); isVar && !v.IsField() && o.Parent() != p.types.Scope() {
				return true
			}
			if to := p.fileOf(o.Pos()); to != from {
				out[from][to] = true
			}
			return true
		})
	}
	return out
}

// largestCircle is the size of the largest set of files of which each reaches each other.
func (p *measured) largestCircle() (largest int) {
	arrows := p.arrows()
	reach := map[string]map[string]bool{}
	for from := range arrows {
		seen := map[string]bool{}
		for todo := []string{from}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range arrows[at] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reach[from] = seen
	}
	for a := range reach {
		n := 1
		for b := range reach {
			if a != b && reach[a][b] && reach[b][a] {
				n++
			}
		}
		largest = max(largest, n)
	}
	return largest
}

// named lists the types of the package by name.
func (p *measured) named() (all []*types.Named) {
	for _, name := range p.types.Scope().Names() {
		if tn, ok := p.types.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if n, isNamed := tn.Type().(*types.Named); isNamed {
				all = append(all, n)
			}
		}
	}
	return all
}

// heritage collects a type of the package and all that it embeds from it.
func (p *measured) heritage(t *types.Named, into []*types.Named) []*types.Named {
	if slices.Contains(into, t) || t.Obj().Pkg() != p.types {
		return into
	}
	into = append(into, t)
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if !s.Field(i).Embedded() {
			continue
		}
		of := s.Field(i).Type()
		if ptr, isPtr := of.(*types.Pointer); isPtr {
			of = ptr.Elem()
		}
		if n, isNamed := types.Unalias(of).(*types.Named); isNamed {
			into = p.heritage(n.Origin(), into)
		}
	}
	return into
}

// furthestReach is the most methods of one type and of all that it embeds.
func (p *measured) furthestReach() (most int, who string) {
	for _, t := range p.named() {
		n := 0
		for _, of := range p.heritage(t, nil) {
			n += of.NumMethods()
		}
		if n > most {
			most, who = n, t.Obj().Name()
		}
	}
	return most, who
}

// shadowed lists the names that structs share with what they embed.
func (p *measured) shadowed() (names []string) {
	for _, t := range p.named() {
		all := p.heritage(t, nil)
		own := membersOf(t)
		for _, of := range all[1:] {
			for _, name := range membersOf(of) {
				if slices.Contains(own, name) {
					names = append(names, fmt.Sprintf("%s.%s.%s", t.Obj().Name(), of.Obj().Name(), name))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// membersOf lists the methods and the fields of a type, embedded ones left out.
func membersOf(t *types.Named) (names []string) {
	for i := range t.NumMethods() {
		names = append(names, t.Method(i).Name())
	}
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if !s.Field(i).Embedded() {
			names = append(names, s.Field(i).Name())
		}
	}
	return names
}
