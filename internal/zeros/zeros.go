// Package zeros answers: do the zero values of a package do harm? [Walk] calls every exported function and method of a package
// with zero receivers and arguments, and fails where one panics or is forgotten. Only tests import it.
package zeros

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// T is what a walk needs of [testing.T].
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// drained is how many elements of an iterator are read; more of them from zero values are a failure.
const drained = 10_000

// Walk fails on every panic of the package in the current folder, which is that of the test. Its values are one of each exported
// type that has methods, the zero one or a nil pointer (what they hold does not count), and every exported function. An exported
// function or type with methods that is not among them is a failure too, so that a new one cannot be forgotten.
//
// Methods run on a nil pointer, unless they have a value receiver, and on a zero value. Arguments are zero values, then
// others that an empty world cannot know: see [variants]. Iterators among the results are read, once to the end and once to the
// first element.
func Walk(t T, values ...any) {
	t.Helper()
	walked := map[string]bool{}
	for _, value := range values {
		v := reflect.ValueOf(value)
		if v.Kind() == reflect.Func && v.Type().Name() == "" {
			name := functionName(v)
			walked[name] = true
			call(t, name, v)
			continue
		}
		of := reflect.TypeOf(value)
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		walked[plain(of.Name())] = true
		walkType(t, of)
	}
	for _, name := range declared(t, ".") {
		if !walked[name] {
			t.Errorf("%s is exported and is not walked", name)
		}
	}
}

// walkType calls all methods of a type and of pointers to it.
func walkType(t T, of reflect.Type) {
	pointer := reflect.PointerTo(of)
	for i := range pointer.NumMethod() {
		name := pointer.Method(i).Name
		call(t, fmt.Sprintf("zero %s.%s", of.Name(), name), reflect.New(of).Method(i))
		if _, byValue := of.MethodByName(name); !byValue { // the language itself panics on those
			call(t, fmt.Sprintf("nil %s.%s", of.Name(), name), reflect.Zero(pointer).Method(i))
		}
	}
}

// call calls a function with zero arguments, then with each argument varied alone, then with the last variant of all.
func call(t T, name string, f reflect.Value) {
	zero, last, choices := []reflect.Value{}, []reflect.Value{}, [][]reflect.Value{}
	for i := range f.Type().NumIn() {
		all := variants(f.Type().In(i))
		choices = append(choices, all)
		zero, last = append(zero, all[0]), append(last, all[len(all)-1])
	}
	try(t, name, f, zero)
	for i, all := range choices {
		for _, v := range all[1:] {
			args := slices.Clone(zero)
			args[i] = v
			try(t, name, f, args)
		}
	}
	if len(choices) > 1 {
		try(t, name, f, last)
	}
}

// variants are the zero value of a type, then values that mean nothing to an empty world: for a pointer that to a zero value, for an
// integer one below 0 and one out of range, for a list one zero element, or one pointer to a zero value.
func variants(of reflect.Type) []reflect.Value {
	all := []reflect.Value{reflect.Zero(of)}
	switch of.Kind() {
	case reflect.Pointer:
		all = append(all, reflect.New(of.Elem()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		all = append(all, reflect.ValueOf(-1).Convert(of), reflect.ValueOf(7).Convert(of))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		all = append(all, reflect.ValueOf(7).Convert(of))
	case reflect.String:
		all = append(all, reflect.ValueOf("x").Convert(of))
	case reflect.Bool:
		all = append(all, reflect.ValueOf(true).Convert(of))
	case reflect.Map:
		all = append(all, reflect.MakeMap(of))
	case reflect.Slice:
		for _, element := range variants(of.Elem())[:min(2, len(variants(of.Elem())))] {
			all = append(all, reflect.Append(reflect.MakeSlice(of, 0, 1), element))
		}
	case reflect.Func:
		all = append(all, reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
			var results []reflect.Value
			for i := range of.NumOut() {
				results = append(results, reflect.Zero(of.Out(i)))
			}
			return results
		}))
	default: // zero values of structs, arrays and interfaces are enough
	}
	return all
}

// try calls once, and reads the iterators that it returns.
func try(t T, name string, f reflect.Value, args []reflect.Value) {
	defer func() {
		if reason := recover(); reason != nil {
			t.Errorf("%s panics on %s: %v\n%s", name, described(args), reason, debug.Stack())
		}
	}()
	results := []reflect.Value{}
	if f.Type().IsVariadic() {
		results = f.CallSlice(args)
	} else {
		results = f.Call(args)
	}
	for _, r := range results {
		if isIterator(r) && !drain(r, drained) {
			t.Errorf("%s on %s has more than %d elements", name, described(args), drained)
		}
		if isIterator(r) {
			drain(r, 0)
		}
	}
}

// isIterator says whether a value is a function that takes a yield: an iter.Seq, an iter.Seq2 or what looks like one.
func isIterator(v reflect.Value) bool {
	return v.Kind() == reflect.Func && (v.Type().CanSeq() || v.Type().CanSeq2())
}

// drain reads at most so many elements; false if there are more.
func drain(iterator reflect.Value, most int) bool {
	left := most
	if iterator.Type().CanSeq2() {
		for range iterator.Seq2() {
			if left--; left < 0 {
				return false
			}
		}
		return true
	}
	for range iterator.Seq() {
		if left--; left < 0 {
			return false
		}
	}
	return true
}

func described(args []reflect.Value) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = fmt.Sprintf("%#v", a)
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// functionName is the name of a function without its package.
func functionName(f reflect.Value) string {
	name := plain(runtime.FuncForPC(f.Pointer()).Name())
	return name[strings.LastIndexByte(name, '.')+1:]
}

// plain is a name without type arguments.
func plain(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// declared names the exported functions, and the exported types with exported methods, of the files of a folder that are no tests.
func declared(t T, folder string) (names []string) {
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), folder+"/"+file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				if name := owner(f); ast.IsExported(name) {
					names = append(names, name)
				}
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
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
