package muster_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The walls of the house in numbers, for every package without its tests. A limit may be lowered, never raised.
const (
	mostCircle   = 25   // files that use each other, directly or through others
	mostReach    = 60   // methods that one struct has, its own and those of all it embeds
	mostShadows  = 0    // names of an embedded struct that a struct or its methods hide
	mostLines    = 6000 // of all files
	mostExported = 40   // names of a package
)

// wide packages have more exported names: the facade, and the request with the words of its fields.
var wide = []string{"placement", "gang"}

// exceptions are packages above a limit. One that is needed no longer is an error: delete it.
var exceptions = map[string]struct{ reach, shadows int }{
	"internal/reference": {reach: 99, shadows: 8}, // its steps inherit from each other
	"preempt":            {reach: 98, shadows: 4}, // its searches inherit from each other
	"internal/gather":    {reach: 79},             // sums inherits from ask
	"internal/cow":       {shadows: 1},            // tableOf.owned hides table.owned
}

// numbers of one package.
type numbers struct {
	circle, reach, shadows, lines, exported int
	widest                                  string // the type of reach
}

func TestHouseKeepsItsWalls(t *testing.T) {
	all := measureModule(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		n, may := all[name], exceptions[name]
		t.Logf("%-20s lines %4d exported %2d circle %2d reach %2d (%s) shadows %d", name, n.lines, n.exported, n.circle, n.reach, n.widest, n.shadows)
		for _, held := range []struct {
			what             string
			got, limit, upTo int
		}{
			{"files in one circle", n.circle, mostCircle, 0},
			{"methods reachable from " + n.widest, n.reach, mostReach, may.reach},
			{"shadowed names", n.shadows, mostShadows, may.shadows},
			{"lines", n.lines, mostLines, 0},
			{"exported names", n.exported, exportedLimit(name), 0},
		} {
			if held.got > max(held.limit, held.upTo) {
				t.Errorf("%s has %d %s, above %d", name, held.got, held.what, max(held.limit, held.upTo))
			}
			if held.upTo > 0 && held.got <= held.limit {
				t.Errorf("%s has %d %s: delete its exception", name, held.got, held.what)
			}
		}
	}
	for name := range exceptions {
		require.Contains(t, all, name, "an exception names a package that does not exist")
	}
	require.Contains(t, all, "placement", "the test runs in the root of the module")
}

func exportedLimit(name string) int {
	if slices.Contains(wide, name) {
		return 1 << 30
	}
	return mostExported
}

