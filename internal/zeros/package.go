package zeros

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Package walks the package in the current folder, which is that of the test. Its values are every exported function, and one of
// each exported type that has methods: of those a nil pointer and a zero value are walked, whatever the value holds. It fails if
// one is missing, so that a new one cannot be forgotten.
func Package(t *testing.T, values ...any) {
	t.Helper()
	for _, name := range missing(t, ".", values) {
		t.Errorf("%s is exported and is not walked", name)
	}
	for _, value := range values {
		if of := typeOf(value); of.Kind() != reflect.Func {
			Walk(t, reflect.Zero(reflect.PointerTo(of)).Interface(), reflect.New(of).Interface())
			continue
		}
		Walk(t, value)
	}
}

// missing names what the files of a folder export and the values lack.
func missing(t *testing.T, folder string, values []any) []string {
	t.Helper()
	given := map[string]bool{}
	for _, value := range values {
		name := typeOf(value).Name()
		if name == "" { // a function
			name = runtime.FuncForPC(reflect.ValueOf(value).Pointer()).Name()
		}
		name, _, _ = strings.Cut(name, "[") // type arguments
		given[name[strings.LastIndexByte(name, '.')+1:]] = true
	}
	return slices.DeleteFunc(exported(t, folder), func(name string) bool { return given[name] })
}

// typeOf is the type of a value or of what it points to.
func typeOf(value any) reflect.Type {
	of := reflect.TypeOf(value)
	if of.Kind() == reflect.Pointer {
		return of.Elem()
	}
	return of
}

// exported names the exported functions, and the exported types with exported methods, in the files of a folder that are no tests.
func exported(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && ast.IsExported(owner(f)) {
				names = append(names, owner(f))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// owner is the type that a method belongs to, of a function the function itself.
func owner(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	name, ok := of.(*ast.Ident)
	if !ok {
		return ""
	}
	return name.Name
}
