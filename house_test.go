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
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The walls of the house, measured over the code of every package without its tests. They may only fall.
const (
	largestCircle  = 17   // files of one package that all use each other; the goal is 25
	furthestReach  = 59   // methods reachable by embedding from one type, its own included; the goal is 60
	shadowedNames  = 0    // names that a struct shares with what it embeds
	longestPackage = 6000 // lines
	widestPackage  = 40   // exported names, except for those below
)

// wide packages speak to every user: what a gang may ask for, what a plan may answer, and the closed vocabulary of reasons
// and changes, in which each word is a name.
var wide = []string{"gang", "placement", "explain"}

func TestWallsStand(t *testing.T) {
	for _, p := range loadPackages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.path, module), "/")
		if circle := p.largestCircle(); circle > largestCircle {
			t.Errorf("package %q: %d files use each other in a circle, at most %d may", name, circle, largestCircle)
		}
		if reach, who := p.furthestReach(); reach > furthestReach {
			t.Errorf("package %q: %d methods are reachable from %s, at most %d may be", name, reach, who, furthestReach)
		}
		if names := p.shadowed(); len(names) > shadowedNames {
			t.Errorf("package %q: embedding shadows %s", name, strings.Join(names, ", "))
		}
		if lines := p.lines(); lines > longestPackage {
			t.Errorf("package %q has %d lines, at most %d are a room", name, lines, longestPackage)
		}
		if n := p.exported(); n > widestPackage && !slices.Contains(wide, name) {
			t.Errorf("package %q has %d exported names, at most %d are a door", name, n, widestPackage)
		}
	}
}

// The numbers are numbers of something: a package with a circle, an inherited method and a shadowed name has them.
func TestWallsAreMeasured(t *testing.T) {
	files := map[string]string{
		"a.go": "package p\n\ntype base struct{ n int }\n\nfunc (b *base) one() int { return two() }\n",
		"b.go": "package p\n\ntype heir struct {\n\t*base\n\tn int\n}\n\nfunc two() int { return (&base{}).one() }\n\nfunc (h heir) Three() {}\n",
		"c.go": "package p\n\nvar Four = two()\n",
	}
	fset, p := token.NewFileSet(), &measured{path: "p"}
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		f, err := parser.ParseFile(fset, name, files[name], 0)
		require.NoError(t, err)
		p.files = append(p.files, f)
	}
	require.NoError(t, p.check(fset, importer.Default()))
	require.Equal(t, 2, p.largestCircle())
	reach, who := p.furthestReach()
	require.Equal(t, 2, reach)
	require.Equal(t, "heir", who)
	require.Equal(t, []string{"heir.base.n"}, p.shadowed())
	require.Equal(t, 1, p.exported())
	require.Equal(t, 5+10+3, p.lines())
}

// measured is a package with its types.
type measured struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	types *types.Package
	info  *types.Info
}

func (p *measured) check(fset *token.FileSet, from types.Importer) (err error) {
	p.fset = fset
	p.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	p.types, err = (&types.Config{Importer: from}).Check(p.path, fset, p.files, p.info)
	return err
}

// loadPackages reads every package of the module; what they import is read from what the compiler exports.
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
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range all {
		require.NoError(t, p.check(fset, from), p.path)
	}
	require.NotEmpty(t, all)
	return all
}

func (p *measured) lines() (n int) {
	for _, f := range p.files {
		n += p.fset.File(f.FileStart).LineCount()
	}
	return n
}

func (p *measured) exported() (n int) {
	for _, name := range p.types.Scope().Names() {
		if token.IsExported(name) {
			n++
		}
	}
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

// What a failing random test saves lies below testdata too: a test that walks that folder would fail because of it.
func TestNobodyWalksTestdata(t *testing.T) {
	walks := 0
	require.NoError(t, filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		data, err := os.ReadFile(file)
		for _, walk := range []string{"datadriven." + "Walk(", "WalkDir(\"" + "testdata", "ReadDir(\"" + "testdata", "Walk(\"" + "testdata"} {
			if strings.Contains(string(data), walk) {
				t.Errorf("%s walks testdata: it is to list its own files", file)
			}
		}
		walks++
		return err
	}))
	require.Greater(t, walks, 100)
}