// The numbers count what they say.
func TestHouseCounts(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{
		"a.go": "package p\n\ntype A struct {\n\tB\n\tname string\n}\n\nfunc (A) One() {}\nfunc (A) Two() { three() }\n",
		"b.go": "package p\n\ntype B struct {\n\t*C\n\tsize int\n}\n\nfunc (B) Two() {}\nfunc (B) four() { A{}.One() }\n",
		"c.go": "package p\n\ntype C struct{ name string }\n\nfunc (*C) Three() {}\nfunc three() {}\n",
		"d.go": "package p\n\nfunc Last() { three() }\n",
	} {
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	got, err := measure(fset, "p", files, nil)
	require.NoError(t, err)
	// a and b use each other; A reaches its two methods, the two of B and the one of C, and hides B.Two and C.name.
	require.Equal(t, numbers{circle: 2, reach: 5, shadows: 2, lines: 27, exported: 4, widest: "A"}, got)
}

// measureModule measures all packages of the module, named by their folders.
func measureModule(t *testing.T) map[string]numbers {
	t.Helper()
	listed := goList(t)
	fset := token.NewFileSet()
	exports := map[string]string{}
	for _, p := range listed {
		exports[p.ImportPath] = p.Export
	}
	imported := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	all := map[string]numbers{}
	for _, p := range listed {
		if p.Module == nil || p.Module.Path != module {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
		n, err := measure(fset, p.ImportPath, files, imported)
		require.NoError(t, err)
		all[cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/"), ".")] = n
	}
	return all
}

// listedPackage has the fields of `go list -json` that are read here.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct{ Path string }
}

// goList lists the packages of the module, and all that they import, with the files of their exported types.
func goList(t *testing.T) []listedPackage {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to list packages with: ", err)
	}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...")
	var out, wrong bytes.Buffer
	list.Stdout, list.Stderr = &out, &wrong
	require.NoError(t, list.Run(), wrong.String())
	var all []listedPackage
	for d := json.NewDecoder(&out); ; {
		var p listedPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// measure checks the types of a package and takes its numbers.
func measure(fset *token.FileSet, path string, files []*ast.File, imported types.Importer) (numbers, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	check := types.Config{Importer: imported, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	pkg, err := check.Check(path, fset, files, info)
	if err != nil {
		return numbers{}, err
	}
	n := numbers{circle: largestCircle(usesOfFiles(fset, pkg, files, info))}
	for _, file := range files {
		n.lines += fset.File(file.FileStart).LineCount()
	}
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			n.exported++
		}
	}
	for _, at := range namedTypes(pkg) {
		methods, hidden := inherits(at)
		if n.shadows += hidden; methods > n.reach {
			n.reach, n.widest = methods, at.Obj().Name()
		}
	}
	return n, nil
}

// usesOfFiles has, for every file, the other files whose package-level names, methods or fields it uses.
func usesOfFiles(fset *token.FileSet, pkg *types.Package, files []*ast.File, info *types.Info) map[string][]string {
	fileOf := func(p token.Pos) string { return fset.Position(p).Filename }
	uses := map[string][]string{}
	for _, file := range files {
		uses[fileOf(file.FileStart)] = nil
	}
	for id, used := range info.Uses {
		if used.Pkg() != pkg || !used.Pos().IsValid() {
			continue
		}
		if v, isVar := used.(*types.Var); isVar && !v.IsField() && used.Parent() != pkg.Scope() {
			continue // a local variable
		}
		from, to := fileOf(id.Pos()), fileOf(used.Pos())
		if from != to && !slices.Contains(uses[from], to) {
			uses[from] = append(uses[from], to)
		}
	}
	return uses
}

// largestCircle is the size of the largest set of files each of which reaches each other one.
func largestCircle(uses map[string][]string) (most int) {
	reached := map[string]map[string]bool{}
	for file := range uses {
		seen := map[string]bool{file: true}
		for next := []string{file}; len(next) > 0; {
			last := next[len(next)-1]
			next = next[:len(next)-1]
			for _, to := range uses[last] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		reached[file] = seen
	}
	for file, seen := range reached {
		size := 0
		for other := range seen {
			if reached[other][file] {
				size++
			}
		}
		most = max(most, size)
	}
	return most
}

// namedTypes are the types that a package declares.
func namedTypes(pkg *types.Package) (all []*types.Named) {
	for _, name := range pkg.Scope().Names() {
		if declared, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !declared.IsAlias() {
			if named, ok := declared.Type().(*types.Named); ok {
				all = append(all, named)
			}
		}
	}
	return all
}

// inherits counts the methods of a type and of all types of its package that it embeds, and the names of these that it
// has itself.
func inherits(t *types.Named) (methods, hidden int) {
	own, seen := membersOf(t), map[*types.Named]bool{t: true}
	for next := []*types.Named{t}; len(next) > 0; {
		at := next[0]
		next = next[1:]
		methods += at.NumMethods()
		if at != t {
			names := membersOf(at)
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				if slices.Contains(own, name) {
					hidden++
				}
			}
		}
		for _, inner := range embeddedIn(at) {
			if !seen[inner] && inner.Obj().Pkg() == t.Obj().Pkg() {
				seen[inner] = true
				next = append(next, inner)
			}
		}
	}
	return methods, hidden
}

// membersOf are the names of the methods of a type and of its fields that are not embedded.
func membersOf(t *types.Named) (names []string) {
	for m := range t.Methods() {
		names = append(names, m.Name())
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if !f.Embedded() {
				names = append(names, f.Name())
			}
		}
	}
	return names
}

// embeddedIn are the named types that a struct embeds, or embeds pointers to.
func embeddedIn(t *types.Named) (all []*types.Named) {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for f := range s.Fields() {
		if !f.Embedded() {
			continue
		}
		at := f.Type()
		if pointer, ok := at.(*types.Pointer); ok {
			at = pointer.Elem()
		}
		if named, ok := types.Unalias(at).(*types.Named); ok {
			all = append(all, named.Origin())
		}
	}
	return all
}
